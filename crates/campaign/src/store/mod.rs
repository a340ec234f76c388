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
    Changed, Cost, Coverage, Delay, EdgeCoverage, End, Ending, Event, Extra, Judged, Line,
    LocationCoverage, Said, Sending, Sets, Side, Statistics, Steered, UseCoverage, What, Window,
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

/// Whether a file is a record of a run, by how it begins: with an object that has a key `record`, which need not
/// be the first, since other tools sort keys. The end of the object need not be there.
#[must_use]
pub fn is_record(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(byte) = text.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => return false,
            b'}' | b']' => depth -= 1,
            b'"' => {
                let begin = at;
                while text.get(at).is_some_and(|byte| *byte != b'"') {
                    at += if text[at] == b'\\' { 2 } else { 1 };
                }
                let is_key = text
                    .get(at + 1..)
                    .is_some_and(|rest| rest.trim_ascii_start().first() == Some(&b':'));
                if depth == 1 && is_key && text.get(begin..at) == Some(b"record") {
                    return true;
                }
                at += 1;
            }
            _ if depth == 0 => return false,
            _ => {}
        }
    }
    false
}
