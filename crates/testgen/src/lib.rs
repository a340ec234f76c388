//! Chooses stimuli: what to do next to a system under test.
//!
//! A [`Strategy`] is asked again and again what to do in a [`Situation`]: send one of the inputs that
//! the environment may send, wait, or start anew. [`Random`] is Algorithm 1 of Larsen, Mikucionis &
//! Nielsen 2004; [`Guided`] aims at edges that were not covered yet, through the model; [`Script`]
//! repeats what was written down before, [`Scripts`] with resets of the system; [`Acting`] does what a case of a suite says; [`Alongside`] steps and
//! reads a system while another strategy chooses inputs; [`platform::Scheduled`] does what a case says on a platform with delays.
//!
//! For synchronous programs, whole tests are made before anything is run: [`lustre`] has random ones and
//! such that cover a program, [`mutation`] seeds faults into it. [`timed`] makes suites of timed models, [`uio`] says how often
//! their cases should show what they expect, and ends them with what proves where they ended. [`usecases`] derives timed models of use cases.
//!
//! **Invariant:** what a strategy does depends on the situation, its seed and what it did before.
//! Not here: oracles (a strategy never sees a verdict), systems, clocks.

mod aim;
mod alongside;
mod case;
mod guided;
mod inputs;
mod lessons;
pub mod lustre;
pub mod mutation;
pub mod platform;
mod random;
mod script;
mod scripts;
mod situation;
mod smallest;
pub mod timed;
pub mod uio;
pub mod usecases;
mod waits;

pub use aim::Aims;
pub use alongside::Alongside;
pub use case::Acting;
pub use guided::Guided;
pub use lessons::Lessons;
pub use random::{Random, RandomOptions, Timing};
pub use script::Script;
pub use scripts::Scripts;
pub use situation::{Candidate, Covered, Decision, Lead, Seen, Situation, Strategy};
