//! Tolerances from the labelled tests of a plan.

use std::sync::atomic::AtomicBool;

use punctual_oracle::steering::Measure;
use punctual_oracle::steering::learn::{
    Example, Learned, Options, Tuned, examples, learn as learn_from, tune,
};

use super::load::Plan;
use super::run::run;
use crate::problem::Problem;

/// How often windows are widened or shrunk at most.
const TUNED_MAX: i64 = 50;

/// What was learned from a plan.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// Treatments, and the windows that follow from them.
    pub learned: Learned,
    /// The same windows, widened or shrunk against the labels.
    pub tuned: Tuned,
    /// How good verdicts are with the windows as they were learned.
    pub measure: Measure,
}

/// Steers all labelled tests with the tolerances of the plan, learns which changes were right, and
/// tunes the result. None if there is nothing to learn from, or the user stopped it.
///
/// # Errors
/// If a trace can not be read.
pub fn learn(
    plan: &Plan,
    options: &Options,
    n_threads: usize,
    stop: &AtomicBool,
) -> Result<Option<Lesson>, Problem> {
    let oracle = plan.oracle()?;
    let mut data: Vec<Example> = Vec::new();
    run(plan, &oracle, None, n_threads, stop, |judged| {
        if let Some(label) = judged.label {
            data.extend(examples(&plan.steerable, judged.steps.len(), &judged.outcome, label));
        }
    })?;
    let learned = learn_from(&plan.steerable, &data, options);
    drop(data);
    let mut problem = None;
    let mut first = None;
    let tuned = tune(&plan.program, &learned.windows, TUNED_MAX, |windows| {
        let tolerances = windows.to_tolerances(&plan.program);
        let measured = plan.oracle_with(tolerances, plan.steerable.clone()).and_then(|oracle| {
            let mut measure = Measure::default();
            run(plan, &oracle, None, n_threads, stop, |judged| {
                if let Some(label) = judged.label {
                    measure.add(label, judged.outcome.verdict.is_pass());
                }
            })?;
            Ok(measure)
        });
        match measured {
            Ok(_) if stop.load(std::sync::atomic::Ordering::Relaxed) => None,
            Ok(measure) => {
                first.get_or_insert(measure);
                Some(measure)
            }
            Err(error) => {
                problem = Some(error);
                None
            }
        }
    });
    match (problem, tuned, first) {
        (Some(problem), ..) => Err(problem),
        (None, Some(tuned), Some(measure)) => Ok(Some(Lesson { learned, tuned, measure })),
        _ => Ok(None),
    }
}
