//! Tables of a TOML file, with the place of each key and value.

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::units;
use crate::{
    SourceFile, Span,
    diagnostic::{Diagnostic, Diagnostics, closest},
};

/// A text with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// Of the text itself, without quotes, if it has no escapes.
    pub(crate) span: Span,
    /// Whether characters of the text are bytes of the file from the start of the span on.
    pub(crate) verbatim: bool,
}

impl Word {
    /// The place of a part of the text.
    pub(crate) fn part(&self, from: usize, to: usize) -> Span {
        match self.verbatim {
            true => Span::new(self.span.start as usize + from, self.span.start as usize + to),
            false => self.span,
        }
    }
}

pub(crate) fn span<T>(value: &Spanned<T>) -> Span {
    Span::new(value.span().start, value.span().end)
}

/// Longer files are not read: each byte may be an event of the parser, which takes some 50 bytes of memory.
pub(crate) const TEXT_MAX: usize = 16 << 20;

/// The table of a file; says what is wrong if it is none.
pub(crate) fn parse<'t>(
    file: &'t SourceFile,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<DeTable<'t>>> {
    if file.text.len() > TEXT_MAX {
        let message = format!("files of this format have at most {} MB", TEXT_MAX >> 20);
        diagnostics.push(Diagnostic::error("toml::too_long", Span::default(), message));
        return None;
    }
    let (table, errors) = DeTable::parse_recoverable(&file.text);
    for error in errors {
        let span = match error.span() {
            Some(span) => Span::new(span.start, span.end),
            None => Span::first_of(&file.text),
        };
        diagnostics.push(Diagnostic::error("toml::syntax", span, error.message()));
    }
    (!diagnostics.has_errors()).then_some(table)
}

/// A table of which some keys are known.
pub(crate) struct Section<'t> {
    pub(crate) name: &'static str,
    file: &'t SourceFile,
    table: Option<&'t DeTable<'t>>,
    /// Where it stands.
    pub(crate) span: Span,
}

impl<'t> Section<'t> {
    /// The top of a file. Says what is wrong with keys that are not known.
    pub(crate) fn top(
        file: &'t SourceFile,
        table: &'t DeTable<'t>,
        known: &[&str],
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let span = Span::first_of(&file.text);
        let section = Self { name: "", file, table: Some(table), span };
        section.unknown(known, diagnostics);
        section
    }

    /// A table that stands in a list. Says what is wrong with keys that are not known.
    pub(crate) fn of(
        name: &'static str,
        file: &'t SourceFile,
        table: &'t DeTable<'t>,
        span: Span,
        known: &[&str],
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let section = Self { name, file, table: Some(table), span };
        section.unknown(known, diagnostics);
        section
    }

    /// A table in it; an empty one if it is missing.
    pub(crate) fn section(
        &self,
        name: &'static str,
        known: &[&str],
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let mut section = Self { name, file: self.file, table: None, span: self.span };
        let Some((key, value)) = self.table.and_then(|table| find(table, name)) else {
            return section;
        };
        section.span = span(key);
        match value.get_ref() {
            DeValue::Table(table) => section.table = Some(table),
            other => {
                let message = format!("`{name}` must be a table, not {}", kind(other));
                let help = format!("write `[{name}]` on a line of its own, and its keys below");
                diagnostics.push(Diagnostic::error("toml::type", span(value), message).help(help));
            }
        }
        section.unknown(known, diagnostics);
        section
    }

    /// Whether the file has it.
    pub(crate) fn exists(&self) -> bool {
        self.table.is_some()
    }

    fn unknown(&self, known: &[&str], diagnostics: &mut Diagnostics) {
        for (key, _) in self.table.into_iter().flatten() {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                continue;
            }
            let place = match self.name {
                "" => String::new(),
                section => format!(" in `[{section}]`"),
            };
            let message = format!("there is no key `{name}`{place}");
            let help = match closest(name, known.iter().copied()) {
                Some(name) => format!("did you mean `{name}`?"),
                None => format!("known keys: {}", known.join(", ")),
            };
            diagnostics.push(Diagnostic::error("toml::unknown_key", span(key), message).help(help));
        }
    }

    /// The value of a key.
    pub(crate) fn value(&self, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.table.and_then(|table| find(table, key)).map(|(_, value)| value)
    }

    /// The place of a key.
    pub(crate) fn key(&self, key: &str) -> Option<Span> {
        self.table.and_then(|table| find(table, key)).map(|(key, _)| span(key))
    }

    /// A text.
    pub(crate) fn text(&self, key: &str, diagnostics: &mut Diagnostics) -> Option<Word> {
        self.word(key, self.value(key)?, diagnostics)
    }

    /// True or false.
    pub(crate) fn truth(&self, key: &str, diagnostics: &mut Diagnostics) -> Option<bool> {
        let value = self.value(key)?;
        match value.get_ref() {
            DeValue::Boolean(it) => Some(*it),
            other => {
                let message = format!("`{key}` must be true or false, not {}", kind(other));
                diagnostics.push(Diagnostic::error("toml::type", span(value), message));
                None
            }
        }
    }

    /// The keys and values of a table in it, whatever they are; empty if it is missing.
    pub(crate) fn entries(&self, key: &str, diagnostics: &mut Diagnostics) -> Vec<Entry<'t>> {
        let Some(value) = self.value(key) else { return Vec::new() };
        match value.get_ref() {
            DeValue::Table(table) => table.iter().collect(),
            other => {
                let message = format!("`{key}` must be a table, not {}", kind(other));
                diagnostics.push(Diagnostic::error("toml::type", span(value), message));
                Vec::new()
            }
        }
    }

    /// A list of texts; empty if the key is missing.
    pub(crate) fn texts(&self, key: &str, diagnostics: &mut Diagnostics) -> Vec<Word> {
        let Some(value) = self.value(key) else { return Vec::new() };
        let DeValue::Array(items) = value.get_ref() else {
            let message = format!("`{key}` must be a list, not {}", kind(value.get_ref()));
            let help = format!("write `{key} = [\"…\", \"…\"]`");
            diagnostics.push(Diagnostic::error("toml::type", span(value), message).help(help));
            return Vec::new();
        };
        items.iter().filter_map(|item| self.word(key, item, diagnostics)).collect()
    }

    fn word(
        &self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Word> {
        let DeValue::String(text) = value.get_ref() else {
            let kind = kind(value.get_ref());
            let message = format!("`{key}` must be in quotes: a text, not {kind}");
            diagnostics.push(Diagnostic::error("toml::type", span(value), message));
            return None;
        };
        let range = value.span();
        // One quote, or three and perhaps a line end.
        let written = self.file.text.get(range.clone()).unwrap_or_default();
        let n_quotes =
            if written.starts_with("\"\"\"") || written.starts_with("'''") { 3 } else { 1 };
        let inner = written.get(n_quotes..written.len().saturating_sub(n_quotes));
        let start = inner.and_then(|inner| inner.strip_suffix(text.as_ref())).map(str::len);
        let start =
            start.filter(|at| *at == 0 || n_quotes == 3).map(|at| range.start + n_quotes + at);
        let span = start.map_or(span(value), |start| Span::new(start, start + text.len()));
        Some(Word { text: text.to_string(), span, verbatim: start.is_some() })
    }

    /// A whole number that is not negative and at most `most`.
    pub(crate) fn number(
        &self,
        key: &str,
        least: u64,
        most: u64,
        diagnostics: &mut Diagnostics,
    ) -> Option<u64> {
        let value = self.value(key)?;
        let number = match value.get_ref() {
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
            other => {
                let message = format!("`{key}` must be a whole number, not {}", kind(other));
                diagnostics.push(Diagnostic::error("toml::type", span(value), message));
                return None;
            }
        };
        let number = number.filter(|number| (least..=most).contains(number));
        if number.is_none() {
            let message = format!("`{key}` must be from {least} to {most}");
            diagnostics.push(Diagnostic::error("toml::range", span(value), message));
        }
        number
    }

    /// A duration in nanoseconds, at least `least`.
    pub(crate) fn duration(
        &self,
        key: &str,
        least: u64,
        diagnostics: &mut Diagnostics,
    ) -> Option<u64> {
        let word = self.text(key, diagnostics)?;
        let ns = units::duration(&word.text).and_then(|ns| match ns >= least {
            true => Ok(ns),
            false => Err(format!("`{key}` must not be zero")),
        });
        ns.map_err(|message| {
            let help = format!("a duration is {}", units::FORM);
            diagnostics.push(Diagnostic::error("toml::duration", word.span, message).help(help));
        })
        .ok()
    }

    /// A range of durations in nanoseconds.
    pub(crate) fn window(&self, key: &str, diagnostics: &mut Diagnostics) -> Option<(u64, u64)> {
        let word = self.text(key, diagnostics)?;
        units::window(&word.text)
            .map_err(|message| {
                let help = "write the least and the greatest delay, such as `0..2ms`";
                diagnostics.push(Diagnostic::error("toml::window", word.span, message).help(help));
            })
            .ok()
    }

    /// By how much a clock is wrong, in parts per billion.
    pub(crate) fn drift(&self, key: &str, diagnostics: &mut Diagnostics) -> Option<u32> {
        let word = self.text(key, diagnostics)?;
        units::drift(&word.text)
            .map_err(|message| {
                let help = "write by how much the clock of the system may be faster or slower, such as `50ppm` or `0.1%`";
                diagnostics.push(Diagnostic::error("toml::drift", word.span, message).help(help));
            })
            .ok()
    }

    /// One of several words.
    pub(crate) fn choice<T: Copy>(
        &self,
        key: &str,
        choices: &[(&str, T)],
        diagnostics: &mut Diagnostics,
    ) -> Option<T> {
        let word = self.text(key, diagnostics)?;
        let found = choices.iter().find(|(name, _)| *name == word.text);
        if found.is_none() {
            diagnostics.push(not_a_choice(key, &word, choices.iter().map(|(name, _)| *name)));
        }
        found.map(|(_, choice)| *choice)
    }
}

/// Says that a word is none of several.
pub(crate) fn not_a_choice<'a>(
    key: &str,
    word: &Word,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Diagnostic {
    let help = match closest(&word.text, names.clone()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known: {}", names.collect::<Vec<_>>().join(", ")),
    };
    let message = format!("`{}` is no value of `{key}`", word.text);
    Diagnostic::error("toml::choice", word.span, message).help(help)
}

/// A key and its value.
pub(crate) type Entry<'t> = (&'t Spanned<toml::de::DeString<'t>>, &'t Spanned<DeValue<'t>>);

fn find<'t>(table: &'t DeTable<'t>, name: &str) -> Option<Entry<'t>> {
    table.iter().find(|(key, _)| key.get_ref().as_ref() == name)
}

/// What a value is, in words.
pub(crate) fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// A basic string of TOML.
pub(crate) fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// A key of TOML, in quotes if it needs them.
#[must_use]
pub fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_owned(),
        false => serde_json::Value::from(name).to_string(),
    }
}
