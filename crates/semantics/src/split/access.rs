//! What each process does: the channels it uses, the variables and clocks it accesses.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use punctual_model::{
    ChannelId, ClockId, EdgeId, FunctionId, IdVec, LocationId, Network, Number, Process, ProcessId,
    Select, SignalId, Storage, Sync, VariableId, Wired,
};

use super::{
    Item,
    cells::{CellId, Cells, Size},
    flow::Flow,
    values::{Found, Reader, Target, channels},
};

/// How and where a process accesses something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Touch {
    /// Whether it writes (or only reads).
    pub writes: bool,
    /// The guard, update, invariant or rate that accesses it.
    pub place: Where,
    /// The function that it calls there.
    pub function: Option<FunctionId>,
}

/// A place in a process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Where {
    /// The invariant of a location.
    Invariant(LocationId),
    /// The rates of a location.
    Rate(LocationId),
    /// The guard of an edge, or the index of its channel.
    Guard(EdgeId),
    /// The update of an edge.
    Update(EdgeId),
}

/// A process uses a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Use {
    pub(super) process: ProcessId,
    pub(super) channel: ChannelId,
    pub(super) sends: bool,
}

/// A process accesses a variable or a clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Access {
    pub(super) process: ProcessId,
    pub(super) item: Item,
    pub(super) touch: Touch,
    /// The signals during which; empty if the process accesses it alone.
    pub(super) signals: Vec<SignalId>,
    /// Whether it sends these signals.
    pub(super) sends: bool,
}

/// What all processes do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Facts {
    pub(super) cells: Cells,
    pub(super) signals: IdVec<ChannelId, Option<SignalId>>,
    /// The broadcast channels.
    pub(super) broadcasts: BTreeSet<ChannelId>,
    /// The cells that each signal carries.
    pub(super) carried: IdVec<SignalId, BTreeSet<CellId>>,
    pub(super) uses: BTreeSet<Use>,
    pub(super) accesses: Vec<Access>,
    /// The clocks that are set, or do not always run.
    clocks: BTreeSet<ClockId>,
    /// Which edge reads what which edge writes.
    pub(super) flow: Arc<Flow>,
}

/// Code of a process, and the edge it stands on if that is observable.
struct Code {
    process: ProcessId,
    place: Where,
    found: Found,
    signals: Vec<SignalId>,
    sends: bool,
}

impl Facts {
    pub(super) fn new(network: &Network, wired: &Wired) -> Self {
        let reader = Reader::new(network);
        let mut signals: IdVec<ChannelId, _> = network.channels.iter().map(|_| None).collect();
        for (id, wire) in wired.wires.enumerate() {
            signals[wire.channel] = Some(id);
        }
        let mut collector = Collector { reader, signals, uses: BTreeSet::new(), code: Vec::new() };
        for (id, process) in network.processes.enumerate() {
            collector.process(id, process);
        }
        collector.finish(network, wired)
    }

    /// Whether some transition changes a variable, or a clock does more than tell the time since
    /// the start.
    pub(super) fn changes(&self, item: Item) -> bool {
        match item {
            Item::Cell(cell) => self.cells.cells[cell].changes,
            Item::Clock(clock) => self.clocks.contains(&clock),
            Item::Process(_) | Item::Channel(_) => false,
        }
    }

    /// Whether all of some signals carry a cell.
    pub(super) fn all_carry(&self, signals: &[SignalId], item: Item) -> bool {
        let Item::Cell(cell) = item else { return false };
        !signals.is_empty() && signals.iter().all(|signal| self.carried[*signal].contains(&cell))
    }
}

struct Collector<'n> {
    reader: Reader<'n>,
    signals: IdVec<ChannelId, Option<SignalId>>,
    uses: BTreeSet<Use>,
    code: Vec<Code>,
}

impl Collector<'_> {
    fn process(&mut self, id: ProcessId, process: &Process) {
        for (at, location) in process.locations.enumerate() {
            let mut invariant = Found::new();
            self.reader.condition(&location.invariant, &[], &mut invariant);
            let mut rates = Found::new();
            for rate in &location.rates {
                self.reader.clock(&rate.clock, true, &[], &mut rates);
                self.reader.expr(&rate.value, &[], &mut rates);
            }
            if let Some(rate) = &location.exponential_rate {
                self.reader.expr(&rate.value, &[], &mut rates);
                rate.divisor.iter().for_each(|expr| self.reader.expr(expr, &[], &mut rates));
            }
            self.alone(id, Where::Invariant(at), invariant);
            self.alone(id, Where::Rate(at), rates);
        }
        for (at, edge) in process.edges.enumerate() {
            let selects: Vec<&Select> = edge.selects.iter().collect();
            let mut guard = Found::new();
            self.reader.condition(&edge.guard, &selects, &mut guard);
            let sends = matches!(edge.sync, Sync::Send(_));
            let mut signals = Vec::new();
            if let Some(channel) = edge.sync.channel() {
                for index in &channel.indices {
                    self.reader.expr(&index.value, &selects, &mut guard);
                }
                let channels = channels(channel, &selects);
                signals.extend(channels.iter().map(|channel| self.signals[*channel]));
                let uses = channels.into_iter();
                self.uses.extend(uses.map(|channel| Use { process: id, channel, sends }));
            }
            // If one of the channels is internal, so may be the edge.
            let signals: Vec<_> = signals.into_iter().collect::<Option<_>>().unwrap_or_default();
            let mut update = Found::new();
            edge.update.iter().for_each(|expr| self.reader.expr(expr, &selects, &mut update));
            for branch in &edge.branches {
                let selects: Vec<_> = edge.selects.iter().chain(&branch.selects).collect();
                for expr in branch.weight.iter().chain(&branch.update) {
                    self.reader.expr(expr, &selects, &mut update);
                }
            }
            for (place, found) in [(Where::Guard(at), guard), (Where::Update(at), update)] {
                self.code.push(Code { process: id, place, found, signals: signals.clone(), sends });
            }
        }
    }

    fn alone(&mut self, process: ProcessId, place: Where, found: Found) {
        self.code.push(Code { process, place, found, signals: Vec::new(), sends: false });
    }

    fn finish(self, network: &Network, wired: &Wired) -> Facts {
        let mut apart: IdVec<VariableId, bool> = network.variables.iter().map(|_| false).collect();
        for (target, ..) in self.code.iter().flat_map(|code| &code.found) {
            if let Target::Variable(variable, Some(_)) = target {
                apart[*variable] = true;
            }
        }
        let place = |slot| self.reader.layout.find(network, Storage::State, Number::Int, slot);
        let carried = wired.wires.iter().flat_map(|wire| &wire.values);
        for (variable, _) in carried.filter_map(|carried| place(carried.slot)) {
            apart[variable] |= Size::of(&network.variables[variable].ty).slots() > 1;
        }
        let cells = Cells::new(network, &apart);
        let carried = wired.wires.iter().map(|wire| {
            let slots = wire.values.iter().filter_map(|carried| place(carried.slot));
            let of = |(variable, slot)| cells.of(network, variable, Some(&[slot]));
            slots.flat_map(of).collect()
        });
        let carried: IdVec<SignalId, BTreeSet<CellId>> = carried.collect();
        let passing = carried.iter().flatten().copied().collect();
        let flow = Arc::new(Flow::new(network, &self.reader, &cells, &passing));
        let channels = network.channels.enumerate();
        let broadcasts = channels.filter(|(_, it)| it.broadcast).map(|(id, _)| id).collect();
        let mut facts = Facts {
            broadcasts,
            carried,
            cells,
            signals: self.signals,
            uses: self.uses,
            accesses: Vec::new(),
            clocks: BTreeSet::new(),
            flow,
        };
        let mut seen = BTreeMap::new();
        for code in &self.code {
            for (target, writes, function) in &code.found {
                let items = match target {
                    Target::Clock(clock) => vec![Item::Clock(*clock)],
                    Target::Variable(variable, slots) => {
                        let cells = facts.cells.of(network, *variable, slots.as_deref());
                        cells.into_iter().map(Item::Cell).collect()
                    }
                };
                let touch = Touch { writes: *writes, place: code.place, function: *function };
                for item in items {
                    let access = facts.access(code, item, touch);
                    // What is written is the better reason.
                    let key = (code.process, item, !*writes, access.signals.clone(), access.sends);
                    seen.entry(key).or_insert(access);
                }
            }
        }
        facts.accesses = seen.into_values().collect();
        for access in facts.accesses.iter().filter(|access| access.touch.writes) {
            match access.item {
                Item::Cell(cell) => facts.cells.cells[cell].changes = true,
                Item::Clock(clock) => _ = facts.clocks.insert(clock),
                Item::Process(_) | Item::Channel(_) => {}
            }
        }
        facts
    }
}

impl Facts {
    fn access(&self, code: &Code, item: Item, touch: Touch) -> Access {
        let decides = matches!(touch.place, Where::Guard(_));
        let mut signals = code.signals.clone();
        if decides && !self.all_carry(&signals, item) {
            signals.clear();
        }
        signals.sort_unstable();
        let sends = code.sends && !signals.is_empty();
        Access { process: code.process, item, touch, signals, sends }
    }
}
