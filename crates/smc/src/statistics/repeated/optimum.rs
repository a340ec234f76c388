//! How good any rule could be on given scenarios: a reference for rules that do not know them.
//!
//! A rule is charged one for each wrong judgement and a price for each execution, added up over systems
//! whose probabilities are known. Backward induction over all counts gives the cheapest rule; multipliers make
//! it keep the rate of false alarms. By duality, no rule that keeps the rate is cheaper than
//! [`Bound::at_least`], not even one that throws dice.
//!
//! Such a rule is tuned to its scenarios, so it is no rule to use.

use super::{Chart, Judgement, Step};

/// Scenarios, and what a rule must keep on them.
#[derive(Clone, PartialEq, Debug)]
pub struct Optimum<'a> {
    /// The probabilities of systems that should pass.
    pub right: &'a [f64],
    /// The probabilities of systems that should fail.
    pub wrong: &'a [f64],
    /// Where the rate of false alarms is kept: one or two probabilities.
    pub kept_at: &'a [f64],
    /// The rate of false alarms.
    pub alpha: f64,
    /// What an execution costs, in wrong judgements.
    pub price: f64,
    /// The executions at most.
    pub executions: u64,
}

/// The best that a rule can do, added up over scenarios.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bound {
    /// The chances of wrong judgements of a rule that is the best up to rounding of its rate.
    pub mistakes: f64,
    /// The average executions of that rule.
    pub executions: f64,
    /// No rule has less in mistakes and price of executions together.
    pub at_least: f64,
}

/// What the ways to some counts weigh, for all counts up to the limit.
type Table = Vec<f64>;

impl Optimum<'_> {
    /// The best rule, and the bound for all rules.
    ///
    /// # Panics
    /// If the rate is kept nowhere.
    #[must_use]
    pub fn bound(&self) -> Bound {
        assert!(!self.kept_at.is_empty(), "false alarms are kept somewhere");
        let ways = |q: &f64| ways(*q, self.executions as usize);
        let sum = |points: &[f64]| {
            let mut tables = points.iter().map(ways);
            let mut sum = tables.next().unwrap_or_else(|| vec![0.0; size(self.executions)]);
            tables.for_each(|table| sum.iter_mut().zip(table).for_each(|(sum, it)| *sum += it));
            sum
        };
        let tables = Tables {
            right: sum(self.right),
            wrong: sum(self.wrong),
            kept: self.kept_at.iter().map(ways).collect(),
            price: self.price,
            limit: self.executions as usize,
        };
        // From multipliers that make all fail too dear, down as far as the rate permits: together, then
        // one by one.
        let most = (self.wrong.len() as f64 / self.alpha).ln() + 3.0;
        let mut multipliers = vec![most; self.kept_at.len()];
        let everywhere: Vec<usize> = (0..multipliers.len()).collect();
        let mut rounds = vec![everywhere.clone()];
        if everywhere.len() > 1 {
            (0..3).for_each(|_| rounds.extend(everywhere.iter().map(|&it| vec![it])));
        }
        let mut at_least = f64::MIN;
        for round in rounds {
            let top = multipliers.clone();
            let (mut good, mut bad) = (0.0, most + 10.0);
            for _ in 0..24 {
                let by = f64::midpoint(good, bad);
                let mut tried = top.clone();
                round.iter().for_each(|&it| tried[it] = top[it] - by);
                let (chart, value) = tables.best(&tried);
                let paid: f64 = tried.iter().map(|it| it.exp() * self.alpha).sum();
                at_least = at_least.max(value - paid);
                if self.kept_at.iter().all(|&q| chart.at(q).fail <= self.alpha) {
                    (good, multipliers) = (by, tried);
                } else {
                    bad = by;
                }
            }
        }
        let (chart, _) = tables.best(&multipliers);
        let mut bound = Bound { mistakes: 0.0, executions: 0.0, at_least };
        for (points, passes) in [(self.right, true), (self.wrong, false)] {
            for &q in points {
                let chances = chart.at(q);
                bound.mistakes += if passes { chances.fail } else { chances.pass };
                bound.executions += chances.executions;
            }
        }
        bound
    }
}

/// Where the counts after `n` executions begin in a table.
fn row(n: usize) -> usize {
    n * (n + 1) / 2
}

fn size(executions: u64) -> usize {
    row(executions as usize + 1)
}

/// The chance of each single order of successes and failures.
fn ways(q: f64, limit: usize) -> Table {
    let mut table = vec![1.0; row(limit + 1)];
    for n in 1..=limit {
        for k in 0..=n {
            let before = row(n - 1) + k;
            table[row(n) + k] =
                if k < n { table[before] * (1.0 - q) } else { table[before - 1] * q };
        }
    }
    table
}

struct Tables {
    right: Table,
    wrong: Table,
    kept: Vec<Table>,
    price: f64,
    limit: usize,
}

impl Tables {
    /// The cheapest rule for the logarithms of multipliers, and what it costs with them.
    fn best(&self, ln_multipliers: &[f64]) -> (Chart, f64) {
        let multipliers: Vec<f64> = ln_multipliers.iter().map(|it| it.exp()).collect();
        let mut steps = vec![Step::Continue; self.right.len()];
        let mut values = vec![0.0; self.limit + 2];
        for n in (1..=self.limit).rev() {
            for k in 0..=n {
                let at = row(n) + k;
                let kept = self.kept.iter().zip(&multipliers);
                let fail = self.right[at] + kept.map(|(table, it)| table[at] * it).sum::<f64>();
                let pass = self.wrong[at];
                let (mut value, mut step) = if pass <= fail {
                    (pass, Step::Stop(Judgement::PASS))
                } else {
                    (fail, Step::Stop(Judgement::FAIL))
                };
                if n < self.limit {
                    let price = self.price * (self.right[at] + self.wrong[at]);
                    let more = price + values[k] + values[k + 1];
                    if more < value {
                        (value, step) = (more, Step::Continue);
                    }
                }
                values[k] = value;
                steps[at] = step;
            }
        }
        let value = self.price * (self.right[0] + self.wrong[0]) + values[0] + values[1];
        let chart = Chart::new(self.limit as u64, |n, k| steps[row(n as usize) + k as usize]);
        (chart, value)
    }
}
