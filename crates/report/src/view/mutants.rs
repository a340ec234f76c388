//! Mutants of a network of timed automata, as text tells it.
//!
//! These types are also what `punctual mutate --json` prints for such a model: names of fields are a promise
//! to scripts.

use serde::Serialize;

/// All mutants that were made.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Mutants {
    /// How many mutants each operator that was asked for made.
    pub counts: Vec<Count>,
    /// The file of the model.
    pub model: String,
    /// The mutants, in the order of their operators, processes and places.
    pub mutants: Vec<Mutant>,
    /// How far clock bounds were moved, in time units of the model.
    pub offset: i32,
    /// How many mutants were decided when the user stopped it; nothing if nobody did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_after: Option<usize>,
}

/// How many mutants an operator made.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Count {
    /// Mutants with a fault in the environment; zero if the environment was left alone.
    pub environment: usize,
    /// The operator.
    pub operator: String,
    /// Mutants with a fault in the system under test.
    pub system: usize,
}

/// A network with one fault.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Mutant {
    /// What is different: `x >= 3100 becomes x >= 3200`.
    pub change: String,
    /// `wrong`, `narrower`, `equal`, `stops` or `unknown`; nothing if nobody asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The trace that shows what it is; nothing if there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// The name of its file, without what is behind the dot. No other mutant of the model has it.
    pub name: String,
    /// The operator that made it.
    pub operator: String,
    /// The location or the edge that has the fault: `Waiting`, or `e2: Waiting → Gone`, where edges
    /// of a process are counted from zero.
    pub place: String,
    /// The process that has the fault.
    pub process: String,
    /// `system` or `environment`: the side of the process.
    pub side: String,
}
