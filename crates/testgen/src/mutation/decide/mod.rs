//! What a mutant is: wrong, narrower, equal, or nobody knows.
//!
//! A mutant is *wrong* if some trace of it shows an output, a reading or a silence that the specification forbids,
//! while its environment behaves. It is *narrower* if it shows only what is allowed, but not all of it: how often something
//! happens may tell, a single run can not. It is *equal* if it is neither. In all three cases the search has seen
//! everything; where a limit ended it, the mutant is *unknown*.
//!
//! Only the component of the mutated process can differ. Mutant and specification are followed side by side, as the
//! sets of states that explain what a tester has seen, together with the components of the environment that send
//! to it. A tester acts at instants at which something can change: where a window opens or closes, or a clock
//! reaches a constant, just before and just behind, and as soon as the environment may. Windows themselves are compared
//! at all instants up to the one at which the environment has to send something.
//!
//! `DIFFERENCE(tauc)`: the paper removes equivalent mutants by hand, and takes narrower ones for equivalent.
//!
//! - `bench.rs`: a component, its environment and its interface, ready for many mutants.
//! - `joint.rs`: both sides and the environment, followed together.
//! - `search.rs`: all that a tester can do.
//! - `outcome.rs`: what a case of a suite says of a mutant; `sending.rs`: of one that sends outputs.
//! - `reach.rs`: whether a case can reach what a mutant changed.
//!
//! **Invariant:** a trace that shows a difference can be run: it has whole instants of the doubled grid.
//! **Absent:** components whose clocks are set at instants that later constraints compare with each other are searched
//! at critical instants only; if nothing is found there, they are unknown.

mod bench;
mod joint;
mod outcome;
mod reach;
mod search;
mod sending;

use punctual_model::{PortId, SignalId};

pub use bench::{Bench, Refusal};
pub use outcome::Outcome;
pub use reach::Reached;
pub use search::Limits;

/// Why a mutant is unknown that nobody had the time to decide about.
pub const STOPPED: &str = "the user stopped it";

/// What a mutant is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// A trace shows what is forbidden, if all of its inputs were taken.
    Wrong(Evidence),
    /// Nothing that is forbidden is ever shown; the trace is one of the specification that the mutant does not have.
    Narrower(Evidence),
    /// The mutant has the traces of the specification.
    Equal,
    /// Time can not pass any more after a trace of the mutant.
    Stops(Evidence),
    /// A search was ended before it had seen everything, for this reason.
    Unknown(&'static str),
}

impl Decision {
    /// Its word in lists: `wrong`, `narrower`, `equal`, `stops`, `unknown`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Decision::Wrong(_) => "wrong",
            Decision::Narrower(_) => "narrower",
            Decision::Equal => "equal",
            Decision::Stops(_) => "stops",
            Decision::Unknown(_) => "unknown",
        }
    }

    /// The same in a network that is so many times as slow.
    pub(super) fn in_units_of(mut self, unit: i64) -> Decision {
        if let Decision::Wrong(evidence)
        | Decision::Narrower(evidence)
        | Decision::Stops(evidence) = &mut self
        {
            evidence.steps.iter_mut().for_each(|step| step.at *= unit);
        }
        self
    }

    /// The trace that shows it, if there is one.
    #[must_use]
    pub fn evidence(&self) -> Option<&Evidence> {
        match self {
            Decision::Wrong(evidence)
            | Decision::Narrower(evidence)
            | Decision::Stops(evidence) => Some(evidence),
            Decision::Equal | Decision::Unknown(_) => None,
        }
    }
}

/// A trace that shows a difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// What was done and seen, in the order of time; the last one is what only one of the two shows.
    pub steps: Vec<Step>,
}

/// Something that was done or seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// When, in half points of the grid since the start.
    pub at: i64,
    /// What.
    pub what: Seen,
}

/// What a tester does or sees.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    /// It sends an input, with these values.
    Input(SignalId, Vec<i32>),
    /// An output comes, with these values.
    Output(SignalId, Vec<i32>),
    /// It reads ports.
    Reading(Vec<(PortId, i32)>),
    /// Nothing has come up to here.
    Silence,
}
