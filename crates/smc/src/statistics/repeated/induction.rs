//! The best boundaries for given weights, by backward induction.
//!
//! Before the first execution, every probability of the system is as likely as any other (the uniform
//! prior, as in [`anytime`](super::super::anytime)). After `n` executions with `k` successes:
//! - to pass costs 1 if the probability lies outside of what is tolerated;
//! - to fail costs, at each end of what is tolerated, its weight times how likely the end makes the counts,
//!   compared with how likely they are on average: the mixture ratio of Robbins, inverted;
//! - one more execution costs the price, and then succeeds with probability `(k + 1) / (n + 2)`.
//!
//! The cheapest of the three, from the last execution back to the first, gives the test that misses least and
//! executes least, on average over all probabilities, of all tests with its false alarms.
//!
//! With weights of `1 / alpha`, no end fails more often than `alpha`, by Ville's inequality: to fail must
//! cost less than to pass, so the ratio is at least `1 / alpha`. `sequential.rs` finds smaller weights that still
//! keep `alpha`, exactly.

use super::{
    super::Interval,
    boundaries::{Boundaries, Row},
    certain::Shown,
};

/// What to pass and to fail cost, for all counts.
pub(super) struct Tables {
    limit: usize,
    /// What each end of the tolerated probabilities has to say, the ratio inverted: its likelihood over
    /// that of the mixture.
    ends: [Vec<f64>; 2],
    /// How likely it is that the probability is not tolerated, given the counts.
    misses: Vec<f64>,
}

/// Where the counts after `n` executions begin in a table.
fn row(n: usize) -> usize {
    n * (n + 1) / 2
}

impl Tables {
    pub(super) fn new(tolerated: Interval, limit: usize) -> Self {
        let size = row(limit + 1);
        let mut tables =
            Self { limit, ends: [vec![0.0; size], vec![0.0; size]], misses: vec![0.0; size] };
        for (side, q) in [tolerated.low, tolerated.high].into_iter().enumerate() {
            // The chances of counts after `n` executions, then after one more.
            let mut chances = vec![0.0; limit + 2];
            chances[0] = 1.0;
            for n in 0..=limit {
                let row = row(n)..row(n + 1);
                for (it, chance) in tables.ends[side][row.clone()].iter_mut().zip(&chances) {
                    *it = (n + 1) as f64 * chance;
                }
                for k in (1..n + 2).rev() {
                    chances[k] = chances[k] * (1.0 - q) + chances[k - 1] * q;
                }
                chances[0] *= 1.0 - q;
                // The probability is below `q` as often as `n + 1` executions at `q` have more
                // than `k` successes, and above as often as they have at most `k`.
                let misses = &mut tables.misses[row];
                let mut sum = 0.0;
                if side == 0 {
                    for (miss, chance) in misses.iter_mut().zip(&chances[1..n + 2]).rev() {
                        sum += chance;
                        *miss += sum;
                    }
                } else {
                    for (miss, chance) in misses.iter_mut().zip(&chances[..n + 1]) {
                        sum += chance;
                        *miss += sum;
                    }
                }
            }
        }
        tables
    }

    /// Writes the best boundaries for these weights of the ends. If given, a pass before the limit must be
    /// shown, and ends the executions. `values` is any vector.
    pub(super) fn best(
        &self,
        weights: [f64; 2],
        price: f64,
        shown: Option<&impl Fn(usize, usize) -> bool>,
        values: &mut Vec<f64>,
        best: &mut Boundaries,
    ) {
        values.clear();
        values.resize(self.limit + 1, 0.0);
        best.0.resize(self.limit + 1, Row { low: 0, high: 0, pass: [0; 2] });
        for n in (0..=self.limit).rev() {
            let table = row(n)..row(n + 1);
            let (low, high) = (&self.ends[0][table.clone()], &self.ends[1][table.clone()]);
            let misses = &self.misses[table];
            // Small counts fail up to the first that does not, large ones from behind the last.
            let (mut prefix, mut suffix) = (0, 0);
            let mut pass = [u32::MAX, 0];
            let scale = 1.0 / (n + 2) as f64;
            for k in 0..=n {
                let fail = weights[0] * low[k] + weights[1] * high[k];
                let (may_pass, must_pass) = match shown {
                    Some(shown) => {
                        let shown = shown(n, k);
                        (shown || n == self.limit, shown)
                    }
                    None => (true, false),
                };
                let mut value = fail;
                let mut fails = true;
                if must_pass || (may_pass && misses[k] <= value) {
                    (value, fails) = (misses[k], false);
                }
                let mut goes_on = false;
                if n < self.limit && !must_pass {
                    let success = (k + 1) as f64 * scale;
                    let more = price + success * values[k + 1] + (1.0 - success) * values[k];
                    if more < value {
                        (value, goes_on) = (more, true);
                    }
                }
                values[k] = value;
                if goes_on || !fails {
                    suffix = k as u32 + 1;
                }
                if !goes_on && !fails {
                    pass = [pass[0].min(k as u32), k as u32 + 1];
                }
                if !goes_on && fails && prefix == k as u32 {
                    prefix = k as u32 + 1;
                }
            }
            if n == self.limit {
                pass = [0, n as u32 + 1];
            }
            best.0[n] = Row { low: prefix, high: suffix, pass };
        }
        best.separate();
    }
}

/// Whether a pass is shown, as [`Tables::best`] asks for it: contrary outcomes are failures if the model
/// is certain of success, and successes otherwise.
pub(super) fn shows(shown: &Shown, of_success: bool) -> impl Fn(usize, usize) -> bool {
    move |n, k| shown.after(n, if of_success { n - k } else { k })
}
