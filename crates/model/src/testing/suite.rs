//! What is to be done with a system, and what is expected of it.
//!
//! A timed [`Case`] is a sequence of inputs, waits and checks; a case of a synchronous system is a table
//! of steps. Who makes suites sees neither their text (`lang`) nor who judges by them (`oracle`).

use super::{Action, Step};
use crate::{PortId, Value};

/// Named cases over one interface.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Suite {
    /// The cases, in the order in which they are run.
    pub cases: Vec<Case>,
}

/// One test, from a reset of the system.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// Its name, which no other case of the suite has.
    pub name: String,
    /// What is done.
    pub body: Body,
}

/// What a case does.
#[derive(Clone, PartialEq, Debug)]
pub enum Body {
    /// Inputs, waits and checks, one after the other.
    Timed(Vec<Do>),
    /// Steps of a synchronous system.
    Steps(Table),
}

/// A part of a timed case.
#[derive(Clone, PartialEq, Debug)]
pub enum Do {
    /// Send an input, now.
    Send(Action),
    /// Let this much time pass, in nanoseconds.
    Wait(u64),
    /// Read ports, now.
    Check(Check),
}

/// What ports must show at an instant.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Check {
    /// What is most likely meant, for people and for measuring how often it appears.
    pub expected: Vec<(PortId, Value)>,
    /// All that is right: the ports must be as in one of these. Only `expected` is right if there is
    /// none.
    pub allowed: Vec<Vec<(PortId, Value)>>,
}

/// Steps of a synchronous system, one after the other.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    /// The time between two steps, in nanoseconds.
    pub period_ns: u64,
    /// The steps. Their outputs are what is expected; none are if there are no values.
    pub steps: Vec<Step>,
}
