//! What a model does next: a network of timed automata, or a Lustre program.
//!
//! Of networks:
//! - [`program`]: the expressions of a network, compiled once; evaluating them allocates nothing.
//! - [`symbolic`]: successors of sets of states (locations, variables, zone), by UPPAAL's rules.
//! - [`concrete`]: successors of single states with exact rational time, written from the same
//!   rules but sharing no code with `program` and `symbolic`, so that tests can play one against
//!   the other.
//! - [`stochastic`]: single runs by chance: races between processes, with doubles and real clocks.
//! - [`estimate`]: all states that explain what was observed of a component.
//! - [`specification`]: a model that is tested against, as components that can be followed.
//! - [`bounds`]: which constants each clock is compared with, location by location.
//! - [`budget`]: how much an analysis may use, looked at also inside of one step.
//! - [`split`]: which part of a network is the system under test, and which its environment.
//!
//! Of synchronous programs:
//! - [`lustre`]: steps of a Lustre program, compiled once; the textbook's evaluation beside them, and
//!   steps as terms of an SMT solver.
//! - [`platform`]: at which instants the inputs of steps should arrive on a platform with delays.
//!
//! Not here: search, answers, input and output, clocks of the machine, randomness of its own.

pub mod bounds;
pub mod budget;
pub mod concrete;
pub mod estimate;
mod fault;
pub mod lustre;
pub mod platform;
pub mod program;
mod rational;
mod select;
pub mod specification;
pub mod split;
mod step;
pub mod stochastic;
pub mod symbolic;

pub use fault::{Fault, FaultKind};
pub use rational::Rational;
pub use step::Move;
