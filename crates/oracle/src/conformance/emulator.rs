//! The environment's side: what a tester may do, and what it must.

use punctual_model::{Action, Event, Happening};
use punctual_semantics::estimate::{End, Interval, Overflow, Stand};
use punctual_semantics::split::Side;

use super::Specification;
use super::coverage::Coverage;
use super::diagnosis::{Diagnosis, typed};
use super::followed::Followed;

/// Follows the components of the environment, as the tester sees them.
pub struct Emulator<'s> {
    specification: &'s Specification,
    followed: Followed<'s>,
    /// The latest begin of what was told, by the tester's clock. What is told later is taken to happen
    /// no earlier.
    last_ns: u64,
}

/// What the environment may do next.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Choices {
    /// The inputs that it may send, each with the interval in which it may, from now on.
    pub inputs: Vec<InputChoice>,
    /// The last instant up to which the environment may do nothing; none if that is beyond the horizon.
    pub deadline: Option<End>,
}

/// An input that the environment may send.
#[derive(Clone, PartialEq, Debug)]
pub struct InputChoice {
    /// The input, with its values.
    pub action: Action,
    /// The instants at which it may be sent.
    pub interval: Interval,
    /// The edges of the environment that the input takes: process and edge.
    pub edges: Vec<(punctual_model::ProcessId, punctual_model::EdgeId)>,
}

/// An edge that an input leads through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Led {
    /// The process of the edge.
    pub process: punctual_model::ProcessId,
    /// The edge.
    pub edge: punctual_model::EdgeId,
    /// The instants at which the input leads through the edge, as far as the process is concerned.
    pub interval: Interval,
}

impl<'s> Emulator<'s> {
    /// An emulator of an environment that has just started.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn new(specification: &'s Specification) -> Result<Emulator<'s>, Box<Diagnosis>> {
        let followed = Followed::new(specification, Side::Environment)?;
        Ok(Emulator { specification, followed, last_ns: 0 })
    }

    /// Forgets everything: the environment has just started again.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn restart(&mut self) -> Result<(), Box<Diagnosis>> {
        self.last_ns = 0;
        self.followed.restart()
    }

    /// How many symbolic states there are, over all parts.
    #[must_use]
    pub fn n_states(&self) -> usize {
        self.followed.n_states()
    }

    /// The tester sent an input, or saw an output.
    ///
    /// # Errors
    /// If the environment does not do that.
    pub fn event(&mut self, event: &Event, coverage: &mut Coverage) -> Result<(), Box<Diagnosis>> {
        self.last_ns = self.last_ns.max(event.from_ns);
        let interval =
            self.specification.instants.interval(self.last_ns, event.to_ns.max(self.last_ns));
        match event.what {
            Happening::Signal(_) => self.followed.observe(&event.what, interval, coverage),
            // Nobody outside sees what the tester reads, or how a synchronous system is stepped.
            Happening::Set(_) | Happening::Step(_) | Happening::Reading(_) => Ok(()),
        }
    }

    /// Nothing happened up to an instant.
    ///
    /// # Errors
    /// If the environment had to do something.
    pub fn quiet(&mut self, now_ns: u64) -> Result<(), Box<Diagnosis>> {
        self.last_ns = self.last_ns.max(now_ns);
        self.followed.advance(self.specification.instants.begin(now_ns))
    }

    /// Whether coverage is told all ways to a state, and not just one.
    pub(super) fn keep_ways(&mut self, keeps: bool) {
        self.followed.keep_ways(keeps);
    }

    /// Notes what the environment may have done unseen since the last observation, at the end of a run.
    pub(super) fn note_last(&mut self, coverage: &mut Coverage) {
        self.followed.note_last(coverage);
    }

    /// What may be done next, if the environment is left alone for so many points of the grid.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn choices(&mut self, horizon: i64) -> Result<Choices, Overflow> {
        let mut choices = Choices::default();
        for (part, estimate) in self.followed.iter_mut() {
            let until = estimate.now().at + horizon;
            estimate.look_ahead(until)?;
            if let Some(latest) = estimate.latest()
                && latest.at < until
                && choices.deadline.is_none_or(|deadline| latest.ends_before(deadline))
            {
                choices.deadline = Some(latest);
            }
            for offer in estimate.offers()? {
                let values = typed(self.specification.interface(), offer.signal, &offer.values);
                let action = Action { signal: offer.signal, values };
                let edges = part.edges(&offer.edges).collect();
                let choice = InputChoice { action, interval: offer.interval, edges };
                // Several ways may lead to one state.
                if !choices.inputs.contains(&choice) {
                    choices.inputs.push(choice);
                }
            }
        }
        Ok(choices)
    }

    /// Where the parts of the environment may stand now, each by its number in the specification, with so many points at
    /// most.
    pub fn stands(&mut self, most: usize) -> Vec<(usize, Vec<Stand>)> {
        self.followed.stands(most)
    }
}
