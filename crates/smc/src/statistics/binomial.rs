//! Intervals for a probability after a number of runs that was fixed in advance.
//!
//! All take the number of runs, how many of them succeeded, and the risk `alpha`; without runs, all
//! answer [`Interval::UNIT`]. All panic if there are more successes than runs.

use super::{
    Interval,
    functions::{beta_below, beta_quantile},
};

/// The interval of Clopper & Pearson 1934: of all probabilities that are not too small, nor too large,
/// to explain the count with a risk of `alpha / 2` on either side.
///
/// **Guarantee:** for any probability, it is contained with probability `1 - alpha` at least.
#[must_use]
pub fn clopper_pearson(n: u64, k: u64, alpha: f64) -> Interval {
    assert!(k <= n, "{k} successes in {n} runs");
    Interval { low: lower(n, k, alpha), high: 1.0 - lower(n, n - k, alpha) }
}

/// The probability that makes `k` or more successes as unlikely as `alpha / 2`.
fn lower(n: u64, k: u64, alpha: f64) -> f64 {
    match k {
        0 => 0.0,
        _ if k == n => (alpha / 2.0).powf(1.0 / n as f64),
        _ => beta_quantile(alpha / 2.0, k as f64, (n - k) as f64 + 1.0),
    }
}

/// Whether the interval of [`clopper_pearson`] reaches beyond `epsilon` from the share of successes.
///
/// By what the bounds are, asking whether `k / n ± epsilon` explains the count is the same, and
/// takes no quantile.
pub(super) fn clopper_pearson_reaches(n: u64, k: u64, alpha: f64, epsilon: f64) -> bool {
    // Successes and failures can trade names. With few successes, the upper bound is the farther one
    // and mostly settles it.
    let k = k.min(n - k);
    let share = k as f64 / n as f64;
    at_least(n, n - k, 1.0 - share - epsilon) > alpha / 2.0
        || at_least(n, k, share - epsilon) > alpha / 2.0
}

/// The probability of `k` or more successes; 0 if `p` is beyond the unit interval, where no bound is.
fn at_least(n: u64, k: u64, p: f64) -> f64 {
    // `k = 0` only comes with such a `p`.
    if p <= 0.0 { 0.0 } else { beta_below(p, k as f64, (n - k) as f64 + 1.0) }
}

/// The score interval of Wilson 1927: of all probabilities that are at most `z` of their own standard
/// deviations away from the share of successes.
///
/// **Guarantee:** none for a given probability. Coverage is `1 - alpha` on average over probabilities,
/// and can be several percent lower close to 0 and 1.
#[must_use]
pub fn wilson(n: u64, k: u64, alpha: f64) -> Interval {
    wilson_by(n, k, super::functions::normal_quantile(alpha))
}

/// [`wilson`] by the normal quantile of its risk.
pub(super) fn wilson_by(n: u64, k: u64, z: f64) -> Interval {
    assert!(k <= n, "{k} successes in {n} runs");
    if n == 0 {
        return Interval::UNIT;
    }
    let (runs, successes) = (n as f64, k as f64);
    let total = runs + z * z;
    let centre = (successes + z * z / 2.0) / total;
    let spread = z / total * (successes * (runs - successes) / runs + z * z / 4.0).sqrt();
    // At the ends, the two terms are equal up to rounding.
    Interval {
        low: if k == 0 { 0.0 } else { (centre - spread).max(0.0) },
        high: if k == n { 1.0 } else { (centre + spread).min(1.0) },
    }
}

/// The interval by the bound of Okamoto 1958 (Chernoff-Hoeffding): the same distance on either side of
/// the share of successes, whatever that is.
///
/// **Guarantee:** for any probability, it is contained with probability `1 - alpha` at least.
#[must_use]
pub fn hoeffding(n: u64, k: u64, alpha: f64) -> Interval {
    assert!(k <= n, "{k} successes in {n} runs");
    if n == 0 {
        return Interval::UNIT;
    }
    let share = k as f64 / n as f64;
    let radius = radius(n, alpha);
    Interval { low: (share - radius).max(0.0), high: (share + radius).min(1.0) }
}

/// How far `n` runs may be from the truth, by Hoeffding's inequality and that of Dvoretzky, Kiefer,
/// Wolfowitz and Massart alike.
pub(super) fn radius(n: u64, alpha: f64) -> f64 {
    ((2.0 / alpha).ln() / (2.0 * n as f64)).sqrt()
}

/// How many runs put [`hoeffding`] within `epsilon` of the share of successes.
#[must_use]
pub fn okamoto_runs(alpha: f64, epsilon: f64) -> u64 {
    ((2.0 / alpha).ln() / (2.0 * epsilon * epsilon)).ceil() as u64
}
