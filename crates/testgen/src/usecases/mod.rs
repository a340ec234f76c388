//! From use cases to a timed model that tests are generated from (Wang, Pastore & Briand 2017, sections VI and VII).
//!
//! - [`paths`] follows the control of use cases: flows, conditions, loops, included use cases. It knows nothing of values.
//! - [`values`] finds objects and values that take a path, or says why there are none.
//! - [`link()`] finds out which automaton keeps which attribute, and which scenarios dispatch which events.
//! - [`derive()`] makes the timeliness test model of scenarios and automata, with its interface.
//!
//! Not here: how use cases are read, and how anything is written (`lang`).

pub mod derive;
mod link;
pub mod paths;
pub mod values;

pub use derive::{As, Derived, Problem, derive, settled};
pub use link::{initial, link};
