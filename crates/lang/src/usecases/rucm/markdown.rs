//! Lines of Markdown, without what is only about looks.

use super::super::{
    lints,
    sources::{Context, Reader},
};
use crate::{Span, Text};

/// A line that is no code and no comment.
pub(super) struct Line {
    /// Its text without `#`, emphasis and spaces around it.
    pub(super) text: Text,
    /// How many `#` it begins with.
    pub(super) level: usize,
    pub(super) is_indented: bool,
    /// Whether a blank line is before it.
    pub(super) is_apart: bool,
}

/// The lines of a file.
pub(super) fn lines(reader: &mut Reader, context: &Context) -> Vec<Line> {
    let mut found = Vec::new();
    let (mut is_code, mut is_comment, mut is_apart) = (false, false, true);
    let mut tight = Vec::new();
    let mut start = 0;
    for whole in reader.file.text.split_inclusive('\n') {
        let line_start = start;
        start += whole.len();
        let trimmed = whole.trim();
        if is_comment || trimmed.starts_with("<!--") {
            is_comment = !trimmed.contains("-->");
            continue;
        }
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            is_code = !is_code;
            continue;
        }
        if is_code {
            continue;
        }
        if trimmed.is_empty() {
            is_apart = true;
            continue;
        }
        let indent = whole.len() - whole.trim_start().len();
        let mut at = line_start + indent;
        let level = trimmed.bytes().take_while(|byte| *byte == b'#').count();
        let mut body = trimmed;
        if level > 0 {
            body = trimmed[level..].trim_start();
            at += trimmed.len() - body.len();
            let is_tight = !body.is_empty() && trimmed.len() - body.len() == level;
            if is_tight && level <= 6 {
                tight.push(Span::new(line_start + indent, line_start + indent + level));
            }
        }
        found.push(Line {
            text: plain(body, at),
            level,
            is_indented: indent >= 2,
            is_apart: std::mem::take(&mut is_apart),
        });
    }
    for span in tight {
        let help = "write a space behind `#`";
        let message = "a heading begins without a space";
        context.lint(&mut reader.diagnostics, &lints::HEADING, span, message, help);
    }
    found
}

/// A line without emphasis.
fn plain(line: &str, at: usize) -> Text {
    let mut text = Text::verbatim("", at);
    let mut start = 0;
    for piece in line.split("**") {
        if !piece.is_empty() {
            match text.text.is_empty() {
                true => text = Text::verbatim(piece, at + start),
                false => text.push_run(piece, at + start),
            }
        }
        start += piece.len() + 2;
    }
    let trimmed = text.text.trim();
    let from = text.text.len() - text.text.trim_start().len();
    let to = from + trimmed.len();
    text.slice(from..to)
}

/// Adds a line to a text.
pub(super) fn add(text: &mut Text, more: &Text) {
    if more.text.is_empty() {
        return;
    }
    if !text.text.is_empty() {
        let end = text.span.end;
        text.push_char(' ', Span { start: end, end: more.span.start.max(end) });
    }
    text.append(more);
}

/// An item of a list, without what marks it.
pub(super) fn without_bullet(text: &Text) -> Text {
    let from = ["- ", "* ", "+ "].iter().any(|it| text.text.starts_with(it)).then_some(2);
    text.slice(from.unwrap_or(0)..text.text.len())
}
