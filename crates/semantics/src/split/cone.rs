//! Slices of a network: the processes that can influence some others.
//!
//! A process influences another one if it writes what the other reads, or if the other can not move without it:
//! as the partner of a handshake, or as the sender of a broadcast. Who only listens to a broadcast can not
//! refuse it and so does not hinder its sender.
//!
//! Every run of the network, seen from the processes of a [`Cone`], is a run of its slice: whoever is left out can
//! at most keep time from passing. So what is unreachable in a slice is unreachable in the network, if all partners
//! of handshakes are in it ([`Cone::is_complete`]); a path of a slice has to be tried on the network.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{Id, Network, ProcessId, SignalId, Storage};

use super::{Component, Item, Split, Taken, open::keep};

/// Processes that can influence some of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cone {
    /// The processes, in the order of the network.
    pub processes: Vec<ProcessId>,
    /// Whether nobody outside is needed for any step of the processes inside.
    pub is_complete: bool,
}

/// How far a cone reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Partners that somebody can send to are left out; what needs them can not happen in the slice.
    Near,
    /// All partners of handshakes are inside.
    Far,
}

impl Split {
    /// All processes that can influence some of them.
    #[must_use]
    pub fn cone(&self, network: &Network, of: &[ProcessId], reach: Reach) -> Cone {
        let facts = &self.facts;
        let mut inside: BTreeSet<ProcessId> = of.iter().copied().collect();
        let mut waiting: Vec<ProcessId> = of.to_vec();
        let is_broadcast = |channel| facts.broadcasts.contains(&channel);
        while let Some(process) = waiting.pop() {
            let mut add = |other: ProcessId| {
                if inside.insert(other) {
                    waiting.push(other);
                }
            };
            for used in facts.uses.iter().filter(|used| used.process == process) {
                let is_needed = match used.sends {
                    true => !is_broadcast(used.channel) && reach == Reach::Far,
                    false => true,
                };
                let partners = facts.uses.iter();
                let partners =
                    partners.filter(|it| it.channel == used.channel && it.sends != used.sends);
                partners.filter(|_| is_needed).for_each(|it| add(it.process));
            }
            let ours = facts.accesses.iter().filter(|access| access.process == process);
            for item in ours.map(|access| access.item).collect::<BTreeSet<Item>>() {
                let writers = facts.accesses.iter();
                let writers = writers.filter(|it| it.touch.writes && it.item == item);
                writers.for_each(|it| add(it.process));
            }
        }
        let is_complete = facts.uses.iter().all(|used| {
            let partner_inside = |partner: ProcessId| inside.contains(&partner);
            let mut partners = facts.uses.iter();
            !inside.contains(&used.process)
                || is_broadcast(used.channel)
                || partners.all(|it| it.channel != used.channel || partner_inside(it.process))
        });
        // Priorities of those outside would hinder those inside; a network without has none to mind.
        let default = network.default_priority;
        let is_plain = network.processes.iter().all(|it| it.priority == 0)
            && network.channels.iter().all(|it| it.priority == default);
        Cone { processes: inside.into_iter().collect(), is_complete: is_complete && is_plain }
    }
}

impl Split {
    /// Whether a process may change an integer of the state.
    #[must_use]
    pub fn writes(&self, process: ProcessId, slot: u32) -> bool {
        self.accesses(process, slot, true)
    }

    /// Whether an edge may change an integer of the state, or write the same to it again.
    #[must_use]
    pub fn edge_writes(&self, edge: Taken, slot: u32) -> bool {
        let cells = &self.facts.cells.cells;
        let writes = &self.facts.flow.edge(edge).writes;
        writes.iter().any(|written| cells[written.cell].ints.contains(&slot))
    }

    /// Whether a process may change or read an integer of the state.
    #[must_use]
    pub fn touches(&self, process: ProcessId, slot: u32) -> bool {
        self.accesses(process, slot, false)
    }

    fn accesses(&self, process: ProcessId, slot: u32, only_writes: bool) -> bool {
        let cells = &self.facts.cells.cells;
        let accesses = self.facts.accesses.iter().filter(|it| it.process == process);
        accesses.filter(|it| it.touch.writes || !only_writes).any(|it| match it.item {
            Item::Cell(cell) => {
                cells[cell].storage == Storage::State && cells[cell].ints.contains(&slot)
            }
            _ => false,
        })
    }

    /// The processes of a component that matter to what is seen of one of them and of all that it influences: these, and
    /// all that influence them. The others see the same whatever the process does, and it does not depend on them; but they may
    /// keep time from passing, or be committed.
    #[must_use]
    pub fn slice_around(&self, component: &Component, process: ProcessId) -> Vec<ProcessId> {
        let influences = self.influences(component);
        let seen = grown(&influences, BTreeSet::from([process]), true);
        grown(&influences, seen, false).into_iter().collect()
    }

    /// Some processes of a component, and all of it that influence them.
    #[must_use]
    pub fn slice_behind(&self, component: &Component, of: &[ProcessId]) -> Vec<ProcessId> {
        let influences = self.influences(component);
        grown(&influences, of.iter().copied().collect(), false).into_iter().collect()
    }

    /// The processes that receive a signal.
    #[must_use]
    pub fn receivers(&self, signal: SignalId) -> Vec<ProcessId> {
        let uses = self.facts.uses.iter().filter(|it| !it.sends);
        let of = uses.filter(|it| self.signals[it.channel] == Some(signal));
        of.map(|it| it.process).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Who of a component influences whom, in one step.
    fn influences(&self, component: &Component) -> BTreeSet<(ProcessId, ProcessId)> {
        let facts = &self.facts;
        let is_broadcast = |channel| facts.broadcasts.contains(&channel);
        let mut influences = BTreeSet::new();
        let is_ours = |it: &ProcessId| component.processes.contains(it);
        for used in facts.uses.iter().filter(|it| is_ours(&it.process)) {
            let partners = facts.uses.iter().filter(|it| {
                it.channel == used.channel && it.sends != used.sends && is_ours(&it.process)
            });
            let needs = !used.sends || !is_broadcast(used.channel);
            partners.filter(|_| needs).for_each(|it| {
                influences.insert((it.process, used.process));
            });
        }
        let mut writers: BTreeMap<Item, BTreeSet<ProcessId>> = BTreeMap::new();
        for access in facts.accesses.iter().filter(|it| it.touch.writes && is_ours(&it.process)) {
            writers.entry(access.item).or_default().insert(access.process);
        }
        for access in facts.accesses.iter().filter(|it| is_ours(&it.process)) {
            let of = writers.get(&access.item).into_iter().flatten();
            influences.extend(of.map(|it| (*it, access.process)));
        }
        influences
    }
}

/// All that is reached from some processes, along influences or against them.
fn grown(
    influences: &BTreeSet<(ProcessId, ProcessId)>,
    mut inside: BTreeSet<ProcessId>,
    forward: bool,
) -> BTreeSet<ProcessId> {
    loop {
        let more = influences.iter().filter_map(|(from, to)| {
            let (here, there) = if forward { (from, to) } else { (to, from) };
            (inside.contains(here) && !inside.contains(there)).then_some(*there)
        });
        let more: Vec<ProcessId> = more.collect();
        if more.is_empty() {
            return inside;
        }
        inside.extend(more);
    }
}

impl Cone {
    /// The network of these processes alone.
    #[must_use]
    pub fn slice(&self, network: &Network) -> Network {
        keep(network, &self.processes)
    }

    /// The number of a process in the slice.
    #[must_use]
    pub fn number(&self, process: ProcessId) -> Option<ProcessId> {
        self.processes.binary_search(&process).ok().map(ProcessId::from_index)
    }
}
