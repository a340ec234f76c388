//! Statistical queries, asked with so many runs that a wrong answer shows.

use punctual_model::{Network, Property};
use punctual_smc::{self as smc, statistics::Decision};

use crate::ask::Said;

/// Runs of estimates, and the risk that an interval is wrong.
const RUNS: u64 = 20_000;
const ALPHA: f64 = 0.001;

/// What runs say, and how many transitions they had.
pub(crate) fn estimated(
    network: &Network,
    property: &Property,
    threads: usize,
    observer: &mut dyn smc::Observer,
) -> (Said, u64) {
    let counted = matches!(property, Property::Probability { .. } | Property::Expectation { .. });
    let runs = counted.then_some(RUNS);
    let options = smc::Options { threads, alpha: ALPHA, runs, ..smc::Options::default() };
    let outcome = match smc::check(network, property, &options, observer) {
        Ok(outcome) => outcome,
        Err(smc::Refusal::Model(refusal)) => {
            return (Said::NoRuns(refusal.construct.to_owned()), 0);
        }
        Err(refusal) => return (Said::Crashed(format!("{refusal:?}")), 0),
    };
    let said = match &outcome.answer {
        smc::Answer::Error(error) => Said::ModelError(error.problem.kind.to_string()),
        _ if outcome.spent.is_some() => Said::OutOfTime,
        smc::Answer::Probability(it) => Said::Between(it.interval.low, it.interval.high),
        smc::Answer::Expectation(it) => match it.interval {
            Some(interval) => Said::Between(interval.low, interval.high),
            None => Said::Crashed("no interval".to_owned()),
        },
        smc::Answer::Hypothesis(it) | smc::Answer::Comparison(it) => match it.decision {
            Decision::Holds => Said::Satisfied,
            Decision::Fails => Said::NotSatisfied,
            Decision::Undecided => Said::OutOfTime,
        },
        smc::Answer::Trajectories(it) => Said::Recorded(it.runs.len()),
    };
    (said, outcome.transitions)
}
