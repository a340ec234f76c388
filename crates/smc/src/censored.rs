//! Normal delays of which only intervals are known: each lies somewhere between two ends.
//!
//! Maximum likelihood (probit): in the quotient of mean and deviation, and in the inverse of the deviation, the logarithm of the likelihood is concave, so Newton's
//! method finds its only maximum. The curvature there says how exactly both are known.

/// A normal distribution that was fitted to intervals, with standard errors. All have the unit of the intervals.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fitted {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// How exactly the mean is known: one standard error.
    pub mean_error: f64,
    /// How exactly the deviation is known: one standard error.
    pub deviation_error: f64,
    /// All intervals have something in common: one delay explains them all, and the deviation is half of what they have in common. How large it may be
    /// all the same says [`widest`].
    pub is_fixed: bool,
}

impl Fitted {
    /// As many delays that were measured one by one would give errors as small as these.
    #[must_use]
    pub fn pulses(&self) -> f64 {
        let of_mean = (self.deviation / self.mean_error).powi(2);
        let of_deviation = (self.deviation / self.deviation_error).powi(2) / 2.0;
        of_mean.min(of_deviation)
    }
}

/// What lies in these intervals, each without its lower and with its upper end; one without a finite upper end says only that a delay is longer. A lower end below 0
/// says nothing: delays are cut there. None if nothing can be said.
#[must_use]
pub fn fit(intervals: &[(f64, f64)]) -> Option<Fitted> {
    let cut = |(low, high): &(f64, f64)| (if *low < 0.0 { f64::NEG_INFINITY } else { *low }, *high);
    let intervals: Vec<(f64, f64)> = intervals.iter().map(cut).collect();
    let low = intervals.iter().map(|it| it.0.max(0.0)).fold(0.0, f64::max);
    let high = intervals.iter().map(|it| it.1).fold(f64::INFINITY, f64::min);
    if !high.is_finite() {
        return None;
    }
    if low < high {
        let gap = high - low;
        return Some(Fitted {
            mean: f64::midpoint(low, high),
            deviation: gap / 2.0,
            mean_error: gap / 2.0,
            deviation_error: gap / 2.0,
            is_fixed: true,
        });
    }
    // The ends that contradict each other say how much delays vary, at least.
    let (mut eta, mut tau) = {
        let deviation = ((low - high) / 2.0).max(1e-6 * low);
        (f64::midpoint(low, high) / deviation, 1.0 / deviation)
    };
    let mut now = likelihood(&intervals, eta, tau);
    for _ in 0..200 {
        let (gradient, hessian) = slopes(&intervals, eta, tau);
        let inverse = inverse([-hessian[0], -hessian[1], -hessian[2]])?;
        let step = [
            inverse[0] * gradient[0] + inverse[1] * gradient[1],
            inverse[1] * gradient[0] + inverse[2] * gradient[1],
        ];
        let mut share = 1.0;
        let next = loop {
            let at = (eta + share * step[0], tau + share * step[1]);
            let there = if at.1 > 0.0 { likelihood(&intervals, at.0, at.1) } else { f64::NAN };
            if there >= now {
                break Some((at, there));
            }
            share /= 2.0;
            if share < 1e-9 {
                break None;
            }
        };
        let Some((at, there)) = next else { break };
        let is_done = there - now < 1e-10 * (1.0 + now.abs());
        ((eta, tau), now) = (at, there);
        if is_done {
            break;
        }
    }
    let (_, hessian) = slopes(&intervals, eta, tau);
    let variance = inverse([-hessian[0], -hessian[1], -hessian[2]])?;
    // From the two parameters to mean and deviation.
    let (by_eta, by_tau) = (1.0 / tau, -eta / (tau * tau));
    let of_mean = by_eta * by_eta * variance[0]
        + 2.0 * by_eta * by_tau * variance[1]
        + by_tau * by_tau * variance[2];
    let deviation_error = variance[2].max(0.0).sqrt() / (tau * tau);
    let found = Fitted {
        mean: eta / tau,
        deviation: 1.0 / tau,
        mean_error: of_mean.max(0.0).sqrt(),
        deviation_error,
        is_fixed: false,
    };
    let is_sane =
        found.mean.is_finite() && found.deviation.is_finite() && found.pulses().is_finite();
    is_sane.then_some(found)
}

/// How large a deviation may be that shows intervals which all have something in common: with a larger one, whatever the mean, what was seen is less probable
/// than `e^-2` (as two standard errors). Few intervals say little, so it may be much larger than what they have in common.
#[must_use]
pub fn widest(intervals: &[(f64, f64)]) -> f64 {
    const POINTS: i32 = 20;
    let low = intervals.iter().map(|it| it.0.max(0.0)).fold(0.0, f64::max);
    let high = intervals.iter().map(|it| it.1).fold(f64::INFINITY, f64::min);
    let most = intervals.iter().map(|it| it.1).filter(|it| it.is_finite()).fold(high, f64::max);
    let cut = |(low, high): &(f64, f64)| (if *low < 0.0 { f64::NEG_INFINITY } else { *low }, *high);
    let intervals: Vec<(f64, f64)> = intervals.iter().map(cut).collect();
    let is_possible = |deviation: f64| {
        let (from, to) = (low - 2.0 * deviation, high + 2.0 * deviation);
        let mean = |at: i32| from + (to - from) * f64::from(at) / f64::from(POINTS);
        let of = |at: i32| likelihood(&intervals, mean(at) / deviation, 1.0 / deviation);
        (0..=POINTS).map(of).fold(f64::NEG_INFINITY, f64::max) >= -2.0
    };
    let mut least = ((high - low) / 2.0).max(1e-9);
    while least < most && is_possible(2.0 * least) {
        least *= 2.0;
    }
    let mut greatest = 2.0 * least;
    for _ in 0..12 {
        let middle = f64::midpoint(least, greatest);
        *(if is_possible(middle) { &mut least } else { &mut greatest }) = middle;
    }
    greatest
}

/// The inverse of a symmetric matrix; none if it is not positive.
fn inverse([a, b, c]: [f64; 3]) -> Option<[f64; 3]> {
    let determinant = a * c - b * b;
    (a > 0.0 && determinant > 0.0).then(|| [c / determinant, -b / determinant, a / determinant])
}

fn density(x: f64) -> f64 {
    if x.is_finite() { (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt() } else { 0.0 }
}

/// The probability of an interval of the standard normal distribution, also far out.
fn between(low: f64, high: f64) -> f64 {
    let above = |x: f64| 0.5 * libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2);
    let found = if low > 0.0 { above(low) - above(high) } else { above(-high) - above(-low) };
    found.max(1e-300)
}

fn likelihood(intervals: &[(f64, f64)], eta: f64, tau: f64) -> f64 {
    intervals.iter().map(|(low, high)| between(low * tau - eta, high * tau - eta).ln()).sum()
}

/// The gradient of the logarithm of the likelihood, and its second derivatives.
fn slopes(intervals: &[(f64, f64)], eta: f64, tau: f64) -> ([f64; 2], [f64; 3]) {
    let (mut gradient, mut hessian) = ([0.0; 2], [0.0; 3]);
    for (low, high) in intervals {
        let p = between(low * tau - eta, high * tau - eta);
        let (mut first, mut second) = ([0.0; 2], [0.0; 3]);
        for (end, sign) in [(high, 1.0), (low, -1.0)] {
            if !end.is_finite() {
                continue;
            }
            let x = end * tau - eta;
            let (here, slope) = (sign * density(x), -sign * x * density(x));
            first = [first[0] - here, first[1] + end * here];
            second = [second[0] + slope, second[1] - end * slope, second[2] + end * end * slope];
        }
        let [a, b] = first.map(|it| it / p);
        gradient = [gradient[0] + a, gradient[1] + b];
        hessian = [
            hessian[0] + second[0] / p - a * a,
            hessian[1] + second[1] / p - a * b,
            hessian[2] + second[2] / p - b * b,
        ];
    }
    (gradient, hessian)
}

#[cfg(test)]
mod tests {
    use punctual_semantics::program::Chance;

    use super::*;
    use crate::{Stream, delays};
    use punctual_model::testing::platform::Delay;

    /// Delays are drawn, and only between which steps they end is known. Mean and deviation are found again, as exactly as is told.
    #[test]
    fn intervals_tell_of_the_delays_in_them() {
        let mut stream = Stream::of_run(5, 0);
        for (mean, deviation) in [(900.0, 200.0), (300.0, 120.0), (40.0, 10.0)] {
            let delay = Delay::Normal { mean, deviation };
            let (mut n, mut squares) = (0.0, [0.0; 2]);
            for _ in 0..200 {
                let mut intervals = Vec::new();
                for _ in 0..200 {
                    // The end of a step is aimed at where delays end.
                    let end = mean + deviation * (4.0 * stream.unit() - 2.0);
                    let drawn = delays::draw(&delay, &mut stream);
                    let below = ((end - drawn) / 500.0).floor();
                    intervals.push((end - (below + 1.0) * 500.0, end - below * 500.0));
                }
                let found = fit(&intervals).expect("a fit");
                assert!(!found.is_fixed);
                let off = (found.mean - mean) / found.mean_error;
                let spread = (found.deviation - deviation) / found.deviation_error;
                n += 1.0;
                squares = [squares[0] + off * off, squares[1] + spread * spread];
                assert!(found.pulses() > 15.0 && found.pulses() < 200.0, "{found:?}");
            }
            // Errors are as large as they are told to be.
            for square in squares {
                assert!((0.7..1.4).contains(&(square / n)), "{mean}: {squares:?}");
            }
        }
    }

    /// Few intervals often have something in common though delays vary: the deviation that they leave possible is seldom less than the true one. Many say that a
    /// delay hardly varies.
    #[test]
    fn few_intervals_leave_large_deviations_possible() {
        let mut stream = Stream::of_run(6, 0);
        let delay = Delay::Normal { mean: 300.0, deviation: 20.0 };
        let (mut n_fixed, mut n_small) = (0, 0);
        for _ in 0..600 {
            let mut intervals = Vec::new();
            for _ in 0..10 {
                let end = 300.0 + 250.0 * (2.0 * stream.unit() - 1.0);
                let drawn = delays::draw(&delay, &mut stream);
                let below = ((end - drawn) / 500.0).floor();
                intervals.push((end - (below + 1.0) * 500.0, end - below * 500.0));
            }
            if fit(&intervals).is_some_and(|it| it.is_fixed) {
                n_fixed += 1;
                n_small += usize::from(widest(&intervals) < 20.0);
            }
        }
        assert!(n_fixed > 200, "{n_fixed}");
        assert!(n_small * 20 < n_fixed, "{n_small} of {n_fixed}");
        let halved: Vec<(f64, f64)> = (0..40)
            .map(|at| {
                let end = 300.0 + if at % 2 == 0 { 1.0 } else { -1.0 };
                (end - 500.0 * f64::from(at % 2), end + 500.0 * f64::from((at + 1) % 2))
            })
            .map(
                |(low, high)| {
                    if low < 300.0 && high > 300.0 { (low, high) } else { (299.0, 301.0) }
                },
            )
            .collect();
        assert!(widest(&halved) < 3.0, "{}", widest(&halved));
    }

    #[test]
    fn delays_that_do_not_vary_are_enclosed() {
        let intervals = [(-100.0, 400.0), (20.0, 520.0), (30.0, 530.0), (-460.0, 40.0)];
        let found = fit(&intervals).expect("a fit");
        assert!(found.is_fixed);
        assert_eq!((found.mean, found.deviation), (35.0, 5.0));
        // Four intervals leave much open.
        assert!(widest(&intervals) > 100.0, "{}", widest(&intervals));
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&[(20.0, f64::INFINITY)]), None);
    }
}
