//! Zones in few bytes, for stores of millions of them.
//!
//! After extrapolation the constants of a zone are not larger than those of the model, which mostly
//! fit one or two bytes. Packing keeps the order of bounds, so packed zones are compared as they lie.
//! The diagonal, which is the same in all zones, is left out: between two of its bounds lie as many
//! others as the zone has dimensions.

use crate::bound::{Bound, INF};
use crate::relation::Relation;
use crate::view::ZoneRef;
use crate::zone::Zone;

/// How many bytes a bound takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Packing {
    /// One: constants up to 62.
    Bytes,
    /// Two: constants up to 16382.
    Halves,
    /// Four: all constants.
    Words,
}

/// Bounds that are compared between two looks at the answer.
const BLOCK: usize = 16;

impl Packing {
    /// The bytes of a bound.
    #[inline]
    const fn width(self) -> usize {
        match self {
            Packing::Bytes => 1,
            Packing::Halves => 2,
            Packing::Words => 4,
        }
    }

    /// The bytes of a zone.
    #[inline]
    #[must_use]
    pub const fn size(self, dim: usize) -> usize {
        dim * (dim - 1) * self.width()
    }

    /// The next wider one.
    #[must_use]
    pub const fn wider(self) -> Packing {
        match self {
            Packing::Bytes => Packing::Halves,
            Packing::Halves | Packing::Words => Packing::Words,
        }
    }

    /// Appends a packed zone; if a constant is too large, answers `false` and appends nothing.
    ///
    /// ```
    /// use punctual_zones::{Packing, Relation, Zone};
    /// let (mut zero, mut all) = (Vec::new(), Vec::new());
    /// assert!(Packing::Bytes.pack(&Zone::zero(2), &mut zero));
    /// assert!(Packing::Bytes.pack(&Zone::universe(2), &mut all));
    /// assert_eq!(Packing::Bytes.relation(&zero, &all), Relation::Subset);
    /// ```
    #[must_use = "nothing is appended if a constant is too large"]
    pub fn pack<'a>(self, zone: impl Into<ZoneRef<'a>>, out: &mut Vec<u8>) -> bool {
        let zone = zone.into();
        let (dim, start) = (zone.dim(), out.len());
        out.resize(start + self.size(dim), 0);
        let runs = zone.cells()[1..].chunks_exact(dim + 1);
        let mut fits = true;
        for (run, room) in runs.zip(out[start..].chunks_exact_mut(dim * self.width())) {
            fits &= self.pack_run(&run[..dim], room);
        }
        if !fits {
            out.truncate(start);
        }
        fits
    }

    #[inline]
    fn pack_run(self, run: &[Bound], room: &mut [u8]) -> bool {
        let mut fits = true;
        match self {
            Packing::Bytes => {
                for (byte, bound) in room.iter_mut().zip(run) {
                    let small = if bound.0 == INF { 127 } else { bound.0.clamp(-127, 126) };
                    fits &= (small == bound.0) | (bound.0 == INF);
                    *byte = (small as i8).cast_unsigned();
                }
            }
            Packing::Halves => {
                for (bytes, bound) in room.as_chunks_mut::<2>().0.iter_mut().zip(run) {
                    let small = if bound.0 == INF { 32767 } else { bound.0.clamp(-32767, 32766) };
                    fits &= (small == bound.0) | (bound.0 == INF);
                    *bytes = (small as i16).to_ne_bytes();
                }
            }
            Packing::Words => {
                for (bytes, bound) in room.as_chunks_mut::<4>().0.iter_mut().zip(run) {
                    *bytes = bound.0.to_ne_bytes();
                }
            }
        }
        fits
    }

    /// Makes `zone` the zone of this dimension that was packed. Allocates only if `zone` was never
    /// as large.
    ///
    /// # Panics
    /// If the number of bytes is not that of a zone of this dimension.
    pub fn unpack_into(self, dim: usize, bytes: &[u8], zone: &mut Zone) {
        assert_eq!(bytes.len(), self.size(dim), "the bytes of a packed zone");
        let cells = zone.resized(dim);
        cells[0] = Bound::ZERO;
        let runs = cells[1..].chunks_exact_mut(dim + 1);
        for (run, bytes) in runs.zip(bytes.chunks_exact(dim * self.width())) {
            run[dim] = Bound::ZERO;
            self.unpack_run(bytes, &mut run[..dim]);
        }
    }

    #[inline]
    fn unpack_run(self, bytes: &[u8], run: &mut [Bound]) {
        match self {
            Packing::Bytes => {
                for (bound, &byte) in run.iter_mut().zip(bytes) {
                    let small = i32::from(byte.cast_signed());
                    bound.0 = if small == 127 { INF } else { small };
                }
            }
            Packing::Halves => {
                for (bound, &bytes) in run.iter_mut().zip(bytes.as_chunks::<2>().0) {
                    let small = i32::from(i16::from_ne_bytes(bytes));
                    bound.0 = if small == 32767 { INF } else { small };
                }
            }
            Packing::Words => {
                for (bound, &bytes) in run.iter_mut().zip(bytes.as_chunks::<4>().0) {
                    *bound = Bound(i32::from_ne_bytes(bytes));
                }
            }
        }
    }

    /// Whether a packed zone lies in another of the same dimension and packing.
    #[inline]
    #[must_use]
    pub fn is_included(self, ours: &[u8], theirs: &[u8]) -> bool {
        match self {
            Packing::Bytes => is_included(ours, theirs, |[byte]| byte.cast_signed()),
            Packing::Halves => is_included(ours, theirs, i16::from_ne_bytes),
            Packing::Words => is_included(ours, theirs, i32::from_ne_bytes),
        }
    }

    /// How one packed zone lies to another of the same dimension and packing.
    #[inline]
    #[must_use]
    pub fn relation(self, ours: &[u8], theirs: &[u8]) -> Relation {
        match self {
            Packing::Bytes => relation(ours, theirs, |[byte]| byte.cast_signed()),
            Packing::Halves => relation(ours, theirs, i16::from_ne_bytes),
            Packing::Words => relation(ours, theirs, i32::from_ne_bytes),
        }
    }
}

#[inline]
fn is_included<const WIDTH: usize, T: Copy + Ord>(
    ours: &[u8],
    theirs: &[u8],
    value: impl Fn([u8; WIDTH]) -> T,
) -> bool {
    assert_eq!(ours.len(), theirs.len(), "the zones have different dimensions");
    let (ours, theirs) = (ours.as_chunks::<WIDTH>().0, theirs.as_chunks::<WIDTH>().0);
    let look = |ours: &[[u8; WIDTH]], theirs: &[[u8; WIDTH]]| {
        let mut more = 0_u32;
        for (&a, &b) in ours.iter().zip(theirs) {
            more |= u32::from(value(a) > value(b));
        }
        more == 0
    };
    let (our_blocks, our_rest) = ours.as_chunks::<BLOCK>();
    let (their_blocks, their_rest) = theirs.as_chunks::<BLOCK>();
    our_blocks.iter().zip(their_blocks).all(|(a, b)| look(a, b)) && look(our_rest, their_rest)
}

#[inline]
fn relation<const WIDTH: usize, T: Copy + Ord>(
    ours: &[u8],
    theirs: &[u8],
    value: impl Fn([u8; WIDTH]) -> T,
) -> Relation {
    assert_eq!(ours.len(), theirs.len(), "the zones have different dimensions");
    let (ours, theirs) = (ours.as_chunks::<WIDTH>().0, theirs.as_chunks::<WIDTH>().0);
    let (mut tighter, mut looser) = (false, false);
    let mut look = |ours: &[[u8; WIDTH]], theirs: &[[u8; WIDTH]]| {
        let (mut less, mut more) = (0_u32, 0_u32);
        for (&a, &b) in ours.iter().zip(theirs) {
            less |= u32::from(value(a) < value(b));
            more |= u32::from(value(a) > value(b));
        }
        tighter |= less != 0;
        looser |= more != 0;
        tighter && looser
    };
    let (our_blocks, our_rest) = ours.as_chunks::<BLOCK>();
    let (their_blocks, their_rest) = theirs.as_chunks::<BLOCK>();
    let apart = our_blocks.iter().zip(their_blocks).any(|(a, b)| look(a, b));
    if apart || look(our_rest, their_rest) {
        return Relation::Different;
    }
    match (tighter, looser) {
        (false, false) => Relation::Equal,
        (true, false) => Relation::Subset,
        (false, true) => Relation::Superset,
        (true, true) => Relation::Different,
    }
}
