//! What is wrong with a model, said so that its author can act on it.
//!
//! A [`Diagnostic`] is data: a code, a message, the places involved, a help line that is true.
//! [`render`] turns it into text with an excerpt of the file; nothing here prints.

mod render;
mod suggest;

pub(crate) use render::render_from;
pub use render::{Style, render};
pub use suggest::closest;

use std::{
    borrow::Cow,
    hash::{Hash, Hasher},
};

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The model can be used; something in it is suspicious or is ignored.
    Warning,
    /// The model can not be used.
    Error,
}

/// One thing that the modeller can fix.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// A stable name such as `type::clock_equality`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The place that the message is about.
    pub span: Span,
    /// What is said at that place.
    pub label: String,
    /// Other places that are involved.
    pub related: Vec<(Span, String)>,
    /// What the place belongs to: `template Gate, edge Free → Occ, guard`.
    pub context: String,
    /// How to fix it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            span,
            label: String::new(),
            related: Vec::new(),
            context: String::new(),
            help: None,
        }
    }

    /// A warning at a place.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    /// Whether the model can not be used.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Says something at the place itself.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Points at another place.
    #[must_use]
    pub fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related.push((span, label.into()));
        self
    }

    /// Says how to fix it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says how to fix it, if anything is known.
    #[must_use]
    pub fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }
}

/// Collects what is wrong while a file is read, and knows where the reader is.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    context: Vec<Cow<'static, str>>,
    errors: usize,
    /// Hashes of all of them: the same complaint about the same place helps nobody twice.
    seen: rustc_hash::FxHashSet<u64>,
}

impl Diagnostics {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one, in the present context.
    pub fn push(&mut self, mut diagnostic: Diagnostic) {
        if diagnostic.context.is_empty() {
            diagnostic.context = self.context.join(", ");
        }
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        let mut hasher = rustc_hash::FxHasher::default();
        (diagnostic.code, diagnostic.span, &diagnostic.message).hash(&mut hasher);
        if self.seen.insert(hasher.finish()) {
            self.list.push(diagnostic);
        }
    }

    /// Runs `inside` with a piece of context, such as `template Gate`.
    pub fn within<T>(
        &mut self,
        context: impl Into<Cow<'static, str>>,
        inside: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.context.push(context.into());
        let result = inside(self);
        self.context.pop();
        result
    }

    /// Enters a piece of context; leave it with [`leave`](Self::leave).
    pub fn enter(&mut self, context: impl Into<Cow<'static, str>>) {
        self.context.push(context.into());
    }

    /// Leaves the innermost piece of context.
    pub fn leave(&mut self) {
        self.context.pop();
    }

    /// Where the reader is, outermost first.
    pub fn context(&self) -> &[Cow<'static, str>] {
        &self.context
    }

    /// Goes to another place for a while; gives the present one, to come back.
    pub fn replace_context(&mut self, context: Vec<Cow<'static, str>>) -> Vec<Cow<'static, str>> {
        std::mem::replace(&mut self.context, context)
    }

    /// How many errors were pushed.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// Whether any error was pushed.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// All of them, in the order of the file.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
        self.list
    }

    /// All of them, in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }
}
