//! Faults seeded into models: each mutant differs from the model in one place.
//!
//! - [`lustre`]: mutants of synchronous programs, drawn by chance from classes of faults.
//! - [`automata`]: mutants of networks of timed automata, all of them for each operator.
//!
//! Not here: whether a mutant can be told from the model. It may be equivalent.

pub mod automata;
pub mod decide;
pub mod kill;
pub mod lustre;
