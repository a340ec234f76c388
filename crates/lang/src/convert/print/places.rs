//! From slots back to names: which variable, which element, which field.

use punctual_model::{Id, Index, Network, Number, Place, Storage, Type, VariableId};

/// Which variable each slot belongs to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    /// First slot, number of slots, variable; sorted; per memory and kind of number.
    tables: [Vec<(u32, u32, VariableId)>; 6],
}

fn table(storage: Storage, number: Number) -> Option<usize> {
    let storage = match storage {
        Storage::Constant => 0,
        Storage::State => 1,
        Storage::Meta => 2,
        Storage::Local => return None,
    };
    Some(2 * storage + usize::from(number == Number::Double))
}

impl Slots {
    pub(crate) fn new(network: &Network) -> Self {
        let mut slots = Self::default();
        for (id, variable) in network.variables.enumerate() {
            let (ints, doubles) = size(&variable.ty);
            for (number, first, len) in
                [(Number::Int, variable.ints, ints), (Number::Double, variable.doubles, doubles)]
            {
                if let Some(table) = table(variable.storage, number).filter(|_| len > 0) {
                    slots.tables[table].push((first, len, id));
                }
            }
        }
        for table in &mut slots.tables {
            table.sort_by_key(|&(first, ..)| first);
        }
        slots
    }

    /// The variable that owns a slot, and the offset in it.
    pub(crate) fn find(
        &self,
        storage: Storage,
        number: Number,
        slot: u32,
    ) -> Option<(VariableId, u32)> {
        let table = &self.tables[table(storage, number)?];
        let at = table.partition_point(|&(first, ..)| first <= slot).checked_sub(1)?;
        let (first, len, id) = table[at];
        (slot - first < len).then_some((id, slot - first))
    }
}

/// The slots that a type takes: integers and doubles.
pub(crate) fn size(ty: &Type) -> (u32, u32) {
    match ty {
        Type::Int(_) | Type::Bool | Type::Scalar { .. } => (1, 0),
        Type::Double => (0, 1),
        Type::Clock => (0, 0),
        Type::Array { len, element, .. } => {
            let (ints, doubles) = size(element);
            (ints.saturating_mul(*len), doubles.saturating_mul(*len))
        }
        Type::Struct(fields) => fields.iter().map(|field| size(&field.ty)).fold(
            (0, 0),
            |(ints, doubles): (u32, u32), (i, d)| {
                (ints.saturating_add(i), doubles.saturating_add(d))
            },
        ),
    }
}

fn count(ty: &Type, number: Number) -> u32 {
    match number {
        Number::Int => size(ty).0,
        Number::Double => size(ty).1,
    }
}

/// The path behind the name of a variable: `[1][i].field`.
pub(super) fn path(
    ty: &Type,
    place: &Place,
    offset: u32,
    print: &dyn Fn(&Index, i64) -> String,
) -> String {
    let mut unused: Vec<&Index> = place.indices.iter().collect();
    let mut text = String::new();
    let (mut ty, mut offset) = (ty, offset);
    loop {
        if place.size > 1 && unused.is_empty() && count(ty, place.number) <= place.size {
            return text;
        }
        match ty {
            Type::Array { lo, len, element } => {
                let stride = count(element, place.number);
                let constant = offset.checked_div(stride).unwrap_or(0);
                offset -= constant * stride;
                let fits = |index: &&Index| index.stride == stride;
                let chosen = unused
                    .iter()
                    .position(|index| fits(index) && index.len == *len)
                    .or_else(|| unused.iter().position(fits));
                match chosen {
                    Some(at) => {
                        let index = unused.remove(at);
                        let shift = i64::from(constant) + i64::from(*lo) - i64::from(index.lo);
                        text += &format!("[{}]", print(index, shift));
                    }
                    None => text += &format!("[{}]", i64::from(*lo) + i64::from(constant)),
                }
                ty = element;
            }
            Type::Struct(fields) => {
                let mut field = None;
                for candidate in fields {
                    let len = count(&candidate.ty, place.number);
                    if offset < len {
                        field = Some(candidate);
                        break;
                    }
                    offset -= len;
                }
                let Some(field) = field else { return text };
                text += &format!(".{}", field.name);
                ty = &field.ty;
            }
            _ => return text,
        }
    }
}

/// A block of local memory with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Region {
    pub(crate) number: Number,
    pub(crate) first: u32,
    pub(crate) len: u32,
    pub(crate) name: String,
}

/// The name of a place in local memory, by the regions that are known.
pub(super) fn local(
    regions: &[Region],
    prefix: &str,
    place: &Place,
    print: &dyn Fn(&Index, i64) -> String,
) -> String {
    let inside = |r: &&Region| {
        r.number == place.number && r.first <= place.base && place.base - r.first < r.len
    };
    let (name, offset, len) = match regions.iter().rev().find(inside) {
        Some(region) => (region.name.clone(), place.base - region.first, region.len),
        None => (local_name(prefix, place.number, place.base), 0, 1),
    };
    if (len == 1 && place.indices.is_empty()) || (place.size == len && offset == 0) {
        return name;
    }
    // Without the type, an array of arrays is shown as one long array.
    let mut terms = Vec::new();
    let mut constant = i64::from(offset);
    for index in &place.indices {
        match index.stride {
            1 => terms.push(print(index, -i64::from(index.lo))),
            stride => {
                constant -= i64::from(index.lo) * i64::from(stride);
                terms.push(format!("({}) * {stride}", print(index, 0)));
            }
        }
    }
    if constant != 0 || terms.is_empty() {
        terms.push(constant.to_string());
    }
    format!("{name}[{}]", terms.join(" + "))
}

/// A name for a slot of local memory that has none.
pub(crate) fn local_name(prefix: &str, number: Number, slot: u32) -> String {
    match number {
        Number::Int => format!("{prefix}{slot}"),
        Number::Double => format!("{prefix}d{slot}"),
    }
}

/// The text for a variable whose id is unknown.
pub(super) fn unnamed(place: &Place) -> String {
    format!("?{:?}{}", place.storage, place.base).to_lowercase()
}

/// The name of a variable.
pub(super) fn variable_name(names: &[String], id: VariableId) -> &str {
    names.get(id.index()).map_or("?", String::as_str)
}
