//! Whether a case can reach what a mutant changed.
//!
//! A mutant does what the network does until one of its processes is in a location where they differ. If the network
//! can not get there while the case lasts, the mutant can not, either, and the case need not be run.

use std::collections::BTreeSet;

use punctual_model::testing::suite::{Body, Case, Do};
use punctual_model::{Edge, Id, LocationId, Network, ProcessId};
use punctual_semantics::estimate::{End, Estimate, Interval, Observation, Overflow, Role, What};

use super::bench::Bench;
use crate::mutation::automata::Mutant;

/// Hidden steps are followed so many half points at a time, so that few states are known at once.
const PART: i64 = 1 << 8;

/// The locations that a component can be in while a case lasts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reached {
    /// These, and no others.
    Only(BTreeSet<(ProcessId, LocationId)>),
    /// Nobody knows; it may be any.
    Any,
}

impl Reached {
    /// Whether a mutant of a network may be told from it: some location at which it differs can be reached.
    #[must_use]
    pub fn concerns(&self, network: &Network, mutant: &Mutant) -> bool {
        match self {
            Reached::Any => true,
            Reached::Only(locations) => {
                let at = |it: &LocationId| locations.contains(&(mutant.process, *it));
                changed(network, mutant).iter().any(at)
            }
        }
    }
}

/// The locations of its process at which a mutant may act differently: the location itself differs, or an edge that
/// leaves it, or a location that such an edge leads to. An invariant that differs may let somebody in whom the old one
/// kept out.
fn changed(network: &Network, mutant: &Mutant) -> BTreeSet<LocationId> {
    let (ours, theirs) =
        (&network.processes[mutant.process], &mutant.network.processes[mutant.process]);
    let differs = |it: LocationId| ours.locations[it] != theirs.locations[it];
    let mut changed: BTreeSet<LocationId> =
        ours.locations.ids().filter(|it| differs(*it)).collect();
    for id in ours.edges.ids() {
        let (old, new) = (&ours.edges[id], &theirs.edges[id]);
        let enters = |edge: &Edge| edge.branches.iter().any(|it| differs(it.target));
        if old != new || enters(old) || enters(new) {
            changed.extend([old.source, new.source]);
        }
    }
    changed
}

impl Bench<'_> {
    /// The locations that the component, without a fault, can be in while a case lasts.
    #[must_use]
    pub fn reached(&self, case: &Case) -> Reached {
        match &case.body {
            // What it sends, and when, has no end of possibilities; nothing is left out.
            Body::Timed(parts) if !self.sends() => {
                self.locations(parts).ok().flatten().map_or(Reached::Any, Reached::Only)
            }
            _ => Reached::Any,
        }
    }

    /// The locations on the way; none if the network refuses an input, or time stops.
    fn locations(
        &self,
        parts: &[Do],
    ) -> Result<Option<BTreeSet<(ProcessId, LocationId)>>, Overflow> {
        let mut estimate = Estimate::new(&self.ours)?;
        let mut locations = BTreeSet::new();
        let mut now_ns = 0;
        for part in parts {
            match part {
                Do::Wait(ns) => now_ns += ns,
                Do::Expect(_) | Do::Check(_) => {}
                Do::Send(action) => {
                    if self.ours.role(action.signal) == Role::None {
                        continue;
                    }
                    let at = self.point(now_ns);
                    if !self.walk(&mut estimate, at, &mut locations)? {
                        return Ok(None);
                    }
                    let values: Vec<i32> =
                        action.values.iter().map(|it| it.as_slot().unwrap_or(i32::MIN)).collect();
                    let what = What::Signal { signal: action.signal, values: &values };
                    let interval = Interval::point(at);
                    if estimate.observe(&Observation { what, interval })?.is_err() {
                        return Ok(None);
                    }
                }
            }
        }
        let is_done = self.walk(&mut estimate, self.point(now_ns), &mut locations)?;
        Ok(is_done.then_some(locations))
    }

    /// Lets time pass, and notes all locations up to then; false if time can not pass.
    fn walk(
        &self,
        estimate: &mut Estimate<'_>,
        to: i64,
        locations: &mut BTreeSet<(ProcessId, LocationId)>,
    ) -> Result<bool, Overflow> {
        loop {
            let next = to.min(estimate.now().at + PART);
            estimate.look_ahead(next)?;
            for shown in estimate.states(End::at(next)) {
                for (process, location) in self.component.processes.iter().zip(&shown.state) {
                    let location = LocationId::from_index(location.unsigned_abs() as usize);
                    locations.insert((*process, location));
                }
            }
            if estimate.advance(End::at(next))?.is_err() {
                return Ok(false);
            }
            if next >= to {
                return Ok(true);
            }
        }
    }
}
