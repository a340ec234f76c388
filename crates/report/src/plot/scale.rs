//! Ranges of numbers, round ticks within them, and how numbers are written.
//!
//! A [`Range`] is never empty and never so narrow that two ticks would be the same number.

use std::iter;

/// Larger numbers are not drawn: their differences could overflow.
const MAGNITUDE_MAX: f64 = 1e100;
/// Smaller numbers are drawn as zero.
const MAGNITUDE_MIN: f64 = 1e-100;
/// A range that is narrower than this, compared with its ends, is one value to a reader.
const NARROWEST: f64 = 1e-9;
/// Numbers in between are written without a power of ten.
const PLAIN: std::ops::Range<f64> = 1e-4..1e6;

/// Whether `value` can be a coordinate: a number, and not absurdly large.
pub(crate) fn is_drawable(value: f64) -> bool {
    value.abs() <= MAGNITUDE_MAX
}

/// What an axis shows: `low < high`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Range {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Range {
    /// From `low` to `high`, made wider where there is nothing to see in between.
    pub(crate) fn new(low: f64, high: f64) -> Range {
        let size = low.abs().max(high.abs());
        if size < MAGNITUDE_MIN {
            Range { low: 0.0, high: 1.0 }
        } else if high - low > size * NARROWEST {
            Range { low, high }
        } else {
            Range { low: low - size / 10.0, high: low + size / 10.0 }
        }
    }

    /// The range of those `values` that can be drawn.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Range> {
        let mut values = values.into_iter().filter(|value| is_drawable(*value));
        let first = values.next()?;
        let (low, high) =
            values.fold((first, first), |(low, high), value| (low.min(value), high.max(value)));
        Some(Range::new(low, high))
    }

    /// How far `value` is from the low end, as a share of the range.
    pub(crate) fn share(&self, value: f64) -> f64 {
        ((value - self.low) / self.span()).clamp(0.0, 1.0)
    }

    pub(crate) fn span(&self) -> f64 {
        self.high - self.low
    }

    /// A little more on both sides, so that no curve lies on the frame.
    pub(crate) fn padded(&self) -> Range {
        let by = self.span() * 0.04;
        Range { low: self.low - by, high: self.high + by }
    }

    /// A range that ends on ticks, so that no curve leaves the picture between two of them.
    pub(crate) fn rounded(&self, n_max: usize) -> Range {
        let step = self.ticks(n_max).step;
        // A little less than a whole step past an end would be a row of empty squares.
        let (low, high) = (self.low / step + 1e-6, self.high / step - 1e-6);
        Range::new(low.floor() * step, high.ceil() * step)
    }

    /// At most `n_max` round numbers in the range (but two are always allowed): multiples of 1, 2
    /// or 5 times a power of ten.
    pub(crate) fn ticks(&self, n_max: usize) -> Ticks {
        let n_max = n_max.max(2) as f64;
        let start = (self.span() / n_max).log10().floor() as i32;
        let steps = (start..).flat_map(|e| [1.0, 2.0, 5.0].map(|mantissa| (mantissa, e)));
        for (mantissa, exponent) in steps {
            let step = scaled(mantissa, exponent);
            // A tick at an end counts although a division rounds to the wrong side of it.
            let first = (self.low / step - 1e-9).ceil();
            let last = (self.high / step + 1e-9).floor();
            if last - first < n_max {
                let indices = iter::successors(Some(first), |i| Some(i + 1.0));
                let values = indices
                    .take_while(|i| *i <= last)
                    .map(|i| scaled(i * mantissa, exponent))
                    .collect();
                let size = self.low.abs().max(self.high.abs());
                let power = (!PLAIN.contains(&size)).then(|| size.log10().floor() as i32);
                return Ticks { values, step, exponent, power };
            }
        }
        unreachable!("a step wider than the range leaves at most one tick")
    }
}

/// Round numbers on an axis; the default has none.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Ticks {
    pub(crate) values: Vec<f64>,
    /// The distance between two of them.
    pub(crate) step: f64,
    /// The power of ten of the step.
    exponent: i32,
    /// The power of ten that all labels share, if they are not written plainly.
    power: Option<i32>,
}

impl Ticks {
    /// Each tick as text, with as many decimals as tell it from its neighbours.
    pub(crate) fn labels(&self) -> Vec<String> {
        self.values.iter().map(|value| self.label(*value)).collect()
    }

    fn label(&self, value: f64) -> String {
        if value == 0.0 {
            return "0".to_string();
        }
        let power = self.power.unwrap_or(0);
        let decimals = usize::try_from(power - self.exponent).unwrap_or(0);
        let digits = minus(format!("{:.decimals$}", scaled(value, -power)));
        if power == 0 { digits } else { format!("{digits}×10{}", superscript(power)) }
    }
}

/// `mantissa` times a power of ten. Division keeps 3 / 10 the number that is written 0.3.
fn scaled(mantissa: f64, exponent: i32) -> f64 {
    let power = 10_f64.powi(exponent.abs());
    if exponent < 0 { mantissa / power } else { mantissa * power }
}

/// `value` with four significant digits.
pub(crate) fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return minus(value.abs().to_string());
    }
    if PLAIN.contains(&value.abs()) {
        let decimals = usize::try_from(3 - value.abs().log10().floor() as i32).unwrap_or(0);
        return minus(trimmed(&format!("{value:.decimals$}")).to_string());
    }
    let written = format!("{value:.3e}");
    let (digits, power) = written.split_once('e').unwrap_or((&written, "0"));
    let power = superscript(power.parse().unwrap_or(0));
    minus(format!("{}×10{power}", trimmed(digits)))
}

/// Without zeros at the end of its decimals.
fn trimmed(digits: &str) -> &str {
    match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => digits,
    }
}

fn minus(digits: String) -> String {
    digits.replace('-', "−")
}

fn superscript(power: i32) -> String {
    let raised = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32(u32::from('⁰') + digit as u32 - u32::from('0')).unwrap_or(digit),
    };
    power.to_string().chars().map(raised).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(low: f64, high: f64, n_max: usize) -> String {
        Range::new(low, high).ticks(n_max).labels().join(" ")
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(0.0, 1.0, 6), "0 0.2 0.4 0.6 0.8 1.0");
        assert_eq!(labels(0.0, 100.0, 11), "0 10 20 30 40 50 60 70 80 90 100");
        assert_eq!(labels(0.0, 100.0, 10), "0 20 40 60 80 100");
        assert_eq!(labels(-7.0, 13.0, 5), "−5 0 5 10");
        assert_eq!(labels(0.31, 0.42, 6), "0.32 0.34 0.36 0.38 0.40 0.42");
        assert_eq!(labels(0.0, 250_000.0, 6), "0 50000 100000 150000 200000 250000");
    }

    #[test]
    fn huge_and_tiny_numbers_share_a_power_of_ten() {
        assert_eq!(labels(0.0, 1e9, 6), "0 0.2×10⁹ 0.4×10⁹ 0.6×10⁹ 0.8×10⁹ 1.0×10⁹");
        assert_eq!(labels(0.0, 3e-6, 4), "0 1×10⁻⁶ 2×10⁻⁶ 3×10⁻⁶");
        assert_eq!(labels(1e9, 1e9 + 4.0, 3), "1.000000000×10⁹ 1.000000002×10⁹ 1.000000004×10⁹");
        assert_eq!(labels(-1e12, 0.0, 3), "−1.0×10¹² −0.5×10¹² 0");
    }

    #[test]
    fn ranges_are_never_empty() {
        assert_eq!(Range::new(0.0, 0.0), Range { low: 0.0, high: 1.0 });
        assert_eq!(Range::new(-5.0, -5.0), Range { low: -5.5, high: -4.5 });
        assert_eq!(Range::of([f64::NAN, f64::INFINITY]), None);
        assert_eq!(Range::of([f64::NAN, 3.0, -1.0]), Some(Range { low: -1.0, high: 3.0 }));
        assert_eq!(Range::new(0.0, 0.43).rounded(6), Range { low: 0.0, high: 0.5 });
    }

    #[test]
    fn numbers_in_sentences() {
        let written = [0.0, 0.5, 0.123_456, 42.0, -1.25, 123_456.7, 1e9, 1.5e-7].map(short);
        assert_eq!(written.join(" "), "0 0.5 0.1235 42 −1.25 123457 1×10⁹ 1.5×10⁻⁷");
    }

    proptest! {
        #[test]
        fn ticks_lie_in_the_range_and_differ(
            mantissa in -1.0..1.0_f64, width in 0.0..1.0_f64, e in -99..99_i32, n_max in 2..12_usize,
        ) {
            let low = scaled(mantissa, e);
            let range = Range::new(low, low + scaled(width, e));
            let ticks = range.ticks(n_max);
            prop_assert!(ticks.values.len() <= n_max && !ticks.values.is_empty());
            prop_assert!(n_max < 5 || ticks.values.len() >= 2);
            let labels = ticks.labels();
            prop_assert!(labels.windows(2).all(|pair| pair[0] != pair[1]), "{labels:?}");
            let slack = ticks.step * 1e-6;
            let inside = |value: &f64| *value >= range.low - slack && *value <= range.high + slack;
            prop_assert!(ticks.values.iter().all(inside));
        }
    }
}
