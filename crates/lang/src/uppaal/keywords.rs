//! The words of the language that can not be names.

/// In alphabetical order. `A`, `U`, `Pr` and others are keywords in queries only.
pub(crate) const KEYWORDS: [&str; 57] = [
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

/// Whether a word can not be a name in declarations, labels and functions.
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::KEYWORDS;

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted());
    }
}
