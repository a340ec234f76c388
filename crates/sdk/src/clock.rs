//! The machine's clock, for systems that are served on the real clock.

use std::{
    thread,
    time::{Duration, Instant},
};

/// Nanoseconds since a start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch {
    start: Instant,
}

impl Stopwatch {
    /// Starts at 0.
    #[expect(clippy::disallowed_methods, reason = "the real clock of a served system")]
    pub(crate) fn start() -> Self {
        Self { start: Instant::now() }
    }

    /// How much passed.
    #[expect(clippy::disallowed_methods, reason = "the real clock of a served system")]
    pub(crate) fn now_ns(self) -> u64 {
        u64::try_from((Instant::now() - self.start).as_nanos()).unwrap_or(u64::MAX)
    }

    /// How long it is until an instant.
    pub(crate) fn until(self, at_ns: u64) -> Duration {
        Duration::from_nanos(at_ns.saturating_sub(self.now_ns()))
    }
}

/// Does nothing for a while.
#[expect(clippy::disallowed_methods, reason = "a tester may listen a little later")]
pub(crate) fn pause(duration: Duration) {
    thread::sleep(duration);
}
