//! Judges traces: was what the system did right, at the right time?
//!
//! [`conformance`] is the oracle of timed automata: a [`Specification`](conformance::Specification) is a
//! model cut into system and environment, a [`Session`](conformance::Session) follows one run, live or
//! recorded, and gives a [`Verdict`] with a diagnosis.
//!
//! [`synchronous`] compares a synchronous program with a test, step by step. [`steering`] is the oracle of
//! systems that may differ a little from such a program: a model that is steered towards the system, within
//! tolerances.
//!
//! **Invariant:** a live run and its recording get the same verdict; there is no second code path.
//! **Invariant:** a system is right until it is proved wrong: a fail says that no instant that the
//! observations allow explains them.
//!
//! Not here: what to do next (`testgen`), how a system is reached (`exec`), wall time.

pub mod conformance;
pub mod steering;
pub mod synchronous;
mod verdict;

pub use verdict::{Cause, Verdict};
