//! What is to be expected of a suite on a platform.

use punctual_campaign::platform::plan::Expected;

use crate::view::expected as view;

/// What is to be expected, if the system needs so long for a reset, in nanoseconds.
#[must_use]
pub fn expected(found: &Expected, reset_ns: u64) -> view::Expected {
    const HOUR: f64 = 3.6e12;
    let run = |it: f64| (it + reset_ns as f64) / HOUR;
    let steps = || found.cases.iter().flat_map(|it| &it.steps);
    view::Expected {
        steps: steps().count(),
        in_one_run: steps().sum(),
        hours_once: found.cases.iter().map(|it| run(it.run_ns)).sum(),
        hours: found.cases.iter().map(|it| it.tries.map(|tries| tries * run(it.run_ns))).sum(),
        cases: (found.cases.iter())
            .map(|it| view::Case {
                name: it.name.clone(),
                steps: it.steps.clone(),
                tries: it.tries,
            })
            .collect(),
        costs: (found.costs.iter())
            .map(|(name, steps)| view::Cost { name: name.clone(), steps: *steps })
            .collect(),
    }
}
