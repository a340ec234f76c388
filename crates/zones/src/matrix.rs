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
    fn of(row: &[Bound]) -> Reach {
        let (mut all, mut finite) = ([0; BLOCK], [0; BLOCK]);
        let mut look = |block: &[Bound; BLOCK]| {
            for k in 0..BLOCK {
                // The absolute value less one or the value itself: below 2^30 unless infinite.
                let size = block[k].0 ^ (block[k].0 >> 31);
                let is_infinite = (size << 1) >> 31;
                all[k] |= size;
                finite[k] |= size & !is_infinite;
            }
        };
        if let Some(end) = row.last_chunk() {
            row.as_chunks().0.iter().for_each(&mut look);
            look(end);
        } else {
            let mut block = [Bound::ZERO; BLOCK];
            block[..row.len()].copy_from_slice(row);
            look(&block);
        }
        let any = |bits: [i32; BLOCK]| bits.iter().fold(0, |all, it| all | it);
        Reach { magnitude: any(finite), finite: any(all) <= RAW_MAX }
    }
}

/// `row[j] = min(row[j], via + through[j])` for every column `j`; `via` is finite, and so is the
/// whole row `through` if `FINITE`.
#[inline(always)]
fn relax_row<const FINITE: bool>(row: &mut [Bound], through: &[Bound], reach: Reach, via: i32) {
    let size = via ^ (via >> 31);
    // Neither term is more than one below the true absolute value, hence the margin.
    if size.saturating_add(reach.magnitude) > RAW_MAX - 4 {
        relax_row_checked(row, through, via);
        return;
    }
    // A weak `via` keeps the strictness of the other bound, a strict one makes every sum strict.
    let weak = via & 1;
    let (mask, offset) = (weak - 2, via - weak);
    let (Some(&end), Some(through_end)) = (row.last_chunk::<BLOCK>(), through.last_chunk()) else {
        for (old, bound) in row.iter_mut().zip(through) {
            relax::<FINITE>(old, *bound, mask, offset);
        }
        return;
    };
    // The last block is read before and written after the others, since reading what was just
    // written in other blocks stalls.
    let mut end = end;
    relax_block::<FINITE, BLOCK>(&mut end, through_end, mask, offset);
    let (pairs, rest) = row.as_chunks_mut::<{ 2 * BLOCK }>();
    let (through_pairs, through_rest) = through.as_chunks::<{ 2 * BLOCK }>();
    for (pair, through) in pairs.iter_mut().zip(through_pairs) {
        relax_block::<FINITE, { 2 * BLOCK }>(pair, through, mask, offset);
    }
    if let (Some(block), Some(through)) = (rest.first_chunk_mut(), through_rest.first_chunk()) {
        relax_block::<FINITE, BLOCK>(block, through, mask, offset);
    }
    if let Some(block) = row.last_chunk_mut() {
        *block = end;
    }
}

#[inline]
fn relax_block<const FINITE: bool, const N: usize>(
    block: &mut [Bound; N],
    through: &[Bound; N],
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
        relax_checked(old, *bound, via);
    }
}

/// Panics if the sum is needed and out of range; a sum that is no improvement may be anything.
#[inline]
fn relax_checked(old: &mut Bound, bound: Bound, via: i32) {
    if bound.is_infinite() {
        return;
    }
    let sum = i64::from(via) + i64::from(bound.0) - i64::from((via | bound.0) & 1);
    if sum < i64::from(old.0) {
        match i32::try_from(sum) {
            Ok(sum) if (RAW_MIN..=RAW_MAX).contains(&sum) => old.0 = sum,
            _ => out_of_range(sum),
        }
    }
}

/// Adds the bound of `x - y` to a canonical matrix and makes it canonical again, in O(dim²).
///
/// The bound must be tighter than the present one and must not empty the zone. A path that gets
/// shorter uses the new bound, and uses it once; a row whose bound against `y` does not improve
/// improves nowhere, since it could reach every column through `y` before.
///
/// The same holds of columns, with `x` in place of `y`. Often only a few improve: an upper bound on a
/// clock of a zone that has just waited bounds the clocks, but not their differences.
#[inline(never)]
pub(crate) fn tighten(cells: &mut [Bound], dim: usize, x: usize, y: usize, bound: Bound) {
    // A lower bound of a zone that has just waited improves one row: then columns need no look.
    let columns = if x == 0 { None } else { Columns::improving(cells, dim, x, y, bound) };
    let (above, rest) = cells.split_at_mut(y * dim);
    let (through, below) = rest.split_at_mut(dim);
    if let Some(columns) = columns {
        for rows in [above, below] {
            each_row(rows, dim, |row| {
                if let Some(via) = improvement(row, x, y, bound) {
                    columns.each(|column| relax_checked(&mut row[column], through[column], via));
                }
                true
            });
        }
        return;
    }
    let reach = Reach::of(through);
    for rows in [above, below] {
        if reach.finite {
            relax_rows::<true>(rows, through, reach, (x, y), bound);
        } else {
            relax_rows::<false>(rows, through, reach, (x, y), bound);
        }
    }
}

/// A few of the first 64 columns, one bit for each.
#[derive(Clone, Copy)]
struct Columns(u64);

impl Columns {
    /// Up to how many columns are changed one by one.
    const FEW: u32 = 4;

    /// The columns in which row `x` improves by the bound of `x - y`; `None` if they are not few.
    #[inline]
    fn improving(cells: &[Bound], dim: usize, x: usize, y: usize, bound: Bound) -> Option<Columns> {
        const WIDE: usize = 2 * BLOCK;
        if dim > 64 {
            return None;
        }
        let (row, through) = (&cells[x * dim..][..dim], &cells[y * dim..][..dim]);
        let weak = bound.0 & 1;
        let (mask, offset) = (weak - 2, bound.0 - weak);
        let improves = |old: Bound, then: Bound| {
            ((then.0 & mask).wrapping_add(offset) < old.0) & (then.0 != INF)
        };
        let look = |old: &[Bound; WIDE], then: &[Bound; WIDE]| {
            let mut bits = 0;
            for k in 0..WIDE {
                bits |= u64::from(improves(old[k], then[k])) << k;
            }
            bits
        };
        let mut bits = 0;
        if let (Some(old), Some(then)) = (row.last_chunk(), through.last_chunk()) {
            let (blocks, through_blocks) = (row.as_chunks().0, through.as_chunks().0);
            for (i, (old, then)) in blocks.iter().zip(through_blocks).enumerate() {
                bits |= look(old, then) << (i * WIDE);
            }
            bits |= look(old, then) << (dim - WIDE);
        } else {
            for (k, (old, then)) in row.iter().zip(through).enumerate() {
                bits |= u64::from(improves(*old, *then)) << k;
            }
        }
        (bits.count_ones() <= Self::FEW).then_some(Columns(bits))
    }

    #[inline]
    fn each(self, mut visit: impl FnMut(usize)) {
        let mut bits = self.0;
        while bits != 0 {
            visit(bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    }
}

/// Relaxes each row by `bound` and the row `through`, as [`tighten`] says.
///
/// This and [`pivot_rows`] are not inlined: as arguments of a function, the rows and the row
/// `through` are known not to overlap, and the inner loop can be compiled to vector instructions.
#[inline(never)]
fn relax_rows<const FINITE: bool>(
    rows: &mut [Bound],
    through: &[Bound],
    reach: Reach,
    (x, y): (usize, usize),
    bound: Bound,
) {
    each_row(rows, through.len(), |row| {
        if let Some(via) = improvement(row, x, y, bound) {
            relax_row::<FINITE>(row, through, reach, via);
        }
        true
    });
}

/// The bound of this row against `y` by way of `x`, if it is tighter than what it was.
#[inline]
fn improvement(row: &[Bound], x: usize, y: usize, bound: Bound) -> Option<i32> {
    let first = row[x];
    let via = if first.is_infinite() { INF } else { first.raw_sum(bound) };
    (via < row[y].0).then_some(via)
}

/// Calls `visit` with each row until it answers `false`. Unlike `chunks_exact_mut`, it need not
/// divide to know where to end.
#[inline]
pub(crate) fn each_row(
    mut rows: &mut [Bound],
    dim: usize,
    mut visit: impl FnMut(&mut [Bound]) -> bool,
) -> bool {
    while let Some((row, rest)) = rows.split_at_mut_checked(dim) {
        if !visit(row) {
            return false;
        }
        rows = rest;
    }
    true
}

/// Lowers each bound of `row` to the least one of its column in `rows`.
#[inline(never)]
pub(crate) fn take_least(row: &mut [Bound], rows: &[Bound]) {
    for other in rows.chunks_exact(row.len()) {
        for (least, bound) in row.iter_mut().zip(other) {
            least.0 = least.0.min(bound.0);
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
    [(0, above), (pivot + 1, below)].into_iter().all(|(first, rows)| {
        if reach.finite {
            pivot_rows::<true>(rows, through, reach, pivot, first, &only)
        } else {
            pivot_rows::<false>(rows, through, reach, pivot, first, &only)
        }
    })
}

#[inline(never)]
fn pivot_rows<const FINITE: bool>(
    rows: &mut [Bound],
    through: &[Bound],
    reach: Reach,
    pivot: usize,
    first: usize,
    only: impl Fn(usize) -> bool,
) -> bool {
    let mut next = first;
    each_row(rows, through.len(), |row| {
        let (i, via) = (next, row[pivot]);
        next += 1;
        if !via.is_infinite() && only(i) {
            relax_row::<FINITE>(row, through, reach, via.0);
        }
        row[i] >= Bound::ZERO
    })
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
