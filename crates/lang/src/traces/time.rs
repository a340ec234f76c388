//! Times of other tools, exactly.

use punctual_model::TimeScale;

use super::error::excerpt;
use crate::number::Decimal;

/// What a time of a file counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// `s`
    Seconds,
    /// `ms`
    Milliseconds,
    /// `us`
    Microseconds,
    /// `ns`
    Nanoseconds,
    /// `units`: time units of the model.
    Model,
}

impl Unit {
    /// All units, by their names.
    pub const ALL: [(&'static str, Unit); 5] = [
        ("s", Unit::Seconds),
        ("ms", Unit::Milliseconds),
        ("us", Unit::Microseconds),
        ("ns", Unit::Nanoseconds),
        ("units", Unit::Model),
    ];

    /// The unit with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, unit)| unit)
    }

    /// How long it is.
    pub(crate) fn ns(self, scale: TimeScale) -> u64 {
        match self {
            Unit::Seconds => 1_000_000_000,
            Unit::Milliseconds => 1_000_000,
            Unit::Microseconds => 1_000,
            Unit::Nanoseconds => 1,
            Unit::Model => scale.unit_ns,
        }
    }
}

/// More digits than this say nothing about a time.
const DIGITS_MAX: usize = 36;

/// A decimal number of units as the nanoseconds between which it lies: twice the same, if it is
/// one of them.
///
/// The number may have a fraction and an exponent, as in JSON.
pub(super) fn nanoseconds(text: &str, unit_ns: u64) -> Result<(u64, u64), String> {
    let text = text.trim();
    let wrong = || match text.starts_with('-') {
        true => format!("a time can not be negative, found `{}`", excerpt(text)),
        false => format!("expected a time such as 12 or 1.5, found `{}`", excerpt(text)),
    };
    let too_large = || format!("`{}` is beyond the 584 years that can be counted", excerpt(text));
    let is_plain = text.starts_with(|c: char| c.is_ascii_digit())
        && !text.split(['e', 'E']).next().is_some_and(|it| it.ends_with('.'));
    let Decimal { digits, exponent: scale, .. } =
        Decimal::parse(text).filter(|_| is_plain).ok_or_else(wrong)?;
    if digits.is_empty() {
        return Ok((0, 0));
    }
    if digits.len() as i64 + scale > 20 {
        return Err(too_large());
    }
    if digits.len() as i64 + scale < -19 {
        // Less than the smallest part of any unit, but not nothing.
        return Ok((0, 1));
    }
    // Digits that can not matter are cut off; that something was there is not forgotten.
    let kept = &digits[..digits.len().min(DIGITS_MAX)];
    let mut is_inexact = digits[kept.len()..].bytes().any(|byte| byte != b'0');
    let mut scale = scale + (digits.len() - kept.len()) as i64;
    let mut number: u128 = kept.parse().map_err(|_| wrong())?;
    let unit = u128::from(unit_ns);
    while scale > 0 {
        number = number.checked_mul(10).ok_or_else(too_large)?;
        scale -= 1;
    }
    // Both factors are divided by ten as long as there is something to divide, so that the product
    // fits: a number of 36 digits has a scale below -15, or it was refused.
    let mut divisor: u128 = 1;
    while scale < 0 {
        match divisor.checked_mul(10).filter(|_| number.checked_mul(unit).is_some()) {
            Some(next) => divisor = next,
            None => {
                is_inexact |= !number.is_multiple_of(10);
                number /= 10;
            }
        }
        scale += 1;
    }
    let product = number.checked_mul(unit).ok_or_else(too_large)?;
    is_inexact |= !product.is_multiple_of(divisor);
    let from = u64::try_from(product / divisor).map_err(|_| too_large())?;
    let to = from.checked_add(u64::from(is_inexact)).ok_or_else(too_large)?;
    Ok((from, to))
}

#[cfg(test)]
mod tests {
    use super::nanoseconds;

    #[test]
    fn decimals_are_exact() {
        let second = 1_000_000_000;
        assert_eq!(nanoseconds("1.5", second), Ok((1_500_000_000, 1_500_000_000)));
        assert_eq!(nanoseconds("0.1", second), Ok((100_000_000, 100_000_000)));
        assert_eq!(nanoseconds("12345678901.123456789", 1), Ok((12_345_678_901, 12_345_678_902)));
        assert_eq!(nanoseconds("1e3", 1_000), Ok((1_000_000, 1_000_000)));
        assert_eq!(nanoseconds("2.5E-3", second), Ok((2_500_000, 2_500_000)));
        assert_eq!(nanoseconds("0", second), Ok((0, 0)));
        assert_eq!(nanoseconds("0e99", second), Ok((0, 0)));
        assert_eq!(nanoseconds("1e-99", second), Ok((0, 1)));
        assert_eq!(nanoseconds("0.333333333333333333333333333333333333333333", 3), Ok((0, 1)));
        assert_eq!(nanoseconds("1.0000000000000000000000000000000000000000001", 3), Ok((3, 4)));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "-1", "+1", "1.", ".5", "1,5", "0x1", "NaN", "1e", "1e9999999999", "1 2"] {
            assert!(nanoseconds(text, 1_000).is_err(), "{text}");
        }
        assert!(nanoseconds("99999999999999999999", 1).is_err());
        assert!(nanoseconds("1e25", 1).is_err());
    }
}
