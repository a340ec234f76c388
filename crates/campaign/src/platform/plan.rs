//! Before hardware is booked: how much of a suite a platform can exercise, in how many tries, and whose delays cost most.
//!
//! Delays are drawn many times, and what would happen is counted ([`Trials`]). That assumes that delays are as the file says and independent of each other, that steps
//! take as long as they should, and that what happened can be told from the outputs. Nothing is simulated but inputs and the model, so it takes little time.

use punctual_smc::Stream;
use punctual_testgen::platform::{Aims, Extent, Trials};

use super::evidence::SURE;
use super::table;
use crate::plan::Plan;

/// So often each case is tried, with all that does no harm and with only what is needed.
pub const TRIALS: u64 = 500;

/// So often with the delays of one variable alone.
const TRIALS_OF_LINE: u64 = 100;

/// What is to be expected of a suite.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Expected {
    /// Its cases.
    pub cases: Vec<ExpectedCase>,
    /// The variables outside that are set, and how many steps are lost by each in one run of all cases, the most first: expected numbers, if the others took as long as
    /// on average.
    pub costs: Vec<(String, f64)>,
}

/// What is to be expected of a case.
#[derive(Clone, PartialEq, Debug)]
pub struct ExpectedCase {
    /// Its name.
    pub name: String,
    /// For each step, the probability that the first run has it as intended.
    pub steps: Vec<f64>,
    /// How long one run takes, in nanoseconds.
    pub run_ns: f64,
    /// In how many runs each step has happened with a probability of [`SURE`] or more; none if never.
    pub tries: Option<f64>,
}

/// What is to be expected of the suite of a plan; none if it is not on a platform.
#[must_use]
pub fn expected(plan: &Plan) -> Option<Expected> {
    let steps = plan.judges.steps.as_ref()?;
    let (mounted, suite) = (steps.mounted()?, plan.judges.suite.as_ref()?);
    let (machine, platform) = (steps.machine(), &*mounted.platform);
    let n_before = mounted.n_before();
    let mut found = Expected::default();
    let mut costs: Vec<(String, f64)> = Vec::new();
    for (number, case) in suite.cases.iter().enumerate() {
        let table = table(case)?;
        let n = table.steps.len();
        let mut stream = Stream::of_run(plan.seed, number as u64);
        let mut shares = |extent: Extent| -> Option<Vec<f64>> {
            let aims = Aims::new(machine, platform, &mounted.outside, table, extent).ok()?;
            let Some(mut trials) = Trials::new(machine, platform, table, &aims, n_before) else {
                return Some(vec![0.0; n]);
            };
            let mut happened = vec![0_u64; n];
            for _ in 0..TRIALS {
                let drawn = trials.draw(None, &mut stream);
                happened.iter_mut().zip(drawn).for_each(|(sum, it)| *sum += u64::from(it));
            }
            if extent == Extent::Needed {
                let lines: std::collections::BTreeSet<usize> = trials.lines().collect();
                for line in lines.into_iter().filter(|it| platform.inputs[*it].varies()) {
                    let mut lost = 0;
                    for _ in 0..TRIALS_OF_LINE {
                        let drawn = trials.draw(Some(line), &mut stream);
                        lost += drawn.iter().filter(|it| !**it).count();
                    }
                    let name = &platform.inputs[line].outside;
                    let lost = lost as f64 / TRIALS_OF_LINE as f64;
                    match costs.iter_mut().find(|(it, _)| it == name) {
                        Some((_, cost)) => *cost += lost,
                        None => costs.push((name.clone(), lost)),
                    }
                }
            }
            Some(happened.iter().map(|it| *it as f64 / TRIALS as f64).collect())
        };
        let (first, further) = (shares(Extent::Harmless)?, shares(Extent::Needed)?);
        let tries = tries(&first, &further);
        // The first values are sent some steps before the first step, and the last responses come some time after the last one.
        let around = punctual_testgen::platform::LEAD + 3.0;
        let run_ns = (n as f64 + around) * platform.step_ns as f64 + platform.longest();
        let run_ns = run_ns + mounted.patience_ns() as f64;
        found.cases.push(ExpectedCase { name: case.name.clone(), steps: first, run_ns, tries });
    }
    costs.retain(|(_, cost)| *cost > 1e-9);
    costs.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found.costs = costs;
    Some(found)
}

/// In how many runs each step has happened with a probability of [`SURE`] or more, if it has these probabilities in the first run and in each further one.
fn tries(first: &[f64], further: &[f64]) -> Option<f64> {
    let mut most = 1.0_f64;
    for (first, further) in first.iter().zip(further) {
        if *first >= SURE {
            continue;
        }
        if *further <= 0.0 {
            return None;
        }
        let left = (1.0 - SURE) / (1.0 - first);
        let more = if *further >= 1.0 { 1.0 } else { (left.ln() / (1.0 - further).ln()).ceil() };
        most = most.max(1.0 + more.max(1.0));
    }
    Some(most)
}
