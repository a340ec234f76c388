//! Which requirement is checked where in a suite, and what came of it in runs of its cases.

/// The requirements of a suite.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Matrix {
    /// The file of the suite, without folders.
    pub suite: String,
    /// How long one time unit of the model takes.
    pub unit_ns: u64,
    /// The requirements, by name; what names none comes last.
    pub requirements: Vec<Requirement>,
}

/// A requirement, in all cases that check it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Requirement {
    /// Its name; empty for checks that name none.
    pub name: String,
    /// The runs of cases that check it, in the order of the suite. A case that was not run is there once.
    pub rows: Vec<Row>,
}

/// A run of a case that checks a requirement.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Row {
    /// The name of the case.
    pub case: String,
    /// The run, by its name in its store and by what leads to its page; none if the case was not run.
    pub run: Option<(String, Option<String>)>,
    /// The checks about the requirement.
    pub checks: Vec<Check>,
}

/// A check, or an output that is expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// Which it is: `check 0` or `output 2`, counted from 0 in its case.
    pub name: String,
    /// The instant of the case at which it stands.
    pub at_ns: u64,
    /// What came of it.
    pub result: Outcome,
    /// Why it did not pass; empty if it did, or nobody knows.
    pub reason: String,
}

/// What came of a check.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outcome {
    /// It was as it has to be.
    Passed,
    /// It showed what is allowed and not expected, or nothing could be said.
    Inconclusive,
    /// It showed what is not allowed.
    Failed,
    /// The run was over before, or the case was not run.
    NotReached,
    /// The record does not tell.
    NotKnown,
}

impl Outcome {
    /// All of them, in the order of columns.
    pub const ALL: [Outcome; 5] = [
        Outcome::Passed,
        Outcome::Failed,
        Outcome::Inconclusive,
        Outcome::NotReached,
        Outcome::NotKnown,
    ];

    /// Its word for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Inconclusive => "inconclusive",
            Outcome::Failed => "failed",
            Outcome::NotReached => "not reached",
            Outcome::NotKnown => "not known",
        }
    }
}
