//! What is in a synchronous program, as text tells it.
//!
//! These types are also what `--json` prints: names of fields are a promise to scripts.

use serde::Serialize;

/// A program at a glance.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Program {
    /// The file.
    pub file: String,
    /// Its format.
    pub format: String,
    /// The main node.
    pub node: String,
    /// How much there is of everything.
    pub totals: Totals,
    /// What the environment gives.
    pub inputs: Vec<Variable>,
    /// What the program gives.
    pub outputs: Vec<Variable>,
    /// What nobody says: results of imported nodes and functions. With some, it can not be run.
    pub free: Vec<Variable>,
    /// What is remembered from step to step.
    pub memory: Vec<Variable>,
    /// The enumerations.
    pub enumerations: Vec<Enumeration>,
    /// What is claimed to hold always.
    pub properties: Vec<String>,
}

/// How much there is.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Totals {
    pub inputs: usize,
    pub outputs: usize,
    pub locals: usize,
    pub equations: usize,
    pub expressions: usize,
    pub memory: usize,
    pub assertions: usize,
    pub properties: usize,
}

/// A scalar.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its least and greatest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<(i64, i64)>,
}

/// An enumeration.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Enumeration {
    /// Its name.
    pub name: String,
    /// Its values, in order.
    pub values: Vec<String>,
}
