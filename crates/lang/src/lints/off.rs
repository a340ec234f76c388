//! Comments that turn lints off, and those that seem meant to.
//!
//! The rule: `lints off: NAME, NAME` on a line of a comment among the global declarations.

use std::{collections::BTreeSet, ops::Range};

use super::{NAMES, warning};
use crate::{
    Text,
    diagnostic::{Diagnostic, closest},
    document::Document,
    requirements::comments,
};

/// What turns lints off, in a comment.
const WORDS: &str = "lints off:";

/// What others say for it.
const VERBS: [&str; 5] = ["off", "disable", "ignore", "suppress", "allow"];

/// The lints that comments turn off; none if all are. What is no name of a lint is told, and so are comments that seem meant.
pub(super) fn turned_off(
    document: &Document,
    found: &mut Vec<Diagnostic>,
) -> Option<BTreeSet<String>> {
    let mut off = BTreeSet::new();
    let mut is_all = false;
    let declarations = &document.declarations;
    for range in lines_of_comments(declarations) {
        let line = &declarations.text[range.clone()];
        let Some(at) = line.to_ascii_lowercase().find(WORDS) else {
            if is_near(line) {
                let help =
                    format!("write `{WORDS} NAME`; the names are {}, or `all`", NAMES.join(", "));
                found.push(ignored(declarations, range).help(help));
            }
            continue;
        };
        let mut begin = range.start + at + WORDS.len();
        let mut is_empty = true;
        // Each piece ends with one separator of one byte.
        for piece in line[at + WORDS.len()..].split_inclusive([',', ' ', '\t']) {
            let word = piece.trim_end_matches([',', ' ', '\t', '\r']);
            let place = begin..begin + word.len();
            begin += piece.len();
            let name = word.strip_prefix("lint::").unwrap_or(word);
            is_empty &= name.is_empty();
            if NAMES.contains(&name) {
                off.insert(name.to_owned());
            } else if name == "all" {
                is_all = true;
            } else if !name.is_empty() {
                let message = format!("there is no lint `{name}`, so nothing is turned off by it");
                let help = match closest(name, NAMES) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the lints are {}, or `all`", NAMES.join(", ")),
                };
                let span = declarations.locate(place);
                found.push(warning("lint::unknown_lint", span, message).help(help));
            }
        }
        if is_empty {
            let help = format!("the names are {}, or `all`", NAMES.join(", "));
            found.push(ignored(declarations, range).help(help));
        }
    }
    let templates = document.templates.iter().map(|it| &it.declarations);
    for text in templates.chain(&document.instantiation).chain([&document.system]) {
        for range in lines_of_comments(text) {
            let line = &text.text[range.clone()];
            if is_near(line) {
                let help = "move it to the global declarations";
                found.push(ignored(text, range).help(help));
            }
        }
    }
    (!is_all).then_some(off)
}

fn ignored(text: &Text, line: Range<usize>) -> Diagnostic {
    let shown = text.text[line.clone()].trim();
    let begin = line.start + text.text[line].find(shown).unwrap_or_default();
    let span = text.locate(begin..begin + shown.len());
    warning("lint::unknown_lint", span, "this comment turns no lint off".to_owned())
}

/// The lines of all comments.
fn lines_of_comments(text: &Text) -> impl Iterator<Item = Range<usize>> {
    comments(&text.text).flat_map(|comment| {
        let mut begin = comment.start;
        text.text[comment].split_inclusive('\n').map(move |line| {
            let range = begin..begin + line.trim_end_matches(['\n', '\r']).len();
            begin += line.len();
            range
        })
    })
}

/// Whether a line of a comment begins as if it turned lints off: `lint off`, `lints disable`, `lint: ignore`.
fn is_near(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
    let Some(rest) = line.strip_prefix("lint") else { return false };
    let rest = rest.strip_prefix('s').unwrap_or(rest);
    let rest = rest.trim_start_matches([' ', '\t', ':', '-', '_']);
    let verb = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or(rest);
    VERBS.iter().any(|it| matches!(verb.strip_prefix(it), Some("" | "d" | "ed")))
}
