//! Places while a network is built: where something is stored, of any type.
//!
//! A place has a start in each memory (integers, doubles, clocks, channels), because a structure
//! may mix them; its leaves use one of them.

use punctual_model::{
    ChannelRef, ClockRef, Expr, Id, Index, Indexed, Number, Place as NumberPlace, Storage,
};

use super::types::{Layout, Type};

#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) ty: Type,
    pub(super) storage: Storage,
    pub(super) base: Layout,
    pub(super) indices: Vec<PlaceIndex>,
    /// Why it must not be assigned to, if so.
    pub(super) constant: Option<Constant>,
}

/// Why something must not be assigned to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Constant {
    Declared,
    /// A selected value, a quantified value or the variable of a range loop.
    Bound,
}

#[derive(Clone, Debug)]
pub(super) struct PlaceIndex {
    pub(super) value: Expr,
    pub(super) lo: i32,
    pub(super) len: u32,
    pub(super) stride: Layout,
}

impl Place {
    /// The part of a structure.
    pub(super) fn field(&self, name: &str) -> Option<Self> {
        let (offset, ty) = self.ty.field(name)?;
        Some(Self { ty: ty.clone(), base: self.base.plus(offset), ..self.clone() })
    }

    /// An element of an array. A constant index outside of it stays, as an error at run time.
    pub(super) fn element(&self, index: Expr) -> Option<Self> {
        let Type::Array(array) = &self.ty else { return None };
        let mut element = Self { ty: array.element.clone(), ..self.clone() };
        match index {
            Expr::Int(value)
                if value >= array.lo
                    && i64::from(value) < i64::from(array.lo) + i64::from(array.len) =>
            {
                let position = (i64::from(value) - i64::from(array.lo)) as u32;
                element.base = element.base.plus(array.stride.times(position));
            }
            value => element.indices.push(PlaceIndex {
                value,
                lo: array.lo,
                len: array.len,
                stride: array.stride,
            }),
        }
        Some(element)
    }

    /// As a place of numbers: scalars, or whole arrays and structures of one kind of number.
    pub(super) fn to_number(&self) -> NumberPlace {
        let number = self.ty.number();
        let layout = self.ty.layout();
        let pick = |layout: Layout| match number {
            Number::Int => layout.ints,
            Number::Double => layout.doubles,
        };
        NumberPlace {
            storage: self.storage,
            number,
            base: pick(self.base),
            indices: self.indices(pick),
            size: pick(layout),
            range: self.ty.range(),
        }
    }

    pub(super) fn to_clock(&self) -> ClockRef {
        Indexed {
            base: Id::from_index(self.base.clocks as usize),
            indices: self.indices(|layout| layout.clocks),
        }
    }

    pub(super) fn to_channel(&self) -> ChannelRef {
        Indexed {
            base: Id::from_index(self.base.channels as usize),
            indices: self.indices(|layout| layout.channels),
        }
    }

    fn indices(&self, pick: impl Fn(Layout) -> u32) -> Vec<Index> {
        self.indices
            .iter()
            .map(|index| Index {
                value: index.value.clone(),
                lo: index.lo,
                len: index.len,
                stride: pick(index.stride),
            })
            .collect()
    }
}
