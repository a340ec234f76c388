//! Deadlines. The only file that reads the machine's clock here.

use std::time::{Duration, Instant};

/// An instant until which something has to happen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    /// So long from now; never, if that is beyond the clock.
    pub(crate) fn after(delay: Duration) -> Deadline {
        Deadline(now().checked_add(delay))
    }

    /// How long it is until then; zero if it has passed.
    pub(crate) fn remaining(self) -> Duration {
        self.0.map_or(Duration::MAX, |instant| instant.saturating_duration_since(now()))
    }
}

#[expect(clippy::disallowed_methods, reason = "a solver that hangs is ended after a while")]
fn now() -> Instant {
    Instant::now()
}
