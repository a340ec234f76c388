//! Soundness: what conforms never fails, and what fails does not conform.
//!
//! Random networks with two sides (`generate`), an exhaustive search that shares no code with the
//! oracle (`regions`), and laws about both.

mod cut;
mod decisions;
mod delays;
mod generate;
mod joint;
mod laws;
mod live;
mod mutate;
mod outcomes;
mod play;
mod reached;
mod readings;
mod regions;
mod replay;
#[path = "../../../../mc/tests/it/random/rng.rs"]
mod rng;
mod suites;
