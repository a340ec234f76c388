//! How two zones lie to each other: inclusion, equality, and both in one pass.
//!
//! A canonical zone lies in another set of bounds exactly if each of its bounds is at least as tight.
//! The comparisons run over blocks of sixteen bounds without branches and stop after the first block
//! that decides.

use std::hash::{Hash, Hasher};

use crate::bound::Bound;
use crate::view::ZoneRef;
use crate::zone::Zone;

/// Bounds that are compared between two looks at the answer.
const BLOCK: usize = 16;

/// How one zone lies to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// Both have the same valuations.
    Equal,
    /// The first lies in the second and is smaller.
    Subset,
    /// The second lies in the first and is smaller.
    Superset,
    /// Each has valuations that the other has not.
    Different,
}

impl<'a> ZoneRef<'a> {
    /// How this zone lies to another of the same dimension.
    ///
    /// ```
    /// use punctual_zones::{Relation, Zone};
    /// let (zero, all) = (Zone::zero(3), Zone::universe(3));
    /// assert_eq!(zero.relation(&all), Relation::Subset);
    /// assert_eq!(all.relation(&zero), Relation::Superset);
    /// ```
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use]
    pub fn relation<'b>(self, other: impl Into<ZoneRef<'b>>) -> Relation {
        let (mut tighter, mut looser) = (false, false);
        all_blocks(self.cells(), same_dim(self, other.into()).cells(), |ours, theirs| {
            tighter |= any(ours, theirs, |a, b| a < b);
            looser |= any(ours, theirs, |a, b| a > b);
            !(tighter && looser)
        });
        match (tighter, looser) {
            (false, false) => Relation::Equal,
            (true, false) => Relation::Subset,
            (false, true) => Relation::Superset,
            (true, true) => Relation::Different,
        }
    }

    /// Whether every valuation of this zone lies in the other.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[inline]
    #[must_use]
    pub fn is_included_in<'b>(self, other: impl Into<ZoneRef<'b>>) -> bool {
        all_blocks(self.cells(), same_dim(self, other.into()).cells(), |ours, theirs| {
            !any(ours, theirs, |a, b| a > b)
        })
    }

    /// Whether every valuation of the other zone lies in this one.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[inline]
    #[must_use]
    pub fn includes<'b>(self, other: impl Into<ZoneRef<'b>>) -> bool {
        other.into().is_included_in(self)
    }
}

impl Zone {
    /// See [`ZoneRef::relation`].
    #[must_use]
    pub fn relation<'b>(&self, other: impl Into<ZoneRef<'b>>) -> Relation {
        self.view().relation(other)
    }

    /// See [`ZoneRef::is_included_in`].
    #[inline]
    #[must_use]
    pub fn is_included_in<'b>(&self, other: impl Into<ZoneRef<'b>>) -> bool {
        self.view().is_included_in(other)
    }

    /// See [`ZoneRef::includes`].
    #[inline]
    #[must_use]
    pub fn includes<'b>(&self, other: impl Into<ZoneRef<'b>>) -> bool {
        self.view().includes(other)
    }
}

#[inline]
pub(crate) fn same_dim<'b>(ours: ZoneRef<'_>, theirs: ZoneRef<'b>) -> ZoneRef<'b> {
    assert_eq!(ours.dim(), theirs.dim(), "the zones have different dimensions");
    theirs
}

/// Whether `test` holds for some pair of raw bounds. It looks at all of them, which takes less time
/// than to stop early.
#[inline]
fn any(ours: &[Bound; BLOCK], theirs: &[Bound; BLOCK], test: impl Fn(i32, i32) -> bool) -> bool {
    // One bit for each pair is what vector instructions can produce.
    let mut found = 0;
    for k in 0..BLOCK {
        found |= u32::from(test(ours[k].0, theirs[k].0)) << k;
    }
    found != 0
}

/// Whether `test` holds for all blocks of two slices of one length. The last block may overlap the
/// one before; slices shorter than a block are filled up with equal bounds.
#[inline]
fn all_blocks(
    ours: &[Bound],
    theirs: &[Bound],
    mut test: impl FnMut(&[Bound; BLOCK], &[Bound; BLOCK]) -> bool,
) -> bool {
    let (our_blocks, our_rest) = ours.as_chunks::<BLOCK>();
    let (their_blocks, _) = theirs.as_chunks::<BLOCK>();
    for (a, b) in our_blocks.iter().zip(their_blocks) {
        if !test(a, b) {
            return false;
        }
    }
    if our_rest.is_empty() {
        return true;
    }
    if let (Some(a), Some(b)) = (ours.last_chunk(), theirs.last_chunk()) {
        return test(a, b);
    }
    let fill = |slice: &[Bound]| {
        let mut block = [Bound::ZERO; BLOCK];
        block[..slice.len()].copy_from_slice(slice);
        block
    };
    test(&fill(ours), &fill(theirs))
}

/// Zones are equal if they have the same clocks and valuations: the canonical form is unique.
impl PartialEq for ZoneRef<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.dim() == other.dim()
            && all_blocks(self.cells(), other.cells(), |ours, theirs| {
                !any(ours, theirs, |a, b| a != b)
            })
    }
}

impl Eq for ZoneRef<'_> {}

impl Hash for ZoneRef<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Two bounds at once, since most hashers take a word in one step.
        let half = |bound: Bound| u64::from(bound.0.cast_unsigned());
        let (pairs, rest) = self.cells().as_chunks::<2>();
        for &[a, b] in pairs {
            state.write_u64(half(a) << 32 | half(b));
        }
        for &bound in rest {
            state.write_u64(half(bound));
        }
    }
}

impl PartialEq for Zone {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.view() == other.view()
    }
}

impl Eq for Zone {}

impl PartialEq<ZoneRef<'_>> for Zone {
    fn eq(&self, other: &ZoneRef<'_>) -> bool {
        self.view() == *other
    }
}

impl PartialEq<Zone> for ZoneRef<'_> {
    fn eq(&self, other: &Zone) -> bool {
        *self == other.view()
    }
}

impl Hash for Zone {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.view().hash(state);
    }
}
