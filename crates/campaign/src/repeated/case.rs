//! A case while it is repeated: its rules, its counts, its verdict.

use std::path::PathBuf;

use punctual_model::testing::suite::{Body, Case, Do, Probability};
use punctual_smc::statistics::repeated::{
    self as rules, Dependence, Design, Judgement, Paper, Rates, Rule, Step, dependence,
    runs_without_contrary,
};
use punctual_smc::statistics::{Interval, OutOfRange, wilson};

use super::Options;
use super::options::Tolerance;
use super::record::Outcome;
use crate::store::Verdict;

/// A case is given up when so many executions in turn were cut short.
const CUT_MAX: u32 = 5;

/// Whether outcomes depend on each other is seen in so many of them; looking at more takes long.
const LOOKED_AT_MAX: usize = 400;

/// Where a tolerance in time changes nothing of a case that the model is certain of, the contrary is to be rarer than this.
const RARE: f64 = 0.05;

/// A case while it is repeated.
#[derive(Clone, Debug)]
pub struct Repeated {
    /// Its name.
    pub name: String,
    /// What it is judged by: its outputs, and those with its ending.
    pub sequences: Vec<Sequence>,
    /// How often it was executed, those that were cut short left out.
    pub executions: u64,
    /// The first execution that showed something illegal.
    pub illegal: Option<Illegal>,
    /// Outcomes that depend on each other, as chance would hardly make them.
    pub dependence: Option<Dependence>,
    /// How long an execution takes, in nanoseconds.
    pub duration_ns: u64,
    /// How many executions a right system takes on average.
    pub planned: f64,
    /// What is judged; none if the tolerance allows every probability.
    case: Option<rules::Case>,
    /// How many checks come before the ending, and how many there are.
    n_checks: (usize, usize),
    /// How many expected outputs come before the ending.
    n_outputs: usize,
    /// For each thing that the case is judged by, whether each execution showed it.
    outcomes: Vec<Vec<bool>>,
    /// The numbers of these executions among those of all cases.
    numbers: Vec<u64>,
    n_cut: u32,
}

/// An execution that showed something illegal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Illegal {
    /// The number of the run.
    pub run: u64,
    /// Where it was recorded, if it was.
    pub folder: Option<PathBuf>,
    /// Whether the system broke down; otherwise no run of the model shows what it did.
    pub is_breakdown: bool,
    /// What it showed, in sentences.
    pub what: String,
}

impl Illegal {
    fn sentence(&self) -> String {
        let Illegal { run, folder, is_breakdown, what } = self;
        let folder = folder.as_ref().map_or(String::new(), |it| format!(" ({})", it.display()));
        match is_breakdown {
            true => format!("In run {run}{folder} the system broke down: {what}"),
            false => format!("Run {run}{folder} showed what no run of the model does: {what}"),
        }
    }
}

/// One of the things that a case is judged by.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// What the model says.
    pub expected: Probability,
    /// The rule.
    pub rule: Rule,
    /// The greatest probability below the tolerated ones, and the least above, that fail with probability `1 - beta` at
    /// least; none if a side has none.
    pub found: [Option<f64>; 2],
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

impl Sequence {
    /// The probabilities that a system may have; none where the rule has no tolerance.
    #[must_use]
    pub fn tolerated(&self) -> Option<Interval> {
        match &self.rule {
            Rule::Paper(_) => None,
            Rule::Sequential(rule) => Some(rule.design().tolerated),
        }
    }

    /// Whether a system with this probability fails with probability `1 - beta` at least.
    #[must_use]
    pub fn finds(&self, p: f64) -> bool {
        let [below, above] = self.found;
        below.is_some_and(|below| p <= below) || above.is_some_and(|above| p >= above)
    }

    /// The least deviation from the model's probability that is found with probability `1 - beta`, on either side that has one.
    #[must_use]
    pub fn least_deviation(&self) -> Option<f64> {
        let [below, above] = self.found;
        let below = below.map(|q| self.expected.least - q);
        let sides = [below, above.map(|q| q - self.expected.greatest)];
        sides.into_iter().flatten().reduce(f64::max)
    }
}

impl Repeated {
    /// The least deviation that is found with probability `1 - beta` in one of the things that the case is judged by; none if none is
    /// found.
    #[must_use]
    pub fn least_deviation(&self) -> Option<f64> {
        self.sequences.iter().filter_map(Sequence::least_deviation).reduce(f64::min)
    }

    /// A case that was not executed yet. `within` has the probabilities that a tolerance in time allows.
    pub(super) fn new(
        case: &Case,
        options: &Options,
        rates: Rates,
        within: Option<&[Interval]>,
    ) -> Result<Repeated, String> {
        let wrong = |why: OutOfRange| format!("case `{}`: {why}", case.name);
        let (Some(chance), Body::Timed(parts)) = (&case.chance, &case.body) else {
            return Err(format!("case `{}` has no probability", case.name));
        };
        let mut expected = vec![chance.outputs.clone()];
        expected.extend(chance.ending.as_ref().map(|it| it.joint.clone()));
        // Nothing that it shows could be wrong, so it is not executed.
        let is_moot = within.is_some_and(|within| within.contains(&Interval::UNIT));
        if is_moot {
            expected.clear();
        }
        let rule = |(at, it): (usize, &Probability)| {
            let within = within.and_then(|within| within.get(at)).copied();
            rule(it, options, rates, within).map_err(wrong)
        };
        let rules = expected.iter().enumerate().map(rule).collect::<Result<Vec<Rule>, String>>()?;
        let planned = |(rule, it): (&Rule, &Probability)| rule.chart().at(it.middle()).executions;
        let beta = if options.paper { options.beta } else { rates.beta };
        let is_check = |part: &&Do| matches!(part, Do::Check(_));
        let from = chance.ending.as_ref().map_or(parts.len(), |it| it.from);
        let n_checks =
            (parts[..from].iter().filter(is_check).count(), parts.iter().filter(is_check).count());
        let is_output = |part: &&Do| matches!(part, Do::Expect(_));
        let n_outputs = parts[..from].iter().filter(is_output).count();
        let outcomes = vec![Vec::new(); rules.len()];
        Ok(Repeated {
            name: case.name.clone(),
            planned: rules.iter().zip(&expected).map(planned).fold(0.0, f64::max),
            case: (!is_moot).then(|| rules::Case::new(rules.iter().cloned())),
            sequences: (expected.into_iter().zip(rules))
                .map(|(expected, rule)| Sequence {
                    found: found(&rule, &expected, beta),
                    expected,
                    rule,
                    n: 0,
                    k: 0,
                    judgement: None,
                })
                .collect(),
            executions: 0,
            illegal: None,
            dependence: None,
            duration_ns: case.duration_ns(),
            n_checks,
            n_outputs,
            outcomes,
            numbers: Vec::new(),
            n_cut: 0,
        })
    }

    /// Whether it is judged, or given up.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.illegal.is_some() || self.n_cut >= CUT_MAX || self.step() != Some(Step::Continue)
    }

    /// What its rules say; none if there is nothing to judge.
    fn step(&self) -> Option<Step> {
        self.case.as_ref().map(rules::Case::step)
    }

    /// What is said of the case: inconclusive while it is not over, and where the executions did not suffice.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match (&self.illegal, self.step()) {
            (Some(_), _) => Verdict::Fail,
            (None, Some(Step::Stop(Judgement { passes: false, .. }))) => Verdict::Fail,
            (None, Some(Step::Stop(Judgement { passes: true, reliable: true }))) => Verdict::Pass,
            (None, _) => Verdict::Inconclusive,
        }
    }

    /// Why, a sentence for each thing that the case is judged by.
    #[must_use]
    pub fn reasons(&self) -> Vec<String> {
        if let Some(illegal) = &self.illegal {
            return vec![illegal.sentence()];
        }
        if self.n_cut >= CUT_MAX {
            return vec![format!("{CUT_MAX} executions in turn were cut short.")];
        }
        match &self.case {
            Some(case) => case.reasons().collect(),
            None => vec![
                "Within the tolerance in time it may show what it expects always or never, so it is not executed: a check at the \
                 instant at which something changes can not be late."
                    .to_owned(),
            ],
        }
    }

    /// Counts an execution.
    pub(super) fn take(&mut self, outcome: &Outcome) {
        if self.is_over() {
            return;
        }
        if outcome.verdict == Verdict::Fail {
            self.illegal = Some(Illegal {
                run: outcome.run,
                folder: outcome.folder.clone(),
                is_breakdown: outcome.is_breakdown,
                what: outcome.explanation.clone(),
            });
            self.executions += 1;
            return;
        }
        if outcome.n_checks < self.n_checks.1 || outcome.is_cut {
            self.n_cut += 1;
            return;
        }
        self.n_cut = 0;
        let seen = |n_checks: usize, n_outputs: usize| {
            let checks = outcome.missed.iter().all(|it| *it >= n_checks);
            checks && outcome.missed_outputs.iter().all(|it| *it >= n_outputs)
        };
        let mut answers = vec![seen(self.n_checks.0, self.n_outputs)];
        if self.sequences.len() > 1 {
            answers.push(seen(self.n_checks.1, usize::MAX));
        }
        self.executions += 1;
        self.numbers.push(outcome.run);
        for (outcomes, answer) in self.outcomes.iter_mut().zip(&answers) {
            outcomes.push(*answer);
        }
        let Some(case) = &mut self.case else { return };
        case.observe(&answers);
        let now = case.counts().zip(case.steps()).collect::<Vec<_>>();
        for (sequence, ((n, k), step)) in self.sequences.iter_mut().zip(now) {
            (sequence.n, sequence.k) = (n, k);
            sequence.judgement = match step {
                Step::Continue => None,
                Step::Stop(judgement) => Some(judgement),
            };
        }
    }

    /// Whether each execution that counts for one of the things that the case is judged by showed it, in their order.
    #[must_use]
    pub fn outcomes(&self, at: usize) -> &[bool] {
        match (self.outcomes.get(at), self.sequences.get(at)) {
            (Some(all), Some(sequence)) => &all[..all.len().min(sequence.n as usize)],
            _ => &[],
        }
    }

    /// Looks whether outcomes depend on each other.
    pub(super) fn finish(&mut self, rate: f64) {
        let (_, outcomes) = self.looked_at();
        self.dependence = dependence(outcomes, rate, |n, k| self.goes_on(n, k));
    }

    /// Whether the rule of the outputs goes on after so many executions and successes.
    pub(super) fn goes_on(&self, n: u64, k: u64) -> bool {
        self.sequences.first().is_some_and(|first| first.rule.step(n, k) == Step::Continue)
    }

    /// The executions in which dependence is looked for, their numbers and outcomes. They may go on for the ending when the outputs of the
    /// case are judged; these are left out.
    pub(super) fn looked_at(&self) -> (&[u64], &[bool]) {
        let (mut n, mut k) = (0, 0);
        let outcomes = self.outcomes.first().map_or(&[][..], Vec::as_slice);
        for seen in outcomes.iter().take(LOOKED_AT_MAX) {
            (n, k) = (n + 1, k + u64::from(*seen));
            if !self.goes_on(n, k) {
                break;
            }
        }
        (&self.numbers[..n as usize], &outcomes[..n as usize])
    }
}

fn rule(
    expected: &Probability,
    options: &Options,
    rates: Rates,
    within: Option<Interval>,
) -> Result<Rule, OutOfRange> {
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
    let mut design = match (options.tolerance, within) {
        (Tolerance::Probability(tolerance), _) => design.within(tolerance),
        (Tolerance::Time { .. }, within) => {
            let Interval { low, high } = interval;
            let within = within.unwrap_or(interval);
            let tolerated = Interval { low: low.min(within.low), high: high.max(within.high) };
            match (is_certain, tolerated == interval) {
                (false, _) => Design { tolerated, ..design },
                // No shift makes a difference: the contrary is to be rare.
                (true, true) => design.within(RARE),
                // A system that is late shows the contrary now and then, and is right.
                (true, false) => Design { expected: tolerated, tolerated, ..design },
            }
        }
    };
    (design.alpha, design.beta, design.executions) = (rates.alpha, rates.beta, options.executions);
    let Interval { low, high } = design.tolerated;
    let rare = if expected.least >= 1.0 { 1.0 - low } else { high };
    if is_certain && design.expected == interval && rare > 0.0 && rare < 1.0 {
        let needed = runs_without_contrary(rare, rates.beta);
        design.executions = design.executions.max(needed).min(rules::EXECUTIONS_MAX);
    }
    Ok(design.rule()?.into())
}

/// What a rule finds with probability `1 - beta`, below and above what it tolerates.
fn found(rule: &Rule, expected: &Probability, beta: f64) -> [Option<f64>; 2] {
    if let Rule::Sequential(rule) = rule {
        return rule.found();
    }
    // Farther away is found sooner; the interval is halved down to a thousandth.
    let chart = rule.chart();
    let side = |mut near: f64, mut far: f64| {
        let finds = |q: f64| chart.at(q).fail >= 1.0 - beta;
        if !finds(far) {
            return None;
        }
        while (near - far).abs() > 0.001 {
            let middle = f64::midpoint(near, far);
            *(if finds(middle) { &mut far } else { &mut near }) = middle;
        }
        Some(far)
    };
    [side(expected.least, 0.0), side(expected.greatest, 1.0)]
}
