//! The variables of a state, by the names that the model gives them.

use punctual_model::{Storage, Type};

use super::Specification;
use super::diagnosis::StateShown;

/// If a model has more integers than this, only those are told that have changed since the start.
const TOLD_MAX: usize = 24;

/// The integers of a state by their names (`n`, `list[2]`, `door.open`), with their values, as far as its processes access
/// them: of the others, the state knows nothing. Of a model with many of them, only those that differ from their initial values.
#[must_use]
pub fn variables_of(specification: &Specification, state: &StateShown) -> Vec<(String, String)> {
    let initial = &specification.network.initial.ints;
    let mut named: Vec<Option<(String, bool)>> = vec![None; state.ints.len()];
    for variable in &specification.network.variables {
        if variable.storage == Storage::State {
            let mut slot = variable.ints as usize;
            name_slots(&variable.name, &variable.ty, &mut slot, &mut named);
        }
    }
    for (slot, place) in named.iter_mut().enumerate().filter(|(_, place)| place.is_some()) {
        let touches = |(process, _): &(_, _)| specification.split.touches(*process, slot as u32);
        if !state.locations.iter().any(touches) {
            *place = None;
        }
    }
    let is_small = named.iter().flatten().count() <= TOLD_MAX;
    let mut told = Vec::new();
    for ((name, now), before) in named.into_iter().zip(&state.ints).zip(initial) {
        let Some((name, is_bool)) = name.filter(|_| is_small || now != before) else { continue };
        let value = match (is_bool, *now) {
            (true, 0) => "false".to_owned(),
            (true, _) => "true".to_owned(),
            (false, now) => now.to_string(),
        };
        told.push((name, value));
    }
    told
}

/// Names the integers of a variable, one after the other, and says which are Boolean.
fn name_slots(name: &str, ty: &Type, slot: &mut usize, named: &mut [Option<(String, bool)>]) {
    match ty {
        Type::Int(_) | Type::Bool | Type::Scalar { .. } => {
            if let Some(place) = named.get_mut(*slot) {
                *place = Some((name.to_owned(), matches!(ty, Type::Bool)));
            }
            *slot += 1;
        }
        // These are not among the integers.
        Type::Double | Type::Clock => {}
        Type::Array { lo, len, element } => {
            for index in 0..*len {
                let index = i64::from(*lo) + i64::from(index);
                name_slots(&format!("{name}[{index}]"), element, slot, named);
            }
        }
        Type::Struct(fields) => {
            for field in fields {
                name_slots(&format!("{name}.{}", field.name), &field.ty, slot, named);
            }
        }
    }
}
