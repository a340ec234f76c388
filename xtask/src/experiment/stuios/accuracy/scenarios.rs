//! The 420 scenarios: 20 expected probabilities, 21 actual ones, in twentieths.

use punctual_smc::statistics::{
    OutOfRange,
    repeated::{Chances, Rule},
};

/// The number of scenarios.
pub(super) const SCENARIOS: usize = 20 * 21;

/// What a rule says of all scenarios.
pub(super) struct Scenarios(Vec<Scenario>);

struct Scenario {
    /// How far the actual probability is from the expected one, in twentieths.
    discrepancy: usize,
    chances: Chances,
}

impl Scenario {
    /// The chance of the right judgement, if so many twentieths are tolerated.
    fn accuracy(&self, tolerated: usize) -> f64 {
        if self.discrepancy <= tolerated { self.chances.pass } else { self.chances.fail }
    }
}

impl Scenarios {
    pub(super) fn of(rule: impl Fn(f64) -> Result<Rule, OutOfRange>) -> Result<Self, OutOfRange> {
        let mut found = Vec::with_capacity(SCENARIOS);
        for expected in 1..=20usize {
            let chart = rule(expected as f64 / 20.0)?.chart();
            for actual in 0..=20 {
                let chances = chart.at(actual as f64 / 20.0);
                found.push(Scenario { discrepancy: expected.abs_diff(actual), chances });
            }
        }
        Ok(Self(found))
    }

    /// The accuracy of each scenario, where nothing is tolerated, as in Figure 13.
    pub(super) fn accuracies(&self) -> Values {
        Values::new(self.0.iter().map(|it| it.accuracy(0)))
    }

    /// The average executions of each scenario, as in Figure 14.
    pub(super) fn all_executions(&self) -> Values {
        Values::new(self.0.iter().map(|it| it.chances.executions))
    }

    pub(super) fn accuracy(&self, tolerated: usize) -> f64 {
        mean(self.0.iter().map(|it| it.accuracy(tolerated)))
    }

    /// The accuracy at a discrepancy of so many twentieths, as in Figure 15.
    pub(super) fn accuracy_at(&self, discrepancy: usize) -> f64 {
        let some = self.0.iter().filter(|it| it.discrepancy == discrepancy);
        mean(some.map(|it| it.accuracy(0)))
    }

    pub(super) fn executions(&self) -> f64 {
        mean(self.0.iter().map(|it| it.chances.executions))
    }

    /// The executions of systems that are as expected.
    pub(super) fn executions_where_right(&self) -> f64 {
        let right = self.0.iter().filter(|it| it.discrepancy == 0);
        mean(right.map(|it| it.chances.executions))
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0), |(sum, n), it| (sum + it, n + 1));
    sum / f64::from(n)
}

/// Numbers in order.
pub(super) struct Values(Vec<f64>);

impl Values {
    fn new(values: impl Iterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        Self(values)
    }

    /// By linear interpolation between neighbours.
    pub(super) fn quantile(&self, share: f64) -> f64 {
        let place = share * (self.0.len() - 1) as f64;
        let (low, high) = (place.floor() as usize, place.ceil() as usize);
        self.0[low] + (self.0[high] - self.0[low]) * place.fract()
    }

    pub(super) fn mean(&self) -> f64 {
        mean(self.0.iter().copied())
    }

    /// The lower whisker of a box plot as the paper draws it: 1.5 boxes below the box, as far as there are
    /// values.
    pub(super) fn whisker(&self) -> f64 {
        let (low, high) = (self.quantile(0.25), self.quantile(0.75));
        let bound = low - 1.5 * (high - low);
        self.0.iter().copied().find(|it| *it >= bound).unwrap_or(low)
    }
}
