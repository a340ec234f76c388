//! The checks of a case beside a timed model.
//!
//! A case says what is read after its inputs. Where some states that the system may be in refuse an input, the model does not
//! say what follows, and the case can not either: checks after such an input are inconclusive if they are not as the
//! case says. So a right system does not fail, whatever the author of a case took for granted.

use punctual_model::{Direction, Event, Happening, Verdict};

use super::Expectations;
use crate::conformance::Session;
use crate::{Cause, Environment, Finding, Interaction, Judgement, Oracle};

/// Judges a run of a case by a timed model and by the expectations of the case.
pub struct Checked<'o> {
    model: Session<'o>,
    case: Expectations<'o>,
    /// For each input of the run, how many checks came before it.
    before: Vec<usize>,
}

impl<'o> Checked<'o> {
    /// A model at the beginning of a run, and the expectations of the case.
    #[must_use]
    pub fn new(model: Session<'o>, case: Expectations<'o>) -> Checked<'o> {
        Checked { model, case: case.beside_a_model(), before: Vec::new() }
    }
}

impl Oracle for Checked<'_> {
    fn restart(&mut self) {
        self.before.clear();
        self.model.restart();
        self.case.restart();
    }

    fn event(&mut self, event: &Event) {
        if let Happening::Signal(action) = &event.what
            && self.case.interface.signals[action.signal].direction == Direction::Input
        {
            self.before.push(self.case.n_seen);
        }
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
        let model = self.model.finish(end_ns);
        let is_unspecified = model.reason().is_some_and(|it| it.cause() == Cause::NotSpecified);
        if let Some((number, input)) = self.model.not_taken(is_unspecified) {
            let from = self.before.get(number).copied().unwrap_or(0);
            self.case.excuse(from, &input);
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
