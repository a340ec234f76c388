//! UPPAAL's language and its file formats.

pub mod ast;
pub mod lexer;
pub mod parse;
pub mod query_file;
pub mod xml;
