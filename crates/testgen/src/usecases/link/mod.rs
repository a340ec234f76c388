//! Which automata keep which attributes, and which scenarios dispatch which scenario events (sections VI-B and VI-C of the TAUC paper).
//!
//! An automaton belongs to the class that has the name of its process, else to that of its template. Its variable `isDetected` keeps the attribute of that
//! name of the class's object. A *scenario event* is a channel that some automaton receives and none sends. A scenario dispatches it to an edge if it sets
//! all that the edge sets, clocks aside. Where one of them computes a value, it may; whether it does is seen when the scenario has ended.
//!
//! State that no automaton keeps is kept by the derived model if some scenario changes it. Otherwise the tester sets it up.
//!
//! **Absent:** elements of arrays. A variable of an array belongs to no object, whatever its index is.

pub(super) mod about;
pub(super) mod events;
mod owners;
mod sides;
mod state;

pub(super) use sides::{received, sent};

use std::collections::BTreeMap;

use punctual_model::{
    AttributeId, ClassId, Network, Rational, Value,
    usecases::{AttributeType, Automaton, Links, Scenarios, UseCases},
};

/// What attributes hold at first that automata keep. Values of scenarios prefer these.
#[must_use]
pub fn initial(all: &UseCases, network: &Network) -> BTreeMap<(ClassId, AttributeId), Value> {
    let mut found = BTreeMap::new();
    for owner in owners::owners(all, &Scenarios::default(), network) {
        let Some(class) = owner.class else { continue };
        for it in &owner.variables {
            let Ok(attribute) = it.attribute else { continue };
            let at = network.variables[it.variable].ints as usize;
            let integer = network.initial.ints.get(at).copied().unwrap_or_default();
            let value = match all.domain.attributes[attribute].ty {
                AttributeType::Boolean => Value::Bool(integer != 0),
                AttributeType::Integer => Value::Int(integer.into()),
                AttributeType::Enumeration(_) => Value::Enum(integer.unsigned_abs()),
                AttributeType::Real => {
                    let scale = about::scale(all, class, attribute).unwrap_or(1);
                    Value::Real(Rational::new(integer.into(), scale.max(1).into()))
                }
            };
            found.insert((class, attribute), value);
        }
    }
    found
}

/// Links scenarios with the automata of a network.
#[must_use]
pub fn link(all: &UseCases, scenarios: &Scenarios, network: &Network) -> Links {
    let owners = owners::owners(all, scenarios, network);
    let state = state::state(all, scenarios, network, &owners);
    let automata: Vec<Automaton> = sides::sides(network, owners, &state, scenarios);
    let mut links = Links { automata, state, events: Vec::new() };
    links.events = events::events(all, scenarios, network, &links);
    links
}
