//! Where a component may stand at the present instant, as single points: for whoever plans from there.
//!
//! An estimate has zones, a plan begins with numbers. Each state gives one point, with clocks as low as its zone
//! allows; other points of the zone are left out.

use punctual_model::{ClockId, Id};
use punctual_zones::Bound;

use super::interval::End;
use super::set::Estimate;

/// A point of a component at the present instant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Stand {
    /// The location of each process of the component, what is outside of it last, then the integers.
    pub state: Vec<i32>,
    /// The clocks that matter, each with a value, in points of the grid.
    pub clocks: Vec<(ClockId, i32)>,
}

impl Estimate<'_> {
    /// Points of the states that are possible now, one for each, at most so many. A state that has no point on the grid
    /// is left out.
    pub fn stands(&mut self, most: usize) -> Vec<Stand> {
        let Self { estimator, active, entries, origin, now, work, probe, .. } = self;
        // Just behind an instant, the next point of the grid is the first one.
        let at = End::at(now.at + i64::from(now.open));
        let mut found = Vec::new();
        for entry in entries.iter() {
            if found.len() >= most {
                break;
            }
            active.set(&estimator.symbolic, &entry.state);
            let time = estimator.time(active);
            work.assign(&entry.zone);
            // Zones that were made coarser go beyond the invariants.
            if !matches!(probe.cut_to_invariants(&entry.state, work), Ok(true)) {
                work.assign(&entry.zone);
            }
            if !work.constrain(time, 0, at.upper(*origin))
                || !work.constrain(0, time, at.lower(*origin))
            {
                continue;
            }
            let mut clocks = Vec::new();
            let mut is_whole = true;
            for (i, clock) in active.clocks().iter().enumerate().filter(|(i, _)| i + 1 != time) {
                let least = work.min(i + 1);
                let value = least.value + i32::from(!least.attained);
                let (Some(upper), Some(lower)) =
                    (Bound::new(value, true), Bound::new(-value, true))
                else {
                    is_whole = false;
                    break;
                };
                is_whole = work.constrain(i + 1, 0, upper) && work.constrain(0, i + 1, lower);
                if !is_whole {
                    break;
                }
                clocks.push((ClockId::from_index(*clock as usize), value));
            }
            if is_whole {
                found.push(Stand { state: entry.state.clone(), clocks });
            }
        }
        found
    }
}
