//! The user's file, and places in it.
//!
//! Every piece of the language that is read (a label of an XML file, a declaration section) is a
//! [`Text`]: the characters after decoding, with a map back to the bytes of the file. So a
//! diagnostic always points into what the user sees in an editor, also behind entities.

use std::ops::Range;

/// A byte range of a [`SourceFile`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One behind the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// The first character of a text: where to point when a whole file is meant.
    pub fn first_of(text: &str) -> Self {
        Self::new(0, text.chars().next().map_or(0, char::len_utf8))
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The same span, as if so many bytes stood before its file.
    #[must_use]
    pub(crate) fn behind(self, bytes: u64) -> Self {
        let start = bytes as usize;
        Self::new(start + self.start as usize, start + self.end as usize)
    }

    /// As a range of bytes.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A file as it was read: its name, and its text as UTF-8 without a byte order mark.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// What the user calls it.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl SourceFile {
    /// The line and the column (both from 1; columns count characters) of a byte offset.
    pub fn line_column(&self, offset: u32) -> (usize, usize) {
        let before = &self.text[..self.text.floor_char_boundary(offset as usize)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// A decoded piece of a file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Text {
    /// The characters, after entities and the like are resolved.
    pub text: String,
    /// Where runs of the text come from: (offset in `text`, offset in the file), sorted. Between
    /// two entries both advance together. Where the file has more than the text (an entity, a
    /// comment, the gap between two pieces) an entry says where the character before it ends,
    /// and, if that is elsewhere, a second one for the same offset where the next one starts.
    pub map: Vec<(u32, u32)>,
    /// The piece in the file.
    pub span: Span,
}

impl Text {
    /// A text that stands in the file as it is.
    pub fn verbatim(text: &str, start: usize) -> Self {
        Self {
            text: text.to_owned(),
            map: vec![(0, start as u32)],
            span: Span::new(start, start + text.len()),
        }
    }

    /// Whether there is nothing but white space.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Where a range of the text stands in the file.
    pub fn locate(&self, range: Range<usize>) -> Span {
        let start = self.start_of(range.start as u32);
        let end = if range.is_empty() { start } else { self.end_before(range.end as u32) };
        Span { start, end: end.max(start) }
    }

    /// Appends characters that stand in the file as they are, from `at`.
    pub fn push_run(&mut self, run: &str, at: usize) {
        self.join(at as u32);
        self.text.push_str(run);
        self.span.end = self.span.end.max((at + run.len()) as u32);
    }

    /// Appends a character that the file spells with the bytes of `span`.
    pub fn push_char(&mut self, c: char, span: Span) {
        self.join(span.start);
        self.text.push(c);
        if self.end_before(self.text.len() as u32) != span.end {
            self.map.push((self.text.len() as u32, span.end));
        }
        self.span.end = self.span.end.max(span.end);
    }

    /// Appends another piece of the same file.
    pub fn append(&mut self, other: &Self) {
        if self.text.is_empty() && self.map.is_empty() {
            *self = other.clone();
            return;
        }
        if !other.text.is_empty() {
            let shift = self.text.len() as u32;
            self.join(other.start_of(0));
            let from = other.map.partition_point(|&(text, _)| text == 0);
            self.map.extend(other.map[from..].iter().map(|&(text, file)| (text + shift, file)));
            self.text.push_str(&other.text);
        }
        self.span = self.span.to(other.span);
    }

    /// A part of the text, as a text of its own.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        let (start, end) = (range.start as u32, range.end as u32);
        let mut map = vec![(0, self.start_of(start))];
        let from = self.map.partition_point(|&(text, _)| text <= start);
        map.extend(
            self.map[from..]
                .iter()
                .take_while(|&&(text, _)| text <= end)
                .map(|&(text, file)| (text - start, file)),
        );
        Self { text: self.text[range.clone()].to_owned(), map, span: self.locate(range) }
    }

    /// The text without white space around it.
    #[must_use]
    pub fn trimmed(&self) -> Self {
        let start = self.text.len() - self.text.trim_start().len();
        self.slice(start..start + self.text.trim().len())
    }

    /// The same text, as if as many bytes stood before its file.
    #[must_use]
    pub(crate) fn behind(&self, bytes: u32) -> Self {
        Self {
            text: self.text.clone(),
            map: self.map.iter().map(|&(text, file)| (text, file + bytes)).collect(),
            span: Span { start: self.span.start + bytes, end: self.span.end + bytes },
        }
    }

    /// Makes the next character stand at `at` in the file.
    fn join(&mut self, at: u32) {
        let len = self.text.len() as u32;
        if self.map.is_empty() {
            if len == 0 && self.span == Span::default() {
                self.span = Span { start: at, end: at };
            }
            self.map.push((0, at));
            return;
        }
        let end = self.end_before(len);
        if end == at && self.start_of(len) == at {
            return;
        }
        if self.map.last().is_some_and(|&(text, _)| text < len) {
            self.map.push((len, end));
        }
        if end != at {
            self.map.push((len, at));
        }
    }

    /// Where the character at `at` starts.
    fn start_of(&self, at: u32) -> u32 {
        match self.map.partition_point(|&(text, _)| text <= at) {
            0 => self.span.start,
            run => self.map[run - 1].1 + (at - self.map[run - 1].0),
        }
    }

    /// Where the character before `at` ends.
    fn end_before(&self, at: u32) -> u32 {
        let run = self.map.partition_point(|&(text, _)| text < at);
        match (self.map.get(run), run.checked_sub(1)) {
            (Some(&(text, file)), _) if text == at => file,
            (_, Some(run)) => self.map[run].1 + (at - self.map[run].0),
            (_, None) => self.span.start,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Span, Text};

    /// `a` stands at 10, `<` as an entity at 11..15, a comment fills 15..20, `bc` stands at 20.
    fn piece() -> Text {
        let mut text = Text::default();
        text.push_run("a", 10);
        text.push_char('<', Span::new(11, 15));
        text.push_run("bc", 20);
        text
    }

    #[test]
    fn characters_are_located_exactly() {
        let text = piece();
        assert_eq!(text.text, "a<bc");
        assert_eq!(text.locate(0..1), Span::new(10, 11));
        assert_eq!(text.locate(1..2), Span::new(11, 15));
        assert_eq!(text.locate(0..2), Span::new(10, 15));
        assert_eq!(text.locate(2..3), Span::new(20, 21));
        assert_eq!(text.locate(1..4), Span::new(11, 22));
        assert_eq!(text.locate(4..4), Span::new(22, 22));
        assert_eq!(text.span, Span::new(10, 22));
    }

    #[test]
    fn a_run_before_a_gap_ends_where_it_ends() {
        let mut text = Text::default();
        text.push_run("x", 5);
        text.push_run("y", 30);
        assert_eq!(text.locate(0..1), Span::new(5, 6));
        assert_eq!(text.locate(1..2), Span::new(30, 31));
    }

    #[test]
    fn parts_and_sums_keep_their_places() {
        let text = piece();
        let mut sum = text.slice(2..4);
        sum.append(&text.slice(0..2));
        assert_eq!(sum.text, "bca<");
        assert_eq!(sum.locate(1..2), Span::new(21, 22));
        assert_eq!(sum.locate(2..3), Span::new(10, 11));
        assert_eq!(sum.locate(3..4), Span::new(11, 15));
        assert_eq!(Text::verbatim("  id ", 7).trimmed().locate(0..2), Span::new(9, 11));
    }
}
