//! Tests of the crate.

mod bounds;
