//! Waiting with barriers: zones that stop time where they begin, or that waiting has to avoid.

use punctual_zones::{Constraint, Federation, Zone};

use super::Predicate;
use super::delay::Urgency;
use super::enabled::reached_first;
use super::explorer::{Explorer, Halt};

/// A convex obstacle to waiting.
pub(crate) struct Barrier {
    zone: Zone,
    /// From where waiting leads to it.
    before: Zone,
    /// Where waiting does not lead from before it.
    beyond: Zone,
    /// Whether waiting may end in its first instant, and not just before.
    may_be_met: bool,
}

impl Barrier {
    /// Time stands still from where the zone begins.
    pub(crate) fn stop(zone: &Zone) -> Barrier {
        let mut beyond = zone.clone();
        beyond.up_strictly();
        Barrier { zone: zone.clone(), before: down(zone), beyond, may_be_met: true }
    }

    /// The zone is not to be met.
    pub(crate) fn forbid(zone: &Zone) -> Barrier {
        let mut beyond = zone.clone();
        beyond.up();
        Barrier { zone: zone.clone(), before: down(zone), beyond, may_be_met: false }
    }
}

/// A part of a zone, and the barriers that are ahead of all of it; none if it lies in one.
type Part = (Zone, Option<Vec<usize>>);

/// Where waiting leads from a zone, up to some barriers. `later` is where it would lead without.
pub(crate) fn wait_between(
    start: &Zone,
    later: &Zone,
    stopped: &[usize],
    barriers: &[Barrier],
) -> Federation {
    let mut parts: Vec<Part> = vec![(start.clone(), Some(Vec::new()))];
    for (i, barrier) in barriers.iter().enumerate() {
        parts = parts.into_iter().flat_map(|part| split(part, barrier, i)).collect();
    }
    let mut reached = Federation::empty(start.dim() - 1);
    for (start, ahead) in parts {
        let Some(ahead) = ahead else {
            reached.insert(start);
            continue;
        };
        let mut waited = start;
        waited.up_except(stopped);
        let meets = waited.intersect(later);
        assert!(meets, "the state before waiting is still there");
        let mut waited = Federation::from(waited);
        for i in ahead {
            waited.subtract(&barriers[i].beyond);
        }
        reached.union(&waited);
    }
    reached
}

/// Splits a part into what lies in a barrier, before it, and neither.
fn split((start, ahead): Part, barrier: &Barrier, number: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut inside = start.clone();
    if barrier.may_be_met && inside.intersect(&barrier.zone) {
        parts.push((inside, None));
    }
    let Some(ahead) = ahead else {
        // Time stands still: only what has to be avoided at once matters.
        return match barrier.may_be_met {
            true => vec![(start, None)],
            false => pieces(start.subtract(&barrier.zone), None),
        };
    };
    for outside in start.subtract(&barrier.zone).zones() {
        let mut before = outside.clone();
        if before.intersect(&barrier.before) {
            parts.push((before, Some(ahead.iter().copied().chain([number]).collect())));
        }
        parts.extend(pieces(outside.subtract(&barrier.before), Some(&ahead)));
    }
    parts
}

fn pieces(zones: Federation, ahead: Option<&Vec<usize>>) -> Vec<Part> {
    zones.zones().iter().map(|zone| (zone.clone(), ahead.cloned())).collect()
}

fn down(zone: &Zone) -> Zone {
    let mut before = zone.clone();
    before.down();
    before
}

/// What can come of a set of states if nothing but time happens and some states are avoided.
#[derive(Clone, Debug)]
pub struct Wait {
    /// Where waiting leads.
    pub reached: Federation,
    /// From where time can pass for ever.
    pub endless: Federation,
    /// Those that were reached and from where nothing but time can ever happen, as long as it is
    /// allowed to, without what is avoided.
    pub dead: Federation,
}

impl Explorer<'_> {
    /// The part of a state's zone that avoids a condition.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn outside(
        &mut self,
        avoided: &Predicate,
        state: &[i32],
        zone: &Zone,
    ) -> Result<Federation, Halt> {
        let part = avoided.part(self, state, zone)?;
        let mut outside = Federation::from(zone.clone());
        outside.subtract_all(&part);
        Ok(outside)
    }

    /// Lets time pass from a state's zone, in all of which the condition to be avoided does not
    /// hold, as long as it does not. The zone need not be closed under waiting.
    ///
    /// With stopped clocks, none of the sets is exact.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn wait_avoiding(
        &mut self,
        avoided: &Predicate,
        state: &[i32],
        zone: &Zone,
    ) -> Result<Wait, Halt> {
        let n_clocks = zone.dim() - 1;
        let urgency = self.look_at(state)?;
        let later = self.later(zone, &urgency);
        let unbounded = !matches!(urgency, Urgency::Stopped)
            && !self.invariants.iter().any(|it| self.is_deadline(it));
        let stopped = self.stopped.clone();
        let avoided = match avoided.is_data() {
            true => Federation::empty(n_clocks),
            false => avoided.part(self, state, &later)?,
        };
        let avoided = avoided.zones();
        let stops: &[Zone] = match &urgency {
            Urgency::From(begins) => begins,
            Urgency::None | Urgency::Stopped => &[],
        };

        let reached = match &urgency {
            Urgency::Stopped => Federation::from(zone.clone()),
            Urgency::None if avoided.is_empty() => Federation::from(later.clone()),
            Urgency::None | Urgency::From(_) => {
                let forbidden = avoided.iter().map(Barrier::forbid);
                let barriers: Vec<Barrier> =
                    forbidden.chain(stops.iter().map(Barrier::stop)).collect();
                wait_between(zone, &later, &stopped, &barriers)
            }
        };
        let mut endless = Federation::empty(n_clocks);
        if unbounded {
            endless.insert(zone.clone());
            for ahead in avoided.iter().chain(stops) {
                endless.subtract(&down(ahead));
            }
        }
        let mut dead = reached.clone();
        dead.subtract_all(&self.live(state, &later)?);
        if !dead.is_empty() && !matches!(urgency, Urgency::Stopped) {
            for ahead in avoided {
                dead.subtract_all(&reached_first(ahead, stops));
            }
        }
        Ok(Wait { reached, endless, dead })
    }

    /// Makes this the state of `target`, with its invariants and the clocks that stand still.
    pub(crate) fn look_at(&mut self, state: &[i32]) -> Result<Urgency, Halt> {
        self.target.copy_from_slice(state);
        self.machine.begin();
        self.party.clear();
        let holds = self.survey()?;
        assert!(holds, "the invariants of a state hold");
        let urgency = self.urgency()?;
        self.party.clear();
        self.stopped_clocks().map_err(|fault| self.trouble(fault))?;
        Ok(urgency)
    }

    /// Where waiting in the state of `target` leads from a zone, if nothing but its invariants and
    /// urgency everywhere keep time from passing.
    pub(crate) fn later(&self, zone: &Zone, urgency: &Urgency) -> Zone {
        let mut later = zone.clone();
        if !matches!(urgency, Urgency::Stopped) {
            later.up_except(&self.stopped);
            let holds = later.constrain_all(self.invariants.iter().copied());
            assert!(holds, "the state before waiting is still there");
        }
        later
    }

    /// Whether a constraint is violated some time, if time passes for ever.
    fn is_deadline(&self, constraint: &Constraint) -> bool {
        let runs = |clock: u32| clock != 0 && !self.stopped.contains(&(clock as usize));
        runs(constraint.x) && !runs(constraint.y)
    }
}
