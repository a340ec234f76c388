//! UPPAAL's language and its file formats.

pub mod ast;
pub mod lexer;
