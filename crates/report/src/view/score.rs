//! What a suite finds, as text tells it. These types are also what `punctual score --json` prints: names of fields are
//! a promise to scripts.

use serde::Serialize;

/// A suite against mutants.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Score {
    /// The names of the cases, in the order of the suite.
    pub cases: Vec<String>,
    /// The file of the model.
    pub model: String,
    /// The mutants.
    pub mutants: Vec<Scored>,
    /// How far clock bounds were moved, in time units of the model.
    pub offset: i32,
    /// Mutants by operator.
    pub operators: Vec<ByOperator>,
    /// The file of the suite.
    pub suite: String,
}

/// The mutants of an operator.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ByOperator {
    /// Mutants that have the traces of the model.
    pub equal: usize,
    /// Mutants that some case may fail.
    pub may: usize,
    /// Mutants that some case must fail, whatever they do.
    pub must: usize,
    /// Mutants that do only what is allowed, but not all of it: no sound suite fails them.
    pub narrower: usize,
    /// The operator.
    pub operator: String,
    /// Mutants in which time can stop.
    pub stops: usize,
    /// Mutants of which it is not known what they are.
    pub unknown: usize,
    /// Mutants that some trace tells from the model.
    pub wrong: usize,
    /// Wrong mutants that no case may fail.
    pub surviving: usize,
}

/// A mutant, what it is and what the suite says of it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Scored {
    /// The numbers of the cases that may fail it, from 1.
    pub cases: Vec<usize>,
    /// What is different.
    pub change: String,
    /// `wrong`, `narrower`, `equal`, `stops` or `unknown`.
    pub decision: String,
    /// The trace that shows what it is; nothing if there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// Its name.
    pub name: String,
    /// The operator that made it.
    pub operator: String,
    /// What the suite says of it: `must`, `may`, `can not` or `unknown`.
    pub outcome: String,
    /// The reason of an unknown decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
