//! State estimates: signals and readings leave exactly the states that explain them.
//!
//! Random components (`generate`), an exhaustive search of their regions that shares no code with zones
//! and estimates (`regions`), random observations of their runs (`walk`), and laws about all three.

mod generate;
mod hindsight;
mod laws;
mod regions;
#[path = "../../../mc/tests/it/random/rng.rs"]
mod rng;
mod walk;
mod windows;
