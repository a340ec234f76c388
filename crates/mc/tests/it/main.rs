//! Tests of the crate.

mod agreement;
mod counts;
mod discrete;
mod liveness;
mod peer;
mod random;
mod reachability;
mod regressions;
mod spent;
mod walk;
