//! Faults seeded into models: each mutant differs from the model in one place.
//!
//! - [`lustre`]: mutants of synchronous programs, drawn by chance from classes of faults.
//! - [`automata`]: mutants of networks of timed automata, all of them for each operator.
//!
//! - [`decide`]: whether a mutant of a network is wrong, narrower or equal, and what a case says of it.
//! - [`kill`]: cases that find mutants.

pub mod automata;
pub mod decide;
pub mod kill;
pub mod lustre;
