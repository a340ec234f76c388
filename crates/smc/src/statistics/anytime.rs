//! An interval that may be watched after each run, and the runs stopped at any time, for any reason.
//!
//! The method of mixtures (Ville 1939, Robbins 1970). For the true probability `p`, the ratio
//!
//! ```text
//! ∫ q^k (1-q)^(n-k) dq  /  p^k (1-p)^(n-k)
//! ```
//!
//! is a martingale that starts at 1, so it *ever* reaches `1 / alpha` with probability `alpha` at
//! most. The interval has all `p` whose ratio is below that.
//!
//! It is computed from the counts of this moment alone. Earlier intervals could be intersected with
//! it, and the guarantee would stay; the answer would then depend on more than two numbers.

use super::{Interval, functions::ln_beta};

/// The interval after `n` runs of which `k` succeeded.
///
/// **Guarantee:** for any probability, it is contained in the intervals after *all* numbers of runs
/// at once, with probability `1 - alpha` at least.
///
/// # Panics
/// If there are more successes than runs.
#[must_use]
pub fn anytime(n: u64, k: u64, alpha: f64) -> Interval {
    assert!(k <= n, "{k} successes in {n} runs");
    if n == 0 {
        return Interval::UNIT;
    }
    let share = k as f64 / n as f64;
    let mixture = ln_mixture(n, k);
    let bound =
        |outside: f64| bisect(share, outside, |p| mixture - ln_chance(n, k, p) < -alpha.ln());
    Interval {
        low: if k == 0 { 0.0 } else { bound(0.0) },
        high: if k == n { 1.0 } else { bound(1.0) },
    }
}

/// Whether `p` is in the interval of [`anytime`], up to rounding; much cheaper.
///
/// # Panics
/// If there are more successes than runs.
#[must_use]
pub fn anytime_contains(n: u64, k: u64, alpha: f64, p: f64) -> bool {
    assert!(k <= n, "{k} successes in {n} runs");
    (0.0..=1.0).contains(&p) && ln_mixture(n, k) - ln_chance(n, k, p) < -alpha.ln()
}

/// Whether the interval of [`anytime`] reaches beyond `epsilon` from the share of successes.
pub(super) fn anytime_reaches(n: u64, k: u64, alpha: f64, epsilon: f64) -> bool {
    let share = k as f64 / n as f64;
    anytime_contains(n, k, alpha, share + epsilon) || anytime_contains(n, k, alpha, share - epsilon)
}

/// The logarithm of how likely one order of successes and failures is, averaged over all probabilities.
fn ln_mixture(n: u64, k: u64) -> f64 {
    ln_beta(k as f64 + 1.0, (n - k) as f64 + 1.0)
}

/// The logarithm of how likely one order of successes and failures is.
fn ln_chance(n: u64, k: u64, p: f64) -> f64 {
    // Nothing of what can not happen happened: not `0 × -∞`.
    let successes = if k == 0 { 0.0 } else { k as f64 * p.ln() };
    let failures = if k == n { 0.0 } else { (n - k) as f64 * (-p).ln_1p() };
    successes + failures
}

/// The last number on the way from `inside` to `outside` where `holds`, rounded outwards.
fn bisect(mut inside: f64, mut outside: f64, holds: impl Fn(f64) -> bool) -> f64 {
    loop {
        let middle = inside + (outside - inside) / 2.0;
        if middle == inside || middle == outside || (outside - inside).abs() < 1e-15 {
            return outside;
        }
        if holds(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
}
