//! Tests of the crate.

mod program;
