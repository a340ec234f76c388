//! Cases whose outcome is left to chance: each is executed until the evidence suffices.
//!
//! Cases take turns: each round executes all that are not judged yet, so what is said depends on the outcomes of a case
//! alone, whatever runs beside it. An execution that shows something illegal fails its case at once. One that shows
//! something legal which the case does not expect counts as *not seen*. One that was cut short counts as nothing.
//!
//! `options.rs`: what a user may choose. `case.rs`: a case, its rules and counts. `record.rs`: executions that were recorded. `reset.rs`: whether a system can be executed again at
//! all. `shifts.rs`: probabilities of a system that is later or earlier
//! than the model, for tolerances in time and for what is said of a failure.
//!
//! Not here: the rules (`smc::statistics::repeated`), and where probabilities come from (`testgen::uio`).

mod case;
mod options;
mod record;
mod reset;
mod shifts;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use punctual_model::testing::suite::Case;
use punctual_smc::statistics::Interval;
use punctual_smc::statistics::repeated::{Dependence, Executed, Rates, dependence_together};

use crate::plan::{Guide, Plan};
use crate::pool::Pool;
use crate::run::{Recording, Trouble, many};

pub use case::{Illegal, Repeated, Sequence};
pub use options::{Options, Tolerance};
pub use record::{Campaign, Outcome, campaigns, recorded};
pub(crate) use record::{begin, told};
pub use reset::resets;
pub use shifts::{Least, Shifts, Told};

/// Prepares the cases of a suite. `within` has what a tolerance in time allows ([`Shifts::within`]): for each case, and each thing that it is
/// judged by, the probabilities.
///
/// # Errors
/// If a case has no probability, or a number is out of range.
pub fn prepare(
    cases: &[Case],
    options: &Options,
    within: Option<&[Vec<Interval>]>,
) -> Result<Vec<Repeated>, String> {
    let sequences = |case: &Case| match case.chance.as_ref().map(|it| it.ending.is_some()) {
        Some(true) => 2,
        _ => 1,
    };
    if let Tolerance::Probability(tolerance) = options.tolerance
        && !(0.0..1.0).contains(&tolerance)
    {
        return Err(format!("a tolerance of {tolerance} must be at least 0 and below 1"));
    }
    let n = cases.len().max(1) as u64;
    let each = |(at, case): (usize, &Case)| -> Result<Repeated, String> {
        let rates = Rates { alpha: options.alpha, beta: options.beta };
        let of = if options.each { 1 } else { n };
        let rates = rates.divided(of, sequences(case)).map_err(|why| why.to_string())?;
        let within = within.and_then(|within| within.get(at)).map(Vec::as_slice);
        Repeated::new(case, options, rates, within)
    };
    cases.iter().enumerate().map(each).collect()
}

/// Repeats all cases of a plan until each is judged. Executions that are `known` are not made again. `progress` is told how many executions were made, and of how many cases the
/// verdict is known.
///
/// # Errors
/// If the system could not be started or reached, or nothing can be recorded; what was judged before stays.
pub fn repeat(
    plan: &Plan,
    cases: &mut [Repeated],
    options: &Options,
    n_threads: usize,
    (recording, known): (Option<&Recording>, &BTreeMap<u64, Outcome>),
    stops: &AtomicBool,
    mut progress: impl FnMut(u64, usize),
) -> Result<(), Trouble> {
    let n_cases = cases.len() as u64;
    let (mut round, mut n_runs) = (0, 0);
    let mut done = Ok(());
    let pool = Pool::default();
    loop {
        let open: Vec<u64> = (0..n_cases).filter(|at| !cases[*at as usize].is_over()).collect();
        if open.is_empty() || stops.load(Ordering::Relaxed) || done.is_err() {
            break;
        }
        let mut runs: Vec<u64> = open.iter().map(|at| round * n_cases + at).collect();
        runs.retain(|run| match known.get(run) {
            None => true,
            Some(outcome) => {
                n_runs += 1;
                cases[(run % n_cases) as usize].take(outcome);
                false
            }
        });
        done = many(
            plan,
            runs.into_iter(),
            (n_threads, &pool),
            recording,
            (stops, &|_| None, Guide::default()),
            |finished| {
                n_runs += 1;
                if let Some(outcome) = Outcome::finished(&finished) {
                    cases[(finished.run % n_cases) as usize].take(&outcome);
                }
                progress(n_runs, cases.iter().filter(|case| case.is_over()).count());
                true
            },
        );
        round += 1;
    }
    finish(cases, options);
    done
}

/// Looks whether outcomes of a case depend on each other. Half of the rate of false alarms is for all executions together.
fn finish(cases: &mut [Repeated], options: &Options) {
    let n_cases = cases.len().max(1) as f64;
    let rate = if options.each { options.alpha } else { options.alpha / 2.0 / n_cases };
    cases.iter_mut().for_each(|case| case.finish(rate));
}

/// Whether outcomes depend on those of the executions before, whatever case these were of, as chance would hardly make them: a system that takes turns
/// while cases take turns. None if there is only one case, whose own dependence says all.
#[must_use]
pub fn together(cases: &[Repeated], options: &Options) -> Option<Dependence> {
    if cases.len() < 2 {
        return None;
    }
    let rate = if options.each { options.alpha } else { options.alpha / 2.0 };
    let rules: Vec<_> = cases.iter().map(|case| move |n: u64, k: u64| case.goes_on(n, k)).collect();
    let executed = |(case, goes_on)| {
        let (numbers, outcomes) = Repeated::looked_at(case);
        Executed { numbers, outcomes, goes_on }
    };
    let all: Vec<Executed<'_>> = cases
        .iter()
        .zip(rules.iter().map(|it| it as &dyn Fn(u64, u64) -> bool))
        .map(executed)
        .collect();
    dependence_together(&all, rate)
}
