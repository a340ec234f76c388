//! Synchronous programs: what is compiled does what is written.

mod around;
mod laws;
mod open;
mod regressions;
