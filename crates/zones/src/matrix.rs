//! Shortest paths over a square matrix of bounds: the loops under every operation on zones.
//!
//! A matrix is a slice of `dim * dim` bounds, row by row; the bound at row `i`, column `j` is that of
//! `x_i - x_j`. Nothing here knows that a zone is canonical or not empty: [`crate::Zone`] keeps that.
//!
//! The inner loop adds one bound to a row and keeps the smaller one in each column. It has no
//! branches and works on blocks of four columns, of which the last may overlap the one before (taking
//! a minimum twice does no harm), so that it compiles to vector instructions at any dimension.
//! Before it, one look at the row says whether its sums can leave the range of bounds; only if they
//! can, a slower loop checks each sum.

use crate::bound::{Bound, INF, RAW_MAX, RAW_MIN, out_of_range};

/// Columns that are handled at once.
const BLOCK: usize = 4;

/// What the sums with the bounds of one row can come to.
#[derive(Clone, Copy)]
pub(crate) struct Reach {
    /// At least the absolute value of every finite bound of the row, less one.
    magnitude: i32,
    /// Whether no bound of the row is infinite.
    finite: bool,
}

impl Reach {
    #[inline]
    pub(crate) fn of(row: &[Bound]) -> Reach {
        let mut all = 0;
        let mut finite = 0;
        for bound in row {
            // The absolute value less one or the value itself: below 2^30 unless infinite.
            let size = bound.0 ^ (bound.0 >> 31);
            let is_infinite = (size << 1) >> 31;
            all |= size;
            finite |= size & !is_infinite;
        }
        Reach { magnitude: finite, finite: all <= RAW_MAX }
    }
}

/// `row[j] = min(row[j], via + through[j])` for every column `j`; `via` is finite.
#[inline]
pub(crate) fn relax_row(row: &mut [Bound], through: &[Bound], reach: Reach, via: i32) {
    let size = via ^ (via >> 31);
    // Neither term is more than one below the true absolute value, hence the margin of two.
    if size.saturating_add(reach.magnitude) > RAW_MAX - 4 {
        relax_row_checked(row, through, via);
    } else if reach.finite {
        relax_row_blocks::<true>(row, through, via);
    } else {
        relax_row_blocks::<false>(row, through, via);
    }
}

#[inline]
fn relax_row_blocks<const FINITE: bool>(row: &mut [Bound], through: &[Bound], via: i32) {
    assert_eq!(row.len(), through.len());
    // A weak `via` keeps the strictness of the other bound, a strict one makes every sum strict.
    let weak = via & 1;
    let (mask, offset) = (weak - 2, via - weak);
    let dim = row.len();
    if dim < BLOCK {
        for (old, bound) in row.iter_mut().zip(through) {
            relax::<FINITE>(old, *bound, mask, offset);
        }
        return;
    }
    let (blocks, _) = row.as_chunks_mut::<BLOCK>();
    let (through_blocks, _) = through.as_chunks::<BLOCK>();
    for (block, through) in blocks.iter_mut().zip(through_blocks) {
        relax_block::<FINITE>(block, through, mask, offset);
    }
    if !dim.is_multiple_of(BLOCK)
        && let (Some(block), Some(through)) = (row.last_chunk_mut(), through.last_chunk())
    {
        relax_block::<FINITE>(block, through, mask, offset);
    }
}

#[inline]
fn relax_block<const FINITE: bool>(
    block: &mut [Bound; BLOCK],
    through: &[Bound; BLOCK],
    mask: i32,
    offset: i32,
) {
    for (old, bound) in block.iter_mut().zip(through) {
        relax::<FINITE>(old, *bound, mask, offset);
    }
}

#[inline]
fn relax<const FINITE: bool>(old: &mut Bound, bound: Bound, mask: i32, offset: i32) {
    let sum = (bound.0 & mask).wrapping_add(offset);
    // The sum with an infinite bound is meaningless and not used.
    let better = (sum < old.0) & (FINITE | (bound.0 != INF));
    old.0 = if better { sum } else { old.0 };
}

#[cold]
#[inline(never)]
fn relax_row_checked(row: &mut [Bound], through: &[Bound], via: i32) {
    for (old, bound) in row.iter_mut().zip(through) {
        if bound.is_infinite() {
            continue;
        }
        let sum = i64::from(via) + i64::from(bound.0) - i64::from((via | bound.0) & 1);
        if sum < i64::from(old.0) {
            match i32::try_from(sum) {
                Ok(sum) if (RAW_MIN..=RAW_MAX).contains(&sum) => old.0 = sum,
                _ => out_of_range(if sum < 0 { i32::MIN } else { i32::MAX }),
            }
        }
    }
}

/// Adds the bound of `x - y` to a canonical matrix and makes it canonical again, in O(dim²).
///
/// The bound must be tighter than the present one and must not empty the zone. A path that gets
/// shorter uses the new bound, and uses it once; a row whose bound against `y` does not improve
/// improves nowhere, since it could reach every column through `y` before.
#[inline]
pub(crate) fn tighten(cells: &mut [Bound], dim: usize, x: usize, y: usize, bound: Bound) {
    let (above, rest) = cells.split_at_mut(y * dim);
    let (through, below) = rest.split_at_mut(dim);
    let reach = Reach::of(through);
    for row in above.chunks_exact_mut(dim).chain(below.chunks_exact_mut(dim)) {
        let first = row[x];
        if first.is_infinite() {
            continue;
        }
        let via = first.raw_sum(bound);
        if via < row[y].0 {
            relax_row(row, through, reach, via);
        }
    }
}

/// Lets paths lead through `pivot`; false if one of them is a cycle below zero.
/// With `only`, other rows stay as they are.
#[inline]
pub(crate) fn pivot(
    cells: &mut [Bound],
    dim: usize,
    pivot: usize,
    only: impl Fn(usize) -> bool,
) -> bool {
    let (above, rest) = cells.split_at_mut(pivot * dim);
    let (through, below) = rest.split_at_mut(dim);
    let reach = Reach::of(through);
    let above = above.chunks_exact_mut(dim).enumerate();
    let below = below.chunks_exact_mut(dim).enumerate().map(|(i, row)| (pivot + 1 + i, row));
    for (i, row) in above.chain(below) {
        let via = row[pivot];
        if via.is_infinite() || !only(i) {
            continue;
        }
        relax_row(row, through, reach, via.0);
        if row[i] < Bound::ZERO {
            return false;
        }
    }
    true
}

/// Makes any matrix with `<= 0` on its diagonal canonical (Floyd and Warshall), in O(dim³); false if
/// no point satisfies it, and then the matrix is of no use.
pub(crate) fn close(cells: &mut [Bound], dim: usize) -> bool {
    (0..dim).all(|k| pivot(cells, dim, k, |_| true))
}

/// A set of clocks without allocation, exact below 128; of larger ones it only knows whether there
/// are any. The caller asks in the direction in which not knowing costs time, not correctness.
#[derive(Clone, Copy, Default)]
pub(crate) struct ClockSet {
    bits: u128,
    beyond: bool,
}

impl ClockSet {
    #[inline]
    pub(crate) fn insert(&mut self, clock: usize) {
        if clock < 128 {
            self.bits |= 1 << clock;
        } else {
            self.beyond = true;
        }
    }

    /// Whether the clock is in the set; true for all clocks from 128 on if one of them is.
    #[inline]
    pub(crate) fn may_contain(self, clock: usize) -> bool {
        if clock < 128 { self.bits >> clock & 1 == 1 } else { self.beyond }
    }

    /// Whether the clock is known to be in the set; false for all clocks from 128 on.
    #[inline]
    pub(crate) fn contains_surely(self, clock: usize) -> bool {
        clock < 128 && self.bits >> clock & 1 == 1
    }

    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.bits == 0 && !self.beyond
    }
}

/// Whether a matrix is that of a non-empty zone of non-negative clocks in canonical form.
pub(crate) fn is_canonical(cells: &[Bound], dim: usize) -> bool {
    let at = |i: usize, j: usize| cells[i * dim + j];
    dim > 0
        && cells.len() == dim * dim
        && (0..dim).all(|i| at(i, i) == Bound::ZERO && at(0, i) <= Bound::ZERO)
        && (0..dim).all(|i| (0..dim).all(|j| at(i, j).meets(at(j, i))))
        && (0..dim).all(|k| {
            (0..dim).all(|i| {
                at(i, k).is_infinite()
                    || (0..dim)
                        .all(|j| at(k, j).is_infinite() || at(i, j).0 <= at(i, k).raw_sum(at(k, j)))
            })
        })
}
