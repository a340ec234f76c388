//! Values that overtake each other on their way.

use punctual_model::testing::platform::Delay;
use punctual_smc::Stream;

/// The deviation of delays that have another one if each value that is seen is taken for that of the next step: some of them have overtaken others.
pub(super) fn overtaken(sorted: f64, step: f64) -> f64 {
    const DRAWN: usize = 4_000;
    let mut chance = Stream::of_run(1, 0);
    let normal = Delay::Normal { mean: 100.0, deviation: 1.0 };
    let drawn: Vec<f64> =
        (0..DRAWN).map(|_| punctual_smc::delays::draw(&normal, &mut chance) - 100.0).collect();
    let seen = |deviation: f64| {
        let at = |(number, z): (usize, &f64)| number as f64 * step + deviation * z;
        let mut all: Vec<f64> = drawn.iter().enumerate().map(at).collect();
        all.sort_by(f64::total_cmp);
        let square = all.iter().enumerate().map(|(number, at)| (at - number as f64 * step).powi(2));
        (square.sum::<f64>() / DRAWN as f64).sqrt()
    };
    // Nothing is overtaken where delays vary little, and beyond some steps nothing can be told any more.
    if sorted < 0.1 * step {
        return sorted;
    }
    let (mut low, mut high) = (sorted, 4.0 * step.max(sorted));
    for _ in 0..30 {
        let middle = f64::midpoint(low, high);
        if seen(middle) < sorted { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Delays are drawn, each value that is seen is taken for that of the next step, and the deviation is found again.
    #[test]
    fn values_that_overtake_are_corrected() {
        let step = 500.0;
        for (number, deviation) in [20.0, 100.0, 200.0, 300.0, 400.0].into_iter().enumerate() {
            let mut chance = Stream::of_run(9, number as u64);
            let delay = Delay::Normal { mean: 5_000.0, deviation };
            let mut draw = |at: i32| {
                f64::from(at) * step + punctual_smc::delays::draw(&delay, &mut chance) - 5_000.0
            };
            let mut seen: Vec<f64> = (0..2_000).map(&mut draw).collect();
            seen.sort_by(f64::total_cmp);
            let off = seen.iter().enumerate().map(|(at, it)| (it - at as f64 * step).powi(2));
            let looks = (off.sum::<f64>() / 2_000.0).sqrt();
            let found = overtaken(looks, step);
            assert!((found - deviation).abs() < 0.12 * deviation, "{deviation}: {looks}, {found}");
        }
    }
}
