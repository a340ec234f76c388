//! What happened on a platform, over all runs of a suite.

use serde::Serialize;

/// How much of a suite happened as it intends, and how its inputs were explained.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Evidence {
    /// How many steps the cases have that were run.
    pub steps: usize,
    /// How many of them happened as intended, with a probability of `sure` or more.
    pub exercised: usize,
    /// That probability.
    pub sure: f64,
    /// The cases.
    pub cases: Vec<Case>,
    /// The inputs whose values were open when they were read.
    pub excuses: Vec<Excuse>,
    /// When steps were taken, if the platform does not tell of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cadence: Option<Cadence>,
}

/// When steps were taken that nobody told of, in the run in which that is known least exactly. All are in milliseconds, and deviations.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Cadence {
    /// From one step to the next.
    pub period_ms: f64,
    /// How exactly that is known.
    pub period_deviation_ms: f64,
    /// How exactly the instants of steps are known.
    pub phase_deviation_ms: f64,
    /// By how much single steps come early or late, at most.
    pub jitter_ms: f64,
}

/// A case.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// How often it was run.
    pub runs: u64,
    /// For each step, the probability that at least one run had it as intended.
    pub steps: Vec<f64>,
}

/// How an input was explained.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Excuse {
    /// The input.
    pub input: String,
    /// How often it was read while its value was open.
    pub reads: f64,
    /// How often it was not what it should have been.
    pub missed: f64,
    /// How often that should be by the delays.
    pub predicted: f64,
    /// A right system shows as much with this probability at most, for this input alone.
    pub at_most: f64,
    /// Whether that is too often.
    pub worn: bool,
}
