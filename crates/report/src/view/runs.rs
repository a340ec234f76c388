//! Runs, as `--json` of `test`, `replay`, `judge`, `steer` and `report` prints them: a promise to scripts.
//!
//! `steer` prints one [`Run`] on each line, the others one [`Runs`]. All keys are always there; what is
//! not known is `null`, an empty text or an empty list. Within a version of the format, keys are
//! added, never renamed or removed.

use punctual_campaign::store::{Changed, Clock, Diagnosis, Ending, File, Statistics};
use serde::Serialize;
use serde_json::Value;

/// The version of the format.
pub const VERSION: u32 = 2;

/// Many runs, the worst first.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Runs {
    /// The version of the format, [`VERSION`].
    pub report: u32,
    /// The worst verdict: `pass`, `fail`, or `inconclusive` (also if a run has no verdict); empty
    /// without runs.
    pub verdict: &'static str,
    /// All of them together.
    pub totals: Totals,
    /// What all runs of one model exercised together; `null` if they are of several models.
    pub coverage: Option<Coverage>,
    /// What steering changed in all runs; `null` if no steered model judged them.
    pub steering: Option<Steering>,
    /// Whether the user ended it before all runs were made.
    pub stopped: bool,
    /// Why no further runs could be made; `null` if nothing was in the way.
    pub trouble: Option<String>,
    /// A failure with as few inputs as possible, if one was looked for.
    pub shrunk: Option<Shrunk>,
    /// Suites that were repeated, judged by all their runs; left out without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repeated: Vec<super::repeated::Repeated>,
    /// What happened on a platform; left out without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<super::evidence::Evidence>,
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
    /// Steps of synchronous systems in all runs.
    pub steps: u64,
    /// The time of all runs, by their clocks.
    pub duration_ns: u64,
}

/// A run.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Run {
    /// Its name in its store, or the name of the trace; empty if it was not recorded.
    pub name: String,
    /// Its folder; empty if it was not recorded.
    pub path: String,
    /// `pass`, `fail`, `inconclusive`, or `unfinished`.
    pub verdict: &'static str,
    /// The verdict that the record has, where it was judged again.
    pub recorded: Option<&'static str>,
    /// Why it is not a pass, as a word: `too_early`, `crash`, `stopped`, …
    pub cause: Option<&'static str>,
    /// What happened, in one line.
    pub headline: String,
    /// The command that repeats it; empty if it was not recorded.
    pub replay: String,
    /// The case of a suite that it is; empty if it is none.
    pub case: String,
    /// What people say of the case, if they said something.
    pub label: Option<String>,
    /// The seed of its random choices.
    pub seed: u64,
    /// Its number among the runs with this seed.
    pub run: u64,
    /// The model.
    pub model: File,
    /// Which clock it used; `null` if nobody knows.
    pub clock: Option<Clock>,
    /// How long one time unit of the model takes.
    pub unit_ns: u64,
    /// When it began (RFC 3339); empty if nobody said.
    pub started: String,
    /// How long it was, by its clock.
    pub duration_ns: u64,
    /// Inputs that were sent.
    pub inputs: u64,
    /// Outputs that were seen.
    pub outputs: u64,
    /// Steps of a synchronous system.
    pub steps: u64,
    /// Readings of ports.
    pub readings: u64,
    /// Whether the last line of the record was cut off.
    pub is_cut: bool,
    /// Why it was over early: the system broke down, or the user ended it.
    pub ending: Option<Ending>,
    /// By how much the tester looked too late at the worst, if that matters.
    pub late_ns: Option<u64>,
    /// Why it did not pass.
    pub diagnosis: Option<Diagnosis>,
    /// Single steps and checks that are not a pass: the first hundred.
    pub judged: Vec<Judged>,
    /// How many single steps and checks are not a pass.
    pub n_judged: u64,
    /// What steering changed; `null` if it changed nothing.
    pub steering: Option<Steering>,
    /// What it took.
    pub statistics: Option<Statistics>,
    /// How much of the specification it exercised.
    pub coverage: Option<Coverage>,
}

/// A single step or check that is not a pass.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Judged {
    /// The number of the step, check or output, from 0.
    pub number: u64,
    /// What it is: `check`, `step` or `output`; empty if the record does not say.
    pub kind: String,
    /// `fail` or `inconclusive`.
    pub verdict: &'static str,
    /// When it happened.
    pub at_ns: u64,
    /// Why it is not a pass.
    pub reason: String,
}

/// What steering changed.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Steering {
    /// Steps in which an input of the model was changed.
    pub steered: u64,
    /// Steps whose outputs still differ.
    pub unexplained: u64,
    /// What was changed, by name.
    pub variables: Vec<Variable>,
    /// The steps, one by one; empty where only their number is known (`report`).
    pub steps: Vec<Steered>,
    /// The tests of each system; empty where it is about one run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub systems: Vec<SteeredSystem>,
}

/// The tests of one system that a steered model judged.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct SteeredSystem {
    /// Its name; empty if there is only one.
    pub system: String,
    /// How many tests there are.
    pub tests: u64,
    /// Tests that pass without a change.
    pub as_is: u64,
    /// Tests that pass because inputs of the model were changed.
    pub by_changes: u64,
    /// Tests that fail.
    pub failed: u64,
    /// Tests of which nothing can be said.
    pub inconclusive: u64,
    /// What was changed in tests that pass, or could have been.
    pub variables: Vec<UsedVariable>,
    /// What of it is systematic, the most certain first.
    pub systematic: Vec<SystematicChange>,
}

/// How the tests of a system that pass used a variable.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct UsedVariable {
    /// Its name.
    pub name: String,
    /// In how many tests it was changed.
    pub tests: u64,
    /// In how many tests a change of it could show, or was made.
    pub shows: u64,
    /// In how many steps it was changed.
    pub steps: u64,
    /// Numbers: the least change; `null` of others.
    pub least: Option<f64>,
    /// Numbers: the middle change, each step counted; `null` of others.
    pub median: Option<f64>,
    /// Numbers: the greatest change; `null` of others.
    pub greatest: Option<f64>,
    /// Which share of its tolerance the largest change takes; `null` if that has no bound, or none that is known.
    pub share: Option<f64>,
    /// Truth and enumerations: the values before and after.
    pub pairs: Vec<Pair>,
}

/// Changes of a variable that are systematic.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct SystematicChange {
    /// The variable.
    pub variable: String,
    /// What is systematic: `often`, or `one-sided`.
    pub what: &'static str,
    /// With which probability a right system is explained by the change, as was stated; `null` if nobody did.
    pub expected: Option<f64>,
    /// A system that is explained so as often as that (as one half, if nobody stated it), or in both directions alike, shows as much with this
    /// probability at most.
    pub at_most: f64,
    /// Whether that makes all tests together fail: it contradicts what was stated.
    pub fails: bool,
    /// The same as a sentence.
    pub words: String,
}

/// How often an input was changed, and by how much.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// In how many steps.
    pub n: u64,
    /// Numbers: what was added, to three digits, in ascending order.
    pub amounts: Vec<Amount>,
    /// Truth and enumerations: the values before and after.
    pub pairs: Vec<Pair>,
}

/// A change of a number.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Amount {
    /// What was added.
    pub by: f64,
    /// In how many steps.
    pub n: u64,
}

/// A change of truth or of a member of an enumeration.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Pair {
    /// The value of the test.
    pub from: String,
    /// The value that explains the system.
    pub to: String,
    /// In how many steps.
    pub n: u64,
}

/// A step that the model was steered in, or that is not explained.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Steered {
    /// The number of the step, from 0.
    pub step: u64,
    /// Inputs of the model that were changed.
    pub changes: Vec<Changed>,
    /// Outputs that still differ: `from` is the model's value, `to` the system's.
    pub differences: Vec<Changed>,
}

/// A failure with as few inputs as possible.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Shrunk {
    /// What is done before each reset of the system; empty if it is not reset.
    pub earlier: Vec<Part>,
    /// What is sent then, in order.
    pub inputs: Vec<Sent>,
    /// When the run ends.
    pub end_ns: u64,
    /// How many runs it took to find it.
    pub attempts: u64,
    /// Why it fails.
    pub diagnosis: Option<Diagnosis>,
    /// The folder of its record, which is also a script; left out if nothing was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// What is done before a reset. Time begins anew with each reset.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Part {
    /// What is sent, in order.
    pub inputs: Vec<Sent>,
    /// When the system is reset.
    pub end_ns: u64,
}

/// An input at an instant.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Sent {
    /// When.
    pub at_ns: u64,
    /// The name of the signal; `step` or `set` for ports.
    pub input: String,
    /// The values that go with it.
    pub values: Vec<Value>,
}

/// How much of a specification was exercised.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Coverage {
    /// Edges that were taken.
    pub edges_taken: usize,
    /// All edges.
    pub edges: usize,
    /// Locations that were visited.
    pub locations_visited: usize,
    /// All locations.
    pub locations: usize,
    /// The edges of the system alone.
    pub system: Share,
    /// The edges of the environment alone.
    pub environment: Share,
    /// Pairs of a definition of a variable and a use of it.
    pub uses: Share,
    /// The edges that were not taken, by name.
    pub never_taken: Vec<String>,
    /// The edges whose guard is never true, by name: nobody can take them.
    pub impossible: Vec<String>,
    /// The pairs that were not used, by name.
    pub never_used: Vec<String>,
}

/// How many of some things were exercised.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Share {
    /// The number of those that were exercised.
    pub taken: usize,
    /// The number of all.
    pub of: usize,
}

/// A run that can not be read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Unreadable {
    /// Its name in its store.
    pub name: String,
    /// Why.
    pub why: String,
}
