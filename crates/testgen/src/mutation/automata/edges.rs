//! Self-loop, target, source and action: an edge leads or starts elsewhere, or synchronises with others.

use punctual_model::{
    ChannelRef, ClockRef, Edge, EdgeId, EventId, Expr, Id, Index, LocationId, Sync,
};

use super::Place;
use super::bounds::{End, ends};
use super::clocks::{Clocks, reads_local};
use super::maker::Maker;
use super::resets::reset;

/// Each branch of an edge with clocks leads back to where the edge starts.
pub(super) fn self_loop(maker: &mut Maker<'_>) {
    for (id, edge) in maker.edges().filter(|(_, edge)| has_clocks(maker, edge)).collect::<Vec<_>>()
    {
        let Some(stopping) = stopping(maker, edge) else { continue };
        for (number, branch) in edge.branches.iter().enumerate() {
            if branch.target == edge.source {
                continue;
            }
            let code = || edge.update.iter().chain(&branch.update);
            let is_set = |clock: &ClockRef| code().any(|it| *it == reset(clock.clone()));
            let resets: Vec<Expr> =
                stopping.iter().filter(|it| !is_set(it)).map(|it| reset(it.clone())).collect();
            let mut change = led(maker, branch.target, edge.source);
            for clock in stopping.iter().filter(|it| !is_set(it)) {
                change += &format!(", {} = 0 is added", maker.text(None).clock(clock));
            }
            maker.add(Place::Edge(id), &part(edge, number), change, |process| {
                let edge = &mut process.edges[id];
                let is_alone = edge.branches.len() == 1;
                let branch = &mut edge.branches[number];
                branch.target = edge.source;
                // A branch sets clocks after its edge.
                match is_alone && branch.update.is_empty() {
                    true => edge.update.extend(resets),
                    false => branch.update.extend(resets),
                }
            });
        }
    }
}

/// Whether a clock is in the guard, is set, or makes the process take the edge in time.
fn has_clocks(maker: &Maker<'_>, edge: &Edge) -> bool {
    let hurries = !maker.process.locations[edge.source].invariant.clocks.is_empty()
        && !matches!(edge.sync, Sync::Receive(_));
    let sets = || !Clocks::of_update(maker.network, edge).set.is_empty();
    !edge.guard.clocks.is_empty() || hurries || sets()
}

/// The clocks that end a stay in the source of an edge; none if they can not be named outside of the invariant.
fn stopping(maker: &Maker<'_>, edge: &Edge) -> Option<Vec<ClockRef>> {
    let mut found: Vec<ClockRef> = Vec::new();
    for constraint in &maker.process.locations[edge.source].invariant.clocks {
        let has_upper = ends(constraint).contains(&End::Upper);
        // A bound that is no integer stops time as well.
        let is_other = ends(constraint).is_empty();
        if let Some(clock) = constraint.left.as_ref().filter(|_| has_upper || is_other) {
            if reads_local(clock) {
                return None;
            }
            if !found.contains(clock) {
                found.push(clock.clone());
            }
        }
    }
    Some(found)
}

/// Tells branches apart, where there are several.
fn part(edge: &Edge, number: usize) -> String {
    match edge.branches.len() {
        1 => String::new(),
        _ => format!("b{number}"),
    }
}

fn led(maker: &Maker<'_>, old: LocationId, new: LocationId) -> String {
    let name = |id: LocationId| &maker.process.locations[id].name;
    format!("target {} becomes {}", name(old), name(new))
}

/// The location after this one, and after the last one the first; none if there is only one.
fn next(maker: &Maker<'_>, location: LocationId) -> Option<LocationId> {
    let n_locations = maker.process.locations.len();
    (n_locations > 1).then(|| LocationId::from_index((location.index() + 1) % n_locations))
}

/// Each branch of each edge leads to another location.
pub(super) fn target(maker: &mut Maker<'_>) {
    for (id, edge) in maker.edges() {
        for (number, branch) in edge.branches.iter().enumerate() {
            let Some(new) = next(maker, branch.target) else { continue };
            let change = led(maker, branch.target, new);
            maker.add(Place::Edge(id), &part(edge, number), change, |process| {
                process.edges[id].branches[number].target = new;
            });
        }
    }
}

/// Each edge starts at another location.
pub(super) fn source(maker: &mut Maker<'_>) {
    for (id, edge) in maker.edges() {
        let Some(new) = next(maker, edge.source) else { continue };
        let name = |id: LocationId| &maker.process.locations[id].name;
        let change = format!("source {} becomes {}", name(edge.source), name(new));
        maker.add(Place::Edge(id), "", change, |process| process.edges[id].source = new);
    }
}

/// Each edge synchronises over another channel of the process.
pub(super) fn action(maker: &mut Maker<'_>) {
    for (id, edge) in maker.edges() {
        let new = match &edge.sync {
            Sync::Internal => None,
            Sync::Send(channel) => other_channel(maker, edge, channel).map(Sync::Send),
            Sync::Receive(channel) => other_channel(maker, edge, channel).map(Sync::Receive),
            Sync::Csp(channel) => other_channel(maker, edge, channel).map(Sync::Csp),
            Sync::Event(event) => other_event(maker, *event).map(Sync::Event),
        };
        if let Some(new) = new {
            add_action(maker, id, edge, new);
        }
    }
}

fn add_action(maker: &mut Maker<'_>, id: EdgeId, edge: &Edge, new: Sync) {
    let text = maker.text(Some(&maker.process.edges[id]));
    let change = format!("{} becomes {}", text.sync(&edge.sync), text.sync(&new));
    maker.add(Place::Edge(id), "", change, |process| process.edges[id].sync = new);
}

/// The next channel of the same kind that the process uses in the same direction.
fn other_channel(maker: &Maker<'_>, edge: &Edge, channel: &ChannelRef) -> Option<ChannelRef> {
    let direction = std::mem::discriminant(&edge.sync);
    let kind = |it: &ChannelRef| {
        let channel = &maker.network.channels[it.base];
        (channel.broadcast, channel.urgent)
    };
    let used = maker.process.edges.iter();
    let used = used.filter(|it| std::mem::discriminant(&it.sync) == direction);
    let mut others: Vec<ChannelRef> = used
        .filter_map(|it| it.sync.channel())
        .filter(|it| it.base != channel.base && kind(it) == kind(channel))
        .filter_map(|it| in_place_of(channel, it))
        .collect();
    others.sort_by_key(|it| (it.base < channel.base, it.base));
    others.into_iter().next()
}

/// The other channel, with the indices of the old one where these fit: a selected value stays what it is.
fn in_place_of(old: &ChannelRef, other: &ChannelRef) -> Option<ChannelRef> {
    let size = |it: &Index| (it.lo, it.len, it.stride);
    if old.indices.iter().map(size).eq(other.indices.iter().map(size)) {
        return Some(ChannelRef { base: other.base, indices: old.indices.clone() });
    }
    (!reads_local(other)).then(|| other.clone())
}

/// The next event that the process has.
fn other_event(maker: &Maker<'_>, event: EventId) -> Option<EventId> {
    let events = maker.process.edges.iter().filter_map(|it| match it.sync {
        Sync::Event(other) => Some(other),
        _ => None,
    });
    events.filter(|it| *it != event).min_by_key(|it| (*it < event, *it))
}
