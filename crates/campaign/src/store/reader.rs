//! Reading a record, line by line.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use serde::Deserialize;

use super::{Header, Line, StoreError, VERSION, line};

/// No line is longer: a file without line ends is not a record.
const LINE_BYTES_MAX: u64 = 1 << 28;

/// What must be known before the rest of a header can be understood.
#[derive(Deserialize)]
struct Version {
    record: u32,
}

/// The lines of a record after its header, in their order.
///
/// A last line that was cut off by a crash is left out; [`is_cut`](Self::is_cut) tells. Lines of
/// unknown kinds are skipped. After an error there are no more lines.
#[derive(Debug)]
pub struct Reader<R = BufReader<File>> {
    input: R,
    path: PathBuf,
    header: Header,
    n_lines: u64,
    buffer: Vec<u8>,
    is_cut: bool,
    is_done: bool,
}

impl Reader {
    /// Opens a record.
    ///
    /// # Errors
    /// When the file can not be read, or does not begin with a header of this version.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let file = File::open(path).map_err(StoreError::io("read", path))?;
        Self::new(BufReader::with_capacity(1 << 16, file), path)
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads a record from anywhere; `path` is for errors only.
    ///
    /// # Errors
    /// When there is no header of this version.
    pub fn new(mut input: R, path: &Path) -> Result<Self, StoreError> {
        let mut buffer = Vec::new();
        let wrong = |message: String| StoreError::Header { path: path.to_owned(), message };
        read_line(&mut input, &mut buffer).map_err(StoreError::io("read", path))?;
        let version = serde_json::from_slice(&buffer).map(|Version { record }| record);
        if let Some(version) = version.ok().filter(|version| *version != VERSION) {
            let message = format!("it has version {version}, this tool reads {VERSION}");
            return Err(wrong(message));
        }
        let header = match Line::parse(&buffer) {
            Ok(Some(Line::Header(header))) => *header,
            _ if buffer.trim_ascii().is_empty() => return Err(wrong("it is empty".into())),
            Err(_) if buffer.last() != Some(&b'\n') && buffer.starts_with(b"{\"record\"") => {
                return Err(wrong("its header is cut off; the run ended as it began".into()));
            }
            Ok(_) => return Err(wrong("its first line is no header".into())),
            Err(message) => return Err(wrong(format!("its first line is no header: {message}"))),
        };
        let (path, n_lines) = (path.to_owned(), 1);
        Ok(Self { input, path, header, n_lines, buffer, is_cut: false, is_done: false })
    }

    /// What the run began with.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How many lines were read, with the header: the number of the line that came last.
    pub fn line_number(&self) -> u64 {
        self.n_lines
    }

    /// Whether the last line was cut off. Known when there are no more lines.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The next line, unless its kind is one that is `skipped`.
    pub(crate) fn next_except(
        &mut self,
        mut skipped: impl FnMut(&'static str) -> bool,
    ) -> Option<Result<Line, StoreError>> {
        while !self.is_done {
            match read_line(&mut self.input, &mut self.buffer) {
                Ok(0) => self.is_done = true,
                Ok(_) => match self.parse(&mut skipped) {
                    Ok(Some(line)) => return Some(Ok(line)),
                    Ok(None) => {}
                    Err(message) => return self.fail(message),
                },
                Err(error) => {
                    self.is_done = true;
                    return Some(Err(StoreError::io("read", &self.path)(error)));
                }
            }
        }
        None
    }

    fn parse(
        &mut self,
        skipped: &mut impl FnMut(&'static str) -> bool,
    ) -> Result<Option<Line>, String> {
        let is_whole = self.buffer.last() == Some(&b'\n');
        let text = self.buffer.trim_ascii();
        self.n_lines += 1;
        if text.is_empty() {
            return Ok(None);
        }
        let line = line::kind(text).and_then(|kind| match kind {
            // A line that was cut off may have a kind, and must not be counted.
            Some(kind) if is_whole && skipped(kind) => Ok(None),
            _ => Line::parse(text),
        });
        match line {
            Err(_) if !is_whole => {
                (self.is_cut, self.is_done) = (true, true);
                Ok(None)
            }
            Ok(Some(Line::Header(_))) => Err("a second header; a record has one".to_owned()),
            line => line,
        }
    }

    fn fail(&mut self, message: String) -> Option<Result<Line, StoreError>> {
        self.is_done = true;
        Some(Err(StoreError::Line { path: self.path.clone(), line: self.n_lines, message }))
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Line, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_except(|_| false)
    }
}

/// One line with its end, if it has one.
fn read_line(input: &mut impl BufRead, buffer: &mut Vec<u8>) -> std::io::Result<usize> {
    buffer.clear();
    let n_bytes = input.take(LINE_BYTES_MAX).read_until(b'\n', buffer)?;
    if n_bytes as u64 == LINE_BYTES_MAX {
        return Err(std::io::Error::other("a line is longer than 256 MB"));
    }
    Ok(n_bytes)
}
