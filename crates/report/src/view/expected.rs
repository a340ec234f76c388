//! What is to be expected of a suite on a platform, before anything runs.

use serde::Serialize;

/// A suite.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Expected {
    /// How many steps its cases have.
    pub steps: usize,
    /// How many of them happen as intended in one run of each case, on average.
    pub in_one_run: f64,
    /// The time of one run of each case, in hours of the platform.
    pub hours_once: f64,
    /// The time until each step has happened as intended, as good as certainly, in hours; null if some never does.
    pub hours: Option<f64>,
    /// The cases.
    pub cases: Vec<Case>,
    /// The variables that are set and may be late or early, the most expensive first.
    pub costs: Vec<Cost>,
}

/// A case.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// For each step, the probability that one run has it as intended.
    pub steps: Vec<f64>,
    /// Runs until each step has happened as intended, as good as certainly; null if one never does.
    pub tries: Option<f64>,
}

/// A variable.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Cost {
    /// Its name outside.
    pub name: String,
    /// How many steps are lost by it in one run of each case.
    pub steps: f64,
}
