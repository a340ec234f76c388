//! Tests of the crate.

mod discrete;
mod random;
