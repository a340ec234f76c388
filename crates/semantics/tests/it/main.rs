//! Tests of the crate.

mod bounds;
mod concrete;
mod encoding;
mod program;
mod split;
mod stochastic;
