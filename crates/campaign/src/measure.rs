//! How long signals take between tester and system on the real clock, as far as that can be seen from outside.
//!
//! An input is handed over between two instants: the system has it when it answers. A message of the system takes no longer to the tester than a
//! message there and back. What comes on top is how late the machine lets the tester look. A system that stamps its outputs is no exception:
//! its clock need not be the tester's. But how fast its clock runs can be told from its stamps: between two outputs it
//! went on by so much, and ours by what lies between their arrivals, but for how long they took.

use std::sync::atomic::{AtomicBool, Ordering};

use punctual_model::{Direction, Happening, Trace};

use crate::plan::{Guide, Plan};
use crate::run::{Trouble, one};

/// What was measured in some runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Measured {
    /// Runs that were made.
    pub n_runs: u64,
    /// Inputs, steps and sets that were handed over.
    pub n_handed: usize,
    /// How long handing over took, in half of all cases at most, in nanoseconds.
    pub median_ns: u64,
    /// How long handing over took at the most, in nanoseconds.
    pub most_ns: u64,
    /// How late the machine was at the most, in nanoseconds.
    pub late_ns: u64,
    /// What the stamps of the outputs say that are farthest apart; none if outputs have no stamps.
    pub stamps: Option<Stamps>,
}

/// Clocks of quartz are off by no more than this.
const QUARTZ_PPB: u64 = 100_000;

/// Two outputs that a system stamped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamps {
    /// The time between their arrivals, in nanoseconds.
    pub ours_ns: u64,
    /// The time between their stamps, in nanoseconds.
    pub theirs_ns: u64,
}

impl Stamps {
    /// Between which rates the clock of the system runs faster than ours (slower if negative), in parts per billion, if an output takes no longer than
    /// this; none if they are too near to each other.
    #[must_use]
    pub fn rates(self, output_ns: u64) -> Option<(i64, i64)> {
        let rate = |ours_ns: u64, up: bool| {
            let (theirs, ours) = (i128::from(self.theirs_ns), i128::from(ours_ns));
            let faster = (theirs - ours) * 1_000_000_000;
            let floor = faster.div_euclid(ours);
            let rate = floor + i128::from(up && faster.rem_euclid(ours) != 0);
            i64::try_from(rate).ok()
        };
        // The first may have been fast and the second slow, or the other way round.
        let least_ns = self.ours_ns.checked_sub(output_ns).filter(|it| *it > 0)?;
        Some((rate(self.ours_ns.checked_add(output_ns)?, false)?, rate(least_ns, true)?))
    }
}

impl Measured {
    /// How long an output should be allowed to take, in nanoseconds: twice the most that was measured, since a longer measurement
    /// finds more, rounded up to one digit. At least a tenth of a millisecond.
    #[must_use]
    pub fn output_ns(&self) -> u64 {
        let most_ns = 2 * self.most_ns.saturating_add(self.late_ns).min(u64::MAX / 4);
        let unit_ns = 10_u64.pow(most_ns.max(1).ilog10());
        (most_ns.div_ceil(unit_ns) * unit_ns).max(100_000)
    }

    /// By how much the clock of the system may be wrong, in parts per billion, as far as its stamps tell; rounded up to one digit. None if there are no stamps that
    /// tell, if both clocks may as well run alike and more than a quartz is off by can not be excluded, or if nobody would call that a clock.
    #[must_use]
    pub fn drift_ppb(&self) -> Option<u32> {
        let (slowest, fastest) = self.stamps?.rates(self.output_ns())?;
        let most = slowest.unsigned_abs().max(fastest.unsigned_abs()).max(1);
        if (slowest..=fastest).contains(&0) && most > QUARTZ_PPB {
            return None;
        }
        let unit = 10_u64.pow(most.ilog10());
        let rounded = most.div_ceil(unit).saturating_mul(unit).max(1_000);
        u32::try_from(rounded).ok().filter(|it| *it < 100_000_000)
    }
}

/// Makes runs and measures them; what the system does is not judged. The plan must be one for the real clock whose tester may not be late at all.
///
/// # Errors
/// As [`one`].
pub fn measure(plan: &Plan, n_runs: u64, stops: &AtomicBool) -> Result<Measured, Trouble> {
    let mut handed: Vec<u64> = Vec::new();
    let mut measured = Measured::default();
    let interface = &plan.judges.interface;
    for run in 0..n_runs {
        if stops.load(Ordering::Relaxed) {
            break;
        }
        let mut sut = plan.connect(run).map_err(Trouble::System)?;
        let mut strategy = plan.strategy(run, Guide::default());
        let finished = one(plan, run, &mut *sut, &mut *strategy, None, stops, None)?;
        measured.n_runs += 1;
        measured.late_ns = measured.late_ns.max(finished.late_ns.unwrap_or(0));
        let found = stamps(&finished.trace);
        measured.stamps = measured.stamps.into_iter().chain(found).max_by_key(|it| it.ours_ns);
        for event in &finished.trace.events {
            let is_ours = match &event.what {
                Happening::Signal(action) => {
                    interface.signals[action.signal].direction == Direction::Input
                }
                Happening::Set(_) | Happening::Step(_) | Happening::Reading(_) => true,
            };
            if is_ours {
                handed.push(event.to_ns - event.from_ns);
            }
        }
    }
    handed.sort_unstable();
    measured.n_handed = handed.len();
    measured.median_ns = handed.get(handed.len() / 2).copied().unwrap_or(0);
    measured.most_ns = handed.last().copied().unwrap_or(0);
    Ok(measured)
}

/// The first and the last event of a run that the system stamped.
fn stamps(trace: &Trace) -> Option<Stamps> {
    let mut stamped = trace.events.iter().filter_map(|it| Some((it.from_ns, it.device_ns?)));
    let (first, last) = (stamped.next()?, stamped.next_back()?);
    let theirs_ns = last.1.checked_sub(first.1)?;
    Some(Stamps { ours_ns: last.0.saturating_sub(first.0), theirs_ns })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The clock of a system that really runs at a rate is within what its stamps say, however long outputs take.
    #[test]
    fn stamps_tell_how_fast_a_clock_runs() {
        let output_ns = 100_000;
        for rate in [-50_000_i64, 0, 50_000, 3_000_000] {
            for (first_ns, last_ns) in [(0, 0), (100_000, 0), (0, 100_000), (70_000, 20_000)] {
                let sent_ns = 10_000_000_000_u64;
                let theirs_ns = sent_ns.saturating_add_signed(rate * 10);
                let stamps = Stamps { ours_ns: sent_ns + last_ns - first_ns, theirs_ns };
                let (slowest, fastest) = stamps.rates(output_ns).expect("they are far apart");
                assert!((slowest..=fastest).contains(&rate), "{rate}: {slowest}..{fastest}");
                assert!(fastest - slowest < 21_000, "{rate}: {slowest}..{fastest}");
                let stamps = Some(stamps);
                let measured = Measured { most_ns: 50_000, stamps, ..Measured::default() };
                let drift = measured.drift_ppb().expect("a clock");
                assert!(u64::from(drift) >= rate.unsigned_abs(), "{rate}: {drift}");
            }
        }
        // A second is too short to tell a clock that is off by 0.02 % from one that is not.
        let short = Stamps { ours_ns: 1_000_000_000, theirs_ns: 1_000_050_000 };
        let measured = Measured { most_ns: 50_000, stamps: Some(short), ..Measured::default() };
        assert_eq!((short.rates(output_ns).unwrap().0 < 0, measured.drift_ppb()), (true, None));
        let near = Stamps { ours_ns: 90_000, theirs_ns: 80_000 };
        assert_eq!(near.rates(output_ns), None);
    }
}
