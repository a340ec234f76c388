//! Simulated suites: how often any right case fails, and any deviating case passes, beside what is stated.

use punctual_semantics::program::Chance as _;
use punctual_smc::{
    Stream,
    statistics::{
        Interval, OutOfRange,
        repeated::{Chart, Design, Rates, Rule, Step, any},
    },
};

use super::Scale;

/// The cases of a suite.
const CASES: u64 = 50;

/// The rates of a suite.
const RATES: Rates = Rates { alpha: 0.05, beta: 0.05 };

/// What simulated suites had.
pub(super) struct Simulation {
    pub(super) suites: u32,
    pub(super) alarms: Rate,
    pub(super) misses: Rate,
}

/// A rate that was stated, exactly, and how often it happened.
pub(super) struct Rate {
    pub(super) at_most: f64,
    pub(super) stated: f64,
    pub(super) seen: f64,
    /// The standard error of what was seen.
    pub(super) error: f64,
}

struct Case {
    rule: Rule,
    chart: Chart,
    /// The probability of a right system, and of one that deviates as little as is found.
    right: f64,
    deviating: f64,
}

pub(super) fn simulate(scale: Scale) -> Result<Simulation, OutOfRange> {
    let mut stream = Stream::of_run(scale.seed, 0);
    let rates = RATES.divided(CASES, 1)?;
    let mut cases = Vec::new();
    while cases.len() < CASES as usize {
        let expected = stream.unit();
        let tolerance = if cases.len() % 2 == 0 { 0.05 } else { 0.0 };
        let Rates { alpha, beta } = rates;
        let design = Design { alpha, beta, ..Design::exact(expected).within(tolerance) };
        let rule = design.rule()?;
        // Right systems use their tolerance up, where false alarms are most likely. By chance below or
        // above, where both are found.
        let Interval { low, high } = design.tolerated;
        let right = if stream.unit() < 0.5 { low } else { high };
        let found: Vec<f64> = rule.found().into_iter().flatten().collect();
        let rule = Rule::from(rule);
        let below = (stream.unit() * found.len() as f64) as usize;
        if let Some(&deviating) = found.get(below) {
            cases.push(Case { chart: rule.chart(), rule, right, deviating });
        }
    }
    let alarm = any(cases.iter().map(|it| it.chart.at(it.right).fail));
    let miss = any(cases.iter().map(|it| it.chart.at(it.deviating).pass));
    let (mut alarms, mut misses) = (0, 0);
    for suite in 1..=scale.suites {
        let mut stream = Stream::of_run(scale.seed, u64::from(suite));
        alarms += u32::from(cases.iter().any(|it| !passes(&it.rule, it.right, &mut stream)));
        misses += u32::from(cases.iter().any(|it| passes(&it.rule, it.deviating, &mut stream)));
    }
    let rate = |at_most, stated: f64, seen| Rate {
        at_most,
        stated,
        seen: f64::from(seen) / f64::from(scale.suites),
        error: (stated * (1.0 - stated) / f64::from(scale.suites)).sqrt(),
    };
    Ok(Simulation {
        suites: scale.suites,
        alarms: rate(RATES.alpha, alarm, alarms),
        misses: rate(RATES.beta, miss, misses),
    })
}

/// Executes a case until it is judged.
fn passes(rule: &Rule, q: f64, stream: &mut Stream) -> bool {
    let (mut n, mut k) = (0, 0);
    loop {
        match rule.step(n, k) {
            Step::Stop(judgement) => return judgement.passes,
            Step::Continue => {
                n += 1;
                k += u64::from(stream.unit() < q);
            }
        }
    }
}

impl Simulation {
    pub(super) fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (name, rate) in [("false alarms", &self.alarms), ("misses", &self.misses)] {
            let Rate { at_most, stated, seen, error } = rate;
            if stated > at_most {
                problems.push(format!("{name}: {stated:.4} is stated, {at_most} was asked for"));
            }
            if (seen - stated).abs() > 3.0 * error {
                problems.push(format!("{name} of suites: {seen:.4}, stated {stated:.4}"));
            }
        }
        problems
    }
}
