//! A case with a probability beside a timed model.
//!
//! What a case of such a suite allows are readings at the exact instants of its script. The model knows when inputs were really sent, how long
//! they may be on their way and between which instants was read. So where it follows the run, it alone says that
//! something is illegal, and a reading that is not in the lists counts as *not seen*. Where the environment left its model, the instants are
//! not those of the case, and nobody is blamed. Where the model itself gave up, the lists are all that there is.

use punctual_model::{Event, Verdict};

use super::Expectations;
use crate::conformance::Session;
use crate::{Cause, Environment, Finding, Interaction, Judgement, Oracle};

/// Judges a run of a case with a probability by a timed model, and says what its checks saw.
pub struct Counted<'o> {
    model: Session<'o>,
    case: Expectations<'o>,
}

impl<'o> Counted<'o> {
    /// A model at the beginning of a run, and the expectations of the case.
    #[must_use]
    pub fn new(model: Session<'o>, case: Expectations<'o>) -> Counted<'o> {
        Counted { model, case: case.counted() }
    }
}

impl Oracle for Counted<'_> {
    fn restart(&mut self) {
        self.model.restart();
        self.case.restart();
    }

    fn event(&mut self, event: &Event) {
        self.model.event(event);
        self.case.event(event);
    }

    fn quiet(&mut self, now_ns: u64, seen_ns: u64) {
        self.model.quiet(now_ns, seen_ns);
        self.case.quiet(now_ns, seen_ns);
    }

    fn approach(&mut self, now_ns: u64, seen_ns: u64) {
        self.model.approach(now_ns, seen_ns);
        self.case.approach(now_ns, seen_ns);
    }

    /// A fail of the model is enough; otherwise the rest of the checks is of interest.
    fn decided(&self) -> Option<Verdict> {
        self.model.decided().filter(|it| *it == Verdict::Fail)
    }

    fn finish(&mut self, end_ns: u64) -> Judgement<Finding> {
        let specification = self.model.specification();
        let model = self.model.finish(end_ns);
        let is_known = match model.reason().map(Finding::cause) {
            None | Some(Cause::OutsideEnvironment | Cause::NotAccepted) => true,
            Some(_) => false,
        };
        if is_known {
            self.case.explained(|port| !specification.readers(port).is_empty());
        }
        let case = self.case.finish(end_ns);
        if case.verdict() > model.verdict() { case } else { model }
    }

    fn widen(&mut self, by_ns: u64) {
        self.model.widen(by_ns);
        self.case.widen(by_ns);
    }

    fn interactions(&self) -> Vec<Interaction> {
        self.case.interactions()
    }

    fn environment(&mut self) -> Option<&mut dyn Environment> {
        Some(&mut self.model)
    }
}
