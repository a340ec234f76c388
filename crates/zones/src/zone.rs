//! Zones: non-empty sets of clock valuations, stored as difference bound matrices.
//!
//! A [`Zone`] is non-empty, canonical (every bound is the tightest that follows from the others) and
//! has no negative clocks, between any two calls. An operation that could empty it returns a `bool`
//! and says what the zone is when the answer is `false`: always some zone, never an empty one. So no
//! caller asks "is this closed?" or "is this empty?", and a buffer can be used again after a failure.
//!
//! Clocks are indices from 1; index 0 is the reference, whose value is always 0. The dimension counts
//! the reference. No operation of this file allocates, except those that make a new zone.
//!
//! Follows Bengtsson & Yi 2004, "Timed automata: semantics, algorithms and tools".

use crate::bound::{Bound, Constraint, INF};
use crate::matrix;
use crate::view::ZoneRef;

/// A non-empty set of clock valuations described by bounds of clocks and of their differences.
///
/// ```
/// use punctual_zones::{Bound, Zone};
/// let mut zone = Zone::zero(2);
/// zone.up();
/// assert!(zone.constrain(1, 0, Bound::le(5)));
/// zone.reset(2, 0);
/// zone.up();
/// assert_eq!(zone.display(&["x", "y"]).to_string(), "x - y in [0, 5]");
/// assert!(!zone.constrain(1, 2, Bound::lt(0)), "x is never behind y");
/// assert_eq!(zone.display(&["x", "y"]).to_string(), "x - y in [0, 5]");
/// ```
pub struct Zone {
    dim: usize,
    /// Longer ones may have been here before: the memory is kept for them.
    cells: Vec<Bound>,
}

impl Zone {
    /// The one valuation in which every clock is zero.
    #[must_use]
    pub fn zero(n_clocks: usize) -> Zone {
        let dim = n_clocks + 1;
        Zone { dim, cells: vec![Bound::ZERO; dim * dim] }
    }

    /// Every valuation of non-negative clocks.
    #[must_use]
    pub fn universe(n_clocks: usize) -> Zone {
        let mut zone = Zone::zero(n_clocks);
        zone.set_universe();
        zone
    }

    /// The valuations that satisfy all constraints; `None` if there are none.
    ///
    /// # Panics
    /// If a constraint names a clock that is not there, or a bound that follows is out of range.
    #[must_use]
    pub fn from_constraints(
        n_clocks: usize,
        constraints: impl IntoIterator<Item = Constraint>,
    ) -> Option<Zone> {
        let mut zone = Zone::universe(n_clocks);
        zone.constrain_all(constraints).then_some(zone)
    }

    /// The valuations that satisfy a matrix of any bounds, row by row, the reference first; `None` if
    /// there are none. The matrix need not be canonical. Takes O(dim³).
    ///
    /// # Panics
    /// If the number of bounds is not a square, or a bound that follows is out of range.
    #[must_use]
    pub fn from_matrix(mut cells: Vec<Bound>) -> Option<Zone> {
        let dim = cells.len().isqrt();
        assert!(dim > 0 && dim * dim == cells.len(), "a matrix of bounds is square");
        for i in 0..dim {
            if cells[i * dim + i] < Bound::ZERO {
                return None;
            }
            cells[i * dim + i] = Bound::ZERO;
            cells[i] = cells[i].min(Bound::ZERO);
        }
        matrix::close(&mut cells, dim).then_some(Zone { dim, cells })
    }

    /// Wraps a matrix that is known to be canonical.
    pub(crate) fn from_canonical(dim: usize, cells: Vec<Bound>) -> Zone {
        debug_assert!(matrix::is_canonical(&cells, dim));
        Zone { dim, cells }
    }

    /// The number of clocks, the reference included.
    #[inline]
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The bounds row by row; that of `x - y` is at `x * dim + y`.
    #[inline]
    #[must_use]
    pub fn cells(&self) -> &[Bound] {
        &self.cells
    }

    #[inline]
    pub(crate) fn cells_mut(&mut self) -> &mut [Bound] {
        &mut self.cells
    }

    /// A view of this zone, with all the operations that only read.
    #[inline]
    #[must_use]
    pub fn view(&self) -> ZoneRef<'_> {
        ZoneRef::trusted(self.dim, &self.cells)
    }

    /// Makes this zone equal to `zone`. Allocates only if this one was never as large.
    #[inline]
    pub fn assign<'a>(&mut self, zone: impl Into<ZoneRef<'a>>) {
        let zone = zone.into();
        if self.dim == zone.dim() {
            self.cells.copy_from_slice(zone.cells());
        } else {
            self.dim = zone.dim();
            self.cells.clear();
            self.cells.extend_from_slice(zone.cells());
        }
    }

    /// Room for a zone of another dimension, to be filled with a canonical matrix. Allocates only
    /// if this one was never as large.
    #[inline]
    pub(crate) fn resized(&mut self, dim: usize) -> &mut [Bound] {
        if self.dim != dim {
            self.dim = dim;
            self.cells.resize(dim * dim, Bound::ZERO);
        }
        &mut self.cells
    }

    /// Makes this the zone of [`Zone::zero`].
    pub fn set_zero(&mut self) {
        self.cells.fill(Bound::ZERO);
    }

    /// Makes this the zone of [`Zone::universe`].
    pub fn set_universe(&mut self) {
        self.cells.fill(Bound::INFINITY);
        self.cells[..self.dim].fill(Bound::ZERO);
        self.repair_diagonal();
    }

    fn repair_diagonal(&mut self) {
        for bound in self.cells.iter_mut().step_by(self.dim + 1) {
            *bound = Bound::ZERO;
        }
    }

    /// Lets time pass: all valuations that this zone reaches by waiting.
    #[inline]
    pub fn up(&mut self) {
        // The reference moves back against all clocks; their differences stay.
        let dim = self.dim;
        matrix::each_row(&mut self.cells[dim..], dim, |row| {
            row[0] = Bound::INFINITY;
            true
        });
    }

    /// Lets time run backwards: all valuations that reach this zone by waiting.
    #[inline]
    pub fn down(&mut self) {
        // A clock can go back to zero unless another one, by its difference, is there before.
        let (reference, rest) = self.cells.split_at_mut(self.dim);
        reference.fill(Bound::ZERO);
        matrix::take_least(reference, rest);
        // The first column belongs to the reference itself, which has not moved.
        reference[0] = Bound::ZERO;
    }

    /// Sets clock `x` to a constant.
    ///
    /// # Panics
    /// If `x` is the reference or is not there, or the value is negative or out of range.
    #[inline]
    pub fn reset(&mut self, x: usize, value: i32) {
        self.check_clock(x);
        assert!((0..=Bound::MAX_CONSTANT).contains(&value), "a clock is reset out of range");
        let (dim, offset) = (self.dim, value << 1);
        let (reference, rest) = self.cells.split_at_mut(dim);
        // The bounds of the reference are finite and not positive: the sums are in range.
        for (to, from) in rest[(x - 1) * dim..][..dim].iter_mut().zip(&*reference) {
            to.0 = from.0 + offset;
        }
        for row in self.cells.chunks_exact_mut(dim) {
            let bound = row[0].0;
            row[x].0 = if bound == INF { INF } else { bound - offset };
        }
    }

    /// Sets clock `x` to the value of clock `y`.
    ///
    /// # Panics
    /// If one of them is the reference or is not there.
    pub fn copy(&mut self, x: usize, y: usize) {
        self.check_clock(x);
        self.check_clock(y);
        let dim = self.dim;
        self.cells.copy_within(y * dim..(y + 1) * dim, x * dim);
        for row in self.cells.chunks_exact_mut(dim) {
            row[x] = row[y];
        }
    }

    /// Adds a constant, which may be negative, to clock `x`. Valuations in which the clock would
    /// become negative have no successor; if that leaves none, answers `false` and changes nothing.
    ///
    /// # Panics
    /// If `x` is the reference or is not there, or the constant or a bound that follows is out of
    /// range.
    #[must_use = "the zone is unchanged if no valuation is left"]
    pub fn shift(&mut self, x: usize, constant: i32) -> bool {
        self.check_clock(x);
        let (dim, forth, back) = (self.dim, Bound::le(constant), Bound::le(-constant));
        if constant < 0 && !self.constrain(0, x, forth) {
            return false;
        }
        for bound in &mut self.cells[x * dim..(x + 1) * dim] {
            *bound = *bound + forth;
        }
        for row in self.cells.chunks_exact_mut(dim) {
            row[x] = row[x] + back;
        }
        true
    }

    /// Clock `x` may be off by so much, either way; the other clocks keep their values. Nothing of a canonical matrix gets shorter by that, so it
    /// stays canonical.
    ///
    /// # Panics
    /// If `x` is the reference or is not there, if the clock may become negative by that, or a bound that follows is
    /// out of range.
    pub fn blur(&mut self, x: usize, by: i32) {
        self.check_clock(x);
        let (dim, wider) = (self.dim, Bound::le(by));
        assert!(by >= 0 && self.cells[x] + wider <= Bound::ZERO, "a clock is not negative");
        for y in (0..dim).filter(|y| *y != x) {
            self.cells[x * dim + y] = self.cells[x * dim + y] + wider;
            self.cells[y * dim + x] = self.cells[y * dim + x] + wider;
        }
    }

    /// Forgets clock `x`: it may have any value that is not negative.
    ///
    /// # Panics
    /// If `x` is the reference or is not there.
    #[inline]
    pub fn free(&mut self, x: usize) {
        self.check_clock(x);
        let dim = self.dim;
        for row in self.cells.chunks_exact_mut(dim) {
            row[x] = row[0];
        }
        let row = &mut self.cells[x * dim..(x + 1) * dim];
        row.fill(Bound::INFINITY);
        row[x] = Bound::ZERO;
    }

    /// Keeps the valuations in which `x - y` is within `bound`. If there are none, answers `false`
    /// and changes nothing. Takes O(1) if nothing changes and O(dim²) otherwise.
    ///
    /// # Panics
    /// If a clock is not there, or a bound that follows is out of range.
    #[inline]
    #[must_use = "the zone is unchanged if no valuation is left"]
    pub fn constrain(&mut self, x: usize, y: usize, bound: Bound) -> bool {
        let dim = self.dim;
        assert!(x < dim && y < dim, "a constraint names a clock that is not there");
        if bound >= self.cells[x * dim + y] {
            return true;
        }
        if !bound.meets(self.cells[y * dim + x]) {
            return false;
        }
        matrix::tighten(&mut self.cells, dim, x, y, bound);
        true
    }

    /// Keeps the valuations that satisfy every constraint. If there are none, answers `false`, and
    /// the zone is then constrained by those that come before the first one that cannot be satisfied.
    ///
    /// # Panics
    /// As [`Zone::constrain`].
    #[must_use = "the zone is only partly constrained if no valuation is left"]
    pub fn constrain_all(&mut self, constraints: impl IntoIterator<Item = Constraint>) -> bool {
        constraints.into_iter().all(|it| self.constrain(it.x as usize, it.y as usize, it.bound))
    }

    /// [`Zone::constrain`] for a zone that is not needed otherwise.
    #[must_use]
    pub fn constrained(mut self, x: usize, y: usize, bound: Bound) -> Option<Zone> {
        self.constrain(x, y, bound).then_some(self)
    }

    fn check_clock(&self, x: usize) {
        assert!(x != 0, "the reference is not a clock that can be changed");
        assert!(x < self.dim, "there is no clock {x}");
    }
}

impl Clone for Zone {
    fn clone(&self) -> Zone {
        Zone { dim: self.dim, cells: self.cells.clone() }
    }

    #[inline]
    fn clone_from(&mut self, source: &Zone) {
        self.assign(source);
    }
}
