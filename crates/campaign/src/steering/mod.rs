//! Systems judged by a steered model: all tests of all traces.
//!
//! - `load.rs`: a configuration and the files it names, as a [`Plan`].
//! - `bounds.rs`: whether tolerances bound a number at all.
//! - `labels.rs`: what people say of tests.
//! - `run.rs`: the tests of a plan, on several threads, handed on in order.
//! - `align.rs`: samples that are tied to steps by their times. `stray.rs`: what the others must show.
//! - `learn.rs`: tolerances from the labelled tests of a plan.
//! - `live.rs`: a system that runs while it is judged.
//!
//! Not here: what the verdict of a test is (`oracle::steering`), what it looks like.

mod align;
mod bounds;
mod labels;
mod learn;
mod live;
mod load;
mod run;
mod stray;

pub use crate::problem::Problem;
pub use labels::Labels;
pub use learn::{Budget, Lesson, learn};
pub(crate) use live::extra_heard;
pub use live::{judges, live, record, recording, seen};
pub use load::{Overrides, Plan, load, look_ahead};
pub use run::{Judged, System, run};
pub use stray::Extra;
pub(crate) use stray::found as stray;
