//! Decimal numbers as people and tools write them, read exactly.
//!
//! [`Decimal`] is a number as it is written, however long; [`decimal`] and [`Decimal::exact`] are its
//! value where that leaves room to compute with.
//!
//! Not here: where a number stands. Callers know its place and say what is wrong with it.

use punctual_model::lustre::Rational;

/// The most digits that an exact number may have, so that it and its neighbours stay exact.
const DIGITS_MAX: usize = 36;

/// A decimal number: `digits` times ten to the power of `exponent`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decimal {
    /// Whether there is a minus before it.
    pub is_negative: bool,
    /// Its digits without zeros before them; empty for zero.
    pub digits: String,
    /// How far the point is from the end of the digits.
    pub exponent: i64,
}

impl Decimal {
    /// Reads `12`, `-0.25`, `+.5`, `1.` or `2.5e-3`: a sign, digits, a point and an exponent, of which
    /// only a digit must be there.
    #[must_use]
    pub fn parse(text: &str) -> Option<Decimal> {
        let number = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (mantissa, exponent) = match number.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (number, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let written = format!("{whole}{fraction}");
        if written.is_empty() || !written.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let fraction = fraction.trim_end_matches('0');
        let digits = format!("{whole}{fraction}").trim_start_matches('0').to_owned();
        let exponent = i64::from(exponent) - i64::try_from(fraction.len()).ok()?;
        Some(Decimal { is_negative: text.starts_with('-'), digits, exponent })
    }

    /// Its value; none if it is too large or too fine to compute with.
    #[must_use]
    pub fn exact(&self) -> Option<Rational> {
        if self.digits.is_empty() {
            return Some(Rational::from_integer(0));
        }
        let shift = self.exponent.unsigned_abs();
        if self.digits.len() > DIGITS_MAX || shift > DIGITS_MAX as u64 {
            return None;
        }
        let number: i128 = self.digits.parse().ok()?;
        let number = if self.is_negative { -number } else { number };
        let scale = 10_i128.pow(u32::try_from(shift).ok()?);
        match self.exponent >= 0 {
            true => number.checked_mul(scale).map(Rational::from_integer),
            false => Some(Rational::new(number, scale)),
        }
    }
}

/// The value of a decimal number; none if it is no number, or too large or too fine.
#[must_use]
pub fn decimal(text: &str) -> Option<Rational> {
    Decimal::parse(text)?.exact()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        for (text, numer, denom) in [
            ("-0.25", -1, 4),
            ("+12", 12, 1),
            (".5", 1, 2),
            ("1.", 1, 1),
            ("1e3", 1000, 1),
            ("2.5E-3", 1, 400),
            ("0.10", 1, 10),
            ("000", 0, 1),
            ("0e999", 0, 1),
        ] {
            assert_eq!(decimal(text), Some(Rational::new(numer, denom)), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_or_does_not_fit_has_no_value() {
        let long = "1".repeat(37);
        for text in [
            "", "-", ".", "+-1", "1e", "0x1", "1.2.3", "1_000", " 1", "nan", "1e40", "1e-40", &long,
        ] {
            assert_eq!(decimal(text), None, "{text}");
        }
        assert_eq!(Decimal::parse(&long).map(|it| it.digits), Some(long));
    }
}
