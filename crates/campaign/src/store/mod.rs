//! Runs on disk.
//!
//! A run is a folder: `record.jsonl`, what happened line by line ([`Line`]), beside copies of the
//! files that the run was given. A [`Store`] is a folder of such folders, named by their numbers.
//!
//! All types that are written here are a promise: within a version of the format
//! ([`VERSION`]), fields and kinds of lines are added, never renamed or removed. A reader skips
//! kinds of lines and fields that it does not know.

mod diagnosis;
mod error;
mod folder;
mod header;
mod line;
mod reader;
mod record;
pub mod words;
mod writer;

pub use diagnosis::{Allowed, CutOff, Diagnosis, State};
pub use error::StoreError;
pub use folder::{AUTOMATON, Given, Run, Store, TABLE, hash};
pub use header::{Clock, Direction, File, Header, Port, Signal, Tolerance, Uncertainty};
pub use line::{
    Changed, Cost, Coverage, Delay, EdgeCoverage, End, Ending, Event, Judged, Line,
    LocationCoverage, Said, Sending, Sets, Statistics, Steered, What, Window,
};
pub use punctual_model::{Cause, Verdict};
pub use reader::Reader;
pub use record::Record;
pub use writer::Writer;

/// The version of the format of records that is written, the first thing in each of them. Version 1 is
/// read, too: it has signals with integers only, and nothing of the tester's own lateness.
pub const VERSION: u32 = 2;

/// The versions that are read.
const READ: std::ops::RangeInclusive<u32> = 1..=VERSION;

/// The name of the record in the folder of a run.
pub const RECORD: &str = "record.jsonl";

/// Whether a file is a record of a run, by how it begins.
#[must_use]
pub fn is_record(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"{\"record\"")
}
