//! Whether time goes on in each automaton, whatever the others do.
//!
//! A location that time must leave needs an edge that waits for nobody: it is internal or sends a broadcast, asks for nothing but clocks, and can be taken
//! when the invariant ends. What can not be seen so is told; it need not be wrong.

use punctual_model::{
    ClockConstraint, ClockId, Condition, Edge, Expr, Location, LocationId, LocationKind, Network,
    Process, ProcessId, Relation, Sync,
};

/// A location in which time may come to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stop {
    /// The process.
    pub process: ProcessId,
    /// The location.
    pub location: LocationId,
}

/// The locations for which no edge of their own shows that time goes on.
#[must_use]
pub fn stops(network: &Network) -> Vec<Stop> {
    let of = |(process, it): (ProcessId, &Process)| {
        let stuck = it.locations.enumerate().filter(|(id, at)| !goes_on(network, it, *id, at));
        let stuck = stuck.map(|(location, _)| Stop { process, location });
        stuck.collect::<Vec<Stop>>()
    };
    network.processes.enumerate().flat_map(of).collect()
}

/// Whether a process never hinders others: time goes on in all of its locations, none is committed or urgent, and no broadcast that
/// it receives leads it where it may not be.
#[must_use]
pub fn hinders_nobody(network: &Network, process: &Process) -> bool {
    let is_normal = |it: &Location| it.kind == LocationKind::Normal;
    let is_calm = |edge: &Edge| match &edge.sync {
        Sync::Internal => true,
        Sync::Receive(channel) => {
            let channel = &network.channels[channel.base];
            channel.broadcast && !channel.urgent && may_enter(process, edge, &[], true)
        }
        _ => false,
    };
    process.locations.enumerate().all(|(id, at)| is_normal(at) && goes_on(network, process, id, at))
        && process.edges.iter().all(is_calm)
}

fn goes_on(network: &Network, process: &Process, id: LocationId, location: &Location) -> bool {
    let Some(ends) = ends(&location.invariant) else { return false };
    let is_now = location.kind != LocationKind::Normal;
    if ends.is_empty() && !is_now {
        return true;
    }
    let mut edges = process.edges.iter().filter(|edge| edge.source == id);
    edges.any(|edge| {
        let is_free = match &edge.sync {
            Sync::Internal => true,
            Sync::Send(channel) => network.channels[channel.base].broadcast,
            _ => false,
        };
        is_free
            && edge.guard.data.is_empty()
            && edge.guard.clocks.iter().all(|it| is_met(it, &ends, is_now))
            && may_enter(process, edge, &ends, is_now)
    })
}

/// The clocks that an invariant bounds from above; none if it asks for something else.
fn ends(invariant: &Condition) -> Option<Vec<(ClockId, i32)>> {
    if !invariant.data.is_empty() {
        return None;
    }
    let bound = |it: &ClockConstraint| {
        let (clock, bound) = simple(it)?;
        (it.relation == Relation::LessEqual).then_some((clock, bound))
    };
    invariant.clocks.iter().map(bound).collect()
}

/// A clock and a constant.
fn simple(constraint: &ClockConstraint) -> Option<(ClockId, i32)> {
    let ClockConstraint { when: None, left: Some(clock), right: None, bound, .. } = constraint
    else {
        return None;
    };
    clock.indices.is_empty().then_some((clock.base, bound.as_int()?))
}

/// Whether a part of a guard holds when the first bound is reached, whichever that is.
fn is_met(guard: &ClockConstraint, ends: &[(ClockId, i32)], is_now: bool) -> bool {
    let Some((clock, bound)) = simple(guard) else { return false };
    match guard.relation {
        Relation::GreaterEqual if bound <= 0 => true,
        // With one bound, its clock has that value at the end.
        Relation::GreaterEqual => {
            !is_now && matches!(ends, [(of, end)] if *of == clock && bound <= *end)
        }
        Relation::LessEqual => ends.iter().any(|(of, end)| *of == clock && *end <= bound),
        _ => false,
    }
}

/// Whether the invariant behind an edge holds when it is taken at the end.
fn may_enter(process: &Process, edge: &Edge, ends: &[(ClockId, i32)], is_now: bool) -> bool {
    let [branch] = edge.branches.as_slice() else { return false };
    let Some(bounds) = self::ends(&process.locations[branch.target].invariant) else {
        return false;
    };
    let updates = || edge.update.iter().chain(&branch.update);
    bounds.iter().all(|(clock, bound)| {
        let is_reset = updates().any(|it| match it {
            Expr::SetClock { clock: of, value } => {
                let value = value.as_int();
                of.indices.is_empty() && of.base == *clock && value.is_some_and(|it| it <= *bound)
            }
            _ => false,
        });
        is_reset || !is_now && ends.iter().any(|(of, end)| of == clock && end <= bound)
    })
}
