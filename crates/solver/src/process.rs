//! A solver that runs, and the lines it writes.
//!
//! Threads write to it and read from it, so neither a solver that does not read nor one that does
//! not write can block a session.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender},
    },
    thread,
    time::Duration,
};

use crate::{bound, clock::Deadline, error::Error, find::Solver, running};

/// A longer line is cut; no reply that is understood has one.
const LINE_BYTES: u64 = 1 << 20;
/// How many lines of a reply are kept; no reply that is understood has more.
const REPLY_LINES: usize = 1 << 20;
/// How many lines may wait to be looked at.
const WAITING_LINES: usize = 1024;
/// How much is kept of what it says on standard error.
const LAST_BYTES: usize = 400;
/// While an answer is waited for, it is seen this often whether the user wants no more.
const PERIOD: Duration = Duration::from_millis(100);
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
    /// The user wants no more.
    Stopped,
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
        let mut command = bound::command(solver);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (texts, to_write) = mpsc::channel();
        let (started, child) = mpsc::channel();
        // A solver may be bound to the thread that starts it, so that is the one that lives as long as the solver is needed.
        thread::Builder::new()
            .name("to the solver".to_owned())
            .spawn(move || {
                let mut child = running::spawn(&mut command);
                let stdin =
                    child.as_mut().ok().and_then(Option::as_mut).and_then(|it| it.stdin.take());
                let _ = started.send(child);
                if let Some(stdin) = stdin {
                    write_all(stdin, &to_write);
                }
            })
            .map_err(failed)?;
        let child = child.recv().map_err(|_| failed(std::io::Error::other("its thread ended")))?;
        let Some(mut child) = child.map_err(failed)? else { return Err(Error::Stopped) };
        let pipes = (child.stdout.take(), child.stderr.take());
        let (read, lines) = mpsc::sync_channel(WAITING_LINES);
        let last = Arc::new(Mutex::new(String::new()));
        let (errors_end, errors) = mpsc::channel();
        // From here on, an error drops it and so ends the program.
        let process = Process { child, texts, lines, last: Arc::clone(&last), errors, asked: 0 };
        let (Some(stdout), Some(stderr)) = pipes else {
            return Err(failed(std::io::Error::other("its pipes were not there")));
        };
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
            match self.next_line(deadline)? {
                // Some solvers repeat the quotes.
                line if line.trim().trim_matches('"') == end => return Ok(reply),
                line => reply.push_str(&line),
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

    /// The next line, if it comes in time and somebody wants to know it.
    fn next_line(&self, deadline: Deadline) -> Result<String, Silence> {
        loop {
            match self.lines.recv_timeout(deadline.remaining().min(PERIOD)) {
                Ok(line) => return Ok(line),
                Err(_) if running::is_over() => return Err(Silence::Stopped),
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Ended),
                Err(RecvTimeoutError::Timeout) if deadline.remaining().is_zero() => {
                    return Err(Silence::TooLate);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
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
        running::end(&mut self.child);
    }
}

/// Writes what comes, until nobody sends more. What a solver does not read any more is dropped.
fn write_all(stdin: impl Write, texts: &Receiver<String>) {
    let mut stdin = Some(stdin);
    for text in texts {
        let write = |stdin: &mut _| write_text(stdin, &text).is_ok();
        stdin = stdin.and_then(|mut stdin| write(&mut stdin).then_some(stdin));
    }
}

fn write_text(stdin: &mut impl Write, text: &str) -> std::io::Result<()> {
    stdin.write_all(text.as_bytes())?;
    stdin.flush()
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
