//! Values that a slice writes and nobody in it reads.
//!
//! They keep their first values in the slice, so that states which differ in nothing else are one, and the slice does
//! not listen to signals that change nothing else. An interrupt handler that notes for each of twenty devices whether
//! it is there has a million states; a slice with the driver of one device has two, and hears of that device alone.
//!
//! An edge is made deaf to a signal only if that takes no choice away: the value it selects is the index of the channel, so that
//! another value means another signal, and no other edge of the location hears the signal.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{
    AssignOp, AssignResult, ChannelId, Edge, Expr, Id, LocationKind, Network, Number, Place,
    Process, ProcessId, Range, Select, Storage, Sync,
};

use super::values::{Found, Reader, Target, channels};
use super::{Item, Split};

/// A choice between more values than this is not looked at value by value.
const VALUES_MAX: i64 = 1_000;

impl Split {
    /// Lets a slice forget what nobody in it reads, but for some integer slots of the state that others look at. The
    /// processes of the slice are these, in their order.
    pub fn forget(&self, slice: &mut Network, processes: &[ProcessId], kept: &BTreeSet<u32>) {
        for (process, items) in self.unread(processes, kept) {
            let Some(number) = processes.iter().position(|it| *it == process) else { continue };
            for slot in items.iter().flat_map(|item| self.slots(*item)) {
                let Some(value) = slice.initial.ints.get(slot as usize).copied() else { continue };
                let edges = &mut slice.processes[ProcessId::from_index(number)].edges;
                for branch in edges.iter_mut().flat_map(|edge| &mut edge.branches) {
                    branch.update.push(set(slot, value));
                }
            }
        }
    }

    /// A network whose processes of a slice do not listen to broadcasts that change nothing but what nobody in the slice reads.
    /// Others may look at some integer slots of the state.
    #[must_use]
    pub fn deafen(
        &self,
        network: &Network,
        processes: &[ProcessId],
        kept: &BTreeSet<u32>,
    ) -> Network {
        let reader = Reader::new(network);
        let mut result = network.clone();
        for (id, items) in self.unread(processes, kept) {
            let process = &network.processes[id];
            for (edge, deaf) in process.edges.iter().zip(result.processes[id].edges.iter_mut()) {
                let [select] = &edge.selects[..] else { continue };
                let Range { lo, hi } = select.range;
                if !is_loop(network, process, edge)
                    || !is_index(edge, select)
                    || i64::from(hi) - i64::from(lo) > VALUES_MAX
                {
                    continue;
                }
                let others = heard_by_others(process, edge);
                let counts = |value: &i32| {
                    heard(edge, Some(*value)).iter().any(|channel| others.contains(channel))
                        || self.changes_more(network, &reader, edge, *value, &items)
                };
                let first = (lo..=hi).find(counts);
                let last = (lo..=hi).rev().find(counts);
                match (first, last) {
                    (Some(lo), Some(hi)) => deaf.selects[0].range = Range { lo, hi },
                    _ => {
                        deaf.selects[0].range = Range { lo, hi: lo };
                        deaf.guard.data.push(Expr::FALSE);
                    }
                }
            }
        }
        result
    }

    /// Whether an edge changes more than these, with its choice made.
    fn changes_more(
        &self,
        network: &Network,
        reader: &Reader<'_>,
        edge: &Edge,
        value: i32,
        items: &BTreeSet<Item>,
    ) -> bool {
        let select = Select { range: Range { lo: value, hi: value }, ..edge.selects[0].clone() };
        let mut found = Found::new();
        let branches = edge.branches.iter().flat_map(|branch| &branch.update);
        for expr in edge.update.iter().chain(branches) {
            reader.expr(expr, &[&select], &mut found);
        }
        found.iter().filter(|(_, writes, _)| *writes).any(|(target, ..)| match target {
            Target::Clock(_) => true,
            Target::Variable(variable, slots) => {
                let cells = self.facts.cells.of(network, *variable, slots.as_deref());
                cells.into_iter().any(|cell| !items.contains(&Item::Cell(cell)))
            }
        })
    }

    /// For each of some processes, the variables that it writes and none of them reads; those with slots that are kept are left out.
    fn unread(
        &self,
        of: &[ProcessId],
        kept: &BTreeSet<u32>,
    ) -> BTreeMap<ProcessId, BTreeSet<Item>> {
        let ours = || self.facts.accesses.iter().filter(|access| of.contains(&access.process));
        let read: BTreeSet<Item> =
            ours().filter(|it| !it.touch.writes).map(|access| access.item).collect();
        let mut unread: BTreeMap<ProcessId, BTreeSet<Item>> = BTreeMap::new();
        for access in ours().filter(|it| it.touch.writes && !read.contains(&it.item)) {
            let is_state = matches!(access.item, Item::Cell(cell)
                if self.facts.cells.cells[cell].storage == Storage::State
                    && self.facts.cells.cells[cell].doubles.is_empty());
            if is_state && !self.slots(access.item).any(|slot| kept.contains(&slot)) {
                unread.entry(access.process).or_default().insert(access.item);
            }
        }
        unread
    }

    /// The integer slots of a variable.
    fn slots(&self, item: Item) -> std::ops::Range<u32> {
        match item {
            Item::Cell(cell) => self.facts.cells.cells[cell].ints.clone(),
            _ => 0..0,
        }
    }
}

/// Whether an edge hears a broadcast and stays where it is, and time may pass there.
fn is_loop(network: &Network, process: &Process, edge: &Edge) -> bool {
    let Sync::Receive(channel) = &edge.sync else { return false };
    let [branch] = &edge.branches[..] else { return false };
    network.channels[channel.base].broadcast
        && branch.target == edge.source
        && branch.selects.is_empty()
        && process.locations[edge.source].kind == LocationKind::Normal
}

/// Whether a choice is the index of the channel: other values mean other channels.
fn is_index(edge: &Edge, select: &Select) -> bool {
    let is_it = |expr: &Expr| {
        matches!(expr, Expr::Load(place)
            if place.storage == Storage::Local && place.base == select.slot && place.indices.is_empty())
    };
    let channel = edge.sync.channel();
    channel.is_some_and(|channel| channel.indices.iter().any(|index| is_it(&index.value)))
}

/// The channels that an edge may hear; with its choice made if there is a value.
fn heard(edge: &Edge, value: Option<i32>) -> BTreeSet<ChannelId> {
    let Sync::Receive(channel) = &edge.sync else { return BTreeSet::new() };
    let chosen: Vec<Select> = (edge.selects.iter())
        .map(|select| match value {
            Some(value) => Select { range: Range { lo: value, hi: value }, ..select.clone() },
            None => select.clone(),
        })
        .collect();
    channels(channel, &chosen.iter().collect::<Vec<_>>()).into_iter().collect()
}

/// The channels that other edges of its location may hear.
fn heard_by_others(process: &Process, edge: &Edge) -> BTreeSet<ChannelId> {
    let others = process.edges.iter().filter(|it| it.source == edge.source);
    let others = others.filter(|it| !std::ptr::eq(*it, edge));
    others.flat_map(|it| heard(it, None)).collect()
}

/// A slot of the state gets a value.
fn set(slot: u32, value: i32) -> Expr {
    let range = Range { lo: value, hi: value };
    let (storage, number) = (Storage::State, Number::Int);
    let target = Place { storage, number, base: slot, indices: Vec::new(), size: 1, range };
    Expr::Assign {
        target: Box::new(target),
        op: AssignOp::Set,
        value: Box::new(Expr::Int(value)),
        result: AssignResult::New,
    }
}
