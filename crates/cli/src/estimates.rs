//! From what runs by chance say to the view of it, and to pictures.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use punctual_lang::convert::Printer;
use punctual_model::{Network, Property, RunBound, StateExpr};
use punctual_report::{
    plot::{self, Plot},
    view::answers as view,
};
use punctual_smc::{self as smc, statistics};

use crate::{Stop, write_file};

/// How to estimate.
#[derive(Args)]
pub(crate) struct Estimation {
    /// How probabilities are estimated
    #[arg(long, value_enum, default_value_t, help_heading = "How to estimate")]
    estimator: Estimator,
    /// The risk of a wrong interval, and of rejecting a hypothesis that holds
    #[arg(long, value_name = "P", default_value_t = statistics::ALPHA, help_heading = "How to estimate")]
    alpha: f64,
    /// The risk of accepting a hypothesis that does not hold
    #[arg(long, value_name = "P", default_value_t = statistics::ALPHA, help_heading = "How to estimate")]
    beta: f64,
    /// How far a probability may be from its estimate
    #[arg(long, value_name = "P", default_value_t = statistics::EPSILON, help_heading = "How to estimate")]
    epsilon: f64,
    /// How far a probability may be from the threshold of a hypothesis for either answer to be fine
    #[arg(long, value_name = "P", default_value_t = 0.01, help_heading = "How to estimate")]
    delta: f64,
    /// How many runs, instead of what the query or the estimator says
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = "How to estimate"
    )]
    runs: Option<u64>,
    /// Draw the answers of `Pr[…]` and `simulate` to this file (.svg or .html)
    #[arg(long, value_name = "FILE", help_heading = "What to show")]
    plot: Option<PathBuf>,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Estimator {
    /// Exact intervals until they are narrow enough, as UPPAAL does
    #[default]
    ClopperPearson,
    /// A number of runs that is known in advance
    Okamoto,
    /// Score intervals until they are narrow enough: fewer runs, approximate
    Wilson,
    /// Intervals that hold at all times at once: stop whenever you like
    Anytime,
}

impl Estimation {
    pub(crate) fn options(&self, seed: u64, threads: usize) -> smc::Options {
        let Estimation { alpha, beta, epsilon, delta, runs, .. } = *self;
        let method = match self.estimator {
            Estimator::ClopperPearson => statistics::Method::ClopperPearson,
            Estimator::Okamoto => statistics::Method::Okamoto,
            Estimator::Wilson => statistics::Method::Wilson,
            Estimator::Anytime => statistics::Method::Anytime,
        };
        let defaults = smc::Options::default();
        smc::Options { seed, threads, method, alpha, beta, epsilon, delta, runs, ..defaults }
    }

    /// Whether the picture can be written; refused before long runs, not after them.
    pub(crate) fn check_plot(&self) -> Result<(), Stop> {
        let Some(path) = &self.plot else { return Ok(()) };
        if !["svg", "html"].contains(&suffix(path).as_str()) {
            return Err(Stop::Message(format!(
                "the suffix of `{}` does not tell a format; use .svg or .html",
                path.display()
            )));
        }
        match path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
            Some(folder) => Err(Stop::Message(format!(
                "can not write `{}`: there is no folder `{}`",
                path.display(),
                folder.display()
            ))),
            None => Ok(()),
        }
    }

    pub(crate) fn wants_plots(&self) -> bool {
        self.plot.is_some()
    }

    /// Writes the pictures: several to one page, or to numbered files.
    pub(crate) fn write_plots(&self, title: &str, plots: &[Plot]) -> Result<(), Stop> {
        let Some(path) = &self.plot else { return Ok(()) };
        if plots.is_empty() {
            eprintln!("note: no answer can be drawn; `{}` is not written", path.display());
            return Ok(());
        }
        if suffix(path) == "html" {
            return write_file(path, &plot::page(title, plots));
        }
        if let [plot] = plots {
            return write_file(path, plot.svg());
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        for (index, plot) in plots.iter().enumerate() {
            let numbered = path.with_file_name(format!("{stem}-{}.svg", index + 1));
            write_file(&numbered, plot.svg())?;
        }
        Ok(())
    }
}

fn suffix(path: &Path) -> String {
    path.extension().and_then(|it| it.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// Why a query was refused.
pub(crate) fn refused(refusal: &smc::Refusal) -> String {
    match refusal {
        smc::Refusal::NotStatistical => "it is no statistical query".to_owned(),
        smc::Refusal::Model(refusal) => {
            let place = refusal.place.as_ref().map_or(String::new(), |place| format!(" ({place})"));
            format!("runs by chance can not have {}{place}", refusal.construct)
        }
        smc::Refusal::Parameter(error) => error.to_string(),
    }
}

/// Whether a property is a matter of chance.
pub(crate) fn is_statistical(property: &Property) -> bool {
    matches!(
        property,
        Property::Probability { .. }
            | Property::Hypothesis { .. }
            | Property::Compare { .. }
            | Property::Expectation { .. }
            | Property::Simulate { .. }
    )
}

/// Fills in what the runs say; not the error of a run, which takes names to tell.
pub(crate) fn fill(
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
        answered.reason = Some(format!("{} runs did not decide it", outcome.runs));
    }
    if outcome.stopped {
        answered.answer = view::Answer::Undecided;
        answered.reason = Some("stopped by the user".to_owned());
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

/// The picture of an answer, if there is one to draw.
pub(crate) fn picture(
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
