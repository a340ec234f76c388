//! Tests of the crate.

mod bounds;
mod concrete;
mod encoding;
mod estimate;
mod lustre;
mod program;
mod split;
mod steps;
mod stochastic;
