//! Tests of the crate.

mod bounds;
mod concrete;
mod lustre;
mod encoding;
mod program;
mod split;
mod stochastic;
