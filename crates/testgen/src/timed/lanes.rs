//! One sequence compared with many at once.
//!
//! Sixteen sequences lie side by side, symbol by symbol, so that the same step of all alignments is one instruction
//! for several of them. What comes out is what [`Similarity::of`] says, pair by pair.

use super::similarity::{Sequence, Similarity};

/// How many sequences lie side by side.
const LANES: usize = 16;

/// Scores stay below this, or there is no room for them.
const SCORE_MAX: usize = 30_000;

/// Sequences side by side.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes {
    groups: Vec<Group>,
    n: usize,
}

#[derive(Clone, Debug, Default)]
struct Group {
    /// The names of symbols, column by column; behind the end of a sequence anything may stand.
    names: Vec<[u16; LANES]>,
    sequences: Vec<Sequence>,
}

/// Memory for comparing, used again and again.
#[derive(Clone, Debug, Default)]
pub(super) struct Workspace {
    row: Vec<[i16; LANES]>,
    fits: Vec<[i16; LANES]>,
}

impl Lanes {
    /// Adds a sequence behind all others.
    pub(super) fn push(&mut self, sequence: Sequence) {
        if self.n.is_multiple_of(LANES) {
            self.groups.push(Group::default());
        }
        self.n += 1;
        let at = self.n - 1;
        self.groups[at / LANES].sequences.push(Sequence::default());
        self.set(at, sequence);
    }

    /// Replaces a sequence.
    pub(super) fn set(&mut self, at: usize, sequence: Sequence) {
        let group = &mut self.groups[at / LANES];
        let lane = at % LANES;
        if group.names.len() < sequence.len() {
            group.names.resize(sequence.len(), [0; LANES]);
        }
        for (column, name) in group.names.iter_mut().zip(sequence.names()) {
            column[lane] = name;
        }
        group.sequences[lane] = sequence;
    }

    /// The similarity of a sequence with each of them, times the unit.
    pub(super) fn similar(
        &self,
        similarity: &Similarity,
        left: &Sequence,
        work: &mut Workspace,
    ) -> Vec<i32> {
        let mut found = Vec::with_capacity(self.n);
        for group in &self.groups {
            let longest = group.names.len().max(left.len());
            match longest * 3 * similarity.unit() as usize > SCORE_MAX {
                true => {
                    let of = |right: &Sequence| similarity.of(left, right);
                    found.extend(group.sequences.iter().map(of));
                }
                false => group.compare(similarity, left, work, &mut found),
            }
        }
        found
    }
}

impl Group {
    fn compare(
        &self,
        similarity: &Similarity,
        left: &Sequence,
        work: &mut Workspace,
        found: &mut Vec<i32>,
    ) {
        let unit = similarity.unit() as i16;
        let Workspace { row, fits } = work;
        row.clear();
        row.extend((0..=self.names.len() as i16).map(|n| [-n * unit; LANES]));
        for (at, name) in left.names().enumerate() {
            let has_parameters = left.has_parameters(at);
            if has_parameters {
                self.fits(similarity, left, at, fits);
            }
            let mut diagonal = row[0];
            let mut before = [diagonal[0] - unit; LANES];
            row[0] = before;
            if has_parameters {
                for (fit, cell) in fits.iter().zip(&mut row[1..]) {
                    before = better(&diagonal, fit, cell, &before, unit);
                    diagonal = std::mem::replace(cell, before);
                }
            } else {
                for (others, cell) in self.names.iter().zip(&mut row[1..]) {
                    let fit = equal(others, name, unit);
                    before = better(&diagonal, &fit, cell, &before, unit);
                    diagonal = std::mem::replace(cell, before);
                }
            }
        }
        let last = self.sequences.iter().enumerate();
        found.extend(last.map(|(lane, sequence)| i32::from(row[sequence.len()][lane])));
    }

    /// How a symbol with parameters fits each symbol of each sequence.
    fn fits(
        &self,
        similarity: &Similarity,
        left: &Sequence,
        at: usize,
        fits: &mut Vec<[i16; LANES]>,
    ) {
        fits.clear();
        fits.resize(self.names.len(), [-2 * similarity.unit() as i16; LANES]);
        for (lane, right) in self.sequences.iter().enumerate() {
            for (column, fit) in fits.iter_mut().enumerate().take(right.len()) {
                fit[lane] = similarity.fit(left, at, right, column) as i16;
            }
        }
    }
}

/// How a symbol without parameters fits the symbols of a column.
#[inline(always)]
fn equal(others: &[u16; LANES], name: u16, unit: i16) -> [i16; LANES] {
    let mut fit = [0; LANES];
    for lane in 0..LANES {
        fit[lane] = if others[lane] == name { 3 * unit } else { -2 * unit };
    }
    fit
}

/// The best of fitting a symbol, and of a gap on either side.
#[inline(always)]
fn better(
    diagonal: &[i16; LANES],
    fit: &[i16; LANES],
    above: &[i16; LANES],
    before: &[i16; LANES],
    unit: i16,
) -> [i16; LANES] {
    let mut best = [0; LANES];
    for lane in 0..LANES {
        let gap = above[lane].max(before[lane]).wrapping_sub(unit);
        best[lane] = diagonal[lane].wrapping_add(fit[lane]).max(gap);
    }
    best
}

#[cfg(test)]
mod tests {
    use punctual_smc::Stream;

    use super::super::similarity::tests::drawn;
    use super::*;
    use crate::random::below;

    /// Many at once are compared as one by one, also when sequences are replaced by shorter and longer ones, and when
    /// they are too long for small numbers.
    #[test]
    fn side_by_side_as_one_by_one() {
        let similarity = Similarity::of_four();
        let mut chance = Stream::of_run(9, 0);
        let mut work = Workspace::default();
        for round in 0..40 {
            let longest = [3, 10, 30, if round == 7 { 900 } else { 60 }][round % 4];
            let n_pairs = if longest > 100 { 2 } else { 10 };
            let mut lanes = Lanes::default();
            let mut all: Vec<Sequence> = Vec::new();
            for _ in 0..1 + below(&mut chance, 40) {
                all.push(drawn(&mut chance, longest));
                lanes.push(all[all.len() - 1].clone());
            }
            for _ in 0..n_pairs {
                let at = below(&mut chance, all.len());
                all[at] = drawn(&mut chance, longest / 2);
                lanes.set(at, all[at].clone());
                let left = drawn(&mut chance, longest);
                let expected: Vec<i32> = all.iter().map(|it| similarity.of(&left, it)).collect();
                assert_eq!(lanes.similar(&similarity, &left, &mut work), expected);
            }
        }
    }
}
