//! Memory of a network as variables that TChecker can declare: integers and arrays of them, all
//! elements of an array with the same range and the same initial value.
//!
//! Structures and arrays of arrays are taken apart, field by field; each field over all elements
//! is one flat array. Where initial values differ, every element is a variable of its own.

use punctual_model::{
    Clock, ClockId, ClockRef, Expr, Id, Index, Network, Number, Place, Range, Storage, Type,
    Variable,
};
use rustc_hash::FxHashMap;

use super::flat_index;
use crate::convert::{names::Mangler, print::places::size};

/// Where an old slot went.
#[derive(Clone, Copy, Debug)]
pub(super) struct Home {
    /// Which flat array.
    pub(super) leaf: usize,
    /// Which element.
    pub(super) at: u32,
}

/// A flat array in the new memory.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) first: u32,
    pub(super) len: u32,
    pub(super) range: Range,
    /// Each element is a variable of its own.
    pub(super) split: bool,
}

/// The new memory.
#[derive(Clone, Debug, Default)]
pub(super) struct MemoryMap {
    homes: FxHashMap<(bool, u32), Home>,
    pub(super) leaves: Vec<Leaf>,
}

impl MemoryMap {
    /// Declares all variables in the new network; errors name the variable.
    pub(super) fn new(
        old: &Network,
        new: &mut Network,
        names: &mut Mangler,
        errors: &mut Vec<(String, String)>,
    ) -> Self {
        let mut map = Self::default();
        for variable in &old.variables {
            let memory = match variable.storage {
                Storage::State => &old.initial,
                Storage::Meta => &old.meta,
                Storage::Constant | Storage::Local => continue,
            };
            for (path, range, slots) in leaves(&variable.ty) {
                let slots: Vec<u32> = slots.iter().map(|slot| variable.ints + slot).collect();
                let values: Vec<i32> =
                    slots.iter().map(|slot| memory.ints[*slot as usize]).collect();
                if let Some(value) = values.iter().find(|value| !range.contains(**value)) {
                    let what = format!("the initial value {value} out of range");
                    errors.push((what, format!("variable {}", variable.name)));
                    continue;
                }
                let leaf = map.leaves.len();
                let meta = variable.storage == Storage::Meta;
                for (at, slot) in slots.iter().enumerate() {
                    map.homes.insert((meta, *slot), Home { leaf, at: at as u32 });
                }
                let first = new.initial.ints.len() as u32;
                let len = slots.len() as u32;
                let split = len > 1 && values.iter().any(|value| *value != values[0]);
                map.leaves.push(Leaf { first, len, range, split });
                let name = format!("{}{path}", variable.name);
                let element = Type::Int(range);
                let mut declare = |name: &str, ty: Type, ints: u32| {
                    let name = names.name(name);
                    let storage = Storage::State;
                    let variable = Variable { name, owner: None, ty, storage, ints, doubles: 0 };
                    new.variables.push(variable);
                };
                match (len, split) {
                    (1, _) => declare(&name, element, first),
                    (_, true) => (0..len)
                        .for_each(|k| declare(&format!("{name}[{k}]"), element.clone(), first + k)),
                    _ => {
                        let ty = Type::Array { lo: 0, len, element: Box::new(element) };
                        declare(&name, ty, first);
                    }
                }
                new.initial.ints.extend(values);
            }
        }
        map
    }

    /// Where a place of the state is now: its flat array, and the element as a constant or an
    /// expression. `indices` are those of the place, translated already.
    pub(super) fn find(&self, place: &Place, indices: &[Index]) -> Result<(Leaf, Expr), String> {
        let home = |slot: u32| self.homes.get(&(place.storage == Storage::Meta, slot)).copied();
        let unknown = || "memory without a name".to_owned();
        let base = home(place.base).ok_or_else(unknown)?;
        let flat = flat_index(i64::from(base.at), indices, |stride| {
            let next = home(place.base.checked_add(stride)?)?;
            (next.leaf == base.leaf).then(|| i64::from(next.at) - i64::from(base.at))
        })
        .ok_or_else(unknown)?;
        Ok((self.leaves[base.leaf].clone(), flat))
    }
}

/// A single element of the new memory.
pub(super) fn element(leaf: &Leaf, at: u32) -> Place {
    place(Storage::State, leaf.first + at, Vec::new(), leaf.range)
}

/// A scalar place.
pub(super) fn place(storage: Storage, base: u32, indices: Vec<Index>, range: Range) -> Place {
    Place { storage, number: Number::Int, base, indices, size: 1, range }
}

/// The integer parts of a type: the path to each, its range, and its slots in the type.
fn leaves(ty: &Type) -> Vec<(String, Range, Vec<u32>)> {
    let single = |range| vec![(String::new(), range, vec![0])];
    match ty {
        Type::Int(range) => single(*range),
        Type::Bool => single(Range::BOOL),
        Type::Scalar { size } => {
            single(Range { lo: 0, hi: i32::try_from(*size).unwrap_or(i32::MAX).max(1) - 1 })
        }
        Type::Double | Type::Clock => Vec::new(),
        Type::Array { len, element, .. } => {
            let (stride, _) = size(element);
            let mut parts = leaves(element);
            for (_, _, slots) in &mut parts {
                *slots = (0..*len)
                    .flat_map(|i| slots.iter().map(move |slot| slot + i * stride))
                    .collect();
            }
            parts
        }
        Type::Struct(fields) => {
            let mut parts = Vec::new();
            let mut start = 0;
            for field in fields {
                for (path, range, slots) in leaves(&field.ty) {
                    let slots = slots.iter().map(|slot| slot + start).collect();
                    parts.push((format!(".{}{path}", field.name), range, slots));
                }
                start += size(&field.ty).0;
            }
            parts
        }
    }
}

/// The clocks, grouped into flat arrays.
#[derive(Clone, Debug, Default)]
pub(super) struct ClockMap {
    /// First clock and number of clocks of each group.
    groups: Vec<(usize, usize)>,
}

impl ClockMap {
    /// Declares all clocks in the new network; ids stay the same.
    pub(super) fn new(old: &Network, new: &mut Network, names: &mut Mangler) -> Self {
        let shape = |id: usize| -> Option<String> {
            let name = &old.clocks.get(ClockId::from_index(id))?.name;
            let mut text = String::new();
            let mut inside = false;
            for c in name.chars() {
                inside = c == '[' || (inside && c != ']');
                if !inside || c == '[' {
                    text.push(c);
                }
            }
            Some(text)
        };
        let mut map = Self::default();
        let mut at = 0;
        while at < old.clocks.len() {
            let own = shape(at).unwrap_or_default();
            let indexed = own.contains('[');
            let mut len = 1;
            while indexed && shape(at + len).as_deref() == Some(own.as_str()) {
                len += 1;
            }
            map.groups.push((at, len));
            let mut declare =
                |name| new.clocks.push(Clock { name, owner: None, hybrid: false, initial: 0.0 });
            match len {
                1 => {
                    declare(names.name(&old.clocks[ClockId::from_index(at)].name));
                }
                _ => {
                    let name = names.name(&own.replace("[]", ""));
                    for k in 0..len {
                        declare(format!("{name}[{k}]"));
                    }
                }
            }
            at += len;
        }
        map
    }

    /// A clock in the new network. `indices` are translated already.
    pub(super) fn find(&self, clock: &ClockRef, indices: &[Index]) -> Result<ClockRef, String> {
        let base = clock.base.index();
        let group = self.groups.partition_point(|(first, _)| *first <= base) - 1;
        let (first, len) = self.groups[group];
        let flat = flat_index((base - first) as i64, indices, |stride| Some(i64::from(stride)))
            .ok_or_else(|| "this array of clocks".to_owned())?;
        match flat.as_int() {
            Some(at) if at >= 0 && (at as usize) < len => {
                Ok(ClockRef::fixed(ClockId::from_index(first + at as usize)))
            }
            Some(_) => Err("a clock outside of its array".to_owned()),
            None => Ok(ClockRef {
                base: ClockId::from_index(first),
                indices: vec![Index { value: flat, lo: 0, len: len as u32, stride: 1 }],
            }),
        }
    }
}
