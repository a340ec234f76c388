//! Whoever waits for a line reads it.
//!
//! What has come and was not asked for yet is left to the operating system, which holds up who sends more.

use std::{
    io::{ErrorKind, Read},
    os::fd::AsFd,
    time::{Duration, Instant},
};

use nix::{
    errno::Errno,
    poll::{PollFd, PollFlags, PollTimeout, poll},
};

use super::{Arrived, Cut, Source, text, unended};
use crate::clock;

/// How many bytes are read at once.
const CHUNK: usize = 8 * 1024;

/// How long an answer is looked for before this thread goes to sleep. Most answers come sooner than a thread would wake up.
const AWAKE: Duration = Duration::from_micros(50);

/// Lines that are read when they are asked for.
pub(super) struct Lines {
    reader: Box<dyn Source>,
    line_bytes: usize,
    /// What was read and belongs to no line yet.
    bytes: Vec<u8>,
    /// How many of the bytes have no end of a line.
    looked_at: usize,
    /// Whether nothing more can be read.
    is_over: bool,
    lookout: Lookout,
}

impl Lines {
    pub(super) fn new(reader: impl Source, line_bytes: usize) -> Self {
        let bytes = Vec::with_capacity(CHUNK);
        Self {
            reader: Box::new(reader),
            line_bytes,
            bytes,
            looked_at: 0,
            is_over: false,
            lookout: Lookout::default(),
        }
    }

    /// The next line that comes before the deadline.
    pub(super) fn receive(&mut self, deadline: Instant) -> Option<Arrived> {
        let what = self.next(deadline)?;
        self.is_over |= what.is_err();
        Some(Arrived { at: clock::now(), what })
    }

    fn next(&mut self, deadline: Instant) -> Option<Result<String, Cut>> {
        loop {
            if self.is_over {
                return Some(Err(Cut::Closed));
            }
            if let Some(line) = self.line() {
                return Some(line);
            }
            match self.has_more(deadline) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(Cut::Io(error.into()))),
            }
            let mut chunk = [0; CHUNK];
            match self.reader.read(&mut chunk) {
                Ok(0) => return Some(Err(unended(&self.bytes, self.line_bytes))),
                Ok(n) => self.bytes.extend_from_slice(&chunk[..n]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Some(Err(Cut::Io(error))),
            }
        }
    }

    /// The first line of what was read, if it is whole or too long.
    fn line(&mut self) -> Option<Result<String, Cut>> {
        let new = &self.bytes[self.looked_at..];
        match new.iter().position(|byte| *byte == b'\n') {
            Some(at) if self.looked_at + at <= self.line_bytes => {
                let end = self.looked_at + at;
                let line = self.bytes[..end].to_vec();
                self.bytes.drain(..=end);
                self.looked_at = 0;
                Some(text(line))
            }
            None if self.bytes.len() <= self.line_bytes => {
                self.looked_at = self.bytes.len();
                None
            }
            _ => Some(Err(unended(&self.bytes, self.line_bytes))),
        }
    }

    /// Waits until something, or its end, can be read; false if nothing can before the deadline.
    fn has_more(&mut self, deadline: Instant) -> Result<bool, Errno> {
        if self.lookout.is_worth_it() {
            let found = self.look(clock::within(AWAKE).min(deadline))?;
            self.lookout.note(found);
            if found {
                return Ok(true);
            }
        }
        loop {
            let left = clock::until(deadline);
            // Whole milliseconds, not too few of them.
            let left = left.saturating_add(Duration::from_micros(999)).as_millis();
            let left = PollTimeout::from(u16::try_from(left).unwrap_or(u16::MAX));
            match self.poll(left) {
                Ok(false) if !clock::until(deadline).is_zero() => {}
                Err(Errno::EINTR) => {}
                answer => return answer,
            }
        }
    }

    /// Looks again and again, without going to sleep.
    fn look(&self, deadline: Instant) -> Result<bool, Errno> {
        loop {
            match self.poll(PollTimeout::ZERO) {
                Ok(false) if !clock::until(deadline).is_zero() => {}
                Err(Errno::EINTR) => {}
                answer => return answer,
            }
        }
    }

    fn poll(&self, left: PollTimeout) -> Result<bool, Errno> {
        let mut asked = [PollFd::new(self.reader.as_fd(), PollFlags::POLLIN)];
        poll(&mut asked, left).map(|n| n > 0)
    }
}

/// Whether looking for an answer without going to sleep is worth it: where the system has to wait for this very processor, or takes its
/// time, it is not.
#[derive(Default)]
struct Lookout {
    /// How many looks in a row were in vain.
    n_vain: u32,
    /// How many looks were left out since.
    n_left_out: u32,
}

impl Lookout {
    /// After a few looks in vain, only one in so many is made.
    const RARELY: u32 = 64;

    fn is_worth_it(&mut self) -> bool {
        if self.n_vain < 3 || self.n_left_out >= Self::RARELY {
            self.n_left_out = 0;
            return true;
        }
        self.n_left_out += 1;
        false
    }

    fn note(&mut self, found: bool) {
        self.n_vain = if found { 0 } else { self.n_vain.saturating_add(1) };
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Write, os::unix::net::UnixStream, thread};

    use super::*;

    fn soon() -> Instant {
        clock::within(Duration::from_millis(20))
    }

    fn read(bytes: &[u8], line_bytes: usize) -> (Lines, UnixStream) {
        let (ours, mut theirs) = UnixStream::pair().expect("there are sockets");
        theirs.write_all(bytes).expect("somebody reads");
        (Lines::new(ours, line_bytes), theirs)
    }

    #[test]
    fn lines_are_bounded() {
        let read = |bytes: &[u8]| {
            let (mut lines, theirs) = read(bytes, 4);
            drop(theirs);
            (lines.next(soon()).expect("it has come"), lines)
        };
        assert_eq!(read(b"abcd\nd").0.unwrap(), "abcd");
        assert!(matches!(read(b"").0, Err(Cut::Closed)));
        assert!(matches!(read(b"abc").0, Err(Cut::HalfLine(_))));
        assert!(matches!(read(b"abcdefgh\n").0, Err(Cut::TooLong(_))));
        assert!(matches!(read(b"abcde\n").0, Err(Cut::TooLong(_))));
        assert!(matches!(read(b"\xff\xfe\n").0, Err(Cut::NotText(_))));
    }

    #[test]
    fn lines_come_one_by_one_and_in_parts() {
        let (mut lines, mut theirs) = read(b"one\ntwo\nth", 100);
        assert_eq!(lines.next(soon()).unwrap().unwrap(), "one");
        assert_eq!(lines.next(soon()).unwrap().unwrap(), "two");
        assert!(lines.next(soon()).is_none());
        let late = thread::spawn(move || {
            clock::sleep_until(soon());
            theirs.write_all(b"ree\n").expect("somebody reads");
            theirs
        });
        let long = clock::within(Duration::from_secs(20));
        assert_eq!(lines.next(long).unwrap().unwrap(), "three");
        assert!(clock::now() < long);
        drop(late.join());
        assert!(matches!(lines.receive(long).unwrap().what, Err(Cut::Closed)));
        assert!(matches!(lines.receive(long).unwrap().what, Err(Cut::Closed)));
    }

    /// A system that takes its time is not looked for in vain all the time.
    #[test]
    fn looks_in_vain_become_rare() {
        let mut lookout = Lookout::default();
        let mut n_looks = 0;
        for _ in 0..650 {
            if lookout.is_worth_it() {
                n_looks += 1;
                lookout.note(false);
            }
        }
        assert_eq!(n_looks, 3 + 9);
        lookout.note(true);
        assert!(lookout.is_worth_it());
    }

    /// A line of many parts is looked through once.
    #[test]
    fn long_lines_are_looked_at_once() {
        let (ours, mut theirs) = UnixStream::pair().expect("there are sockets");
        let writer = thread::spawn(move || {
            let part = [b'x'; 4096];
            (0..500).for_each(|_| theirs.write_all(&part).expect("somebody reads"));
            theirs.write_all(b"\n").expect("somebody reads");
        });
        let mut lines = Lines::new(ours, 1 << 22);
        let line = lines.next(clock::within(Duration::from_secs(20))).unwrap().unwrap();
        assert_eq!(line.len(), 500 * 4096);
        writer.join().expect("all is written");
    }
}
