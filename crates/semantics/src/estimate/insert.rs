//! Adding states to a list of states, none of which has all that another one has.
//!
//! Most states that are compared differ in locations or integers. So a list has an [`Index`] by these, once it is long enough for that
//! to pay. The order of the list is the order in which states were added, with and without an index.

use std::hash::{Hash, Hasher};

use punctual_zones::{Bound, Zone};
use rustc_hash::{FxHashMap, FxHasher};

use super::estimator::Estimator;
use super::set::Entry;
use crate::symbolic::{Successor, has_grown};

/// Shorter lists are looked through.
const FEW: usize = 32;
/// Stands for no entry before.
const NONE: u32 = u32::MAX;

/// Where the states of a list are, by their locations and integers. It grows with the list, and is begun anew ([`Index::reset`]) for
/// another list or when states were taken out.
#[derive(Default)]
pub(super) struct Index {
    /// The last state with a hash.
    last: FxHashMap<u64, u32>,
    /// For each state the one before it with the same hash.
    before: Vec<u32>,
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
        if symbolic.has_diagonals() && has_grown(successor.zone.view()) {
            let pieces = symbolic.extrapolated_pieces(successor.zone, successor.clocks);
            for piece in &pieces {
                self.insert_zone(estimator, entries, spare, &successor, piece, trail);
            }
            return;
        }
        if !symbolic.has_diagonals() {
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
        let covers = |ours: &Zone, theirs: &Zone| match estimator.symbolic.has_diagonals() {
            true => theirs.is_included_in(ours),
            false => theirs.is_simulated_by(ours, successor.clocks.bounds()),
        };
        // Whether an old state has all of the new one. If not, the old one may be dead now.
        let mut is_covered = |entry: &mut Entry| {
            if entry.dead || entry.hash != hash || entry.state != successor.state {
                return false;
            }
            if covers(&entry.zone, zone) {
                return true;
            }
            entry.dead = covers(zone, &entry.zone);
            false
        };
        if entries.len() < FEW {
            if entries.iter_mut().any(&mut is_covered) {
                return;
            }
        } else {
            self.catch_up(entries);
            let mut at = self.last.get(&hash).copied().unwrap_or(NONE);
            while let Some(entry) = entries.get_mut(at as usize) {
                if is_covered(entry) {
                    return;
                }
                at = self.before[at as usize];
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
        entry.trail.clear();
        entry.trail.extend_from_slice(trail);
        for edge in successor.edges() {
            if !entry.trail.contains(&edge) {
                entry.trail.push(edge);
            }
        }
        entries.push(entry);
    }

    /// Takes up the states that were added since the last time.
    fn catch_up(&mut self, entries: &[Entry]) {
        for (i, entry) in entries.iter().enumerate().skip(self.before.len()) {
            let before = self.last.insert(entry.hash, i as u32);
            self.before.push(before.unwrap_or(NONE));
        }
    }
}

fn hash(state: &[i32]) -> u64 {
    let mut hasher = FxHasher::default();
    state.hash(&mut hasher);
    hasher.finish()
}
