//! Cases that were repeated, as text tells them.
//!
//! These types are also what `punctual test --json` prints for a suite with probabilities: names of fields are a promise to scripts.

use serde::Serialize;

/// A suite that was repeated.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Repeated {
    /// What to change so that more is known; nothing if there is nothing to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// The cases, in the order of the suite.
    pub cases: Vec<Case>,
    /// Outcomes that depend on those of the executions before, whatever case these were of; nothing if none was noticed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dependence: Option<String>,
    /// Executions of all cases.
    pub executions: u64,
    /// What a verdict is worth, in a sentence.
    pub guarantee: String,
    /// The names of its runs, where they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<String>,
    /// If several cases failed: all cases are as if the system were later by so many milliseconds (earlier, if negative); nothing if
    /// no shift explains them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift_ms: Option<f64>,
    /// Whether the user ended it.
    pub stopped: bool,
    /// The file of the suite; empty if nobody said.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub suite: String,
    /// The tolerance in milliseconds; nothing if it is a probability.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance_ms: Option<f64>,
    /// Why no further executions could be made; nothing if they could.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// `pass`, `fail` or `inconclusive`.
    pub verdict: String,
}

/// A case that was repeated.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Case {
    /// How long all executions took by the waits of the case, in nanoseconds.
    #[serde(skip)]
    pub duration_ns: u64,
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
    /// It failed as if the system were later by so many milliseconds (earlier, if negative); nothing if no shift explains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift_ms: Option<f64>,
    /// `pass`, `fail` or `inconclusive`.
    pub verdict: String,
}

/// One of the things that a case is judged by.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Sequence {
    /// What is drawn; empty where nothing is.
    #[serde(skip)]
    pub evidence: Evidence,
    /// The model's probability: at least, and at most.
    pub expected: [f64; 2],
    /// Executions that count.
    pub executions: u64,
    /// Where the system's probability lies (95 %, by Wilson's score); nothing without executions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<[f64; 2]>,
    /// Executions in which what is expected was seen.
    pub seen: u64,
    /// The probabilities that the system may have, at least and at most; nothing for a rule without a tolerance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerated: Option<[f64; 2]>,
}

/// What was seen, execution by execution, and where the rule stops.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Evidence {
    /// After each execution: how many have shown what is expected.
    pub seen: Vec<u64>,
    /// After each number of executions, from 1: what the rule says.
    pub bounds: Vec<Bounds>,
}

/// Where a rule stops after a number of executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bounds {
    /// If fewer executions than this have shown what is expected, the case fails.
    pub fails_below: u64,
    /// If more executions than this have, the case fails.
    pub fails_above: u64,
    /// From the first to the second the case passes; nothing if it goes on everywhere else.
    pub passes: Option<[u64; 2]>,
}

/// What repeating a suite would take, and what it would find.
///
/// `punctual test --plan --json` prints it.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Plan {
    /// The cases, in the order of the suite.
    pub cases: Vec<Planned>,
    /// Executions of all cases of a right system, on average.
    pub executions: f64,
    /// Their bench time with resets, in hours.
    pub hours: f64,
    /// The tolerance in milliseconds; nothing if it is a probability.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance_ms: Option<f64>,
}

/// What repeating a case would take, and what it would find.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Planned {
    /// Executions of a right system, on average.
    pub executions: f64,
    /// Their bench time with resets, in hours.
    pub hours: f64,
    /// The least deviation from the model's probability that is found with probability `1 - beta`; nothing if none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_deviation: Option<f64>,
    /// The least shift in time that is found so, in milliseconds: later, or earlier if negative. Nothing if none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_shift_ms: Option<f64>,
    /// Its name.
    pub name: String,
    /// Why shifts in time can not be computed; nothing if they can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// For the case, and for the case with its ending: the probabilities that the system may have, at least and at most.
    pub tolerated: Vec<[f64; 2]>,
}
