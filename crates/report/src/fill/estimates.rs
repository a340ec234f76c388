//! From what runs by chance say to the view of it, and to pictures.

use punctual_lang::convert::Printer;
use punctual_model::{Network, Property, RunBound, StateExpr};
use punctual_semantics::budget::Spent;
use punctual_smc::{self as smc, statistics};

use crate::{
    plot::{self, Plot},
    view::answers as view,
};

/// Why there is no mean.
const NO_NUMBER: &str = "the mean is no finite number";

/// Why a statistical query is refused.
#[must_use]
pub fn refused(refusal: &smc::Refusal) -> String {
    match refusal {
        smc::Refusal::NotStatistical => "it is no statistical query".to_owned(),
        smc::Refusal::Model(refusal) => {
            let place = refusal.place.as_ref().map_or(String::new(), |place| format!(" ({place})"));
            format!("runs by chance can not have {}{place}", refusal.construct)
        }
        smc::Refusal::Parameter(error) => error.to_string(),
    }
}

/// Fills in what the runs say; not the error of a run, which takes names to tell.
pub fn fill(
    answered: &mut view::Answered,
    network: &Network,
    property: &Property,
    outcome: &smc::Outcome,
    seed: u64,
) {
    let mut estimate = view::Estimate {
        runs: outcome.runs,
        transitions: outcome.transitions,
        seed,
        seconds: outcome.elapsed.as_secs_f64(),
        axis: axis(network, property),
        ..view::Estimate::default()
    };
    answered.answer = match &outcome.answer {
        smc::Answer::Probability(probability) => {
            let runs = outcome.runs.max(1) as f64;
            estimate.probability = Some(probability.satisfied as f64 / runs);
            estimate.interval = Some([probability.interval.low, probability.interval.high]);
            estimate.satisfied_runs = vec![probability.satisfied];
            estimate.guarantee.clone_from(&probability.guarantee);
            view::Answer::Values
        }
        smc::Answer::Hypothesis(hypothesis) => {
            estimate.satisfied_runs = vec![hypothesis.satisfied[0]];
            estimate.guarantee.clone_from(&hypothesis.guarantee);
            decided(hypothesis.decision)
        }
        smc::Answer::Comparison(hypothesis) => {
            estimate.satisfied_runs = hypothesis.satisfied.to_vec();
            estimate.guarantee.clone_from(&hypothesis.guarantee);
            decided(hypothesis.decision)
        }
        // Values that are no finite numbers have neither a mean nor an interval: only their range is told.
        smc::Answer::Expectation(expectation)
            if expectation.mean.is_some_and(|mean| !mean.is_finite()) =>
        {
            estimate.range = expectation.range;
            view::Answer::Undecided
        }
        smc::Answer::Expectation(expectation) => {
            estimate.mean = expectation.mean;
            estimate.interval = expectation.interval.map(|it| [it.low, it.high]);
            estimate.range = expectation.range;
            estimate.guarantee.clone_from(&expectation.guarantee);
            view::Answer::Values
        }
        smc::Answer::Trajectories(trajectories) => {
            estimate.trajectories = recorded(network, property, trajectories);
            if let Property::Simulate { filter: Some(_), .. } = property {
                estimate.satisfied_runs = vec![trajectories.runs.len() as u64];
            }
            view::Answer::Values
        }
        smc::Answer::Error(error) => {
            answered.reason = Some(format!("the model is wrong: {}", error.problem.kind));
            view::Answer::Error
        }
    };
    if answered.answer == view::Answer::Undecided {
        answered.reason = Some(match &outcome.answer {
            smc::Answer::Expectation(_) => NO_NUMBER.to_owned(),
            _ => format!("{} runs did not decide it", outcome.runs),
        });
    }
    if let Some(spent) = outcome.spent {
        answered.answer = view::Answer::Undecided;
        let reason = match spent {
            Spent::Memory => "the memory is used up; `--memory` grants more",
            Spent::Time => "the time is over; `--time` grants more",
            Spent::Stopped => "stopped by the user",
        };
        answered.reason = Some(reason.to_owned());
    }
    answered.estimate = Some(estimate);
}

fn decided(decision: statistics::Decision) -> view::Answer {
    match decision {
        statistics::Decision::Holds => view::Answer::Satisfied,
        statistics::Decision::Fails => view::Answer::NotSatisfied,
        statistics::Decision::Undecided => view::Answer::Undecided,
    }
}

fn recorded(
    network: &Network,
    property: &Property,
    trajectories: &smc::Trajectories,
) -> Vec<view::Trajectory> {
    let of: &[StateExpr] = match property {
        Property::Simulate { of, .. } => of,
        _ => &[],
    };
    let printer = Printer::new(network);
    let one = |(index, expr): (usize, &StateExpr)| view::Trajectory {
        expression: printer.expr(&expr.expr),
        steps: trajectories.steps[index],
        runs: trajectories.runs.iter().map(|run| run.values[index].clone()).collect(),
    };
    of.iter().enumerate().map(one).collect()
}

/// What the bound of a query counts.
fn axis(network: &Network, property: &Property) -> String {
    match bound(property) {
        Some(RunBound::Steps(_)) => "steps".to_owned(),
        Some(RunBound::Cost(cost, _)) => Printer::new(network).expr(&cost.expr),
        Some(RunBound::Time(_)) | None => "time".to_owned(),
    }
}

fn bound(property: &Property) -> Option<&RunBound> {
    match property {
        Property::Probability { bound, .. } | Property::Simulate { bound, .. } => Some(bound),
        _ => None,
    }
}

/// The picture of an answer, if there is one to draw. Its intervals miss with probability `alpha`.
#[must_use]
pub fn picture(
    answered: &view::Answered,
    property: &Property,
    outcome: &smc::Outcome,
    alpha: f64,
) -> Option<Plot> {
    let estimate = answered.estimate.as_ref()?;
    let end = match bound(property) {
        Some(RunBound::Time(end) | RunBound::Cost(_, end)) => *end,
        Some(RunBound::Steps(end)) => f64::from(*end),
        None => return None,
    };
    match &outcome.answer {
        smc::Answer::Probability(probability) if outcome.runs > 0 => {
            let distribution =
                statistics::Distribution::new(probability.places.clone(), outcome.runs);
            let points = distribution.points(alpha).ok()?;
            let side = |value: fn(&statistics::Point) -> f64| -> Vec<(f64, f64)> {
                points.iter().map(|point| (point.time, value(point))).collect()
            };
            let (low, high) = (side(|point| point.band.low), side(|point| point.band.high));
            Some(Plot::distribution(&plot::Distribution {
                title: &answered.query,
                x_label: &estimate.axis,
                times: &probability.places,
                runs: outcome.runs,
                bound: end,
                interval: Some((probability.interval.low, probability.interval.high)),
                confidence: Some(1.0 - alpha),
                band: Some(plot::Band { low: &low, high: &high }),
            }))
        }
        smc::Answer::Trajectories(_) => {
            let series = |trajectory| -> plot::Series<'_> {
                let trajectory: &view::Trajectory = trajectory;
                plot::Series {
                    name: &trajectory.expression,
                    kind: match trajectory.steps {
                        true => plot::SeriesKind::Steps,
                        false => plot::SeriesKind::Lines,
                    },
                    runs: &trajectory.runs,
                }
            };
            Some(Plot::trajectories(&plot::Trajectories {
                title: &answered.query,
                x_label: &estimate.axis,
                bound: end,
                series: estimate.trajectories.iter().map(series).collect(),
            }))
        }
        _ => None,
    }
}
