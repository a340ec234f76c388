//! Text to model: UPPAAL XML and XTA, TChecker, queries; every diagnostic with a source span.

pub mod diagnostic;
pub mod document;
mod source;
pub mod uppaal;

pub use source::{SourceFile, Span, Text};
