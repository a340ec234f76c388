//! How long signals take between tester and system on the real clock, as far as that can be seen from outside.
//!
//! An input is handed over between two instants: the system has it when it answers. A message of the system takes no longer to the tester than a
//! message there and back. What comes on top is how late the machine lets the tester look. A system that stamps its outputs is no exception:
//! its clock need not be the tester's.

use std::sync::atomic::{AtomicBool, Ordering};

use punctual_model::{Direction, Happening};

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
