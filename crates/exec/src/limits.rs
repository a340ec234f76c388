//! How much patience the tester has.

use std::time::Duration;

/// What is tolerated of a system. On the virtual clock, durations are of the machine's clock, too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// How long a start may take, until the system answers for the first time.
    pub start: Duration,
    /// How long an answer may take: to a reset, a step and a question for values, and on the virtual clock
    /// to everything. Also how long a system may take to read what is sent.
    pub answer: Duration,
    /// How long a system has to end by itself before it is killed.
    pub stop: Duration,
    /// How many outputs, and steps of its own, a system may tell of at one instant of the virtual clock.
    pub outputs_at_one_instant: u64,
    /// How many outputs, and steps of its own, a system may tell of in a second of the real clock.
    pub outputs_per_second: u64,
    /// How many bytes a line may have, without its end.
    pub line_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            answer: Duration::from_secs(10),
            stop: Duration::from_millis(500),
            outputs_at_one_instant: 1_000,
            outputs_per_second: 20_000,
            line_bytes: 64 * 1024,
        }
    }
}

/// Counts outputs, to notice a flood.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flood {
    since_ns: u64,
    n_outputs: u64,
}

impl Flood {
    /// Another output; whether that is too many.
    pub(crate) fn count(&mut self, at_ns: u64, window_ns: u64, limit: u64) -> bool {
        if at_ns > self.since_ns.saturating_add(window_ns) {
            *self = Self { since_ns: at_ns, n_outputs: 0 };
        }
        self.n_outputs += 1;
        self.n_outputs > limit
    }
}
