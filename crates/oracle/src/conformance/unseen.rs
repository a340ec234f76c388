//! The end of a run, when outputs may be on their way.
//!
//! An output takes its time until it is seen. So when a run ends, the system may have sent something that nobody has seen yet. What was
//! seen last is explained as it is, or else together with outputs that may be on their way: these are hidden steps then
//! ([`Estimate::unseen_from`](punctual_semantics::estimate::Estimate::unseen_from)). An input that comes late to the system has the same
//! effect, since outputs that it finds sent may come after the end.

use std::collections::VecDeque;

use punctual_model::Happening;
use punctual_semantics::estimate::{Hindsight, Snapshot};

use super::coverage::Coverage;
use super::diagnosis::{Diagnosis, Refused};
use super::drift::Drift;
use super::monitor::{Monitor, Pending};
use crate::Cause;

/// What was known before something was explained, so that it can be explained in another way.
#[derive(Clone)]
pub(super) struct Before {
    estimates: Vec<Snapshot>,
    hindsights: Vec<Hindsight>,
    pending: VecDeque<Pending>,
    drift: Drift,
    refused: Option<Refused>,
    n_inputs: usize,
    not_followed: Option<Happening>,
    coverage: Coverage,
}

impl Monitor<'_> {
    /// The run is over: nothing that was seen can overtake anything any more.
    ///
    /// # Errors
    /// If what was seen can not be explained, whatever is on its way.
    pub fn finish(&mut self, end_ns: u64, coverage: &mut Coverage) -> Result<(), Box<Diagnosis>> {
        let horizon_ns = end_ns.saturating_sub(self.uncertainty.output_ns.1);
        self.settle(horizon_ns, coverage)?;
        if self.pending.is_empty() {
            return self.quiet(end_ns, coverage);
        }
        // Whatever explains the rest, outputs may have been sent that belong to other ways.
        coverage.open(true);
        let before = self.before(coverage);
        let as_it_is = self.end(end_ns, coverage);
        let Err(first) = as_it_is else { return Ok(()) };
        self.go_back(before, coverage);
        let cluster = self.pending.drain(..).collect();
        let explained = self.explain_cluster(cluster, Some(horizon_ns), coverage);
        let explained = explained.map_err(|it| self.excused(it));
        match explained.and_then(|()| self.quiet(end_ns, coverage)) {
            // What is inconclusive if nothing is on its way is no fail if something is.
            Err(second) if second.cause.is_failure() && !first.cause.is_failure() => Err(first),
            Err(second) if is_given_up(second.cause) && !first.cause.is_failure() => Err(first),
            done => done,
        }
    }

    /// The run is over, and nothing is on its way.
    fn end(&mut self, end_ns: u64, coverage: &mut Coverage) -> Result<(), Box<Diagnosis>> {
        self.settle(u64::MAX, coverage)?;
        self.quiet(end_ns, coverage)
    }

    pub(super) fn before(&self, coverage: &Coverage) -> Before {
        Before {
            estimates: self.followed.estimates.iter().map(|it| it.save()).collect(),
            hindsights: self.followed.hindsights.clone(),
            pending: self.pending.clone(),
            drift: self.drift,
            refused: self.followed.refused().cloned(),
            n_inputs: self.followed.n_inputs,
            not_followed: self.not_followed.clone(),
            coverage: coverage.clone(),
        }
    }

    pub(super) fn go_back(&mut self, before: Before, coverage: &mut Coverage) {
        self.followed.set_refused(before.refused);
        for (estimate, saved) in self.followed.estimates.iter_mut().zip(&before.estimates) {
            estimate.restore(saved);
        }
        (self.pending, self.drift) = (before.pending, before.drift);
        (self.followed.hindsights, self.followed.n_inputs) = (before.hindsights, before.n_inputs);
        (self.not_followed, *coverage) = (before.not_followed, before.coverage);
        // It was no explanation of a verdict after all.
        let budget = self.specification.budget();
        if !budget.is_interrupted() {
            budget.resume();
        }
    }
}

/// Whether a search was not made to its end.
fn is_given_up(cause: Cause) -> bool {
    matches!(cause, Cause::TooManyStates | Cause::TooLong | Cause::Stopped | Cause::TooSlow)
}
