//! Tests of synchronous programs: inputs, step by step.
//!
//! - `random.rs`: inputs by chance, within ranges.
//! - `obligations.rs`: what is to be covered. `cover.rs`: tests that do, from a solver;
//!   `induction.rs`: what can not be covered at all. `run.rs`: what a test covers.
//! - `types.rs`, `text.rs`, `cone.rs`: expressions, their text, and which matter.

pub(crate) mod cone;
mod cover;
mod induction;
mod obligations;
mod random;
mod run;
pub(crate) mod text;
pub(crate) mod types;

pub use cover::{CoverOptions, Coverage, Phase, Progress, Status, cover};
pub use obligations::{Criterion, Obligation, obligations};
pub(crate) use run::Observed;

pub use random::{
    RandomTests, Ranges, each_random_test, random_inputs, random_tests, with_outputs,
};
