//! When something may be observed: all instants, through hidden steps.
//!
//! Hidden steps are followed on a copy of the states, part by part as time passes, so that what goes
//! round unseen leaves no state for each time. The states themselves stay as they are.

use std::collections::BTreeMap;

use super::interval::{End, Interval, united};
use super::set::{Estimate, FAR, Overflow, PART, What};

/// A part of a look ahead is made longer if it leaves no more states than this for each one before it.
const GROWTH: usize = 2;

/// Values, and the instants at which they may be read.
pub type ValueWindows = (Vec<i32>, Vec<Interval>);

impl Estimate<'_> {
    /// All instants, from the present up to a horizon, at which something may be observed if nothing else is
    /// observed before: disjoint intervals, in their order. Changes nothing.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    pub fn windows(&mut self, what: What<'_>, horizon: i64) -> Result<Vec<Interval>, Overflow> {
        let mut found = Vec::new();
        match what {
            What::Signal { signal, values } => self.ahead(horizon, &mut |estimate, within| {
                let here = estimate.intervals(signal, values)?;
                found.extend(here.into_iter().map(|it| it.meet(within)));
                Ok(())
            })?,
            What::Reading(seen) => self.ahead(horizon, &mut |estimate, within| {
                let is_seen =
                    |state: &[i32]| seen.iter().all(|(at, value)| state[*at as usize] == *value);
                estimate.stays(|state, it| {
                    if is_seen(state) {
                        found.push(it.meet(within));
                    }
                });
                Ok(())
            })?,
        };
        Ok(until(found, horizon))
    }

    /// For each combination of values at some positions of a state
    /// ([`Estimator::position_of_slot`](super::Estimator::position_of_slot),
    /// [`Estimator::position_of_process`](super::Estimator::position_of_process)): all instants, from the
    /// present up to a horizon, at which it is possible if nothing is observed before. The intervals are
    /// disjoint and in their order, the combinations in theirs. Changes nothing.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    pub fn reading_windows(
        &mut self,
        positions: &[u32],
        horizon: i64,
    ) -> Result<Vec<ValueWindows>, Overflow> {
        let mut found: BTreeMap<Vec<i32>, Vec<Interval>> = BTreeMap::new();
        self.ahead(horizon, &mut |estimate, within| {
            estimate.stays(|state, it| {
                let values = positions.iter().map(|at| state[*at as usize]).collect();
                found.entry(values).or_default().push(it.meet(within));
            });
            Ok(())
        })?;
        let found = found.into_iter().map(|(values, them)| (values, until(them, horizon)));
        Ok(found.filter(|(_, them)| !them.is_empty()).collect())
    }

    /// Calls `stay` with each state and the instants at which it is possible.
    pub(super) fn stays(&mut self, mut stay: impl FnMut(&[i32], Interval)) {
        let Self { estimator, active, entries, origin, .. } = self;
        for entry in entries.iter() {
            active.set(&estimator.symbolic, &entry.state);
            let time = estimator.time(active);
            let from = End::of_limit(entry.zone.min(time), *origin);
            let to = entry.zone.max(time).map(|limit| End::of_limit(limit, *origin));
            stay(&entry.state, Interval { from, to });
        }
    }

    /// Lets time pass on a copy of the states, as [`walk`](Self::walk) does, up to a horizon.
    pub(super) fn ahead(
        &mut self,
        horizon: i64,
        see: &mut dyn FnMut(&mut Self, Interval) -> Result<(), Overflow>,
    ) -> Result<bool, Overflow> {
        self.apart(|estimate| estimate.walk(horizon, see))
    }

    /// Does something with a copy of the states.
    pub(super) fn apart<T>(&mut self, with: impl FnOnce(&mut Self) -> T) -> T {
        let copy = self.entries.clone();
        let entries = std::mem::replace(&mut self.entries, copy);
        let (origin, now) = (self.origin, self.now);
        let (states_max, steps_left, unseen) = (self.states_max, self.steps_left, self.unseen);
        let minds_refusals = std::mem::replace(&mut self.minds_refusals, false);
        let ways = std::mem::take(&mut self.index.ways);
        // Nobody asks the copy for ways.
        self.index.ways.are_apart = ways.are_apart;
        self.unite();
        let done = self.looking(with);
        self.minds_refusals = minds_refusals;
        self.index.ways = ways;
        let n_spare = self.spare.len();
        self.spare.append(&mut self.entries);
        // What a look ahead needed once is not kept for ever.
        self.spare.truncate(n_spare.max(entries.len()));
        self.entries = entries;
        (self.origin, self.now) = (origin, now);
        (self.states_max, self.steps_left, self.unseen) = (states_max, steps_left, unseen);
        done
    }

    /// Lets time pass up to a horizon while nothing is observed, and calls `see` with the states of each
    /// part of it, and the instants for which these are all. If nothing can happen unseen after the last
    /// part, it has no end. True if no hidden step was left out.
    pub(super) fn walk(
        &mut self,
        horizon: i64,
        see: &mut dyn FnMut(&mut Self, Interval) -> Result<(), Overflow>,
    ) -> Result<bool, Overflow> {
        let mut part = PART;
        let to = horizon.min(self.now.at.saturating_add(FAR));
        loop {
            if self.is_still()? {
                see(self, Interval { from: self.now, to: None })?;
                return Ok(true);
            }
            let step = to.min(self.now.at + part);
            let n_before = self.entries.len();
            self.follow(End::at(step))?;
            see(self, Interval { from: self.now, to: Some(End::at(step)) })?;
            if step >= to {
                // If no state lasts longer, none is left to take a step.
                let lasts = |latest: End| End::at(step).ends_before(latest);
                if !self.latest().is_none_or(lasts) || !self.pass(End::at(step))? {
                    return Ok(true);
                }
                let is_still = self.is_still()?;
                if is_still {
                    see(self, Interval { from: self.now, to: None })?;
                }
                return Ok(is_still);
            }
            part = match self.entries.len() <= GROWTH * n_before.max(8) {
                true => (2 * part).min(FAR / 4),
                false => (part / 2).max(PART),
            };
            if !self.pass(End::at(step))? {
                return Ok(true);
            }
        }
    }
}

/// The union of some intervals up to a point, and with it.
fn until(intervals: Vec<Interval>, horizon: i64) -> Vec<Interval> {
    let until = Interval { from: End::at(i64::MIN), to: Some(End::at(horizon)) };
    united(intervals.into_iter().map(|it| it.meet(until)).collect())
}
