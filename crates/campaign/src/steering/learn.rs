//! Tolerances from the labelled tests of a plan.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use punctual_model::VarId;
use punctual_model::lustre::Rational;
use punctual_oracle::steering::learn::{
    Example, Learned, Options, Tuned, examples, learn as learn_from, tune,
};
use punctual_oracle::steering::{Label, Measure, Outcome};

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
    /// What the accepted tests that pass with the tuned windows need at most; None if none passes by changes.
    pub budget: Option<Budget>,
}

/// What the costliest of some tests needs, so that it can be all that is allowed.
///
/// If tests come one as likely as another, a further acceptable one needs more changes of a variable than all of `n` before with a
/// probability of `1 / (n + 1)` at most.
#[derive(Clone, PartialEq, Debug)]
pub struct Budget {
    /// How many accepted tests it is learned from.
    pub tests: u64,
    /// In how many steps of a test each variable was changed at most; one that never was is left out.
    pub steps: BTreeMap<VarId, u32>,
    /// What all changes of a test cost at most.
    pub cost: Rational,
}

impl Budget {
    /// Adds a test that passes as it should.
    fn add(&mut self, outcome: &Outcome) {
        self.tests += 1;
        self.cost = self.cost.max(outcome.cost);
        let mut steps: BTreeMap<VarId, u32> = BTreeMap::new();
        for change in outcome.steps.iter().flat_map(|step| &step.changes) {
            *steps.entry(change.var).or_default() += 1;
        }
        for (var, n) in steps {
            let most = self.steps.entry(var).or_default();
            *most = n.max(*most);
        }
    }
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
    let is_whole = run(plan, &oracle, None, n_threads, stop, |judged| {
        if let Some(label) = judged.label {
            data.extend(examples(&plan.steerable, judged.steps.len(), &judged.outcome, label));
        }
        ControlFlow::Continue(())
    })?;
    if !is_whole {
        return Ok(None);
    }
    let learned = learn_from(&plan.steerable, &data, options);
    drop(data);
    let mut problem = None;
    let mut first = None;
    let tuned = tune(&plan.program, &learned.windows, TUNED_MAX, |windows| {
        let tolerances = windows.to_tolerances(&plan.program);
        let measured = plan.oracle_with(tolerances, plan.steerable.clone()).and_then(|oracle| {
            let mut measure = Measure::default();
            let is_whole = run(plan, &oracle, None, n_threads, stop, |judged| {
                if let Some(label) = judged.label {
                    measure.add(label, judged.outcome.verdict.is_pass());
                }
                ControlFlow::Continue(())
            })?;
            Ok((measure, is_whole))
        });
        match measured {
            Ok((_, false)) => None,
            Ok((measure, true)) => {
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
        (None, Some(tuned), Some(measure)) => {
            let tolerances = tuned.windows.to_tolerances(&plan.program);
            let oracle = plan.oracle_with(tolerances, plan.steerable.clone())?;
            let (tests, cost) = (0, Rational::from_integer(0));
            let mut budget = Budget { tests, steps: BTreeMap::new(), cost };
            let is_whole = run(plan, &oracle, None, n_threads, stop, |judged| {
                let is_right = judged.label.is_some_and(Label::should_pass);
                if is_right && judged.outcome.verdict.is_pass() {
                    budget.add(&judged.outcome);
                }
                ControlFlow::Continue(())
            })?;
            if !is_whole {
                return Ok(None);
            }
            let budget = (!budget.steps.is_empty()).then_some(budget);
            Ok(Some(Lesson { learned, tuned, measure, budget }))
        }
        _ => Ok(None),
    }
}
