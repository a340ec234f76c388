//! What an oracle says.

use punctual_model::Verdict as Word;

pub use punctual_model::Cause;

/// What an oracle says of a trace. Running out of time, or crashing, is never a pass.
#[must_use]
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict<D> {
    /// Everything that was seen is allowed.
    Pass,
    /// Nothing can be said about the system.
    Inconclusive(D),
    /// The system did what it must not do.
    Fail(D),
}

impl<D> Verdict<D> {
    /// Whether it is a pass.
    #[must_use]
    pub fn is_pass(&self) -> bool {
        matches!(self, Verdict::Pass)
    }

    /// Whether it is a fail.
    #[must_use]
    pub fn is_fail(&self) -> bool {
        matches!(self, Verdict::Fail(_))
    }

    /// The verdict without its reason.
    #[must_use]
    pub fn word(&self) -> Word {
        match self {
            Verdict::Pass => Word::Pass,
            Verdict::Inconclusive(_) => Word::Inconclusive,
            Verdict::Fail(_) => Word::Fail,
        }
    }

    /// Why it is not a pass.
    #[must_use]
    pub fn reason(&self) -> Option<&D> {
        match self {
            Verdict::Pass => None,
            Verdict::Inconclusive(reason) | Verdict::Fail(reason) => Some(reason),
        }
    }

    /// The same verdict with its reason in other words.
    pub fn map<E>(self, tell: impl FnOnce(D) -> E) -> Verdict<E> {
        match self {
            Verdict::Pass => Verdict::Pass,
            Verdict::Inconclusive(reason) => Verdict::Inconclusive(tell(reason)),
            Verdict::Fail(reason) => Verdict::Fail(tell(reason)),
        }
    }
}
