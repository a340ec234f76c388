//! What the checker says about queries, as text tells it.
//!
//! These types are also what `--json` prints: names of fields are a promise to scripts. A field
//! that does not apply is left out.

use serde::Serialize;

use super::trace::{State, Trace};

/// A query and its answer.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Answered {
    /// The query.
    pub query: String,
    /// What its author says about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// The answer.
    pub answer: Answer,
    /// Why there is no definite answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The answer that the author expects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Answer>,
    /// What the search cost; left out if there was none.
    #[serde(flatten)]
    pub cost: Option<Cost>,
    /// What runs by chance say.
    #[serde(flatten)]
    pub estimate: Option<Estimate>,
    /// The extreme values that were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Extremum>,
    /// What the model does wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Error>,
    /// How many steps the trace has, if there is one, shown or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_steps: Option<usize>,
    /// The trace, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

/// A trace in a file, with the query that it is about.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FiledTrace {
    /// The query.
    pub query: String,
    /// Its answer.
    pub answer: Answer,
    /// The run that shows why.
    pub trace: Trace,
}

/// An answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize)]
pub enum Answer {
    /// The model has the property.
    #[serde(rename = "satisfied")]
    Satisfied,
    /// The model does not have the property.
    #[serde(rename = "not satisfied")]
    NotSatisfied,
    /// An over-approximation has the property.
    #[serde(rename = "may be satisfied")]
    MaySatisfy,
    /// An over-approximation does not have the property.
    #[serde(rename = "may not be satisfied")]
    MayNotSatisfy,
    /// The search ended before the answer was found, or did not begin.
    #[serde(rename = "undecided")]
    Undecided,
    /// Values, where values were asked for.
    #[serde(rename = "values")]
    Values,
    /// Values of an over-approximation; the true ones lie within.
    #[serde(rename = "approximate values")]
    MayValues,
    /// The query is wrong, or the model does something that is not allowed.
    #[serde(rename = "error")]
    Error,
    /// Nothing that is answered here.
    #[default]
    #[serde(rename = "skipped")]
    Skipped,
}

/// What a search cost.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Cost {
    /// Symbolic states stored at the end.
    pub stored: u64,
    /// Symbolic states whose successors were computed.
    pub explored: u64,
    /// Successors that were computed.
    pub transitions: u64,
    /// How long it took.
    pub seconds: f64,
    /// Bytes held at most.
    pub peak_memory: u64,
}

/// What runs by chance say, and what they cost.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Estimate {
    /// How likely it is, as the runs say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// How large it is on average, as the runs say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Where the true value lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// The smallest and the largest value of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// What the answer is worth.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub guarantee: String,
    /// Runs that count.
    pub runs: u64,
    /// Those that do what was asked for; for a comparison, of either side.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub satisfied_runs: Vec<u64>,
    /// Transitions of these runs.
    pub transitions: u64,
    /// Where the random numbers started: the same seed gives the same answer.
    pub seed: u64,
    /// How long it took.
    pub seconds: f64,
    /// Recorded runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trajectories: Vec<Trajectory>,
    /// What they count: time, steps, or a cost.
    #[serde(skip)]
    pub axis: String,
}

/// The values of an expression in recorded runs.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Trajectory {
    /// The expression.
    pub expression: String,
    /// Whether it changes in steps only.
    pub steps: bool,
    /// For each run, times (or steps, or costs) and values.
    pub runs: Vec<Vec<(f64, f64)>>,
}

/// The least and the greatest value of an expression.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Extremum {
    /// The expression.
    pub expression: String,
    /// Whether some reachable state satisfies the condition of the query.
    pub reachable: bool,
    /// The least value, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<Limit>,
    /// The greatest value, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub greatest: Option<Limit>,
}

/// A limit of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Limit {
    /// The value; null if there is no limit.
    pub value: Option<i32>,
    /// Whether some state has the value; if not, states come as close as you like.
    pub attained: bool,
}

/// Something that the model does and that is not allowed.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Error {
    /// What happens.
    pub message: String,
    /// The edges that were being taken; empty if it happens at the start or in the query.
    pub edges: Vec<Edge>,
    /// The state before.
    pub state: State,
    /// The places in the file, drawn for people.
    #[serde(skip)]
    pub excerpt: String,
}

/// An edge in a file.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Edge {
    /// The process.
    pub process: String,
    /// Where the edge starts.
    pub source: String,
    /// Where it leads.
    pub target: String,
    /// What stands at it.
    pub text: String,
    /// The line in the file of the model, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
}
