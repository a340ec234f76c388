//! Text to model: UPPAAL XML and XTA, TChecker, Lustre, queries, test interfaces, traces, suites, use
//! cases; every diagnostic with a source span.

pub mod convert;
mod decode;
pub mod diagnostic;
pub mod document;
mod fold;
pub mod format;
pub mod json;
pub mod labels;
pub mod lints;
mod load;
pub mod lustre;
mod model;
pub mod number;
pub mod platform;
mod reading;
pub mod requirements;
mod source;
mod stack;
pub mod steering;
pub mod suite;
pub mod tchecker;
pub mod testcode;
pub mod testing;
pub mod traces;
pub mod uppaal;
pub mod usecases;
pub mod values;

pub use decode::{BYTES_MAX, decode};
pub use load::load;
pub use model::{
    Input, Model, ProcessSpans, QueryEntry, Reading, SourceMap, from_document, read,
    read_with_queries,
};
pub use source::{SourceFile, Span, Text};
