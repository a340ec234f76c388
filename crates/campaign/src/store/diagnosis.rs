//! Why a run did not pass, in terms of its model.
//!
//! Times of a model are texts, so that they stay exact: whole numbers (`12`), decimals (`12.5`) or
//! fractions (`37/3`), in time units of the model since the start of the run.

use punctual_model::Cause;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What was seen, what would have been right, and what the model says to that.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Diagnosis {
    /// The cause, from the list that all oracles share.
    #[serde(with = "super::words::cause", default = "super::words::other")]
    pub kind: Cause,
    /// What was seen: `weakCoffee`, `level(7)`, or words such as `nothing`.
    pub seen: String,
    /// When, in model time.
    pub at: String,
    /// The signals that are to blame: those that had to come if one is missing, or else the one that was seen. Empty
    /// if it is no signal, or nobody knows.
    #[serde(default)]
    pub guilty: Vec<String>,
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

impl Default for Diagnosis {
    fn default() -> Diagnosis {
        Diagnosis {
            kind: Cause::Other,
            seen: String::new(),
            at: String::new(),
            guilty: Vec::new(),
            allowed: Vec::new(),
            states: Vec::new(),
            cut_off: Vec::new(),
            explanation: String::new(),
        }
    }
}

/// An output (or input) that would have been allowed, and when. Bounds are in model time.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Allowed {
    /// Its signal; for readings, the ports with their values (`qc = 3`).
    pub signal: String,
    /// The values it must carry; `None` if any do.
    pub values: Option<Vec<Value>>,
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
