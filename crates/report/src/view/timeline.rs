//! What was sent and seen on a platform: monitored and controlled variables over time, and when their values reached the
//! software or left it.
//!
//! When exactly that was is not known, since delays vary: there are windows. [`Lane::window`] says which.

use super::evidence::Objectives;
use super::matrix::Outcome;

/// A run on a platform. Instants count from the start of the run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Timeline {
    /// How delays were minded, in a sentence.
    pub manner: String,
    /// The probability that a value is earlier than its window; that it is later is as probable.
    pub risk: f64,
    /// A step counts as one that happened as intended from this probability on.
    pub sure: f64,
    /// How long the software takes on average from reading its inputs to the end of a step, in nanoseconds.
    pub software_ns: f64,
    /// Until when the system was watched, in nanoseconds.
    pub end_ns: u64,
    /// The steps that the software told of, in their order.
    pub steps: Vec<Step>,
    /// Monitored variables, then controlled ones.
    pub lanes: Vec<Lane>,
    /// What of the model this run exercised; none if nobody asked for it, or nobody knows.
    pub objectives: Option<Objectives>,
}

/// A step of the software.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// When it was done, in nanoseconds.
    pub at_ns: u64,
    /// Its number since the last reset, from 0.
    pub number: usize,
    /// The number of the interaction that it is, from 0; none before the first one, or before a reset.
    pub interaction: Option<usize>,
    /// True behind the last interaction of the case: inputs are held.
    pub is_behind: bool,
    /// What is said of it.
    pub result: Outcome,
    /// Why it did not pass; empty if it did.
    pub reason: String,
    /// The probability that it happened as the case intends; none if nobody says.
    pub exercised: Option<f64>,
}

/// A variable outside.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lane {
    /// Its name.
    pub name: String,
    /// True if the tester sets it, false if the tester sees it.
    pub is_monitored: bool,
    /// What leads from it to the software, or from there to it.
    pub lines: Vec<Line>,
    /// The values that it was set to or seen to have, in the order of instants.
    pub marks: Vec<Mark>,
    /// When the device told that a value has reached the software, in nanoseconds; empty if it does not.
    pub arrived_ns: Vec<u64>,
}

/// A way between a variable outside and one of the software. Delays are in nanoseconds.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Line {
    /// The variable of the software.
    pub variable: String,
    /// How long a value takes at least.
    pub low_ns: f64,
    /// How long a value takes on average.
    pub mean_ns: f64,
    /// How long a value takes at most.
    pub high_ns: f64,
}

/// A value outside.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Mark {
    /// When it was set or seen, in nanoseconds.
    pub at_ns: u64,
    /// The value.
    pub value: String,
    /// When the same value was set or seen again, before any other, in nanoseconds.
    pub again_ns: Vec<u64>,
}

impl Lane {
    /// When a value that was set outside at an instant reaches the software, or when one that was seen was written: at the earliest, on
    /// average, at the latest, in nanoseconds.
    #[must_use]
    pub fn window(&self, line: &Line, at_ns: u64) -> [f64; 3] {
        let at = at_ns as f64;
        match self.is_monitored {
            true => [at + line.low_ns, at + line.mean_ns, at + line.high_ns],
            false => [at - line.high_ns, at - line.mean_ns, at - line.low_ns],
        }
    }
}
