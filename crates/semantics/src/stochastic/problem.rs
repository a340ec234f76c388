//! Why a run can not go on.

use std::fmt;

use punctual_model::ProcessId;

use crate::{Fault, FaultKind, Move};

/// An error of the model that a run met.
#[derive(Clone, PartialEq, Debug)]
pub struct Problem {
    /// What is wrong.
    pub kind: ProblemKind,
    /// The moves that were being made, if an edge is at fault.
    pub moves: Vec<Move>,
}

/// What is wrong.
#[derive(Clone, PartialEq, Debug)]
pub enum ProblemKind {
    /// An expression did something illegal.
    Fault(Fault),
    /// An invariant lets no more time pass, and its process has nothing to do.
    Timelock {
        /// The process.
        process: ProcessId,
    },
    /// Time stands still in an urgent or committed location, and nothing can happen.
    Stuck {
        /// A process in such a location.
        process: ProcessId,
    },
    /// Too many transitions happened without any time passing.
    Zeno {
        /// The number of transitions that happened.
        transitions: u32,
    },
    /// The cost that bounds the run does not grow, although things happen.
    Endless {
        /// In how many transitions.
        transitions: u32,
    },
    /// The invariants do not hold at the start.
    NoStart,
    /// The rate of an exponential delay is negative or not a number.
    Rate {
        /// The process.
        process: ProcessId,
    },
    /// The weights of branches are negative, not numbers, or all zero.
    Weight {
        /// The process.
        process: ProcessId,
    },
}

impl Problem {
    /// No error of the model: the budget is spent.
    #[cold]
    pub(crate) fn spent() -> Problem {
        Fault::from(FaultKind::Spent).into()
    }

    /// Whether the budget is spent, and the model is not in error.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.kind == ProblemKind::Fault(FaultKind::Spent.into())
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        ProblemKind::Fault(fault).into()
    }
}

impl From<ProblemKind> for Problem {
    fn from(kind: ProblemKind) -> Self {
        Problem { kind, moves: Vec::new() }
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => fault.kind.fmt(f),
            Self::Timelock { .. } => f.write_str(
                "a timelock: an invariant lets no more time pass, and its process has nothing to do",
            ),
            Self::Stuck { .. } => f.write_str(
                "a timelock: time stands still in an urgent or committed location, and nothing can \
                 happen",
            ),
            Self::Zeno { transitions } => {
                write!(f, "a Zeno run: {transitions} transitions without any time passing")
            }
            Self::Endless { transitions } => write!(
                f,
                "an endless run: what bounds it has not grown in {transitions} transitions"
            ),
            Self::NoStart => f.write_str("the invariants do not hold at the start"),
            Self::Rate { .. } => {
                f.write_str("the rate of an exponential delay is negative or not a number")
            }
            Self::Weight { .. } => {
                f.write_str("the weights of branches are negative, not numbers, or all zero")
            }
        }
    }
}
