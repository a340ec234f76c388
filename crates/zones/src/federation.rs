//! Federations: finite unions of zones, for sets that are not convex.
//!
//! A [`Federation`] may be empty, which is the empty set. Its zones may overlap, but none of them
//! lies in another single one. Two federations of the same set can differ in their zones, so there is
//! no `==`; ask [`Federation::same_set`].

use crate::bound::Bound;
use crate::point::Point;
use crate::relation::Relation;
use crate::subtract::subtract_into;
use crate::view::ZoneRef;
use crate::zone::Zone;

/// A finite union of zones of one dimension; empty if there are none.
///
/// ```
/// use punctual_zones::{Bound, Federation, Zone};
/// let early = Zone::universe(1).constrained(1, 0, Bound::le(3)).unwrap();
/// let late = Zone::universe(1).constrained(0, 1, Bound::lt(-3)).unwrap();
/// let mut federation = Federation::from(early);
/// federation.insert(late);
/// assert!(federation.includes(&Zone::universe(1)));
/// federation.merge();
/// assert_eq!(federation.zones(), [Zone::universe(1)]);
/// ```
#[derive(Clone, Debug)]
pub struct Federation {
    dim: usize,
    zones: Vec<Zone>,
}

impl Federation {
    /// The empty set.
    #[must_use]
    pub fn empty(n_clocks: usize) -> Federation {
        Federation { dim: n_clocks + 1, zones: Vec::new() }
    }

    /// The number of clocks, the reference included.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The zones; none lies in another.
    #[must_use]
    pub fn zones(&self) -> &[Zone] {
        &self.zones
    }

    /// Whether this is the empty set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.zones.is_empty()
    }

    /// Adds a zone, unless it lies in one that is there; those that lie in it go.
    ///
    /// # Panics
    /// If the dimensions differ.
    pub fn insert(&mut self, zone: Zone) {
        assert_eq!(zone.dim(), self.dim, "the zones have different dimensions");
        let mut covered = false;
        self.zones.retain(|old| match zone.relation(old) {
            Relation::Equal | Relation::Subset => {
                covered = true;
                true
            }
            Relation::Superset => false,
            Relation::Different => true,
        });
        if !covered {
            self.zones.push(zone);
        }
    }

    /// Adds a zone that has no valuation in common with those that are there.
    pub(crate) fn push_disjoint(&mut self, zone: Zone) {
        debug_assert!(self.zones.iter().all(|old| !old.intersects(&zone)));
        self.zones.push(zone);
    }

    /// Adds the valuations of another federation.
    ///
    /// # Panics
    /// If the dimensions differ.
    pub fn union(&mut self, other: &Federation) {
        for zone in &other.zones {
            self.insert(zone.clone());
        }
    }

    /// Whether a valuation lies in some zone.
    #[must_use]
    pub fn contains(&self, point: &Point) -> bool {
        self.zones.iter().any(|zone| zone.contains(point))
    }

    /// Whether every valuation of the zone lies in some zone of the federation; one zone alone need
    /// not contain them all.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use]
    pub fn includes<'a>(&self, zone: impl Into<ZoneRef<'a>>) -> bool {
        let zone = zone.into();
        self.zones.iter().any(|it| it.includes(zone))
            || subtract_all(vec![zone.to_zone()], &self.zones).is_empty()
    }

    /// Whether every valuation of the other federation lies in this one.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use]
    pub fn includes_all(&self, other: &Federation) -> bool {
        other.zones.iter().all(|zone| self.includes(zone))
    }

    /// Whether both have the same valuations.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use]
    pub fn same_set(&self, other: &Federation) -> bool {
        self.includes_all(other) && other.includes_all(self)
    }

    /// Keeps the valuations that lie in the zone.
    ///
    /// # Panics
    /// If the dimensions differ.
    pub fn intersect<'a>(&mut self, zone: impl Into<ZoneRef<'a>>) {
        let zone = zone.into();
        self.rebuild(|mut ours, into| {
            if ours.intersect(zone) {
                into.insert(ours);
            }
        });
    }

    /// Keeps the valuations that lie in the other federation.
    ///
    /// # Panics
    /// If the dimensions differ.
    pub fn intersect_all(&mut self, other: &Federation) {
        self.rebuild(|ours, into| {
            for theirs in &other.zones {
                let mut both = ours.clone();
                if both.intersect(theirs) {
                    into.insert(both);
                }
            }
        });
    }

    /// Keeps the valuations in which `x - y` is within `bound`.
    ///
    /// # Panics
    /// If a clock is not there.
    pub fn constrain(&mut self, x: usize, y: usize, bound: Bound) {
        self.rebuild(|mut ours, into| {
            if ours.constrain(x, y, bound) {
                into.insert(ours);
            }
        });
    }

    /// Removes the valuations of the zone.
    ///
    /// # Panics
    /// If the dimensions differ.
    pub fn subtract<'a>(&mut self, zone: impl Into<ZoneRef<'a>>) {
        let zone = zone.into();
        self.rebuild(|ours, into| {
            subtract_into(ours.view(), zone, &mut |piece| into.insert(piece))
        });
    }

    /// Removes the valuations of the other federation.
    ///
    /// # Panics
    /// If the dimensions differ.
    pub fn subtract_all(&mut self, other: &Federation) {
        for zone in &other.zones {
            self.subtract(zone);
        }
    }

    /// Lets time pass.
    pub fn up(&mut self) {
        self.map(Zone::up);
    }

    /// Lets time run backwards.
    pub fn down(&mut self) {
        self.map(Zone::down);
    }

    /// Sets clock `x` to a constant.
    ///
    /// # Panics
    /// As [`Zone::reset`].
    pub fn reset(&mut self, x: usize, value: i32) {
        self.map(|zone| zone.reset(x, value));
    }

    /// Forgets clock `x`.
    ///
    /// # Panics
    /// As [`Zone::free`].
    pub fn free(&mut self, x: usize) {
        self.map(|zone| zone.free(x));
    }

    /// The smallest zone that contains all; `None` if there are none.
    #[must_use]
    pub fn hull(&self) -> Option<Zone> {
        let (first, rest) = self.zones.split_first()?;
        let mut hull = first.clone();
        for zone in rest {
            hull.hull(zone);
        }
        Some(hull)
    }

    /// Drops zones that the others cover together. The set stays the same.
    pub fn reduce(&mut self) {
        let mut i = 0;
        while i < self.zones.len() {
            let zone = self.zones.remove(i);
            if !self.includes(&zone) {
                self.zones.insert(i, zone);
                i += 1;
            }
        }
    }

    /// Joins zones whose union is a zone, and drops those that others cover. The set stays the same.
    pub fn merge(&mut self) {
        self.reduce();
        while let Some((i, j, hull)) = self.joinable_pair() {
            self.zones.swap_remove(j);
            self.zones.swap_remove(i);
            self.insert(hull);
        }
    }

    fn joinable_pair(&self) -> Option<(usize, usize, Zone)> {
        let pairs = (0..self.zones.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        pairs.into_iter().find_map(|(i, j)| {
            let mut hull = self.zones[i].clone();
            hull.hull(&self.zones[j]);
            self.includes(&hull).then_some((i, j, hull))
        })
    }

    fn map(&mut self, mut change: impl FnMut(&mut Zone)) {
        self.rebuild(|mut zone, into| {
            change(&mut zone);
            into.insert(zone);
        });
    }

    /// Hands each zone over, to be put back changed, in pieces or not at all.
    fn rebuild(&mut self, mut change: impl FnMut(Zone, &mut Federation)) {
        for zone in std::mem::take(&mut self.zones) {
            change(zone, self);
        }
    }
}

impl From<Zone> for Federation {
    fn from(zone: Zone) -> Federation {
        Federation { dim: zone.dim(), zones: vec![zone] }
    }
}

/// What of the zones lies in none of the others.
fn subtract_all(mut zones: Vec<Zone>, others: &[Zone]) -> Vec<Zone> {
    for other in others {
        let mut rest = Vec::new();
        for zone in &zones {
            subtract_into(zone.view(), other.view(), &mut |piece| rest.push(piece));
        }
        zones = rest;
    }
    zones
}
