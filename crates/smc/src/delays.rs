//! How long something takes on a platform: probabilities of delays, and delays by chance.

use punctual_model::testing::platform::Delay;
use punctual_semantics::program::Chance;

use crate::statistics::normal_quantile;

/// The probability that a number of the standard normal distribution is at most this.
#[must_use]
pub fn standard(z: f64) -> f64 {
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

/// The probability that a delay is at most so long, in nanoseconds. Delays are cut at 0.
#[must_use]
pub fn below(delay: &Delay, ns: f64) -> f64 {
    if ns < 0.0 {
        return 0.0;
    }
    match delay {
        Delay::Normal { mean, deviation } if *deviation <= 0.0 => f64::from(ns >= mean.max(0.0)),
        Delay::Normal { mean, deviation } => standard((ns - mean) / deviation),
        Delay::Uniform { least, greatest } if greatest <= least => f64::from(ns >= *least),
        Delay::Uniform { least, greatest } => ((ns - least) / (greatest - least)).clamp(0.0, 1.0),
        Delay::Samples(all) => all.partition_point(|it| *it <= ns) as f64 / all.len().max(1) as f64,
    }
}

/// How long a delay is at most with a probability, in nanoseconds.
#[must_use]
pub fn quantile(delay: &Delay, p: f64) -> f64 {
    match delay {
        Delay::Normal { mean, deviation } if *deviation <= 0.0 => mean.max(0.0),
        Delay::Uniform { least, greatest } => least + (greatest - least) * p.clamp(0.0, 1.0),
        Delay::Samples(all) => {
            let at = (p * all.len() as f64).ceil() as usize;
            all.get(at.clamp(1, all.len().max(1)) - 1).copied().unwrap_or(0.0)
        }
        Delay::Normal { mean, deviation } => {
            // By halving: the distribution function is known, its inverse is not.
            let (mut low, mut high) = (mean - 40.0 * deviation, mean + 40.0 * deviation);
            for _ in 0..80 {
                let middle = f64::midpoint(low, high);
                let part =
                    0.5 * libm::erfc(-(middle - mean) / (deviation * std::f64::consts::SQRT_2));
                if part < p { low = middle } else { high = middle }
            }
            f64::midpoint(low, high).max(0.0)
        }
    }
}

/// Between which a delay lies, but for this probability on either side. If mean and deviation come of so many measured delays, how exactly these are known
/// is minded, too.
#[must_use]
pub fn bounds(delay: &Delay, alpha: f64, pulses: u32) -> (f64, f64) {
    let exact = (quantile(delay, alpha), quantile(delay, 1.0 - alpha));
    // Samples are measured, and the next delay may lie outside of all of them.
    let pulses = match delay {
        Delay::Samples(all) => u32::try_from(all.len()).unwrap_or(u32::MAX),
        _ => pulses,
    };
    let (mean, deviation) = (delay.mean(), delay.deviation());
    if pulses < 2 || deviation <= 0.0 {
        return exact;
    }
    if let Delay::Uniform { least, greatest } = delay {
        // The ends that were seen are inside of the true ones. All of n delays lie within a share s of the range with a probability of about s^(n - 1).
        let beyond = (greatest - least) * (alpha.powf(-1.0 / f64::from(pulses - 1)) - 1.0);
        return ((least - beyond).max(0.0), greatest + beyond);
    }
    // Those that were cut at 0 say little of how long the others are.
    let pulses = match delay {
        Delay::Normal { .. } => ((1.0 - below(delay, 0.0)) * f64::from(pulses)).max(2.0) as u32,
        _ => pulses,
    };
    // Student's distribution, by the expansion of Cornish and Fisher, and the error of the mean.
    let standard = Delay::Normal { mean: 100.0, deviation: 1.0 };
    let z = quantile(&standard, 1.0 - alpha) - 100.0;
    let freedom = f64::from(pulses - 1);
    let (cube, fifth) = (z.powi(3), z.powi(5));
    let t = z
        + (cube + z) / (4.0 * freedom)
        + (5.0 * fifth + 16.0 * cube + 3.0 * z) / (96.0 * freedom * freedom);
    let reach = t * deviation * (1.0 + 1.0 / f64::from(pulses)).sqrt();
    match delay {
        Delay::Samples(_) => ((mean - reach).max(0.0).min(exact.0), (mean + reach).max(exact.1)),
        _ => ((mean - reach).max(0.0), mean + reach),
    }
}

/// A probability to miss something by a delay, as it would be if mean and deviation were wrong by three standard errors; they come of so many measured
/// delays, or are exact if that is 0.
#[must_use]
pub fn pessimistic(missed: f64, pulses: u32) -> f64 {
    let missed = missed.clamp(0.0, 1.0);
    if pulses == 0 || missed <= 0.0 || missed >= 1.0 {
        return missed;
    }
    // A miss is taken for a tail of the normal distribution.
    let z = match missed < 0.5 {
        true => normal_quantile(2.0 * missed),
        false => -normal_quantile(2.0 * (1.0 - missed)),
    };
    let error = 3.0 / f64::from(pulses).sqrt();
    let nearer = z - error - z.abs() * error / std::f64::consts::SQRT_2;
    (0.5 * libm::erfc(nearer * std::f64::consts::FRAC_1_SQRT_2)).max(missed)
}

/// A delay by chance, in nanoseconds.
pub fn draw(delay: &Delay, chance: &mut impl Chance) -> f64 {
    let drawn = match delay {
        Delay::Normal { mean, deviation } => mean + deviation * normal(chance),
        Delay::Uniform { least, greatest } => least + (greatest - least) * chance.unit(),
        Delay::Samples(all) => {
            let at = (chance.unit() * all.len() as f64) as usize;
            all.get(at.min(all.len().saturating_sub(1))).copied().unwrap_or(0.0)
        }
    };
    drawn.max(0.0)
}

/// A number of the standard normal distribution, by the method of Box and Muller.
fn normal(chance: &mut impl Chance) -> f64 {
    let radius = (-2.0 * (1.0 - chance.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * chance.unit()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    #[test]
    fn quantiles_are_where_the_distribution_is() {
        let normal = Delay::Normal { mean: 1000.0, deviation: 50.0 };
        assert!((quantile(&normal, 0.975) - 1097.998).abs() < 0.01);
        for p in [1e-9, 0.01, 0.5, 0.999] {
            assert!((below(&normal, quantile(&normal, p)) - p).abs() < 1e-9);
        }
        let samples = Delay::Samples(vec![1.0, 2.0, 3.0, 4.0]);
        assert_eq!([0.0, 0.25, 0.26, 1.0].map(|p| quantile(&samples, p)), [1.0, 1.0, 2.0, 4.0]);
    }

    #[test]
    fn bounds_mind_how_much_was_measured() {
        let delay = Delay::Normal { mean: 1000.0, deviation: 50.0 };
        let (low, high) = bounds(&delay, 0.025, 0);
        assert!((low - 902.0).abs() < 0.1 && (high - 1098.0).abs() < 0.1, "{low} {high}");
        // The next delay may lie outside of all that were measured.
        let (low, high) = bounds(&Delay::Samples(vec![15.0, 18.0, 20.0, 22.0, 25.0]), 1e-4, 0);
        assert!(low < 5.0 && high > 40.0, "{low} {high}");
        // Ends that were measured are not the true ones.
        let even = Delay::Uniform { least: 100.0, greatest: 200.0 };
        assert_eq!(bounds(&even, 1e-6, 0).1, quantile(&even, 1.0 - 1e-6));
        let (low, high) = bounds(&even, 1e-6, 200);
        assert!(low < 94.0 && low > 90.0 && high > 206.0 && high < 210.0, "{low} {high}");
        // The quantile of Student's distribution with 9 degrees of freedom is 2.262.
        let (_, high) = bounds(&delay, 0.025, 10);
        assert!((high - (1000.0 + 2.262 * 50.0 * 1.1_f64.sqrt())).abs() < 0.5, "{high}");
    }

    #[test]
    fn a_miss_is_more_probable_where_little_was_measured() {
        assert_eq!(pessimistic(0.01, 0), 0.01);
        let of = |pulses| pessimistic(0.01, pulses);
        assert!(0.01 < of(100_000) && of(100_000) < of(200) && of(200) < of(20));
        // At 200, three standard errors are 0.212 deviations of the mean, and 15 % of the deviation.
        assert!((of(200) - 0.0389).abs() < 0.002, "{}", of(200));
        assert!(pessimistic(0.7, 200) > 0.7 && pessimistic(1.0, 200) == 1.0);
    }

    /// The share of drawn delays below some instants is what the distribution says.
    #[test]
    fn drawn_delays_have_their_distribution() {
        let delays = [
            Delay::Normal { mean: 100.0, deviation: 50.0 },
            Delay::Normal { mean: 70.0, deviation: 0.0 },
            Delay::Uniform { least: 20.0, greatest: 180.0 },
            Delay::Samples(vec![10.0, 10.0, 50.0, 400.0]),
        ];
        for delay in delays {
            let mut stream = Stream::of_run(1, 0);
            let drawn: Vec<f64> = (0..20_000).map(|_| draw(&delay, &mut stream)).collect();
            for at in [0.0, 10.0, 60.0, 100.0, 150.0, 399.0, 400.0] {
                let share = drawn.iter().filter(|it| **it <= at).count() as f64 / 20_000.0;
                let said = below(&delay, at);
                let spread = (said * (1.0 - said) / 20_000.0).sqrt();
                assert!((share - said).abs() <= 4.5 * spread, "{delay:?} {at}: {share} {said}");
            }
        }
    }
}
