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

    /// The smallest span that covers both.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
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
    /// Where runs of the text come from: (offset in `text`, offset in the file). Between two
    /// entries both advance together; a character behind the last run of its entry (an entity,
    /// say) maps to the start of the next.
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
        if range.is_empty() {
            let at = self.offset(range.start as u32);
            return Span { start: at, end: at };
        }
        // The end is one behind the last character, which may be an entity: take where the
        // character behind it starts, but never across a gap between two pieces.
        let last = self.text.floor_char_boundary(range.end - 1) as u32;
        let width = self.text[last as usize..].chars().next().map_or(1, char::len_utf8) as u32;
        let end = self.offset(last).max(self.end_of(last, width));
        Span { start: self.offset(range.start as u32), end }
    }

    fn offset(&self, at: u32) -> u32 {
        match self.map.partition_point(|&(text, _)| text <= at) {
            0 => self.span.start,
            run => self.map[run - 1].1 + (at - self.map[run - 1].0),
        }
    }

    fn end_of(&self, at: u32, width: u32) -> u32 {
        // An entity is a run of its own, and the next run starts behind it.
        let run = self.map.partition_point(|&(text, _)| text <= at);
        match (run.checked_sub(1).map(|r| self.map[r]), self.map.get(run)) {
            (Some((text, file)), Some(&(next_text, next_file)))
                if text == at && next_text == at + width && next_file > file =>
            {
                next_file
            }
            _ => self.offset(at) + width,
        }
    }
}
