//! Bounds against their definitions and against published figures.

use punctual_smc::statistics::{
    Interval, anytime, anytime_contains, clopper_pearson, hoeffding, okamoto_runs, wilson,
};

use crate::binomial;

fn close(left: f64, right: f64, tolerance: f64) -> bool {
    (left - right).abs() <= tolerance * right.abs()
}

/// At its lower bound, `k` or more successes have probability `alpha / 2`; likewise above.
#[test]
fn clopper_pearson_bounds_are_where_the_tails_are_half_of_alpha() {
    for n in [1, 2, 3, 7, 20, 72, 150] {
        for k in (0..=n).step_by(1 + n as usize / 12) {
            for alpha in [0.2, 0.05, 0.01, 1e-6] {
                let Interval { low, high } = clopper_pearson(n, k, alpha);
                let place = format!("{k} of {n} at {alpha}: {low} to {high}");
                if k > 0 {
                    let tail: f64 = binomial(n, low)[k as usize..].iter().sum();
                    assert!(close(tail, alpha / 2.0, 1e-9), "{place}: {tail}");
                }
                if k < n {
                    let tail: f64 = binomial(n, high)[..=k as usize].iter().sum();
                    assert!(close(tail, alpha / 2.0, 1e-9), "{place}: {tail}");
                }
            }
        }
    }
}

#[test]
fn without_runs_nothing_is_known() {
    for interval in [clopper_pearson, wilson, hoeffding, anytime] {
        assert_eq!(interval(0, 0, 0.05), Interval::UNIT);
    }
}

/// What never happened may still be impossible, and what always happened certain.
#[test]
fn intervals_reach_the_ends_when_all_runs_agree() {
    for interval in [clopper_pearson, wilson, hoeffding, anytime] {
        for n in [1, 2, 10, 1000, 1_000_000] {
            let (none, all) = (interval(n, 0, 0.05), interval(n, n, 0.05));
            assert_eq!((none.low, all.high), (0.0, 1.0));
            assert!(0.0 < none.high && none.high <= 1.0 && 0.0 <= all.low && all.low < 1.0);
            assert!((none.high - (1.0 - all.low)).abs() < 1e-12, "{none:?} {all:?}");
        }
    }
    // In closed form.
    let high = clopper_pearson(36, 0, 0.05).high;
    assert!(close(high, 1.0 - 0.025f64.powf(1.0 / 36.0), 1e-13));
    let high = anytime(50, 0, 0.05).high;
    assert!(close(high, 1.0 - (0.05f64 / 51.0).powf(1.0 / 50.0), 1e-12));
}

/// Computed with 30 digits from sums of binomial terms. The last line is one-sided, from the manual
/// of the R package GenBinomApps.
#[test]
fn clopper_pearson_of_large_counts() {
    for (k, n, alpha, low, high) in [
        (10, 100, 0.05, 0.049_004_689_221_485_96, 0.176_222_597_740_022_7),
        (2, 100_000, 0.05, 2.422_101_962_703_155e-6, 7.224_498_936_504_79e-5),
        (10, 10_000, 0.01, 3.717_904_392_842_444e-4, 2.138_563_482_438_566e-3),
        (3, 1_000_000, 0.05, 6.186_725_501_906_399e-7, 8.767_247_788_145_224e-6),
    ] {
        let interval = clopper_pearson(n, k, alpha);
        let tolerance = if n > 100_000 { 1e-8 } else { 1e-9 };
        assert!(close(interval.low, low, tolerance), "{k} of {n}: {interval:?}");
        assert!(close(interval.high, high, tolerance), "{k} of {n}: {interval:?}");
    }
    let high = clopper_pearson(100_000, 5, 0.1).high;
    assert!(close(high, 0.000_105_127_5, 1e-6), "{high}");
}

/// Its bounds solve `(k/n - p)² = z² p (1 - p) / n`.
#[test]
fn wilson_bounds_solve_their_equation() {
    for (alpha, z) in [
        (0.05, 1.959_963_984_540_054),
        (0.01, 2.575_829_303_548_901),
        (0.001, 3.290_526_731_491_895),
        (1e-9, 6.109_410_204_869_397),
    ] {
        for (n, k) in [(10, 3), (72, 1), (100, 10), (400, 200), (1000, 999), (5, 0), (5, 5)] {
            let share = k as f64 / n as f64;
            let Interval { low, high } = wilson(n, k, alpha);
            assert!(low <= share && share <= high);
            for p in [low, high] {
                let (left, right) = ((share - p).powi(2), z * z * p * (1.0 - p) / n as f64);
                assert!((left - right).abs() < 1e-14, "{k} of {n} at {p}: {left} {right}");
            }
        }
    }
    // As R's `prop.test(10, 100, correct = FALSE)` prints it.
    let Interval { low, high } = wilson(100, 10, 0.05);
    assert!(close(low, 0.055_229_14, 1e-7) && close(high, 0.174_365_66, 1e-7), "{low} {high}");
}

#[test]
fn okamoto_counts_are_the_published_ones() {
    assert_eq!(okamoto_runs(0.05, 0.05), 738);
    assert_eq!(okamoto_runs(0.01, 0.01), 26_492);
    let Interval { low, high } = hoeffding(738, 369, 0.05);
    assert!(high - 0.5 <= 0.05 && 0.5 - low <= 0.05 && high - low > 0.0999);
}

/// Its bounds are where the mixture ratio is `1 / alpha`, computed here as a product.
#[test]
fn anytime_bounds_are_where_the_ratio_is_one_over_alpha() {
    for (n, k) in [(1, 0), (5, 2), (30, 1), (100, 50), (300, 290)] {
        let Interval { low, high } = anytime(n, k, 0.05);
        let ratio = |p: f64| {
            // `k! (n-k)! / (n+1)!`, one factor at a time, each next to a factor of the chance.
            let mut ratio = 1.0 / (n + 1) as f64;
            for i in 1..=n {
                if i <= k {
                    ratio /= p * (n - k + i) as f64 / i as f64;
                } else {
                    ratio /= 1.0 - p;
                }
            }
            ratio
        };
        if low > 0.0 {
            assert!(close(ratio(low), 20.0, 1e-9), "{k} of {n}: {}", ratio(low));
        }
        if high < 1.0 {
            assert!(close(ratio(high), 20.0, 1e-9), "{k} of {n}: {}", ratio(high));
        }
        for p in [0.0, 0.001, 0.1, 0.3, 0.5, 0.8, 0.97, 1.0] {
            assert_eq!(anytime_contains(n, k, 0.05, p), low <= p && p <= high, "{k} of {n}: {p}");
        }
    }
}

/// More confidence, or leave to stop at any time, is paid for by width.
#[test]
fn intervals_are_nested() {
    for (n, k) in [(10, 0), (10, 3), (72, 1), (400, 200), (5000, 4999)] {
        for interval in [clopper_pearson, wilson, hoeffding, anytime] {
            let (narrow, wide) = (interval(n, k, 0.1), interval(n, k, 0.01));
            assert!(wide.low <= narrow.low && narrow.high <= wide.high);
            assert!(wide.width() > narrow.width());
        }
        let (fixed, always) = (clopper_pearson(n, k, 0.05), anytime(n, k, 0.05));
        assert!(always.low <= fixed.low && fixed.high <= always.high);
    }
}

#[test]
#[should_panic(expected = "3 successes in 2 runs")]
fn more_successes_than_runs_are_our_mistake() {
    let _ = clopper_pearson(2, 3, 0.05);
}
