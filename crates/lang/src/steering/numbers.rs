//! Exact numbers of a TOML file.

use punctual_model::lustre::Rational;
use toml::{Spanned, de::DeValue};

use crate::{
    diagnostic::{Diagnostic, Diagnostics},
    number::decimal,
    testing::table::{kind, span},
};

/// Digits that still leave room to compute with.
const DIGITS_MAX: u32 = 18;

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
    let most = 10_i128.pow(DIGITS_MAX);
    let fits = |it: &Rational| it.numer().abs() < most && *it.denom() <= most;
    let Some(number) = text.and_then(decimal).filter(fits) else {
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
