//! Tests of the crate.

mod agreement;
mod discrete;
mod random;
mod reachability;
mod walk;
