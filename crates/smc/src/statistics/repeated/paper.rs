//! The rule of the STUIOS paper (Wang, Pastore & Briand 2018, section 5.4).
//!
//! The score interval of Wilson for the system, an interval for the model. The executions end when the
//! system's interval is at most `2 (1 - confidence)` wide; then the case passes if the intervals
//! overlap. At the limit it is judged all the same, and "not reliable" if the interval is still wider.
//!
//! All comparisons are closed: an interval of exactly the width suffices, and intervals that share one
//! point overlap. Up to 400 executions no count makes a tie with an interval of hundredths, so open
//! comparisons give the same figures, and so does 1.96 for the quantile (two counts of 359 executions
//! are narrow one execution later). An exact probability stands for the interval of the same length
//! around it, `p ± (1 - confidence)`: with less confidence both intervals are wider, and the rule
//! fails less, as section 7.3.4 says.
//!
//! What it promises is nowhere stated in the paper. With 95 % and 100 executions it fails a right
//! system with a probability of up to 0.4 %. Test: `it::repeated::paper`.

use super::{
    super::{
        Interval, OutOfRange, binomial::wilson_by, functions::normal_quantile, inside_unit, percent,
    },
    EXECUTIONS_MAX, Judgement, Step,
};

/// The rule with its parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Paper {
    expected: Interval,
    confidence: f64,
    /// The normal quantile of the confidence.
    z: f64,
    executions: u64,
}

impl Paper {
    /// The rule for a probability that was sampled: `expected` is its interval.
    ///
    /// # Errors
    /// If the confidence is not strictly between 0 and 1, the interval has no probability, or
    /// there are no executions or more than [`EXECUTIONS_MAX`].
    pub fn new(expected: Interval, confidence: f64, executions: u64) -> Result<Self, OutOfRange> {
        inside_unit("the confidence", confidence)?;
        probable(expected)?;
        let executions = executable(executions)?;
        Ok(Self { expected, confidence, z: normal_quantile(1.0 - confidence), executions })
    }

    /// The rule for a probability that is known exactly.
    ///
    /// # Errors
    /// If `p` is no probability, and as [`Paper::new`].
    pub fn exact(p: f64, confidence: f64, executions: u64) -> Result<Self, OutOfRange> {
        probable(Interval { low: p, high: p })?;
        let reach = 1.0 - confidence;
        Self::new(Interval { low: p - reach, high: p + reach }, confidence, executions)
    }

    /// What to do after `n` executions of which `k` succeeded.
    ///
    /// # Panics
    /// If there are more successes than executions, or more executions than the limit.
    #[must_use]
    pub fn step(&self, n: u64, k: u64) -> Step {
        assert!(n <= self.executions, "{n} executions of at most {}", self.executions);
        let seen = wilson_by(n, k, self.z);
        let reliable = seen.width() <= self.width();
        if n == 0 || (!reliable && n < self.executions) {
            return Step::Continue;
        }
        let passes = seen.low <= self.expected.high && self.expected.low <= seen.high;
        Step::Stop(Judgement { passes, reliable })
    }

    /// The width of the system's interval that suffices.
    #[must_use]
    pub fn width(&self) -> f64 {
        2.0 * (1.0 - self.confidence)
    }

    /// The number of executions after which the rule always stops.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.executions
    }

    /// Why the rule says what it says after `n` executions of which `k` succeeded, in one sentence.
    ///
    /// # Panics
    /// If there are more successes than executions.
    #[must_use]
    pub fn reason(&self, n: u64, k: u64) -> String {
        let Interval { low, high } = wilson_by(n, k, self.z);
        let overlap = match self.step(n, k) {
            Step::Continue => "is still too wide to compare with",
            Step::Stop(Judgement { passes: true, reliable: true }) => "overlaps with",
            Step::Stop(Judgement { passes: false, reliable: true }) => "does not overlap with",
            Step::Stop(Judgement { passes: true, .. }) => "is still too wide, but overlaps with",
            Step::Stop(Judgement { passes: false, .. }) => {
                "is still too wide, and does not overlap with"
            }
        };
        format!(
            "{k} of {n} executions: {low:.3} to {high:.3} {overlap} the model's {:.3} to {:.3}.",
            self.expected.low.max(0.0),
            self.expected.high.min(1.0),
        )
    }

    /// What a judgement is worth, in one sentence.
    #[must_use]
    pub fn guarantee(&self) -> String {
        format!(
            "Comparison of intervals with {} confidence, as in the STUIOS paper: it states no rate of \
             false alarms or misses; judged after {} executions at most, reliable if the system's \
             interval is at most {:.3} wide.",
            percent(self.confidence),
            self.executions,
            self.width(),
        )
    }
}

/// Refuses intervals without any probability.
pub(super) fn probable(interval: Interval) -> Result<Interval, OutOfRange> {
    let Interval { low, high } = interval;
    let value = if high >= 0.0 { low } else { high };
    if low <= high && low <= 1.0 && high >= 0.0 {
        Ok(interval)
    } else {
        Err(OutOfRange { name: "the expected probability", value, allowed: "from 0 to 1" })
    }
}

/// Refuses numbers of executions that no rule can be made for.
pub(super) fn executable(executions: u64) -> Result<u64, OutOfRange> {
    if (1..=EXECUTIONS_MAX).contains(&executions) {
        Ok(executions)
    } else {
        let value = executions as f64;
        Err(OutOfRange { name: "the number of executions", value, allowed: "from 1 to 2000" })
    }
}
