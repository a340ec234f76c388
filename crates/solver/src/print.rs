//! Terms as SMT-LIB text.
//!
//! Symbols are called `s0`, `s1`, …, definitions `t` and the number of their term. What is used more
//! than once, or nests deeply, becomes a definition, so the text is as long as the terms are many.

use std::fmt::Write;

use crate::term::{Node, Rational, Sort, Term, Terms, Value};

/// Which terms have been declared or defined.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    known: Vec<bool>,
}

impl Names {
    fn has(&self, term: Term) -> bool {
        self.known.get(term.index()).copied().unwrap_or(false)
    }

    fn add(&mut self, term: Term) {
        if self.known.len() <= term.index() {
            self.known.resize(term.index() + 1, false);
        }
        self.known[term.index()] = true;
    }

    pub(crate) fn remove(&mut self, term: Term) {
        if let Some(known) = self.known.get_mut(term.index()) {
            *known = false;
        }
    }
}

pub(crate) fn sort(sort: Sort) -> &'static str {
    match sort {
        Sort::Bool => "Bool",
        Sort::Int => "Int",
        Sort::Real => "Real",
    }
}

/// Writes the declarations and definitions that a term needs, and notes which these are. With
/// `itself`, the term is defined too, however seldom it is used.
pub(crate) fn define(
    terms: &Terms,
    term: Term,
    itself: bool,
    names: &mut Names,
    added: &mut Vec<Term>,
    text: &mut String,
) {
    // A term comes before what uses it; `true` says that its operands have been looked at.
    let mut stack = vec![(term, false)];
    while let Some((at, ready)) = stack.pop() {
        if names.has(at) {
            continue;
        }
        let node = terms.node(at);
        match node {
            Node::Constant(_) => {}
            Node::Symbol(number) => {
                names.add(at);
                added.push(at);
                let sort = sort(terms.symbol_sort(number));
                let _ = writeln!(text, "(declare-const s{number} {sort})");
            }
            _ if ready => {
                let _ = write!(text, "(define-fun t{} () {} ", at.0, sort(terms.sort(at)));
                composite(terms, at, names, text);
                text.push_str(")\n");
                names.add(at);
                added.push(at);
            }
            _ => {
                if terms.is_shared(at) || (itself && at == term) {
                    stack.push((at, true));
                }
                stack.extend(node.operands().map(|operand| (operand, false)));
            }
        }
    }
}

/// Writes a term whose definitions are there.
pub(crate) fn term(terms: &Terms, it: Term, names: &Names, text: &mut String) {
    match terms.node(it) {
        Node::Constant(value) => constant(value, text),
        Node::Symbol(number) => {
            let _ = write!(text, "s{number}");
        }
        _ if names.has(it) => {
            let _ = write!(text, "t{}", it.0);
        }
        _ => composite(terms, it, names, text),
    }
}

/// Writes a term with its operands. Deep ones are defined, so this does not recurse far.
fn composite(terms: &Terms, it: Term, names: &Names, text: &mut String) {
    let node = terms.node(it);
    let operator = match node {
        Node::Constant(_) | Node::Symbol(_) => return term(terms, it, names, text),
        Node::Not(_) => "not",
        Node::Neg(_) | Node::Sub(..) => "-",
        Node::ToReal(_) => "to_real",
        Node::Floor(_) => "to_int",
        Node::And(..) => "and",
        Node::Or(..) => "or",
        Node::Eq(..) => "=",
        Node::Lt(..) => "<",
        Node::Le(..) => "<=",
        Node::Add(..) => "+",
        Node::Mul(..) => "*",
        Node::Div(..) => "/",
        Node::IntDiv(..) => "div",
        Node::Mod(..) => "mod",
        Node::Ite(..) => "ite",
    };
    let _ = write!(text, "({operator}");
    for operand in node.operands() {
        text.push(' ');
        term(terms, operand, names, text);
    }
    text.push(')');
}

fn constant(value: Value, text: &mut String) {
    let _ = match value {
        Value::Bool(it) => write!(text, "{it}"),
        Value::Int(it) if it < 0 => write!(text, "(- {})", it.unsigned_abs()),
        Value::Int(it) => write!(text, "{it}"),
        Value::Real(it) => real(it, text),
    };
}

fn real(it: Rational, text: &mut String) -> std::fmt::Result {
    let (top, bottom) = (it.numer().unsigned_abs(), it.denom());
    match (*it.numer() < 0, *bottom == 1) {
        (false, true) => write!(text, "{top}.0"),
        (true, true) => write!(text, "(- {top}.0)"),
        (false, false) => write!(text, "(/ {top}.0 {bottom}.0)"),
        (true, false) => write!(text, "(- (/ {top}.0 {bottom}.0))"),
    }
}
