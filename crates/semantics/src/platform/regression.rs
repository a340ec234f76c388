//! Phase and period of steps, by a regression over what was seen of each of them.

/// How exactly the period is known before anything is seen: one deviation, as a part of it.
pub(super) const PRIOR: f64 = 0.005;

/// The jitter that is told is the most that fits, at so many deviations of a normal distribution: in one of fifty runs it is larger.
const MOST: f64 = 2.05;

/// Fewer steps than this, beside two, say little about jitter.
const FEW: f64 = 6.0;

/// What is known of jitter if there are too few steps to see any, as a part of a step; also where values overtake each other and hide it.
pub(super) const UNSEEN_JITTER: f64 = 0.02;

/// Phase and period of steps.
#[derive(Clone, PartialEq, Debug)]
pub struct Estimate {
    /// When the first step was done, in nanoseconds.
    pub phase: f64,
    /// From one step to the next, in nanoseconds.
    pub period: f64,
    /// The variances of phase and period, and their covariance between them.
    pub(super) variance: [f64; 3],
    /// By how much the instants of steps vary around that, in nanoseconds: a deviation, rather too large than too small.
    pub jitter: f64,
    /// Whether lines disagree on which step was the first.
    pub is_doubtful: bool,
    /// How many steps were seen: the number of the last one and one more.
    pub n_seen: usize,
}

impl Estimate {
    /// When a step is done, in nanoseconds; they are counted from 0.
    #[must_use]
    pub fn end(&self, step: f64) -> f64 {
        self.phase + step * self.period
    }

    /// How exactly that is known, in nanoseconds: one deviation, without jitter.
    #[must_use]
    pub fn deviation(&self, step: f64) -> f64 {
        let [phase, both, period] = self.variance;
        (phase + 2.0 * step * both + step * step * period).max(0.0).sqrt()
    }

    /// How exactly the period is known, in nanoseconds: one deviation.
    #[must_use]
    pub fn period_deviation(&self) -> f64 {
        self.variance[2].max(0.0).sqrt()
    }

    /// When each step was done that was done before an instant, in nanoseconds.
    #[must_use]
    pub fn ends(&self, until: f64) -> Vec<f64> {
        let n = ((until - self.phase) / self.period).floor();
        if n < 0.0 || !n.is_finite() {
            return Vec::new();
        }
        (0..=n as usize).map(|step| self.end(step as f64)).collect()
    }

    /// How exactly the least exactly known of the first so many steps is known, in nanoseconds: one deviation, without jitter.
    #[must_use]
    pub fn worst(&self, n_steps: usize) -> f64 {
        self.deviation(0.0).max(self.deviation(n_steps.saturating_sub(1) as f64))
    }
}

/// A mean of what was seen of one step: its number, the instant, and the variance of that without jitter.
type Mean = (f64, f64, f64);

/// Phase and period of values with the numbers of their steps and their weights.
pub(super) fn fit(mut points: Vec<(i64, f64, f64)>, nominal: f64) -> Estimate {
    points.sort_by_key(|(number, ..)| *number);
    let mut means: Vec<Mean> = Vec::new();
    for step in points.chunk_by(|a, b| a.0 == b.0) {
        let weight: f64 = step.iter().map(|it| it.2).sum();
        let mean = step.iter().map(|it| it.1 * it.2).sum::<f64>() / weight;
        means.push((step[0].0 as f64, mean, 1.0 / weight));
    }
    let mut found = regression(&means, 0.0, nominal);
    // What fits best says how exact the estimate is; the most that fits says how far a single step may be off.
    for _ in 0..2 {
        let jitter = jitter_of(&means, &found, nominal, 0.0);
        found = regression(&means, jitter, nominal);
    }
    found.jitter = jitter_of(&means, &found, nominal, MOST);
    found
}

/// Weighted least squares, with what is known of the period before.
fn regression(means: &[Mean], jitter: f64, nominal: f64) -> Estimate {
    let weight = |it: &Mean| 1.0 / (it.2 + jitter * jitter);
    let all: f64 = means.iter().map(weight).sum();
    let middle = means.iter().map(|it| weight(it) * it.0).sum::<f64>() / all;
    let at = means.iter().map(|it| weight(it) * it.1).sum::<f64>() / all;
    let prior = (PRIOR * nominal).powi(-2);
    let square: f64 = means.iter().map(|it| weight(it) * (it.0 - middle).powi(2)).sum();
    let product: f64 = means.iter().map(|it| weight(it) * (it.0 - middle) * (it.1 - at)).sum();
    let period = (product + prior * nominal) / (square + prior);
    let varies = 1.0 / (square + prior);
    Estimate {
        phase: at - middle * period,
        period,
        variance: [1.0 / all + middle * middle * varies, -middle * varies, varies],
        jitter,
        is_doubtful: false,
        n_seen: 0,
    }
}

/// By how much the instants of steps vary, beside the delays of lines: the most that fits to what is left, at so many deviations of a normal distribution; what
/// fits best at 0 of them.
fn jitter_of(means: &[Mean], found: &Estimate, nominal: f64, far: f64) -> f64 {
    let freedom = means.len() as f64 - 2.0;
    if freedom < 1.0 {
        return UNSEEN_JITTER * nominal;
    }
    // A quantile of the sum of squares, by the approximation of Wilson and Hilferty.
    let spread = 2.0 / (9.0 * freedom);
    let least = freedom * (1.0 - spread - far * spread.sqrt()).max(0.1).powi(3);
    let rest = |jitter: f64| -> f64 {
        let part = |it: &Mean| (it.1 - found.end(it.0)).powi(2) / (it.2 + jitter * jitter);
        means.iter().map(part).sum()
    };
    let (mut low, mut high) = (0.0, nominal);
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if rest(middle) > least { low = middle } else { high = middle }
    }
    match freedom < FEW && far > 0.0 {
        // A few steps say little.
        true => high.clamp(UNSEEN_JITTER * nominal, 5.0 * UNSEEN_JITTER * nominal),
        false => high,
    }
}
