//! Examples: what steering did in each step of a labelled test, and whether it was right.
//!
//! Only a test that passes after steering teaches anything: where it does not, steering did not
//! change the verdict. All changes of a test that should pass are right, also those that were made
//! before they show. Of a test that should not pass, the farthest changes are wrong.
//!
//! DIFFERENCE(gay15): the thesis calls each changed step of a test that should not pass incorrect.
//! A system that is three seconds late is one and two seconds late before that, so small changes
//! would be as incorrect as the one that is too large. We leave out steps in which each variable
//! changes by less than in another step of the test: tolerances are windows around no change, and a
//! test that is not in them has its farthest change outside. Tests: below.

use num_traits::{Signed, Zero};
use punctual_model::VarId;
use punctual_model::lustre::{Rational, Value};

use crate::Judgement;
use crate::steering::measure::Label;
use crate::steering::outcome::{Change, Outcome, StepReport};
use crate::steering::policy;

/// What steering did in a step, and whether it was right.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// By how much each steerable variable was changed, in order.
    pub changes: Vec<Rational>,
    /// Whether the changes were right.
    pub class: Class,
}

/// Whether steering a step was right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The step was not steered, or the test did not pass with its changes.
    NotChanged,
    /// The step was steered, and the test passes but should not.
    ChangedIncorrect,
    /// The step was steered, and the test passes as it should.
    ChangedCorrect,
}

/// The examples of a test with this many steps; none if nobody knows its verdict.
#[must_use]
pub fn examples(
    steerable: &[VarId],
    n_steps: usize,
    outcome: &Outcome,
    label: Label,
) -> Vec<Example> {
    let nothing =
        Example { changes: vec![Rational::zero(); steerable.len()], class: Class::NotChanged };
    let steps = match outcome.verdict {
        Judgement::Pass => &outcome.steps[..],
        Judgement::Fail(_) => &[],
        Judgement::Inconclusive(_) => return Vec::new(),
    };
    let class = match label.should_pass() {
        true => Class::ChangedCorrect,
        false => Class::ChangedIncorrect,
    };
    let n_unchanged = n_steps.saturating_sub(steps.len());
    let mut examples = vec![nothing.clone(); n_unchanged];
    for step in steps {
        if class == Class::ChangedIncorrect && !is_farthest(step, steps) {
            continue;
        }
        let mut example = Example { class, ..nothing.clone() };
        for change in &step.changes {
            if let Some(at) = steerable.iter().position(|it| *it == change.var) {
                example.changes[at] = policy::adjustment(change.from, change.to);
            }
        }
        examples.push(example);
    }
    examples
}

/// Whether a step changes some variable as far as no other step does. Events just happen: there is
/// no farther one.
fn is_farthest(step: &StepReport, steps: &[StepReport]) -> bool {
    let changes = || steps.iter().flat_map(|it| &it.changes);
    let by = |change: &Change| policy::adjustment(change.from, change.to);
    step.changes.iter().any(|change| {
        let is_number = matches!(change.from, Value::Int(_) | Value::Real(_));
        let is_same =
            |it: &&Change| it.var == change.var && by(it).is_negative() == by(change).is_negative();
        !is_number || changes().filter(is_same).all(|it| by(it).abs() <= by(change).abs())
    })
}

#[cfg(test)]
mod tests {
    use punctual_model::IdVec;

    use super::*;

    fn change(var: VarId, from: Value, to: Value) -> Change {
        Change { var, from, to, low: None, high: None }
    }

    use crate::steering::doubt::Doubt;
    use crate::steering::outcome::{Before, Diagnosis, Effort, Why};

    /// A test of ten steps, of which some are steered: the first variable is a number, the second an
    /// event.
    fn classes(
        verdict: Judgement<Diagnosis>,
        label: Label,
        steered: &[&[(usize, i64)]],
    ) -> Vec<(Vec<i128>, Class)> {
        let mut ids = IdVec::<VarId, ()>::default();
        let vars = [ids.push(()), ids.push(())];
        let change = |(at, by): &(usize, i64)| match at {
            0 => change(vars[0], Value::Int(7), Value::Int(7 + by)),
            _ => change(vars[1], Value::Bool(*by < 0), Value::Bool(*by > 0)),
        };
        let step = |(step, changes): (usize, &&[(usize, i64)])| StepReport {
            step,
            // Changes that were made ahead of time do not show where they are made.
            before: Some(Rational::zero()),
            after: Rational::zero(),
            changes: changes.iter().map(change).collect(),
            differences: Vec::new(),
        };
        let outcome = Outcome {
            verdict,
            shows: Vec::new(),
            violated: Vec::new(),
            before: Before {
                first_mismatch: Some(0),
                n_mismatches: 1,
                dissimilarity: Rational::from_integer(1),
                ..Before::default()
            },
            steps: steered.iter().enumerate().map(step).collect(),
            n_steered: steered.len() as u32,
            cost: Rational::zero(),
            change: Rational::zero(),
            remaining: Rational::zero(),
            doubt: Doubt::default(),
            effort: Effort::default(),
        };
        let found = examples(&vars, 10, &outcome, label).into_iter();
        let whole = |it: Example| (it.changes.iter().map(|by| by.to_integer()).collect(), it.class);
        found.map(whole).collect()
    }

    fn changed(found: Vec<(Vec<i128>, Class)>) -> Vec<Vec<i128>> {
        found.into_iter().filter(|it| it.1 != Class::NotChanged).map(|it| it.0).collect()
    }

    #[test]
    fn all_changes_of_a_test_that_should_pass_are_right() {
        let label = Label::TimingWithinTolerance;
        let found = classes(Judgement::Pass, label, &[&[(0, 1)], &[(0, 2)], &[(1, 1)]]);
        assert_eq!(found.len(), 10);
        assert_eq!(found.iter().filter(|it| it.1 == Class::ChangedCorrect).count(), 3);
        assert_eq!(changed(found), [[1, 0], [2, 0], [0, 1]]);
    }

    #[test]
    fn the_farthest_changes_of_a_test_that_should_not_pass_are_wrong() {
        let label = Label::TimingNotInTolerance;
        let steered: [&[_]; 6] =
            [&[(0, 1)], &[(0, 3)], &[(0, -2)], &[(0, 3)], &[(0, 1), (1, 1)], &[(0, -1)]];
        let found = classes(Judgement::Pass, label, &steered);
        assert!(found.iter().all(|it| it.1 != Class::ChangedCorrect));
        assert_eq!(found.len(), 8, "two steps say nothing");
        assert_eq!(changed(found), [[3, 0], [-2, 0], [3, 0], [1, 1]]);
    }

    #[test]
    fn only_a_pass_teaches() {
        let diagnosis = || Diagnosis { step: 3, why: Why::Unexplained };
        let label = Label::TimingWithinTolerance;
        let failed = classes(Judgement::Fail(diagnosis()), label, &[&[(0, 1)]]);
        assert_eq!((failed.len(), changed(failed)), (10, Vec::<Vec<i128>>::new()));
        assert_eq!(classes(Judgement::Inconclusive(diagnosis()), label, &[&[(0, 1)]]), []);
    }
}
