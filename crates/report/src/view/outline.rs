//! What is in a model, as text tells it.
//!
//! These types are also what `--json` prints: names of fields are a promise to scripts.

use serde::Serialize;

/// A model at a glance.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Outline {
    /// The file.
    pub file: String,
    /// Its format.
    pub format: String,
    /// How much there is of everything.
    pub totals: Totals,
    /// The processes.
    pub processes: Vec<Process>,
    /// The clocks.
    pub clocks: Vec<Clock>,
    /// The variables.
    pub variables: Vec<Variable>,
    /// The channels.
    pub channels: Vec<Channel>,
    /// Synchronisations of several processes, where there are no channels.
    pub sync_vectors: Vec<String>,
    /// The functions that something calls.
    pub functions: Vec<String>,
    /// The queries.
    pub queries: Vec<Query>,
    /// What keeps an analysis from using the model.
    pub obstacles: Vec<Obstacle>,
    /// Whether symbolic answers are over-approximations: a clock may stand still.
    pub stopwatches: bool,
}

/// How much there is.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Totals {
    pub templates: usize,
    pub processes: usize,
    pub locations: usize,
    pub edges: usize,
    pub clocks: usize,
    pub variables: usize,
    pub channels: usize,
    pub functions: usize,
    pub queries: usize,
    /// Integers of the state, elements of arrays counted.
    pub integers: usize,
    /// Doubles of the state.
    pub doubles: usize,
}

/// A process.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// Its template.
    pub template: String,
    /// How many locations it has.
    pub locations: usize,
    /// How many edges it has.
    pub edges: usize,
    /// Its priority.
    pub priority: i32,
    /// Its content, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
}

/// The content of a process.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Detail {
    /// Its locations.
    pub locations: Vec<Location>,
    /// Its edges.
    pub edges: Vec<Edge>,
}

/// A location; what is not said is empty.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Location {
    /// Its name.
    pub name: String,
    /// Whether the process may start here.
    pub initial: bool,
    /// `normal`, `urgent` or `committed`.
    pub kind: String,
    /// Its invariant with its clock rates.
    pub invariant: String,
    /// Its exponential rate.
    pub rate: String,
    /// Its labels.
    pub labels: Vec<String>,
}

/// An edge; what is not said is empty.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Edge {
    /// The name of the location it leaves.
    pub source: String,
    /// Selected values.
    pub select: String,
    /// Its guard.
    pub guard: String,
    /// Its synchronisation.
    pub sync: String,
    /// Its update.
    pub update: String,
    /// Where it leads.
    pub branches: Vec<Branch>,
}

/// Where an edge leads.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Branch {
    /// The name of the location it enters.
    pub target: String,
    /// Its weight, if it is one of several.
    pub weight: String,
    /// Its own update.
    pub update: String,
}

/// A clock.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Clock {
    /// Its name.
    pub name: String,
    /// Whether symbolic analysis leaves it out.
    pub hybrid: bool,
    /// Its value at the start.
    pub initial: f64,
}

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// How many numbers it holds.
    pub size: usize,
    /// Whether it is no part of the state.
    pub meta: bool,
    /// Its value at the start; the first few of an array.
    pub initial: String,
}

/// A channel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// One sender, any number of receivers.
    pub broadcast: bool,
    /// Used as soon as possible.
    pub urgent: bool,
    /// Its priority.
    pub priority: i32,
}

/// A query.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Query {
    /// Its text.
    pub text: String,
    /// What its author says about it.
    pub comment: String,
    /// What is wrong with it, if anything.
    pub problem: Option<String>,
}

/// What keeps an analysis from using the model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Obstacle {
    /// `symbolic` or `statistical`.
    pub analysis: String,
    /// What it can not treat.
    pub construct: String,
    /// Where that is.
    pub place: String,
}
