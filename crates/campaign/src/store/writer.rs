//! Writing a record, line by line.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::{Header, Line, StoreError};

/// A record that is being written.
///
/// Each line is one call of the operating system, so that it survives a crash of the tester; see
/// [`hold`](Self::hold) for runs that can be repeated. After a call failed, maybe in the middle of a
/// line, nothing more is written: whatever was added would not be readable.
#[derive(Debug)]
pub struct Writer<W: Write = File> {
    /// Nothing only when it was taken back.
    out: Option<W>,
    path: PathBuf,
    /// Lines that were not handed over yet.
    buffer: Vec<u8>,
    /// So many bytes may wait.
    held_bytes_max: usize,
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
        let mut writer = Self {
            out: Some(out),
            path: path.to_owned(),
            buffer: Vec::new(),
            held_bytes_max: 0,
            state: State::Open,
        };
        writer.line(&Line::Header(Box::new(header.clone())))?;
        Ok(writer)
    }

    /// Lets lines wait until there are so many bytes of them, or the verdict comes.
    ///
    /// A crash then loses more than one line. On a virtual clock the run can be repeated from its
    /// seed, and thousands of short runs should not wait for the disk.
    pub fn hold(&mut self, bytes_max: usize) {
        self.held_bytes_max = bytes_max;
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
        let n_held = self.buffer.len();
        if let Err(error) = serde_json::to_writer(&mut self.buffer, line) {
            self.buffer.truncate(n_held);
            return Err(StoreError::io("write", &self.path)(error.into()));
        }
        self.buffer.push(b'\n');
        let is_end = matches!(line, Line::End(_));
        if is_end || self.buffer.len() > self.held_bytes_max {
            self.flush()?;
        }
        if is_end {
            self.state = State::Ended;
        }
        Ok(())
    }

    /// Hands over the lines that wait.
    ///
    /// # Errors
    /// When they can not be written; then, and ever after.
    pub fn flush(&mut self) -> Result<(), StoreError> {
        let Some(out) = &mut self.out else { return Ok(()) };
        let written = out.write_all(&self.buffer).and_then(|()| out.flush());
        self.buffer.clear();
        written.map_err(|error| {
            self.state = State::Broken;
            StoreError::io("write", &self.path)(error)
        })
    }

    /// Whether the verdict was written.
    pub fn has_ended(&self) -> bool {
        self.state == State::Ended
    }

    /// What was written to. Lines that still wait are handed over first.
    ///
    /// # Panics
    /// Never: only this takes it.
    pub fn into_inner(mut self) -> W {
        // Whoever wants to know of an error has flushed before.
        let _ = self.flush();
        self.out.take().expect("only this takes it")
    }
}

impl<W: Write> Drop for Writer<W> {
    fn drop(&mut self) {
        if self.state == State::Open {
            let _ = self.flush();
        }
    }
}
