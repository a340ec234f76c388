//! Cases whose outcome is left to chance: each is executed until the evidence suffices.
//!
//! Cases take turns: each round executes all that are not judged yet, so what is said depends on the outcomes of a case
//! alone, whatever runs beside it. An execution that shows something illegal fails its case at once. One that shows
//! something legal which the case does not expect counts as *not seen*. One that was cut short counts as nothing.
//!
//! Not here: the rules (`smc::statistics::repeated`), and where probabilities come from (`testgen::uio`).

use std::sync::atomic::{AtomicBool, Ordering};

use punctual_model::testing::suite::{Body, Case, Do, Probability};
use punctual_oracle::expectations::Kind;
use punctual_smc::statistics::repeated::{
    self as rules, Dependence, Design, Judgement, Paper, Rates, Rule, Step, dependence,
    runs_without_contrary,
};
use punctual_smc::statistics::{Interval, OutOfRange, wilson};

use crate::plan::Plan;
use crate::run::{Finished, Recording, Trouble, many};
use crate::store::Verdict;

/// A case is given up when so many executions in turn were cut short.
const CUT_MAX: u32 = 5;

/// Whether outcomes depend on each other is seen in so many of them; looking at more takes long.
const LOOKED_AT_MAX: usize = 400;

/// How a suite is judged.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// The rule of the STUIOS paper, instead of the sequential test.
    pub paper: bool,
    /// How far a system may be from the model's probability.
    pub tolerance: f64,
    /// The rate of false alarms.
    pub alpha: f64,
    /// The rate of misses.
    pub beta: f64,
    /// Whether the rates are those of each case; otherwise they hold for the whole suite.
    pub each: bool,
    /// Executions of a case, at most.
    pub executions: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            paper: false,
            tolerance: 0.05,
            alpha: 0.05,
            beta: 0.05,
            each: false,
            executions: 400,
        }
    }
}

/// A case while it is repeated.
#[derive(Clone, Debug)]
pub struct Repeated {
    /// Its name.
    pub name: String,
    /// What it is judged by: its outputs, and those with its ending.
    pub sequences: Vec<Sequence>,
    /// How often it was executed, those that were cut short left out.
    pub executions: u64,
    /// The first execution that showed something illegal, and what.
    pub illegal: Option<(u64, String)>,
    /// Outcomes that depend on each other, as chance would hardly make them.
    pub dependence: Option<Dependence>,
    /// How long an execution takes, in nanoseconds.
    pub duration_ns: u64,
    /// How many executions a right system takes on average.
    pub planned: f64,
    case: rules::Case,
    /// How many checks come before the ending, and how many there are.
    n_checks: (usize, usize),
    outcomes: Vec<bool>,
    n_cut: u32,
}

/// One of the things that a case is judged by.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// What the model says.
    pub expected: Probability,
    /// The rule.
    pub rule: Rule,
    /// Executions that count.
    pub n: u64,
    /// Those in which it was seen.
    pub k: u64,
    /// The judgement so far; none while it goes on.
    pub judgement: Option<Judgement>,
}

impl Sequence {
    /// Where the system's probability lies, by Wilson's score.
    #[must_use]
    pub fn observed(&self) -> Option<Interval> {
        (self.n > 0).then(|| wilson(self.n, self.k, 0.05))
    }
}

impl Repeated {
    fn new(case: &Case, options: &Options, rates: Rates) -> Result<Repeated, String> {
        let wrong = |why: OutOfRange| format!("case `{}`: {why}", case.name);
        let (Some(chance), Body::Timed(parts)) = (&case.chance, &case.body) else {
            return Err(format!("case `{}` has no probability", case.name));
        };
        let mut expected = vec![chance.outputs.clone()];
        expected.extend(chance.ending.as_ref().map(|it| it.joint.clone()));
        let rule = |it: &Probability| rule(it, options, rates).map_err(wrong);
        let rules = expected.iter().map(rule).collect::<Result<Vec<Rule>, String>>()?;
        let planned = |(rule, it): (&Rule, &Probability)| rule.chart().at(it.middle()).executions;
        let is_check = |part: &&Do| matches!(part, Do::Check(_));
        let from = chance.ending.as_ref().map_or(parts.len(), |it| it.from);
        let n_checks =
            (parts[..from].iter().filter(is_check).count(), parts.iter().filter(is_check).count());
        Ok(Repeated {
            name: case.name.clone(),
            planned: rules.iter().zip(&expected).map(planned).fold(0.0, f64::max),
            case: rules::Case::new(rules.iter().cloned()),
            sequences: (expected.into_iter().zip(rules))
                .map(|(expected, rule)| Sequence { expected, rule, n: 0, k: 0, judgement: None })
                .collect(),
            executions: 0,
            illegal: None,
            dependence: None,
            duration_ns: case.duration_ns(),
            n_checks,
            outcomes: Vec::new(),
            n_cut: 0,
        })
    }

    /// Whether it is judged, or given up.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.illegal.is_some() || self.n_cut >= CUT_MAX || self.case.step() != Step::Continue
    }

    /// What is said of the case: inconclusive while it is not over, and where the executions did not suffice.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match (&self.illegal, self.case.step()) {
            (Some(_), _) => Verdict::Fail,
            (None, Step::Stop(Judgement { passes: false, .. })) => Verdict::Fail,
            (None, Step::Stop(Judgement { passes: true, reliable: true })) => Verdict::Pass,
            (None, _) => Verdict::Inconclusive,
        }
    }

    /// Why, a sentence for each thing that the case is judged by.
    #[must_use]
    pub fn reasons(&self) -> Vec<String> {
        if let Some((run, what)) = &self.illegal {
            return vec![format!("Run {run} showed what no run of the model does: {what}")];
        }
        if self.n_cut >= CUT_MAX {
            return vec![format!("{CUT_MAX} executions in turn were cut short.")];
        }
        self.case.reasons().collect()
    }

    fn take(&mut self, finished: &Finished) {
        if self.is_over() {
            return;
        }
        if finished.verdict == Verdict::Fail {
            let what =
                finished.diagnosis.as_ref().map(|it| it.explanation.clone()).unwrap_or_default();
            self.illegal = Some((finished.run, what));
            self.executions += 1;
            return;
        }
        let checks = || finished.interactions.iter().filter(|it| it.kind == Kind::Check);
        if checks().count() < self.n_checks.1 || finished.ending.is_some() {
            self.n_cut += 1;
            return;
        }
        self.n_cut = 0;
        let seen = |n: usize| checks().all(|it| it.number >= n || it.verdict == Verdict::Pass);
        let mut answers = vec![seen(self.n_checks.0)];
        if self.sequences.len() > 1 {
            answers.push(seen(self.n_checks.1));
        }
        self.executions += 1;
        self.outcomes.push(answers[0]);
        self.case.observe(&answers);
        let now = self.case.counts().zip(self.case.steps()).collect::<Vec<_>>();
        for (sequence, ((n, k), step)) in self.sequences.iter_mut().zip(now) {
            (sequence.n, sequence.k) = (n, k);
            sequence.judgement = match step {
                Step::Continue => None,
                Step::Stop(judgement) => Some(judgement),
            };
        }
    }

    /// Looks whether outcomes depend on each other.
    fn finish(&mut self, rate: f64) {
        let Some(first) = self.sequences.first() else { return };
        let goes_on = |n: u64, k: u64| first.rule.step(n, k) == Step::Continue;
        // Executions may go on for the ending when the outputs of the case are judged.
        let (mut n, mut k) = (0, 0);
        for seen in self.outcomes.iter().take(LOOKED_AT_MAX) {
            (n, k) = (n + 1, k + u64::from(*seen));
            if !goes_on(n, k) {
                break;
            }
        }
        self.dependence = dependence(&self.outcomes[..n as usize], rate, goes_on);
    }
}

fn rule(expected: &Probability, options: &Options, rates: Rates) -> Result<Rule, OutOfRange> {
    let interval = Interval { low: expected.least, high: expected.greatest };
    let is_exact = expected.exact.is_some();
    if options.paper {
        let confidence = 1.0 - options.alpha;
        return Ok(match is_exact {
            true => Paper::exact(expected.least, confidence, options.executions)?.into(),
            false => Paper::new(interval, confidence, options.executions)?.into(),
        });
    }
    let is_certain = is_exact && (expected.least >= 1.0 || expected.greatest <= 0.0);
    let design = if is_exact { Design::exact(expected.least) } else { Design::sampled(interval) };
    let mut design = design.within(options.tolerance);
    (design.alpha, design.beta, design.executions) = (rates.alpha, rates.beta, options.executions);
    if is_certain && options.tolerance > 0.0 && options.tolerance < 1.0 {
        let needed = runs_without_contrary(options.tolerance, rates.beta);
        design.executions = design.executions.max(needed).min(rules::EXECUTIONS_MAX);
    }
    Ok(design.rule()?.into())
}

/// Prepares the cases of a suite.
///
/// # Errors
/// If a case has no probability, or a number is out of range.
pub fn prepare(cases: &[Case], options: &Options) -> Result<Vec<Repeated>, String> {
    let sequences = |case: &Case| match case.chance.as_ref().map(|it| it.ending.is_some()) {
        Some(true) => 2,
        _ => 1,
    };
    if !(0.0..1.0).contains(&options.tolerance) {
        return Err(format!("a tolerance of {} must be at least 0 and below 1", options.tolerance));
    }
    let n = cases.len().max(1) as u64;
    let each = |case: &Case| -> Result<Repeated, String> {
        let rates = Rates { alpha: options.alpha, beta: options.beta };
        let of = if options.each { 1 } else { n };
        let rates = rates.divided(of, sequences(case)).map_err(|why| why.to_string())?;
        Repeated::new(case, options, rates)
    };
    cases.iter().map(each).collect()
}

/// Repeats all cases of a plan until each is judged. `progress` is told how many executions were made, and of how many cases the
/// verdict is known.
///
/// # Errors
/// If the system could not be started or reached, or nothing can be recorded; what was judged before stays.
pub fn repeat(
    plan: &Plan,
    cases: &mut [Repeated],
    options: &Options,
    n_threads: usize,
    recording: Option<&Recording>,
    stops: &AtomicBool,
    mut progress: impl FnMut(u64, usize),
) -> Result<(), Trouble> {
    let n_cases = cases.len() as u64;
    let (mut round, mut n_runs) = (0, 0);
    let mut done = Ok(());
    loop {
        let open: Vec<u64> = (0..n_cases).filter(|at| !cases[*at as usize].is_over()).collect();
        if open.is_empty() || stops.load(Ordering::Relaxed) || done.is_err() {
            break;
        }
        let runs: Vec<u64> = open.iter().map(|at| round * n_cases + at).collect();
        done = many(plan, runs.into_iter(), n_threads, recording, stops, |finished| {
            n_runs += 1;
            if !finished.stopped {
                cases[(finished.run % n_cases) as usize].take(&finished);
            }
            progress(n_runs, cases.iter().filter(|case| case.is_over()).count());
            true
        });
        round += 1;
    }
    let rate = if options.each { options.alpha } else { options.alpha / n_cases.max(1) as f64 };
    cases.iter_mut().for_each(|case| case.finish(rate));
    done
}
