//! What a transition asked of the clocks and did to them, in clocks of the network: for replaying a
//! path with exact delays.

use punctual_zones::{Constraint, MinimalZone, ZoneRef};

use super::{Active, Explorer};

/// A transition as constraints and assignments. Clocks are numbered from 1; 0 is the reference.
#[derive(Clone, Debug)]
pub struct Record {
    /// What holds when the transition is taken; nothing for an initial state.
    pub before: Vec<Constraint>,
    /// The clocks (numbered from 0) that it sets: each to a clock (0 is the reference) plus a
    /// constant.
    pub changes: Vec<(u32, (u32, i32))>,
    /// What must hold after it: the invariants.
    pub after: Vec<Constraint>,
    /// Whether time stands still in the state after it.
    pub stands_still: bool,
}

impl Explorer<'_> {
    /// The transition that is being visited.
    pub(crate) fn record(&self) -> Record {
        let changes = |&clock: &u32| (clock, self.machine.clock(clock));
        let before = match self.party.is_empty() {
            true => Vec::new(),
            false => constraints(self.guarded_zone().view(), &self.source_clocks),
        };
        Record {
            before,
            changes: self.machine.changed_clocks().iter().map(changes).collect(),
            after: self.invariants.iter().map(|it| global(*it, &self.target_clocks)).collect(),
            stands_still: self.stands_still,
        }
    }
}

/// The constraints of a zone, in clocks of the network.
#[must_use]
pub fn constraints(zone: ZoneRef<'_>, clocks: &Active) -> Vec<Constraint> {
    let minimal = MinimalZone::from(zone);
    minimal.constraints().iter().map(|it| global(*it, clocks)).collect()
}

fn global(constraint: Constraint, clocks: &Active) -> Constraint {
    let clock = |number: u32| match number {
        0 => 0,
        number => clocks.clocks()[number as usize - 1] + 1,
    };
    Constraint { x: clock(constraint.x), y: clock(constraint.y), bound: constraint.bound }
}
