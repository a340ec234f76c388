//! The syntax of constraints.

use punctual_model::usecases::{Binary, Unary};

use crate::Span;

/// A word with its place.
#[derive(Clone, Debug)]
pub(in super::super) struct Word {
    pub(in super::super) text: String,
    pub(in super::super) span: Span,
}

/// A constraint as it is written.
pub(in super::super) struct RawConstraint {
    /// The sentences above it.
    pub(in super::super) keys: Vec<Word>,
    /// True if `inv` stands before the colon.
    pub(in super::super) is_invariant: bool,
    pub(in super::super) name: String,
    /// The class.
    pub(in super::super) context: Word,
    /// Another name for `self`.
    pub(super) variable: Option<Word>,
    pub(super) body: Ex,
    /// Where the body stands.
    pub(super) body_span: Span,
}

/// An expression with its place.
pub(super) struct Ex {
    pub(super) kind: ExKind,
    pub(super) span: Span,
    /// How many expressions are inside of each other.
    pub(super) depth: usize,
    /// Whether parentheses stand around it.
    pub(super) is_closed: bool,
}

pub(super) enum ExKind {
    Boolean(bool),
    /// A number, as it is written.
    Number(String),
    /// `self`.
    Context,
    Name(String),
    /// `Enumeration::Value`.
    Path(Word, Word),
    /// `source.name`.
    Dot(Box<Ex>, Word),
    /// `source.name()`, without arguments.
    Call(Box<Ex>, Word),
    /// `source->name(…)`.
    Arrow(Box<Ex>, Word, Option<Box<Iteration>>),
    Unary(Unary, Box<Ex>),
    Binary(Binary, Box<Ex>, Box<Ex>),
    /// Operands of `and`, or of `or`.
    Chain(Binary, Vec<Ex>),
}

/// What stands between the parentheses of an iterator.
pub(super) struct Iteration {
    pub(super) variable: Option<Word>,
    /// The class that is written behind the variable.
    pub(super) class: Option<Word>,
    pub(super) body: Ex,
}
