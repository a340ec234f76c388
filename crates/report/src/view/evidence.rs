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
    /// What of the model was exercised; none if nobody asked for it.
    pub objectives: Option<Objectives>,
    /// When steps were taken, if the platform does not tell of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cadence: Option<Cadence>,
}

/// What of a model was exercised.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Objectives {
    /// The kind of objectives: `branch`, `condition` or `MC/DC`.
    pub criterion: String,
    /// How many were surely exercised.
    pub surely: usize,
    /// How many were probably exercised, and not surely.
    pub probably: usize,
    /// How many were not.
    pub not: usize,
    /// All of them, in the order of the equations of the model.
    pub all: Vec<Objective>,
}

/// Something that a test is to show in one of its steps.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Objective {
    /// The equation that it is about.
    pub equation: String,
    /// The condition that it is about, as Lustre text.
    pub condition: String,
    /// The value that the condition is to have.
    pub outcome: bool,
    /// The probability that some run had it.
    pub probability: f64,
    /// What that means: `surely`, `probably` or `not`.
    pub exercised: &'static str,
    /// The cases that may have had it, the likeliest first.
    pub by: Vec<By>,
}

/// A case that may have exercised an objective.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct By {
    /// The case.
    pub case: String,
    /// The likeliest of its steps, from 0.
    pub step: usize,
    /// The probability that some run of the case had it.
    pub probability: f64,
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
