//! Random runs of a component, and what somebody may have seen of them.

use punctual_model::{Id, SignalId};
use punctual_semantics::concrete::{Concrete, State};

use super::generate::RANGE;
use super::regions::{Instant, Observed, Port, Regions, Seen};
use super::rng::Rng;

/// A run that goes on.
pub(super) struct Walk<'r> {
    regions: &'r Regions,
    concrete: Concrete<'r>,
    state: State,
    pub(super) rng: Rng,
    /// How far, at most, the ends of intervals are from what happened.
    pub(super) blur: i32,
    /// So often in a hundred times, something else is told than what happened.
    pub(super) lies: usize,
}

impl<'r> Walk<'r> {
    pub(super) fn new(regions: &'r Regions, seed: u64) -> Option<Walk<'r>> {
        let concrete = Concrete::new(&regions.network);
        let state = regions.initial().into_iter().next()?.0;
        Some(Walk { regions, concrete, state, rng: Rng::new(seed), blur: 2, lies: 20 })
    }

    /// Goes on until something is seen, or to the end.
    pub(super) fn next(&mut self, end: Instant) -> Option<Seen> {
        for _ in 0..200 {
            if self.regions.instant(&self.state) >= end {
                return None;
            }
            let what = match self.rng.below(100) {
                0..15 => self.reading(),
                15..50 => {
                    for _ in 0..self.rng.within(1, 5) {
                        if let Some(later) = self.regions.later(&self.concrete, &self.state) {
                            self.state = later;
                        }
                    }
                    continue;
                }
                50..80 => {
                    let mut steps = self.regions.steps(&self.concrete, &self.state);
                    if steps.is_empty() {
                        continue;
                    }
                    let (action, after) = steps.swap_remove(self.rng.below(steps.len()));
                    self.state = self.regions.canonical(after);
                    let Some((signal, values)) = action else { continue };
                    Observed::Signal(signal, values)
                }
                _ => {
                    let n = self.regions.uses.len();
                    let signal = SignalId::from_index(self.rng.below(n));
                    if !self.regions.uses[signal.index()].0 {
                        continue;
                    }
                    let values = self.values(signal);
                    let mut after =
                        self.regions.given(&self.concrete, &self.state, signal, &values);
                    if after.is_empty() {
                        continue;
                    }
                    let after = after.swap_remove(self.rng.below(after.len()));
                    self.state = self.regions.canonical(after);
                    Observed::Signal(signal, values)
                }
            };
            return Some(self.told(what));
        }
        None
    }

    /// Values for a signal: the first of either direction carries one.
    fn values(&mut self, signal: SignalId) -> Vec<i32> {
        match signal.index().is_multiple_of(2) {
            true => vec![self.rng.within(RANGE.lo, RANGE.hi)],
            false => Vec::new(),
        }
    }

    fn reading(&mut self) -> Observed {
        let n_processes = self.state.locations.len() - 1;
        let ports = (0..n_processes).map(Port::Location).chain((0..3).map(Port::Variable));
        let ports: Vec<Port> = ports.filter(|_| self.rng.percent(20)).collect();
        Observed::Reading(ports.into_iter().map(|port| (port, port.of(&self.state))).collect())
    }

    /// What is told of something that happened now.
    fn told(&mut self, what: Observed) -> Seen {
        let now = self.regions.instant(&self.state);
        let mut from = now - i64::from(self.rng.within(0, self.blur));
        let mut to = now + i64::from(self.rng.within(0, self.blur));
        let mut seen = what;
        if self.rng.percent(self.lies) {
            match (&mut seen, self.rng.below(3)) {
                (Observed::Reading(ports), 0 | 1) if !ports.is_empty() => {
                    let i = self.rng.below(ports.len());
                    ports[i].1 = self.rng.within(RANGE.lo, RANGE.hi);
                }
                (Observed::Signal(signal, values), 0) => {
                    let others = &self.regions.uses;
                    let n = others.len();
                    let other = (signal.index() + 1 + self.rng.below(n - 1)) % n;
                    if others[other].1 {
                        *signal = SignalId::from_index(other);
                        *values = self.values(*signal);
                    }
                }
                _ => {
                    let by = i64::from(self.rng.within(-3, 3));
                    (from, to) = (from + by, to + by);
                }
            }
        }
        let from = from.max(0);
        Seen { what: seen, from, to: to.max(from) }
    }
}
