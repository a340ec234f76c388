//! Samples without a step: what they must show, and what is said of a test where they do not.

use punctual_model::lustre::Value;
use punctual_oracle::Judgement;
use punctual_oracle::steering::{Diagnosis, Obstacle, Oracle, Why};

use super::align::Between;

/// A sample without a step.
#[derive(Clone, PartialEq, Debug)]
pub struct Extra {
    pub(crate) between: Between,
    /// What the system showed, in the order of the columns.
    pub(crate) system: Vec<Value>,
}

/// The sample that is told of a test, given what the system showed in each step; None if all show what they must.
pub(crate) fn found<'e>(
    oracle: &Oracle,
    seen: &[&[Value]],
    extra: &'e [Extra],
) -> Option<&'e Extra> {
    let strays = extra.iter().filter(|it| it.is_stray(oracle, seen));
    // A fail is told rather than what is not known.
    strays.min_by_key(|it| !it.judgement().is_fail())
}

impl Extra {
    /// Whether it shows what neither the step before nor the one behind it shows.
    fn is_stray(&self, oracle: &Oracle, seen: &[&[Value]]) -> bool {
        let setup = oracle.setup();
        let is_like = |step: usize| {
            let Some(seen) = seen.get(step) else { return false };
            let mut all = setup.compared.iter().zip(&setup.metric.scales);
            all.all(|(var, scale)| {
                let at = setup.columns.iter().position(|it| it == var);
                let both = at.and_then(|at| seen.get(at).zip(self.system.get(at)));
                both.is_some_and(|(step, own)| scale.is_equal(*step, *own))
            })
        };
        let Between { before, behind, .. } = self.between;
        !before.is_some_and(is_like) && !behind.is_some_and(is_like)
    }

    /// The verdict if it is stray. Nothing says what the model shows before its first step, or what the system showed in a step that
    /// has no sample.
    pub(crate) fn judgement(&self) -> Judgement<Diagnosis> {
        let Between { before, behind, is_open } = self.between;
        let is_open = is_open || before.is_none();
        let step = before.or(behind).unwrap_or_default();
        let diagnosis = Diagnosis { step, why: Why::Stray { is_open } };
        match is_open {
            true => Judgement::Inconclusive(diagnosis),
            false => Judgement::Fail(diagnosis),
        }
    }

    /// Whether it is told rather than what steering says of the test. A fail stays, and what is wrong is wrong, whatever is not known of the
    /// steps; but where the model says nothing of a step that the sample may belong to, or of one before, the system may show anything.
    pub(crate) fn overrules(&self, verdict: &Judgement<Diagnosis>) -> bool {
        let last = self.between.behind.or(self.between.before);
        match verdict {
            Judgement::Pass => true,
            Judgement::Fail(_) => false,
            Judgement::Inconclusive(why) => {
                let is_silent =
                    matches!(why.why, Why::Unassumed | Why::Obstacle(Obstacle::Model(_)));
                let is_later = last.is_some_and(|last| why.step > last);
                self.judgement().is_fail() && (!is_silent || is_later)
            }
        }
    }

    /// The same in words, about the step of the verdict.
    pub(crate) fn explain(&self) -> String {
        let Between { before, behind, is_open } = self.between;
        let (what, place) = match (before, behind) {
            (Some(_), Some(_)) => (
                "a sample behind it belongs to no step, and shows neither what this step nor what the next one shows",
                "in between",
            ),
            (Some(_), None) => (
                "a sample behind it belongs to no step, and does not show what this step shows",
                "behind it",
            ),
            (None, _) => (
                "a sample before it belongs to no step, and does not show what this step shows",
                "there",
            ),
        };
        match (before, is_open) {
            (_, true) => format!(
                "{what}; a step {place} has no sample, so it is not known whether the model shows it there"
            ),
            (None, false) => format!(
                "{what}; it is before the first step, and nothing says what the model shows there"
            ),
            (Some(_), false) => what.to_owned(),
        }
    }
}
