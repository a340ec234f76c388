//! What comes of a statistical query.

use std::time::Duration;

use punctual_model::ChannelId;
use punctual_semantics::Move;
use punctual_semantics::budget::Spent;
use punctual_semantics::stochastic::{Problem, State};

use crate::statistics::{Decision, Interval, OutOfRange};

/// An answer, and what it took.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The answer.
    pub answer: Answer,
    /// Why it ended before there were enough runs; none if there were.
    pub spent: Option<Spent>,
    /// Runs that count.
    pub runs: u64,
    /// Transitions of these runs.
    pub transitions: u64,
    /// The time it took.
    pub elapsed: Duration,
}

/// What is said.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// How likely it is.
    Probability(Probability),
    /// Whether it is as likely as claimed.
    Hypothesis(Hypothesis),
    /// Whether the one is as likely as the other.
    Comparison(Hypothesis),
    /// How large something is on average.
    Expectation(Expectation),
    /// What happened in some runs.
    Trajectories(Trajectories),
    /// A run that the model does not allow to go on.
    Error(Box<RunError>),
}

/// An estimate of a probability.
#[derive(Clone, PartialEq, Debug)]
pub struct Probability {
    /// Where it lies.
    pub interval: Interval,
    /// How many runs fulfil the formula.
    pub satisfied: u64,
    /// Where each of them did, as the bound counts: times, steps or costs.
    pub places: Vec<f64>,
    /// What the interval is worth.
    pub guarantee: String,
}

/// The decision of a test.
#[derive(Clone, PartialEq, Debug)]
pub struct Hypothesis {
    /// The decision; undecided only if stopped.
    pub decision: Decision,
    /// How many runs fulfil the formula: those of the left side, those of the right one (if any).
    pub satisfied: [u64; 2],
    /// What the decision is worth.
    pub guarantee: String,
}

/// An estimate of a mean.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    /// The mean, if there was a run.
    pub mean: Option<f64>,
    /// Where the true one lies, if there were two.
    pub interval: Option<Interval>,
    /// The smallest and the largest value.
    pub range: Option<[f64; 2]>,
    /// What the interval is worth.
    pub guarantee: String,
}

/// Runs that were recorded.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Trajectories {
    /// For each run that counts: its number, and for each expression its values.
    pub runs: Vec<Trajectory>,
    /// For each expression, whether it only changes in steps.
    pub steps: Vec<bool>,
}

/// A run that was recorded.
#[derive(Clone, PartialEq, Debug)]
pub struct Trajectory {
    /// Its number.
    pub run: u64,
    /// For each expression, places (as the bound counts) and values.
    pub values: Vec<Vec<(f64, f64)>>,
}

/// A run that can not go on.
#[derive(Clone, PartialEq, Debug)]
pub struct RunError {
    /// Its number: with the same seed it happens again.
    pub run: u64,
    /// The error that ended the run.
    pub problem: Problem,
    /// The state before the steps that are told.
    pub start: State,
    /// The last steps before it.
    pub steps: Vec<Step>,
    /// How many steps there were before those.
    pub omitted: u64,
    /// Where it stopped.
    pub state: State,
}

/// A transition of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// When it happened.
    pub time: f64,
    /// Who moved.
    pub moves: Vec<Move>,
    /// The channel on which they did; none if they moved alone.
    pub channel: Option<ChannelId>,
    /// The state after it.
    pub state: State,
}

/// Why a query can not be answered.
#[derive(Clone, PartialEq, Debug)]
pub enum Refusal {
    /// It is none of chance.
    NotStatistical,
    /// The model has something that runs can not have.
    Model(punctual_semantics::symbolic::Refusal),
    /// A parameter makes no sense.
    Parameter(OutOfRange),
}

impl From<OutOfRange> for Refusal {
    fn from(error: OutOfRange) -> Self {
        Refusal::Parameter(error)
    }
}
