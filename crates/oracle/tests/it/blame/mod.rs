//! Who is guilty, by the definition: random systems, and an exhaustive search of all their runs.
//!
//! The search shares no code with zones, estimates and diagnoses. It says the verdict, the cause, the deadline, what
//! was due, and all windows. Which edges a run has taken is told by it, too.

#![allow(dead_code, reason = "the search is that of `semantics`, of which not all is needed")]

#[path = "../../../../semantics/tests/it/estimate/generate.rs"]
mod generate;
#[path = "../../../../semantics/tests/it/estimate/hindsight.rs"]
mod hindsight;
mod law;
#[path = "../../../../semantics/tests/it/estimate/regions.rs"]
mod regions;
#[path = "../../../../mc/tests/it/random/rng.rs"]
mod rng;
mod search;
#[path = "../../../../semantics/tests/it/estimate/walk.rs"]
mod walk;
mod ways;
