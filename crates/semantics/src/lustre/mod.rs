//! What a synchronous program does in a step.
//!
//! - `machine.rs`, `state.rs`, `stepper.rs`: a program compiled once ([`Machine`]), what it remembers
//!   ([`State`]), and the registers in which steps are taken ([`Stepper`]).
//! - `compile/`: from the program to instructions, and what runs them.
//! - `careful.rs`: the step again, lazily, when something that was computed has no value.
//! - `lazy.rs`: evaluates expressions as they are written, each only if it is needed.
//! - `reference.rs`: a program that is evaluated so from the start. Slow and plain: what is fast is
//!   compared with it.
//! - `reactions.rs`: what steps do by what they look at, each taken once.
//! - `open.rs`: a step in which some values are open, and all that they make possible.
//! - `encode/`: steps as terms of a solver.

mod asked;
mod careful;
mod compile;
pub mod encode;
mod failure;
mod lazy;
mod machine;
mod open;
pub mod random;
mod reactions;
mod reads;
mod real;
mod reference;
mod scalar;
mod state;
mod stepper;

pub use compile::Around;
pub use failure::{Failure, FailureKind};
pub use machine::{Machine, Refusal};
pub use open::{Asking, Look, Mark, Open};
pub use reactions::{Known, Reaction, Reactions, Spot, StateNumber};
pub use reads::Reads;
pub use real::Reals;
pub use reference::Reference;
pub use state::State;
pub use stepper::Stepper;
