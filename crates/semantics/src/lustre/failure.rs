//! Steps that have no result.

use std::fmt;

use punctual_model::ExprId;

/// A step needed a value that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub kind: FailureKind,
    /// The expression without a value.
    pub expr: ExprId,
}

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A division by zero.
    DivisionByZero,
    /// A number is too large: integers have 64 bits, numerators and denominators 128.
    Overflow,
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DivisionByZero => "division by zero",
            Self::Overflow => "a number is too large",
        })
    }
}
