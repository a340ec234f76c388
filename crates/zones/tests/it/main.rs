//! Laws of zones: every operation against its textbook definition, point by point or by a second
//! implementation that is slow and obvious.

mod extrapolation;
mod federations;
mod forms;
mod grid;
mod operations;
mod points;
mod range;
mod reference;
mod relations;
mod simulation;
mod store;
mod vectors;
mod zones;
