//! Estimators against definitions, published figures, and their own promises; runs against closed forms.

mod coverage;
mod decisions;
mod distribution;
mod exact;
mod intervals;
mod mean;
mod repeated;
mod stopping;
mod truths;

use punctual_smc::statistics::{Estimator, Method, Stop};

/// A small generator (SplitMix64), so that each test draws the same numbers each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to below 1.
    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }
}

/// The estimator with the default parameters.
fn by_default(method: Method) -> Estimator {
    Estimator::new(method, 0.05, Stop::Within(0.05)).unwrap()
}

/// What `n` trials can give, by repeated multiplication: shares no code with the estimators.
fn binomial(n: u64, p: f64) -> Vec<f64> {
    let mut chances = vec![0.0; n as usize + 1];
    chances[0] = 1.0;
    for trial in 1..=n as usize {
        for k in (0..=trial).rev() {
            let from_success = if k > 0 { chances[k - 1] * p } else { 0.0 };
            chances[k] = chances[k] * (1.0 - p) + from_success;
        }
    }
    chances
}
