//! Which automata keep which attributes, and which scenarios dispatch which scenario events (sections VI-B and VI-C of the TAUC paper).
//!
//! An automaton belongs to the class that has the name of its process, else to that of its template. Its variable `isDetected` keeps the attribute of that
//! name of the class's object. A *scenario event* is a channel that some automaton receives and none sends. A scenario dispatches it to an edge if it sets
//! all that the edge sets, clocks aside.
//!
//! State that no automaton keeps is kept by the derived model if some scenario changes it. Otherwise the tester sets it up.
//!
//! **Absent:** elements of arrays. A variable of an array belongs to no object, whatever its index is.

pub(super) mod about;
mod events;
mod owners;
mod sides;
mod state;

pub(super) use sides::{received, sent};

use punctual_model::{
    Network,
    usecases::{Automaton, Links, Scenarios, UseCases},
};

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
