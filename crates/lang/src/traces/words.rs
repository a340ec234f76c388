//! Words of a file, line by line, in constant memory.

use std::io::BufRead;

use super::{
    error::{Fault, TraceError},
    lines::Lines,
};
use crate::{Span, diagnostic::Diagnostic};

/// What stands between and inside of words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Marks {
    /// Only blanks stand between words.
    Blanks,
    /// `(`, `)`, `,` and `;` are words, `//` and `/* */` are comments.
    Log,
}

/// The words of a file. The present one stays until the next one is asked for.
pub(super) struct Words<R> {
    lines: Lines<R>,
    marks: Marks,
    /// The present word in its line.
    span: Span,
}

impl<R: BufRead> Words<R> {
    pub(super) fn new(lines: Lines<R>, marks: Marks) -> Self {
        // Behind the present line, if there is one: it is read again, or it is over.
        let span = lines.end();
        Self { lines, marks, span }
    }

    /// Goes to the next word; false at the end of the file.
    pub(super) fn advance(&mut self) -> Result<bool, Fault> {
        // The line in which a comment begins that has not ended yet.
        let mut comment: Option<u64> = None;
        loop {
            let text = self.lines.text();
            let mut at = self.span.end as usize;
            loop {
                if comment.is_some() {
                    match text[at..].find("*/") {
                        Some(end) => (at, comment) = (at + end + 2, None),
                        None => break,
                    }
                }
                at += text[at..].len() - text[at..].trim_start().len();
                let rest = &text[at..];
                if rest.is_empty() || (self.marks == Marks::Log && rest.starts_with("//")) {
                    break;
                }
                if self.marks == Marks::Log && rest.starts_with("/*") {
                    comment = Some(self.lines.number());
                    at += 2;
                    continue;
                }
                self.span = Span::new(at, at + self.length(rest));
                return Ok(true);
            }
            if !self.lines.advance()? {
                self.span = self.lines.end();
                return match comment {
                    None => Ok(false),
                    Some(line) => {
                        let message =
                            format!("the comment of line {line} does not end; expected `*/`");
                        Err(Box::new(Diagnostic::error("trace::comment", self.span, message)))
                    }
                };
            }
            self.span = Span::default();
        }
    }

    fn length(&self, rest: &str) -> usize {
        let is_mark = |c: char| self.marks == Marks::Log && matches!(c, '(' | ')' | ',' | ';');
        match rest.starts_with(is_mark) {
            true => 1,
            false => rest.find(|c: char| c.is_whitespace() || is_mark(c)).unwrap_or(rest.len()),
        }
    }

    /// Goes to the next word, which must be there.
    pub(super) fn expect(&mut self, expected: &str) -> Result<(), Fault> {
        match self.advance()? {
            true => Ok(()),
            false => self.wrong(format!("expected {expected}, found the end of the file")),
        }
    }

    /// The present word.
    pub(super) fn text(&self) -> &str {
        &self.lines.text()[self.span.range()]
    }

    /// The place of the present word in its line.
    pub(super) fn span(&self) -> Span {
        self.span
    }

    /// Says what is wrong with the present word.
    pub(super) fn wrong<T>(&self, message: impl Into<String>) -> Result<T, Fault> {
        Err(Box::new(Diagnostic::error("trace::syntax", self.span, message)))
    }

    /// A fault in the present line, with its place in the file.
    pub(super) fn error(&self, fault: Fault) -> TraceError {
        self.lines.error(fault)
    }
}
