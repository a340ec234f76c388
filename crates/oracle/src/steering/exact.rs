//! Sums of exact numbers that end at the largest one instead of overflowing.
//!
//! What is saturated is only ever compared: a dissimilarity of the largest number is not zero, and
//! a cost of the largest number is above every budget. So saturation never makes a pass of a fail.

use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, Signed, Zero};
use punctual_model::lustre::Rational;

/// The number that stands for everything larger.
fn most() -> Rational {
    Rational::from_integer(i128::MAX)
}

/// `a + b` of numbers that are not negative.
pub(super) fn sum(a: Rational, b: Rational) -> Rational {
    if a.is_integer() && b.is_integer() {
        // The common case, without looking for common divisors.
        return Rational::from_integer(a.numer().saturating_add(*b.numer()));
    }
    a.checked_add(&b).unwrap_or_else(most)
}

/// `a * b` of numbers that are not negative.
pub(super) fn product(a: Rational, b: Rational) -> Rational {
    if a.is_integer() && b.is_integer() {
        return Rational::from_integer(a.numer().saturating_mul(*b.numer()));
    }
    a.checked_mul(&b).unwrap_or_else(most)
}

/// `a / b` of numbers that are not negative, `b` not zero.
pub(super) fn quotient(a: Rational, b: Rational) -> Rational {
    if b == one() { a } else { a.checked_div(&b).unwrap_or_else(most) }
}

/// `|a - b|`.
pub(super) fn distance(a: Rational, b: Rational) -> Rational {
    if a.is_integer() && b.is_integer() {
        return Rational::from_integer(a.numer().saturating_sub(*b.numer()).saturating_abs());
    }
    a.checked_sub(&b).map_or_else(most, |it| it.abs())
}

/// `a - b`, or the largest number.
pub(super) fn difference(a: Rational, b: Rational) -> Rational {
    if a.is_integer() && b.is_integer() {
        return Rational::from_integer(a.numer().saturating_sub(*b.numer()));
    }
    a.checked_sub(&b).unwrap_or_else(most)
}

/// The greatest integer that is not greater.
pub(super) fn floor(it: Rational) -> i128 {
    it.numer().div_euclid(*it.denom())
}

/// The least integer that is not less.
pub(super) fn ceiling(it: Rational) -> i128 {
    let floor = floor(it);
    if it.is_integer() { floor } else { floor.saturating_add(1) }
}

/// Nothing.
pub(super) fn zero() -> Rational {
    Rational::zero()
}

/// One.
pub(super) fn one() -> Rational {
    Rational::from_integer(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_stays_the_largest() {
        assert_eq!(sum(most(), one()), most());
        assert_eq!(product(most(), Rational::from_integer(2)), most());
        assert_eq!(distance(Rational::from_integer(i128::MIN), most()), most());
        assert_eq!(sum(Rational::new(1, 3), Rational::new(2, 3)), one());
    }

    #[test]
    fn rounding_goes_down_and_up() {
        assert_eq!((floor(Rational::new(-3, 2)), ceiling(Rational::new(-3, 2))), (-2, -1));
        assert_eq!((floor(Rational::from_integer(4)), ceiling(Rational::from_integer(4))), (4, 4));
    }
}
