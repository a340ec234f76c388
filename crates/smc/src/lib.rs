//! Statistical model checking: what runs of a model say about probabilities.
//!
//! [`statistics`] turns counts of runs into intervals and decisions.
//!
//! Not here yet: the simulation that makes the runs. Not here at all: symbolic states, clocks,
//! randomness of its own.

pub mod statistics;
