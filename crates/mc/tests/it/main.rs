//! Tests of the crate.

mod agreement;
mod discrete;
mod peer;
mod random;
mod reachability;
mod regressions;
mod walk;
