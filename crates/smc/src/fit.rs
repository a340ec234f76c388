//! What kind of distribution measured delays have.
//!
//! Three are compared: normal, even between two ends, and two humps (a mixture of two normal ones). The one with the best criterion of Schwarz is taken: how well
//! it fits, less a price for each of its parameters.

use punctual_model::testing::platform::Delay;

/// What measured delays are like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// All delays are the same.
    Fixed,
    /// Delays are distributed normally.
    Normal,
    /// Delays are distributed evenly between two ends.
    Even,
    /// Delays have two humps: no named distribution says that, so the samples themselves have to.
    TwoHumps,
}

impl Shape {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Shape::Fixed => "fixed",
            Shape::Normal => "normal",
            Shape::Even => "even",
            Shape::TwoHumps => "two humps",
        }
    }
}

/// How much better an even distribution has to fit, as a natural logarithm: it is the case less than once in a hundred thousand times by chance.
const CLEAR: f64 = 12.0;

/// What delays are, and the shape that they have. There is at least one.
#[must_use]
pub fn fit(samples: &[f64]) -> (Shape, Delay) {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let all = Delay::Samples(sorted.clone());
    let mean = all.mean();
    // The deviation of what was drawn is a little smaller than that of what it was drawn from.
    let deviation = all.deviation() * (n / (n - 1.0).max(1.0)).sqrt();
    let (Some(least), Some(greatest)) = (sorted.first(), sorted.last()) else {
        return (Shape::Fixed, Delay::NONE);
    };
    let range = greatest - least;
    if range <= 0.0 || sorted.len() < 8 {
        let shape = if range <= 0.0 { Shape::Fixed } else { Shape::Normal };
        return (shape, Delay::Normal { mean, deviation });
    }
    // Only what is cut is 0 exactly.
    if *least <= 0.0 {
        return (Shape::Normal, cut(&sorted));
    }
    let normal = -n * (deviation * (2.0 * std::f64::consts::PI * std::f64::consts::E).sqrt()).ln();
    let even = -n * range.ln();
    let humps = two_humps(&sorted, deviation);
    let price = 0.5 * n.ln();
    let criteria = [normal - 2.0 * price, even - 2.0 * price, humps - 5.0 * price];
    match criteria {
        [a, b, c] if c > a && c > b => (Shape::TwoHumps, all),
        // Few normal delays look even, and ends that nobody has seen are taken to be impossible: it has to be clear.
        [a, b, _] if b > a + CLEAR => {
            (Shape::Even, Delay::Uniform { least: *least, greatest: *greatest })
        }
        _ => (Shape::Normal, Delay::Normal { mean, deviation }),
    }
}

/// The normal distribution of which delays below 0 were made 0, by expectation and maximisation: mean and deviation of what is left would make long
/// delays seem far rarer than they are. A mean is never below 0.
fn cut(sorted: &[f64]) -> Delay {
    const ROUNDS: usize = 1_000;
    let n = sorted.len() as f64;
    let n_cut = sorted.partition_point(|it| *it <= 0.0) as f64;
    let (first, second) = sorted.iter().fold((0.0, 0.0), |sum, x| (sum.0 + x, sum.1 + x * x));
    let mut mean = first / n;
    let mut deviation = (second / n).sqrt();
    for _ in 0..ROUNDS {
        // What was cut, as far as the distribution so far tells.
        let z = -mean / deviation;
        let below = (0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)).max(f64::MIN_POSITIVE);
        let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let there = mean - deviation * density / below;
        let square = mean * mean + deviation * deviation - mean * deviation * density / below;
        let before = (mean, deviation);
        mean = ((first + n_cut * there) / n).max(0.0);
        let squares = second + n_cut * square - 2.0 * mean * (first + n_cut * there);
        deviation = (squares / n + mean * mean).max(0.0).sqrt();
        let moved = (mean - before.0).abs() + (deviation - before.1).abs();
        if moved <= 1e-9 * deviation || deviation <= 0.0 {
            break;
        }
    }
    Delay::Normal { mean, deviation: deviation * (n / (n - 1.0).max(1.0)).sqrt() }
}

/// How well a mixture of two normal distributions fits at best: the logarithm of the likelihood, by expectation and maximisation.
fn two_humps(sorted: &[f64], deviation: f64) -> f64 {
    const ROUNDS: usize = 200;
    let n = sorted.len() as f64;
    let (low, high) = (sorted[sorted.len() / 4], sorted[3 * sorted.len() / 4]);
    // Neither hump is a spike: any sample alone would fit that.
    let narrowest = 0.05 * deviation;
    let mut humps = [(0.5, low, deviation / 2.0), (0.5, high, deviation / 2.0)];
    let density = |(share, mean, deviation): (f64, f64, f64), x: f64| {
        let z = (x - mean) / deviation;
        share * (-0.5 * z * z).exp() / (deviation * (2.0 * std::f64::consts::PI).sqrt())
    };
    let mut fits = f64::NEG_INFINITY;
    for _ in 0..ROUNDS {
        let mut sums = [(0.0, 0.0, 0.0); 2];
        let mut now = 0.0;
        for x in sorted {
            let parts = humps.map(|hump| density(hump, *x));
            let all = (parts[0] + parts[1]).max(f64::MIN_POSITIVE);
            now += all.ln();
            for (sum, part) in sums.iter_mut().zip(parts) {
                let weight = part / all;
                *sum = (sum.0 + weight, sum.1 + weight * x, sum.2 + weight * x * x);
            }
        }
        for (hump, (weight, first, second)) in humps.iter_mut().zip(sums) {
            if weight > 0.0 {
                let mean = first / weight;
                let spread = (second / weight - mean * mean).max(0.0).sqrt();
                *hump = (weight / n, mean, spread.max(narrowest));
            }
        }
        if (now - fits).abs() < 1e-9 * n {
            return now;
        }
        fits = now;
    }
    fits
}

/// By how much something grows per second, if that is more than chance: instants in nanoseconds, and values. A right answer of "not at all" is
/// missed with a probability of one in ten thousand.
#[must_use]
pub fn drift(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    if points.len() < 8 {
        return None;
    }
    let (x, y) = points.iter().fold((0.0, 0.0), |sum, it| (sum.0 + it.0 / n, sum.1 + it.1 / n));
    let xx: f64 = points.iter().map(|it| (it.0 - x) * (it.0 - x)).sum();
    let xy: f64 = points.iter().map(|it| (it.0 - x) * (it.1 - y)).sum();
    if xx <= 0.0 {
        return None;
    }
    let slope = xy / xx;
    let rest: f64 = points.iter().map(|it| it.1 - y - slope * (it.0 - x)).map(|it| it * it).sum();
    let error = (rest / (n - 2.0) / xx).sqrt();
    let limit = crate::statistics::normal_quantile(1e-4);
    (slope.abs() > limit * error).then_some(slope * 1e9)
}

#[cfg(test)]
mod tests {
    use punctual_semantics::program::Chance;

    use super::*;
    use crate::{Stream, delays};

    /// Kinds of delays are told apart by 200 of each, in 100 draws of each kind.
    #[test]
    fn shapes_are_told_apart() {
        let mut stream = Stream::of_run(3, 0);
        let mut wrong = [0; 3];
        for _ in 0..100 {
            let normal = Delay::Normal { mean: 300.0, deviation: 40.0 };
            let even = Delay::Uniform { least: 100.0, greatest: 180.0 };
            let drawn: Vec<f64> = (0..200).map(|_| delays::draw(&normal, &mut stream)).collect();
            wrong[0] += usize::from(fit(&drawn).0 != Shape::Normal);
            let drawn: Vec<f64> = (0..200).map(|_| delays::draw(&even, &mut stream)).collect();
            wrong[1] += usize::from(fit(&drawn).0 != Shape::Even);
            let hump = |mean| Delay::Normal { mean, deviation: 20.0 };
            let mut two = || match stream.unit() < 0.6 {
                true => delays::draw(&hump(200.0), &mut stream),
                false => delays::draw(&hump(300.0), &mut stream),
            };
            let drawn: Vec<f64> = (0..200).map(|_| two()).collect();
            wrong[2] += usize::from(fit(&drawn).0 != Shape::TwoHumps);
        }
        assert!(wrong.iter().all(|it| *it <= 2), "{wrong:?}");
    }

    /// Delays that are cut at 0 come of the distribution that is found, not of the mean and the deviation of what is left.
    #[test]
    fn what_was_cut_is_found_again() {
        let mut stream = Stream::of_run(3, 2);
        for mean in [0.0, 40.0, 120.0, 250.0] {
            let delay = Delay::Normal { mean, deviation: 200.0 };
            let (mut means, mut deviations) = (0.0, 0.0);
            for _ in 0..100 {
                let drawn: Vec<f64> = (0..200).map(|_| delays::draw(&delay, &mut stream)).collect();
                let (_, found) = fit(&drawn);
                means += found.mean() / 100.0;
                deviations += found.deviation() / 100.0;
            }
            assert!((means - mean).abs() < 12.0, "{mean}: {means}");
            assert!((deviations - 200.0).abs() < 8.0, "{mean}: {deviations}");
        }
    }

    #[test]
    fn drift_is_found_where_there_is_one() {
        let mut stream = Stream::of_run(3, 1);
        let noise = Delay::Normal { mean: 300.0, deviation: 40.0 };
        let mut points = |slope: f64| -> Vec<(f64, f64)> {
            let at = |it: i32| f64::from(it) * 1e9;
            let value = |at: f64, drawn: f64| drawn + slope * at / 1e9;
            (0..200).map(|it| (at(it), value(at(it), delays::draw(&noise, &mut stream)))).collect()
        };
        let none = (0..200).filter(|_| drift(&points(0.0)).is_some()).count();
        assert!(none <= 1, "{none}");
        let found = drift(&points(0.75)).expect("a drift of half of the mean");
        assert!((found - 0.75).abs() < 0.2, "{found}");
    }
}
