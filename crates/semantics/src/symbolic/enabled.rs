//! Where in a zone something can happen: for priorities and for deadlock.

use std::ops::ControlFlow;

use punctual_zones::{Bound, Federation, Zone, ZoneRef};

use super::delay::Urgency;
use super::explorer::{Explorer, Halt, Successor};

/// The priority of a transition: that of its channel decides first, then the highest one of the
/// processes that take part.
type Priority = (i32, i32);

impl Explorer<'_> {
    /// Fires every transition where no other of higher priority is possible at the same instant.
    /// One that is an error of the model counts, and is an error only where it would be fired.
    pub(crate) fn fire_by_priority(
        &mut self,
        visit: &mut impl FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Result<(), Halt> {
        let mut enabled: Vec<(Priority, Zone)> = Vec::new();
        self.each_transition(&mut |explorer| {
            let (priority, budget) = (explorer.priority(), &explorer.symbolic.budget);
            explorer.enabled_zones(true, &mut |zone| {
                // A broadcast has many transitions that are possible from the same zone, in turn.
                if !enabled.last().is_some_and(|last| last.0 == priority && last.1 == zone) {
                    enabled.push((priority, zone));
                    let each = size_of::<(Priority, Zone)>() + bytes(&enabled[enabled.len() - 1].1);
                    budget.hold((enabled.len() * each) as u64);
                }
            })
        })?;
        self.ordinal = 0;
        self.each_transition(&mut |explorer| {
            let holds = explorer.guard();
            if !explorer.forgiven(holds, false)? {
                explorer.skip_branches();
                return Ok(());
            }
            let priority = explorer.priority();
            let mut pieces = Federation::empty(explorer.source_zone.dim() - 1);
            let allowed = explorer.allowed_pieces();
            for piece in explorer.forgiven(allowed, Vec::new())? {
                pieces.insert(piece);
            }
            for (_, zone) in enabled.iter().filter(|(other, _)| *other > priority) {
                pieces.subtract(zone);
            }
            explorer.fire_pieces(pieces.zones().to_vec(), visit)
        })
    }

    fn priority(&self) -> Priority {
        let symbolic = self.symbolic;
        let process = |offer: &super::offers::Offer| &symbolic.processes[offer.process as usize];
        let channel = self
            .party
            .iter()
            .filter(|offer| process(offer).edges[offer.edge as usize].has_channel)
            .map(|offer| symbolic.channels[offer.channel as usize].priority)
            .max();
        let highest = self.party.iter().map(|offer| process(offer).priority).max();
        (channel.unwrap_or(symbolic.default_priority), highest.unwrap_or_default())
    }

    /// Hands out the parts of the source zone from which the transition of `party` is possible:
    /// guards hold, and the invariants of where it leads hold after its updates. With
    /// `or_in_error`, a transition that is an error of the model is possible, too.
    pub(crate) fn enabled_zones(
        &mut self,
        or_in_error: bool,
        give: &mut impl FnMut(Zone),
    ) -> Result<(), Halt> {
        let holds = self.guard();
        if !self.forgiven(holds, false)? {
            return Ok(());
        }
        let pieces = self.allowed_pieces();
        let pieces = self.forgiven(pieces, Vec::new())?;
        self.each_branch(&mut |explorer| {
            match explorer.lands() {
                Ok(false) => {}
                Ok(true) => {
                    for piece in &pieces {
                        let mut zone = piece.clone();
                        if explorer.constrain_to_target(&mut zone) {
                            give(zone);
                        }
                    }
                }
                Err(Halt::Trouble(_)) if or_in_error => pieces.iter().cloned().for_each(&mut *give),
                Err(halt) => return Err(halt),
            }
            Ok(())
        })
    }

    /// Makes the updates of `party` and looks at where they lead; false if that is forbidden.
    fn lands(&mut self) -> Result<bool, Halt> {
        Ok(self.update()? && self.survey()?)
    }

    /// Keeps the valuations whose successors satisfy the invariants of `target`.
    fn constrain_to_target(&self, zone: &mut Zone) -> bool {
        let before = |clock: u32| match clock {
            0 => (0, 0),
            clock => {
                let clock = self.target_clocks.clocks()[clock as usize - 1];
                let (from, offset) = self.machine.clock(clock);
                (self.source_clocks.tested(from), offset)
            }
        };
        self.invariants.iter().all(|it| {
            let ((x, x_offset), (y, y_offset)) = (before(it.x), before(it.y));
            let constant = it.bound.constant().expect("an invariant is finite");
            let bound = Bound::new(constant - x_offset + y_offset, it.bound.is_weak());
            zone.constrain(x, y, bound.expect("constants are far from the limit"))
        })
    }

    /// The parts of a state's zone from which something can happen, now or after waiting.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn live<'z>(
        &mut self,
        state: &[i32],
        zone: impl Into<ZoneRef<'z>>,
    ) -> Result<Federation, Halt> {
        let urgency = self.look_at(state)?;
        self.load(state, zone);
        self.mind_growth()?;
        // What happens later need not be in the zone.
        let whole = self.source_zone.clone();
        self.source_zone = self.later(&whole, &urgency);
        let mut live = Federation::empty(self.source_zone.dim() - 1);
        let add = |live: &mut Federation, zone: Zone| match &urgency {
            Urgency::Stopped => live.insert(zone),
            Urgency::None => {
                let mut before = zone;
                before.down();
                if before.intersect(&whole) {
                    live.insert(before);
                }
            }
            Urgency::From(begins) => {
                let mut before = reached_first(&zone, begins);
                before.intersect(&whole);
                live.union(&before);
            }
        };
        // There may be very many transitions, and most of them say nothing new. What is an error of the model in those that are not looked at is
        // an error of the successors, too.
        let done = self.each_transition(&mut |explorer| {
            explorer.enabled_zones(false, &mut |zone| add(&mut live, zone))?;
            match live.zones().iter().any(|zone| zone.includes(&whole)) {
                true => Err(Halt::Stop),
                false => Ok(()),
            }
        });
        match done {
            Ok(()) | Err(Halt::Stop) => Ok(live),
            Err(halt) => Err(halt),
        }
    }
}

/// About how many bytes a zone holds.
fn bytes(zone: &Zone) -> usize {
    zone.dim() * zone.dim() * size_of::<Bound>()
}

/// The valuations that reach a zone by waiting before time stops in one of others.
pub(crate) fn reached_first(zone: &Zone, begins: &[Zone]) -> Federation {
    let down = |zone: &Zone| {
        let mut before = zone.clone();
        before.down();
        before
    };
    let mut reached = Federation::from(down(zone));
    for begin in begins {
        // Where this one is not ahead; or where it is not passed; or where no time passes at all.
        let mut way = down(zone).subtract(&down(begin));
        let mut after = begin.clone();
        after.up_strictly();
        let mut not_passed = zone.subtract(&after);
        not_passed.down();
        way.union(&not_passed);
        way.insert(zone.clone());
        reached.intersect_all(&way);
    }
    reached
}
