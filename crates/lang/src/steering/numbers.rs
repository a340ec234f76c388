//! Exact numbers of a TOML file.

use punctual_model::lustre::Rational;
use toml::{Spanned, de::DeValue};

use crate::{
    diagnostic::{Diagnostic, Diagnostics},
    testing::table::{kind, span},
};

/// Digits that still leave room to compute with.
const DIGITS_MAX: usize = 18;

/// `-12`, `0.25`: exact, without exponents.
pub(super) fn decimal(text: &str) -> Option<Rational> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(part) {
        return None;
    }
    if whole.len() + part.len() > DIGITS_MAX {
        return None;
    }
    let number: i128 = format!("{whole}{part}").parse().ok()?;
    let scale = 10_i128.checked_pow(u32::try_from(part.len()).ok()?)?;
    let sign = if text.starts_with('-') { -1 } else { 1 };
    Some(Rational::new(sign * number, scale))
}

/// A number; says what is wrong if it is none, or less than `least`.
pub(crate) fn number(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    least: Option<i128>,
    diagnostics: &mut Diagnostics,
) -> Option<Rational> {
    let text = match value.get_ref() {
        DeValue::Integer(it) => Some(it.as_str()).filter(|_| it.radix() == 10),
        DeValue::Float(it) => Some(it.as_str()),
        other => {
            let message = format!("`{key}` must be a number, not {}", kind(other));
            diagnostics.push(Diagnostic::error("toml::type", span(value), message));
            return None;
        }
    };
    let Some(number) = text.and_then(decimal) else {
        let message = format!("`{key}` must be a decimal number with at most {DIGITS_MAX} digits");
        diagnostics.push(Diagnostic::error("toml::number", span(value), message));
        return None;
    };
    if let Some(least) = least.filter(|least| number < Rational::from_integer(*least)) {
        let message = format!("`{key}` must be at least {least}");
        diagnostics.push(Diagnostic::error("toml::range", span(value), message));
        return None;
    }
    Some(number)
}

/// Two numbers, the lesser first.
pub(super) fn range(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    diagnostics: &mut Diagnostics,
) -> Option<(Rational, Rational)> {
    if let DeValue::Array(items) = value.get_ref()
        && let [low, high] = items.iter().collect::<Vec<_>>()[..]
    {
        let low = number(key, low, None, diagnostics)?;
        let high = number(key, high, None, diagnostics)?;
        if low <= high {
            return Some((low, high));
        }
    }
    let message = format!("`{key}` must be the least and the greatest value");
    let help = format!("write `{key} = [-1, 2]`");
    diagnostics.push(Diagnostic::error("toml::window", span(value), message).help(help));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        assert_eq!(decimal("-0.25"), Some(Rational::new(-1, 4)));
        assert_eq!(decimal("+12"), Some(Rational::from_integer(12)));
        for wrong in ["", "-", "1e3", "nan", "1_000_0x", ".5", "1234567890123456789"] {
            assert_eq!(decimal(wrong), None, "{wrong}");
        }
    }
}
