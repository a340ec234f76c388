//! Labels of test code, cut into text and the expressions inside of `$(…)`.

use crate::{
    Text,
    diagnostic::{Diagnostic, Diagnostics},
    uppaal::{ast, parse},
};

/// The code of a template, before its names are resolved.
#[derive(Default)]
pub(crate) struct TemplateCode {
    pub(crate) enter: Vec<Parsed>,
    pub(crate) exit: Vec<Parsed>,
    /// The code of all edges of the document, those behind branchpoints included.
    pub(crate) edges: Vec<Parsed>,
}

/// The pieces of a label, before their names are resolved.
#[derive(Default)]
pub(crate) struct Parsed {
    pub(crate) pieces: Vec<Piece>,
}

pub(crate) enum Piece {
    Text(String),
    Hole(ast::Expr),
}

/// Cuts a label. Empty lines before it and white space behind it are not part of the code.
pub(super) fn split(label: &Text, diagnostics: &mut Diagnostics) -> Parsed {
    let from = label.text.len() - label.text.trim_start().len();
    let from = label.text[..from].rfind('\n').map_or(0, |newline| newline + 1);
    let label = label.slice(from..label.text.trim_end().len().max(from));
    let text = label.text.as_str();
    let mut pieces = Vec::new();
    let mut run = String::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if rest.starts_with("\\$") || rest.starts_with("\\\\") {
            run.push_str(&rest[1..2]);
            at += 2;
        } else if let Some(behind) = rest.strip_prefix("$(") {
            let Some(len) = inside(behind) else {
                diagnostics.push(
                    Diagnostic::error(
                        "testcode::not_closed",
                        label.locate(at..at + 2),
                        "this value is not closed",
                    )
                    .help("close it with `)`; a plain `$(` is written `\\$(`"),
                );
                at += 2;
                continue;
            };
            pieces.extend((!run.is_empty()).then(|| Piece::Text(std::mem::take(&mut run))));
            let hole = label.slice(at + 2..at + 2 + len);
            match parse::expression(&hole, diagnostics) {
                Some(expr) => pieces.push(Piece::Hole(expr)),
                None => diagnostics.push(
                    Diagnostic::error(
                        "testcode::empty",
                        label.locate(at..at + len + 3),
                        "this names no value",
                    )
                    .help("name a variable, such as `$(count)`"),
                ),
            }
            at += len + 3;
        } else {
            run.push(c);
            at += c.len_utf8();
        }
    }
    pieces.extend((!run.is_empty()).then_some(Piece::Text(run)));
    Parsed { pieces }
}

/// The length of a text up to the parenthesis that closes it.
fn inside(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}
