//! What is to be done with a system, and what is expected of it.
//!
//! A timed [`Case`] is a sequence of inputs, waits and checks; a case of a synchronous system is a table
//! of steps. Who makes suites sees neither their text (`lang`) nor who judges by them (`oracle`).

use super::{Action, Step};
use crate::{PortId, Value};

/// Named cases over one interface.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Suite {
    /// The file of the model that the cases were made of, as the suite names it; none if it names no model.
    pub model: Option<String>,
    /// The file that says what is exchanged with the system, as the suite names it; none if it names none.
    pub interface: Option<String>,
    /// The tester waits a random time below this before the first step of each case, in nanoseconds; none if it does not wait.
    pub phase_ns: Option<u64>,
    /// The period of the one loop of the system that ends all windows which are as long, in nanoseconds; none if the
    /// probabilities were computed with independent windows.
    pub loop_ns: Option<u64>,
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
    /// Where it comes from.
    pub about: About,
    /// How often it should show what it expects; none if it is run once and judged by that.
    pub chance: Option<Chance>,
}

impl Case {
    /// How long a timed case waits, in nanoseconds.
    #[must_use]
    pub fn duration_ns(&self) -> u64 {
        let Body::Timed(parts) = &self.body else { return 0 };
        let waits = parts.iter().filter_map(|part| match part {
            Do::Wait(ns) => Some(*ns),
            _ => None,
        });
        waits.fold(0, u64::saturating_add)
    }
}

/// Where a case comes from, for people and reports; nothing if somebody wrote it by hand.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct About {
    /// The path through the model that the case exercises, a step each.
    pub path: Vec<String>,
    /// The locations of the system that the path ends in: `Error3.Qualified`.
    pub ends_in: Vec<String>,
    /// True when the model allows something else than what the case expects.
    pub is_uncertain: bool,
}

/// How often a case should show what it expects, when it is repeated.
#[derive(Clone, PartialEq, Debug)]
pub struct Chance {
    /// The probability that all checks before the ending show what they expect.
    pub outputs: Probability,
    /// The last part of the case, which proves where the case has ended.
    pub ending: Option<Ending>,
    /// Why there is no ending, or why a probability is not exact; empty if there is nothing to say.
    pub note: String,
    /// How many random delays of the case were drawn independently, if there are several: where one loop of the system ends
    /// them, the probabilities are wrong. 0 if that can not be so.
    pub independent: usize,
}

/// The last part of a case: what it expects is only seen from one location.
#[derive(Clone, PartialEq, Debug)]
pub struct Ending {
    /// The number of the part of the case that is its first.
    pub from: usize,
    /// The location: `Error3.Qualified`.
    pub proves: String,
    /// The probability that all checks of the case and of the ending show what they expect.
    pub joint: Probability,
}

/// A probability as a model has it.
#[derive(Clone, PartialEq, Debug)]
pub struct Probability {
    /// It is at least this.
    pub least: f64,
    /// It is at most this; the same if it is exact.
    pub greatest: f64,
    /// The exact number as a fraction, `117/1700`; none if it was sampled.
    pub exact: Option<String>,
}

impl Probability {
    /// The middle of what it may be.
    #[must_use]
    pub fn middle(&self) -> f64 {
        f64::midpoint(self.least, self.greatest)
    }
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
    /// An output should come; what follows does not wait for it.
    Expect(Expect),
}

/// An output that should come.
#[derive(Clone, PartialEq, Debug)]
pub struct Expect {
    /// The output, with its values.
    pub action: Action,
    /// The earliest instant at which it may come, in nanoseconds after the present of the case.
    pub from_ns: u64,
    /// The latest instant at which it may come, in nanoseconds after the present of the case.
    pub to_ns: u64,
    /// The requirement that it is about, if the model names one.
    pub requirement: Option<String>,
}

/// What ports must show at an instant.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Check {
    /// What is most likely meant, for people and for measuring how often it appears.
    pub expected: Vec<(PortId, Value)>,
    /// All that is right: the ports must be as in one of these. Only `expected` is right if there is
    /// none.
    pub allowed: Vec<Vec<(PortId, Value)>>,
    /// The requirement that it is about, if the model names one.
    pub requirement: Option<String>,
}

/// Steps of a synchronous system, one after the other.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    /// The time between two steps, in nanoseconds.
    pub period_ns: u64,
    /// The steps. Their outputs are what is expected; none are if there are no values.
    pub steps: Vec<Step>,
}
