//! The types of scalars of a program.

use super::{Rational, Value};
use crate::EnumId;

/// What a scalar can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Truth values.
    Bool,
    /// Whole numbers.
    Int,
    /// Real numbers.
    Real,
    /// One of the values of an enumeration.
    Enum(EnumId),
}

impl Value {
    /// False, zero, or the first value of an enumeration.
    #[must_use]
    pub fn zero(ty: Type) -> Value {
        match ty {
            Type::Bool => Value::Bool(false),
            Type::Int => Value::Int(0),
            Type::Real => Value::Real(Rational::from_integer(0)),
            Type::Enum(_) => Value::Enum(0),
        }
    }
}
