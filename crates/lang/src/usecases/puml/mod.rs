//! Class diagrams of PlantUML as domain models.
//!
//! `lines` takes a file apart, `arrow` reads relations, and [`build`] makes one model of all files. Classes, enumerations, attributes,
//! inheritance and associations are read. Methods, notes, packages and all that is only about looks are passed over; dependencies
//! (dotted arrows) too. The preprocessor is refused, since it may change everything.

mod arrow;
mod build;
mod lines;

pub(super) use build::build;
pub(super) use lines::read;

/// A domain model is refused if it has more classes and enumerations.
const CLASSES_MAX: usize = 10_000;
