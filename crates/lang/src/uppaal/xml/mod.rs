//! UPPAAL's XML files.
//!
//! [`read`] makes a [`Document`](crate::document::Document) whose texts lead back to the bytes of
//! the file; [`write`] prints one. What was written is read back equal, up to places.
//!
//! The XML itself is scanned here rather than by a library: broken files are common (a raw `&&` in
//! a guard, a file cut off by a full disk), and a modeller should learn about all such places in
//! one go and in the words of the format. A tag that is not part of the format is skipped without
//! a tree of it, so neither depth nor size of a file costs more than its bytes. DTDs are never
//! fetched, and entities that a file defines itself are refused.

mod check;
mod read;
mod scan;
mod write;

pub use read::read;
pub use write::write;
