//! What a solver answers, and what can go wrong with it.

use std::{fmt, path::PathBuf, time::Duration};

/// What a solver says of all that is asserted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Answer {
    /// There are values that satisfy it; [`crate::Session::values`] says which.
    Sat,
    /// No values satisfy what was claimed.
    Unsat,
    /// The solver did not decide, for this reason.
    Unknown(Reason),
}

/// Why nothing is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It took too long.
    Timeout(Duration),
    /// It took too long, did not mind its limit, and was ended.
    Hung(Duration),
    /// The solver ended by itself; the end of what it said.
    Died(String),
    /// It answered with something else than was asked for.
    Garbled(String),
    /// It did not accept what it was told.
    Refused(String),
    /// It gave up, and said why.
    GaveUp(String),
    /// A number does not fit into 128 bits, or is not rational.
    Number(String),
    /// The user wanted no more, so the solver was ended; see [`end_all`](crate::end_all).
    Stopped,
    /// There is no least value, or none was found in as many queries as are allowed.
    NoLeast,
}

impl Reason {
    /// Whether it is the solver that is broken, not the question that is hard.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        matches!(self, Reason::Hung(_) | Reason::Died(_) | Reason::Garbled(_) | Reason::Refused(_))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Timeout(limit) => {
                write!(f, "the solver did not answer within {} ms", limit.as_millis())
            }
            Reason::Hung(limit) => {
                write!(f, "the solver hung, and was ended after {} ms", limit.as_millis())
            }
            Reason::Died(last) if last.is_empty() => write!(f, "the solver ended unexpectedly"),
            Reason::Died(last) => write!(f, "the solver ended unexpectedly: {last}"),
            Reason::Garbled(text) => write!(f, "the solver answered with nonsense: {text}"),
            Reason::Refused(text) => write!(f, "the solver refused what it was told: {text}"),
            Reason::GaveUp(text) => write!(f, "the solver gave up: {text}"),
            Reason::Number(text) => write!(f, "a number of the solver is beyond 128 bits: {text}"),
            Reason::Stopped => write!(f, "the search was stopped"),
            Reason::NoLeast => write!(f, "no least value was found"),
        }
    }
}

/// Why there is no solver to ask, or no value to be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// There is none; what was looked for.
    Missing(Missing),
    /// The program is there and can not be started.
    NotStarted {
        /// The program.
        program: PathBuf,
        /// What the machine said.
        reason: String,
    },
    /// No solver is started any more, since the user wants no more; see [`end_all`](crate::end_all).
    Stopped,
    /// Values were asked for, and the solver failed to give them.
    Lost(Reason),
    /// Values were asked for without a satisfied query before.
    NoModel,
}

/// Where a solver was looked for in vain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The program that `PUNCTUAL_SOLVER` names is not there.
    Named(PathBuf),
    /// There is no `.solver/z3` in this folder or above it, and no `z3` on the path.
    NotFound,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Missing(Missing::Named(program)) => write!(
                f,
                "`--solver` or PUNCTUAL_SOLVER names `{}`, and there is no such program",
                program.display()
            ),
            Error::Missing(Missing::NotFound) => write!(
                f,
                "there is no solver: the tool came without one, and there is no `z3` on the path; `cargo \
                 xtask solver` in the folder of the project brings one (or install z3, or name it by \
                 `--solver` or PUNCTUAL_SOLVER)"
            ),
            Error::NotStarted { program, reason } => {
                write!(f, "the solver `{}` can not be started: {reason}", program.display())
            }
            Error::Stopped => write!(f, "the search was stopped"),
            Error::Lost(reason) => write!(f, "{reason}"),
            Error::NoModel => write!(f, "there are no values without a satisfied query"),
        }
    }
}

impl std::error::Error for Error {}
