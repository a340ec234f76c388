//! The files of a folder, what is wrong with each, and in which line something stands.

use std::cell::Cell;

use punctual_model::usecases::Place;

use super::{BYTES_MAX, lints::Lint};
use crate::{
    Input, SourceFile, Span,
    diagnostic::{Diagnostic, Diagnostics, closest},
    model::decoded,
};

/// A file of a folder, and everything that is wrong with it, in the order of the file.
#[derive(Debug)]
pub struct Source {
    /// The file, for rendering diagnostics.
    pub file: SourceFile,
    /// What is wrong with the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// A file that is being read.
pub(super) struct Reader {
    pub(super) file: SourceFile,
    pub(super) diagnostics: Diagnostics,
    /// Which file of the folder it is.
    index: u32,
    /// Where lines begin.
    lines: Vec<u32>,
}

impl Reader {
    pub(super) fn new(index: usize, input: Input<'_>) -> Self {
        let mut diagnostics = Diagnostics::new();
        let file = if input.bytes.len() > BYTES_MAX {
            let limit = BYTES_MAX >> 20;
            let message = format!("the file is larger than {limit} MB");
            diagnostics.push(Diagnostic::error("usecases::size", Span::default(), message));
            SourceFile { name: input.name.to_owned(), text: String::new() }
        } else {
            decoded(input, &mut diagnostics)
        };
        let newlines = file.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = [0].into_iter().chain(newlines.map(|(at, _)| at as u32 + 1)).collect();
        Self { file, diagnostics, index: index as u32, lines }
    }

    /// Whether the file could be decoded.
    pub(super) fn is_text(&self) -> bool {
        !self.diagnostics.has_errors()
    }

    /// Whether the name of the file ends so.
    pub(super) fn has_suffix(&self, suffix: &str) -> bool {
        let name = self.file.name.to_ascii_lowercase();
        name.strip_suffix(suffix).is_some_and(|stem| stem.ends_with('.'))
    }

    /// The line that a span begins in.
    pub(super) fn place(&self, span: Span) -> Place {
        let line = self.lines.partition_point(|start| *start <= span.start);
        Place { file: self.index, line: line as u32 }
    }
}

/// The names that readers suggest. Comparing names costs time, so only so many suggestions are made for a folder.
pub(super) struct Hints {
    left: Cell<u32>,
}

impl Default for Hints {
    fn default() -> Self {
        Self { left: Cell::new(100) }
    }
}

impl Hints {
    /// Whether more suggestions are made.
    pub(super) fn allows(&self) -> bool {
        self.left.get() > 0
    }

    /// The likely name, if there is one.
    pub(super) fn closest<'a>(
        &self,
        name: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Option<&'a str> {
        let left = self.left.get().checked_sub(1)?;
        self.left.set(left);
        closest(name, candidates)
    }

    /// A help line that names the likely name.
    pub(super) fn help<'a>(
        &self,
        name: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Option<String> {
        self.closest(name, candidates).map(|it| format!("did you mean `{it}`?"))
    }
}

/// What all readers of a folder share.
#[derive(Default)]
pub(super) struct Context {
    pub(super) hints: Hints,
    /// The lints that are off.
    pub(super) off: Vec<String>,
}

impl Context {
    /// A warning of a lint, unless it is off.
    pub(super) fn lint(
        &self,
        diagnostics: &mut Diagnostics,
        lint: &Lint,
        span: Span,
        message: impl Into<String>,
        help: &str,
    ) {
        if self.off.iter().any(|name| name.eq_ignore_ascii_case(lint.name)) {
            return;
        }
        let message = match lint.is_rule() {
            true => format!("{} ({})", message.into(), lint.name),
            false => message.into(),
        };
        diagnostics.push(Diagnostic::warning(lint.code, span, message).help(help));
    }
}
