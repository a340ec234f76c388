//! From text to syntax tree: one function per kind of text in a model.
//!
//! Each reads its whole text and reports everything that is wrong with it, so a tree comes back
//! also from a text with errors; [`ExprKind::Error`](super::ast::ExprKind::Error) and
//! [`TypeKind::Error`](super::ast::TypeKind::Error) stand for what could not be read. A text
//! without any token (blank, or only comments) is not an error anywhere.
//!
//! Nothing here panics, recurses without bound or builds a tree that is too high to be walked:
//! what is nested too deeply is refused with `parse::too_deep`.
//!
//! Not here: what names mean and which types fit.

mod cursor;
mod declarations;
mod expr;
mod labels;
mod query;
mod statements;
mod system;
mod types;
mod words;

use crate::Text;
use crate::diagnostic::Diagnostics;
use crate::uppaal::ast;

use cursor::{Mode, Parser};

/// Reads global or local declarations.
pub fn declarations(text: &Text, diagnostics: &mut Diagnostics) -> Vec<ast::Declaration> {
    Parser::new(text, Mode::Model, diagnostics).declaration_list()
}

/// Reads the parameters of a template, as they stand between its parentheses.
pub fn parameters(text: &Text, diagnostics: &mut Diagnostics) -> Vec<ast::Param> {
    Parser::new(text, Mode::Model, diagnostics).parameters()
}

/// Reads a guard, an invariant or a weight.
pub fn expression(text: &Text, diagnostics: &mut Diagnostics) -> Option<ast::Expr> {
    Parser::new(text, Mode::Model, diagnostics).only_expression()
}

/// Reads the updates of an edge.
pub fn update(text: &Text, diagnostics: &mut Diagnostics) -> Vec<ast::Expr> {
    Parser::new(text, Mode::Model, diagnostics).updates()
}

/// Reads what an edge selects.
pub fn select(text: &Text, diagnostics: &mut Diagnostics) -> Vec<ast::Binding> {
    Parser::new(text, Mode::Model, diagnostics).selects()
}

/// Reads what an edge synchronises on.
pub fn sync(text: &Text, diagnostics: &mut Diagnostics) -> Option<ast::Sync> {
    Parser::new(text, Mode::Model, diagnostics).synchronisation()
}

/// Reads the exponential rate of a location.
pub fn exponential_rate(
    text: &Text,
    diagnostics: &mut Diagnostics,
) -> Option<ast::ExponentialRate> {
    Parser::new(text, Mode::Model, diagnostics).rate()
}

/// Reads the system section, and before it the instantiation section that old files have.
///
/// That there is no system line is not reported here: [`ast::System::line`] is then empty.
pub fn system(
    instantiation: Option<&Text>,
    system: &Text,
    diagnostics: &mut Diagnostics,
) -> ast::System {
    let mut result = ast::System::default();
    if let Some(text) = instantiation {
        Parser::new(text, Mode::Model, diagnostics).system_section(&mut result);
    }
    Parser::new(system, Mode::Model, diagnostics).system_section(&mut result);
    result
}

/// Reads a query. What is part of UPPAAL but of no analysis here becomes
/// [`ast::Query::Unsupported`] without an error; a text without any token is no query.
pub fn query(text: &Text, diagnostics: &mut Diagnostics) -> Option<ast::Query> {
    Parser::new(text, Mode::Query, diagnostics).only_query()
}
