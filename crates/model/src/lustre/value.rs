//! Values and their types.

use std::fmt;

use crate::EnumId;

/// An exact real number.
pub type Rational = num_rational::Ratio<i128>;

/// What a scalar can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Truth.
    Bool,
    /// Whole numbers.
    Int,
    /// Real numbers.
    Real,
    /// One of the values of an enumeration.
    Enum(EnumId),
}

/// A value of a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Of `bool`.
    Bool(bool),
    /// Of `int`.
    Int(i64),
    /// Of `real`.
    Real(Rational),
    /// Of an enumeration: the position of the value.
    Enum(u32),
}

impl Value {
    /// False, zero, or the first value.
    #[must_use]
    pub fn zero(ty: Type) -> Value {
        match ty {
            Type::Bool => Value::Bool(false),
            Type::Int => Value::Int(0),
            Type::Real => Value::Real(Rational::from_integer(0)),
            Type::Enum(_) => Value::Enum(0),
        }
    }

    /// Truth.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Value::Bool(it) => Some(it),
            _ => None,
        }
    }

    /// A number as a rational: truth is 0 or 1, values of enumerations are their positions.
    #[must_use]
    pub fn as_rational(self) -> Rational {
        match self {
            Value::Bool(it) => Rational::from_integer(i128::from(it)),
            Value::Int(it) => Rational::from_integer(i128::from(it)),
            Value::Real(it) => it,
            Value::Enum(it) => Rational::from_integer(i128::from(it)),
        }
    }
}

/// As Lustre writes it, except values of enumerations, which are written as their position.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(it) => write!(f, "{it}"),
            Value::Int(it) => write!(f, "{it}"),
            Value::Real(it) if it.is_integer() => write!(f, "{}.0", it.numer()),
            Value::Real(it) => write!(f, "{}.0/{}.0", it.numer(), it.denom()),
            Value::Enum(it) => write!(f, "{it}"),
        }
    }
}
