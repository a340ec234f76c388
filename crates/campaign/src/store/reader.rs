//! Reading a record, line by line.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use serde::Deserialize;

use super::{Header, Line, READ, StoreError, VERSION, line};

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
    /// Whether the verdict was read. Nothing that is known may follow it.
    has_verdict: bool,
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
        if let Some(version) = version.ok().filter(|version| !READ.contains(version)) {
            let message = format!("it has version {version}, this tool reads up to {VERSION}");
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
        Ok(Self {
            input,
            path,
            header,
            n_lines,
            buffer,
            is_cut: false,
            is_done: false,
            has_verdict: false,
        })
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

    /// Reads the next line that has a kind, and gives it as it is written. It is JSON as far as
    /// its kind could be told, and no more.
    pub(crate) fn next_raw(&mut self) -> Option<Result<(&'static str, &[u8]), StoreError>> {
        loop {
            if self.is_done {
                return None;
            }
            match read_line(&mut self.input, &mut self.buffer) {
                Ok(0) => self.is_done = true,
                Ok(_) => match self.kind() {
                    Ok(Some(kind)) => return Some(Ok((kind, self.buffer.trim_ascii()))),
                    Ok(None) => {}
                    Err(message) => return Some(Err(self.fail(message))),
                },
                Err(error) => {
                    self.is_done = true;
                    return Some(Err(StoreError::io("read", &self.path)(error)));
                }
            }
        }
    }

    /// The kind of the line that was read; none if it is empty, unknown or cut off.
    fn kind(&mut self) -> Result<Option<&'static str>, String> {
        self.n_lines += 1;
        let text = self.buffer.trim_ascii();
        if text.is_empty() {
            return Ok(None);
        }
        // A line that was cut off may have a kind, so all of it is looked at.
        let is_cut = self.buffer.last() != Some(&b'\n') && Line::parse(text).is_err();
        if is_cut {
            (self.is_cut, self.is_done) = (true, true);
            return Ok(None);
        }
        match line::kind(text)? {
            Some("record") => Err("a second header; a record has one".to_owned()),
            Some("verdict") if self.has_verdict => {
                Err("a second verdict; a record has one".to_owned())
            }
            Some(_) if self.has_verdict => {
                Err("something after the verdict, which is the last line of a record".to_owned())
            }
            kind => {
                self.has_verdict |= kind == Some("verdict");
                Ok(kind)
            }
        }
    }

    pub(crate) fn fail(&mut self, message: String) -> StoreError {
        self.is_done = true;
        StoreError::Line { path: self.path.clone(), line: self.n_lines, message }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Line, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let parsed = match self.next_raw()? {
            Ok((kind, text)) => Line::parse_as(kind, text),
            Err(error) => return Some(Err(error)),
        };
        Some(parsed.map_err(|message| self.fail(message)))
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
