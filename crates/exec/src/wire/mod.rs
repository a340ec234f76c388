//! Lines that come and go.
//!
//! Lines are bounded in length and in number, so a system that floods is held up, not stored. On the real clock a thread reads,
//! and stamps each line when it arrives (`stamped`). On the virtual clock nobody asks when a line arrived, and whoever waits for it
//! reads it (`polled`): an answer is there at once, and not only when a second thread has woken up.

#[cfg(unix)]
mod polled;
mod stamped;

use std::{
    io::{self, ErrorKind, Read, Write},
    time::Instant,
};

use crate::{SutError, Timekeeping, error::shortened};

/// What lines are read from: it can be waited for.
#[cfg(unix)]
pub(crate) trait Source: Read + std::os::fd::AsFd + Send + 'static {}
#[cfg(unix)]
impl<S: Read + std::os::fd::AsFd + Send + 'static> Source for S {}
/// What lines are read from.
#[cfg(not(unix))]
pub(crate) trait Source: Read + Send + 'static {}
#[cfg(not(unix))]
impl<S: Read + Send + 'static> Source for S {}

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
    lines: Lines,
}

/// Who reads.
enum Lines {
    Stamped(stamped::Lines),
    #[cfg(unix)]
    Polled(polled::Lines),
}

impl Lines {
    fn new(reader: impl Source, line_bytes: usize, timekeeping: Timekeeping) -> io::Result<Self> {
        #[cfg(unix)]
        if timekeeping == Timekeeping::Virtual {
            return Ok(Self::Polled(polled::Lines::new(reader, line_bytes)));
        }
        let _ = timekeeping;
        Ok(Self::Stamped(stamped::Lines::new(reader, line_bytes)?))
    }
}

impl Wire {
    /// Writing must not block for ever; the writer has a time-out.
    pub(crate) fn new(
        reader: impl Source,
        writer: impl Write + Send + 'static,
        line_bytes: usize,
        timekeeping: Timekeeping,
    ) -> io::Result<Self> {
        let lines = Lines::new(reader, line_bytes, timekeeping)?;
        Ok(Self { writer: Box::new(writer), is_stuck: false, lines })
    }

    /// The next line that comes before the deadline.
    pub(crate) fn receive(&mut self, deadline: Instant) -> Option<Arrived> {
        match &mut self.lines {
            Lines::Stamped(lines) => lines.receive(deadline),
            #[cfg(unix)]
            Lines::Polled(lines) => lines.receive(deadline),
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

/// A line without its end, as text.
fn text(line: Vec<u8>) -> Result<String, Cut> {
    String::from_utf8(line).map_err(|error| Cut::NotText(lossy(error.as_bytes())))
}

/// What stands in the place of a line that has no end, `line_bytes` being how long one may be.
fn unended(bytes: &[u8], line_bytes: usize) -> Cut {
    match bytes.len() {
        0 => Cut::Closed,
        n if n > line_bytes => Cut::TooLong(lossy(bytes)),
        _ => Cut::HalfLine(lossy(bytes)),
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(1000)]).into_owned()
}
