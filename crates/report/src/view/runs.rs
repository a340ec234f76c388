//! Runs, as `--json` prints them: a promise to scripts.

use punctual_campaign::store::{Clock, Diagnosis, File, Statistics};
use serde::Serialize;

/// Many runs, the worst first.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Runs {
    /// The version of this format.
    pub report: u32,
    /// All of them together.
    pub totals: Totals,
    /// The runs.
    pub runs: Vec<Run>,
    /// Runs that can not be read.
    pub unreadable: Vec<Unreadable>,
}

/// All runs together.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Totals {
    /// Runs that passed.
    pub passed: usize,
    /// Runs that failed.
    pub failed: usize,
    /// Runs of which nothing can be said.
    pub inconclusive: usize,
    /// Runs without a verdict.
    pub unfinished: usize,
    /// Runs that can not be read.
    pub unreadable: usize,
    /// Inputs of all runs.
    pub inputs: u64,
    /// Outputs of all runs.
    pub outputs: u64,
    /// The time of all runs, by their clocks.
    pub duration_ns: u64,
}

/// A run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Run {
    /// Its name in its store.
    pub name: String,
    /// Its folder.
    pub path: String,
    /// `pass`, `fail`, `inconclusive`, or `unfinished`.
    pub verdict: &'static str,
    /// What happened, in one line.
    pub headline: String,
    /// The command that repeats it.
    pub replay: String,
    /// The seed of its random choices.
    pub seed: u64,
    /// Its number among the runs with this seed.
    pub run: u64,
    /// The model.
    pub model: File,
    /// Which clock it used.
    pub clock: Clock,
    /// How long one time unit of the model takes.
    pub unit_ns: u64,
    /// When it began.
    pub started: String,
    /// How long it was, by its clock.
    pub duration_ns: u64,
    /// Inputs in the record.
    pub inputs: u64,
    /// Outputs in the record.
    pub outputs: u64,
    /// Whether the last line of the record was cut off.
    pub is_cut: bool,
    /// Why it did not pass.
    pub diagnosis: Option<Diagnosis>,
    /// What it took.
    pub statistics: Option<Statistics>,
    /// How much of the specification it exercised.
    pub coverage: Option<Coverage>,
}

/// How much of a specification was exercised.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Coverage {
    /// Edges that were taken.
    pub edges_taken: usize,
    /// All edges.
    pub edges: usize,
    /// Locations that were visited.
    pub locations_visited: usize,
    /// All locations.
    pub locations: usize,
}

/// A run that can not be read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Unreadable {
    /// Its name in its store.
    pub name: String,
    /// Why.
    pub why: String,
}
