//! What a strategy knows, and what it may decide.

use punctual_model::{Action, EdgeId, Event, PortId, ProcessId, Reading, TimeScale, Value};
use punctual_semantics::estimate::Stand;

/// An input that the environment may send and the system is specified to accept.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    /// The input, with its values.
    pub action: Action,
    /// The first point of the grid at which it may be sent.
    pub from: i64,
    /// The last point of the grid at which it may be sent; the horizon if there is no last one.
    pub to: i64,
    /// Whether `to` is an end of the window, and not only of what can be seen.
    pub ends: bool,
    /// The edges of the model that it may lead through: those of the environment and, for strategies that look
    /// ahead, those of the system.
    pub leads: Vec<Lead>,
}

/// An edge that an input leads through, if it is sent at some points of the grid.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Lead {
    /// The process of the edge.
    pub process: ProcessId,
    /// The edge.
    pub edge: EdgeId,
    /// The first point of the grid at which the input leads through the edge.
    pub from: i64,
    /// The last point of the grid at which it does; the horizon if there is no last one.
    pub to: i64,
}

/// How often an edge was taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    /// Observations that some explanation leads through the edge; others may not.
    pub times: u64,
    /// Observations in the first, second and last third of the window in which the edge was possible.
    pub thirds: [u64; 3],
}

/// Tells what a test has covered so far.
pub trait Covered {
    /// How often an edge was taken.
    fn seen(&self, process: ProcessId, edge: EdgeId) -> Seen;
}

/// Where a test stands.
pub struct Situation<'s> {
    /// The first point of the grid that is not over.
    pub now: i64,
    /// What may be sent. Each can still be sent now or later.
    pub candidates: &'s [Candidate],
    /// The last point at which the environment need not have done anything; none if not before the
    /// horizon.
    pub deadline: Option<i64>,
    /// The point of the grid up to which candidates and deadline were looked for.
    pub horizon: i64,
    /// Tells which edges of the model were taken so far.
    pub covered: &'s dyn Covered,
    /// The present, in nanoseconds since the start.
    pub now_ns: u64,
    /// How points of the grid become nanoseconds.
    pub scale: TimeScale,
    /// Where the parts of the model may stand now, by their numbers in the specification; nothing unless the strategy
    /// asks where they stand.
    pub stands: &'s [(usize, Vec<Stand>)],
    /// Whether time stands still while a strategy decides, as on the virtual clock.
    pub is_still: bool,
}

/// What to do next. An output that comes before ends the plan; the strategy is then asked again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Send a candidate at a point of the grid.
    Send {
        /// The position of the input among the candidates.
        candidate: usize,
        /// The point of the grid at which it is sent.
        at: i64,
    },
    /// Send something that need not be a candidate.
    SendAnyway {
        /// The input.
        action: Action,
        /// The instant at which it is sent, in nanoseconds since the start.
        at_ns: u64,
    },
    /// Set input ports without a step.
    Set {
        /// The ports with their values.
        ports: Reading,
        /// The instant at which they are set, in nanoseconds since the start.
        at_ns: u64,
    },
    /// Let the system take a step with these values of its input ports, in their order.
    Step {
        /// The values, one for each input port.
        inputs: Vec<Value>,
        /// The instant of the step, in nanoseconds since the start.
        at_ns: u64,
    },
    /// Read ports of the system.
    Read {
        /// The ports that are read.
        ports: Vec<PortId>,
        /// The instant of the reading, in nanoseconds since the start.
        at_ns: u64,
    },
    /// Wait until a point of the grid.
    Wait {
        /// The point of the grid at which the waiting is over.
        until: i64,
    },
    /// Reset the system and start anew, at an instant that may be over.
    Restart {
        /// The instant of the reset, in nanoseconds since the start.
        at_ns: u64,
    },
    /// End the run at an instant, in nanoseconds since the start.
    End {
        /// The instant of the end, in nanoseconds since the start.
        at_ns: u64,
    },
}

/// Decides what a tester does next.
pub trait Strategy {
    /// What to do in a situation.
    fn decide(&mut self, situation: &Situation<'_>) -> Decision;

    /// Whether it wants to know which edges of the system an input leads to, which takes time.
    fn looks_ahead(&self) -> bool {
        false
    }

    /// Whether it wants to know where the model may stand, which takes time.
    fn asks_where(&self) -> bool {
        false
    }

    /// What was decided last was done, and not overtaken by an output.
    fn sent(&mut self) {}

    /// Something happened. Each event is told once, before the next decision.
    fn heard(&mut self, event: &Event) {
        let _ = event;
    }
}

impl Situation<'_> {
    /// The first nanosecond that is not before a point of the grid.
    #[must_use]
    pub fn ns(&self, point: i64) -> u64 {
        let ns = u128::from(point.max(0).unsigned_abs()) * u128::from(self.scale.unit_ns);
        u64::try_from(ns.div_ceil(u128::from(self.scale.resolution))).unwrap_or(u64::MAX)
    }

    /// The last point up to which it is known that one may wait.
    #[must_use]
    pub fn patience(&self) -> i64 {
        self.deadline.map_or(self.horizon, |deadline| deadline.min(self.horizon)).max(self.now)
    }

    /// The points of a candidate that one may wait for.
    #[must_use]
    pub fn window(&self, candidate: &Candidate) -> (i64, i64) {
        let from = candidate.from.max(self.now);
        (from, candidate.to.min(self.patience()).max(from))
    }
}
