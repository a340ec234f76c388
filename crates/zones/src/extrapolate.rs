//! Extrapolation: larger zones, of which only finitely many exist, that a timed automaton without
//! diagonal guards cannot tell from the exact ones.
//!
//! The bounds of each clock are handed in: which constants it is compared with depends on the
//! automaton and its location. With guards such as `x - y < c` none of these operators is sound.
//! Each result contains the zone, is canonical, and is exactly the closure of the textbook matrix.
//!
//! Follows Behrmann, Bouyer, Larsen & Pelánek 2004/2006, "Lower and upper bounds in zone-based
//! abstractions of timed automata". The operators with one bound per clock (`Extra_M`, `Extra_M+`)
//! are those with two (`Extra_LU`, `Extra_LU+`) for equal bounds.

use crate::bound::{Bound, INF};
use crate::matrix::{self, ClockSet};
use crate::zone::Zone;

/// The bound of a clock that is compared with no constant.
pub const NO_BOUND: i32 = -(Bound::MAX_CONSTANT + 1);

/// The largest constants each clock is compared with, from below (`x > c`, `x >= c`) and from above
/// (`x < c`, `x <= c`). Index 0 belongs to the reference and is 0; [`NO_BOUND`] says "with none".
///
/// ```
/// use punctual_zones::{Bound, LuBounds, NO_BOUND, Zone};
/// let mut zone = Zone::zero(2);
/// zone.reset(1, 7);
/// // Nothing asks whether x is above some constant, or compares y at all.
/// zone.extra_lu_plus(LuBounds::new(&[0, NO_BOUND, NO_BOUND], &[0, 3, NO_BOUND]));
/// assert_eq!(zone.display(&["x", "y"]).to_string(), "x > 3");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LuBounds<'a> {
    pub(crate) lower: &'a [i32],
    pub(crate) upper: &'a [i32],
}

impl<'a> LuBounds<'a> {
    /// The bounds of each clock, the reference first.
    ///
    /// # Panics
    /// If the slices differ in length, or the reference has a bound other than 0.
    #[inline]
    #[must_use]
    pub fn new(lower: &'a [i32], upper: &'a [i32]) -> LuBounds<'a> {
        assert_eq!(lower.len(), upper.len(), "each clock has two bounds");
        assert!(lower.first() == Some(&0) && upper[0] == 0, "the bounds of the reference are 0");
        debug_assert!(
            lower
                .iter()
                .chain(upper)
                .all(|b| (0..=Bound::MAX_CONSTANT).contains(b) || *b == NO_BOUND)
        );
        LuBounds { lower, upper }
    }

    /// One bound for both directions.
    ///
    /// # Panics
    /// If the reference has a bound other than 0.
    #[inline]
    #[must_use]
    pub fn both(bounds: &'a [i32]) -> LuBounds<'a> {
        LuBounds::new(bounds, bounds)
    }
}

impl Zone {
    /// `Extra_M`: forgets what lies above the largest constant of each clock.
    ///
    /// # Panics
    /// If there are more or fewer bounds than clocks.
    pub fn extra_m(&mut self, bounds: &[i32]) {
        self.extra_lu(LuBounds::both(bounds));
    }

    /// `Extra_M+`: as [`Zone::extra_m`], and also forgets differences with clocks that are beyond
    /// their constant everywhere.
    ///
    /// # Panics
    /// If there are more or fewer bounds than clocks.
    pub fn extra_m_plus(&mut self, bounds: &[i32]) {
        self.extra_lu_plus(LuBounds::both(bounds));
    }

    /// `Extra_LU`: as [`Zone::extra_m`], with one constant for each direction.
    ///
    /// # Panics
    /// If there are more or fewer bounds than clocks.
    pub fn extra_lu(&mut self, bounds: LuBounds<'_>) {
        let dim = self.dim();
        assert_eq!(bounds.lower.len(), dim, "each clock has two bounds");
        let mut changed = ClockSet::default();
        for (i, row) in self.cells_mut().chunks_exact_mut(dim).enumerate() {
            let above = above(bounds.lower[i]);
            let mut differs = 0;
            for (j, (bound, &upper)) in row.iter_mut().zip(bounds.upper).enumerate() {
                let old = bound.0;
                if i == j {
                    continue;
                }
                if old > above {
                    bound.0 = INF;
                } else if old < below(upper) {
                    bound.0 = if upper != NO_BOUND {
                        below(upper)
                    } else if i == 0 {
                        Bound::ZERO.0
                    } else {
                        INF
                    };
                }
                differs |= old ^ bound.0;
            }
            if differs != 0 {
                changed.insert(i);
            }
        }
        reclose(self.cells_mut(), dim, changed, |_| true);
    }

    /// `Extra_LU+`: as [`Zone::extra_m_plus`], with one constant for each direction. The coarsest of
    /// the four.
    ///
    /// # Panics
    /// If there are more or fewer bounds than clocks.
    pub fn extra_lu_plus(&mut self, bounds: LuBounds<'_>) {
        let dim = self.dim();
        assert_eq!(bounds.lower.len(), dim, "each clock has two bounds");
        let (reference, rest) = self.cells_mut().split_at_mut(dim);
        let (mut changed, mut ends) = (ClockSet::default(), ClockSet::default());
        for (i, row) in (1..).zip(rest.chunks_exact_mut(dim)) {
            if reference[i].0 < below(bounds.lower[i]) {
                row.fill(Bound::INFINITY);
                ends.insert(i);
            } else if forget_row(row, reference, above(bounds.lower[i]), bounds.upper) {
                changed.insert(i);
            }
            row[i] = Bound::ZERO;
        }
        for (j, (bound, &upper)) in reference.iter_mut().zip(bounds.upper).enumerate() {
            if bound.0 < below(upper) {
                bound.0 = if upper == NO_BOUND { Bound::ZERO.0 } else { below(upper) };
                ends.insert(j);
            }
        }
        // Paths through `ends` shorten nothing. A clock beyond its lower constant has no bounds
        // left in its row. One beyond its upper constant is reached only from the reference: to go
        // on from it is no shorter than to go on from the reference. For the same reason the row of
        // the reference is canonical already, and a row that was forgotten stays so.
        reclose(self.cells_mut(), dim, changed, |k| !ends.contains_surely(k));
    }
}

/// Bounds greater than this have a constant greater than `constant`.
#[inline]
fn above(constant: i32) -> i32 {
    (constant << 1) | 1
}

/// Bounds less than this have a constant less than `-constant`. It is itself the bound
/// `< -constant`, unless `constant` is [`NO_BOUND`].
#[inline]
pub(crate) fn below(constant: i32) -> i32 {
    -(constant << 1)
}

/// Drops the bounds that are above `above` or lead to a clock beyond its upper constant; answers
/// whether one was there to drop. Not inlined, for the reason given at `matrix::relax_rows`.
#[inline(never)]
fn forget_row(row: &mut [Bound], reference: &[Bound], above: i32, upper: &[i32]) -> bool {
    const BLOCK: usize = 4;
    let (blocks, rest) = row.as_chunks_mut::<BLOCK>();
    let (reference_blocks, reference_rest) = reference.as_chunks::<BLOCK>();
    let (upper_blocks, upper_rest) = upper.as_chunks::<BLOCK>();
    let mut differs = [0; BLOCK];
    let forget = |bound: &mut Bound, first: Bound, upper: i32| {
        let forget = (bound.0 > above) | (first.0 < below(upper));
        let new = if forget { INF } else { bound.0 };
        let differs = new ^ bound.0;
        bound.0 = new;
        differs
    };
    for ((block, first), upper) in blocks.iter_mut().zip(reference_blocks).zip(upper_blocks) {
        for k in 0..BLOCK {
            differs[k] |= forget(&mut block[k], first[k], upper[k]);
        }
    }
    for ((bound, first), upper) in rest.iter_mut().zip(reference_rest).zip(upper_rest) {
        differs[0] |= forget(bound, *first, *upper);
    }
    differs != [0; BLOCK]
}

/// Makes a matrix canonical whose bounds are those of a canonical one, or looser in the rows
/// `changed`. A bound that was not loosened is still the tightest one, so rows without loosened
/// bounds stay as they are.
fn reclose(cells: &mut [Bound], dim: usize, changed: ClockSet, through: impl Fn(usize) -> bool) {
    if changed.is_empty() {
        return;
    }
    for k in 0..dim {
        if through(k) {
            let non_empty = matrix::pivot(cells, dim, k, |i| changed.may_contain(i));
            debug_assert!(non_empty, "a zone does not lose points by extrapolation");
        }
    }
}
