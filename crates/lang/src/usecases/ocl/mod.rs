//! Constraints in OCL: a part of the language, typed against a domain model.
//!
//! `lexer` finds words and the comments that key constraints to sentences, `parse` makes syntax of them, `check` and `operators` give everything a type.
//! Read are comparisons, boolean and arithmetic operators, navigation, `self`, enumerations, `allInstances`, `forAll`, `exists`, `select`,
//! `size` and `implies`. Everything else is refused by its name.

mod ast;
mod check;
mod lexer;
mod operators;
mod parse;

pub(super) use check::{Checked, check};
pub(super) use parse::read;
