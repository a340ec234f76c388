//! Estimates that are set aside and taken up again, and told apart.
//!
//! A search over what may be observed goes back to earlier estimates all the time. It also wants to know whether
//! it has been in a situation before: what lies ahead of two estimates is the same if their states are the
//! same now ([`Estimate::present`]).

use std::collections::BTreeMap;

use punctual_model::{ClockId, Id};
use punctual_zones::{Bound, LuBounds, Source, Zone};

use super::interval::End;
use super::set::{Entry, Estimate, Overflow};

/// What an estimate knew at an instant.
#[derive(Clone, Debug)]
pub struct Snapshot {
    entries: Vec<Entry>,
    origin: i64,
    pub(super) now: End,
}

/// Nothing is possible.
impl Default for Snapshot {
    fn default() -> Snapshot {
        Snapshot { entries: Vec::new(), origin: 0, now: End::at(0) }
    }
}

impl Snapshot {
    /// Sets an estimate aside, in the memory that is there.
    pub(super) fn take_from(&mut self, estimate: &Estimate<'_>) {
        self.entries.clone_from(&estimate.entries);
        (self.origin, self.now) = (estimate.origin, estimate.now);
    }
}

/// A state that is possible now: locations and integers, and the cells of a zone of the clocks that matter.
pub type Present = (Vec<i32>, Vec<Bound>);

/// The first and the last instant of something, as far as they are known.
type Hull = (Option<i64>, Option<i64>);

impl Estimate<'_> {
    /// Sets the estimate aside.
    #[must_use]
    pub fn save(&self) -> Snapshot {
        Snapshot { entries: self.entries.clone(), origin: self.origin, now: self.now }
    }

    /// Takes up an estimate of the same component that was set aside.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.spare.append(&mut self.entries);
        for entry in &snapshot.entries {
            let mut ours = self.spare.pop().unwrap_or_else(|| entry.clone());
            ours.assign(entry);
            self.entries.push(ours);
        }
        (self.origin, self.now) = (snapshot.origin, snapshot.now);
        self.unseen.is_open = false;
    }

    /// All states, in order, each with the cells of its zone.
    pub(super) fn states_now(&self) -> Vec<Present> {
        let state = |it: &Entry| (it.state.clone(), it.zone.cells().to_vec());
        let mut states: Vec<Present> = self.entries.iter().map(state).collect();
        states.sort_unstable();
        states.dedup();
        states
    }

    /// The states that are possible at the present instant, in order, each zone without the clock that tells the
    /// time. Hidden steps that happen now have been taken.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    pub fn present(&mut self) -> Result<Vec<Present>, Overflow> {
        let now = self.now;
        self.follow(End::at(now.at))?;
        let mut found = Vec::new();
        let Self { estimator, active, entries, origin, work, .. } = self;
        for entry in entries.iter() {
            active.set(&estimator.symbolic, &entry.state);
            let time = estimator.time(active);
            work.assign(&entry.zone);
            let at = End::at(now.at);
            if !work.constrain(time, 0, at.upper(*origin))
                || !work.constrain(0, time, now.lower(*origin))
            {
                continue;
            }
            let others = (1..work.dim()).filter(|clock| *clock != time);
            let sources: Vec<Source> = others.map(|clock| Source::clock(clock as u32)).collect();
            let mut zone = Zone::zero(0);
            zone.set_image(&*work, &sources);
            if !estimator.symbolic.has_diagonals() {
                let (lower, upper) = active.bounds_without(time);
                zone.extra_lu_plus(LuBounds::new(&lower, &upper));
            }
            found.push((entry.state.clone(), zone.cells().to_vec()));
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// The instants between which each clock was set to 0, in some state that was followed; those that matter no
    /// longer are left out. A clock has the value `v` at an instant `v` later.
    pub fn settings(&mut self) -> Vec<(ClockId, i64)> {
        let mut found = Vec::new();
        let Self { estimator, active, entries, origin, .. } = self;
        for entry in entries.iter() {
            active.set(&estimator.symbolic, &entry.state);
            let time = estimator.time(active);
            for (i, clock) in active.clocks().iter().enumerate().filter(|(i, _)| i + 1 != time) {
                let id = ClockId::from_index(*clock as usize);
                let latest = entry.zone.bound(time, i + 1).constant().map(i64::from);
                let earliest = entry.zone.bound(i + 1, time).constant().map(|it| -i64::from(it));
                found.extend([latest, earliest].into_iter().flatten().map(|it| (id, *origin + it)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The first and the last instant at which each clock was set to 0, for each discrete state that was followed. Of
    /// [`Estimate::settings`] this leaves out how a state was cut into zones.
    pub fn first_and_last_settings(&mut self) -> Vec<(ClockId, i64)> {
        let Self { estimator, active, entries, origin, .. } = self;
        let mut hulls: BTreeMap<(&[i32], u32), Hull> = BTreeMap::new();
        for entry in entries.iter() {
            active.set(&estimator.symbolic, &entry.state);
            let time = estimator.time(active);
            for (i, clock) in active.clocks().iter().enumerate().filter(|(i, _)| i + 1 != time) {
                let latest = entry.zone.bound(time, i + 1).constant().map(i64::from);
                let earliest = entry.zone.bound(i + 1, time).constant().map(|it| -i64::from(it));
                let hull = hulls.entry((&entry.state, *clock)).or_insert((earliest, latest));
                hull.0 = hull.0.zip(earliest).map(|(a, b)| a.min(b));
                hull.1 = hull.1.zip(latest).map(|(a, b)| a.max(b));
            }
        }
        let mut found = Vec::new();
        for ((_, clock), (earliest, latest)) in hulls {
            let id = ClockId::from_index(clock as usize);
            found.extend([earliest, latest].into_iter().flatten().map(|it| (id, *origin + it)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
