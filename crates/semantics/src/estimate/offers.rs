//! What may be observed next, and when.

use std::ops::ControlFlow;

use punctual_model::{ClockId, Id, SignalId};
use punctual_zones::{Bound, Zone};

use super::estimator::Role;
use super::interval::{End, Interval};
use super::set::{Estimate, FAR, Overflow};
use crate::symbolic::Successor;

/// A preview looks at no more states than this.
const PREVIEWED_MAX: usize = 16;
/// A preview tells no more intervals of one edge than this.
const INTERVALS_MAX: usize = 8;

/// A signal that some state allows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    /// The signal.
    pub signal: SignalId,
    /// The values that go with it.
    pub values: Vec<i32>,
    /// When it may happen, from the present on.
    pub interval: Interval,
    /// The edges that it would take: process and edge.
    pub edges: Vec<(u32, u32)>,
}

/// An edge that a signal leads through, process and edge, and instants at which it does.
pub type Ahead = ((u32, u32), Interval);

/// A symbolic state of an estimate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// The location of each process, then the integers.
    pub state: Vec<i32>,
    /// The clocks that matter, and between which values they are at the earliest instant from the
    /// present on at which the state is possible, in points of the grid.
    pub clocks: Vec<(ClockId, Interval)>,
}

impl Estimate<'_> {
    /// All signals that the component may send, from the present on, if nothing else is observed before
    /// and hidden steps happen only as far as they were followed.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn offers(&mut self) -> Result<Vec<Offer>, Overflow> {
        let mut offers: Vec<Offer> = Vec::new();
        let estimator = self.estimator;
        let origin = self.origin;
        for i in 0..self.entries.len() {
            let entry = &self.entries[i];
            self.probe.sent_successors(&entry.state, &entry.zone, &mut |successor| {
                let channel = successor.channel().expect("observed over a channel");
                let signal = estimator.signal_of[channel as usize].expect("observed");
                let observed = &estimator.signals[signal];
                let value = |slot: &u32| successor.state[*slot as usize];
                offers.push(Offer {
                    signal,
                    values: observed.slots.iter().map(value).collect(),
                    interval: interval(estimator.time(successor.clocks), &successor, origin),
                    edges: successor.edges().collect(),
                });
                ControlFlow::Continue(())
            })?;
        }
        Ok(offers)
    }

    /// The edges that may be taken by a signal and by the first hidden steps after it, each with the instants at which
    /// the signal leads through it, in no order.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn preview(&mut self, signal: SignalId, values: &[i32]) -> Result<Vec<Ahead>, Overflow> {
        let estimator = self.estimator;
        let observed = &estimator.signals[signal];
        if !self.send(observed, values) {
            return Ok(Vec::new());
        }
        let origin = self.origin;
        let mut edges: Vec<Ahead> = Vec::new();
        let mut states: Vec<(Vec<i32>, Zone)> = Vec::new();
        let mut see = |successor: Successor<'_>, states: &mut Vec<(Vec<i32>, Zone)>| {
            let interval = interval(estimator.time(successor.clocks), &successor, origin);
            for edge in successor.edges() {
                // Thousands of states may take the same few edges.
                let before = edges.iter().filter(|(it, _)| *it == edge);
                if before.clone().count() < INTERVALS_MAX
                    && before.clone().all(|(_, it)| *it != interval)
                {
                    edges.push((edge, interval));
                }
            }
            if states.len() < PREVIEWED_MAX {
                states.push((successor.state.to_vec(), successor.zone.clone()));
            }
            ControlFlow::Continue(())
        };
        let Self { probe, entries, sent, .. } = self;
        for entry in entries.iter() {
            let visit = &mut |successor: Successor<'_>| see(successor, &mut states);
            probe.successors_on(observed.channel, sent, &entry.state, &entry.zone, visit)?;
        }
        let mut next = 0;
        while next < states.len() {
            let (state, zone) = states[next].clone();
            next += 1;
            // Only what happens at once: these states do not wait.
            let visit = &mut |successor: Successor<'_>| see(successor, &mut states);
            probe.hidden_successors(&state, &zone, visit)?;
        }
        Ok(edges)
    }

    /// The states that are possible at some instant from the present up to another one, as they are at
    /// the earliest such instant. Without the limit, what a look ahead has found would be among them.
    pub fn states(&mut self, until: End) -> Vec<Shown> {
        let upper = End { at: until.at.min(self.origin + FAR), ..until }.upper(self.origin);
        let mut found = Vec::new();
        for i in 0..self.entries.len() {
            let entry = &self.entries[i];
            self.active.set(&self.estimator.symbolic, &entry.state);
            let time = self.estimator.time(&self.active);
            if upper.meets(entry.zone.bound(0, time)) {
                let zone = entry.zone.clone();
                let shown = self.shown(i, &zone);
                // Several ways may lead to one state.
                if !found.contains(&shown) {
                    found.push(shown);
                }
            }
        }
        found
    }

    /// A part of the zone of a state, as it is at the earliest instant at which it is possible.
    pub(super) fn shown(&mut self, entry: usize, zone: &Zone) -> Shown {
        let Self { estimator, active, entries, origin, now, work, probe, .. } = self;
        let entry = &entries[entry];
        active.set(&estimator.symbolic, &entry.state);
        let time = estimator.time(active);
        work.assign(zone);
        // Zones that were made coarser go beyond the invariants.
        if !matches!(probe.cut_to_invariants(&entry.state, work), Ok(true)) {
            work.assign(zone);
        }
        let earliest = work.min(time);
        // Between two points of the grid, it is not known where.
        let last = earliest.value + i32::from(!earliest.attained);
        let bound = Bound::new(last, earliest.attained);
        let cut = work.constrain(time, 0, bound.expect("near the origin"));
        debug_assert!(cut && now.at >= *origin);
        let clock = |(i, clock): (usize, &u32)| {
            let zone = work.view();
            let interval = Interval {
                from: End::of_limit(zone.min(i + 1), 0),
                to: zone.max(i + 1).map(|limit| End::of_limit(limit, 0)),
            };
            (ClockId::from_index(*clock as usize), interval)
        };
        let clocks = active.clocks().iter().enumerate();
        let clocks = clocks.filter(|(_, clock)| **clock != estimator.clock).map(clock);
        Shown { state: entry.state.clone(), clocks: clocks.collect() }
    }

    /// When a signal with these values may happen, as [`offers`](Self::offers) says; not in order.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn intervals(
        &mut self,
        signal: SignalId,
        values: &[i32],
    ) -> Result<Vec<Interval>, Overflow> {
        let estimator = self.estimator;
        let observed = &estimator.signals[signal];
        if !self.send(observed, values) {
            return Ok(Vec::new());
        }
        let origin = self.origin;
        let mut intervals = Vec::new();
        let Self { probe, entries, sent, .. } = self;
        for entry in entries.iter() {
            let visit = &mut |successor: Successor<'_>| {
                let same = |(slot, value): (&u32, &i32)| successor.state[*slot as usize] == *value;
                if observed.role != Role::Sends || observed.slots.iter().zip(values).all(same) {
                    let time = estimator.time(successor.clocks);
                    intervals.push(interval(time, &successor, origin));
                }
                ControlFlow::Continue(())
            };
            probe.successors_on(observed.channel, sent, &entry.state, &entry.zone, visit)?;
        }
        Ok(intervals)
    }
}

/// When a step that does not wait happens.
fn interval(time: usize, successor: &Successor<'_>, origin: i64) -> Interval {
    let zone = successor.zone.view();
    Interval {
        from: End::of_limit(zone.min(time), origin),
        to: zone.max(time).map(|limit| End::of_limit(limit, origin)),
    }
}
