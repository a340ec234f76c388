//! When something happens: how the times of runs are distributed, for plots.

use super::{Interval, OutOfRange, binomial::radius, inside_unit, percent};

/// The times at which runs succeeded. Runs that did not are counted, as if they took for ever.
#[derive(Clone, PartialEq, Debug)]
pub struct Distribution {
    /// In ascending order.
    times: Vec<f64>,
    runs: u64,
}

/// A point of a distribution function: how likely success is up to a time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// The time.
    pub time: f64,
    /// The share of all runs that succeeded by then.
    pub share: f64,
    /// Where the probability of success by then is.
    pub band: Interval,
}

/// How many times fall into bins of equal width.
#[derive(Clone, PartialEq, Debug)]
pub struct Bars {
    /// Where the first bin starts.
    pub start: f64,
    /// How wide each is; 0 if all times are equal, and then there is one bin.
    pub width: f64,
    /// How many times fall into each. A bin owns its start, and the last one also its end.
    pub counts: Vec<u64>,
}

impl Distribution {
    /// The distribution of these times among this many runs.
    ///
    /// # Panics
    /// If there are more times than runs, or a time is not finite.
    #[must_use]
    pub fn new(mut times: Vec<f64>, runs: u64) -> Self {
        assert!(times.len() as u64 <= runs, "{} times of {runs} runs", times.len());
        assert!(times.iter().all(|time| time.is_finite()), "a time that is not finite");
        times.sort_by(f64::total_cmp);
        Self { times, runs }
    }

    /// The share of runs that succeeded up to a time; 0 if there are no runs.
    #[must_use]
    pub fn share(&self, time: f64) -> f64 {
        self.share_of(self.times.partition_point(|&other| other <= time))
    }

    fn share_of(&self, times: usize) -> f64 {
        if self.runs == 0 { 0.0 } else { times as f64 / self.runs as f64 }
    }

    /// The points where the distribution function steps up, one per different time, with their band.
    /// Between two of them, share and band are those of the earlier one.
    ///
    /// **Guarantee:** with probability `1 - alpha` at least, the true distribution function is within
    /// the band at *all* times at once (Dvoretzky, Kiefer & Wolfowitz 1956, with the constant of Massart
    /// 1990), if the number of runs was fixed in advance.
    ///
    /// # Errors
    /// If `alpha` is not strictly between 0 and 1.
    pub fn points(&self, alpha: f64) -> Result<Vec<Point>, OutOfRange> {
        inside_unit("alpha", alpha)?;
        let radius = radius(self.runs, alpha);
        let mut points: Vec<Point> = Vec::new();
        for (i, &time) in self.times.iter().enumerate() {
            let share = self.share_of(i + 1);
            let band = Interval { low: (share - radius).max(0.0), high: (share + radius).min(1.0) };
            let point = Point { time, share, band };
            match points.last_mut() {
                Some(last) if last.time == time => *last = point,
                _ => points.push(point),
            }
        }
        Ok(points)
    }

    /// The times in bins from the least to the greatest; no bins if there are no times.
    ///
    /// # Panics
    /// If no bins are asked for.
    #[must_use]
    pub fn bars(&self, bins: usize) -> Bars {
        assert!(bins > 0, "no bins");
        let (Some(&start), Some(&end)) = (self.times.first(), self.times.last()) else {
            return Bars { start: 0.0, width: 0.0, counts: Vec::new() };
        };
        // Divided first: the distance of two finite numbers need not be finite.
        let width = (end / bins as f64) - (start / bins as f64);
        if width == 0.0 {
            return Bars { start, width, counts: vec![self.times.len() as u64] };
        }
        let mut counts = vec![0; bins];
        for &time in &self.times {
            let bin = (time / width - start / width) as usize;
            counts[bin.min(bins - 1)] += 1;
        }
        Bars { start, width, counts }
    }

    /// A number of bins that shows the shape: the square root of the number of times.
    #[must_use]
    pub fn default_bins(&self) -> usize {
        (self.times.len() as f64).sqrt().ceil().max(1.0) as usize
    }

    /// What the band of [`Self::points`] is worth, in one sentence.
    #[must_use]
    pub fn guarantee(&self, alpha: f64) -> String {
        format!(
            "Dvoretzky-Kiefer-Wolfowitz: with at least {} confidence, the true distribution function is \
             within {:.4} at all times, from {} runs fixed in advance.",
            percent(1.0 - alpha),
            radius(self.runs, alpha).min(1.0),
            self.runs
        )
    }
}
