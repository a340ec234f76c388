//! What is said beside texts, domain model and constraints.

use std::collections::BTreeMap;

use crate::{AttributeId, ClassId, Value};

/// What `usecases.toml` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Names that the text uses, with the names that the domain model has for the same.
    pub names: BTreeMap<String, String>,
    /// Time units of the model from the begin of one scenario to the begin of the next; none if nothing is said.
    pub period: Option<u64>,
    /// How long a time unit of the model takes, in nanoseconds; none if nothing is said.
    pub unit_ns: Option<u64>,
    /// The attributes that checks may read; none if all may be read.
    pub observable: Option<Vec<AttributeOf>>,
    /// What is said of single attributes.
    pub attributes: BTreeMap<AttributeOf, AttributeSettings>,
    /// The lints that are off, by name.
    pub lints_off: Vec<String>,
}

/// An attribute of the objects of a class, and of those of its subclasses. The class may have inherited the attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttributeOf {
    /// The class of the objects.
    pub class: ClassId,
    /// The attribute.
    pub attribute: AttributeId,
}

/// What is said of an attribute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttributeSettings {
    /// The least and the greatest value of inputs, as numbers of the attribute's type.
    pub range: Option<(Value, Value)>,
    /// Values that are taken if they are possible, the first that is.
    pub preferred: Vec<Value>,
    /// A real number that is state is kept as a whole number of so many parts.
    pub scale: Option<u32>,
}
