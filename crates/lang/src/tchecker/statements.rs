//! From statements to updates.
//!
//! Plain assignments become the update of the edge. Where there are choices, loops or local
//! variables, all statements of the edge become a function without parameters, which the update
//! calls; it is named after the edge (`Gate.edge3`).
//!
//! Each `local` takes slots of its own in the frame and starts at zero whenever it is executed.
//! It is visible to the end of its block.

use punctual_model::{Expr, Frame, Number, Place, Range, Statement, Storage};

use super::{
    build::SLOTS_MAX,
    expr::{Named, Symbol, Translator, assign},
    syntax::Statement as Tree,
};
use crate::{Span, diagnostic::Diagnostic};

/// What the statements of an edge become.
pub(super) enum Effect {
    Update(Vec<Expr>),
    Body(Vec<Statement>, Frame),
}

/// Translates all statements of an edge.
pub(super) fn translate(list: &[Tree], translator: &mut Translator<'_, '_>) -> Option<Effect> {
    let plain = list.iter().all(|statement| matches!(statement, Tree::Nop | Tree::Assign(..)));
    let mut frame = Frame::default();
    let body = block(list, translator, &mut frame)?;
    if !plain {
        return Some(Effect::Body(body, frame));
    }
    let update = body.into_iter().filter_map(|statement| match statement {
        Statement::Expr(expr) => Some(expr),
        _ => None,
    });
    Some(Effect::Update(update.collect()))
}

fn block(
    list: &[Tree],
    translator: &mut Translator<'_, '_>,
    frame: &mut Frame,
) -> Option<Vec<Statement>> {
    let visible = translator.scope.locals.len();
    let mut body = Some(Vec::new());
    for statement in list {
        let mut translated = Vec::new();
        let good = single(statement, translator, frame, &mut translated);
        body = good.and(body).map(|mut body| {
            body.append(&mut translated);
            body
        });
    }
    translator.scope.locals.truncate(visible);
    body
}

fn single(
    statement: &Tree,
    translator: &mut Translator<'_, '_>,
    frame: &mut Frame,
    into: &mut Vec<Statement>,
) -> Option<()> {
    match statement {
        Tree::Nop => {}
        Tree::Assign(target, value) => {
            into.push(Statement::Expr(translator.assignment(target, value)?));
        }
        Tree::If(condition, yes, no) => {
            let condition = translator.test(condition);
            let yes = block(yes, translator, frame);
            let no = block(no, translator, frame);
            into.push(Statement::If(condition?, yes?, no?));
        }
        Tree::While(condition, body) => {
            let condition = translator.test(condition);
            let body = block(body, translator, frame);
            into.push(Statement::While(condition?, body?));
        }
        Tree::Local(name, at, value) => {
            // The value is computed before the name exists.
            let value = value.as_ref().map(|value| translator.int(value));
            let place = declare(name, *at, 1, translator, frame)?;
            into.push(Statement::Clear { place: place.clone(), value: 0 });
            if let Some(value) = value {
                into.push(Statement::Expr(assign(place, value?)));
            }
        }
        Tree::LocalArray(name, at, size) => {
            let value = translator.int(size)?;
            let Some(len) =
                value.as_int().and_then(|len| u32::try_from(len).ok()).filter(|len| *len > 0)
            else {
                translator.diagnostics.push(Diagnostic::error(
                    "tchecker::size",
                    size.span,
                    "the size of a local array must be a positive constant",
                ));
                return None;
            };
            let place = declare(name, *at, len, translator, frame)?;
            into.push(Statement::Clear { place, value: 0 });
        }
    }
    Some(())
}

fn declare(
    name: &str,
    at: Span,
    len: u32,
    translator: &mut Translator<'_, '_>,
    frame: &mut Frame,
) -> Option<Place> {
    if let Some(other) = translator.scope.find(name) {
        let diagnostic =
            Diagnostic::error("tchecker::duplicate", at, format!("`{name}` is declared already"))
                .also(other.span, "first declared here")
                .help("a local variable can not hide another one");
        translator.diagnostics.push(diagnostic);
        return None;
    }
    if u64::from(frame.ints) + u64::from(len) > SLOTS_MAX {
        translator.diagnostics.push(
            Diagnostic::error("tchecker::size", at, "local variables take too much memory")
                .help(format!("at most {SLOTS_MAX} elements can be declared")),
        );
        return None;
    }
    let base = frame.ints;
    frame.ints += len;
    let symbol = Symbol::Locals { base, len };
    translator.scope.locals.push(Named { name: name.to_owned(), span: at, symbol });
    Some(Place {
        storage: Storage::Local,
        number: Number::Int,
        base,
        indices: Vec::new(),
        size: len,
        range: Range::ALL,
    })
}
