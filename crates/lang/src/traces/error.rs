//! What is wrong with a file that is read piece by piece.

use std::fmt;

use crate::{
    SourceFile,
    diagnostic::{Diagnostic, Style, render_from},
};

/// What is wrong in a line of a file: the diagnostic, and as much of the file as it takes to show it.
#[derive(Clone, Debug)]
pub struct TraceError {
    /// The name of the file, and the text of the line (or of the lines of a table's row).
    pub excerpt: SourceFile,
    /// Where the excerpt begins in the file, counted from 1.
    pub first_line: u64,
    /// What is wrong; its spans are bytes of the excerpt.
    pub diagnostic: Box<Diagnostic>,
}

/// A fault in the text that is being read.
pub(crate) type Fault = Box<Diagnostic>;

impl TraceError {
    /// The line that is meant, counted from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        let (line, _) = self.excerpt.line_column(self.diagnostic.span.start);
        self.first_line + line as u64 - 1
    }

    /// The character of the line that is meant, counted from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.excerpt.line_column(self.diagnostic.span.start).1
    }

    /// The error with the line it points at, as other diagnostics are shown.
    #[must_use]
    pub fn render(&self, style: Style) -> String {
        render_from(&self.diagnostic, &self.excerpt, self.first_line, style)
    }
}

/// One line for people, without the text of the file.
impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = &self.diagnostic.message;
        write!(f, "{}:{}:{}: {message}", self.excerpt.name, self.line(), self.column())?;
        match &self.diagnostic.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for TraceError {}

/// The beginning of a text, for messages.
pub(crate) fn excerpt(text: &str) -> String {
    const CHARS_MAX: usize = 40;
    let shown = |c: char| match c.is_control() {
        true => c.escape_debug().to_string(),
        false => c.to_string(),
    };
    let mut out: String = text.chars().take(CHARS_MAX).map(shown).collect();
    if text.chars().nth(CHARS_MAX).is_some() {
        out.push('…');
    }
    out
}
