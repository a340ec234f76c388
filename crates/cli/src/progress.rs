//! Watching a search: the line that tells how far it is, and the user who stops it.

use std::{
    collections::BTreeSet,
    io::{IsTerminal, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, LazyLock, Mutex, MutexGuard, Once, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use punctual_mc as mc;
use punctual_report::answers::{bytes, grouped};
use punctual_semantics::budget::{Budget, Spent};
use punctual_smc as smc;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
};

use crate::{Stop, clock::Stopwatch, memory};

/// The line is written at most this often, and not at all for short searches.
const PERIOD: Duration = Duration::from_millis(100);
const PATIENCE: Duration = Duration::from_millis(300);

/// How long a word about a signal may take to be written.
const WORD: Duration = Duration::from_millis(100);

/// What a shell reports for a program that was interrupted.
const INTERRUPTED: i32 = 130;

static STOP: AtomicBool = AtomicBool::new(false);

/// What commands may use that follow a model while they test or judge.
static BUDGET: LazyLock<Arc<Budget>> = LazyLock::new(|| Arc::new(Budget::new(memory::followed())));

/// Whether the command ends by itself when it is asked to.
static HEARS: AtomicBool = AtomicBool::new(false);

/// Files that are being written. They do not outlive the program.
static PARTS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// From now on, the first Ctrl-C asks for an end of what is going on, and the second one ends the program. A shell that hangs up and
/// whoever asks the program to terminate mean the same.
pub(crate) fn listen_to_the_user() {
    HEARS.store(true, Ordering::Relaxed);
    listen();
}

/// Whether a signal that ends the program says so, and is no verdict.
static TELLS: AtomicBool = AtomicBool::new(false);

/// From now on, a signal ends the program at once, with a word and the exit code of what is inconclusive.
pub(crate) fn tell_when_stopped() {
    TELLS.store(true, Ordering::Relaxed);
    listen();
}

/// Makes a file that is removed if a signal ends the program before it is `finished`.
pub(crate) fn unfinished<T>(
    make: impl FnOnce() -> std::io::Result<(PathBuf, T)>,
) -> std::io::Result<(PathBuf, T)> {
    listen();
    // Who removes the files waits until it is known that there is another one.
    let mut parts = PARTS.lock().unwrap_or_else(PoisonError::into_inner);
    let (path, made) = make()?;
    parts.insert(path.clone());
    Ok((path, made))
}

/// The file got its name, or is gone.
pub(crate) fn finished(path: &Path) {
    PARTS.lock().unwrap_or_else(PoisonError::into_inner).remove(path);
}

fn listen() {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| {
        let mut signals = vec![SIGINT, SIGTERM];
        // `nohup` wants the program to go on when its terminal is closed.
        if !is_ignored(SIGHUP) {
            signals.push(SIGHUP);
        }
        // Without a listener a signal ends the program, as ever.
        if let Ok(mut signals) = Signals::new(signals) {
            let listen = move || signals.forever().for_each(interrupted);
            let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(listen);
        }
    });
}

fn interrupted(signal: i32) {
    if !HEARS.load(Ordering::Relaxed) {
        let _parts = without_parts();
        if TELLS.load(Ordering::Relaxed) {
            // Whoever misses a solver now must not say so.
            say("\nstopped", punctual_solver::end_all);
            std::process::exit(i32::from(crate::INCONCLUSIVE));
        }
        punctual_solver::end_all();
        // The shell sees what it would see without a listener.
        let _ = signal_hook::low_level::emulate_default_handler(signal);
        std::process::exit(INTERRUPTED);
    }
    // Who sees that a solver or a system was let go sees why.
    let is_first = !STOP.swap(true, Ordering::SeqCst);
    BUDGET.spend(Spent::Stopped);
    punctual_exec::stop_waiting();
    punctual_solver::end_all();
    if !is_first {
        punctual_exec::end_all();
        let _parts = without_parts();
        std::process::exit(INTERRUPTED);
    }
    say("\nstopping; Ctrl-C again ends at once", || ());
}

/// Says a word about a signal, and does what nobody may speak of afterwards. Who reads what the program says may not read it any more: that
/// keeps nobody from hearing the next signal, so the word has a short time.
fn say(word: &'static str, quietly: fn()) {
    let (done, said) = std::sync::mpsc::channel();
    let speak = move || {
        let mut stderr = std::io::stderr().lock();
        let _ = writeln!(stderr, "{word}");
        quietly();
        let _ = done.send(());
    };
    let _ = std::thread::Builder::new().name("word".to_owned()).spawn(speak);
    if said.recv_timeout(WORD).is_err() {
        quietly();
    }
}

/// Ends the program, since what it does takes too much.
pub(crate) fn give_up(why: &str, code: u8) {
    let _parts = without_parts();
    tell!("error: {why}");
    punctual_solver::end_all();
    std::process::exit(i32::from(code));
}

/// Removes what is only partly written. Nothing new begins while the caller holds what is returned.
fn without_parts() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    let parts = PARTS.lock().unwrap_or_else(PoisonError::into_inner);
    for part in &*parts {
        let _ = std::fs::remove_file(part);
    }
    parts
}

/// Whether who started the program wants it to ignore a signal. False where the operating system does not tell.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|it| u64::from_str_radix(it.trim(), 16).ok()).unwrap_or(0);
    ignored >> (signal - 1) & 1 == 1
}

/// What the user wants, for those who look for themselves.
pub(crate) fn stop() -> &'static AtomicBool {
    &STOP
}

/// What following a model may use. It is spent when the user wants no more.
pub(crate) fn budget() -> &'static Arc<Budget> {
    &BUDGET
}

/// Whether no model is followed any further: the user wants no more, or there is no memory left.
pub(crate) fn is_spent() -> bool {
    stopped() || BUDGET.is_spent()
}

/// Tells why there is no answer, if following a model took too much memory.
pub(crate) fn tell_of_memory(budget: &Budget) {
    if budget.spent() == Some(Spent::Memory) {
        tell!(
            "out of memory: the model may be in so many states that following it would take more than {}",
            bytes(budget.memory())
        );
    }
}

/// Whether the user wants no further search.
pub(crate) fn stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Why a command ends without a verdict. A user who wanted no more is enough to explain that a model could not be followed.
pub(crate) fn unless_stopped(why: Stop) -> Stop {
    match stopped() {
        true => Stop::Inconclusive("stopped before there was a verdict".to_owned()),
        false => why,
    }
}

/// Watches the search for one query.
pub(crate) struct Watcher {
    stopwatch: Stopwatch,
    /// What the line starts with; none if there is no line.
    title: Option<String>,
    drawn: Option<Duration>,
}

impl Watcher {
    /// For the query with this number of this many. The line is for terminals only.
    pub(crate) fn new(number: usize, of: usize, wanted: bool) -> Self {
        let title = (wanted && std::io::stderr().is_terminal()).then(|| match of {
            1 => String::new(),
            of => format!("query {number}/{of}: "),
        });
        Self { stopwatch: Stopwatch::start(), title, drawn: None }
    }
}

impl Watcher {
    /// Draws the line if it is time to; false if the user wants no more.
    pub(crate) fn draw(&mut self, line: impl FnOnce(Duration) -> String) -> bool {
        let now = self.stopwatch.elapsed();
        let due = self.drawn.map_or(PATIENCE, |last| last + PERIOD);
        if let Some(title) = self.title.as_deref().filter(|_| now >= due) {
            self.drawn = Some(now);
            let width = terminal_size::terminal_size_of(std::io::stderr()).map(|(w, _)| w.0);
            let line: String = (title.to_owned() + &line(now))
                .chars()
                .take(usize::from(width.unwrap_or(80)).saturating_sub(1))
                .collect();
            let _ = write!(std::io::stderr(), "\r\u{1b}[2K{line}");
            let _ = std::io::stderr().flush();
        }
        !stopped()
    }
}

impl smc::Observer for Watcher {
    fn elapsed(&mut self) -> Duration {
        self.stopwatch.elapsed()
    }

    fn progress(&mut self, progress: &smc::Progress) -> bool {
        self.draw(|elapsed| run_line(progress, elapsed))
    }
}

impl mc::Observer for Watcher {
    fn elapsed(&mut self) -> Duration {
        self.stopwatch.elapsed()
    }

    fn progress(&mut self, progress: &mc::Progress) -> bool {
        self.draw(|elapsed| line(progress, elapsed))
    }
}

/// The line does not outlive the search.
impl Drop for Watcher {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            let _ = write!(std::io::stderr(), "\r\u{1b}[2K");
            let _ = std::io::stderr().flush();
        }
    }
}

fn line(progress: &mc::Progress, elapsed: Duration) -> String {
    let rate = progress.explored as f64 / elapsed.as_secs_f64().max(1e-3);
    format!(
        "{} states, {} waiting, {} states/s, {}, {}",
        grouped(progress.stored),
        grouped(progress.waiting),
        grouped(rate as u64),
        bytes(progress.memory),
        time(elapsed),
    )
}

fn run_line(progress: &smc::Progress, elapsed: Duration) -> String {
    let rate = progress.transitions as f64 / elapsed.as_secs_f64().max(1e-3);
    let most = progress.most.map_or(String::new(), |most| format!(" of at most {}", grouped(most)));
    format!(
        "{} runs{most}, {} satisfied, {} transitions/s, {}",
        grouped(progress.runs),
        grouped(progress.satisfied),
        grouped(rate as u64),
        time(elapsed),
    )
}

/// `1:20`
fn time(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use punctual_mc::Progress;

    #[test]
    fn the_line_tells_how_far_the_search_is() {
        let progress = Progress {
            stored: 1_234_567,
            explored: 1_000_000,
            transitions: 0,
            waiting: 2345,
            memory: 310 << 20,
            elapsed: Duration::ZERO,
        };
        assert_eq!(
            super::line(&progress, Duration::from_secs(80)),
            "1,234,567 states, 2,345 waiting, 12,500 states/s, 310 MB, 1:20"
        );
    }
}
