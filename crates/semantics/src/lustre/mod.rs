//! What a synchronous program does in a step.
//!
//! - `reference.rs`: evaluates expressions as they are written, lazily and exactly. Slow and plain:
//!   what is fast is compared with it.
//! - `encode/`: steps as terms of a solver.

pub mod encode;
mod failure;
mod reference;

pub use failure::{Failure, FailureKind};
pub use reference::Reference;
