//! Tolerances and budgets from the labelled tests of a plan.
//!
//! What is said of a budget holds only for tests that had no part in what it goes with: tolerances are made as narrow as the
//! tests that they are learned from allow, so these tests need little, by construction. So if there are enough, every second of
//! the tests that should pass is *kept apart* from tolerances, and the budget is learned from these. A test that should pass
//! and does not needs more than any budget; it is counted, and never left out.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use punctual_model::VarId;
use punctual_model::lustre::Rational;
use punctual_oracle::steering::learn::{
    Example, Learned, Options, Tuned, examples, learn as learn_from, tune,
};
use punctual_oracle::steering::{Label, Measure, Outcome};

use super::load::Plan;
use super::run::{Judged, run};
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
    /// What tests that should pass need at most with the tuned windows.
    pub budget: Budget,
    /// The same with the tolerances of the plan; None if it has none.
    pub given: Option<Budget>,
}

/// Below so many tests that should pass, none is kept apart: a budget from fewer than half of these says little.
const KEPT_APART_MIN: usize = 40;

/// What the costliest of some tests needs, so that it can be all that is allowed.
///
/// If tests come one as likely as another, none of these fails, and the tolerances were not learned from them, a further acceptable
/// one needs more changes of a variable than all of `n` before with a probability of `1 / (n + 1)` at most. The budget has a limit for
/// each variable and one for the cost, and a further test that exceeds any of them fails: [`Budget::risk`] is that of all together.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Budget {
    /// How many tests that should pass it is learned from.
    pub tests: u64,
    /// How many of them do not pass: they need more than any budget.
    pub failed: u64,
    /// Whether the tolerances were not learned from the same tests.
    pub is_apart: bool,
    /// In how many steps of a test each variable was changed at most; one that never was is left out.
    pub steps: BTreeMap<VarId, u32>,
    /// What all changes of a test cost at most.
    pub cost: Rational,
    /// How many variables may be changed: each has a limit, also if that is 0.
    pub variables: usize,
}

impl Budget {
    /// The probability that a further acceptable test exceeds any limit of the budget, at most.
    #[must_use]
    pub fn risk(&self) -> f64 {
        (self.limits() as f64 / (self.tests + 1) as f64).min(1.0)
    }

    /// One for each variable, and one for the cost.
    #[must_use]
    pub fn limits(&self) -> usize {
        self.variables + 1
    }

    /// Adds a test that should pass.
    fn add(&mut self, outcome: &Outcome) {
        self.tests += 1;
        if !outcome.verdict.is_pass() {
            return self.failed += 1;
        }
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

/// The tests that should pass and that no tolerance is learned from: every second one, if there are enough.
fn kept_apart(plan: &Plan) -> BTreeSet<(String, usize)> {
    let right: Vec<&(String, usize)> = plan.labels.right().collect();
    match right.len() < KEPT_APART_MIN {
        true => BTreeSet::new(),
        false => right.into_iter().skip(1).step_by(2).cloned().collect(),
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
    let apart = kept_apart(plan);
    let is_apart = |judged: &Judged| apart.contains(&(judged.system.name.clone(), judged.test));
    let mut data: Vec<Example> = Vec::new();
    let variables = plan.steerable.len();
    let mut given = Budget { is_apart: true, variables, ..Budget::default() };
    let is_whole = run(plan, &oracle, None, n_threads, stop, |judged| {
        if judged.label.is_some_and(Label::should_pass) {
            given.add(&judged.outcome);
        }
        if let Some(label) = judged.label.filter(|_| !is_apart(&judged)) {
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
                if let Some(label) = judged.label.filter(|_| !is_apart(&judged)) {
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
            let is_apart_from_these = !apart.is_empty();
            let mut budget =
                Budget { is_apart: is_apart_from_these, variables, ..Budget::default() };
            let is_whole = run(plan, &oracle, None, n_threads, stop, |judged| {
                let is_right = judged.label.is_some_and(Label::should_pass);
                if is_right && (apart.is_empty() || is_apart(&judged)) {
                    budget.add(&judged.outcome);
                }
                ControlFlow::Continue(())
            })?;
            if !is_whole {
                return Ok(None);
            }
            let given = (!plan.tolerances.conditions.is_empty()).then_some(given);
            Ok(Some(Lesson { learned, tuned, measure, budget, given }))
        }
        _ => Ok(None),
    }
}
