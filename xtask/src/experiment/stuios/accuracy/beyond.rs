//! Rules beside each other, and beside the best that is possible.
//!
//! *The best that is possible* knows the 420 scenarios, which no rule does: see `repeated::Optimum`. For each
//! price of an execution it gives a line that no rule is above; what remains below all lines is the bound.

use punctual_smc::statistics::{
    OutOfRange,
    repeated::{Design, Optimum, Paper, Rule},
};

use super::Scale;
use super::scenarios::{SCENARIOS, Scenarios};

/// The executions at most.
const LIMIT: u64 = 100;

/// A rule on the scenarios.
pub(super) struct Comparison {
    pub(super) rule: String,
    /// Tolerated twentieths.
    pub(super) tolerated: usize,
    pub(super) alpha: f64,
    pub(super) accuracy: f64,
    /// The accuracy if passes within the tolerance were wrong, as the paper counts.
    pub(super) strict: f64,
    pub(super) executions: f64,
    pub(super) where_right: f64,
    /// The chance of a false alarm at the worst of 999 expected probabilities.
    pub(super) worst_alarm: f64,
    /// No rule with as many executions is more accurate than this.
    pub(super) accuracy_at_most: f64,
    /// No rule that is as accurate has fewer executions than this.
    pub(super) executions_at_least: f64,
    aim: Option<Aim>,
}

/// What was promised of a rule.
#[derive(Clone, Copy)]
struct Aim {
    accuracy: f64,
    executions: f64,
}

pub(super) fn compare(scale: Scale) -> Result<Vec<Comparison>, OutOfRange> {
    let aim = |accuracy, executions| Some(Aim { accuracy, executions });
    let ours = |tolerated, alpha, thrift| Ours { tolerated, alpha, thrift };
    let default = Design::THRIFT;
    let mut found = Vec::new();
    // The false alarms of the paper's rule on the scenarios are 0.4 % at worst.
    let lines = Lines::new(0, 0.004, scale);
    let paper = |p| Ok(Paper::exact(p, 0.95, LIMIT)?.into());
    let name = "the paper's".to_owned();
    found.push(comparison(name, (0, 0.004), &lines, scale, None, paper)?);
    for (thrift, aim) in [(default, None), (0.35, aim(0.81, 30.0))] {
        found.push(of_design(ours(0, 0.004, thrift), &lines, scale, aim)?);
    }
    let lines = Lines::new(0, 0.05, scale);
    for (thrift, aim) in [(default, aim(0.89, 40.0)), (0.35, None)] {
        found.push(of_design(ours(0, 0.05, thrift), &lines, scale, aim)?);
    }
    let lines = Lines::new(1, 0.05, scale);
    found.push(of_design(ours(1, 0.05, default), &lines, scale, aim(0.82, 40.0))?);
    Ok(found)
}

/// A sequential rule.
struct Ours {
    /// Tolerated twentieths.
    tolerated: usize,
    alpha: f64,
    thrift: f64,
}

fn of_design(
    ours: Ours,
    lines: &Lines,
    scale: Scale,
    aim: Option<Aim>,
) -> Result<Comparison, OutOfRange> {
    let Ours { tolerated, alpha, thrift } = ours;
    let name = format!("sequential, thrift {thrift}");
    comparison(name, (tolerated, alpha), lines, scale, aim, |p| {
        let design = Design::exact(p).within(tolerated as f64 / 20.0);
        Ok(Design { alpha, thrift, executions: LIMIT, ..design }.rule()?.into())
    })
}

fn comparison(
    rule: String,
    (tolerated, alpha): (usize, f64),
    lines: &Lines,
    scale: Scale,
    aim: Option<Aim>,
    make: impl Fn(f64) -> Result<Rule, OutOfRange>,
) -> Result<Comparison, OutOfRange> {
    let scenarios = Scenarios::of(&make)?;
    let (accuracy, executions) = (scenarios.accuracy(tolerated), scenarios.executions());
    let mut worst_alarm = 0.0f64;
    for thousandths in (1..1000).step_by(scale.thousandths) {
        let p = thousandths as f64 / 1000.0;
        let chart = make(p)?.chart();
        let reach = tolerated as f64 / 20.0;
        for q in [p - reach, p, p + reach] {
            worst_alarm = worst_alarm.max(chart.at(q.clamp(0.0, 1.0)).fail);
        }
    }
    Ok(Comparison {
        rule,
        tolerated,
        alpha,
        accuracy,
        strict: scenarios.accuracy(0),
        executions,
        where_right: scenarios.executions_where_right(),
        worst_alarm,
        accuracy_at_most: lines.accuracy_at_most(executions),
        executions_at_least: lines.executions_at_least(accuracy),
        aim,
    })
}

impl Comparison {
    pub(super) fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let name = format!("{} at {} and {}", self.rule, self.tolerated, self.alpha);
        if let Some(aim) = self.aim
            && (self.accuracy.min(self.strict) < aim.accuracy || self.executions > aim.executions)
        {
            let (accuracy, executions) = (self.accuracy.min(self.strict), self.executions);
            problems.push(format!("{name}: {accuracy:.4} with {executions:.1} executions"));
        }
        if self.rule.starts_with("sequential") && self.worst_alarm > self.alpha {
            problems.push(format!("{name}: false alarms {:.4}", self.worst_alarm));
        }
        if self.accuracy > self.accuracy_at_most + 1e-9 {
            problems.push(format!("{name}: more accurate than possible"));
        }
        problems
    }
}

/// For each price of an execution, the least that mistakes and executions cost together, per scenario.
struct Lines(Vec<(f64, f64)>);

impl Lines {
    fn new(tolerated: usize, alpha: f64, scale: Scale) -> Self {
        // From hardly anything to far more than the rules pay.
        let prices = (0..scale.prices).map(|i| {
            let share = i as f64 / (scale.prices - 1) as f64;
            1e-4 * 100f64.powf(share)
        });
        Self(prices.map(|price| (price, least_cost(tolerated, alpha, price))).collect())
    }

    fn accuracy_at_most(&self, executions: f64) -> f64 {
        let bounds = self.0.iter().map(|(price, cost)| 1.0 - (cost - price * executions));
        bounds.fold(1.0, f64::min)
    }

    fn executions_at_least(&self, accuracy: f64) -> f64 {
        let bounds = self.0.iter().map(|(price, cost)| (cost - (1.0 - accuracy)) / price);
        bounds.fold(1.0, f64::max)
    }
}

fn least_cost(tolerated: usize, alpha: f64, price: f64) -> f64 {
    let cost_of = |expected: usize| {
        let twentieth = |it: usize| it as f64 / 20.0;
        let (right, wrong): (Vec<usize>, Vec<usize>) =
            (0..=20).partition(|it| expected.abs_diff(*it) <= tolerated);
        let mut kept_at = vec![twentieth(right[0])];
        if right.len() > 1 {
            kept_at.push(twentieth(right[right.len() - 1]));
        }
        let [right, wrong] =
            [right, wrong].map(|it| it.into_iter().map(twentieth).collect::<Vec<f64>>());
        let (right, wrong, kept_at) = (&right[..], &wrong[..], &kept_at[..]);
        Optimum { right, wrong, kept_at, alpha, price, executions: LIMIT }.bound().at_least
    };
    (1..=20).map(cost_of).sum::<f64>() / SCENARIOS as f64
}
