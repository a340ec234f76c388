//! Files of queries (`.q`): one formula per line, comments before it.
//!
//! A `\` at the end of a line continues it. A comment belongs to the next formula, unless it
//! stands behind a formula on the same line. `EXPECT:T` inside a comment states the answer that
//! the author expects.

use std::ops::Range;

use crate::decode::is_too_long;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::document::{Outcome, Query};
use crate::{SourceFile, Span, Text};

/// Longer files are not read: each query is parsed with a text of its own.
const TEXT_MAX: usize = 16 << 20;

/// A file with more queries was not written by people, and each of them takes more memory than its text.
const QUERIES_MAX: usize = 100_000;

/// The queries of a file, with their formulas unread.
pub fn split(file: &SourceFile, diagnostics: &mut Diagnostics) -> Vec<Query> {
    if is_too_long(&file.text, TEXT_MAX, diagnostics) {
        return Vec::new();
    }
    let mut splitter = Splitter {
        text: &file.text,
        at: 0,
        formula: None,
        comments: Vec::new(),
        queries: Vec::new(),
    };
    while splitter.at < file.text.len() {
        splitter.step(diagnostics);
        if splitter.queries.len() > QUERIES_MAX {
            let message = format!("a file of queries has at most {QUERIES_MAX}");
            let span = splitter.queries[QUERIES_MAX].formula.span;
            diagnostics.push(Diagnostic::error("decode::too_long", span, message));
            return Vec::new();
        }
    }
    splitter.finish();
    splitter.queries
}

struct Splitter<'a> {
    text: &'a str,
    at: usize,
    /// The formula that is being read, without white space around it.
    formula: Option<Range<usize>>,
    /// What comments say, without their delimiters.
    comments: Vec<Range<usize>>,
    queries: Vec<Query>,
}

impl Splitter<'_> {
    fn step(&mut self, diagnostics: &mut Diagnostics) {
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else { return };
        let start = self.at;
        self.at += first.len_utf8();
        if rest.starts_with("//") {
            let end = start + rest.find('\n').unwrap_or(rest.len());
            self.comments.push(start + 2..end);
            self.at = end;
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let Some(length) = comment.find("*/") else {
                diagnostics.push(
                    Diagnostic::error(
                        "lex::unterminated_comment",
                        Span::new(start, start + 2),
                        "this comment is never closed",
                    )
                    .help("close it with `*/`"),
                );
                self.at = self.text.len();
                return;
            };
            self.at = start + length + 4;
            // Between two parts of a formula it belongs to none but the formula itself.
            if self.formula.is_none() || matches!(self.next_visible(), None | Some('\n')) {
                self.comments.push(start + 2..start + 2 + length);
            }
        } else if first == '\n' {
            self.finish();
        } else if first == '\\' && self.next_visible() == Some('\n') {
            self.at = start + rest.find('\n').map_or(rest.len(), |length| length + 1);
        } else if !first.is_whitespace() {
            if first == '"' {
                let end = rest[1..].find(['"', '\n']).map_or(rest.len(), |length| length + 1);
                self.at += if rest[end..].starts_with('"') { end } else { 0 };
            }
            let begin = self.formula.take().map_or(start, |formula| formula.start);
            self.formula = Some(begin..self.at);
        }
    }

    /// The next character that is a line break or no white space.
    fn next_visible(&self) -> Option<char> {
        self.text[self.at..].chars().find(|&c| c == '\n' || !c.is_whitespace())
    }

    /// Ends the formula that is being read, if there is one.
    fn finish(&mut self) {
        let Some(formula) = self.formula.take() else { return };
        let comments = std::mem::take(&mut self.comments);
        let comment = self.comment(&comments);
        self.queries.push(Query {
            formula: Text::verbatim(&self.text[formula.clone()], formula.start),
            expectation: expectation(&comment.text),
            comment,
            ..Query::default()
        });
    }

    /// The lines of comments as one text.
    fn comment(&self, comments: &[Range<usize>]) -> Text {
        let mut text = String::new();
        let mut map = Vec::new();
        let mut span: Option<Span> = None;
        for comment in comments {
            let mut start = comment.start;
            for line in self.text[comment.clone()].split('\n') {
                let trimmed = line.trim();
                let offset = start + (line.len() - line.trim_start().len());
                start += line.len() + 1;
                // The editor signs its files; that says nothing about the first query.
                if trimmed.is_empty() || trimmed.starts_with("This file was generated from") {
                    continue;
                }
                if !text.is_empty() {
                    text.push('\n');
                }
                map.push((text.len() as u32, offset as u32));
                text.push_str(trimmed);
                let place = Span::new(offset, offset + trimmed.len());
                span = Some(span.map_or(place, |span| span.to(place)));
            }
        }
        Text { text, map, span: span.unwrap_or_default() }
    }
}

/// The answer that a comment states.
fn expectation(comment: &str) -> Option<Outcome> {
    let (_, stated) = comment.split_once("EXPECT:")?;
    let stated = stated.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
    let outcome = stated.split(',').find_map(|word| {
        Some(match word {
            "T" | "SAT" | "SATISFIED" | "TRUE" => "success",
            "F" | "UNSAT" | "UNSATISFIED" | "FALSE" => "failure",
            "MT" | "MSAT" | "MAYBE_SATISFIED" | "MAYBE_TRUE" => "maybe_true",
            "MF" | "MUNSAT" | "MAYBE_UNSATISFIED" | "MAYBE_FALSE" => "maybe_false",
            "E" | "ERR" | "ERROR" => "error",
            _ => return None,
        })
    })?;
    Some(Outcome { outcome: Some(outcome.to_owned()), ..Outcome::default() })
}
