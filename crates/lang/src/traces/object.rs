//! One line of JSON: an object, each of whose values is kept as it is written.

use std::{borrow::Cow, fmt};

use rustc_hash::FxHashSet;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{error::Fault, timeline::Word};
use crate::{Span, diagnostic::Diagnostic};

/// The keys and values of an object, in order. Numbers are kept as they are written: a double would
/// round them.
pub(crate) struct Object<'l> {
    /// The text of the object, and where it stands in the line.
    whole: Word<'l>,
    entries: Vec<(Cow<'l, str>, &'l str)>,
}

impl<'l> Object<'l> {
    /// Reads a line.
    pub(crate) fn read(line: &'l str) -> Result<Self, Fault> {
        Self::of(Word { text: line, span: Span::new(0, line.len()) })
    }

    /// Reads a part of a line; no key is there twice.
    pub(crate) fn of(whole: Word<'l>) -> Result<Self, Fault> {
        let text = whole.text;
        let Entries(entries) = serde_json::from_str(text).map_err(|error| {
            let why = error.to_string();
            let why = why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why);
            let at = text.floor_char_boundary(error.column().saturating_sub(1).min(text.len()));
            let at = whole.span.start as usize + at;
            let message = format!("this is not an object of JSON: {why}");
            Box::new(Diagnostic::error("trace::json", Span::new(at, at), message))
        })?;
        let object = Self { whole, entries };
        let mut seen = FxHashSet::default();
        let twice = object.entries.iter().position(|(key, _)| !seen.insert(key.as_ref()));
        if let Some(at) = twice {
            let message = format!("`{}` is there twice", object.entries[at].0);
            let span = object.key_span(at);
            return Err(Box::new(Diagnostic::error("trace::json", span, message)));
        }
        Ok(object)
    }

    /// The keys and values, each with its place.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (Word<'_>, Word<'l>)> {
        self.entries.iter().enumerate().map(|(at, (key, value))| {
            (Word { text: key, span: self.key_span(at) }, self.whole.part(value))
        })
    }

    /// The value of a key, as it is written.
    pub(crate) fn get(&self, key: &str) -> Option<Word<'l>> {
        let (_, value) = self.entries.iter().find(|(it, _)| it == key)?;
        Some(self.whole.part(value))
    }

    /// The place of a key; that of the whole object for keys with escapes.
    fn key_span(&self, at: usize) -> Span {
        match &self.entries[at].0 {
            Cow::Borrowed(key) => self.whole.part(key).span,
            Cow::Owned(_) => self.whole.span,
        }
    }
}

impl<'l> Word<'l> {
    /// A slice of the text, with its place.
    fn part(self, slice: &'l str) -> Word<'l> {
        let from = slice.as_ptr() as usize - self.text.as_ptr() as usize;
        let from = self.span.start as usize + from;
        Word { text: slice, span: Span::new(from, from + slice.len()) }
    }

    /// The values of a list of JSON, as they are written; none if it is no list.
    pub(super) fn items(self) -> Option<Vec<Word<'l>>> {
        let items: Vec<&'l RawValue> = serde_json::from_str(self.text).ok()?;
        Some(items.into_iter().map(|item| self.part(item.get())).collect())
    }

    /// A text or a number of JSON without quotes; something that is no value as it is written.
    pub(crate) fn scalar(self) -> Cow<'l, str> {
        match self.text.starts_with('"') {
            true => serde_json::from_str(self.text).map_or(Cow::Borrowed(self.text), |Text(it)| it),
            false => Cow::Borrowed(self.text),
        }
    }
}

/// A text, from the line itself if it has no escapes.
struct Text<'l>(Cow<'l, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Of;
        impl<'de> Visitor<'de> for Of {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Of)
    }
}

struct Entries<'l>(Vec<(Cow<'l, str>, &'l str)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Of;
        impl<'de> Visitor<'de> for Of {
            type Value = Entries<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<'de>, A::Error> {
                let mut entries = Vec::new();
                while let Some((Text(key), value)) = map.next_entry::<Text<'_>, &RawValue>()? {
                    entries.push((key, value.get()));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Of)
    }
}
