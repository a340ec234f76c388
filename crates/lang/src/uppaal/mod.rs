//! UPPAAL's language and its file formats.

pub mod ast;
pub(crate) mod build;
pub(crate) mod keywords;
pub mod lexer;
pub mod parse;
pub mod query_file;
pub(crate) mod syntax;
pub mod xml;
pub mod xta;
