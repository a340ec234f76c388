//! Tests and mutants of synchronous programs that were made, as text tells it.
//!
//! These types are also what `punctual generate --json` and `punctual mutate --json` print: names of
//! fields are a promise to scripts.

use serde::Serialize;

/// Random tests that were written.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct RandomTests {
    /// Tests that end early, because nothing that was drawn was allowed.
    pub cut: usize,
    /// The main node.
    pub model: String,
    /// Where random numbers started: the same seed gives the same tests.
    pub seed: u64,
    /// Steps of all tests together.
    pub steps: usize,
    /// How many tests were made when the user wanted no more; none if all were made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_after: Option<usize>,
    /// Tests that were written.
    pub tests: usize,
}

/// Covering tests that were written, and what they cover.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Coverage {
    /// The most steps that a test may have.
    pub bound: usize,
    /// `branch`, `condition` or `MC/DC`.
    pub criterion: String,
    /// The main node.
    pub model: String,
    /// What was to be covered.
    pub obligations: Vec<Obligation>,
    /// Where random numbers started.
    pub seed: u64,
    /// Steps of all tests together.
    pub steps: usize,
    /// Tests that were written.
    pub tests: usize,
}

/// A condition that is to have an outcome in some step.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Obligation {
    /// Beyond the bound: no test of so many steps covers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<usize>,
    /// The condition.
    pub condition: String,
    /// The variable in whose equation it is.
    pub equation: String,
    /// Infeasible: by induction over so many steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub induction: Option<usize>,
    /// The outcome.
    pub outcome: bool,
    /// Undecided: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What is known.
    pub status: Status,
    /// Covered: by the test with this number, from zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<usize>,
}

/// What is known of an obligation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A test covers it.
    Covered,
    /// No run covers it, however long.
    Infeasible,
    /// No run of as many steps as were allowed covers it.
    Beyond,
    /// Nothing is known.
    #[default]
    Undecided,
}

/// Mutants that were written.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Mutants {
    /// The main node.
    pub model: String,
    /// The mutants, in the order of their files.
    pub mutants: Vec<Mutant>,
    /// Where random numbers started: the same seed gives the same mutants.
    pub seed: u64,
}

/// A program with one fault.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Mutant {
    /// The class of the fault.
    pub class: String,
    /// The variable in whose equation it is.
    pub equation: String,
    /// The name of its file, without what is behind the dot.
    pub id: String,
    /// What stands there now.
    pub new: String,
    /// What stood there.
    pub old: String,
}

/// A suite of timed cases that was written, and what it covers.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct TimedSuite {
    /// Cases that were written.
    pub cases: usize,
    /// The locations and edges of the model that all cases together cover, asked for or not.
    pub covered: Covered,
    /// What was to be covered.
    pub criteria: Vec<String>,
    /// How long all cases take, without resets, in nanoseconds.
    pub duration_ns: u64,
    /// What was to be covered, piece by piece.
    pub goals: Vec<Goal>,
    /// Inputs of all cases together.
    pub inputs: usize,
    /// The states that were to be reached.
    pub purposes: Vec<Goal>,
    /// Cases that replaced others to make the suite more diverse.
    pub replaced: usize,
    /// Where random numbers started: the same seed gives the same suite.
    pub seed: u64,
    /// The mean similarity of all pairs of cases, after the search for diverse ones.
    pub similarity_after: f64,
    /// The mean similarity of all pairs of cases, when the suite had its size.
    pub similarity_before: f64,
    /// Steps of the model in all cases together.
    pub steps: usize,
    /// The files of test code, if such were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_code: Option<TestCode>,
    /// Cases that may end otherwise than expected.
    pub uncertain: usize,
}

/// How much of a model is covered.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Covered {
    /// The edges of all processes.
    pub edges: Count,
    /// The locations of all processes.
    pub locations: Count,
}

/// How many of how many.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Count {
    /// How many are covered.
    pub covered: usize,
    /// How many there are.
    pub of: usize,
}

/// Files of test code that were written.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct TestCode {
    /// The files, one for each case.
    pub files: Vec<TestFile>,
    /// The folder that they are in.
    pub folder: String,
}

/// A file of test code.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct TestFile {
    /// What its run covers.
    pub covered: Covered,
    /// Its name.
    pub file: String,
    /// Steps of its run.
    pub steps: usize,
}

/// Something that was to be covered.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Goal {
    /// Covered: by the case with this number, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case: Option<usize>,
    /// What it is.
    pub goal: String,
    /// Undecided: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What is known.
    pub status: Status,
}
