//! A thread reads, and stamps each line when it arrives.
//!
//! The thread ends with the connection, or when nobody reads what it read.

use std::{
    io::{self, BufRead, BufReader, Read},
    sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    thread,
    time::Instant,
};

use super::{Arrived, Cut, text, unended};
use crate::clock;

/// How many lines may wait to be read.
const BACKLOG: usize = 4096;

/// The lines that the thread has read.
pub(super) struct Lines {
    lines: Receiver<Arrived>,
}

impl Lines {
    pub(super) fn new(reader: impl Read + Send + 'static, line_bytes: usize) -> io::Result<Self> {
        let (sender, lines) = mpsc::sync_channel(BACKLOG);
        let reader = BufReader::new(reader);
        thread::Builder::new()
            .name("reader".into())
            .spawn(move || read_lines(reader, &sender, line_bytes))?;
        Ok(Self { lines })
    }

    /// The next line that comes before the deadline.
    pub(super) fn receive(&self, deadline: Instant) -> Option<Arrived> {
        match self.lines.recv_timeout(clock::until(deadline)) {
            Ok(arrived) => Some(arrived),
            // It may have come while this thread woke up.
            Err(RecvTimeoutError::Timeout) => self.lines.try_recv().ok(),
            Err(RecvTimeoutError::Disconnected) => {
                Some(Arrived { at: clock::now(), what: Err(Cut::Closed) })
            }
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
    match bytes.pop_if(|last| *last == b'\n') {
        Some(_) => text(bytes),
        None => Err(unended(&bytes, line_bytes)),
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
