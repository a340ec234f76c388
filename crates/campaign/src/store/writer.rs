//! Writing a record, line by line.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::{Header, Line, StoreError};

/// A record that is being written.
///
/// Each line is one call of the operating system, so that it survives a crash of the tester. After
/// a call failed, maybe in the middle of a line, nothing more is written: whatever was added would
/// not be readable.
#[derive(Debug)]
pub struct Writer<W = File> {
    out: W,
    path: PathBuf,
    /// The line that is being written, to reuse its memory.
    buffer: Vec<u8>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Open,
    Ended,
    Broken,
}

impl Writer {
    /// Begins a record. An existing one is never overwritten.
    ///
    /// # Errors
    /// When the file can not be made or the header can not be written.
    pub fn create(path: &Path, header: &Header) -> Result<Self, StoreError> {
        let file = OpenOptions::new().append(true).create_new(true).open(path);
        Self::begin(file.map_err(StoreError::io("create", path))?, path, header)
    }
}

impl<W: Write> Writer<W> {
    /// Begins a record in anything that can be written to; `path` is for errors only.
    ///
    /// # Errors
    /// When the header can not be written.
    pub fn begin(out: W, path: &Path, header: &Header) -> Result<Self, StoreError> {
        let path = path.to_owned();
        let mut writer = Self { out, path, buffer: Vec::new(), state: State::Open };
        writer.line(&Line::Header(Box::new(header.clone())))?;
        Ok(writer)
    }

    /// Appends a line.
    ///
    /// # Errors
    /// When the line can not be written; then, and ever after.
    ///
    /// # Panics
    /// When something is added to a run that has its verdict.
    pub fn line(&mut self, line: &Line) -> Result<(), StoreError> {
        assert!(self.state != State::Ended, "a record ends with its verdict");
        if self.state == State::Broken {
            let error = io::Error::other("an earlier line could not be written");
            return Err(StoreError::io("write", &self.path)(error));
        }
        self.buffer.clear();
        let written = serde_json::to_writer(&mut self.buffer, line).map_err(io::Error::from);
        let written = written.and_then(|()| {
            self.buffer.push(b'\n');
            self.out.write_all(&self.buffer)?;
            self.out.flush()
        });
        self.state = match (&written, line) {
            (Err(_), _) => State::Broken,
            (Ok(()), Line::End(_)) => State::Ended,
            (Ok(()), _) => State::Open,
        };
        written.map_err(StoreError::io("write", &self.path))
    }

    /// Whether the verdict was written.
    pub fn has_ended(&self) -> bool {
        self.state == State::Ended
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }
}
