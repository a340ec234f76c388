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
mod writer;

pub use diagnosis::{Allowed, CutOff, Diagnosis, Kind, State};
pub use error::StoreError;
pub use folder::{Given, Run, Store, hash};
pub use header::{Clock, Direction, File, Header, Signal, Uncertainty};
pub use line::{
    Cost, Coverage, Delay, EdgeCoverage, End, Event, Line, LocationCoverage, Sets, Statistics,
    Verdict, Window,
};
pub use reader::Reader;
pub use record::Record;
pub use writer::Writer;

/// The version of the format of records, the first thing in each of them.
pub const VERSION: u32 = 1;

/// The name of the record in the folder of a run.
pub const RECORD: &str = "record.jsonl";
