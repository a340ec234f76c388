//! Suites of timed cases, made of a model before anything runs.
mod goal;
mod reach;
mod walk;
mod world;
pub use goal::{Criterion, Goal, Seen, covered, goals};
pub use reach::{Found, Limits, Target, extend};
pub use walk::{Run, Taken, Wait, Walk};
pub use world::{Kind, Point, World};
