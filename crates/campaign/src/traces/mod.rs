//! Traces that were recorded: records of this tool, and what `punctual_lang::traces` reads.

mod recorded;

pub use punctual_lang::traces::{Format, Item, Options, Reader, TraceError, Unit, read_all};
