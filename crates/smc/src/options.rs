//! How to estimate, and how to watch it.

use std::sync::Arc;
use std::time::Duration;

use punctual_semantics::budget::Budget;

use crate::statistics::{ALPHA, EPSILON, Method};

/// How to estimate.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the random numbers start. Answers depend on it and on nothing else.
    pub seed: u64,
    /// How many threads; the answer does not depend on it.
    pub threads: usize,
    /// How probabilities are estimated.
    pub method: Method,
    /// The risk of a wrong interval, and of rejecting a hypothesis that holds.
    pub alpha: f64,
    /// The risk of accepting a hypothesis that does not hold.
    pub beta: f64,
    /// How far a probability may be from its estimate.
    pub epsilon: f64,
    /// How far a probability may be from the threshold of a hypothesis for either answer to be fine.
    pub delta: f64,
    /// Between these ratios of two probabilities (as odds) either answer to a comparison is fine.
    pub ratios: [f64; 2],
    /// How many runs; what the query or the estimator says if none.
    pub runs: Option<u64>,
    /// What the estimation may use. It is looked at after each step of a run.
    pub budget: Arc<Budget>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 1,
            threads: 1,
            method: Method::default(),
            alpha: ALPHA,
            beta: ALPHA,
            epsilon: EPSILON,
            delta: 0.01,
            ratios: [0.9, 1.1],
            runs: None,
            budget: Arc::default(),
        }
    }
}

/// What an estimation says about itself.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Progress {
    /// Runs that count.
    pub runs: u64,
    /// Those that fulfil the formula.
    pub satisfied: u64,
    /// The most runs there will be, if that is known.
    pub most: Option<u64>,
    /// Transitions of all runs.
    pub transitions: u64,
}

/// Watches an estimation. The clock is handed in here.
pub trait Observer {
    /// The time since it began.
    fn elapsed(&mut self) -> Duration;
    /// Called after every few runs; `false` stops it.
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
