//! The one kind of value: of variables of synchronous programs, and of everything that is exchanged
//! with a system.

use std::fmt;

/// An exact real number.
pub type Rational = num_rational::Ratio<i128>;

/// A value of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A real number, exactly.
    Real(Rational),
    /// A member of an enumeration: its position among the members, from 0.
    Enum(u32),
}

/// What a value of an interface can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// True or false.
    Bool,
    /// A whole number from `least` to `greatest`.
    Int {
        /// The least value that is allowed.
        least: i64,
        /// The greatest value that is allowed.
        greatest: i64,
    },
    /// An exact real number.
    Real,
    /// One of these members, by name.
    Enum(Vec<String>),
}

impl ValueType {
    /// Any whole number of 64 bits.
    pub const INT: ValueType = ValueType::Int { least: i64::MIN, greatest: i64::MAX };

    /// Whether a value is of this type and within its range.
    #[must_use]
    pub fn contains(&self, value: Value) -> bool {
        match (self, value) {
            (ValueType::Bool, Value::Bool(_)) | (ValueType::Real, Value::Real(_)) => true,
            (ValueType::Int { least, greatest }, Value::Int(it)) => {
                (*least..=*greatest).contains(&it)
            }
            (ValueType::Enum(names), Value::Enum(at)) => (at as usize) < names.len(),
            _ => false,
        }
    }

    /// The value that an integer of a network stands for. Members of an enumeration are counted from
    /// 0; a negative number is the first one.
    #[must_use]
    pub fn of_int(&self, it: i32) -> Value {
        match self {
            ValueType::Bool => Value::Bool(it != 0),
            ValueType::Int { .. } => Value::Int(it.into()),
            ValueType::Real => Value::Real(Rational::from_integer(it.into())),
            ValueType::Enum(_) => Value::Enum(u32::try_from(it).unwrap_or(0)),
        }
    }

    /// The text of a value: members of an enumeration have their names, fractions are `1/3`.
    #[must_use]
    pub fn text(&self, value: Value) -> String {
        match (self, value) {
            (ValueType::Enum(names), Value::Enum(at)) => match names.get(at as usize) {
                Some(name) => name.clone(),
                None => at.to_string(),
            },
            (_, Value::Real(it)) => it.to_string(),
            _ => value.to_string(),
        }
    }
}

impl From<i32> for Value {
    fn from(it: i32) -> Value {
        Value::Int(it.into())
    }
}

impl Value {
    /// The integer of a network that the value is: truth is 0 or 1, members of enumerations are their
    /// positions. None if it is no whole number of 32 bits.
    #[must_use]
    pub fn as_slot(self) -> Option<i32> {
        match self {
            Value::Bool(it) => Some(it.into()),
            Value::Int(it) => i32::try_from(it).ok(),
            Value::Real(it) if it.is_integer() => i32::try_from(*it.numer()).ok(),
            Value::Real(_) => None,
            Value::Enum(it) => i32::try_from(it).ok(),
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
