//! Whether one probability is at least as large as another.

use super::{Claim, Decision, OutOfRange, RatioTest, inside_unit, percent};

/// Compares two probabilities sequentially, by pairs of runs: Wald's test of double dichotomies
/// (*Sequential Analysis*, 1947), which is also what UPPAAL does.
///
/// Pairs that agree say nothing of which is larger. Among those that differ, the first run is the one
/// that succeeded with probability `u / (1 + u)`, where `u` is the ratio of the odds,
/// `Pr1 (1 - Pr2) / (Pr2 (1 - Pr1))`; and `u >= 1` exactly if `Pr1 >= Pr2`. So this is a
/// [`RatioTest`] over pairs that differ, and between `u0 < 1` and `u1 > 1` either answer is fine.
///
/// **Guarantee:** if `u >= u1`, the claim `Pr1 >= Pr2` is said to fail with probability `alpha` at most;
/// if `u <= u0`, it is said to hold with probability `beta` at most. The runs of a pair, too, must be
/// independent.
///
/// It ends with probability 1 if the runs of a pair can differ. If both always succeed, or both never do,
/// it does not end: limit the pairs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Comparison {
    test: RatioTest,
    ratios: [f64; 2],
    alpha: f64,
    beta: f64,
    pairs: u64,
}

impl Comparison {
    /// The ratios of odds between which either answer is fine, unless the user says otherwise.
    pub const RATIOS: [f64; 2] = [0.9, 1.1];

    /// A comparison that has seen no pair.
    ///
    /// # Errors
    /// Unless `0 < u0 < 1 < u1`, and the risks are strictly between 0 and 1.
    pub fn new(ratios: [f64; 2], alpha: f64, beta: f64) -> Result<Self, OutOfRange> {
        let [u0, u1] = ratios;
        inside_unit("the lower ratio", u0)?;
        if !(u1 > 1.0 && u1.is_finite()) {
            return Err(OutOfRange { name: "the upper ratio", value: u1, allowed: "above 1" });
        }
        let region = ratios.map(|ratio| ratio / (1.0 + ratio));
        let test = RatioTest::between(Claim::AtLeast, 0.5, region, alpha, beta)?;
        Ok(Self { test, ratios, alpha, beta, pairs: 0 })
    }

    /// Counts one run of each. A decision stays: pairs after it are not counted.
    pub fn observe(&mut self, first: bool, second: bool) {
        if self.test.decision() == Decision::Undecided {
            self.pairs += 1;
            if first != second {
                self.test.observe(first);
            }
        }
    }

    /// Whether the first probability is at least the second.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.test.decision()
    }

    /// How many pairs it took, or has taken so far.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// How many of them differed.
    #[must_use]
    pub fn differing(&self) -> u64 {
        self.test.runs()
    }

    /// What the decision is worth, in one sentence.
    #[must_use]
    pub fn guarantee(&self) -> String {
        let [u0, u1] = self.ratios;
        format!(
            "Sequential comparison: wrong with at most {} risk if the odds of the first are at least {u1} \
             times those of the second, and at most {} if they are at most {u0} times; in between, \
             either answer may come.",
            percent(self.alpha),
            percent(self.beta),
        )
    }
}
