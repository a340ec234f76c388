//! UPPAAL's text format, `.xta` and `.ta`.
//!
//! [`read`] cuts a file into the sections of a [`Document`](crate::document::Document): processes
//! become templates, whose locations have their names as ids. [`write`] prints a document; the
//! format has no place for drawings and the like, so it also says what was left out.
//!
//! Not here: what declarations and labels mean. The parser of the language reads each text, so
//! an error inside of one is reported once, and there.

mod check;
mod process;
mod read;
mod write;

pub use read::read;
pub use write::{Dropped, Renamed, Unwritable, Written, write};

/// Words that can not be names. `A`, `U`, `Pr` and others are keywords in queries only.
const KEYWORDS: [&str; 57] = [
    "IO",
    "after_update",
    "and",
    "assert",
    "assign",
    "before_update",
    "bool",
    "branchpoint",
    "broadcast",
    "chan",
    "clock",
    "commit",
    "const",
    "default",
    "do",
    "double",
    "dynamic",
    "else",
    "exists",
    "exit",
    "false",
    "for",
    "forall",
    "gantt",
    "guard",
    "hybrid",
    "if",
    "imply",
    "import",
    "init",
    "int",
    "location",
    "meta",
    "not",
    "or",
    "priority",
    "probability",
    "process",
    "progress",
    "query",
    "return",
    "scalar",
    "select",
    "spawn",
    "state",
    "string",
    "struct",
    "sum",
    "sync",
    "system",
    "trans",
    "true",
    "typedef",
    "urgent",
    "void",
    "while",
    "xor",
];

/// Whether a word can be the name of a process or a location.
fn is_name(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && KEYWORDS.binary_search(&word).is_err()
}

#[cfg(test)]
mod tests {
    use super::KEYWORDS;

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted());
    }
}
