//! Cases that were repeated, as text tells them.
//!
//! These types are also what `punctual test --json` prints for a suite with probabilities: names of fields are a promise to scripts.

use serde::Serialize;

/// A suite that was repeated.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Repeated {
    /// The cases, in the order of the suite.
    pub cases: Vec<Case>,
    /// Executions of all cases.
    pub executions: u64,
    /// What a verdict is worth, in a sentence.
    pub guarantee: String,
    /// Whether the user ended it.
    pub stopped: bool,
    /// Why no further executions could be made; nothing if they could.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// `pass`, `fail` or `inconclusive`.
    pub verdict: String,
}

/// A case that was repeated.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Case {
    /// Outcomes that depend on each other; nothing if none was noticed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dependence: Option<String>,
    /// Executions that count.
    pub executions: u64,
    /// Its name.
    pub name: String,
    /// How many executions a right system takes on average.
    pub planned: f64,
    /// Why, a sentence for each sequence.
    pub reasons: Vec<String>,
    /// What it is judged by: its outputs, and those with its ending.
    pub sequences: Vec<Sequence>,
    /// `pass`, `fail` or `inconclusive`.
    pub verdict: String,
}

/// One of the things that a case is judged by.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Sequence {
    /// The model's probability: at least, and at most.
    pub expected: [f64; 2],
    /// Executions that count.
    pub executions: u64,
    /// Where the system's probability lies (95 %, by Wilson's score); nothing without executions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<[f64; 2]>,
    /// Executions in which what is expected was seen.
    pub seen: u64,
}
