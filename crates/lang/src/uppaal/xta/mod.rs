//! UPPAAL's text format, `.xta` and `.ta`.
//!
//! [`read`] cuts a file into the sections of a [`Document`](crate::document::Document): processes
//! become templates, whose locations have their names as ids. [`write`] prints a document; the
//! format has no place for drawings and the like, so it also says what was left out.
//!
//! Not here: what declarations and labels mean. The parser of the language reads each text, so
//! an error inside of one is reported once, and there.

mod check;
mod process;
mod read;
mod write;

use crate::uppaal::keywords::is_keyword;

pub use read::read;
pub use write::{Dropped, Renamed, Unwritable, Written, write};

/// Whether a word can be the name of a process or a location.
fn is_name(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !is_keyword(word)
}
