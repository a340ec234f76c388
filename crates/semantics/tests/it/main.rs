//! Tests of the crate.

mod bounds;
mod concrete;
mod program;
mod split;
mod stochastic;
