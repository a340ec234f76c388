//! Timed runs through a model.

use punctual_model::{ChannelId, LocationId};
use punctual_semantics::{Move, Rational};

/// A run: an exact concrete one where there is one, else the path alone.
///
/// It starts in `start`; each step waits for its delay in the state before it and then moves; at
/// the end `rest` passes.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// The first state, before time passes.
    pub start: State,
    /// The steps.
    pub steps: Vec<Step>,
    /// How long the last state lasts until what was asked for is seen.
    pub rest: Option<Rational>,
    /// How the run ends.
    pub ending: Ending,
}

/// A step of a run: a delay and then a transition.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// How long it waits; none if no delays are known (stopwatches).
    pub delay: Option<Rational>,
    /// Who moves, in the order of the updates: the sender first.
    pub moves: Vec<Move>,
    /// The channel on which they synchronise, indices resolved; none if it is internal or a vector of
    /// events.
    pub channel: Option<ChannelId>,
    /// The state after the transition, before time passes.
    pub state: State,
}

/// A state of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// The location of each process.
    pub locations: Vec<LocationId>,
    /// The integer variables, as they lie in `Network::initial`.
    pub ints: Vec<i32>,
    /// The value of each clock; empty if no values are known.
    pub clocks: Vec<Rational>,
}

/// How a run ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// In the state that was asked for.
    Goal,
    /// In a state from where nothing more can happen.
    Deadlock,
    /// In a state where time passes for ever.
    Divergence,
    /// It goes back to the state after this many steps, for ever.
    Cycle {
        /// How many steps come before the cycle.
        from: usize,
    },
}
