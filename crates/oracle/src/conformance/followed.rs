//! The components of one side, each with the states that explain what was observed of it.

use punctual_model::{Action, IdVec, SignalId};
use punctual_semantics::estimate::{End, Estimate, Interval, Observation};
use punctual_semantics::split::Side;

use super::coverage::Coverage;
use super::diagnosis::{Diagnosis, Question};
use super::specification::{Part, Specification};

/// The parts of a side, as one run has brought them so far.
pub(super) struct Followed<'s> {
    pub(super) parts: Vec<&'s Part>,
    pub(super) estimates: Vec<Estimate<'s>>,
    /// For each signal, who takes part in it.
    pub(super) concerned: IdVec<SignalId, Vec<usize>>,
}

impl<'s> Followed<'s> {
    /// The parts of a side that have just started.
    pub(super) fn new(
        specification: &'s Specification,
        side: Side,
    ) -> Result<Followed<'s>, Box<Diagnosis>> {
        let parts: Vec<&Part> = specification.side(side).map(|(_, part)| part).collect();
        let concerned = specification.concerned(&parts);
        let mut estimates = Vec::new();
        for &part in &parts {
            let question = Question::new(part, None, Interval::point(0));
            let estimate = Estimate::new(&part.estimator);
            estimates.push(estimate.map_err(|overflow| question.overflow(overflow))?);
        }
        Ok(Followed { parts, estimates, concerned })
    }

    /// All have just started again.
    pub(super) fn restart(&mut self) -> Result<(), Box<Diagnosis>> {
        for (part, estimate) in self.iter_mut() {
            let question = Question::new(part, None, Interval::point(0));
            estimate.restart().map_err(|overflow| question.overflow(overflow))?;
        }
        Ok(())
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (&'s Part, &mut Estimate<'s>)> {
        self.parts.iter().copied().zip(&mut self.estimates)
    }

    /// How many symbolic states there are, over all parts.
    pub(super) fn n_states(&self) -> usize {
        self.estimates.iter().map(Estimate::len).sum()
    }

    /// Time passes quietly.
    pub(super) fn advance(&mut self, to: End) -> Result<(), Box<Diagnosis>> {
        let interval = Interval { from: to, to: Some(End::at(to.at)) };
        for (part, estimate) in self.iter_mut() {
            let question = Question::new(part, None, interval);
            match estimate.advance(to) {
                Ok(Ok(())) => {}
                Ok(Err(blocked)) => return Err(question.diagnose(estimate, blocked)),
                Err(overflow) => return Err(question.overflow(overflow)),
            }
        }
        Ok(())
    }

    /// Those who take part in a signal observe it.
    pub(super) fn observe(
        &mut self,
        action: &Action,
        interval: Interval,
        coverage: &mut Coverage,
    ) -> Result<(), Box<Diagnosis>> {
        let Action { signal, values } = action;
        let observation = Observation { signal: *signal, values, interval };
        for &i in &self.concerned[*signal] {
            let (part, estimate) = (self.parts[i], &mut self.estimates[i]);
            let question = Question::new(part, Some(action), interval);
            let overflow = |overflow| question.overflow(overflow);
            coverage.note_position(part, estimate, &observation).map_err(overflow)?;
            match estimate.observe(&observation).map_err(overflow)? {
                Ok(()) => coverage.note_trails(part, estimate),
                Err(blocked) => return Err(question.diagnose(estimate, blocked)),
            }
        }
        Ok(())
    }
}
