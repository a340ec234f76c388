//! Watching a search: the line that tells how far it is, and the user who stops it.

use std::{
    io::{IsTerminal, Write},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use punctual_mc as mc;
use punctual_report::answers::{bytes, grouped};

use crate::clock::Stopwatch;

/// The line is written at most this often, and not at all for short searches.
const PERIOD: Duration = Duration::from_millis(100);
const PATIENCE: Duration = Duration::from_millis(300);

/// What a shell reports for a program that was interrupted.
const INTERRUPTED: i32 = 130;

static STOP: AtomicBool = AtomicBool::new(false);

/// From now on, the first Ctrl-C asks the search to stop and the second one ends the program.
pub(crate) fn listen_to_the_user() {
    // Without a handler Ctrl-C ends the program, as ever.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        let _ = writeln!(std::io::stderr(), "\nstopping; Ctrl-C again ends at once");
    });
}

/// Whether the user wants no further search.
pub(crate) fn stopped() -> bool {
    STOP.load(Ordering::Relaxed)
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

impl mc::Observer for Watcher {
    fn elapsed(&mut self) -> Duration {
        self.stopwatch.elapsed()
    }

    fn progress(&mut self, progress: &mc::Progress) -> bool {
        let now = self.stopwatch.elapsed();
        let due = self.drawn.map_or(PATIENCE, |last| last + PERIOD);
        if let Some(title) = self.title.as_deref().filter(|_| now >= due) {
            self.drawn = Some(now);
            let width = terminal_size::terminal_size_of(std::io::stderr()).map(|(w, _)| w.0);
            let line: String = (title.to_owned() + &line(progress, now))
                .chars()
                .take(usize::from(width.unwrap_or(80)).saturating_sub(1))
                .collect();
            let _ = write!(std::io::stderr(), "\r\u{1b}[2K{line}");
            let _ = std::io::stderr().flush();
        }
        !stopped()
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
    let seconds = elapsed.as_secs();
    let time = match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    };
    format!(
        "{} states, {} waiting, {} states/s, {}, {time}",
        grouped(progress.stored),
        grouped(progress.waiting),
        grouped(rate as u64),
        bytes(progress.memory),
    )
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
