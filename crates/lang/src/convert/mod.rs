//! From network to network and from network to text.
//!
//! - [`Printer`] shows pieces of a network in the syntax of UPPAAL;
//! - [`to_vectors`] expresses channels by the events and vectors of TChecker;
//! - [`to_channels`] expresses events and vectors by channels;
//! - [`to_document`] makes a UPPAAL file of a network;
//! - [`write()`] writes a model in any format.
//!
//! A pass that can not keep the meaning refuses, and says which construct stands in its way and
//! where ([`Unsupported`]).

mod channels;
mod document;
pub(crate) mod fold;
mod names;
pub mod print;
mod ranges;
mod vectors;
mod write;

use std::fmt;

pub use channels::to_channels;
pub use document::to_document;
pub use print::Printer;
use punctual_model::{LocationId, Process};
pub use vectors::{Vectors, to_vectors, to_vectors_with_notes};
pub use write::write;

/// Something that a format or a pass has no way to say.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Unsupported {
    /// What it is, such as `an urgent channel`.
    pub construct: String,
    /// Where it is: `process Gate, edge Free → Occ`.
    pub place: String,
}

impl Unsupported {
    pub(crate) fn new(construct: impl Into<String>, place: impl Into<String>) -> Self {
        Self { construct: construct.into(), place: place.into() }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.as_str() {
            "" => write!(f, "{} can not be expressed", self.construct),
            place => write!(f, "{} can not be expressed ({place})", self.construct),
        }
    }
}

impl std::error::Error for Unsupported {}

/// A process and a location, for messages.
fn location_place(process: &Process, location: LocationId) -> String {
    format!("process {}, location {}", process.name, process.locations[location].name)
}

/// A process and an edge, for messages.
fn edge_place(process: &Process, source: LocationId, target: LocationId) -> String {
    let name = |id| &process.locations[id].name;
    format!("process {}, edge {} → {}", process.name, name(source), name(target))
}
