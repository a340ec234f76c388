//! Tests of the crate.

mod discrete;
mod liveness;
mod random;
