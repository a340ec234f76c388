//! A solver that runs, and the lines it writes.
//!
//! Threads write to it and read from it, so neither a solver that does not read nor one that does
//! not write can block a session.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender},
    },
    thread,
    time::Duration,
};

use crate::{clock::Deadline, error::Error, find::Solver};

/// A longer line is cut; no reply that is understood has one.
const LINE_BYTES: u64 = 1 << 20;
/// How many lines of a reply are kept; no reply that is understood has more.
const REPLY_LINES: usize = 1 << 20;
/// How many lines may wait to be looked at.
const WAITING_LINES: usize = 1024;
/// How much is kept of what it says on standard error.
const LAST_BYTES: usize = 400;
/// How long a solver that ended has to say why.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A running solver. Dropping it kills it.
pub(crate) struct Process {
    child: Child,
    texts: Sender<String>,
    lines: Receiver<String>,
    last: Arc<Mutex<String>>,
    /// Closed once nothing more comes on standard error.
    errors: Receiver<()>,
    /// How many replies were asked for.
    asked: u64,
}

/// Why there is no reply.
pub(crate) enum Silence {
    TooLate,
    Ended,
    TooLong,
}

impl Process {
    pub(crate) fn start(solver: &Solver) -> Result<Process, Error> {
        let failed = |error: std::io::Error| Error::NotStarted {
            program: solver.path().to_owned(),
            reason: match error.kind() {
                std::io::ErrorKind::NotFound => "there is no such program".to_owned(),
                std::io::ErrorKind::PermissionDenied => "it may not be executed".to_owned(),
                _ => error.to_string(),
            },
        };
        let mut child = Command::new(solver.path())
            .args(solver.arguments())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (texts, to_write) = mpsc::channel();
        let (read, lines) = mpsc::sync_channel(WAITING_LINES);
        let last = Arc::new(Mutex::new(String::new()));
        let (errors_end, errors) = mpsc::channel();
        // From here on, an error drops it and so ends the program.
        let process = Process { child, texts, lines, last: Arc::clone(&last), errors, asked: 0 };
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(failed(std::io::Error::other("its pipes were not there")));
        };
        thread::Builder::new()
            .name("to the solver".to_owned())
            .spawn(move || write_all(stdin, &to_write))
            .map_err(failed)?;
        thread::Builder::new()
            .name("from the solver".to_owned())
            .spawn(move || read_lines(stdout, &read))
            .map_err(failed)?;
        thread::Builder::new()
            .name("solver's errors".to_owned())
            .spawn(move || {
                keep_last(stderr, &last);
                drop(errors_end);
            })
            .map_err(failed)?;
        Ok(process)
    }

    /// Sends text, and gives all that the solver writes until it has read it. The end is known by a
    /// line that the solver is told to repeat.
    pub(crate) fn ask(&mut self, mut text: String, within: Duration) -> Result<String, Silence> {
        self.asked += 1;
        let end = format!("reply {} ends", self.asked);
        text.push_str(&format!("(echo \"{end}\")\n"));
        let deadline = Deadline::after(within);
        if self.texts.send(text).is_err() {
            return Err(Silence::Ended);
        }
        let mut reply = String::new();
        for _ in 0..REPLY_LINES {
            match self.lines.recv_timeout(deadline.remaining()) {
                // Some solvers repeat the quotes.
                Ok(line) if line.trim().trim_matches('"') == end => return Ok(reply),
                Ok(line) => reply.push_str(&line),
                Err(RecvTimeoutError::Timeout) => return Err(Silence::TooLate),
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Ended),
            }
            if deadline.remaining().is_zero() {
                return Err(Silence::TooLate);
            }
            if reply.len() as u64 > LINE_BYTES {
                return Err(Silence::TooLong);
            }
        }
        Err(Silence::TooLong)
    }

    /// The end of what it said on standard error.
    pub(crate) fn last_words(&self) -> String {
        // They may come a little after its end.
        let _ = self.errors.recv_timeout(LAST_WORDS);
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.trim().to_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may be gone already; then there is nothing to be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes what comes, until nobody sends more or the solver reads no more.
fn write_all(mut stdin: impl Write, texts: &Receiver<String>) {
    for text in texts {
        if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

/// Reads lines, until there are no more or nobody wants them.
fn read_lines(stdout: impl Read, lines: &SyncSender<String>) {
    let mut reader = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        match (&mut reader).take(LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if lines.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
            return;
        }
    }
}

fn keep_last(mut stderr: impl Read, last: &Mutex<String>) {
    let mut buffer = [0; 1024];
    while let Ok(n @ 1..) = stderr.read(&mut buffer) {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        last.push_str(&String::from_utf8_lossy(&buffer[..n]));
        if last.len() > LAST_BYTES {
            let cut = last.ceil_char_boundary(last.len() - LAST_BYTES);
            last.drain(..cut);
        }
    }
}
