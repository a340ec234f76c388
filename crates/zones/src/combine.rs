//! Two zones into one: their intersection and the smallest zone around both.

use crate::bound::Bound;
use crate::matrix::{self, ClockSet};
use crate::relation::same_dim;
use crate::view::ZoneRef;
use crate::zone::Zone;

impl Zone {
    /// Keeps the valuations that also lie in `other`. If there are none, answers `false`, and this
    /// zone is then a copy of `other`.
    ///
    /// ```
    /// use punctual_zones::{Bound, Zone};
    /// let mut zone = Zone::universe(1).constrained(1, 0, Bound::le(5)).unwrap();
    /// let late = Zone::universe(1).constrained(0, 1, Bound::lt(-3)).unwrap();
    /// assert!(zone.intersect(&late));
    /// assert_eq!(zone.display(&["x"]).to_string(), "x in (3, 5]");
    /// ```
    ///
    /// # Panics
    /// If the dimensions differ, or a bound that follows is out of range.
    #[must_use = "the zone is a copy of the other if no valuation is left"]
    pub fn intersect<'a>(&mut self, other: impl Into<ZoneRef<'a>>) -> bool {
        let other = same_dim(self.view(), other.into());
        let dim = self.dim();
        let tighter = Tighter::of(self.cells(), other.cells(), dim);
        let non_empty = if tighter.n_bounds <= tighter.n_clocks {
            // Often one bound implies the others, which then cost nothing.
            (0..dim)
                .filter(|&i| tighter.clocks.may_contain(i))
                .all(|i| (0..dim).all(|j| self.constrain(i, j, other.cells()[i * dim + j])))
        } else {
            for (bound, theirs) in self.cells_mut().iter_mut().zip(other.cells()) {
                bound.0 = bound.0.min(theirs.0);
            }
            // A path that got shorter uses tightened bounds. What lies between two of them was
            // canonical before, so it is one step: the path turns only at clocks of such bounds.
            (0..dim)
                .filter(|&k| tighter.clocks.may_contain(k))
                .all(|k| matrix::pivot(self.cells_mut(), dim, k, |_| true))
        };
        if !non_empty {
            self.assign(other);
        }
        non_empty
    }

    /// Whether some valuation lies in both zones. Allocates unless two bounds alone decide it.
    ///
    /// # Panics
    /// If the dimensions differ, or a bound that follows is out of range.
    #[must_use]
    pub fn intersects<'a>(&self, other: impl Into<ZoneRef<'a>>) -> bool {
        self.view().intersects(other)
    }

    /// Makes this the smallest zone that contains both (their convex hull).
    ///
    /// # Panics
    /// If the dimensions differ.
    pub fn hull<'a>(&mut self, other: impl Into<ZoneRef<'a>>) {
        // The greater of two canonical bounds is canonical: each obeys its own triangles.
        let other = same_dim(self.view(), other.into());
        for (bound, &theirs) in self.cells_mut().iter_mut().zip(other.cells()) {
            *bound = (*bound).max(theirs);
        }
    }
}

impl ZoneRef<'_> {
    /// Whether some valuation lies in both zones. Allocates unless two bounds alone decide it.
    ///
    /// # Panics
    /// If the dimensions differ, or a bound that follows is out of range.
    #[must_use]
    pub fn intersects<'b>(self, other: impl Into<ZoneRef<'b>>) -> bool {
        let other = same_dim(self, other.into());
        let dim = self.dim();
        let apart = self.cells().chunks_exact(dim).enumerate().any(|(i, row)| {
            row.iter().enumerate().any(|(j, bound)| !bound.meets(other.cells()[j * dim + i]))
        });
        !apart && self.to_zone().intersect(other)
    }
}

/// Where the bounds of another zone are tighter.
struct Tighter {
    /// The clocks of such bounds.
    clocks: ClockSet,
    n_clocks: usize,
    n_bounds: usize,
}

impl Tighter {
    #[inline]
    fn of(cells: &[Bound], others: &[Bound], dim: usize) -> Tighter {
        let mut tighter = Tighter { clocks: ClockSet::default(), n_clocks: 0, n_bounds: 0 };
        for (i, (row, other)) in cells.chunks_exact(dim).zip(others.chunks_exact(dim)).enumerate() {
            let mut any = 0;
            for (a, b) in row.iter().zip(other) {
                any |= i32::from(b.0 < a.0);
            }
            if any != 0 {
                tighter.clocks.insert(i);
                for (j, (a, b)) in row.iter().zip(other).enumerate() {
                    if b.0 < a.0 {
                        tighter.n_bounds += 1;
                        tighter.clocks.insert(j);
                    }
                }
            }
        }
        tighter.n_clocks = (0..dim).filter(|&i| tighter.clocks.may_contain(i)).count();
        tighter
    }
}
