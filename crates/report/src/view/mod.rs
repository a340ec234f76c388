//! View types: what a reader sees, with nothing of how it was computed.
//!
//! They are plain data with public fields. Indices may be wrong and texts may be anything: the
//! renderers cope, so that a view can be built without checking it first.

pub mod answers;
mod diagram;
pub mod interface;
pub mod outline;
pub mod program;
pub mod runs;
pub mod trace;

pub use diagram::{
    Branchpoint, Colour, Diagram, Edge, End, Label, LabelKind, Location, Mark, Point, Sheet,
};
