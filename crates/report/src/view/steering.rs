//! Tests that a steered model judged, as `punctual steer --json` prints them, one on each line.

use serde::Serialize;
use serde_json::Value;

/// A test of a recorded trace.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Test {
    /// The name of the trace, without `sut_` before it.
    pub system: String,
    /// The number of the test, from 0.
    pub test: usize,
    /// The verdict without steering: `pass`, `fail` or `inconclusive`.
    pub before: &'static str,
    /// The verdict with steering.
    pub after: &'static str,
    /// The first step that differs without steering.
    pub first_mismatch: Option<usize>,
    /// How many steps differ without steering.
    pub mismatches: usize,
    /// In how many steps inputs were changed.
    pub steered_steps: u32,
    /// What the changes cost, by the policy.
    pub cost: Value,
    /// The sum of all changes, in units.
    pub change: Value,
    /// The dissimilarity that is left.
    pub remaining: Value,
    /// The steps that were steered or are not explained.
    pub steps: Vec<Step>,
    /// The step that is not explained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_step: Option<usize>,
    /// Why it is not, as a word from the list that all oracles share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<&'static str>,
    /// Why it is not, as a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Properties of the model that do not hold in what explains the system.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violated: Vec<Violated>,
    /// How many steps have no sample of the system.
    #[serde(skip_serializing_if = "is_none")]
    pub lost: usize,
    /// How many samples of the system belong to no step.
    #[serde(skip_serializing_if = "is_none")]
    pub extra: usize,
    /// What people say of the test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<&'static str>,
    /// The verdict of the filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<&'static str>,
    /// Whether `[limits]` left candidates out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bounded: bool,
}

/// Whether there are none.
fn is_none(n: &usize) -> bool {
    *n == 0
}

/// A property of the model that does not hold.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Violated {
    /// Its name.
    pub property: String,
    /// The first step in which it does not hold, from 0.
    pub step: usize,
}

/// A step that was steered, or is not explained.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Step {
    /// Its number, from 0.
    pub step: usize,
    /// The dissimilarity without steering this step.
    pub before: Option<Value>,
    /// The dissimilarity in the end.
    pub after: Value,
    /// The inputs that were changed.
    pub changes: Vec<Change>,
}

/// An input that was changed.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Change {
    /// Its name.
    pub variable: String,
    /// The value of the test.
    pub from: Value,
    /// The value that explains the system.
    pub to: Value,
}

/// The last line: what all tests come to together.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct All {
    /// The verdict: the worst of all tests, or a fail if changes are systematic although that was stated to be rare.
    pub verdict: &'static str,
    /// The tests of each system.
    pub systems: Vec<super::runs::SteeredSystem>,
    /// What else is to be said.
    pub warnings: Vec<String>,
}
