//! Rows of a table, one after the other, in constant memory: the one reader of CSV.
//!
//! Commas, semicolons or tabs stand between cells; the first row decides. A cell may be quoted, with
//! `""` for a quote, and may then hold separators and line ends. Blank lines are skipped and remembered
//! ([`Rows::is_after_gap`]); lines that begin with `#` are skipped.

use std::io::{self, BufRead, Read};

use csv::{ReaderBuilder, StringRecord, Terminator};

use super::{
    error::{Fault, TraceError},
    lines::Lines,
};
use crate::{Span, diagnostic::Diagnostic};

/// A row with more lines than this has a quote that does not end.
const LINES_MAX: u64 = 1000;

/// The rows of a table.
pub(crate) struct Rows<R: BufRead> {
    reader: csv::Reader<Tap<R>>,
    record: StringRecord,
    separator: char,
}

impl<R: BufRead> Rows<R> {
    /// Finds out what stands between cells. Nothing is lost: the first row is read next.
    pub(crate) fn new(mut lines: Lines<R>) -> Result<Self, TraceError> {
        let mut separator = ',';
        loop {
            match lines.advance_to_text() {
                Ok(true) if lines.text().starts_with('#') => {}
                Ok(true) => {
                    // What is quoted does not count.
                    let outside: String = lines.text().split('"').step_by(2).collect();
                    let found = [',', ';', '\t'].into_iter().find(|c| outside.contains(*c));
                    separator = found.unwrap_or(',');
                    lines.unread();
                    break;
                }
                Ok(false) => break,
                Err(fault) => return Err(lines.error(fault)),
            }
        }
        let tap = Tap {
            lines,
            text: String::new(),
            pending: 0..0,
            first_line: 0,
            start: 0,
            is_after_gap: false,
            fault: None,
        };
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(separator as u8)
            .terminator(Terminator::Any(b'\n'))
            .from_reader(tap);
        Ok(Self { reader, record: StringRecord::new(), separator })
    }

    /// Goes to the next row; false at the end of the table.
    pub(crate) fn advance(&mut self) -> Result<bool, Fault> {
        self.reader.get_mut().begin();
        let found = self.reader.read_record(&mut self.record);
        if let Some(fault) = self.reader.get_mut().fault.take() {
            return Err(fault);
        }
        let found = found.map_err(|error| {
            let message = format!("this is not a row of a table: {error}");
            Box::new(Diagnostic::error("table::row", self.whole(), message))
        })?;
        if found && self.text().contains('"') {
            self.check_quotes()?;
        }
        Ok(found)
    }

    /// How many cells the row has.
    pub(crate) fn len(&self) -> usize {
        self.record.len()
    }

    /// A cell without quotes and without blanks around it; nothing if the row is too short.
    pub(crate) fn cell(&self, index: usize) -> &str {
        self.record.get(index).unwrap_or_default().trim()
    }

    /// Whether a blank line stands before the row.
    pub(crate) fn is_after_gap(&self) -> bool {
        self.reader.get_ref().is_after_gap
    }

    /// The text of the row.
    pub(crate) fn text(&self) -> &str {
        &self.reader.get_ref().text
    }

    /// Where the row begins in the file, in bytes.
    pub(crate) fn start(&self) -> u64 {
        self.reader.get_ref().start
    }

    /// All of the row.
    pub(crate) fn whole(&self) -> Span {
        Span::new(0, self.text().len())
    }

    /// The place of a cell in the text of the row, without blanks around it; behind the row if there is
    /// no such cell.
    pub(crate) fn span(&self, index: usize) -> Span {
        let end = self.text().len();
        self.spans().nth(index).unwrap_or(Span::new(end, end))
    }

    /// The places of all cells. Who needs many asks once: each `span` reads the row from its start.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Span> {
        self.cells().map(|(from, to)| {
            let cell = &self.text()[from..to];
            let from = from + (cell.len() - cell.trim_start().len());
            Span::new(from, from + cell.trim().len())
        })
    }

    /// A fault in the row, with its place in the file.
    pub(crate) fn error(&self, fault: Fault) -> TraceError {
        let tap = self.reader.get_ref();
        tap.lines.error_in(fault, &tap.text, tap.first_line)
    }

    /// The cells as they are written.
    fn cells(&self) -> impl Iterator<Item = (usize, usize)> {
        let text = self.text();
        let separator = self.separator;
        let mut next = Some(0);
        std::iter::from_fn(move || {
            let from = next?;
            let behind_quotes = from + quoted(&text[from..]).unwrap_or(0);
            let to = text[behind_quotes..].find(separator).map(|at| behind_quotes + at);
            next = to.map(|to| to + separator.len_utf8());
            Some((from, to.unwrap_or(text.len())))
        })
    }

    /// A quoted cell ends, and nothing follows its quote.
    fn check_quotes(&self) -> Result<(), Fault> {
        for (from, to) in self.cells() {
            let cell = &self.text()[from..to];
            if !cell.starts_with('"') {
                continue;
            }
            let wrong = |from: usize, to: usize, message: String| {
                Err(Box::new(Diagnostic::error("table::quote", Span::new(from, to), message)))
            };
            match quoted(cell) {
                None => {
                    let message = "this quote does not end; expected `\"`";
                    return wrong(from, from + 1, message.to_owned());
                }
                Some(end) if !cell[end..].trim().is_empty() => {
                    let separator = self.separator.escape_debug();
                    let message =
                        format!("expected `{separator}` or the end of the row after `\"`");
                    return wrong(from + end, to, message);
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}

/// The length of a quoted cell at the beginning of a text, with its quotes; none if it does not end.
fn quoted(text: &str) -> Option<usize> {
    let mut at = 1;
    text.strip_prefix('"')?;
    loop {
        at += text[at..].find('"')? + 1;
        if !text[at..].starts_with('"') {
            return Some(at);
        }
        at += 1;
    }
}

/// Hands the file to the parser line by line, and keeps the lines of the present row: the parser asks
/// for more only after it has used up what it got.
struct Tap<R> {
    lines: Lines<R>,
    /// The lines of the present row.
    text: String,
    /// The part of `text` that the parser did not get yet; its line end follows.
    pending: std::ops::Range<usize>,
    /// The line in which the row begins, counted from 1; 0 before its first line.
    first_line: u64,
    /// Where it begins in the file.
    start: u64,
    is_after_gap: bool,
    /// Why reading ended.
    fault: Option<Fault>,
}

impl<R> Tap<R> {
    /// The next row begins.
    fn begin(&mut self) {
        self.text.clear();
        self.pending = 0..0;
        self.first_line = 0;
        self.is_after_gap = false;
    }
}

impl<R: BufRead> Tap<R> {
    /// Takes the next line; false at the end of the file.
    fn take(&mut self) -> Result<bool, Fault> {
        while self.lines.advance()? {
            let line = self.lines.text();
            if self.first_line == 0 {
                if line.trim().is_empty() {
                    self.is_after_gap = true;
                    continue;
                }
                if line.starts_with('#') {
                    continue;
                }
                (self.first_line, self.start) = (self.lines.number(), self.lines.start());
            } else if self.lines.number() - self.first_line > LINES_MAX {
                let message =
                    format!("a cell of this row is quoted for more than {LINES_MAX} lines");
                let span = Span::new(0, self.text.find('\n').unwrap_or(self.text.len()));
                return Err(Box::new(Diagnostic::error("table::quote", span, message)));
            } else {
                self.text.push('\n');
            }
            let from = self.text.len();
            self.text.push_str(line);
            self.pending = from..self.text.len() + 1;
            return Ok(true);
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for Tap<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.pending.is_empty() {
            match self.take() {
                Ok(true) => {}
                Ok(false) => return Ok(0),
                Err(fault) => {
                    if self.first_line == 0 {
                        self.text.push_str(self.lines.text());
                        self.first_line = self.lines.number();
                    }
                    self.fault = Some(fault);
                    return Err(io::Error::other("the file can not be read"));
                }
            }
        }
        let text = &self.text.as_bytes()[self.pending.start.min(self.text.len())..];
        let n_bytes = text.len().min(out.len());
        out[..n_bytes].copy_from_slice(&text[..n_bytes]);
        self.pending.start += n_bytes;
        if n_bytes < out.len() && self.pending.start == self.text.len() {
            out[n_bytes] = b'\n';
            self.pending.start += 1;
            return Ok(n_bytes + 1);
        }
        Ok(n_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<(u64, bool, Vec<String>)> {
        let mut rows = Rows::new(Lines::new("t.csv", text.as_bytes())).unwrap();
        let mut found = Vec::new();
        while rows.advance().unwrap() {
            let cells = (0..rows.len()).map(|at| rows.cell(at).to_owned()).collect();
            for at in 0..rows.len() {
                let span = rows.span(at);
                let start = rows.start() as usize;
                let written = &text[start + span.start as usize..start + span.end as usize];
                assert_eq!(written.trim_matches('"').replace("\"\"", "\""), rows.cell(at));
            }
            found.push((rows.reader.get_ref().first_line, rows.is_after_gap(), cells));
        }
        found
    }

    #[test]
    fn rows_know_their_lines_and_gaps() {
        let text = "\na; b\r\n# no\n1;\"x;\n\ny\"\"z\"\n \n\n2; é ;3";
        let cells = |cells: &[&str]| cells.iter().map(|&it| it.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            rows(text),
            [
                (2, false, cells(&["a", "b"])),
                (4, false, cells(&["1", "x;\n\ny\"z"])),
                (9, true, cells(&["2", "é", "3"])),
            ]
        );
    }

    /// Rows that are longer than what the parser takes at once.
    #[test]
    fn long_rows() {
        let long = "x".repeat(20_000);
        let text = format!("a,b\n{long},1\n\"{long}\",2\n");
        let found = rows(&text);
        assert_eq!(found.len(), 3);
        assert!(found[1..].iter().all(|(_, _, cells)| cells[0] == long));
    }
}
