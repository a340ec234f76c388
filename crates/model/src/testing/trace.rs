//! What was seen of a system.

use crate::{PortId, SignalId, Value};

/// A signal with its values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Action {
    /// The signal that is sent.
    pub signal: SignalId,
    /// The values that go with it, as many as the signal has.
    pub values: Vec<Value>,
}

/// Values of some ports at one instant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reading {
    /// The ports and their values, in the order of the ports.
    pub values: Vec<(PortId, Value)>,
}

/// A step of a synchronous system: all of its inputs and outputs, at one instant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Step {
    /// The values of the input ports, in the order of the ports.
    pub inputs: Vec<Value>,
    /// The values of the output ports, in the order of the ports.
    pub outputs: Vec<Value>,
}

/// Something that happens between a system and its tester.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Happening {
    /// A signal was exchanged; the interface says who sent it.
    Signal(Action),
    /// The tester set input ports, without a step.
    Set(Reading),
    /// The system took a step.
    Step(Step),
    /// The tester read ports.
    Reading(Reading),
}

/// Something that happened, between two instants of the tester's clock. They are equal where the
/// clock is read once, as for outputs and on a virtual clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// What happened.
    pub what: Happening,
    /// The earliest instant, in nanoseconds since the start of the run.
    pub from_ns: u64,
    /// The latest instant, in nanoseconds since the start of the run.
    pub to_ns: u64,
    /// When it happened by the system's own clock, if the system says so.
    pub device_ns: Option<u64>,
}

/// What was seen of a system since it was started or reset.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// What happened, in the order in which it was seen.
    pub events: Vec<Event>,
    /// Until when the system was watched.
    pub end_ns: u64,
}

impl Event {
    /// A signal that was exchanged between two instants.
    #[must_use]
    pub fn signal(action: Action, from_ns: u64, to_ns: u64) -> Event {
        Event { what: Happening::Signal(action), from_ns, to_ns, device_ns: None }
    }

    /// Something that happened at an instant.
    #[must_use]
    pub fn at(what: Happening, at_ns: u64) -> Event {
        Event { what, from_ns: at_ns, to_ns: at_ns, device_ns: None }
    }

    /// The signal that was exchanged, if it is one.
    #[must_use]
    pub fn action(&self) -> Option<&Action> {
        match &self.what {
            Happening::Signal(action) => Some(action),
            _ => None,
        }
    }
}
