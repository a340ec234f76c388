//! What an oracle says, and why.

use punctual_model::Verdict;

pub use punctual_model::Cause;

/// What an oracle says of a trace: a [`Verdict`], with a reason if it is not a pass. Running out of time, or
/// crashing, is never a pass.
#[must_use]
#[derive(Clone, PartialEq, Debug)]
pub enum Judgement<D> {
    /// Everything that was seen is allowed.
    Pass,
    /// Nothing can be said about the system.
    Inconclusive(D),
    /// The system did what it must not do.
    Fail(D),
}

impl<D> Judgement<D> {
    /// Whether it is a pass.
    #[must_use]
    pub fn is_pass(&self) -> bool {
        matches!(self, Judgement::Pass)
    }

    /// Whether it is a fail.
    #[must_use]
    pub fn is_fail(&self) -> bool {
        matches!(self, Judgement::Fail(_))
    }

    /// The verdict, without its reason.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self {
            Judgement::Pass => Verdict::Pass,
            Judgement::Inconclusive(_) => Verdict::Inconclusive,
            Judgement::Fail(_) => Verdict::Fail,
        }
    }

    /// Why it is not a pass.
    #[must_use]
    pub fn reason(&self) -> Option<&D> {
        match self {
            Judgement::Pass => None,
            Judgement::Inconclusive(reason) | Judgement::Fail(reason) => Some(reason),
        }
    }

    /// The same verdict with its reason in other words.
    pub fn map<E>(self, tell: impl FnOnce(D) -> E) -> Judgement<E> {
        match self {
            Judgement::Pass => Judgement::Pass,
            Judgement::Inconclusive(reason) => Judgement::Inconclusive(tell(reason)),
            Judgement::Fail(reason) => Judgement::Fail(tell(reason)),
        }
    }
}
