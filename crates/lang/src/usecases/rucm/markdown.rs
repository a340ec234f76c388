//! Lines of Markdown, without what is only about looks.

use rustc_hash::FxHashMap;

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

/// A line without emphasis: `**x**`, `*x*`, `_x_` and code are what is inside.
fn plain(line: &str, at: usize) -> Text {
    let mut text = Text::verbatim("", at);
    let mut start = 0;
    let end = (line.len(), line.len());
    for (from, to) in marks(line).into_iter().chain([end]) {
        let piece = &line[start..from];
        if !piece.is_empty() {
            match text.text.is_empty() {
                true => text = Text::verbatim(piece, at + start),
                false => text.push_run(piece, at + start),
            }
        }
        start = to;
    }
    let trimmed = text.text.trim();
    let from = text.text.len() - text.text.trim_start().len();
    let to = from + trimmed.len();
    text.slice(from..to)
}

/// What only marks emphasis, as ranges. A single mark counts if it stands at a border of a word and another one ends what it begins: `max_level`, `3 * 4` and a bullet
/// are text.
fn marks(line: &str) -> Vec<(usize, usize)> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    // Where marks are that may begin something, by what they are.
    let mut open: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    let mut at = 0;
    while at < bytes.len() {
        let mark = bytes[at];
        if !matches!(mark, b'*' | b'_' | b'`') {
            at += 1;
            continue;
        }
        let to = at + bytes[at..].iter().take_while(|it| **it == mark).count();
        let run = &line[at..to];
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let (before, behind) = (line[..at].chars().next_back(), line[to..].chars().next());
        let is_code = mark == b'`';
        let begins = !is_space(behind) && (is_code || !is_word(before));
        let ends = !is_space(before) && (is_code || !is_word(behind));
        let opened = open.get_mut(run).filter(|_| ends).and_then(Vec::pop);
        if run == "**" {
            found.push((at, to));
        } else if let Some(from) = opened {
            found.extend([(from, from + run.len()), (at, to)]);
        } else if begins {
            open.entry(run).or_default().push(at);
        }
        at = to;
    }
    found.sort_unstable();
    found
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

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn emphasis_is_no_text() {
        for (line, text) in [
            (
                "**The system** *SENDS* `level` TO _the probe_.",
                "The system SENDS level TO the probe.",
            ),
            ("***All*** of __it__", "All of it"),
            ("max_level of a_b_c is 3 * 4 * 5", "max_level of a_b_c is 3 * 4 * 5"),
            ("* an *item*, (*so*)", "* an item, (so)"),
            ("`a_b` and `open", "a_b and `open"),
            ("über *für* `ß`", "über für ß"),
            ("*", "*"),
        ] {
            assert_eq!(plain(line, 0).text, text, "{line}");
        }
    }

    /// What is wrong is shown where it stands in the file.
    #[test]
    fn places_stay() {
        let text = plain("a *b* `c`", 10);
        assert_eq!(text.text, "a b c");
        let span = text.locate(4..5);
        assert_eq!((span.start, span.end), (17, 18));
    }
}
