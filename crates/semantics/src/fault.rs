//! Errors of a model that show only while it runs.

use std::fmt;

/// What went wrong while an expression was evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FaultKind {
    /// A value left the range of what it was assigned to, passed as, or returned as.
    Range {
        /// The value.
        value: i32,
        /// The smallest that was allowed.
        lo: i32,
        /// The largest that was allowed.
        hi: i32,
    },
    /// An index outside of its array.
    Index {
        /// The index.
        value: i32,
        /// The smallest legal index.
        lo: i32,
        /// The number of legal indices.
        len: u32,
    },
    /// A division or remainder by zero.
    DivisionByZero,
    /// An intermediate result does not fit 32 bits.
    Overflow,
    /// A shift by a negative number or by more than 31.
    Shift {
        /// The number of bits to shift by.
        by: i32,
    },
    /// A power with a negative exponent.
    Power {
        /// The exponent.
        exponent: i32,
    },
    /// A clock was set to a negative number.
    NegativeClock {
        /// The number.
        value: i32,
    },
    /// A constant of a clock constraint or reset is larger than zones can hold.
    ClockConstant {
        /// The constant.
        value: i32,
    },
    /// A clock grew beyond what zones can hold. Only without extrapolation.
    ClockGrown {
        /// The largest value that is followed.
        beyond: i32,
    },
    /// A clock rate that is neither 0 nor 1.
    Rate {
        /// The rate.
        value: i32,
    },
    /// A random number was asked for with parameters that its distribution does not have.
    Distribution {
        /// What it needs.
        rule: &'static str,
    },
    /// An assertion of the model does not hold.
    Assertion,
    /// A function ended without returning a value.
    NoReturn,
    /// A loop or a function ran for too long.
    TooLong,
    /// No error of the model: the budget is spent. Whoever asks for steps or runs is told so in other words.
    Spent,
}

/// An error of the model, found while evaluating it. It says what; who evaluated knows where.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
}

impl From<FaultKind> for Fault {
    fn from(kind: FaultKind) -> Self {
        Self { kind }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Range { value, lo, hi } => {
                write!(f, "the value {value} is out of range: allowed is {lo} to {hi}")
            }
            Self::Index { value, lo, len } => {
                let hi = i64::from(lo) + i64::from(len) - 1;
                write!(f, "the index {value} is out of bounds: the array goes from {lo} to {hi}")
            }
            Self::DivisionByZero => f.write_str("division by zero"),
            Self::Overflow => f.write_str("a result does not fit 32 bits"),
            Self::Shift { by } => write!(f, "a shift by {by}: allowed is 0 to 31"),
            Self::Power { exponent } => write!(f, "a power with the negative exponent {exponent}"),
            Self::NegativeClock { value } => write!(f, "a clock is set to {value}"),
            Self::ClockConstant { value } => {
                write!(f, "a clock is compared with or set to {value}, which is too large")
            }
            Self::ClockGrown { beyond } => {
                write!(f, "a clock grew beyond {beyond}, which is too large without extrapolation")
            }
            Self::Rate { value } => write!(f, "a clock has the rate {value}: allowed is 0 or 1"),
            Self::Distribution { rule } => f.write_str(rule),
            Self::Assertion => f.write_str("an assertion does not hold"),
            Self::NoReturn => f.write_str("a function ends without returning a value"),
            Self::TooLong => f.write_str("a function or loop does not come to an end"),
            Self::Spent => f.write_str("stopped: what was granted is used up"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}
