//! The boundaries of a sequential test: which counts fail, pass, or go on.
//!
//! For each number of executions, small and large counts of successes fail, and counts of a range
//! between them pass (the *wedge*; it may be empty). A path that was once below a wedge never fails at the top, and
//! one that was above never at the bottom: [`Boundaries::separates`].
//!
//! **What follows.** Run two systems on the same random numbers, one with a larger probability: it never
//! has fewer successes. If the smaller count reaches the upper failures, the larger one can not have
//! ended elsewhere before: below would end the smaller, too, and with the wedge between them, the smaller could not have
//! come to the top. So the chance to fail at the top only grows with the probability, and that at the
//! bottom only falls. This bounds false alarms on a whole interval by its ends, see [`Boundaries::worst`].

use super::super::Interval;

/// What happens after one number of executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Row {
    /// Fewer successes than this fail.
    pub(super) low: u32,
    /// This many successes, or more, fail.
    pub(super) high: u32,
    /// From the first to before the second, counts pass.
    pub(super) pass: [u32; 2],
}

impl Row {
    fn fails(self, k: u32) -> bool {
        k < self.low || self.high <= k
    }

    fn passes(self, k: u32) -> bool {
        !self.fails(k) && self.pass[0] <= k && k < self.pass[1]
    }

    /// The counts that pass; empty if none does.
    fn wedge(self) -> [u32; 2] {
        [self.pass[0].max(self.low), self.pass[1].min(self.high)]
    }
}

/// The rows of all numbers of executions, from 0 to the limit, where nothing goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Boundaries(pub(super) Vec<Row>);

/// What [`Boundaries`] say of two counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Between,
    Pass,
    Fail,
}

impl Boundaries {
    pub(super) fn limit(&self) -> usize {
        self.0.len() - 1
    }

    pub(super) fn place(&self, n: u64, k: u64) -> Place {
        let (row, k) = (self.0[n as usize], k as u32);
        match (row.fails(k), row.passes(k)) {
            _ if n == 0 => Place::Between,
            (true, _) => Place::Fail,
            (_, true) => Place::Pass,
            _ => Place::Between,
        }
    }

    /// Widens wedges so that no path comes from one side to the other.
    ///
    /// At `p = 1/3`, counts may pass after 30 and 33 executions, but not between: a path could go
    /// round the first. Where the two sides would meet, they pass.
    pub(super) fn separate(&mut self) {
        // Paths on the lower side have this count at most, those on the upper side at least.
        let mut sides: Option<[i64; 2]> = None;
        let limit = self.limit();
        for row in &mut self.0[1..limit] {
            let [a, b] = row.wedge().map(i64::from);
            let wedge = match sides.map(|[below, above]| [below + 1, above]) {
                Some([below, above]) if a < b => [a.min(above), b.max(below + 1)],
                Some([below, above]) if below >= above => [above, below + 1],
                Some(now) => {
                    sides = Some(now);
                    continue;
                }
                None if a < b => [a, b],
                None => continue,
            };
            row.pass = wedge.map(|k| k as u32);
            sides = Some([wedge[0] - 1, wedge[1]]);
        }
    }

    /// Whether no path that was once below a wedge ever fails at the top, and none that was above one at
    /// the bottom: what [`Boundaries::separate`] is for.
    pub(super) fn separates(&self) -> bool {
        // The largest count of paths that were below, and the smallest of those that were above.
        let (mut below, mut above) = (None, None);
        self.0.iter().enumerate().skip(1).all(|(n, row)| {
            below = below.map(|k: u32| k + 1);
            let apart = below.is_none_or(|k| k < row.high) && above.is_none_or(|k| k >= row.low);
            let [a, b] = row.wedge();
            if a < b {
                // What is in the wedge ends there; what is beside it now was beside it once.
                let in_wedge = |k: &u32| (a..b).contains(k);
                below = below.filter(|k| !in_wedge(k)).max(a.checked_sub(1));
                let here = (b <= n as u32).then_some(b);
                above = above.filter(|k| !in_wedge(k)).into_iter().chain(here).min();
            }
            apart
        })
    }

    /// The chances to fail with too few and with too many successes, for a system that succeeds with
    /// probability `q`. `scratch` is any vector.
    pub(super) fn fails(&self, q: f64, scratch: &mut Vec<f64>) -> [f64; 2] {
        scratch.clear();
        scratch.resize(self.0.len() + 1, 0.0);
        let chances = scratch.as_mut_slice();
        chances[0] = 1.0;
        // Chances are 0 outside of `low..end`.
        let (mut low, mut end) = (0, 1);
        let mut fails = [0.0; 2];
        for row in &self.0[1..] {
            end += 1;
            let mut here = chances[end - 1];
            for k in (low + 1..end).rev() {
                let below = chances[k - 1];
                chances[k] = here * (1.0 - q) + below * q;
                here = below;
            }
            chances[low] = here * (1.0 - q);
            while low < end && (low as u32) < row.low {
                fails[0] += std::mem::take(&mut chances[low]);
                low += 1;
            }
            while low < end && end as u32 > row.high {
                end -= 1;
                fails[1] += std::mem::take(&mut chances[end]);
            }
            let [a, b] = row.pass.map(|k| (k as usize).clamp(low, end));
            if a < b {
                chances[a..b].fill(0.0);
            }
            while low < end && chances[low] == 0.0 {
                low += 1;
            }
            while low < end && chances[end - 1] == 0.0 {
                end -= 1;
            }
            if low == end {
                break;
            }
        }
        fails
    }

    /// A bound of the chance to fail, for all systems with a probability in the interval.
    ///
    /// Between neighbouring points, failures at the top are at most those of the upper point, and those at the
    /// bottom at most those of the lower one. Parts where this exceeds `enough` are halved, up to 12 times.
    /// If no bound follows because a path can go round a wedge, it is 1.
    pub(super) fn worst(&self, interval: Interval, enough: f64, scratch: &mut Vec<f64>) -> f64 {
        if interval.low < interval.high && !self.separates() {
            return 1.0;
        }
        let mut at = |q| (q, self.fails(q, scratch));
        let mut worst = 0.0f64;
        let mut parts = vec![(at(interval.low), at(interval.high), 0)];
        while let Some((low, high, depth)) = parts.pop() {
            let bound = low.1[0] + high.1[1];
            if bound <= enough || depth == 12 || low.0 == high.0 {
                worst = worst.max(bound);
            } else {
                let middle = at(f64::midpoint(low.0, high.0));
                parts.push((low, middle, depth + 1));
                parts.push((middle, high, depth + 1));
            }
        }
        worst
    }
}
