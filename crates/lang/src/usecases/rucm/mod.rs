//! Use cases in the form of RUCM, written in Markdown.
//!
//! `markdown` and `fields` know how lines look, `lines` finds flows and steps of a file, `sentence` says what a step is, `style` checks its words. What refers to
//! other flows and use cases is resolved when all files are read: `blocks` (which step comes next), `refs` (RFS, RESUME),
//! `flows` and `acts` (steps to the model), `reach` and `ends` (what nothing leads to), `dependency` (the field of that name), `build` (all of it together).
//!
//! What is clear is read, with a warning that has the number of the rule. What is not clear is an error: nothing is guessed.

mod acts;
mod blocks;
mod build;
mod dependency;
mod ends;
mod fields;
mod flows;
mod lines;
mod markdown;
mod reach;
mod refs;
mod sentence;
mod style;

pub(super) use build::{Built, build};
pub(super) use lines::read;

/// A flow is refused if it has more steps.
const STEPS_MAX: usize = 1_000;

/// A file is refused if it has more sections of unknown names. Each is compared with the known ones.
const UNKNOWN_MAX: usize = 200;

/// A use case is refused if it has more flows.
const FLOWS_MAX: usize = 1_000;
