//! Why a run did not pass, in terms of its model.
//!
//! Times of a model are texts, so that they stay exact: whole numbers (`12`), decimals (`12.5`) or
//! fractions (`37/3`), in time units of the model since the start of the run.

use serde::{Deserialize, Serialize};

/// What was seen, what would have been right, and what the model says to that.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Diagnosis {
    /// What kind of fault it is.
    pub kind: Kind,
    /// What was seen: `weakCoffee`, `level(7)`, or words such as `nothing`.
    pub seen: String,
    /// When, in model time.
    pub at: String,
    /// What would have been allowed instead, and when.
    #[serde(default)]
    pub allowed: Vec<Allowed>,
    /// The last states in which the model still agreed with the system.
    #[serde(default)]
    pub states: Vec<State>,
    /// The edges and invariants of the specification that would have allowed it, and why not.
    #[serde(default)]
    pub cut_off: Vec<CutOff>,
    /// One paragraph for people.
    #[serde(default)]
    pub explanation: String,
}

/// What kind of fault a run ended with.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The output was right, but is allowed only later.
    TooEarly,
    /// The output was right, but was allowed only earlier.
    TooLate,
    /// An output was due and did not come.
    Missing,
    /// This output is not allowed now, nor soon.
    WrongOutput,
    /// The output is allowed, but not with these values.
    WrongValue,
    /// The system sent what its interface does not have.
    UnknownOutput,
    /// The system ended, or closed its connection.
    Crash,
    /// The system stopped answering.
    Hang,
    /// The tester could not deliver in time.
    TesterLate,
    /// What happened lies outside of what the environment model foresees.
    OutsideEnvironment,
    /// The model can not go on: a deadlock, or a fault in its code.
    ModelError,
    /// Anything else; also what a later version of the tool writes.
    #[default]
    #[serde(other)]
    Other,
}

/// An output (or input) that would have been allowed, and when. Bounds are in model time.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Allowed {
    /// Its signal.
    pub signal: String,
    /// The values it must carry; `None` if any do.
    pub values: Option<Vec<i32>>,
    /// From when on.
    pub from: String,
    /// Until when; `None` if for ever.
    pub to: Option<String>,
    /// Whether the first instant is itself excluded.
    #[serde(default)]
    pub from_open: bool,
    /// Whether the last instant is itself excluded.
    #[serde(default)]
    pub to_open: bool,
}

/// A state of the specification, as far as it is known: its clocks within constraints.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// The locations: `Machine.Weak`.
    pub locations: Vec<String>,
    /// The variables and their values.
    #[serde(default)]
    pub variables: Vec<(String, String)>,
    /// What is known of the clocks: `x <= 30`.
    #[serde(default)]
    pub clocks: Vec<String>,
}

/// A piece of the specification that forbids what was seen.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CutOff {
    /// The process.
    pub process: String,
    /// The location that the edge leaves.
    pub source: String,
    /// The location it leads to; empty where waiting in `source` is what is forbidden.
    #[serde(default)]
    pub target: String,
    /// The labels of the edge: `weakCoffee!`.
    #[serde(default)]
    pub label: String,
    /// What forbids it: `guard x >= 10`, `invariant x <= 30`.
    pub why: String,
}
