//! Looking at what may happen, and may never happen.
//!
//! A tester asks what lies ahead all the time, and most of it never happens. So an error of the model that lies there is none of the
//! run: whoever was asked to ([`Estimate::forgive_ahead`]) leaves it out, and tells of it when time or an observation gets there.

use std::ops::ControlFlow;

use super::interval::End;
use super::set::{Estimate, FAR, Overflow};
use crate::symbolic::Halt;

impl Estimate<'_> {
    /// From now on, whoever looks ahead is not told of errors of the model that may lie there: what is in error is left out of
    /// what may happen. What was observed, and time that has passed, tell of errors as ever.
    pub fn forgive_ahead(&mut self, forgives: bool) {
        self.forgives = forgives;
        self.probe.forgive(forgives);
    }

    /// Looks at what may happen, and may never happen.
    pub(super) fn looking<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.explorer.forgives();
        self.explorer.forgive(before || self.forgives);
        let seen = look(self);
        self.explorer.forgive(before);
        seen
    }

    /// Follows hidden steps up to an instant, although something may be observed before. Changes
    /// nothing but what [`latest`](Self::latest) and [`offers`](Self::offers) know.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    pub fn look_ahead(&mut self, to: i64) -> Result<(), Overflow> {
        self.looking(|it| it.follow(End::at(to.min(it.origin + FAR))))
    }

    /// Until when all that is followed can go on without any observation; none if for ever.
    #[must_use]
    pub fn latest(&mut self) -> Option<End> {
        let mut latest: Option<End> = None;
        let Self { estimator, active, entries, origin, .. } = self;
        for entry in entries.iter() {
            active.set(&estimator.symbolic, &entry.state);
            let end = End::of_limit(entry.zone.max(estimator.time(active))?, *origin);
            if latest.is_none_or(|latest| latest.ends_before(end)) {
                latest = Some(end);
            }
        }
        latest.or(Some(self.now))
    }

    /// Whether nothing can happen unseen any more, however long it takes.
    pub(super) fn is_still(&mut self) -> Result<bool, Overflow> {
        let Self { explorer, entries, .. } = self;
        // A step that is an error of the model may lie far ahead; who gets there is told.
        let before = explorer.forgives();
        explorer.forgive(true);
        let mut is_still = Ok(true);
        for entry in entries.iter() {
            let found = explorer
                .hidden_successors(&entry.state, &entry.zone, &mut |_| ControlFlow::Break(()));
            is_still = match found {
                Ok(()) => Ok(before || !explorer.take_forgiven()),
                Err(Halt::Stop) => Ok(false),
                Err(halt) => Err(halt.into()),
            };
            if !matches!(is_still, Ok(true)) {
                break;
            }
        }
        explorer.forgive(before);
        is_still
    }
}
