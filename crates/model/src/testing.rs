//! The vocabulary of tests: what can be exchanged with a system, and what was.
//!
//! An [`Interface`] says which channels of a network are seen from outside, and how time is told.
//! A [`Trace`] is what was seen: [`Event`]s with the instants between which they happened, by the
//! tester's clock. Everything after a trace can be computed from it again.
//!
//! Not here: how a system is reached (`exec`), what a trace means (`oracle`).

use crate::{ChannelId, IdVec, SignalId};

/// How a system under test is touched.
#[derive(Clone, PartialEq, Debug)]
pub struct Interface {
    /// What is exchanged. An array of channels gives one signal for each element.
    pub signals: IdVec<SignalId, Signal>,
    /// How time is told.
    pub time: TimeScale,
    /// How exactly instants are known.
    pub uncertainty: Uncertainty,
}

/// An observable channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signal {
    /// Its name, that of the channel: `coin`, `stop[3]`.
    pub name: String,
    /// Who sends it.
    pub direction: Direction,
    /// The channel.
    pub channel: ChannelId,
    /// The variables whose values, after the synchronisation, go with it.
    pub values: Vec<Carried>,
}

/// A variable whose value goes with a signal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Carried {
    /// Its name.
    pub name: String,
    /// Its slot among the integers of the state.
    pub slot: u32,
    /// The values it may have.
    pub range: crate::Range,
}

/// Who sends a signal, seen from the system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// The environment (or the tester in its place).
    Input,
    /// The system.
    Output,
}

/// How nanoseconds of a clock become time of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeScale {
    /// How long one time unit of the model takes.
    pub unit_ns: u64,
    /// How many points of the grid there are in one unit. Instants are known to a point, or to lie
    /// between two.
    pub resolution: u32,
}

/// How late (or early) instants may be known, in nanoseconds.
///
/// An input that is handed over between two instants of the tester's clock reaches the system
/// `input` later; an output was sent `output` before it arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Uncertainty {
    /// The least and greatest delay of an input.
    pub input_ns: (u64, u64),
    /// The least and greatest delay of an output.
    pub output_ns: (u64, u64),
}

/// A signal with its values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Action {
    /// What is sent.
    pub signal: SignalId,
    /// The values that go with it, as many as the signal has.
    pub values: Vec<i32>,
}

/// Something that happened, between two instants of the tester's clock. They are equal where the
/// clock is read once, as for outputs and on a virtual clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// What happened.
    pub action: Action,
    /// The earliest instant, in nanoseconds since the start of the run.
    pub from_ns: u64,
    /// The latest.
    pub to_ns: u64,
}

/// What was seen of a system since it was started or reset.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// What happened, in the order in which it was seen.
    pub events: Vec<Event>,
    /// Until when the system was watched.
    pub end_ns: u64,
}

impl Interface {
    /// The signal with this name.
    #[must_use]
    pub fn signal(&self, name: &str) -> Option<SignalId> {
        self.signals.enumerate().find(|(_, signal)| signal.name == name).map(|(id, _)| id)
    }
}
