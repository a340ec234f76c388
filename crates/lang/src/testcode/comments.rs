//! The special comments of the system section: `/** TEST_PREFIX … */` and the like.

use std::ops::Range;

use punctual_model::IdVec;

use super::TestCode;
use crate::{
    Text,
    diagnostic::{Diagnostic, Diagnostics, closest},
};

const WORDS: [&str; 4] = ["TEST_PREFIX", "TEST_POSTFIX", "TEST_FILENAME", "TEST_FILEEXT"];

/// What the comments of a system section say; what they do not say is as in Yggdrasil.
pub(super) fn read(system: &Text, diagnostics: &mut Diagnostics) -> TestCode {
    let mut code = TestCode {
        prefix: String::new(),
        postfix: String::new(),
        file_name: "testcase".to_owned(),
        extension: ".code".to_owned(),
        processes: IdVec::new(),
    };
    diagnostics.enter("system declarations");
    for comment in comments(&system.text) {
        let body = &system.text[comment.clone()];
        let start = comment.start + body.len() - body.trim_start().len();
        let length = body.trim_start().find(char::is_whitespace).unwrap_or(body.trim_start().len());
        let word = start..start + length;
        let rest = word.end..comment.end;
        match &system.text[word.clone()] {
            "TEST_PREFIX" => code.prefix = lines(&system.text[rest]),
            "TEST_POSTFIX" => code.postfix = lines(&system.text[rest]),
            "TEST_FILENAME" => name(system, rest, &mut code.file_name, diagnostics),
            "TEST_FILEEXT" => name(system, rest, &mut code.extension, diagnostics),
            other if other.starts_with("TEST_") => {
                let near = closest(other, WORDS);
                let message = format!("`{other}` means nothing and is ignored");
                let warning =
                    Diagnostic::warning("testcode::unknown_word", system.locate(word), message);
                let help = near.map(|near| format!("did you mean `{near}`?"));
                diagnostics.push(warning.maybe_help(help));
            }
            _ => {}
        }
    }
    diagnostics.leave();
    code
}

/// The insides of comments that start with `/**`.
fn comments(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find('/') {
        let start = at + next;
        let rest = &text[start..];
        if rest.starts_with("//") {
            at = start + rest.find('\n').unwrap_or(rest.len());
        } else if let Some(inside) = rest.strip_prefix("/*") {
            let end = inside.find("*/").map_or(rest.len(), |end| end + 2);
            if rest.starts_with("/**") && end > 2 {
                found.push(start + 3..start + end);
            }
            at = (start + end + 2).min(text.len());
        } else {
            at = start + 1;
        }
    }
    found
}

/// The lines of a text between the line of its first word and the line that closes the comment.
fn lines(text: &str) -> String {
    let Some(first) = text.find('\n') else {
        // All on one line.
        return if text.trim().is_empty() { String::new() } else { format!("{}\n", text.trim()) };
    };
    let before = text[..first].trim();
    let inner = &text[first + 1..];
    let last = inner.rfind('\n').map_or(0, |newline| newline + 1);
    // A last line with text on it is text.
    let end = if inner[last..].trim().is_empty() { last } else { inner.trim_end().len() };
    let mut lines = String::new();
    for part in [before, &inner[..end]] {
        lines.push_str(part);
        if !part.is_empty() && !part.ends_with('\n') {
            lines.push('\n');
        }
    }
    lines
}

/// A part of the name of a file.
fn name(system: &Text, range: Range<usize>, into: &mut String, diagnostics: &mut Diagnostics) {
    let text = &system.text[range.clone()];
    let start = range.start + text.len() - text.trim_start().len();
    let text = text.trim();
    // A model must not write files elsewhere than where its user says.
    if text.chars().any(|c| matches!(c, '/' | '\\' | ':') || c.is_control()) {
        let place = system.locate(start..start + text.len());
        diagnostics.push(
            Diagnostic::error("testcode::file_name", place, "this can not be part of a file name")
                .help("name the file without its folder; `--test-code FOLDER` says where it goes"),
        );
        return;
    }
    text.clone_into(into);
}
