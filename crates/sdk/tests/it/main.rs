//! Tests of the kit for systems under test.

mod serve;
mod threads;
