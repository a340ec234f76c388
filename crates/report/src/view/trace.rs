//! A timed run through a model, as text tells it.
//!
//! These types are also what `--json` prints: names of fields are a promise to scripts. A field
//! that does not apply is left out.

use serde::{Serialize, Serializer};

/// A run: it starts somewhere, makes steps, and ends in some way.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Trace {
    /// The first state, before time passes.
    pub start: State,
    /// The steps.
    pub steps: Vec<Step>,
    /// How long the last state lasts until what was asked for is seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<Number>,
    /// How long the whole run takes; left out if no delays are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<Number>,
    /// How it ends.
    pub ending: Ending,
}

/// A step: time passes, then processes move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Step {
    /// How long the state before it lasts; left out if no delays are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Number>,
    /// When it happens, counted from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Number>,
    /// Who moves; the sender first.
    pub moves: Vec<Move>,
    /// The variables that change.
    pub changes: Vec<Change>,
    /// The state after it, before time passes.
    pub state: State,
}

/// A process that takes an edge.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Move {
    /// The process.
    pub process: String,
    /// Where it was.
    pub source: String,
    /// Where it goes.
    pub target: String,
    /// How it synchronises: `go[2]!`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sync: String,
    /// The values that it selects; in JSON, by name.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "selected")]
    pub selected: Vec<Selected>,
    /// The guard of its edge, with constants and parameters filled in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub guard: String,
    /// The update of its edge and branch.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub update: String,
}

/// A selected value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selected {
    /// Its name.
    pub name: String,
    /// The value.
    pub value: i32,
}

/// A variable that changes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Change {
    /// The variable: `Gate.list[0]`.
    pub variable: String,
    /// Its value before.
    pub before: Value,
    /// Its value after.
    pub after: Value,
}

/// A state.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct State {
    /// Where each process is; in JSON, by process.
    #[serde(serialize_with = "locations")]
    pub locations: Vec<Located>,
    /// The variables; elements of arrays and structures one by one. In JSON, by name.
    #[serde(serialize_with = "variables")]
    pub variables: Vec<Variable>,
    /// The clocks; empty if no values are known. In JSON, by name.
    #[serde(serialize_with = "clocks")]
    pub clocks: Vec<Clock>,
}

/// Where a process is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Located {
    /// The process.
    pub process: String,
    /// The location.
    pub location: String,
}

/// The value of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name: `Gate.list[0]`.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// The value of a clock.
#[derive(Clone, PartialEq, Debug)]
pub struct Clock {
    /// Its name: `Train(1).x`.
    pub name: String,
    /// Its value.
    pub value: Number,
}

/// An exact number.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Number {
    /// Exactly: `7/2`.
    pub exact: String,
    /// Nearly: 3.5.
    pub value: f64,
}

/// What a variable holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i32),
}

/// How a run ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// In the state that decides the query.
    Goal,
    /// In a state from where nothing more can happen.
    Deadlock,
    /// In a state where time passes for ever.
    Divergence,
    /// It goes back to the state after `from` steps, for ever.
    Cycle {
        /// How many steps come before the cycle.
        from: usize,
    },
    /// In the state where the model does something that is not allowed.
    Error,
}

fn selected<S: Serializer>(list: &[Selected], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(list.iter().map(|select| (&select.name, select.value)))
}

fn locations<S: Serializer>(list: &[Located], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(list.iter().map(|place| (&place.process, &place.location)))
}

fn variables<S: Serializer>(list: &[Variable], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(list.iter().map(|variable| (&variable.name, variable.value)))
}

fn clocks<S: Serializer>(list: &[Clock], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(list.iter().map(|clock| (&clock.name, &clock.value)))
}
