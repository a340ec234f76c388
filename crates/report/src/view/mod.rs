//! View types: what a reader sees, with nothing of how it was computed.
//!
//! They are plain data with public fields. Indices may be wrong and texts may be anything: the
//! renderers cope, so that a view can be built without checking it first.
//!
//! What `--json` prints is such a type, in the form of [`json`]; `docs/guide/json.md` lists them.

pub mod answers;
pub mod calibration;
mod diagram;
pub mod evidence;
pub mod expected;
pub mod interface;
pub mod matrix;
pub mod measured;
pub mod mutants;
pub mod oracles;
pub mod outline;
pub mod program;
pub mod repeated;
pub mod runs;
pub mod scenarios;
pub mod score;
pub mod steering;
pub mod stepping;
pub mod suite;
pub mod timeline;
pub mod trace;
pub mod usecases;

pub use diagram::{
    Branchpoint, Colour, Diagram, Edge, End, Label, LabelKind, Location, Mark, Point, Sheet,
};

/// A view as `--json` prints it: several lines, the last one ended.
#[must_use]
pub fn json<V: serde::Serialize + ?Sized>(view: &V) -> String {
    serde_json::to_string_pretty(view).expect("views are plain data with names as keys") + "\n"
}

/// A view as one line of JSON.
#[must_use]
pub fn json_line<V: serde::Serialize + ?Sized>(view: &V) -> String {
    serde_json::to_string(view).expect("views are plain data with names as keys") + "\n"
}
