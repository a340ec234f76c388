//! Borrowed zones: everything that can be asked of a zone without changing it.
//!
//! A [`ZoneRef`] is a slice of bounds and its dimension, so that a zone stored among others (see
//! [`crate::ZoneArena`]) is compared with a working zone where it lies. It keeps the promise of
//! [`Zone`]: what it shows is non-empty and canonical.

use crate::bound::Bound;
use crate::matrix;
use crate::point::Point;
use crate::zone::Zone;

/// A zone that lies somewhere else. See [`Zone`].
#[derive(Clone, Copy)]
pub struct ZoneRef<'a> {
    dim: usize,
    cells: &'a [Bound],
}

/// The least or greatest value of a clock or of a difference of clocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limit {
    /// The infimum or supremum.
    pub value: i32,
    /// Whether some valuation of the zone has this value; otherwise they only come close.
    pub attained: bool,
}

impl<'a> ZoneRef<'a> {
    /// The zone of a slice that was copied from [`Zone::cells`] or [`ZoneRef::cells`], for callers
    /// with a store of their own. Anything else in the slice makes answers meaningless; it is checked
    /// in full only by [`ZoneRef::from_checked_cells`].
    ///
    /// # Panics
    /// If the number of bounds is not the square of `dim`.
    #[inline]
    #[must_use]
    pub fn from_cells(dim: usize, cells: &'a [Bound]) -> ZoneRef<'a> {
        assert!(dim > 0 && cells.len() == dim * dim, "a matrix of bounds is square");
        debug_assert!(cells.iter().step_by(dim + 1).all(|&bound| bound == Bound::ZERO));
        ZoneRef { dim, cells }
    }

    /// The zone of a slice from an unknown source; `None` unless it is non-empty, canonical and
    /// without negative clocks. Takes O(dim³).
    #[must_use]
    pub fn from_checked_cells(cells: &'a [Bound]) -> Option<ZoneRef<'a>> {
        let dim = cells.len().isqrt();
        matrix::is_canonical(cells, dim).then_some(ZoneRef { dim, cells })
    }

    #[inline]
    pub(crate) fn trusted(dim: usize, cells: &'a [Bound]) -> ZoneRef<'a> {
        ZoneRef { dim, cells }
    }

    /// The number of clocks, the reference included.
    #[inline]
    #[must_use]
    pub fn dim(self) -> usize {
        self.dim
    }

    /// The bounds row by row; that of `x - y` is at `x * dim + y`.
    #[inline]
    #[must_use]
    pub fn cells(self) -> &'a [Bound] {
        self.cells
    }

    /// The tightest bound of `x - y`.
    ///
    /// # Panics
    /// If a clock is not there.
    #[inline]
    #[must_use]
    pub fn bound(self, x: usize, y: usize) -> Bound {
        assert!(y < self.dim, "there is no clock {y}");
        self.cells[x * self.dim + y]
    }

    /// A copy that can be changed.
    #[must_use]
    pub fn to_zone(self) -> Zone {
        Zone::from_canonical(self.dim, self.cells.to_vec())
    }

    /// The least value of clock `x`.
    ///
    /// ```
    /// use punctual_zones::{Bound, Limit, Zone};
    /// let zone = Zone::universe(1).constrained(0, 1, Bound::lt(-2)).unwrap(); // x > 2
    /// assert_eq!(zone.min(1), Limit { value: 2, attained: false });
    /// assert_eq!(zone.max(1), None);
    /// ```
    #[must_use]
    pub fn min(self, x: usize) -> Limit {
        self.min_difference(x, 0).expect("clocks are not negative")
    }

    /// The greatest value of clock `x`; `None` if it has no end.
    #[must_use]
    pub fn max(self, x: usize) -> Option<Limit> {
        self.max_difference(x, 0)
    }

    /// The least value of `x - y`; `None` if it has no end.
    #[must_use]
    pub fn min_difference(self, x: usize, y: usize) -> Option<Limit> {
        let limit = self.max_difference(y, x)?;
        Some(Limit { value: -limit.value, ..limit })
    }

    /// The greatest value of `x - y`; `None` if it has no end.
    #[must_use]
    pub fn max_difference(self, x: usize, y: usize) -> Option<Limit> {
        let bound = self.bound(x, y);
        Some(Limit { value: bound.constant()?, attained: bound.is_weak() })
    }

    /// Whether the zone can wait for ever: no clock has an upper bound.
    #[must_use]
    pub fn is_unbounded(self) -> bool {
        self.cells.iter().step_by(self.dim).skip(1).all(|bound| bound.is_infinite())
    }

    /// Whether a valuation lies in the zone, exactly.
    ///
    /// # Panics
    /// If the point has another number of clocks.
    #[must_use]
    pub fn contains(self, point: &Point) -> bool {
        assert_eq!(point.n_clocks() + 1, self.dim, "the point has another number of clocks");
        let denominator = i128::from(point.denominator());
        self.cells.chunks_exact(self.dim).enumerate().all(|(x, row)| {
            row.iter().enumerate().all(|(y, bound)| {
                let Some(constant) = bound.constant() else { return true };
                let difference = i128::from(point.numerator(x)) - i128::from(point.numerator(y));
                let limit = i128::from(constant) * denominator;
                if bound.is_weak() { difference <= limit } else { difference < limit }
            })
        })
    }
}

impl<'a> From<&'a Zone> for ZoneRef<'a> {
    #[inline]
    fn from(zone: &'a Zone) -> ZoneRef<'a> {
        zone.view()
    }
}

/// The questions of [`ZoneRef`], asked of a zone directly.
impl Zone {
    /// See [`ZoneRef::bound`].
    #[inline]
    #[must_use]
    pub fn bound(&self, x: usize, y: usize) -> Bound {
        self.view().bound(x, y)
    }

    /// See [`ZoneRef::min`].
    #[must_use]
    pub fn min(&self, x: usize) -> Limit {
        self.view().min(x)
    }

    /// See [`ZoneRef::max`].
    #[must_use]
    pub fn max(&self, x: usize) -> Option<Limit> {
        self.view().max(x)
    }

    /// See [`ZoneRef::contains`].
    #[must_use]
    pub fn contains(&self, point: &Point) -> bool {
        self.view().contains(point)
    }
}
