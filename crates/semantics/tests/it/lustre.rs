//! Synchronous programs: what is compiled does what is written.

mod laws;
mod regressions;
