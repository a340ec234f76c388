//! Values that go over the wire.

use serde_json::Value as Json;

/// A value that a tester and a system exchange.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A real number.
    Real(f64),
    /// A member of an enumeration by name, or an exact number as text (`1/3`).
    Text(String),
}

impl Value {
    /// The value as a whole number: truth is 0 or 1. None if it is no whole number.
    #[must_use]
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Bool(it) => Some((*it).into()),
            Value::Int(it) => Some(*it),
            Value::Real(it) if it.fract() == 0.0 && it.abs() < 9e15 => Some(*it as i64),
            Value::Real(_) => None,
            Value::Text(text) => text.parse().ok(),
        }
    }

    /// The value as truth: numbers are true unless they are 0. None for texts.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(it) => Some(*it),
            Value::Int(it) => Some(*it != 0),
            Value::Real(it) => Some(*it != 0.0),
            Value::Text(_) => None,
        }
    }

    /// The value as a number. Fractions as text are divided.
    #[must_use]
    pub fn as_real(&self) -> Option<f64> {
        match self {
            Value::Bool(it) => Some(u8::from(*it).into()),
            Value::Int(it) => Some(*it as f64),
            Value::Real(it) => Some(*it),
            Value::Text(text) => match text.split_once('/') {
                Some((above, below)) => {
                    Some(above.trim().parse::<f64>().ok()? / below.trim().parse::<f64>().ok()?)
                }
                None => text.parse().ok(),
            },
        }
    }

    pub(crate) fn of_json(json: &Json) -> Option<Value> {
        match json {
            Json::Bool(it) => Some(Value::Bool(*it)),
            Json::Number(it) => it.as_i64().map(Value::Int).or(it.as_f64().map(Value::Real)),
            Json::String(it) => Some(Value::Text(it.clone())),
            _ => None,
        }
    }

    pub(crate) fn to_json(&self) -> Json {
        match self {
            Value::Bool(it) => Json::from(*it),
            Value::Int(it) => Json::from(*it),
            Value::Real(it) => Json::from(*it),
            Value::Text(it) => Json::from(it.as_str()),
        }
    }
}

impl From<bool> for Value {
    fn from(it: bool) -> Value {
        Value::Bool(it)
    }
}

impl From<i32> for Value {
    fn from(it: i32) -> Value {
        Value::Int(it.into())
    }
}

impl From<i64> for Value {
    fn from(it: i64) -> Value {
        Value::Int(it)
    }
}

impl From<f64> for Value {
    fn from(it: f64) -> Value {
        Value::Real(it)
    }
}

impl From<&str> for Value {
    fn from(it: &str) -> Value {
        Value::Text(it.to_owned())
    }
}
