//! Numbers as they are written.

use punctual_model::lustre::{Rational, Value};

use super::{
    ast::{Binary, Ex, ExKind},
    check::Checked,
};
use crate::number::decimal;

/// The value of a number; none if it is too large or too fine.
pub(super) fn value(text: &str) -> Option<Value> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok().map(Value::Int);
    }
    decimal(text).map(Value::Real)
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
