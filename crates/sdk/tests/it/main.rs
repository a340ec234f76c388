//! Tests of the kits for systems under test: Rust, Python and C.

mod device;
mod kits;
mod serve;
mod support;
mod tcp;
mod threads;
