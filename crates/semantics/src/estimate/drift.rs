//! A component whose clock is not the observer's.
//!
//! The clock that tells the time in zones is the observer's; all others run as the component does. As long as both run alike,
//! nothing need be done. What the component's clock may have gained or lost meanwhile is added
//! here: the clock that tells the time may be off by so much, with respect to all others.
//!
//! It does not matter when between two observations that happens. A component that has lost `d` in the end may as well have
//! lost it at the begin, since nobody looks at the clock that tells the time in between.

use super::interval::End;
use super::set::Estimate;

impl Estimate<'_> {
    /// The clock of the component may have gained or lost so many points of the grid since this was said last.
    ///
    /// # Panics
    /// If that is more than zones can hold.
    pub fn drift(&mut self, points: i64) {
        if points == 0 {
            return;
        }
        let by = i32::try_from(points).expect("a clock that is off by little");
        // A clock of a zone is never negative: the origin makes way.
        let Self { estimator, active, entries, origin, now, .. } = self;
        *origin -= points;
        for entry in entries.iter_mut() {
            active.set(&estimator.symbolic, &entry.state);
            let time = estimator.time(active);
            let holds = entry.zone.shift(time, by);
            assert!(holds, "clocks may always be later");
            entry.zone.blur(time, by);
            // A step that was taken at an instant may have been taken so much later: what is known is known up to then.
            entry.followed = entry.followed.map(|end| End { at: end.at - points, ..end });
        }
        *now = End { at: now.at - points, ..*now };
        // What was dropped may have begun so much earlier; seen from the new origin, that is where it was.
        self.index.ways.until = self.index.ways.until.saturating_add(by);
    }
}
