//! Which words are keywords, and what may have been meant by words that are not.

use super::cursor::Mode;
use crate::uppaal::keywords::is_keyword;

/// Keywords of queries. Words such as `Pr` and `simulate` are so only where a query starts.
const QUERY: [&str; 14] = [
    "and", "bool", "deadlock", "exists", "false", "forall", "imply", "int", "not", "or", "scalar",
    "sum", "true", "xor",
];

/// Whether a word can not be a name.
pub(super) fn reserved(word: &str, mode: Mode) -> bool {
    match mode {
        Mode::Model => is_keyword(word),
        Mode::Query => QUERY.binary_search(&word).is_ok(),
    }
}

/// Whether a type can start with this keyword.
pub(super) fn starts_type(word: &str) -> bool {
    is_prefix(word)
        || matches!(
            word,
            "int" | "bool" | "double" | "string" | "clock" | "chan" | "void" | "scalar" | "struct"
        )
}

/// Whether a word is a prefix of types.
pub(super) fn is_prefix(word: &str) -> bool {
    matches!(word, "const" | "meta" | "urgent" | "broadcast" | "hybrid")
}

/// Keywords that a misspelt start of a declaration may stand for.
pub(super) const DECLARATION_STARTS: [&str; 16] = [
    "const",
    "meta",
    "urgent",
    "broadcast",
    "hybrid",
    "int",
    "bool",
    "double",
    "clock",
    "chan",
    "void",
    "scalar",
    "struct",
    "typedef",
    "import",
    "dynamic",
];

/// Keywords that a misspelt start of a statement may stand for.
pub(super) const STATEMENT_STARTS: [&str; 6] = ["if", "else", "while", "for", "do", "return"];

/// The operator that a word of another language stands for.
pub(super) fn meant_operator(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "and" => "and",
        "or" => "or",
        "xor" => "xor",
        "imply" | "implies" => "imply",
        "mod" => "%",
        "div" => "/",
        "eq" | "is" => "==",
        _ => return None,
    })
}

/// What replaces a word of C that the language lacks.
pub(super) fn missing_statement(word: &str) -> Option<&'static str> {
    Some(match word {
        "break" => "leave a loop through its condition, or leave the function with `return`",
        "continue" => "put the rest of the loop into an `if`",
        "switch" => "use `if (…) … else if (…) …`",
        "goto" => "use loops and conditions",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::QUERY;

    #[test]
    fn query_words_are_sorted() {
        assert!(QUERY.is_sorted());
    }
}
