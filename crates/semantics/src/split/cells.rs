//! Variables, and their elements where these are used apart.

use std::ops::Range;

use punctual_model::{Id, IdVec, Network, Number, Storage, Type, VariableId};

use super::Side;

/// A variable, or an element of one, as far as the split tells them apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CellId(u32);

impl Id for CellId {
    fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer than 2^32 cells"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable, or an element of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// Its name: `len`, `list[3]`, `point.x`.
    pub name: String,
    /// The variable.
    pub variable: VariableId,
    /// The memory it lives in.
    pub storage: Storage,
    /// Its integer slots.
    pub ints: Range<u32>,
    /// Its double slots.
    pub doubles: Range<u32>,
    /// The side that the cell belongs to; none if no rule puts it on one.
    pub side: Option<Side>,
    /// Whether some transition changes it.
    pub changes: bool,
}

/// The slots of a variable: integers first, then doubles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Size {
    pub(super) ints: u32,
    pub(super) doubles: u32,
}

impl Size {
    pub(super) fn of(ty: &Type) -> Self {
        match ty {
            Type::Int(_) | Type::Bool | Type::Scalar { .. } => Self { ints: 1, doubles: 0 },
            Type::Double => Self { ints: 0, doubles: 1 },
            Type::Clock => Self { ints: 0, doubles: 0 },
            Type::Array { len, element, .. } => {
                let Self { ints, doubles } = Self::of(element);
                Self { ints: ints * len, doubles: doubles * len }
            }
            Type::Struct(fields) => {
                let sizes = fields.iter().map(|field| Self::of(&field.ty));
                sizes.fold(Self { ints: 0, doubles: 0 }, |sum, size| Self {
                    ints: sum.ints + size.ints,
                    doubles: sum.doubles + size.doubles,
                })
            }
        }
    }

    pub(super) fn slots(self) -> u32 {
        self.ints + self.doubles
    }
}

/// Where the variables of the state lie in memory.
pub(super) struct Layout {
    /// For each memory and kind: first slot, end, variable; sorted.
    areas: Vec<(Storage, Number, u32, u32, VariableId)>,
}

impl Layout {
    pub(super) fn new(network: &Network) -> Self {
        let mut areas = Vec::new();
        for (id, variable) in network.variables.enumerate() {
            let size = Size::of(&variable.ty);
            let ints = (Number::Int, variable.ints, size.ints);
            let doubles = (Number::Double, variable.doubles, size.doubles);
            for (number, first, len) in [ints, doubles] {
                if len > 0 && variable.storage != Storage::Constant {
                    areas.push((variable.storage, number, first, first + len, id));
                }
            }
        }
        areas.sort_by_key(|(storage, number, first, ..)| {
            (*storage as u8, *number == Number::Double, *first)
        });
        Self { areas }
    }

    /// The variable that has a slot, and the number of the slot in it.
    pub(super) fn find(
        &self,
        network: &Network,
        storage: Storage,
        number: Number,
        slot: u32,
    ) -> Option<(VariableId, u32)> {
        let key = (storage as u8, number == Number::Double, slot);
        let after = self.areas.partition_point(|(storage, number, first, ..)| {
            (*storage as u8, *number == Number::Double, *first) <= key
        });
        let &(area, kind, first, end, id) = self.areas.get(after.checked_sub(1)?)?;
        if area != storage || kind != number || slot >= end {
            return None;
        }
        let before = match number {
            Number::Int => 0,
            Number::Double => Size::of(&network.variables[id].ty).ints,
        };
        Some((id, before + slot - first))
    }
}

/// The cells of a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cells {
    pub(super) cells: IdVec<CellId, Cell>,
    /// The first cell of each variable, and whether each slot has its own.
    starts: IdVec<VariableId, (CellId, bool)>,
}

impl Cells {
    /// One cell for each variable, or one for each slot of those in `apart`.
    pub(super) fn new(network: &Network, apart: &IdVec<VariableId, bool>) -> Self {
        let mut cells = IdVec::new();
        let mut starts = IdVec::new();
        for (id, variable) in network.variables.enumerate() {
            let size = Size::of(&variable.ty);
            starts.push((cells.next_id(), apart[id]));
            if variable.storage == Storage::Constant {
                continue;
            }
            let part = |name: String, ints: Range<u32>, doubles: Range<u32>| Cell {
                name,
                variable: id,
                storage: variable.storage,
                ints: variable.ints + ints.start..variable.ints + ints.end,
                doubles: variable.doubles + doubles.start..variable.doubles + doubles.end,
                side: None,
                changes: false,
            };
            if !apart[id] {
                cells.push(part(variable.name.clone(), 0..size.ints, 0..size.doubles));
                continue;
            }
            for slot in 0..size.ints {
                let name = element(&variable.name, &variable.ty, Number::Int, slot);
                cells.push(part(name, slot..slot + 1, 0..0));
            }
            for slot in 0..size.doubles {
                let name = element(&variable.name, &variable.ty, Number::Double, slot);
                cells.push(part(name, 0..0, slot..slot + 1));
            }
        }
        Self { cells, starts }
    }

    /// The cells of some slots of a variable; of all of them for none.
    pub(super) fn of(
        &self,
        network: &Network,
        id: VariableId,
        slots: Option<&[u32]>,
    ) -> Vec<CellId> {
        let variable = &network.variables[id];
        if variable.storage == Storage::Constant {
            return Vec::new();
        }
        let (first, apart) = self.starts[id];
        if !apart {
            return vec![first];
        }
        let cell = |slot: u32| CellId::from_index(first.index() + slot as usize);
        match slots {
            Some(slots) => slots.iter().map(|slot| cell(*slot)).collect(),
            None => (0..Size::of(&variable.ty).slots()).map(cell).collect(),
        }
    }
}

/// The name of the slot of a variable.
fn element(name: &str, ty: &Type, number: Number, slot: u32) -> String {
    let count = |ty: &Type| match number {
        Number::Int => Size::of(ty).ints,
        Number::Double => Size::of(ty).doubles,
    };
    match ty {
        Type::Array { lo, element: inner, .. } => {
            let each = count(inner).max(1);
            let index = i64::from(*lo) + i64::from(slot / each);
            element(&format!("{name}[{index}]"), inner, number, slot % each)
        }
        Type::Struct(fields) => {
            let mut slot = slot;
            for field in fields {
                let size = count(&field.ty);
                if slot < size {
                    return element(&format!("{name}.{}", field.name), &field.ty, number, slot);
                }
                slot -= size;
            }
            name.to_owned()
        }
        _ => name.to_owned(),
    }
}
