//! Types while a network is built: all ranges and sizes are numbers already.

use std::{fmt, rc::Rc};

use punctual_model::{self as model, Number, Range};

use crate::uppaal::ast::Prefixes;

/// The type of an expression or a declaration.
#[derive(Clone, Debug)]
pub(super) enum Type {
    /// Something was wrong, and was reported; it fits everywhere.
    Error,
    Void,
    Int(Range),
    Bool,
    Double,
    Str,
    Clock {
        hybrid: bool,
    },
    Channel {
        urgent: bool,
        broadcast: bool,
    },
    Scalar(ScalarSet),
    Array(Rc<ArrayType>),
    Struct(Rc<StructType>),
    /// A truth value that depends on clocks.
    Formula,
    /// Arithmetic over clocks, such as `x - y`.
    ClockValue,
    /// `x'`
    Rate,
}

/// A scalar set: every declaration makes a different one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ScalarSet {
    pub(super) id: u32,
    pub(super) size: u32,
}

#[derive(Debug)]
pub(super) struct ArrayType {
    pub(super) lo: i32,
    pub(super) len: u32,
    /// The scalar set that indexes it, if one does.
    pub(super) scalar: Option<ScalarSet>,
    pub(super) element: Type,
    /// The memory of one element.
    pub(super) stride: Layout,
}

#[derive(Debug)]
pub(super) struct StructType {
    pub(super) fields: Vec<(String, Type)>,
    /// How many fields it has with all that is nested in it, at most [`PARTS_MAX`].
    pub(super) parts: u32,
}

/// How many slots of each memory a value takes, or where it starts in each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Layout {
    pub(super) ints: u32,
    pub(super) doubles: u32,
    pub(super) clocks: u32,
    pub(super) channels: u32,
}

/// No model may have more slots of one kind than this: an array that asks for more is a mistake.
pub(super) const SLOTS_MAX: u32 = 1 << 24;
/// Nor more clocks or channels than this: each has a name.
pub(super) const LEAVES_MAX: u32 = 1 << 18;

/// Nor may a structure have more fields than this, nested ones included: types are walked as trees, and a chain of types that each have two
/// fields of the one before doubles with each link.
pub(super) const PARTS_MAX: u32 = 1024;

impl Layout {
    const fn of(ints: u32, doubles: u32, clocks: u32, channels: u32) -> Self {
        Self { ints, doubles, clocks, channels }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            ints: self.ints.saturating_add(other.ints),
            doubles: self.doubles.saturating_add(other.doubles),
            clocks: self.clocks.saturating_add(other.clocks),
            channels: self.channels.saturating_add(other.channels),
        }
    }

    pub(super) fn times(self, count: u32) -> Self {
        Self {
            ints: self.ints.saturating_mul(count),
            doubles: self.doubles.saturating_mul(count),
            clocks: self.clocks.saturating_mul(count),
            channels: self.channels.saturating_mul(count),
        }
    }

    pub(super) fn is_too_large(self) -> bool {
        self.ints.max(self.doubles) > SLOTS_MAX || self.clocks.max(self.channels) > LEAVES_MAX
    }
}

impl Type {
    /// Any integer: the type of arithmetic.
    pub(super) const INT: Self = Self::Int(Range::ALL);

    pub(super) fn is_error(&self) -> bool {
        matches!(self, Self::Error)
    }

    /// Integers and Booleans, which convert freely.
    pub(super) fn is_integral(&self) -> bool {
        matches!(self, Self::Int(_) | Self::Bool)
    }

    /// Integers, Booleans and doubles.
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Int(_) | Self::Bool | Self::Double)
    }

    pub(super) fn is_clock(&self) -> bool {
        matches!(self, Self::Clock { .. })
    }

    /// Clocks and arithmetic over them.
    pub(super) fn is_clock_value(&self) -> bool {
        matches!(self, Self::Clock { .. } | Self::ClockValue)
    }

    /// What can be tested.
    pub(super) fn is_truth(&self) -> bool {
        matches!(self, Self::Int(_) | Self::Bool | Self::Formula | Self::Error)
    }

    /// Whole arrays and structures.
    pub(super) fn is_composite(&self) -> bool {
        matches!(self, Self::Array(_) | Self::Struct(_))
    }

    /// The type of the innermost elements of an array; itself otherwise.
    pub(super) fn leaf(&self) -> &Self {
        match self {
            Self::Array(array) => array.element.leaf(),
            ty => ty,
        }
    }

    /// A named type of channels or clocks, with what stands before its name.
    pub(super) fn prefixed(self, prefixes: Prefixes) -> Self {
        match self {
            Self::Channel { urgent, broadcast } => Self::Channel {
                urgent: urgent || prefixes.urgent,
                broadcast: broadcast || prefixes.broadcast,
            },
            Self::Clock { hybrid } => Self::Clock { hybrid: hybrid || prefixes.hybrid },
            Self::Array(array) => Self::Array(Rc::new(ArrayType {
                element: array.element.clone().prefixed(prefixes),
                ..*array
            })),
            ty => ty,
        }
    }

    /// The memory it takes.
    pub(super) fn layout(&self) -> Layout {
        match self {
            Self::Int(_) | Self::Bool | Self::Scalar(_) => Layout::of(1, 0, 0, 0),
            Self::Double => Layout::of(0, 1, 0, 0),
            Self::Clock { .. } => Layout::of(0, 0, 1, 0),
            Self::Channel { .. } => Layout::of(0, 0, 0, 1),
            Self::Array(array) => array.stride.times(array.len),
            Self::Struct(fields) => fields
                .fields
                .iter()
                .fold(Layout::default(), |sum, (_, field)| sum.plus(field.layout())),
            Self::Error
            | Self::Void
            | Self::Str
            | Self::Formula
            | Self::ClockValue
            | Self::Rate => Layout::default(),
        }
    }

    /// How many fields it has, nested ones included.
    pub(super) fn parts(&self) -> u32 {
        match self.leaf() {
            Self::Struct(fields) => fields.parts,
            _ => 1,
        }
    }

    /// The kind of number it is computed with.
    pub(super) fn number(&self) -> Number {
        match self {
            Self::Double | Self::Clock { .. } | Self::ClockValue | Self::Rate => Number::Double,
            Self::Array(array) => array.element.number(),
            Self::Struct(fields) => {
                let mut kinds = fields.fields.iter().map(|(_, field)| field.number());
                kinds.next().unwrap_or(Number::Int)
            }
            _ => Number::Int,
        }
    }

    /// What a scalar integer may hold.
    pub(super) fn range(&self) -> Range {
        match self {
            Self::Int(range) => *range,
            Self::Bool => Range::BOOL,
            Self::Scalar(set) => Range { lo: 0, hi: set.size as i32 - 1 },
            _ => Range::ALL,
        }
    }

    /// The values it ranges over, if it is bounded: for selects, quantifiers and indices.
    pub(super) fn values(&self) -> Option<Range> {
        match self {
            Self::Int(range) if *range != Range::ALL && *range != Range::INT => Some(*range),
            Self::Bool | Self::Scalar(_) => Some(self.range()),
            _ => None,
        }
    }

    /// The field of a structure: its offset and its type.
    pub(super) fn field(&self, name: &str) -> Option<(Layout, &Self)> {
        let Self::Struct(fields) = self else { return None };
        let mut offset = Layout::default();
        for (field, ty) in &fields.fields {
            if field == name {
                return Some((offset, ty));
            }
            offset = offset.plus(ty.layout());
        }
        None
    }

    /// Whether values of one can be copied to the other as a whole, or referred to as it.
    pub(super) fn same_shape(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Error, _) | (_, Self::Error) => true,
            (Self::Int(_) | Self::Bool, Self::Int(_) | Self::Bool)
            | (Self::Double, Self::Double)
            | (Self::Str, Self::Str)
            | (Self::Clock { .. }, Self::Clock { .. }) => true,
            (Self::Channel { broadcast: a, .. }, Self::Channel { broadcast: b, .. }) => a == b,
            (Self::Scalar(a), Self::Scalar(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => {
                Rc::ptr_eq(a, b)
                    || (a.len == b.len && a.scalar == b.scalar && a.element.same_shape(&b.element))
            }
            (Self::Struct(a), Self::Struct(b)) => {
                Rc::ptr_eq(a, b)
                    || (a.fields.len() == b.fields.len()
                        && a.fields.iter().zip(&b.fields).all(
                            |((name_a, ty_a), (name_b, ty_b))| {
                                name_a == name_b && ty_a.same_shape(ty_b)
                            },
                        ))
            }
            _ => false,
        }
    }

    /// Whether every value of `other` is one of this type, leaf by leaf: then a composite value
    /// can be copied without a check.
    pub(super) fn holds_all_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Array(a), Self::Array(b)) => a.element.holds_all_of(&b.element),
            (Self::Struct(a), Self::Struct(b)) => {
                a.fields.iter().zip(&b.fields).all(|((_, a), (_, b))| a.holds_all_of(b))
            }
            (Self::Int(_) | Self::Bool, Self::Int(_) | Self::Bool) => {
                let (a, b) = (self.range(), other.range());
                a.lo <= b.lo && b.hi <= a.hi
            }
            _ => true,
        }
    }

    /// For people and for access by name. Channels and what is not stored have none.
    pub(super) fn to_model(&self) -> Option<model::Type> {
        Some(match self {
            Self::Int(range) => model::Type::Int(*range),
            Self::Bool => model::Type::Bool,
            Self::Double => model::Type::Double,
            Self::Clock { .. } => model::Type::Clock,
            Self::Scalar(set) => model::Type::Scalar { size: set.size },
            Self::Array(array) => model::Type::Array {
                lo: array.lo,
                len: array.len,
                element: Box::new(array.element.to_model()?),
            },
            Self::Struct(fields) => model::Type::Struct(
                fields
                    .fields
                    .iter()
                    .map(|(name, ty)| Some(model::Field { name: name.clone(), ty: ty.to_model()? }))
                    .collect::<Option<_>>()?,
            ),
            _ => return None,
        })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error => f.write_str("unknown type"),
            Self::Void => f.write_str("void"),
            Self::Int(range) if *range == Range::ALL || *range == Range::INT => f.write_str("int"),
            Self::Int(range) => write!(f, "int[{},{}]", range.lo, range.hi),
            Self::Bool => f.write_str("bool"),
            Self::Double => f.write_str("double"),
            Self::Str => f.write_str("string"),
            Self::Clock { hybrid: false } => f.write_str("clock"),
            Self::Clock { hybrid: true } => f.write_str("hybrid clock"),
            Self::Channel { urgent, broadcast } => {
                f.write_str(if *urgent { "urgent " } else { "" })?;
                f.write_str(if *broadcast { "broadcast " } else { "" })?;
                f.write_str("chan")
            }
            Self::Scalar(set) => write!(f, "scalar[{}]", set.size),
            Self::Array(_) => {
                let mut element = self;
                let mut sizes = String::new();
                while let Self::Array(array) = element {
                    sizes += &format!("[{}]", array.len);
                    element = &array.element;
                }
                write!(f, "{element}{sizes}")
            }
            Self::Struct(fields) => {
                f.write_str("struct { ")?;
                for (name, ty) in &fields.fields {
                    let mut element = ty;
                    let mut sizes = String::new();
                    while let Self::Array(array) = element {
                        sizes += &format!("[{}]", array.len);
                        element = &array.element;
                    }
                    write!(f, "{element} {name}{sizes}; ")?;
                }
                f.write_str("}")
            }
            Self::Formula => f.write_str("clock constraint"),
            Self::ClockValue => f.write_str("clock expression"),
            Self::Rate => f.write_str("clock rate"),
        }
    }
}
