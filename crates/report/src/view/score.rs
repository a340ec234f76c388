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
    /// The runs that confirm it, if mutants were played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub played: Option<Played>,
    /// How far it came before the user stopped it; missing if it was not stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// The file of the suite.
    pub suite: String,
}

/// How many mutants were looked at before the user stopped it, in the order of the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Stopped {
    /// Mutants of which it was decided what they are.
    pub decided: usize,
    /// Mutants of which all cases said something.
    pub scored: usize,
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
    /// The runs of it, if mutants were played: one entry for each case that may reach what is different.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plays: Option<Vec<Plays>>,
    /// The reason of an unknown decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What playing the mutants has shown.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Played {
    /// Mutants and cases that can not fail.
    #[serde(rename = "can not")]
    pub cannot: Confirmed,
    /// Runs that can not be, by what is said of the mutant and the case.
    pub contradictions: Vec<Contradiction>,
    /// Mutants and cases that may fail.
    pub may: Confirmed,
    /// Mutants and cases that must fail.
    pub must: Confirmed,
    /// Mutants and cases that were not played: the user stopped it, the case is a table of steps, or the mutant can
    /// not be followed.
    pub open: usize,
    /// Runs by chance of each mutant and case, beside the earliest and the latest one.
    pub random: u64,
    /// The seed of the first run by chance.
    pub seed: u64,
    /// Mutants and cases of which nobody knows.
    pub unknown: Confirmed,
    /// Mutants and cases that were not played, since the case can not reach what is different.
    pub unreached: usize,
}

/// Mutants and cases of which the same is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Confirmed {
    /// Runs that failed.
    pub failed: u64,
    /// How many mutants and cases failed in every run that did not get stuck, and in one at least.
    pub failed_always: usize,
    /// How many mutants and cases failed in some run.
    pub failed_once: usize,
    /// How many mutants and cases were played.
    pub pairs: usize,
    /// Runs that did not fail.
    pub passed: u64,
    /// Runs in which the mutant refused an input or stopped time: they say nothing.
    pub stuck: u64,
}

/// A run that can not be.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Contradiction {
    /// The name of the case.
    pub case: String,
    /// The name of the mutant.
    pub mutant: String,
    /// What is said of both: `must` (and the run did not fail) or `can not` (and it did).
    pub outcome: String,
    /// When the mutant acted: `earliest`, `latest` or `random, seed 3`.
    pub policy: String,
}

/// Runs of a mutant by a case.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Plays {
    /// The number of the case, from 1.
    pub case: usize,
    /// Runs that failed.
    pub failed: u64,
    /// What is said of the mutant and the case.
    pub outcome: String,
    /// Runs that did not fail.
    pub passed: u64,
    /// Runs in which the mutant refused an input or stopped time.
    pub stuck: u64,
}
