//! RQ4: how accurate verdicts are, and how many executions they take.
//!
//! `scenarios.rs` has the 420 scenarios of the paper and goes through them, exactly; `beyond.rs` compares rules with each
//! other and with the best that is possible; `suites.rs` simulates suites; `table.rs` shows all.

mod beyond;
mod scenarios;
mod suites;
mod table;

use punctual_smc::statistics::{OutOfRange, repeated::Paper};

use super::Answer;
use beyond::Comparison;
use scenarios::Scenarios;
use suites::Simulation;

/// How much is computed.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    pub(super) suites: u32,
    pub(super) seed: u64,
    /// False alarms are looked at each multiple of this many thousandths.
    pub(super) thousandths: usize,
    /// Prices of executions for which the optimum is computed.
    pub(super) prices: usize,
}

impl Scale {
    pub(super) const FULL: Self = Self { suites: 10_000, seed: 1, thousandths: 1, prices: 14 };
    pub(super) const SMALL: Self = Self { thousandths: 37, prices: 4, ..Self::FULL };
}

/// The limits of executions in the paper.
fn limits() -> impl Iterator<Item = u64> {
    (10..=400).step_by(10)
}

/// All that was found.
struct Found {
    /// The rule of the paper, for each limit.
    paper: Vec<(u64, Scenarios)>,
    comparisons: Vec<Comparison>,
    simulation: Simulation,
}

pub(super) fn answer(scale: Scale, say: impl Fn(&str)) -> Result<Answer, OutOfRange> {
    say("420 scenarios with 40 limits");
    let mut paper = Vec::new();
    for limit in limits() {
        let rule = |p| Ok(Paper::exact(p, 0.95, limit)?.into());
        paper.push((limit, Scenarios::of(rule)?));
    }
    say("rules beside the optimum");
    let comparisons = beyond::compare(scale)?;
    say("simulated suites");
    let simulation = suites::simulate(scale)?;
    say("done");
    let found = Found { paper, comparisons, simulation };
    Ok(Answer { tables: found.tables(), files: found.files(), problems: found.problems() })
}

impl Found {
    fn with_limit(&self, limit: u64) -> &Scenarios {
        let found = self.paper.iter().find(|(it, _)| *it == limit);
        &found.expect("the limit is one of the paper's").1
    }

    /// What is not as it should be.
    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let mut expect = |what: &str, value: f64, expected: f64, tolerance: f64| {
            if (value - expected).abs() > tolerance {
                problems.push(format!("{what} is {value:.4}, and should be {expected}"));
            }
        };
        let at_100 = self.with_limit(100);
        expect("the accuracy of the paper's rule", at_100.accuracy(0), 0.809, 0.0005);
        expect("its number of executions", at_100.executions(), 90.6, 0.05);
        expect("its number of executions where right", at_100.executions_where_right(), 93.4, 0.05);
        expect("its first quartile", at_100.accuracies().quantile(0.25), 0.864, 0.0005);
        expect("its accuracy at 0.15", at_100.accuracy_at(3), 0.683, 0.0005);
        expect("that with 30", self.with_limit(30).accuracy_at(3), 0.231, 0.0005);
        problems.extend(self.comparisons.iter().flat_map(Comparison::problems));
        problems.extend(self.simulation.problems());
        problems
    }
}
