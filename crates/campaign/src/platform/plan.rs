//! Before hardware is booked: how much of a suite a platform can exercise, in how many tries, and whose delays cost most.
//!
//! Each value that makes a difference has a time in which it may arrive; delays say with which probability it does. A step happens as intended if
//! all values up to it do. That is pessimistic, since a value that misses its time may make no difference, or none after some steps.

use punctual_smc::delays;
use punctual_testgen::platform::{Aims, Extent};

use super::evidence::SURE;
use super::table;
use crate::plan::Plan;

/// What is to be expected of a suite.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Expected {
    /// Its cases.
    pub cases: Vec<ExpectedCase>,
    /// The variables outside that are set, and how many steps are lost by each in one run of all cases, the most first: expected numbers, if the others were in
    /// time.
    pub costs: Vec<(String, f64)>,
}

/// What is to be expected of a case.
#[derive(Clone, PartialEq, Debug)]
pub struct ExpectedCase {
    /// Its name.
    pub name: String,
    /// For each step, the probability that one run has it as intended.
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
    let platform = &*mounted.platform;
    let mut found = Expected::default();
    let mut costs: Vec<(String, f64)> = Vec::new();
    for case in &suite.cases {
        let table = table(case)?;
        let n = table.steps.len();
        let (machine, extent) = (steps.machine(), Extent::Needed);
        let aims = Aims::new(machine, platform, &mounted.outside, table, extent).ok()?;
        let mut in_time = vec![1.0_f64; n];
        for window in aims.windows(platform) {
            let delay = &platform.inputs[window.line].delay;
            let (early, late) = window.around_ns;
            let arrives = delays::below(delay, delay.mean() + late)
                - early.map_or(0.0, |early| delays::below(delay, delay.mean() - early));
            let arrives = arrives.clamp(0.0, 1.0);
            in_time[window.step] *= arrives;
            let name = &platform.inputs[window.line].outside;
            let lost = (1.0 - arrives) * (n - window.step) as f64;
            match costs.iter_mut().find(|(it, _)| it == name) {
                Some((_, cost)) => *cost += lost,
                None => costs.push((name.clone(), lost)),
            }
        }
        let mut so_far = 1.0;
        let steps: Vec<f64> = (in_time.iter())
            .map(|it| {
                so_far *= it;
                so_far
            })
            .collect();
        let last = steps.last().copied().unwrap_or(1.0);
        let tries = match last {
            last if last >= SURE => Some(1.0),
            last if last > 0.0 => Some(((1.0 - SURE).ln() / (1.0 - last).ln()).ceil()),
            _ => None,
        };
        // The first values are sent some steps before the first step, and the last responses come some time after the last one.
        let around = punctual_testgen::platform::LEAD + 3.0;
        let run_ns = (n as f64 + around) * platform.step_ns as f64 + platform.longest();
        let run_ns = run_ns + mounted.patience_ns() as f64;
        found.cases.push(ExpectedCase { name: case.name.clone(), steps, run_ns, tries });
    }
    costs.retain(|(_, cost)| *cost > 1e-9);
    costs.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found.costs = costs;
    Some(found)
}
