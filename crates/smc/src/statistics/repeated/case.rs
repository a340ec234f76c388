//! A case that is judged by one or two sequences of outputs: its own, and with its unique sequence.
//!
//! The case fails as soon as either fails, and passes when both pass. It is reliable if what it was
//! judged by is reliable: the sequence that fails, or both that pass. Executions that were made at the same time
//! are handed in by their number, so that the judgement does not depend on which ended first.

use super::{Judgement, Rule, Step};

/// What one sequence of a case has counted.
#[derive(Clone, PartialEq, Debug)]
struct Sequence {
    rule: Rule,
    n: u64,
    k: u64,
    step: Step,
}

/// A case under repetition.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    sequences: Vec<Sequence>,
    executions: u64,
}

impl Case {
    /// A case that was not executed yet.
    ///
    /// # Panics
    /// Without a rule.
    #[must_use]
    pub fn new(rules: impl IntoIterator<Item = Rule>) -> Self {
        let start = |rule| Sequence { rule, n: 0, k: 0, step: Step::Continue };
        let sequences: Vec<_> = rules.into_iter().map(start).collect();
        assert!(!sequences.is_empty(), "a case is judged by something");
        Self { sequences, executions: 0 }
    }

    /// Counts one execution: for each sequence, whether it was seen. A judged case counts no more.
    ///
    /// # Panics
    /// If there are more or fewer answers than sequences.
    pub fn observe(&mut self, seen: &[bool]) {
        assert_eq!(seen.len(), self.sequences.len(), "an answer for each sequence");
        if self.step() != Step::Continue {
            return;
        }
        self.executions += 1;
        for (sequence, &seen) in self.sequences.iter_mut().zip(seen) {
            if keeps(&sequence.rule, sequence.step, sequence.n) {
                continue;
            }
            sequence.n += 1;
            sequence.k += u64::from(seen);
            sequence.step = sequence.rule.step(sequence.n, sequence.k);
        }
    }

    /// What the executions say so far.
    #[must_use]
    pub fn step(&self) -> Step {
        both(self.sequences.iter().map(|it| it.step))
    }

    /// How often the case was executed.
    #[must_use]
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// For each sequence: the executions that its rule has counted, and how often it was seen in them.
    pub fn counts(&self) -> impl Iterator<Item = (u64, u64)> {
        self.sequences.iter().map(|it| (it.n, it.k))
    }

    /// For each sequence, what its rule says.
    pub fn steps(&self) -> impl Iterator<Item = Step> {
        self.sequences.iter().map(|it| it.step)
    }

    /// For each sequence, why its rule says so.
    pub fn reasons(&self) -> impl Iterator<Item = String> {
        self.sequences.iter().map(|it| it.rule.reason(it.n, it.k))
    }
}

/// Whether a sequence keeps what it was judged to be while the other one goes on.
///
/// A sequential test that has ended has ended: to look again would be another test. The paper compares both
/// intervals after the same executions, so a sequence that would pass is looked at again.
pub(super) fn keeps(rule: &Rule, step: Step, n: u64) -> bool {
    let ended = step != Step::Continue;
    ended && (matches!(rule, Rule::Sequential(_)) || n == rule.limit())
}

/// What sequences say together.
pub(super) fn both(steps: impl IntoIterator<Item = Step>) -> Step {
    let mut together = Step::Stop(Judgement::PASS);
    for step in steps {
        together = match (together, step) {
            (Step::Stop(Judgement { passes: false, reliable: true }), _)
            | (_, Step::Stop(Judgement { passes: false, reliable: true })) => {
                Step::Stop(Judgement::FAIL)
            }
            (Step::Stop(fail @ Judgement { passes: false, .. }), _)
            | (_, Step::Stop(fail @ Judgement { passes: false, .. })) => Step::Stop(fail),
            (Step::Continue, _) | (_, Step::Continue) => Step::Continue,
            (Step::Stop(one), Step::Stop(other)) => {
                Step::Stop(Judgement { passes: true, reliable: one.reliable && other.reliable })
            }
        };
    }
    together
}
