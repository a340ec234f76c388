//! Legal names.

use rustc_hash::{FxHashMap, FxHashSet};

/// Words that mean something, somewhere.
const RESERVED: &[&str] = &[
    "node",
    "function",
    "returns",
    "var",
    "const",
    "type",
    "let",
    "tel",
    "assert",
    "if",
    "then",
    "else",
    "pre",
    "fby",
    "current",
    "when",
    "merge",
    "not",
    "and",
    "or",
    "nor",
    "xor",
    "div",
    "mod",
    "true",
    "false",
    "int",
    "real",
    "bool",
    "floor",
    "subrange",
    "of",
    "enum",
    "struct",
    "condact",
    "activate",
    "restart",
    "every",
    "initial",
    "default",
    "check",
    "automaton",
    "forall",
    "exists",
    "imported",
    "contract",
    "include",
    "assume",
    "guarantee",
    "mode",
    "require",
    "ensure",
    "import",
    "weakly",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "free",
    "locked",
];

pub(super) struct Names {
    taken: FxHashSet<String>,
    /// How often each was asked for.
    numbers: FxHashMap<String, u32>,
}

impl Names {
    pub(super) fn new() -> Self {
        let taken = RESERVED.iter().map(|word| (*word).to_owned()).collect();
        Self { taken, numbers: FxHashMap::default() }
    }

    /// A legal name that is like this one, and that nothing else has.
    pub(super) fn legal(&mut self, name: &str) -> String {
        let legal: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        // `a[2]` is `a_2`.
        let legal = match name.ends_with(']') {
            true => legal.trim_end_matches('_').to_owned(),
            false => legal,
        };
        let legal = match legal.starts_with(|c: char| c.is_ascii_digit()) || legal.is_empty() {
            true => format!("_{legal}"),
            false => legal,
        };
        if self.taken.insert(legal.clone()) {
            return legal;
        }
        let number = self.numbers.entry(legal.clone()).or_insert(1);
        loop {
            *number += 1;
            let candidate = format!("{legal}_{number}");
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}
