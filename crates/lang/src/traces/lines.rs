//! Lines of a file, one after the other, in constant memory.

use std::io::BufRead;

use super::error::{Fault, TraceError};
use crate::{SourceFile, Span, diagnostic::Diagnostic};

/// Longer lines than this are refused: a file without line ends must not fill the memory.
const BYTES_MAX: u64 = 1 << 24;

/// The lines of a file. The present one is kept, so that what is wrong with it can be shown.
pub(crate) struct Lines<R> {
    name: String,
    source: R,
    bytes: Vec<u8>,
    text: String,
    /// The present line, counted from 1; 0 before the first.
    number: u64,
    /// Where the present line begins in the file, and where the next one does.
    start: u64,
    next_start: u64,
    /// The present line is to be read once more.
    is_unread: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(name: &str, source: R) -> Self {
        Self {
            name: name.to_owned(),
            source,
            bytes: Vec::new(),
            text: String::new(),
            number: 0,
            start: 0,
            next_start: 0,
            is_unread: false,
        }
    }

    /// Goes to the next line; false at the end of the file, where the last line stays the present one.
    pub(crate) fn advance(&mut self) -> Result<bool, Fault> {
        if std::mem::take(&mut self.is_unread) {
            return Ok(true);
        }
        self.bytes.clear();
        let mut limited = std::io::Read::take(&mut self.source, BYTES_MAX + 1);
        let read = limited.read_until(b'\n', &mut self.bytes);
        let n_bytes = read.map_err(|error| {
            let message = format!("can not read on: {error}");
            Box::new(Diagnostic::error("trace::io", self.whole(), message))
        })?;
        if n_bytes == 0 {
            return Ok(false);
        }
        self.number += 1;
        self.start = self.next_start;
        self.next_start += n_bytes as u64;
        let mut bytes = self.bytes.as_slice();
        if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf").filter(|_| self.number == 1) {
            bytes = rest;
            self.start += 3;
        }
        bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        self.text.clear();
        let wrong = |at: usize, message: String| {
            Box::new(Diagnostic::error("trace::text", Span::new(at, at), message))
        };
        match std::str::from_utf8(bytes) {
            Ok(text) => self.text.push_str(text),
            Err(error) => {
                // As much of the line as can be shown.
                self.text.push_str(&String::from_utf8_lossy(&bytes[..bytes.len().min(200)]));
                let at = error.valid_up_to().min(self.text.len());
                return Err(wrong(at, "this is not UTF-8".to_owned()));
            }
        }
        if n_bytes as u64 > BYTES_MAX {
            self.text.truncate(self.text.floor_char_boundary(200));
            let mega = BYTES_MAX >> 20;
            return Err(wrong(0, format!("this line has more than {mega} MB")));
        }
        Ok(true)
    }

    /// Goes to the next line with anything on it; false at the end of the file.
    pub(crate) fn advance_to_text(&mut self) -> Result<bool, Fault> {
        while self.advance()? {
            if !self.text.trim().is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Makes the next [`advance`](Self::advance) come to the present line again.
    pub(crate) fn unread(&mut self) {
        self.is_unread = self.number > 0;
    }

    /// The present line, without its end.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The number of the present line, counted from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The place of the present line in the file.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// All of the present line.
    pub(crate) fn whole(&self) -> Span {
        Span::new(0, self.text.len())
    }

    /// Behind the present line.
    pub(crate) fn end(&self) -> Span {
        Span::new(self.text.len(), self.text.len())
    }

    /// A fault in the present line, with its place in the file.
    pub(crate) fn error(&self, fault: Fault) -> TraceError {
        self.error_in(fault, &self.text, self.number)
    }

    /// A fault in a text that begins in a line of the file.
    pub(crate) fn error_in(&self, mut fault: Fault, text: &str, first_line: u64) -> TraceError {
        // A piece that goes over several lines is shown by the one that was read last.
        let within = |offset: u32| text.floor_char_boundary(offset as usize);
        fault.span = Span::new(within(fault.span.start), within(fault.span.end));
        let excerpt = SourceFile { name: self.name.clone(), text: text.to_owned() };
        TraceError { excerpt, first_line: first_line.max(1), diagnostic: fault }
    }
}
