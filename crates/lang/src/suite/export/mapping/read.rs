//! Mapping tables in TOML.

use std::collections::BTreeMap;

use regex::RegexBuilder;
use toml::de::DeValue;

use super::{Mapping, Piece, Rule};
use crate::{
    SourceFile, Span,
    diagnostic::{Diagnostic, Diagnostics},
    testing::table::{Section, Word, kind, parse, span},
};

const TOP: [&str; 6] = ["before", "after", "each", "suffix", "map", "values"];
const RULE: [&str; 3] = ["match", "regex", "to"];

/// A pattern that needs more memory than this is no pattern of a person.
const REGEX_BYTES_MAX: usize = 1 << 20;

pub(super) fn mapping(file: &SourceFile, diagnostics: &mut Diagnostics) -> Option<Mapping> {
    let table = parse(file, diagnostics)?;
    let top = Section::top(file, table.get_ref(), &TOP, diagnostics);
    let texts = |key: &str, diagnostics: &mut Diagnostics| -> Vec<String> {
        top.texts(key, diagnostics).into_iter().map(|word| word.text).collect()
    };
    let values = values(&top, diagnostics);
    let suffix = top.text("suffix", diagnostics).map_or("txt".to_owned(), |word| word.text);
    let mut mapping = Mapping {
        before: texts("before", diagnostics),
        after: texts("after", diagnostics),
        each: top.truth("each", diagnostics).unwrap_or(false),
        suffix: suffix.trim_start_matches('.').to_owned(),
        rules: Vec::new(),
        values,
    };
    let Some(value) = top.value("map") else { return Some(mapping) };
    let DeValue::Array(items) = value.get_ref() else {
        let message = format!("`map` must be a list of tables, not {}", kind(value.get_ref()));
        diagnostics.push(Diagnostic::error("toml::type", span(value), message));
        return None;
    };
    for item in items.iter() {
        match item.get_ref() {
            DeValue::Table(rule) => {
                let section = Section::of("map", file, rule, span(item), &RULE, diagnostics);
                mapping.rules.extend(self::rule(&section, &mapping.values, diagnostics));
            }
            other => {
                let message = format!("`map` must list tables, not {}", kind(other));
                diagnostics.push(Diagnostic::error("toml::type", span(item), message));
            }
        }
    }
    Some(mapping)
}

/// Tables of values: names to texts or numbers.
fn values(
    top: &Section<'_>,
    diagnostics: &mut Diagnostics,
) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for (name, table) in top.entries("values", diagnostics) {
        let DeValue::Table(entries) = table.get_ref() else {
            let message = format!("`values` has tables, not {}", kind(table.get_ref()));
            let help = "write `[values.velocity]` on a line of its own, and its values below";
            diagnostics.push(Diagnostic::error("toml::type", span(table), message).help(help));
            continue;
        };
        let mut values = BTreeMap::new();
        for (key, value) in entries {
            let text = match value.get_ref() {
                DeValue::String(text) => text.to_string(),
                DeValue::Integer(number) => number.as_str().to_owned(),
                DeValue::Float(number) => number.as_str().to_owned(),
                DeValue::Boolean(truth) => truth.to_string(),
                other => {
                    let message = format!("a value is a text or a number, not {}", kind(other));
                    diagnostics.push(Diagnostic::error("toml::type", span(value), message));
                    continue;
                }
            };
            values.insert(key.get_ref().to_string(), text);
        }
        found.insert(name.get_ref().to_string(), values);
    }
    found
}

fn rule(
    section: &Section<'_>,
    values: &BTreeMap<String, BTreeMap<String, String>>,
    diagnostics: &mut Diagnostics,
) -> Option<Rule> {
    let simple = section.text("match", diagnostics);
    let (word, source) = match (simple, section.text("regex", diagnostics)) {
        (Some(word), None) => {
            let source = as_regex(&word.text);
            (word, source)
        }
        (None, Some(word)) => {
            let source = word.text.clone();
            (word, source)
        }
        (Some(_), Some(regex)) => {
            let message = "a row has `match` or `regex`, not both";
            diagnostics.push(Diagnostic::error("mapping::row", regex.span, message));
            return None;
        }
        (None, None) => {
            if section.key("match").is_none() && section.key("regex").is_none() {
                let message = "this row matches nothing: `match` or `regex` is missing";
                diagnostics.push(Diagnostic::error("mapping::row", section.span, message));
            }
            return None;
        }
    };
    let regex = RegexBuilder::new(&format!("^(?:{source})$")).size_limit(REGEX_BYTES_MAX).build();
    let regex = match regex {
        Ok(regex) => regex,
        Err(error) => {
            let why = error.to_string();
            let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
            let message = format!("this is no regular expression: {why}");
            diagnostics.push(Diagnostic::error("mapping::regex", word.span, message));
            return None;
        }
    };
    let lines = match section.value("to").map(|value| value.get_ref()) {
        None => {
            let message = "nothing says what is written: `to` is missing";
            let help = "`to = []` leaves the line out";
            let missing = Diagnostic::error("mapping::row", section.span, message);
            diagnostics.push(missing.help(help));
            return None;
        }
        Some(DeValue::Array(_)) => section.texts("to", diagnostics),
        Some(_) => section.text("to", diagnostics).into_iter().collect(),
    };
    let n_groups = regex.captures_len() - 1;
    let mut to = Vec::new();
    for line in lines {
        to.push(pieces(&line, n_groups, values, diagnostics));
    }
    Some(Rule { pattern: word.text, regex, to })
}

/// A pattern in which `(*)` is any text, and spaces do not matter much.
fn as_regex(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern.trim();
    while let Some(c) = rest.chars().next() {
        let is_gap = |c: char| c.is_whitespace() || c == '=' || c == ',';
        if let Some(after) = rest.strip_prefix("(*)") {
            out += "(.*?)";
            rest = after;
        } else if is_gap(c) {
            let end = rest.find(|c| !is_gap(c)).unwrap_or(rest.len());
            let (gap, after) = rest.split_at(end);
            let marks: String = gap.chars().filter(|c| !c.is_whitespace()).collect();
            match marks.is_empty() {
                true => out += r"\s+",
                false => out += &format!(r"\s*{}\s*", regex::escape(&marks)),
            }
            rest = after;
        } else {
            out += &regex::escape(&c.to_string());
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// The parts of a line: text, `$1`, `${1}`, `${1:velocity}`; `$$` is a dollar.
fn pieces(
    word: &Word,
    n_groups: usize,
    values: &BTreeMap<String, BTreeMap<String, String>>,
    diagnostics: &mut Diagnostics,
) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut at = 0;
    let mut wrong = |span: Span, message: String| {
        diagnostics.push(Diagnostic::error("mapping::group", span, message));
    };
    while let Some(c) = word.text[at..].chars().next() {
        let rest = &word.text[at + c.len_utf8()..];
        if c != '$' {
            text.push(c);
            at += c.len_utf8();
            continue;
        }
        if rest.starts_with('$') {
            text.push('$');
            at += 2;
            continue;
        }
        let (inner, length) = match rest.strip_prefix('{') {
            Some(inner) => match inner.split_once('}') {
                Some((inner, _)) => (inner, inner.len() + 3),
                None => ("", 2),
            },
            None => {
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                (&rest[..end], 1 + end)
            }
        };
        let span = word.part(at, at + length);
        let (number, table) = match inner.split_once(':') {
            Some((number, table)) => (number, Some(table.trim())),
            None => (inner, None),
        };
        match number.trim().parse::<usize>() {
            Ok(number) if (1..=n_groups).contains(&number) => {
                if let Some(table) = table.filter(|it| !values.contains_key(*it)) {
                    wrong(span, format!("there is no table `[values.{table}]`"));
                }
                pieces.push(Piece::Text(std::mem::take(&mut text)));
                pieces.push(Piece::Group(number, table.map(ToOwned::to_owned)));
            }
            Ok(number) => {
                wrong(span, format!("the pattern has {n_groups} captured texts, not `${number}`"));
            }
            Err(_) => {
                let message = "a number follows `$`, as in `$1` or `${1:table}`; `$$` is a dollar";
                wrong(span, message.to_owned());
            }
        }
        at += length;
    }
    pieces.push(Piece::Text(text));
    pieces
}
