//! The mean of real values.

use super::{Interval, OutOfRange, functions::student_quantile, inside_unit, percent};

/// Mean, variance, least and greatest of values, in one pass (Welford 1962).
///
/// A value that is not finite stays visible: the mean is then infinite or not a number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mean {
    n: u64,
    mean: f64,
    /// The sum of squared distances from the mean.
    squares: f64,
    min: f64,
    max: f64,
}

impl Default for Mean {
    fn default() -> Self {
        Self { n: 0, mean: 0.0, squares: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY }
    }
}

impl Mean {
    /// Adds a value.
    pub fn push(&mut self, value: f64) {
        self.n += 1;
        let before = value - self.mean;
        self.mean += before / self.n as f64;
        self.squares += before * (value - self.mean);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Adds the values of another (Chan, Golub & LeVeque 1979).
    ///
    /// Rounding depends on how values are grouped: the same groups, merged in the same order, give the
    /// same bits; pushing all values one by one may differ in the last ones.
    pub fn merge(&mut self, other: &Self) {
        if other.n == 0 {
            return;
        }
        if self.n == 0 {
            *self = *other;
            return;
        }
        let (ours, theirs) = (self.n as f64, other.n as f64);
        let apart = other.mean - self.mean;
        self.mean += apart * (theirs / (ours + theirs));
        self.squares += other.squares + apart * apart * (ours * theirs / (ours + theirs));
        self.n += other.n;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// How many values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.n
    }

    /// Their mean, if there are any.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.n > 0).then_some(self.mean)
    }

    /// Their variance (divided by `n - 1`), if there are two.
    #[must_use]
    pub fn variance(&self) -> Option<f64> {
        (self.n > 1).then(|| self.squares / (self.n - 1) as f64)
    }

    /// The least value; none before there are values.
    #[must_use]
    pub fn min(&self) -> Option<f64> {
        (self.n > 0).then_some(self.min)
    }

    /// The greatest one, if there are any.
    #[must_use]
    pub fn max(&self) -> Option<f64> {
        (self.n > 0).then_some(self.max)
    }

    /// Student's interval for the expected value; none below two values.
    ///
    /// **Guarantee:** exact if values are normally distributed. For other distributions with a
    /// finite variance, confidence approaches `1 - alpha` as values become many; slowly if the
    /// distribution is skew.
    ///
    /// # Errors
    /// If `alpha` is not strictly between 0 and 1.
    pub fn interval(&self, alpha: f64) -> Result<Option<Interval>, OutOfRange> {
        inside_unit("alpha", alpha)?;
        Ok(self.variance().map(|variance| {
            let n = self.n as f64;
            let radius = student_quantile(alpha, n - 1.0) * (variance / n).sqrt();
            Interval { low: self.mean - radius, high: self.mean + radius }
        }))
    }

    /// What [`Self::interval`] is worth, in one sentence.
    #[must_use]
    pub fn guarantee(&self, alpha: f64) -> String {
        format!(
            "Student's t: {} confidence, exact for normally distributed values and approximate for \
             others, from {} runs.",
            percent(1.0 - alpha),
            self.n
        )
    }
}
