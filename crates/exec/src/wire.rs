//! Lines that come and go. A thread reads, and stamps each line when it arrives.
//!
//! Lines are bounded in length and in number, so a system that floods is held up, not stored. The
//! thread ends with the connection, or when nobody reads what it read.

use std::{
    io::{self, BufRead, BufReader, ErrorKind, Read, Write},
    sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    thread,
    time::Instant,
};

use crate::{SutError, clock, error::shortened};

/// How many lines may wait to be read.
const BACKLOG: usize = 4096;

/// A line that came, or the end of the connection.
#[derive(Debug)]
pub(crate) struct Arrived {
    pub(crate) at: Instant,
    pub(crate) what: Result<String, Cut>,
}

/// Why no more lines come.
#[derive(Debug)]
pub(crate) enum Cut {
    /// The other side closed the connection.
    Closed,
    /// In the middle of a line.
    HalfLine(String),
    TooLong(String),
    NotText(String),
    Io(io::Error),
}

/// Both directions.
pub(crate) struct Wire {
    writer: Box<dyn Write + Send>,
    /// The other side did not read in time. Half of a line may have been written.
    is_stuck: bool,
    lines: Receiver<Arrived>,
}

impl Wire {
    /// Writing must not block for ever; the writer has a time-out.
    pub(crate) fn new(
        reader: impl Read + Send + 'static,
        writer: impl Write + Send + 'static,
        line_bytes: usize,
    ) -> io::Result<Self> {
        let (sender, lines) = mpsc::sync_channel(BACKLOG);
        let reader = BufReader::new(reader);
        thread::Builder::new()
            .name("reader".into())
            .spawn(move || read_lines(reader, &sender, line_bytes))?;
        Ok(Self { writer: Box::new(writer), is_stuck: false, lines })
    }

    /// The next line that comes before the deadline.
    pub(crate) fn receive(&self, deadline: Instant) -> Option<Arrived> {
        match self.lines.recv_timeout(clock::until(deadline)) {
            Ok(arrived) => Some(arrived),
            // It may have come while this thread woke up.
            Err(RecvTimeoutError::Timeout) => self.lines.try_recv().ok(),
            Err(RecvTimeoutError::Disconnected) => {
                Some(Arrived { at: clock::now(), what: Err(Cut::Closed) })
            }
        }
    }

    /// Sends a line. A side that did not read in time once is not waited for again.
    pub(crate) fn send(&mut self, line: &str) -> io::Result<()> {
        if self.is_stuck {
            return Err(ErrorKind::TimedOut.into());
        }
        let sent = self.writer.write_all(line.as_bytes()).and_then(|()| self.writer.flush());
        self.is_stuck = sent.as_ref().is_err_and(is_stuck);
        sent
    }
}

/// Whether a failure to write says that the other side does not read.
pub(crate) fn is_stuck(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// Whether a failure to write says that the other side is gone.
pub(crate) fn is_closed(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset)
}

/// What a line that can not be read is reported as. None if the other side is gone.
pub(crate) fn unreadable(cut: Cut) -> Option<SutError> {
    let malformed = |line: &str, reason: &str| {
        Some(SutError::Malformed { line: shortened(line), reason: reason.into() })
    };
    match cut {
        Cut::Closed => None,
        Cut::HalfLine(line) => malformed(&line, "it ended in the middle of a line"),
        Cut::TooLong(line) => malformed(&line, "the line is too long"),
        Cut::NotText(line) => malformed(&line, "not UTF-8"),
        // How a connection ends when the other side is killed.
        Cut::Io(error) if error.kind() == ErrorKind::ConnectionReset => None,
        Cut::Io(error) => {
            Some(SutError::Io { doing: "read from the system".into(), reason: error.to_string() })
        }
    }
}

fn read_lines(mut reader: impl BufRead, sender: &SyncSender<Arrived>, line_bytes: usize) {
    loop {
        let what = read_line(&mut reader, line_bytes);
        let last = what.is_err();
        if sender.send(Arrived { at: clock::now(), what }).is_err() || last {
            return;
        }
    }
}

fn read_line(reader: &mut impl BufRead, line_bytes: usize) -> Result<String, Cut> {
    let mut bytes = Vec::new();
    let mut bounded = reader.take(line_bytes as u64 + 1);
    bounded.read_until(b'\n', &mut bytes).map_err(Cut::Io)?;
    let lossy =
        |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(1000)]).into_owned();
    match bytes.pop() {
        None => Err(Cut::Closed),
        Some(b'\n') => {
            String::from_utf8(bytes).map_err(|error| Cut::NotText(lossy(error.as_bytes())))
        }
        Some(byte) => {
            bytes.push(byte);
            match bytes.len() > line_bytes {
                true => Err(Cut::TooLong(lossy(&bytes))),
                false => Err(Cut::HalfLine(lossy(&bytes))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded() {
        let read = |bytes: &[u8]| read_line(&mut BufReader::new(bytes), 4);
        assert_eq!(read(b"abc\nd").unwrap(), "abc");
        assert!(matches!(read(b""), Err(Cut::Closed)));
        assert!(matches!(read(b"abc"), Err(Cut::HalfLine(_))));
        assert!(matches!(read(b"abcdefgh\n"), Err(Cut::TooLong(_))));
        assert!(matches!(read(b"\xff\xfe\n"), Err(Cut::NotText(_))));
    }
}
