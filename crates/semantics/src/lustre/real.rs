//! Real numbers, exact or not.

use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, Zero};
use punctual_model::lustre::Rational;

/// How a program computes with reals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reals {
    /// With rational numbers. What does not fit 128 bits is a failure.
    #[default]
    Exact,
    /// With doubles. What is not finite is a failure, and there is one zero.
    Float,
}

/// Arithmetic without panics: `None` is a number that is too large.
pub(super) trait Real: Copy + PartialEq + PartialOrd {
    fn from_rational(it: Rational) -> Self;
    fn to_rational(self) -> Rational;
    fn from_int(it: i64) -> Self;
    fn is_zero(self) -> bool;
    fn neg(self) -> Option<Self>;
    fn add(self, other: Self) -> Option<Self>;
    fn sub(self, other: Self) -> Option<Self>;
    fn mul(self, other: Self) -> Option<Self>;
    /// The divisor is not zero.
    fn div(self, other: Self) -> Option<Self>;
    /// The greatest integer that is not greater.
    fn floor(self) -> Option<i64>;
}

impl Real for Rational {
    fn from_rational(it: Rational) -> Self {
        it
    }
    fn to_rational(self) -> Rational {
        self
    }
    fn from_int(it: i64) -> Self {
        Rational::from_integer(i128::from(it))
    }
    fn is_zero(self) -> bool {
        Zero::is_zero(&self)
    }
    fn neg(self) -> Option<Self> {
        // In lowest terms already.
        Some(Rational::new_raw(self.numer().checked_neg()?, *self.denom()))
    }
    fn add(self, other: Self) -> Option<Self> {
        self.checked_add(&other)
    }
    fn sub(self, other: Self) -> Option<Self> {
        self.checked_sub(&other)
    }
    fn mul(self, other: Self) -> Option<Self> {
        self.checked_mul(&other)
    }
    fn div(self, other: Self) -> Option<Self> {
        self.checked_div(&other)
    }
    fn floor(self) -> Option<i64> {
        i64::try_from(self.numer().div_euclid(*self.denom())).ok()
    }
}

/// A finite number; adding zero makes -0.0 the one zero.
fn finite(it: f64) -> Option<f64> {
    it.is_finite().then_some(it + 0.0)
}

impl Real for f64 {
    fn from_rational(it: Rational) -> Self {
        *it.numer() as f64 / *it.denom() as f64
    }
    fn to_rational(self) -> Rational {
        shortest(self)
    }
    fn from_int(it: i64) -> Self {
        it as f64
    }
    fn is_zero(self) -> bool {
        self == 0.0
    }
    fn neg(self) -> Option<Self> {
        finite(-self)
    }
    fn add(self, other: Self) -> Option<Self> {
        finite(self + other)
    }
    fn sub(self, other: Self) -> Option<Self> {
        finite(self - other)
    }
    fn mul(self, other: Self) -> Option<Self> {
        finite(self * other)
    }
    fn div(self, other: Self) -> Option<Self> {
        finite(self / other)
    }
    fn floor(self) -> Option<i64> {
        let floor = f64::floor(self);
        // 2^63 is a double, 2^63 - 1 is not.
        (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0)
            .contains(&floor)
            .then_some(floor as i64)
    }
}

/// The shortest decimal number that is read as this double: 1/10 rather than the 55 digits of what
/// a double makes of it. Beyond 128 bits, the nearest there is.
fn shortest(it: f64) -> Rational {
    let text = format!("{:e}", it.abs());
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let fraction = digits.split_once('.').map_or(0, |(_, it)| it.len());
    let mantissa = digits.chars().filter_map(|it| it.to_digit(10));
    let mantissa = mantissa.fold(0_i128, |sum, digit| sum * 10 + i128::from(digit));
    let exponent = exponent.parse::<i32>().unwrap_or(0) - i32::try_from(fraction).unwrap_or(0);
    let power = |exponent: i32| 10_i128.checked_pow(exponent.unsigned_abs());
    let abs = if exponent >= 0 {
        let numer = power(exponent).and_then(|it| it.checked_mul(mantissa));
        Rational::from_integer(numer.unwrap_or(i128::MAX))
    } else {
        match power(exponent) {
            Some(denom) => Rational::new(mantissa, denom),
            None => {
                // Fewer digits of the mantissa, as many as the greatest power of ten leaves.
                let dropped = exponent.unsigned_abs() - 38;
                let kept = 10_i128.checked_pow(dropped).map_or(0, |it| mantissa / it);
                Rational::new(kept, 10_i128.pow(38))
            }
        }
    };
    if it < 0.0 { -abs } else { abs }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_shown_as_the_shortest_decimal_and_come_back() {
        assert_eq!(shortest(0.1), Rational::new(1, 10));
        assert_eq!(shortest(-2.5), Rational::new(-5, 2));
        assert_eq!(shortest(0.0), Rational::from_integer(0));
        assert_eq!(shortest(1e30), Rational::from_integer(10_i128.pow(30)));
        assert_eq!(shortest(1e300), Rational::from_integer(i128::MAX));
        assert_eq!(shortest(1.25e-40), Rational::from_integer(0));
        assert_eq!(shortest(1.25e-37), Rational::new(12, 10_i128.pow(38)));
        for it in [0.1, 1.0 / 3.0, 123_456.789, 1e-7, 98_765_432.1] {
            assert_eq!(f64::from_rational(shortest(it)).to_bits(), it.to_bits());
        }
    }

    #[test]
    fn there_is_one_zero_and_nothing_infinite() {
        assert_eq!(Real::neg(0.0_f64).map(f64::to_bits), Some(0.0_f64.to_bits()));
        assert_eq!(Real::mul(-1.0_f64, 0.0).map(f64::to_bits), Some(0.0_f64.to_bits()));
        assert_eq!(Real::mul(1e200_f64, 1e200), None);
        assert_eq!(Real::floor(-0.5_f64), Some(-1));
        assert_eq!(Real::floor(1e19_f64), None);
    }

    /// The arithmetic of rationals reports what does not fit, also at the edges of 128 bits.
    #[test]
    fn rationals_never_panic() {
        let (min, max) = (i128::MIN, i128::MAX);
        let mut numbers = Vec::new();
        for numer in [min, min + 1, -1, 0, 1, 7, max - 1, max] {
            for denom in [1, 2, 3, 1 << 126, max - 1, max] {
                if numer != min {
                    numbers.push(Rational::new(numer, denom));
                } else if denom == 1 {
                    numbers.push(Rational::from_integer(min));
                }
            }
        }
        for &a in &numbers {
            let _ = (Real::neg(a), Real::floor(a), a < a);
            for &b in &numbers {
                let _ = (Real::add(a, b), Real::sub(a, b), Real::mul(a, b));
                assert_eq!(a < b, b > a);
                if !Real::is_zero(b) {
                    let _ = Real::div(a, b);
                }
            }
        }
    }
}
