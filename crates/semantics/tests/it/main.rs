//! Tests of the crate.

mod concrete;
