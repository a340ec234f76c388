//! From a query to an answer: runs, handed to what concludes from them.

use std::ops::ControlFlow;
use std::sync::Arc;

use punctual_model::{Comparison as Sign, Network, PathFormula, Property, RunBound, StateExpr};
use punctual_semantics::budget::{Budget, Spent};
use punctual_semantics::program::{Builder, Unsupported};
use punctual_semantics::stochastic::{Problem, Simulator, Stochastic, Value};

use crate::chance::Stream;
use crate::parallel::numbered;
use crate::record::{record, replay};
use crate::run::{Bound, Extreme, Fulfilled, Judge, Path, extreme, fulfils};
use crate::statistics::{
    Claim, Comparison, Decision, Estimator, Mean, OutOfRange, RatioTest, Stop,
};
use crate::{
    Answer, Expectation, Hypothesis, Observer, Options, Outcome, Probability, Progress, Refusal,
};

/// Runs of `E[…]` where the query does not say how many.
const RUNS: u64 = 1000;
/// A comparison learns only from pairs of runs that differ; where none do, it ends without a decision.
const PAIRS_MAX: u64 = 1_000_000;

/// Answers a statistical query.
///
/// # Errors
/// If the query, the model or the options do not allow it.
pub fn check(
    network: &Network,
    property: &Property,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Refusal> {
    for bound in bounds(property) {
        check_bound(bound)?;
    }
    match property {
        Property::Probability { bound, runs, path } => {
            let asked = options.runs.or(runs.map(u64::from));
            let stop = asked.map_or(Stop::Within(options.epsilon), Stop::After);
            let estimator = Estimator::new(options.method, options.alpha, stop)?;
            probability(network, bound, path, &estimator, options, observer)
        }
        Property::Hypothesis { bound, path, comparison, threshold } => {
            let Options { alpha, beta, delta, .. } = *options;
            let claim = claim(*comparison);
            let test = RatioTest::new(claim, *threshold, delta, alpha, beta)?;
            hypothesis(network, bound, path, test, options, observer)
        }
        Property::Compare { left, comparison, right } => {
            let (first, second) = match comparison {
                Sign::AtLeast => (left, right),
                Sign::AtMost => (right, left),
            };
            let test = Comparison::new(options.ratios, options.alpha, options.beta)?;
            compare(network, [first, second], test, options, observer)
        }
        Property::Expectation { bound, runs, maximum, of } => {
            let runs = options.runs.or(runs.map(u64::from)).unwrap_or(RUNS);
            expectation(network, (bound, of, *maximum), runs, options, observer)
        }
        Property::Simulate { bound, runs, of, filter, accepted } => {
            let runs = options.runs.unwrap_or(u64::from(*runs));
            record(network, (bound, of, filter.as_ref()), runs, *accepted, options, observer)
        }
        _ => Err(Refusal::NotStatistical),
    }
}

/// How far the runs of a query go.
fn bounds(property: &Property) -> Vec<&RunBound> {
    match property {
        Property::Probability { bound, .. }
        | Property::Hypothesis { bound, .. }
        | Property::Expectation { bound, .. }
        | Property::Simulate { bound, .. } => vec![bound],
        Property::Compare { left, right, .. } => vec![&left.0, &right.0],
        _ => Vec::new(),
    }
}

fn check_bound(bound: &RunBound) -> Result<(), OutOfRange> {
    match *bound {
        RunBound::Time(value) | RunBound::Cost(_, value)
            if !(value >= 0.0 && value.is_finite()) =>
        {
            Err(OutOfRange { name: "the bound of the runs", value, allowed: "0 or more" })
        }
        _ => Ok(()),
    }
}

fn claim(sign: Sign) -> Claim {
    match sign {
        Sign::AtLeast => Claim::AtLeast,
        Sign::AtMost => Claim::AtMost,
    }
}

/// Compiles a network, with what a query needs.
pub(crate) fn compile<T>(
    network: &Network,
    budget: &Arc<Budget>,
    also: impl FnOnce(&mut Builder<'_>) -> Result<T, Unsupported>,
) -> Result<(Stochastic, T), Refusal> {
    let (model, also) = Stochastic::new(network, also).map_err(Refusal::Model)?;
    Ok((model.within(budget), also))
}

/// Why no more runs are taken.
pub(crate) enum End {
    Enough,
    Spent(Spent),
    Problem(u64, Problem),
}

impl End {
    /// A run did not come to its end.
    pub(crate) fn of(number: u64, problem: Problem, budget: &Budget) -> End {
        match budget.spent().filter(|_| problem.is_spent()) {
            Some(spent) => End::Spent(spent),
            None => End::Problem(number, problem),
        }
    }
}

/// Counts runs and asks the observer, now and then.
pub(crate) struct Meter<'o> {
    pub(crate) observer: &'o mut dyn Observer,
    pub(crate) progress: Progress,
    budget: &'o Budget,
}

impl<'o> Meter<'o> {
    pub(crate) fn new(
        observer: &'o mut dyn Observer,
        most: Option<u64>,
        budget: &'o Budget,
    ) -> Meter<'o> {
        Meter { observer, progress: Progress { most, ..Progress::default() }, budget }
    }

    /// Counts a run; breaks if the observer wants no more.
    pub(crate) fn count(&mut self, transitions: u32, satisfied: bool) -> ControlFlow<End> {
        self.progress.runs += 1;
        self.progress.transitions += u64::from(transitions);
        self.progress.satisfied += u64::from(satisfied);
        if !self.observer.progress(&self.progress) {
            self.budget.spend(Spent::Stopped);
        }
        match self.budget.spent() {
            None => ControlFlow::Continue(()),
            Some(spent) => ControlFlow::Break(End::Spent(spent)),
        }
    }

    /// What came of it; an error takes the place of the answer.
    pub(crate) fn finish(
        self,
        answer: Answer,
        end: Option<End>,
        explain: impl FnOnce(u64, Problem) -> Answer,
    ) -> Outcome {
        let spent = match end {
            Some(End::Spent(spent)) => Some(spent),
            _ => None,
        };
        let answer = match end {
            Some(End::Problem(run, problem)) => explain(run, problem),
            _ => answer,
        };
        let Progress { runs, transitions, .. } = self.progress;
        Outcome { answer, spent, runs, transitions, elapsed: self.observer.elapsed() }
    }
}

/// A run and what it fulfils, with the number of its transitions.
type Judged = Result<(Fulfilled, u32), Problem>;

fn judge(run: &mut Simulator<'_>, bound: &Bound, path: &Path, stream: &mut Stream) -> Judged {
    let fulfilled = fulfils(run, bound, path, stream)?;
    Ok((fulfilled, run.state().steps))
}

fn formula(
    builder: &mut Builder<'_>,
    bound: &RunBound,
    path: &PathFormula,
) -> Result<(Bound, Path), Unsupported> {
    Ok((Bound::new(builder, bound)?, Path::new(builder, path)?))
}

fn probability(
    network: &Network,
    bound: &RunBound,
    path: &PathFormula,
    estimator: &Estimator,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Refusal> {
    let (model, (bound, path)) =
        compile(network, &options.budget, |builder| formula(builder, bound, path))?;
    let most = estimator.most_runs().unwrap_or(u64::MAX);
    let mut meter = Meter::new(observer, estimator.most_runs(), &options.budget);
    let mut places = Vec::new();
    let make = |run: &mut Simulator<'_>, number| {
        judge(run, &bound, &path, &mut Stream::of_run(options.seed, number))
    };
    let start = || Simulator::new(&model);
    let mut satisfied = 0;
    let end = match estimator.wants_more(0, 0) {
        false => None,
        true => numbered(options.threads, most, start, make, |number, judged: Judged| {
            let (fulfilled, transitions) = match judged {
                Ok(judged) => judged,
                Err(problem) => {
                    return ControlFlow::Break(End::of(number, problem, &options.budget));
                }
            };
            if let Fulfilled::At(place) = fulfilled {
                satisfied += 1;
                places.push(place);
                options.budget.hold((places.capacity() * size_of::<f64>()) as u64);
            }
            meter.count(transitions, fulfilled != Fulfilled::No)?;
            match estimator.wants_more(meter.progress.runs, satisfied) {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(End::Enough),
            }
        }),
    };
    let answer = Answer::Probability(Probability {
        interval: estimator.interval(meter.progress.runs, satisfied),
        satisfied,
        places,
        guarantee: estimator.guarantee(),
    });
    Ok(meter.finish(answer, end, |run, problem| {
        replay(&model, &bound, Judge::new(&path), options, run, problem)
    }))
}

fn hypothesis(
    network: &Network,
    bound: &RunBound,
    path: &PathFormula,
    mut test: RatioTest,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Refusal> {
    let (model, (bound, path)) =
        compile(network, &options.budget, |builder| formula(builder, bound, path))?;
    let mut meter = Meter::new(observer, None, &options.budget);
    let make = |run: &mut Simulator<'_>, number| {
        judge(run, &bound, &path, &mut Stream::of_run(options.seed, number))
    };
    let start = || Simulator::new(&model);
    let end = match test.decision() {
        Decision::Undecided => {
            numbered(options.threads, u64::MAX, start, make, |number, judged: Judged| {
                let (fulfilled, transitions) = match judged {
                    Ok(judged) => judged,
                    Err(problem) => {
                        return ControlFlow::Break(End::of(number, problem, &options.budget));
                    }
                };
                test.observe(fulfilled != Fulfilled::No);
                meter.count(transitions, fulfilled != Fulfilled::No)?;
                match test.decision() {
                    Decision::Undecided => ControlFlow::Continue(()),
                    Decision::Holds | Decision::Fails => ControlFlow::Break(End::Enough),
                }
            })
        }
        Decision::Holds | Decision::Fails => None,
    };
    let answer = Answer::Hypothesis(Hypothesis {
        decision: test.decision(),
        satisfied: [test.successes(), 0],
        guarantee: test.guarantee(),
    });
    Ok(meter.finish(answer, end, |run, problem| {
        replay(&model, &bound, Judge::new(&path), options, run, problem)
    }))
}

fn compare(
    network: &Network,
    sides: [&(RunBound, PathFormula); 2],
    mut test: Comparison,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Refusal> {
    let (model, formulas) = compile(network, &options.budget, |builder| {
        let [(bound, path), (other_bound, other_path)] = sides;
        Ok([formula(builder, bound, path)?, formula(builder, other_bound, other_path)?])
    })?;
    let mut meter = Meter::new(observer, Some(2 * PAIRS_MAX), &options.budget);
    // Run 2k is of the first side, run 2k + 1 of the second one.
    let make = |run: &mut Simulator<'_>, number: u64| {
        let (bound, path) = &formulas[(number % 2) as usize];
        judge(run, bound, path, &mut Stream::of_run(options.seed, number))
    };
    let start = || Simulator::new(&model);
    let mut first = false;
    let mut satisfied = [0, 0];
    let end = numbered(options.threads, 2 * PAIRS_MAX, start, make, |number, judged: Judged| {
        let (fulfilled, transitions) = match judged {
            Ok(judged) => judged,
            Err(problem) => return ControlFlow::Break(End::of(number, problem, &options.budget)),
        };
        let fulfilled = fulfilled != Fulfilled::No;
        let side = (number % 2) as usize;
        satisfied[side] += u64::from(fulfilled);
        match side {
            0 => first = fulfilled,
            _ => test.observe(first, fulfilled),
        }
        meter.count(transitions, fulfilled)?;
        match test.decision() {
            Decision::Undecided => ControlFlow::Continue(()),
            Decision::Holds | Decision::Fails => ControlFlow::Break(End::Enough),
        }
    });
    let answer = Answer::Comparison(Hypothesis {
        decision: test.decision(),
        satisfied,
        guarantee: test.guarantee(),
    });
    Ok(meter.finish(answer, end, |run, problem| {
        let (bound, path) = &formulas[(run % 2) as usize];
        replay(&model, bound, Judge::new(path), options, run, problem)
    }))
}

fn expectation(
    network: &Network,
    (bound, of, maximum): (&RunBound, &StateExpr, bool),
    runs: u64,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Refusal> {
    let (model, (bound, of)) = compile(network, &options.budget, |builder| {
        Ok((Bound::new(builder, bound)?, Value::new(builder, of)?))
    })?;
    let mut meter = Meter::new(observer, Some(runs), &options.budget);
    let make = |run: &mut Simulator<'_>, number| {
        let stream = &mut Stream::of_run(options.seed, number);
        let value = extreme(run, &bound, &of, maximum, stream)?;
        Ok((value, run.state().steps))
    };
    let start = || Simulator::new(&model);
    let mut mean = Mean::default();
    let end = numbered(
        options.threads,
        runs,
        start,
        make,
        |number, measured: Result<(f64, u32), Problem>| match measured {
            Ok((value, transitions)) => {
                mean.push(value);
                meter.count(transitions, true)
            }
            Err(problem) => ControlFlow::Break(End::of(number, problem, &options.budget)),
        },
    );
    let answer = Answer::Expectation(Expectation {
        mean: mean.mean(),
        interval: mean.interval(options.alpha)?,
        range: mean.min().zip(mean.max()).map(|(min, max)| [min, max]),
        guarantee: mean.guarantee(options.alpha),
    });
    Ok(meter.finish(answer, end, |run, problem| {
        replay(&model, &bound, Extreme::new(&of, maximum), options, run, problem)
    }))
}
