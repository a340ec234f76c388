//! From use cases to a timed model that tests are generated from (Wang, Pastore & Briand 2017, sections VI and VII).
//!
//! - [`link()`] finds out which automaton keeps which attribute, and which scenarios dispatch which events.
//! - [`derive()`] makes the timeliness test model of scenarios and automata, with its interface.
//!
//! Not here: reading folders, and writing what is derived (`lang`).

pub mod derive;
mod link;

pub use derive::{As, Derived, Problem, derive};
pub use link::{initial, link};
