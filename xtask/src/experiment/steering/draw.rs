//! Chance, in the forms that tests need.

use punctual_semantics::program::Chance;
use punctual_smc::Stream;

/// A stream of draws.
pub(super) struct Draw(Stream);

impl Draw {
    /// The same for the same numbers.
    pub(super) fn of(seed: u64, number: u64) -> Draw {
        Draw(Stream::of_run(seed, number))
    }

    /// Each number from `low` to `high` with the same chance.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        let n = (high - low + 1).max(1);
        low + ((self.0.unit() * n as f64) as i64).min(n - 1)
    }

    /// True so often, in percent.
    pub(super) fn percent(&mut self, often: i64) -> bool {
        self.between(0, 99) < often
    }
}
