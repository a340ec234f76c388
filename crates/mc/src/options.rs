//! How to search, and how to watch a search.

use std::sync::Arc;
use std::time::Duration;

use punctual_semantics::budget::Budget;

/// How to search.
#[derive(Clone, Debug)]
pub struct Options {
    /// The order in which states are explored.
    pub order: Order,
    /// How zones are made coarser so that there are finitely many.
    pub extrapolation: Extrapolation,
    /// Whether zones of one discrete state are kept apart.
    pub approximation: Approximation,
    /// Which trace is wanted.
    pub trace: TraceKind,
    /// How many threads; the answer does not depend on it.
    pub threads: usize,
    /// What the search may use. It is looked at also while the successors of one state are computed.
    pub budget: Arc<Budget>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            order: Order::default(),
            extrapolation: Extrapolation::default(),
            approximation: Approximation::default(),
            trace: TraceKind::default(),
            threads: 1,
            budget: Arc::default(),
        }
    }
}

/// The order in which states are explored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Order {
    /// Breadth first: finds shortest traces.
    #[default]
    BreadthFirst,
    /// What seems nearest to the goal first. For `E<>` and `A[]`; other queries are searched breadth
    /// first instead.
    Guided,
    /// Depth first.
    DepthFirst,
    /// Random walks, in turns with random depth first. For `E<>` and `A[]`; other queries are searched
    /// random depth first at once.
    RandomWalk {
        /// Where the random numbers start.
        seed: u64,
    },
    /// Depth first, successors in random order.
    RandomDepthFirst {
        /// Where the random numbers start.
        seed: u64,
    },
}

/// How zones are made coarser.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Extrapolation {
    /// What is coarsest and sound for the query and the model.
    #[default]
    Automatic,
    /// One constant per clock and location, for both directions.
    Maximum,
    /// Not at all. The search may not end.
    None,
}

/// Whether zones of one discrete state are kept apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Approximation {
    /// Yes: the answer is exact.
    #[default]
    Exact,
    /// They are united to their convex hull: less memory, and the answer may be a `maybe`.
    ConvexHull,
}

/// Which trace is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum TraceKind {
    /// No trace is made.
    None,
    /// Whichever is found first.
    #[default]
    Any,
    /// One with the fewest transitions.
    Shortest,
    /// One that takes the least time.
    Fastest,
}

/// What a running search says about itself.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Progress {
    /// Symbolic states that are stored.
    pub stored: u64,
    /// Symbolic states whose successors were computed.
    pub explored: u64,
    /// Successors that were computed.
    pub transitions: u64,
    /// States whose successors are not computed yet.
    pub waiting: u64,
    /// Bytes the search holds.
    pub memory: u64,
    /// Time since the search began.
    pub elapsed: Duration,
}

/// Watches a search. The clock is handed in here: the search itself reads none.
pub trait Observer {
    /// The time since the search began.
    fn elapsed(&mut self) -> Duration;
    /// Called every few thousand states; `false` stops the search.
    fn progress(&mut self, progress: &Progress) -> bool;
}

/// Watches nothing and never stops.
impl Observer for () {
    fn elapsed(&mut self) -> Duration {
        Duration::ZERO
    }

    fn progress(&mut self, _: &Progress) -> bool {
        true
    }
}
