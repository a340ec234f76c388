//! Adding states to a list of states, none of which has all that another one has.
//!
//! Most states that are compared differ in locations or integers. So a list has an [`Index`] by these, once it is long enough for that
//! to pay. The order of the list is the order in which states were added, with and without an index.

use std::hash::{Hash, Hasher};

use punctual_zones::{Bound, Zone};
use rustc_hash::{FxHashMap, FxHasher};

use super::estimator::Estimator;
use super::set::Entry;
use crate::symbolic::{Active, Successor, has_grown};

/// Shorter lists are looked through.
const FEW: usize = 32;
/// Stands for no entry before.
const NONE: u32 = u32::MAX;
/// In longer lists, ways to the same state are not kept apart: whatever asks for the states takes time for each of them.
const APART_MAX: usize = 16;
/// Stands for no instant.
const NEVER: i32 = i32::MAX;

/// Where the states of a list are, by their locations and integers. It grows with the list, and is begun anew ([`Index::reset`]) for
/// another list or when states were taken out.
#[derive(Default)]
pub(super) struct Index {
    /// The last state with a hash.
    last: FxHashMap<u64, u32>,
    /// For each state the one before it with the same hash.
    before: Vec<u32>,
    /// The edges on the way to the state that is being added.
    way: Vec<(u32, u32)>,
    pub(super) ways: Ways,
    /// Whether clocks keep the values that they have, also where these do not matter any more. Then there may be endlessly many states.
    pub(super) is_exact: bool,
}

/// The edges on a way: process and edge, each once.
type Edges = [(u32, u32)];

/// Several ways that lead to the same state.
pub(super) struct Ways {
    /// Whether states are kept apart if the edges on the way to them differ; otherwise the first way stands for all.
    pub(super) are_kept: bool,
    /// Whether some state may be in the list several times, by different ways.
    pub(super) are_apart: bool,
    /// Whether a way was dropped since somebody asked for them that has the edges of another one in another order.
    pub(super) are_mixed: bool,
    /// The first instant since the origin from which on a way with other edges was dropped.
    pub(super) lost_from: i32,
    /// When what was observed last was over.
    pub(super) until: i32,
}

impl Default for Ways {
    fn default() -> Ways {
        let (are_kept, are_apart, are_mixed) = (false, false, false);
        Ways { are_kept, are_apart, are_mixed, lost_from: NEVER, until: 0 }
    }
}

impl Ways {
    /// Whether a state that is there stands for one that is to be added, `from` an instant on, by another way.
    fn may_drop(
        &mut self,
        n_entries: usize,
        (old, new): (&Edges, &Edges),
        from: impl FnOnce() -> i32,
    ) -> bool {
        if !self.are_kept || old == new {
            return true;
        }
        if old.len() == new.len() && new.iter().all(|it| old.contains(it)) {
            self.are_mixed = true;
            return true;
        }
        let is_full = n_entries >= APART_MAX;
        if is_full {
            self.lost_from = self.lost_from.min(from());
        }
        self.are_apart |= !is_full;
        is_full
    }

    /// Whether all ways to what was observed last are there.
    pub(super) fn are_all(&self) -> bool {
        self.are_kept && self.lost_from > self.until
    }

    /// The origin of time has moved.
    pub(super) fn rebase(&mut self, by: i32) {
        self.until = self.until.saturating_sub(by);
        if self.lost_from != NEVER {
            self.lost_from = self.lost_from.saturating_sub(by);
        }
    }
}

impl Index {
    /// Another list is added to from now on, or the list has changed.
    pub(super) fn reset(&mut self) {
        if !self.before.is_empty() {
            self.last.clear();
            self.before.clear();
        }
    }

    /// Adds a state unless another one has all that it has; takes out those that it has all of.
    pub(super) fn insert(
        &mut self,
        estimator: &Estimator,
        entries: &mut Vec<Entry>,
        spare: &mut Vec<Entry>,
        successor: Successor<'_>,
        trail: &[(u32, u32)],
    ) {
        let symbolic = &estimator.symbolic;
        if !self.is_exact && symbolic.has_diagonals() && has_grown(successor.zone.view()) {
            let pieces = symbolic.extrapolated_pieces(successor.zone, successor.clocks);
            for piece in &pieces {
                self.insert_zone(estimator, entries, spare, &successor, piece, trail);
            }
            return;
        }
        if !self.is_exact && !symbolic.has_diagonals() {
            successor.zone.extra_lu_plus(successor.clocks.bounds());
        }
        self.insert_zone(estimator, entries, spare, &successor, &*successor.zone, trail);
    }

    fn insert_zone(
        &mut self,
        estimator: &Estimator,
        entries: &mut Vec<Entry>,
        spare: &mut Vec<Entry>,
        successor: &Successor<'_>,
        zone: &Zone,
        trail: &[(u32, u32)],
    ) {
        let hash = hash(successor.state);
        let Index { last, before, way, ways, is_exact } = self;
        way.clear();
        way.extend_from_slice(trail);
        for edge in successor.edges() {
            if !way.contains(&edge) {
                way.push(edge);
            }
        }
        let n_entries = entries.len();
        let by_values = *is_exact || estimator.symbolic.has_diagonals();
        let covers = |ours: &Zone, theirs: &Zone| match by_values {
            true => theirs.is_included_in(ours),
            false => theirs.is_simulated_by(ours, successor.clocks.bounds()),
        };
        let from = |zone: &Zone| zone.min(estimator.time(successor.clocks)).value;
        // Whether an old state has all of the new one. If not, the old one may be dead now.
        let mut is_covered = |entry: &mut Entry| {
            if entry.dead || entry.hash != hash || entry.state != successor.state {
                return false;
            }
            if covers(&entry.zone, zone) {
                return ways.may_drop(n_entries, (&entry.trail, way), || from(zone));
            }
            entry.dead = covers(zone, &entry.zone)
                && ways.may_drop(n_entries, (&entry.trail, way), || from(&entry.zone));
            false
        };
        if entries.len() < FEW {
            if entries.iter_mut().any(&mut is_covered) {
                return;
            }
        } else {
            catch_up(last, before, entries);
            let mut at = last.get(&hash).copied().unwrap_or(NONE);
            while let Some(entry) = entries.get_mut(at as usize) {
                if is_covered(entry) {
                    return;
                }
                at = before[at as usize];
            }
        }
        let dim = zone.dim();
        let each = dim * dim * size_of::<Bound>() + size_of_val(successor.state);
        let each = each + size_of::<Entry>();
        estimator.symbolic.budget().hold((entries.len() * each) as u64);
        let mut entry = spare.pop().unwrap_or_else(|| Entry {
            hash,
            state: Vec::new(),
            zone: Zone::zero(0),
            followed: None,
            dead: false,
            trail: Vec::new(),
        });
        (entry.hash, entry.followed, entry.dead) = (hash, None, false);
        entry.state.clear();
        entry.state.extend_from_slice(successor.state);
        entry.zone.assign(zone);
        entry.trail.clone_from(way);
        entries.push(entry);
    }

    /// Ways have been told, and do not tell states apart any more: states that have nothing of their own are dead now.
    pub(super) fn unite(
        &mut self,
        estimator: &Estimator,
        active: &mut Active,
        entries: &mut [Entry],
    ) {
        if !std::mem::take(&mut self.ways.are_apart) {
            return;
        }
        let symbolic = &estimator.symbolic;
        // Longer lists have none behind these.
        for i in 1..entries.len().min(APART_MAX) {
            let (before, rest) = entries.split_at_mut(i);
            let entry = &mut rest[0];
            active.set(symbolic, &entry.state);
            let covers = |ours: &Zone, theirs: &Zone| match symbolic.has_diagonals() {
                true => theirs.is_included_in(ours),
                false => theirs.is_simulated_by(ours, active.bounds()),
            };
            for other in before.iter_mut().filter(|it| !it.dead) {
                if entry.dead || other.hash != entry.hash || other.state != entry.state {
                    continue;
                }
                match covers(&other.zone, &entry.zone) {
                    true => entry.dead = true,
                    false => other.dead = covers(&entry.zone, &other.zone),
                }
            }
        }
    }
}

/// Takes up the states that were added since the last time.
fn catch_up(last: &mut FxHashMap<u64, u32>, before: &mut Vec<u32>, entries: &[Entry]) {
    for (i, entry) in entries.iter().enumerate().skip(before.len()) {
        let same = last.insert(entry.hash, i as u32);
        before.push(same.unwrap_or(NONE));
    }
}

fn hash(state: &[i32]) -> u64 {
    let mut hasher = FxHasher::default();
    state.hash(&mut hasher);
    hasher.finish()
}
