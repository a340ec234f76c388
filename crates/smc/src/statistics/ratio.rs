//! Whether a probability is at least, or at most, a given number.

use super::{OutOfRange, inside_unit, percent};

/// What is claimed of a probability.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Claim {
    /// It is this number or more.
    AtLeast,
    /// It is this number or less.
    AtMost,
}

/// What a test says so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Decision {
    /// Nothing: it takes more runs.
    Undecided,
    /// The claim holds.
    Holds,
    /// The claim does not hold.
    Fails,
}

/// The sequential probability ratio test of Wald 1945.
///
/// Between `threshold - delta` and `threshold + delta` either decision is fine; otherwise a test
/// of a probability close to the threshold would not end. Where a side of this region leaves the
/// unit interval, half of the way from the threshold to the end takes its place.
///
/// **Guarantee:** if the claim holds beyond the region, it is said to fail with probability `alpha` at
/// most. If it fails beyond the region, it is said to hold with probability `beta` at most. Inside
/// of the region nothing is promised. With probability 1 the test ends.
///
/// DIFFERENCE(wald45): he compares the ratio with `(1 - beta) / alpha` and `beta / (1 - alpha)`, which
/// bounds the *sum* of both risks but may exceed either a little. Compared with `1 / alpha` and
/// `beta`, as here, each is kept exactly, for a few percent more runs. Test:
/// `it::decisions::ratio_tests_keep_both_risks`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RatioTest {
    claim: Claim,
    threshold: f64,
    /// The region where either decision is fine.
    low: f64,
    high: f64,
    alpha: f64,
    beta: f64,
    runs: u64,
    successes: u64,
    decision: Decision,
}

impl RatioTest {
    /// A test that has seen no run.
    ///
    /// "At least 0" and "at most 1" hold without a run.
    ///
    /// # Errors
    /// If the threshold is no probability, or another parameter is not strictly between 0 and 1.
    pub fn new(
        claim: Claim,
        threshold: f64,
        delta: f64,
        alpha: f64,
        beta: f64,
    ) -> Result<Self, OutOfRange> {
        if !(0.0..=1.0).contains(&threshold) {
            let allowed = "from 0 to 1";
            return Err(OutOfRange { name: "the probability", value: threshold, allowed });
        }
        inside_unit("delta", delta)?;
        let low = if threshold > delta { threshold - delta } else { threshold / 2.0 };
        let high =
            if threshold + delta < 1.0 { threshold + delta } else { threshold.midpoint(1.0) };
        let test = Self::between(claim, threshold, [low, high], alpha, beta)?;
        let trivial = match claim {
            Claim::AtLeast => threshold == 0.0,
            Claim::AtMost => threshold == 1.0,
        };
        Ok(if trivial { Self { decision: Decision::Holds, ..test } } else { test })
    }

    /// A test whose region is given.
    pub(super) fn between(
        claim: Claim,
        threshold: f64,
        [low, high]: [f64; 2],
        alpha: f64,
        beta: f64,
    ) -> Result<Self, OutOfRange> {
        inside_unit("alpha", alpha)?;
        inside_unit("beta", beta)?;
        let decision = Decision::Undecided;
        Ok(Self { claim, threshold, low, high, alpha, beta, runs: 0, successes: 0, decision })
    }

    /// Counts one more run. A decision stays: runs after it are not counted.
    pub fn observe(&mut self, success: bool) {
        if self.decision != Decision::Undecided {
            return;
        }
        self.runs += 1;
        self.successes += u64::from(success);
        self.decision = self.decide();
    }

    fn decide(&self) -> Decision {
        // How much better the low end of the region explains the runs than the high end. From the
        // counts, not added up, so that no rounding grows.
        let for_low = ln_times(self.successes, self.low, self.high)
            + ln_times(self.runs - self.successes, 1.0 - self.low, 1.0 - self.high);
        let (low_says, high_says, risk_of_low, risk_of_high) = match self.claim {
            Claim::AtLeast => (Decision::Fails, Decision::Holds, self.alpha, self.beta),
            Claim::AtMost => (Decision::Holds, Decision::Fails, self.beta, self.alpha),
        };
        if for_low >= -risk_of_low.ln() {
            low_says
        } else if for_low <= risk_of_high.ln() {
            high_says
        } else {
            Decision::Undecided
        }
    }

    /// What the runs say so far.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// How many runs it took, or has taken so far.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// How many of them succeeded.
    #[must_use]
    pub fn successes(&self) -> u64 {
        self.successes
    }

    /// The ends of the region where either decision is fine.
    #[must_use]
    pub fn region(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// What the decision is worth, in one sentence.
    #[must_use]
    pub fn guarantee(&self) -> String {
        let threshold = self.threshold;
        // Without the digits that rounding left.
        let [low, high] = self.region().map(|end| (end * 1e12).round() / 1e12);
        let (sign, holds, fails) = match self.claim {
            Claim::AtLeast => (">=", format!(">= {high}"), format!("<= {low}")),
            Claim::AtMost => ("<=", format!("<= {low}"), format!(">= {high}")),
        };
        format!(
            "Sequential test of Pr {sign} {threshold}: wrong with at most {} risk if Pr {holds}, and at \
             most {} if Pr {fails}; in between, either answer may come.",
            percent(self.alpha),
            percent(self.beta),
        )
    }
}

/// `count × ln(numerator / denominator)`, also where one of them is 0: what did not happen says nothing.
fn ln_times(count: u64, numerator: f64, denominator: f64) -> f64 {
    if count == 0 { 0.0 } else { count as f64 * (numerator / denominator).ln() }
}
