//! How far the clock of a system may be off the tester's.
//!
//! A model speaks of the time of the system, a trace has instants of the tester. If the system's clock runs by `rate` faster or slower at
//! most, both are apart by at most `rate` times what has passed. What counts is the time between two observations: the
//! tester knows when something was observed, so the clock that tells the time is set right there, and is off by nothing then. What was
//! set at earlier observations is off by what has passed since, and only by that.
//!
//! Zones have points of a grid. As soon as clocks may be off by whole points, these are added to the states
//! ([`Estimate::drift`](punctual_semantics::estimate::Estimate::drift)); the rest, less than a point or what passes during a
//! cluster of observations, widens the interval of the next observation. So nothing is lost by
//! rounding, however many observations there are, and a delay between two observations is judged by `rate` times its length and less
//! than two points more.
//!
//! **Invariant:** for what really happened there is a state whose clock that tells the time is off by `open` at most, at `since_ns`.

use punctual_model::{TimeScale, Uncertainty};

/// Parts of a nanosecond.
const PARTS: u128 = 1_000_000_000;

/// So many points of the grid are added to states at once, at most: what is beyond widens an interval, which is then too long to be followed.
pub(super) const POINTS_MAX: i64 = 1 << 24;

/// What passed since clocks were known to agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Drift {
    /// Parts per billion.
    rate: u32,
    /// By how much clocks may be off at `since_ns`, beyond what was added to the states: billionths of nanoseconds.
    open: u128,
    since_ns: u64,
}

impl Drift {
    /// The clock of a system that has just started.
    pub(super) fn new(uncertainty: Uncertainty) -> Drift {
        Drift { rate: uncertainty.drift_ppb, open: 0, since_ns: 0 }
    }

    /// Something happened at some instants between two, or nothing up to both. Gives the points of the grid that are to
    /// be added to the states before that is observed, and the instants between which it is then to be looked for.
    pub(super) fn pass(&mut self, from_ns: u64, to_ns: u64, time: TimeScale) -> (i64, u64, u64) {
        if self.rate == 0 {
            return (0, from_ns, to_ns);
        }
        let rate = u128::from(self.rate);
        let most = self.open + rate * u128::from(to_ns.saturating_sub(self.since_ns));
        // Meanwhile clocks go on differing, so that what is added at once fits all of it only up to that.
        let during = rate * u128::from(to_ns.saturating_sub(from_ns));
        let (point, resolution) = (u128::from(time.unit_ns) * PARTS, u128::from(time.resolution));
        let points = most.saturating_sub(during).saturating_mul(resolution) / point;
        let points = i64::try_from(points).unwrap_or(i64::MAX).min(POINTS_MAX);
        // What is added counts as no more than it is.
        let added = u128::from(points.unsigned_abs()).saturating_mul(point) / resolution;
        self.open = most.saturating_sub(added);
        self.since_ns = self.since_ns.max(from_ns);
        let open_ns = u64::try_from(self.open.div_ceil(PARTS)).unwrap_or(u64::MAX);
        (points, from_ns.saturating_sub(open_ns), to_ns.saturating_add(open_ns))
    }
}
