//! Means of real values.

use punctual_smc::statistics::{Interval, Mean};

use crate::Random;

fn mean_of(values: &[f64]) -> Mean {
    let mut mean = Mean::default();
    for &value in values {
        mean.push(value);
    }
    mean
}

/// Quantiles of Student's distribution, computed with 30 digits by integrating its density.
#[test]
fn intervals_use_students_quantiles() {
    for (freedom, expected) in [
        (1, 12.706_204_736_174_7),
        (2, 4.302_652_729_749_464),
        (4, 2.776_445_105_197_794),
        (9, 2.262_157_162_798_206),
        (29, 2.045_229_642_132_704),
        (99, 1.984_216_951_586_417),
        (999, 1.962_341_461_133_45),
        (99_999, 1.959_987_707_771_845),
    ] {
        let n = freedom + 1;
        let values: Vec<f64> = (0..n).map(|i| f64::from(i % 2)).collect();
        let mean = mean_of(&values);
        let Interval { low, high } = mean.interval(0.05).unwrap().unwrap();
        let error = (mean.variance().unwrap() / f64::from(n)).sqrt();
        let quantile = (high - low) / 2.0 / error;
        assert!((quantile - expected).abs() < 1e-9 * expected, "{freedom}: {quantile}");
    }
}

#[test]
fn few_values_have_no_interval() {
    let mut mean = Mean::default();
    assert_eq!((mean.mean(), mean.min(), mean.variance()), (None, None, None));
    assert_eq!(mean.interval(0.05), Ok(None));
    mean.push(4.0);
    assert_eq!((mean.mean(), mean.max(), mean.variance()), (Some(4.0), Some(4.0), None));
    assert_eq!(mean.interval(0.05), Ok(None));
    mean.push(4.0);
    assert_eq!(mean.interval(0.05), Ok(Some(Interval { low: 4.0, high: 4.0 })));
    assert!(mean.interval(0.0).is_err());
}

/// Large values that differ little: the textbook formula (sum of squares minus square of the sum) fails.
#[test]
fn variance_does_not_cancel() {
    let mean = mean_of(&[1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0]);
    assert_eq!((mean.mean(), mean.variance()), (Some(1e9 + 10.0), Some(30.0)));
}

#[test]
fn merged_parts_are_the_whole() {
    let mut random = Random(1);
    let values: Vec<f64> = (0..1000).map(|_| random.uniform() * 100.0 - 20.0).collect();
    let whole = mean_of(&values);
    let merge = || {
        let mut merged = Mean::default();
        for part in values.chunks(37) {
            merged.merge(&mean_of(part));
        }
        merged.merge(&Mean::default());
        merged
    };
    let merged = merge();
    assert_eq!(merged, merge());
    assert_eq!(
        (merged.count(), merged.min(), merged.max()),
        (whole.count(), whole.min(), whole.max())
    );
    assert!((merged.mean().unwrap() - whole.mean().unwrap()).abs() < 1e-11);
    assert!((merged.variance().unwrap() - whole.variance().unwrap()).abs() < 1e-8);
}

#[test]
fn a_value_that_is_not_finite_stays_visible() {
    for value in [f64::INFINITY, f64::NAN] {
        let mean = mean_of(&[1.0, value, 2.0]);
        assert!(!mean.mean().unwrap().is_finite());
    }
}

/// 2000 intervals from 30 uniform values each, and from 100 exponential ones, which are skew.
#[test]
fn intervals_contain_the_expected_value() {
    type Draw = fn(&mut Random) -> f64;
    let exponential: Draw = |random| -(-random.uniform()).ln_1p();
    let uniform: Draw = Random::uniform;
    for (name, n, expected, draw) in
        [("uniform", 30, 0.5, uniform), ("exponential", 100, 1.0, exponential)]
    {
        let mut random = Random(13);
        let covered = (0..2000).filter(|_| {
            let values: Vec<f64> = (0..n).map(|_| draw(&mut random)).collect();
            mean_of(&values).interval(0.05).unwrap().unwrap().contains(expected)
        });
        let covered = covered.count();
        println!("{name}: {covered} of 2000");
        assert!((1860..=1930).contains(&covered), "{name}: {covered} of 2000");
    }
}

#[test]
fn the_guarantee_is_a_sentence() {
    assert_eq!(
        mean_of(&[1.0, 2.0]).guarantee(0.05),
        "Student's t: 95 % confidence, exact for normally distributed values and approximate for others, \
         from 2 runs."
    );
}
