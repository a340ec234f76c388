//! Lustre: programs, tolerances of steering, and tables of recorded steps.
//!
//! The language is what Kind 2 and JKind read, and what is common to both with older dialects. A
//! program comes out flat: see [`punctual_model::lustre`]. What is wrong with it comes out as
//! diagnostics: types, names, definitions, clocks, equations that depend on themselves in one step,
//! and values that are used before there are any.
//!
//! - `lexer.rs`, `parse/`: text to syntax (`ast.rs`).
//! - `check/`: what names stand for, and types.
//! - `flatten/`: one node without calls, composites or clocks.
//! - `order.rs`: the order of equations. `initial.rs`: values before there are any.
//! - `tolerance.rs`, `traces/`: files about programs. `ranges.rs`: what inputs can be. `write/`:
//!   programs as text.
//!
//! Not here: running programs, see `semantics`.

mod ast;
mod check;
mod flatten;
mod initial;
mod lexer;
pub(crate) mod literal;
mod order;
mod parse;
mod ranges;
mod tolerance;
pub mod traces;
mod types;
mod write;

pub use ranges::range;
pub use tolerance::{expression, tolerances};
pub use write::write;

use punctual_model::lustre::Program;

pub use crate::reading::Reading;
use crate::{
    Input,
    decode::is_too_long,
    diagnostic::{Diagnostic, Diagnostics, closest},
};
use ast::{Ast, NodeKind};

/// Longer texts are not read: a token, and what it means, takes much more memory than its bytes.
const TEXT_MAX: usize = 32 << 20;

/// Reads a program. Its main node is the one that is named; or else the one that is marked
/// `--%MAIN`, the one that is called `main`, or the last one.
pub fn read(input: Input<'_>, main: Option<&str>) -> Reading<Program> {
    Reading::deep(input, |text, diagnostics| program(text, main, diagnostics))
}

fn program(text: &str, main: Option<&str>, diagnostics: &mut Diagnostics) -> Option<Program> {
    if is_too_long(text, TEXT_MAX, diagnostics) {
        return None;
    }
    let ast = parse::file(text, diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    let checked = check::check(&ast, text, diagnostics);
    let main = main_node(&ast, text, main, diagnostics)?;
    if diagnostics.has_errors() {
        return None;
    }
    let builder = flatten::flatten(&checked, main, diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    let mut ordered = order::order(builder, diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    initial::check(&ordered, diagnostics);
    ordered.program.name = ast.text(ast.nodes[main].name.name).to_owned();
    ordered.program.enums = checked.types.enums;
    Some(ordered.program)
}

/// The node that is the program.
fn main_node(
    ast: &Ast,
    text: &str,
    wanted: Option<&str>,
    diagnostics: &mut Diagnostics,
) -> Option<usize> {
    let nodes: Vec<usize> = (0..ast.nodes.len())
        .filter(|index| !ast.nodes[*index].imported)
        .filter(|index| ast.nodes[*index].kind != NodeKind::Contract)
        .collect();
    let name = |index: &usize| ast.text(ast.nodes[*index].name.name);
    let start = crate::Span::first_of(text);
    if let Some(wanted) = wanted {
        let found = nodes.iter().find(|index| name(index) == wanted);
        if found.is_none() {
            let help = closest(wanted, nodes.iter().map(name));
            let help = help.map(|name| format!("did you mean `{name}`?"));
            let message = format!("there is no node `{wanted}` with a body");
            diagnostics.push(Diagnostic::error("lustre::main", start, message).maybe_help(help));
        }
        return found.copied();
    }
    let marked: Vec<usize> =
        nodes.iter().copied().filter(|index| ast.nodes[*index].main.is_some()).collect();
    if let [first, second, ..] = marked.as_slice() {
        let span = |index: &usize| ast.nodes[*index].main.unwrap_or(start);
        diagnostics.push(
            Diagnostic::error("lustre::main", span(second), "two nodes are marked as the main one")
                .also(span(first), "the other one"),
        );
        return None;
    }
    let called_main = || nodes.iter().copied().find(|index| name(index) == "main");
    let found = marked.first().copied().or_else(called_main).or_else(|| nodes.last().copied());
    if found.is_none() && !diagnostics.has_errors() {
        let error = Diagnostic::error("lustre::main", start, "there is no node with a body");
        diagnostics.push(error);
    }
    found
}
