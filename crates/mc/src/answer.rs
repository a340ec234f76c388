//! What the checker says of a model.

use std::time::Duration;

use punctual_semantics::FaultKind;
use punctual_semantics::budget::Spent;

use crate::{Move, State, Trace};

/// The answer to a query.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// The model has the property.
    Satisfied,
    /// The model does not have the property.
    NotSatisfied,
    /// An over-approximation has the property; the model may or may not.
    MaybeSatisfied,
    /// An over-approximation does not have the property; the model may or may not.
    MaybeNotSatisfied,
    /// The search ended before the answer was found.
    Undecided(Undecided),
    /// The model does something that is not allowed.
    Error(Box<ModelFault>),
    /// The extreme values that were asked for (`sup`, `inf`, `bounds`), one for each expression.
    Values(Vec<Extremum>),
}

/// Why a search ended without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Undecided {
    /// The memory that was granted is used up.
    Memory,
    /// The user stopped it.
    Stopped,
    /// The time that was granted is over.
    Time,
    /// The over-approximation of the model runs into an error that the model itself may not have.
    Approximation,
    /// A clock grew beyond this value without a bound being found.
    Growing {
        /// The value.
        beyond: i32,
    },
}

impl From<Spent> for Undecided {
    fn from(spent: Spent) -> Undecided {
        match spent {
            Spent::Memory => Undecided::Memory,
            Spent::Stopped => Undecided::Stopped,
            Spent::Time => Undecided::Time,
        }
    }
}

/// The least and greatest value of an expression; a side that was not asked for, or that has no
/// state to be taken in, is `None`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extremum {
    /// Whether some reachable state satisfies the condition of the query.
    pub reachable: bool,
    /// The least value.
    pub least: Option<Limit>,
    /// The greatest value.
    pub greatest: Option<Limit>,
}

/// A value that is attained or approached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Some state has this value.
    Attained(i32),
    /// States come as close as you like, but none has the value.
    Approached(i32),
    /// There is no limit.
    Infinite,
}

/// An error of the model: what happened, and where.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelFault {
    /// What went wrong.
    pub kind: FaultKind,
    /// The moves that were being made; empty if it happened at the start or in a query.
    pub moves: Vec<Move>,
    /// The state before; its clocks are those of the trace, if there is one.
    pub state: State,
    /// How the state is reached, if it could be made concrete.
    pub trace: Option<Trace>,
}

/// What a search cost.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Statistics {
    /// Symbolic states that are stored at the end.
    pub stored: u64,
    /// Symbolic states whose successors were computed.
    pub explored: u64,
    /// Successors that were computed.
    pub transitions: u64,
    /// How long the search took, by the clock of its `Observer`.
    pub elapsed: Duration,
    /// Bytes that the search held at most.
    pub memory_peak: u64,
}

impl Statistics {
    /// Adds what an earlier search for the same answer cost.
    pub(crate) fn add(&mut self, earlier: Option<Statistics>) {
        let Some(earlier) = earlier else { return };
        self.explored += earlier.explored;
        self.transitions += earlier.transitions;
        self.memory_peak = self.memory_peak.max(earlier.memory_peak);
    }
}

/// What came of a query.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The answer.
    pub answer: Answer,
    /// What it cost.
    pub statistics: Statistics,
    /// A run that shows why: a witness of `E<>` and `E[]`, a counterexample of the others.
    pub trace: Option<Trace>,
}

/// Something that symbolic analysis can not treat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// What, in the words of a user.
    pub construct: String,
    /// Where, if it is at one place: `process Gate, location Free`.
    pub place: Option<String>,
}
