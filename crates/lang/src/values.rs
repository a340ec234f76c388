//! Values as text and as JSON: of traces, suites, records and the wire.
//!
//! Truth is `true` or `false` (also `1` and `0`); a member of an enumeration is its name (also its
//! position); a real number is a decimal or a fraction (`1/3`). As JSON a real number is a number if it
//! has a short decimal, else a text; both are read exactly, up to the 17 digits that a JSON number has.

use punctual_model::{Rational, Value, ValueType};
use serde_json::{Number, Value as Json};

use crate::lustre::literal;
use crate::number::decimal;

/// The value of a type that a text stands for.
#[must_use]
pub fn read(ty: &ValueType, text: &str) -> Option<Value> {
    let text = text.trim();
    let value = match ty {
        ValueType::Bool => match text {
            "0" | "false" | "False" | "FALSE" => Value::Bool(false),
            "1" | "true" | "True" | "TRUE" => Value::Bool(true),
            _ => return None,
        },
        ValueType::Int { .. } => {
            let number = number(text).filter(Rational::is_integer)?;
            Value::Int(i64::try_from(number.to_integer()).ok()?)
        }
        ValueType::Real => Value::Real(number(text)?),
        ValueType::Enum(names) => {
            let named = names.iter().position(|name| name == text);
            // Where members are numbers, a number is one of them, and not a place.
            let has_places = || !names.iter().any(|name| number(name).is_some());
            let place = || text.parse().ok().filter(|place| *place < names.len() && has_places());
            let place = named.or_else(place)?;
            Value::Enum(u32::try_from(place).ok()?)
        }
    };
    ty.contains(value).then_some(value)
}

/// What values of a type look like, for messages.
#[must_use]
pub fn expected(ty: &ValueType) -> String {
    match ty {
        ValueType::Bool => "true or false".to_owned(),
        ValueType::Int { least: i64::MIN, greatest: i64::MAX } => {
            "a whole number of 64 bits".to_owned()
        }
        ValueType::Int { least, greatest } => format!("a whole number from {least} to {greatest}"),
        ValueType::Real => "a decimal number or a fraction".to_owned(),
        ValueType::Enum(names) => format!("one of {}", names.join(", ")),
    }
}

/// A value as text, which [`read`] reads back.
#[must_use]
pub fn text(ty: &ValueType, value: Value) -> String {
    match value {
        Value::Real(it) => real(it),
        _ => ty.text(value),
    }
}

/// A number with a sign, perhaps divided by another one. Exact.
#[must_use]
pub fn number(text: &str) -> Option<Rational> {
    if let Some((above, below)) = text.split_once('/') {
        // Both ends of a fraction may be longer than an exact decimal.
        let whole = |text: &str| {
            let number = text.parse::<i128>().ok().filter(|it| *it != i128::MIN);
            number.map(Rational::from_integer).or_else(|| decimal(text))
        };
        let (above, below) = (whole(above.trim())?, whole(below.trim())?);
        if below == Rational::from_integer(0) {
            return None;
        }
        return (*above.numer())
            .checked_mul(*below.denom())
            .zip(above.denom().checked_mul(*below.numer()))
            .map(|(above, below)| Rational::new(above, below));
    }
    decimal(text)
}

/// A real number: a decimal if it is one, else a fraction.
#[must_use]
pub fn real(value: Rational) -> String {
    literal::as_decimal(value).unwrap_or_else(|| value.to_string())
}

/// A value as JSON, which [`from_json`] reads back exactly.
#[must_use]
pub fn to_json(ty: &ValueType, value: Value) -> Json {
    match value {
        Value::Bool(it) => Json::Bool(it),
        Value::Int(it) => Json::from(it),
        Value::Real(it) => {
            let text = real(it);
            // A double shows the decimal that it was read from, if that is short enough.
            let double = text.parse::<f64>().ok().and_then(Number::from_f64);
            let same = |double: &Number| number(&double.to_string()) == Some(it);
            match double.filter(same) {
                Some(double) => Json::Number(double),
                None => Json::String(text),
            }
        }
        Value::Enum(_) => Json::String(ty.text(value)),
    }
}

/// The value of a type that JSON stands for; whole numbers stand for truth and members, too.
#[must_use]
pub fn from_json(ty: &ValueType, json: &Json) -> Option<Value> {
    match (ty, json) {
        (_, Json::String(text)) => read(ty, text),
        (ValueType::Bool, Json::Bool(it)) => Some(Value::Bool(*it)),
        (_, Json::Number(number)) => read(ty, &number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_read_back_exactly() {
        let names = ValueType::Enum(vec!["Idle".to_owned(), "On".to_owned()]);
        let real = |above, below| (ValueType::Real, Value::Real(Rational::new(above, below)));
        for (ty, value) in [
            (ValueType::Bool, Value::Bool(true)),
            (ValueType::INT, Value::Int(i64::MIN)),
            (names, Value::Enum(1)),
            real(1, 10),
            real(-7, 3),
            real(5, 1),
            real(123_456_789_012_345_678_901, 1_000),
            real(1, 1_000_000_000_000),
            real(-199_996_480_000_000_000_000_000_000_000_000_001, 10_i128.pow(36)),
        ] {
            let json = to_json(&ty, value);
            assert_eq!(from_json(&ty, &json), Some(value), "{json}");
            assert_eq!(read(&ty, &text(&ty, value)), Some(value));
        }
    }

    #[test]
    fn values_outside_of_their_type_are_none() {
        let small = ValueType::Int { least: 0, greatest: 9 };
        assert_eq!(read(&small, "9"), Some(Value::Int(9)));
        for wrong in ["10", "-1", "1.5", "x", ""] {
            assert_eq!(read(&small, wrong), None, "{wrong}");
        }
        assert_eq!(from_json(&ValueType::Bool, &Json::from(2)), None);
        assert_eq!(from_json(&ValueType::Real, &Json::Bool(true)), None);
    }
}
