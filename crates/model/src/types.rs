//! Types of variables after all their bounds are known.

/// An inclusive range of integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Range {
    /// The smallest value.
    pub lo: i32,
    /// The largest value; not below `lo`.
    pub hi: i32,
}

impl Range {
    /// What a plain `int` holds in UPPAAL: sixteen bits.
    pub const INT: Self = Self { lo: -32768, hi: 32767 };
    /// Every 32-bit integer: constants and intermediate values.
    pub const ALL: Self = Self { lo: i32::MIN, hi: i32::MAX };
    /// A Boolean.
    pub const BOOL: Self = Self { lo: 0, hi: 1 };

    /// Whether the value lies in the range.
    pub fn contains(self, value: i32) -> bool {
        self.lo <= value && value <= self.hi
    }

    /// How many values the range has.
    pub fn len(self) -> u64 {
        (i64::from(self.hi) - i64::from(self.lo) + 1).max(0) as u64
    }

    /// Whether no value lies in the range.
    pub fn is_empty(self) -> bool {
        self.lo > self.hi
    }
}

/// The type of a variable, for people and for access by name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Type {
    /// An integer within a range.
    Int(Range),
    /// A Boolean, stored as 0 or 1.
    Bool,
    /// A floating-point number.
    Double,
    /// A clock.
    Clock,
    /// A value of a scalar set; the values are 0 to size - 1.
    Scalar {
        /// The number of values.
        size: u32,
    },
    /// An array, indexed from `lo`.
    Array {
        /// The smallest index.
        lo: i32,
        /// The number of elements.
        len: u32,
        /// The type of the elements.
        element: Box<Type>,
    },
    /// A structure.
    Struct(Vec<Field>),
}

/// A field of a structure.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// Which memory a variable lives in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Storage {
    /// Never changes: tables that are indexed while the model runs.
    Constant,
    /// Part of the state.
    State,
    /// Not part of the state: meaningful inside one transition only.
    Meta,
    /// A slot of the surrounding [`Frame`](crate::Frame): parameters and locals of functions,
    /// selected and quantified values.
    Local,
}
