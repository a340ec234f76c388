//! A store of zones of one dimension in one block of memory.
//!
//! A search keeps millions of zones and compares each new one with those that were stored under the
//! same discrete state. [`ZoneArena::get`] shows a stored zone where it lies; [`ZoneArena::remove`]
//! frees its place for the next one, so an antichain that shrinks and grows does not leak.

use crate::bound::Bound;
use crate::view::ZoneRef;

/// A place in a [`ZoneArena`]. Only [`ZoneArena::insert`] makes one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ZoneId(u32);

/// Zones of one dimension, side by side.
///
/// ```
/// use punctual_zones::{Zone, ZoneArena};
/// let mut arena = ZoneArena::new(2);
/// let id = arena.insert(&Zone::zero(2));
/// assert!(arena.get(id).is_included_in(&Zone::universe(2)));
/// ```
#[derive(Clone, Debug)]
pub struct ZoneArena {
    dim: usize,
    cells: Vec<Bound>,
    free: Vec<ZoneId>,
}

impl ZoneArena {
    /// A store without zones.
    #[must_use]
    pub fn new(n_clocks: usize) -> ZoneArena {
        ZoneArena { dim: n_clocks + 1, cells: Vec::new(), free: Vec::new() }
    }

    /// Stores a copy of a zone.
    ///
    /// # Panics
    /// If the zone has another dimension, or the store holds 2^32 zones.
    pub fn insert<'a>(&mut self, zone: impl Into<ZoneRef<'a>>) -> ZoneId {
        let zone = zone.into();
        if let Some(id) = self.free.pop() {
            self.replace(id, zone);
            return id;
        }
        assert_eq!(zone.dim(), self.dim, "the zone has another dimension");
        let id = u32::try_from(self.cells.len() / (self.dim * self.dim)).expect("zones fit u32");
        self.cells.extend_from_slice(zone.cells());
        ZoneId(id)
    }

    /// The zone that was stored last under this id.
    ///
    /// # Panics
    /// If the id comes from another store that was larger.
    #[inline]
    #[must_use]
    pub fn get(&self, id: ZoneId) -> ZoneRef<'_> {
        let size = self.dim * self.dim;
        ZoneRef::trusted(self.dim, &self.cells[id.0 as usize * size..][..size])
    }

    /// Stores a copy of a zone in place of another.
    ///
    /// # Panics
    /// If the zone has another dimension, or the id comes from another store that was larger.
    pub fn replace<'a>(&mut self, id: ZoneId, zone: impl Into<ZoneRef<'a>>) {
        let (zone, size) = (zone.into(), self.dim * self.dim);
        assert_eq!(zone.dim(), self.dim, "the zone has another dimension");
        self.cells[id.0 as usize * size..][..size].copy_from_slice(zone.cells());
    }

    /// Lets the next zone take this place. The id must not be used, or removed again, after this.
    pub fn remove(&mut self, id: ZoneId) {
        self.free.push(id);
    }

    /// The number of zones that are stored.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells.len() / (self.dim * self.dim) - self.free.len()
    }

    /// Whether no zone is stored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
