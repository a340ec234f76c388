//! The declarations of a file, one per line, with their fields and attributes.
//!
//! A declaration ends with its line, except that attributes between braces may span lines.
//! Nothing is resolved here: fields are trimmed pieces of text with their place.
//!
//! After an error the reader goes on at the next line, so one file shows all its errors at once.

use crate::{
    SourceFile, Span,
    diagnostic::{Diagnostic, Diagnostics, closest},
};

/// The words that start declarations.
pub(super) const KEYWORDS: [&str; 8] =
    ["clock", "edge", "event", "int", "location", "process", "sync", "system"];

/// A trimmed piece of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
}

/// `key: value`
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute<'a> {
    pub(super) key: Field<'a>,
    pub(super) value: Field<'a>,
}

/// One declaration.
#[derive(Clone, Debug)]
pub(super) struct Declaration<'a> {
    /// One of [`KEYWORDS`].
    pub(super) keyword: Field<'a>,
    /// What stands between the colons.
    pub(super) fields: Vec<Field<'a>>,
    pub(super) attributes: Vec<Attribute<'a>>,
    /// From the keyword to the last field.
    pub(super) span: Span,
}

/// Splits a file into its declarations.
pub(super) fn declarations<'a>(
    file: &'a SourceFile,
    diagnostics: &mut Diagnostics,
) -> Vec<Declaration<'a>> {
    let mut scanner = Scanner { text: &file.text, at: 0, diagnostics };
    let mut list = Vec::new();
    while scanner.at < scanner.text.len() {
        list.extend(scanner.line());
    }
    list
}

/// Whether the text is an identifier of the file level (dots are allowed there).
pub(super) fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
}

struct Scanner<'a, 'd> {
    text: &'a str,
    at: usize,
    diagnostics: &'d mut Diagnostics,
}

impl<'a> Scanner<'a, '_> {
    /// The piece between two offsets, without white space around it.
    fn field(&self, start: usize, end: usize) -> Field<'a> {
        let piece = &self.text[start..end];
        let start = start + (piece.len() - piece.trim_start().len());
        let text = piece.trim();
        // Of a piece of white space only, the place is where it ends.
        let start = if text.is_empty() { end } else { start };
        Field { text, span: Span::new(start, start + text.len()) }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_line(&mut self) {
        self.at = self.text[self.at..].find('\n').map_or(self.text.len(), |n| self.at + n + 1);
    }

    /// Up to the first of these bytes, or the end of the file.
    fn find(&self, stop: &[u8]) -> usize {
        let bytes = &self.text.as_bytes()[self.at..];
        bytes.iter().position(|b| stop.contains(b)).map_or(self.text.len(), |n| self.at + n)
    }

    /// Reads one line (and the lines of its attributes).
    fn line(&mut self) -> Option<Declaration<'a>> {
        let start = self.at;
        let stop = self.find(b":#{}\n");
        let keyword = self.field(start, stop);
        if keyword.text.is_empty()
            && matches!(self.text.as_bytes().get(stop), None | Some(b'#' | b'\n'))
        {
            self.at = stop;
            self.skip_line();
            return None;
        }
        self.at = stop;
        if !KEYWORDS.contains(&keyword.text) {
            self.unknown_keyword(keyword);
            self.skip_line();
            return None;
        }
        let mut fields = Vec::new();
        while self.peek() == Some(b':') {
            let from = self.at + 1;
            self.at = from;
            self.at = self.find(b":#{}\n");
            fields.push(self.field(from, self.at));
        }
        let end = fields.last().map_or(keyword.span, |field: &Field| field.span);
        let span = keyword.span.to(end);
        let mut attributes = Vec::new();
        match self.peek() {
            Some(b'{') => self.attributes(&mut attributes),
            Some(b'}') => self.diagnostics.push(
                Diagnostic::error(
                    "tchecker::syntax",
                    Span::new(self.at, self.at + 1),
                    "`}` without a `{` before it",
                )
                .help("attributes stand between braces: `{initial:}`"),
            ),
            _ => {}
        }
        self.rest_of_line();
        Some(Declaration { keyword, fields, attributes, span })
    }

    fn unknown_keyword(&mut self, keyword: Field<'_>) {
        let word = keyword.text.split_whitespace().next().unwrap_or("");
        let help = match closest(word, KEYWORDS) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("a declaration starts with one of: {}", KEYWORDS.join(", ")),
        };
        let message = match KEYWORDS.contains(&word) {
            true => format!("expected `:` after `{word}`"),
            false => format!("expected a declaration, found `{}`", excerpt(keyword.text)),
        };
        let help = if KEYWORDS.contains(&word) {
            format!("fields are separated by colons: `{word}:…`")
        } else {
            help
        };
        self.diagnostics
            .push(Diagnostic::error("tchecker::syntax", keyword.span, message).help(help));
    }

    /// Behind the attributes only white space and a comment may follow.
    fn rest_of_line(&mut self) {
        let from = self.at;
        self.at = self.find(b"#\n");
        let rest = self.field(from, self.at);
        if !rest.text.is_empty() && rest.text != "}" {
            self.diagnostics.push(Diagnostic::error(
                "tchecker::syntax",
                rest.span,
                format!("expected the end of the line, found `{}`", excerpt(rest.text)),
            ));
        }
        self.skip_line();
    }

    /// Reads `{key: value : key: value}`; the cursor is at the opening brace.
    fn attributes(&mut self, attributes: &mut Vec<Attribute<'a>>) {
        let open = Span::new(self.at, self.at + 1);
        self.at += 1;
        if self.field(self.at, self.find(b"}:{#")).text.is_empty()
            && self.text[self.find(b"}:{#")..].starts_with('}')
        {
            self.at = self.find(b"}") + 1;
            return;
        }
        loop {
            let from = self.at;
            self.at = self.find(b":{}#");
            let key = self.field(from, self.at);
            if self.runs_into_declaration(from, self.at) || self.peek().is_none() {
                return self.unclosed(open, from);
            }
            if !is_identifier(key.text) {
                let found = if key.text.is_empty() {
                    "nothing".to_owned()
                } else {
                    format!("`{}`", excerpt(key.text))
                };
                self.diagnostics.push(
                    Diagnostic::error(
                        "tchecker::syntax",
                        key.span,
                        format!("expected the name of an attribute, found {found}"),
                    )
                    .help("attributes are `name: value`, separated by colons"),
                );
            }
            if self.peek() != Some(b':') {
                if is_identifier(key.text) {
                    self.diagnostics.push(
                        Diagnostic::error(
                            "tchecker::syntax",
                            key.span,
                            format!("expected `:` after the attribute `{}`", key.text),
                        )
                        .help(format!("an attribute without a value is written `{}:`", key.text)),
                    );
                }
                return self.close();
            }
            self.at += 1;
            let from = self.at;
            self.at = self.find(b":{}#");
            let value = self.field(from, self.at);
            if self.runs_into_declaration(from, self.at) || self.peek().is_none() {
                return self.unclosed(open, from);
            }
            if is_identifier(key.text) {
                attributes.push(Attribute { key, value });
            }
            match self.peek() {
                Some(b':') => self.at += 1,
                _ => return self.close(),
            }
        }
    }

    /// Expects the closing brace.
    fn close(&mut self) {
        let here = Span::new(self.at, (self.at + 1).min(self.text.len()));
        match self.peek() {
            Some(b'}') => {
                self.at += 1;
                return;
            }
            Some(b'#') => self.diagnostics.push(
                Diagnostic::error("tchecker::syntax", here, "a comment inside of attributes")
                    .help("move it to a line of its own, outside of the braces"),
            ),
            _ => self.diagnostics.push(Diagnostic::error(
                "tchecker::syntax",
                here,
                "expected `}` at the end of the attributes",
            )),
        }
        // Go on behind the closing brace, if it comes before the next declaration.
        let end = self.find(b"}");
        if end < self.text.len() && !self.runs_into_declaration(self.at, end) {
            self.at = end + 1;
        }
    }

    fn unclosed(&mut self, open: Span, from: usize) {
        self.diagnostics.push(
            Diagnostic::error("tchecker::syntax", open, "`{` is never closed")
                .help("attributes end with `}`"),
        );
        self.at = from;
        // Stay in front of the next declaration.
        let Some(next) = next_declaration(&self.text[from..]) else {
            self.at = self.text.len();
            return;
        };
        self.at = from + next;
    }

    fn runs_into_declaration(&self, from: usize, to: usize) -> bool {
        let end = self.text[to..].find('\n').map_or(self.text.len(), |n| to + n);
        next_declaration(&self.text[from..end]).is_some_and(|next| from + next < to)
    }
}

/// The offset of the first line break that a declaration follows.
fn next_declaration(text: &str) -> Option<usize> {
    text.match_indices('\n').map(|(at, _)| at).find(|at| {
        let line = text[at + 1..].trim_start_matches([' ', '\t', '\r']);
        KEYWORDS.iter().any(|keyword| {
            line.strip_prefix(keyword)
                .is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with(':'))
        })
    })
}

/// A piece of the file that is short enough for a message.
pub(super) fn excerpt(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    match line.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
