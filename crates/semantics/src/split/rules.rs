//! The rules, applied until nothing new follows.
//!
//! Everything that belongs together is one graph: processes on one hand, internal channels,
//! variables and clocks on the other. The interface puts some processes on a side, and sides
//! spread breadth first, so reasons are as short as possible. Where the two sides meet is a
//! conflict; nothing spreads from there, so that one mistake is told once.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use punctual_model::{Direction, IdVec, Network, ProcessId, SignalId, Storage, Wired};

use super::{
    Conflict, Item, Named, Reason, ReasonId, Refusal, Rule, Side, Split, Warning, access::Facts,
};

/// The neighbours of each item, and the rule that leads there.
type Links = BTreeMap<Item, Vec<(Item, Rule)>>;

/// Applies the rules to what the processes do.
pub(super) fn conclude(
    network: &Network,
    wired: &Wired,
    named: &Named,
    facts: Facts,
) -> Result<Split, Refusal> {
    let links = links(&facts);
    let mut search = Search::default();
    for (processes, side) in
        [(&named.environment, Side::Environment), (&named.system, Side::System)]
    {
        for process in processes {
            search.add(Item::Process(*process), side, Rule::Named, None);
        }
    }
    for used in &facts.uses {
        let Some(signal) = facts.signals[used.channel] else { continue };
        let sent_by = match wired.interface.signals[signal].direction {
            Direction::Input => Side::Environment,
            Direction::Output => Side::System,
        };
        let side = if used.sends { sent_by } else { sent_by.other() };
        let rule = Rule::Signal { signal, sends: used.sends };
        search.add(Item::Process(used.process), side, rule, None);
    }
    search.spread(&links);
    let open = |process: &ProcessId| !search.sides.contains_key(&Item::Process(*process));
    let undecided: Vec<ProcessId> = network.processes.ids().filter(open).collect();
    for process in &undecided {
        search.add(Item::Process(*process), Side::System, Rule::Undecided, None);
    }
    search.spread(&links);
    search.only(&facts);
    let Search { reasons, sides, conflicts, .. } = search;
    let side = |item: Item| sides.get(&item).map(|reason: &ReasonId| reasons[*reason].side);
    let mut variables = facts.cells.cells.clone();
    for id in facts.cells.cells.ids() {
        variables[id].side = side(Item::Cell(id));
    }
    let of_process = |id: ProcessId| side(Item::Process(id)).unwrap_or(Side::System);
    let mut split = Split {
        sides: network.processes.ids().map(of_process).collect(),
        channels: network.channels.ids().map(|id| side(Item::Channel(id))).collect(),
        variables,
        clocks: network.clocks.ids().map(|id| side(Item::Clock(id))).collect(),
        signals: facts.signals.clone(),
        known: sides.clone(),
        reasons,
        warnings: Vec::new(),
        facts,
    };
    split.warnings = undecided.into_iter().map(Warning::Undecided).collect();
    split.warn(wired);
    split.warnings.retain(|warning| match warning {
        Warning::Unseen { variable, .. } => !conflicts.contains_key(&Item::Cell(*variable)),
        _ => true,
    });
    if conflicts.is_empty() {
        return Ok(split);
    }
    let tell = |(item, [left, right]): (Item, [ReasonId; 2])| {
        let (system, environment) = match split.reasons[left].side {
            Side::System => (left, right),
            Side::Environment => (right, left),
        };
        Conflict {
            item,
            name: split.name(network, item),
            system: split.chain(network, &wired.interface, system),
            environment: split.chain(network, &wired.interface, environment),
        }
    };
    let conflicts = conflicts.into_iter().map(tell).collect();
    Err(Refusal::Conflicts { conflicts, partial: Box::new(split) })
}

/// What belongs to the same side as what.
fn links(facts: &Facts) -> Links {
    let mut links = Links::new();
    let mut link = |process: ProcessId, item: Item, rule: Rule| {
        links.entry(Item::Process(process)).or_default().push((item, rule.clone()));
        links.entry(item).or_default().push((Item::Process(process), rule));
    };
    for used in &facts.uses {
        let &super::access::Use { process, channel, sends } = used;
        if facts.signals[channel].is_none() {
            link(process, Item::Channel(channel), Rule::Uses { process, channel, sends });
        }
    }
    for access in &facts.accesses {
        // Meta variables start anew at each transition.
        let lasts = match access.item {
            Item::Cell(cell) => facts.cells.cells[cell].storage == Storage::State,
            _ => true,
        };
        if lasts && facts.changes(access.item) && access.signals.is_empty() {
            let (process, item, touch) = (access.process, access.item, access.touch);
            link(process, item, Rule::Accesses { process, item, touch });
        }
    }
    links
}

/// What is known so far.
#[derive(Default)]
struct Search {
    reasons: IdVec<ReasonId, Reason>,
    sides: BTreeMap<Item, ReasonId>,
    conflicts: BTreeMap<Item, [ReasonId; 2]>,
    todo: VecDeque<ReasonId>,
}

impl Search {
    /// Puts something on a side, unless it is there already.
    fn add(&mut self, item: Item, side: Side, rule: Rule, from: Option<ReasonId>) {
        let known = self.sides.get(&item).copied();
        if known.is_some_and(|known| self.reasons[known].side == side) {
            return;
        }
        if self.conflicts.contains_key(&item) {
            return;
        }
        let reason = self.reasons.push(Reason { item, side, rule, from });
        match known {
            None => {
                self.sides.insert(item, reason);
                self.todo.push_back(reason);
            }
            Some(known) => {
                self.conflicts.insert(item, [known, reason]);
            }
        }
    }

    fn spread(&mut self, links: &Links) {
        while let Some(id) = self.todo.pop_front() {
            let Reason { item, side, from, .. } = self.reasons[id];
            if self.conflicts.contains_key(&item) {
                continue;
            }
            // Back to where it came from leads nowhere, and would tell a conflict twice.
            let origin = from.map(|from| self.reasons[from].item);
            for (next, rule) in links.get(&item).into_iter().flatten() {
                if Some(*next) != origin {
                    self.add(*next, side, rule.clone(), Some(id));
                }
            }
        }
    }
}

impl Search {
    /// Gives what only signals touch to the side that touches it, if there is only one and no
    /// signal carries it.
    fn only(&mut self, facts: &Facts) {
        let mut users: BTreeMap<Item, Vec<ProcessId>> = BTreeMap::new();
        for access in &facts.accesses {
            let carried = |cells: &BTreeSet<_>| matches!(access.item, Item::Cell(cell) if cells.contains(&cell));
            if facts.changes(access.item) && !facts.carried.iter().any(carried) {
                users.entry(access.item).or_default().push(access.process);
            }
        }
        for (item, users) in users {
            let reasons = users.iter().map(|user| self.sides.get(&Item::Process(*user)).copied());
            let Some(reasons) = reasons.collect::<Option<Vec<ReasonId>>>() else { continue };
            let (Some(process), Some(from)) = (users.first(), reasons.first()) else { continue };
            let side = self.reasons[*from].side;
            if !self.sides.contains_key(&item)
                && reasons.iter().all(|reason| self.reasons[*reason].side == side)
            {
                self.add(item, side, Rule::Only { process: *process }, Some(*from));
            }
        }
    }
}

impl Split {
    /// Adds warnings about signals that nobody uses and about values that pass unseen.
    fn warn(&mut self, wired: &Wired) {
        for (id, wire) in wired.wires.enumerate() {
            let mut uses = self.facts.uses.iter().filter(|used| used.channel == wire.channel);
            if !uses.clone().any(|used| used.sends) {
                self.warnings.push(Warning::NobodySends(id));
            }
            if !uses.any(|used| !used.sends) {
                self.warnings.push(Warning::NobodyReceives(id));
            }
        }
        let mut writes: BTreeMap<Item, Vec<_>> = BTreeMap::new();
        for write in self.facts.accesses.iter().filter(|access| access.touch.writes) {
            writes.entry(write.item).or_default().push(write);
            let Item::Cell(variable) = write.item else { continue };
            let carries = |signal: &&SignalId| self.facts.carried[**signal].contains(&variable);
            if let (false, Some(signal)) = (write.sends, write.signals.iter().find(carries)) {
                let (receiver, signal) = (write.process, *signal);
                self.warnings.push(Warning::Overwritten { variable, receiver, signal });
            }
        }
        let mut told = BTreeMap::new();
        for read in self.facts.accesses.iter().filter(|access| !access.touch.writes) {
            let Item::Cell(variable) = read.item else { continue };
            // The receiver of a signal sees what the signal carries.
            if !read.sends && self.facts.all_carry(&read.signals, read.item) {
                continue;
            }
            for write in writes.get(&read.item).into_iter().flatten() {
                let across = self.sides[write.process] != self.sides[read.process];
                let seen = write.sends && self.facts.all_carry(&write.signals, write.item);
                if across && !seen {
                    told.entry(variable).or_insert((write.process, read.process));
                }
            }
        }
        let unseen = told.into_iter();
        self.warnings.extend(unseen.map(|(variable, (writer, reader))| Warning::Unseen {
            variable,
            writer,
            reader,
        }));
    }
}
