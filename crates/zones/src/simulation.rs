//! Inclusion up to simulation: is each valuation of a zone simulated by one of another zone?
//!
//! With the constants of [`LuBounds`], a valuation `w` simulates `v` if for each clock they agree, or
//! `w` is smaller but above the lower constant, or `v` is above the upper constant and `w` is greater
//! still. The set of valuations simulated by some valuation of `Z` is `aLU(Z)`; it is no zone, yet
//! inclusion in it takes one pass over both matrices. It is the coarsest abstraction that is sound
//! for all automata with these constants and without diagonal guards.
//!
//! Follows Herbreteau, Srivathsan & Walukiewicz 2012, "Better abstractions for timed automata".

use crate::bound::Bound;
use crate::extrapolate::{LuBounds, below};
use crate::relation::same_dim;
use crate::view::ZoneRef;
use crate::zone::Zone;

/// Bounds that are compared between two looks at the answer.
const BLOCK: usize = 4;

impl ZoneRef<'_> {
    /// Whether each valuation of this zone is simulated by one of the other: `Z ⊆ aLU(other)`.
    /// Every zone that is included is also simulated. Takes O(dim²).
    ///
    /// ```
    /// use punctual_zones::{Bound, LuBounds, Zone};
    /// let late = Zone::universe(1).constrained(0, 1, Bound::le(-9)).unwrap(); // x >= 9
    /// let early = Zone::universe(1).constrained(0, 1, Bound::le(-5)).unwrap(); // x >= 5
    /// assert!(!early.is_included_in(&late));
    /// assert!(early.is_simulated_by(&late, LuBounds::both(&[0, 3])));
    /// ```
    ///
    /// # Panics
    /// If the dimensions differ, or there are more or fewer bounds than clocks.
    #[must_use]
    pub fn is_simulated_by<'b>(self, other: impl Into<ZoneRef<'b>>, bounds: LuBounds<'_>) -> bool {
        let other = same_dim(self, other.into());
        let dim = self.dim();
        assert_eq!(bounds.lower.len(), dim, "each clock has two bounds");
        let reference = &self.cells()[..dim];
        self.cells().chunks_exact(dim).zip(other.cells().chunks_exact(dim)).zip(bounds.lower).all(
            |((ours, theirs), &lower)| {
                row_is_simulated(ours, theirs, reference, bounds.upper, below(lower))
            },
        )
    }
}

impl Zone {
    /// See [`ZoneRef::is_simulated_by`].
    #[must_use]
    pub fn is_simulated_by<'b>(&self, other: impl Into<ZoneRef<'b>>, bounds: LuBounds<'_>) -> bool {
        self.view().is_simulated_by(other, bounds)
    }
}

#[inline]
fn row_is_simulated(
    ours: &[Bound],
    theirs: &[Bound],
    reference: &[Bound],
    upper: &[i32],
    beyond_lower: i32,
) -> bool {
    let dim = ours.len();
    assert!(theirs.len() == dim && reference.len() == dim && upper.len() == dim);
    let (Some(end), Some(theirs_end), Some(reference_end), Some(upper_end)) =
        (ours.last_chunk(), theirs.last_chunk(), reference.last_chunk(), upper.last_chunk())
    else {
        return (0..dim)
            .all(|x| !escapes(ours[x].0, theirs[x].0, reference[x].0, upper[x], beyond_lower));
    };
    let none_escapes = |ours: &[Bound; BLOCK],
                        theirs: &[Bound; BLOCK],
                        reference: &[Bound; BLOCK],
                        upper: &[i32; BLOCK]| {
        // One bit for each pair is what vector instructions can produce.
        let mut escaped = 0;
        for x in 0..BLOCK {
            let escapes = escapes(ours[x].0, theirs[x].0, reference[x].0, upper[x], beyond_lower);
            escaped |= u32::from(escapes) << x;
        }
        escaped == 0
    };
    let blocks = ours.as_chunks().0.iter().zip(theirs.as_chunks().0);
    let limits = reference.as_chunks().0.iter().zip(upper.as_chunks().0);
    blocks
        .zip(limits)
        .all(|((ours, theirs), (reference, upper))| none_escapes(ours, theirs, reference, upper))
        && none_escapes(end, theirs_end, reference_end, upper_end)
}

/// Whether the clocks of one pair of bounds, of `y - x`, show a valuation that nothing simulates:
/// `x` can be at most its upper constant, and then `y` can be farther ahead than the other zone
/// allows, while not even its lower constant is as near.
#[inline]
fn escapes(ours: i32, theirs: i32, lowest: i32, upper: i32, beyond_lower: i32) -> bool {
    // An infinite bound of theirs is not less than ours, whatever the sum is.
    let strict_sum = (theirs & !1).wrapping_add(beyond_lower);
    (theirs < ours) & (strict_sum < lowest) & (lowest > below(upper))
}
