//! Numbers as they are written.

use punctual_model::lustre::{Rational, Value};

use super::{
    ast::{Binary, Ex, ExKind},
    check::Checked,
};

/// The most digits that a number may have, so that it and its neighbours stay exact.
const DIGITS_MAX: usize = 36;

/// The value of a number; none if it is too large or too fine.
pub(super) fn value(text: &str) -> Option<Value> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok().map(Value::Int);
    }
    decimal(text).map(Value::Real)
}

/// A number with a fraction or an exponent.
pub(crate) fn decimal(text: &str) -> Option<Rational> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{}{fraction}", whole.trim_start_matches('0'));
    if digits.len() > DIGITS_MAX || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    let shift = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    if number == 0 {
        return Some(Rational::from_integer(0));
    }
    if shift.unsigned_abs() as usize > DIGITS_MAX {
        return None;
    }
    let scale = 10_i128.pow(shift.unsigned_abs());
    match shift >= 0 {
        true => number.checked_mul(scale).map(Rational::from_integer),
        false => Some(Rational::new(number, scale)),
    }
}

/// A real number as a decimal, if it has an end that is not far away.
pub(crate) fn as_decimal(value: Rational) -> Option<String> {
    let (numer, denom) = (*value.numer(), *value.denom());
    let mut scale: i128 = 1;
    let mut digits = 0;
    while scale % denom != 0 {
        scale = scale.checked_mul(10)?;
        digits += 1;
        if digits > 20 {
            return None;
        }
    }
    let scaled = numer.unsigned_abs().checked_mul((scale / denom).unsigned_abs())?;
    let (whole, fraction) = (scaled / scale.unsigned_abs(), scaled % scale.unsigned_abs());
    let sign = if numer < 0 { "-" } else { "" };
    Some(match digits {
        0 => format!("{sign}{whole}.0"),
        digits => format!("{sign}{whole}.{fraction:0digits$}"),
    })
}

/// The negative of an operand that is a number: the least integer has no positive counterpart.
pub(super) fn negated(checked: &Checked<'_>, operand: Ex) -> Option<Value> {
    let text = &checked.text[checked.ast.span(operand).range()];
    match checked.ast.kind(operand) {
        ExKind::Int => format!("-{text}").parse().ok().map(Value::Int),
        ExKind::Decimal => match value(text)? {
            Value::Real(it) => Some(Value::Real(-it)),
            _ => None,
        },
        _ => None,
    }
}

/// Exact arithmetic on constants.
pub(super) fn rational(op: Binary, a: Rational, b: Rational) -> Result<Value, &'static str> {
    const LIMIT: i128 = 1 << 62;
    let small = |it: &Rational| it.numer().abs() < LIMIT && *it.denom() < LIMIT;
    if !small(&a) || !small(&b) {
        return Err("has too many digits");
    }
    Ok(Value::Real(match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div if b == Rational::from_integer(0) => return Err("divides by zero"),
        Binary::Div => a / b,
        _ => return Err("is not a constant"),
    }))
}
