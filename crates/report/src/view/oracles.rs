//! Cases that are repeated, as text tells them.
//!
//! These types are also what `punctual oracles --json` prints: names of fields are a promise to scripts.

use serde::Serialize;

/// Cases with their chances.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Oracles {
    /// The cases, in the order of the suite.
    pub cases: Vec<Oracle>,
    /// The file of the model.
    pub model: String,
    /// The file of the suite.
    pub suite: String,
}

/// A case with its chance.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Oracle {
    /// How many inputs and waits the ending has; 0 if there is none.
    pub ending: usize,
    /// How probable case and ending are together; nothing without an ending.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<Probability>,
    /// The name of the case.
    pub name: String,
    /// Why there is no ending, or why a probability is not exact; empty if there is nothing to say.
    pub note: String,
    /// How probable what the case expects is.
    pub probability: Probability,
    /// The location that the ending proves; nothing without an ending.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proves: Option<String>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// A probability.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Probability {
    /// The exact fraction, `1/2`; nothing if it was sampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// It is at most this.
    pub greatest: f64,
    /// It is at least this.
    pub least: f64,
}
