//! A program of its own, over its stdin and stdout.
//!
//! It is started at the first reset, in a process group of its own, and ends with everything that
//! it started (and that stayed in the group) when the test does. The end of what it writes to
//! stderr is kept for messages.

use std::{
    collections::{BTreeSet, VecDeque},
    io::{self, BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use punctual_model::Interface;

use crate::{
    Limits, SutError, Timekeeping, clock,
    dialogue::{Connector, Dialogue, Link, NOTE_CHARS},
    error::{cut, shortened},
    wire::Wire,
};

/// How many lines of stderr are kept for messages.
const STDERR_LINES: usize = 12;

/// How many lines of stderr wait to be recorded; more are dropped.
const STDERR_WAITING: usize = 10_000;

/// How long a program that closed its stdout has to end, before it counts as running.
const LAST_BREATH: Duration = Duration::from_millis(500);

/// All programs of this tester.
static PROGRAMS: Mutex<Programs> = Mutex::new(Programs { groups: BTreeSet::new(), is_over: false });

struct Programs {
    /// The process groups of the programs that run now.
    groups: BTreeSet<u32>,
    /// Whether no more are started.
    is_over: bool,
}

fn programs() -> MutexGuard<'static, Programs> {
    PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the user wants no more.
static IS_STOPPED: AtomicBool = AtomicBool::new(false);

/// From now on no answer of a system is waited for: what is going on ends as a run that was stopped, and lets go of its system. For a
/// tester whose user wants no more, for all systems at once.
pub fn stop_waiting() {
    IS_STOPPED.store(true, Ordering::Relaxed);
}

/// Whether no answer is waited for any more.
pub(crate) fn is_stopped() -> bool {
    IS_STOPPED.load(Ordering::Relaxed)
}

/// Ends all programs that run now, with everything that they started, and starts no more. For a tester
/// that is about to end without dropping what it holds.
pub fn end_all() {
    let mut programs = programs();
    programs.is_over = true;
    programs.groups.iter().for_each(|id| kill_group(*id));
}

/// A program, and how it is started.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// The program: a path, or a name to be looked for in `PATH`.
    pub program: PathBuf,
    /// The arguments of the program.
    pub arguments: Vec<String>,
    /// The folder in which the program runs; that of the tester if there is none.
    pub folder: Option<PathBuf>,
    /// Variables of the environment of the program, in addition to those of the tester.
    pub environment: Vec<(String, String)>,
    /// Whether the program is ended and started again at each reset, because that is the only way to bring
    /// it to its initial state. It still has to answer the one reset that it gets.
    pub restart: bool,
}

/// A program that speaks the JSON-lines protocol.
pub struct Process {
    dialogue: Dialogue<Program>,
}

impl Process {
    /// The program behind an interface, on a clock. It is started by the first reset.
    #[must_use]
    pub fn new(
        program: Program,
        interface: Arc<Interface>,
        timekeeping: Timekeeping,
        limits: Limits,
    ) -> Self {
        Self { dialogue: Dialogue::new(program, interface, timekeeping, limits) }
    }
}

crate::sut::sut_by!(dialogue, Process);

impl Connector for Program {
    type Link = Running;

    fn restarts(&self) -> bool {
        self.restart
    }

    fn connect(&mut self, limits: &Limits, timekeeping: Timekeeping) -> Result<Running, SutError> {
        self.start(limits, timekeeping).map_err(|error| SutError::NotStarted {
            what: format!("`{}`", self.program.display()),
            reason: match error.kind() {
                io::ErrorKind::NotFound => "there is no such program (or folder)".into(),
                io::ErrorKind::PermissionDenied => "it may not be executed".into(),
                _ => error.to_string(),
            },
        })
    }
}

impl Program {
    fn start(&self, limits: &Limits, timekeeping: Timekeeping) -> io::Result<Running> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        own_group(&mut command);
        let mut programs = programs();
        if programs.is_over {
            return Err(io::Error::other("the tester is about to end"));
        }
        let (mut child, writer) = with_stdin(command, limits)?;
        programs.groups.insert(child.id());
        drop(programs);
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(io::Error::other("its stdout was not there"));
        };
        let lines = Arc::new(Mutex::new(Lines::default()));
        let kept = Arc::clone(&lines);
        let mut running = Running { child, wire: None, lines, listener: None };
        let keep = move || keep_last_lines(stderr, &kept);
        running.listener = Some(thread::Builder::new().name("stderr".into()).spawn(keep)?);
        running.wire = Some(Wire::new(stdout, writer, limits.line_bytes, timekeeping)?);
        Ok(running)
    }
}

/// Starts a command; what is written to its stdin blocks for a bounded time only.
#[cfg(unix)]
fn with_stdin(
    mut command: Command,
    limits: &Limits,
) -> io::Result<(Child, impl Write + Send + use<>)> {
    use std::os::{fd::OwnedFd, unix::net::UnixStream};
    // A pipe has no time-out for a system that does not read.
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_write_timeout(Some(limits.answer.max(Duration::from_millis(1))))?;
    let child = command.stdin(Stdio::from(OwnedFd::from(theirs))).spawn()?;
    Ok((child, ours))
}

#[cfg(not(unix))]
fn with_stdin(mut command: Command, _: &Limits) -> io::Result<(Child, impl Write + Send + use<>)> {
    let mut child = command.stdin(Stdio::piped()).spawn()?;
    let stdin = child.stdin.take().ok_or_else(|| io::Error::other("its stdin was not there"))?;
    Ok((child, stdin))
}

/// A program that runs. Dropping it kills it.
pub(crate) struct Running {
    child: Child,
    /// There until the system is told to stop.
    wire: Option<Wire>,
    lines: Arc<Mutex<Lines>>,
    listener: Option<JoinHandle<()>>,
}

impl Running {
    fn kill(&mut self) {
        self.wire = None;
        kill_group(self.child.id());
        let _ = self.child.kill();
        // It was killed, so this does not take long. If it is gone already, there is no zombie.
        let _ = self.child.wait();
        programs().groups.remove(&self.child.id());
    }
}

impl Link for Running {
    fn wire(&mut self) -> &mut Wire {
        self.wire.as_mut().expect("a system that was stopped is not spoken to")
    }

    fn gone(&mut self, doing: &str) -> SutError {
        let deadline = clock::within(LAST_BREATH);
        let status = clock::poll(deadline, || self.child.try_wait().ok().flatten());
        // What it wrote last is the most interesting.
        let finished = || self.listener.as_ref().is_none_or(JoinHandle::is_finished).then_some(());
        if status.is_some() {
            clock::poll(deadline, finished);
        }
        let (doing, stderr) = (doing.to_owned(), self.stderr());
        match status {
            Some(status) => SutError::Crashed { doing, status: in_words(status), stderr },
            None => SutError::Disconnected { doing, stderr },
        }
    }

    fn process_id(&self) -> Option<u32> {
        Some(self.child.id())
    }

    fn stderr(&self) -> Vec<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.last.iter().cloned().collect()
    }

    fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    fn take_stderr(&mut self) -> Vec<String> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut lines.waiting)
    }

    fn end(&mut self, patience: Duration) {
        self.wire = None;
        clock::poll(clock::within(patience), || self.child.try_wait().ok().flatten());
        self.kill();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

#[cfg(unix)]
fn kill_group(id: u32) {
    use nix::{
        sys::signal::{Signal, killpg},
        unistd::Pid,
    };
    if let Ok(group) = i32::try_from(id) {
        // There may be nobody left.
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_: u32) {}

fn in_words(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            let name = nix::sys::signal::Signal::try_from(signal);
            return match name {
                Ok(name) => format!("killed by {name}"),
                Err(_) => format!("killed by signal {signal}"),
            };
        }
    }
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => "no exit code".into(),
    }
}

/// What a program wrote to stderr.
#[derive(Debug, Default)]
struct Lines {
    /// The last lines, for messages.
    last: VecDeque<String>,
    /// Lines that were not recorded yet.
    waiting: Vec<String>,
}

fn keep_last_lines(stderr: impl Read, kept: &Mutex<Lines>) {
    let mut reader = BufReader::new(stderr);
    loop {
        let mut bytes = Vec::new();
        match reader.by_ref().take(4096).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_end();
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.waiting.len() < STDERR_WAITING {
            kept.waiting.push(cut(line, NOTE_CHARS));
        }
        kept.last.push_back(shortened(line));
        if kept.last.len() > STDERR_LINES {
            kept.last.pop_front();
        }
    }
}
