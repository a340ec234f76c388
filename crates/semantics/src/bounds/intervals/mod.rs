//! Which values each integer of a network can have.
//!
//! One interval for each slot of the memory, whatever the locations are: it contains every value
//! that the slot ever holds. Found by evaluating all code over intervals until nothing grows. A
//! slot that keeps growing jumps to the next constant of the model, at last to its declared range;
//! two more rounds then take back what the jumps gave away.
//!
//! Conditions are used: while the update of an edge with the guard `n < 5` is evaluated, `n` is
//! below 5 until something may change it; see `known`.
//!
//! Values that a model computes with more than 32 bits, that leave a range or an array are errors
//! of the model: nothing is ever stored then, so they do not count here.
//!
//! Here are the intervals themselves and the rounds that find them. `eval` evaluates code, `known`
//! is about conditions, and `code` answers what one look at all code can answer.

mod code;
mod eval;
mod known;

use punctual_model::{FunctionId, Id, Network, Place, Process, StateExpr, Storage};

use super::interval::Interval;

pub(super) use code::{for_each_expr, transitively};

/// How often a slot may grow before it jumps.
const PATIENCE: u8 = 4;
/// After this many growths the jumps double.
const DOUBLING: u8 = 12;
/// After this many growths, or this many rounds, a slot gets its declared range.
const LAST: u8 = 40;
const LAST_ROUND: u32 = 200;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Intervals grow from the initial values.
    Growing { round: u32 },
    /// Intervals are computed anew from those that are large enough.
    Shrinking,
    /// Nothing changes any more.
    Done,
}

/// Intervals of all integer slots. What is called a cell is a slot of any memory: all memories and
/// frames lie one after the other.
pub(super) struct Intervals<'n> {
    network: &'n Network,
    cells: Vec<Interval>,
    /// What [`Phase::Shrinking`] has collected.
    next: Vec<Interval>,
    growths: Vec<u8>,
    phase: Phase,
    changed: bool,
    constants: usize,
    state: usize,
    meta: usize,
    /// The first cell of a frame; all after are local.
    frames: usize,
    functions: Vec<usize>,
    returns: usize,
    locations: Vec<Vec<usize>>,
    edges: Vec<Vec<usize>>,
    hooks: usize,
    query: usize,
    /// Constants of the model and their neighbours, where growing slots may stop.
    stops: Vec<i64>,
    /// Whether a function changes anything outside of its frame.
    impure: Vec<bool>,
    /// Who writes a cell of the state or of the meta variables.
    writers: Vec<u32>,
    /// What conditions say of cells for now.
    known: Vec<(usize, Interval)>,
    /// The cells of which something was known that became void.
    kills: Vec<usize>,
}

impl<'n> Intervals<'n> {
    /// The intervals of a network and, if there is one, of a query about it.
    pub(super) fn new(network: &'n Network, query: Option<&StateExpr>) -> Self {
        let mut this = Self::layout(network, query);
        if !code::needed(network, query) {
            // Nobody will ask for more than constants.
            this.cells[this.state..].fill(Interval::ALL);
            return this;
        }
        this.stops = code::stops(network, query);
        this.impure = code::impure(network);
        this.writers = this.find_writers();
        let initial = this.cells.clone();
        let mut round = 0;
        loop {
            this.phase = Phase::Growing { round };
            this.changed = false;
            this.round(query);
            if !this.changed {
                break;
            }
            round += 1;
        }
        for _ in 0..2 {
            this.phase = Phase::Shrinking;
            this.next.clone_from(&initial);
            this.round(query);
            std::mem::swap(&mut this.cells, &mut this.next);
        }
        this.phase = Phase::Done;
        this
    }

    fn layout(network: &'n Network, query: Option<&StateExpr>) -> Self {
        let mut cells = Vec::new();
        let mut memory = |values: &[i32]| {
            let start = cells.len();
            cells.extend(values.iter().map(|value| Interval::one((*value).into())));
            start
        };
        let constants = memory(&network.constants.ints);
        let state = memory(&network.initial.ints);
        let meta = memory(&network.meta.ints);
        let frames = cells.len();
        let mut frame = |size: u32| {
            let start = cells.len();
            cells.resize(start + size as usize, Interval::EMPTY);
            start
        };
        let functions = network.functions.iter().map(|f| frame(f.frame.ints)).collect();
        let processes = network.processes.iter();
        let locations = processes
            .clone()
            .map(|process| process.locations.iter().map(|l| frame(l.frame.ints)).collect())
            .collect();
        let edges = processes
            .map(|process| process.edges.iter().map(|edge| frame(edge.frame.ints)).collect())
            .collect();
        let hooks = frame(network.update_frame.ints);
        let query = frame(query.map_or(0, |query| query.frame.ints));
        let returns = frame(network.functions.len() as u32);
        Self {
            network,
            growths: vec![0; cells.len()],
            cells,
            next: Vec::new(),
            phase: Phase::Done,
            changed: false,
            constants,
            state,
            meta,
            frames,
            functions,
            returns,
            locations,
            edges,
            hooks,
            query,
            stops: Vec::new(),
            impure: vec![true; network.functions.len()],
            writers: Vec::new(),
            known: Vec::new(),
            kills: Vec::new(),
        }
    }

    /// The frame of a location's expressions.
    pub(super) fn location_frame(&self, process: usize, location: usize) -> usize {
        self.locations[process][location]
    }

    /// The frame of an edge's expressions.
    pub(super) fn edge_frame(&self, process: usize, edge: usize) -> usize {
        self.edges[process][edge]
    }

    /// The frame of a function's expressions, which may be that of its caller.
    pub(super) fn function_frame(&self, function: FunctionId, caller: usize) -> usize {
        let shares = self.network.functions[function].shares_frame;
        if shares { caller } else { self.functions[function.index()] }
    }

    /// The frame of the updates of every transition.
    pub(super) fn hooks_frame(&self) -> usize {
        self.hooks
    }

    /// The frame of the query.
    pub(super) fn query_frame(&self) -> usize {
        self.query
    }

    /// Evaluates all code once.
    fn round(&mut self, query: Option<&StateExpr>) {
        let network = self.network;
        for expr in network.before_update.iter().chain(&network.after_update) {
            self.begin();
            self.eval(expr, self.hooks);
        }
        for (id, function) in network.functions.enumerate() {
            if !function.shares_frame {
                self.begin();
                self.body(id, function, self.functions[id.index()]);
            }
        }
        for (p, process) in network.processes.iter().enumerate() {
            for (l, location) in process.locations.iter().enumerate() {
                self.begin();
                let frame = self.locations[p][l];
                self.assume(&location.invariant, frame);
                for constraint in &location.invariant.clocks {
                    self.constraint(constraint, frame);
                }
            }
            for e in 0..process.edges.len() {
                self.edge(p, process, e);
            }
        }
        if let Some(query) = query {
            self.begin();
            self.eval(&query.expr, self.query);
        }
    }

    fn edge(&mut self, p: usize, process: &Process, e: usize) {
        let edge = process.edges.iter().nth(e).expect("the edge exists");
        let frame = self.edges[p][e];
        self.begin();
        for select in &edge.selects {
            self.store(frame + select.slot as usize, select.range.into(), Interval::ALL);
        }
        let possible = self.assume(&edge.guard, frame);
        for constraint in &edge.guard.clocks {
            self.constraint(constraint, frame);
        }
        if !possible {
            return;
        }
        if let Some(channel) = edge.sync.channel() {
            self.indices(0, &channel.indices, frame);
        }
        self.start_update(p, edge);
        for expr in &edge.update {
            self.eval(expr, frame);
        }
        for branch in &edge.branches {
            let scope = self.enter();
            self.start_branch(p);
            for select in &branch.selects {
                self.store(frame + select.slot as usize, select.range.into(), Interval::ALL);
            }
            for expr in &branch.update {
                self.eval(expr, frame);
            }
            self.leave(scope);
        }
    }

    fn cell(&self, place: &Place, frame: usize) -> usize {
        let start = match place.storage {
            Storage::Constant => self.constants,
            Storage::State => self.state,
            Storage::Meta => self.meta,
            Storage::Local => frame,
        };
        start + place.base as usize
    }

    fn load(&self, cell: usize) -> Interval {
        let known = self.known.iter().find(|(other, _)| *other == cell);
        known.map_or(self.cells[cell], |(_, interval)| *interval)
    }

    fn store(&mut self, cell: usize, value: Interval, range: Interval) {
        let value = value.meet(range);
        self.kill(cell);
        if value.is_empty() {
            return;
        }
        match self.phase {
            Phase::Done => {}
            Phase::Shrinking => self.next[cell] = self.next[cell].join(value),
            Phase::Growing { round } => {
                let old = self.cells[cell];
                let mut new = old.join(value);
                if new == old {
                    return;
                }
                let growths = &mut self.growths[cell];
                *growths = growths.saturating_add(1);
                let growths = if round > LAST_ROUND { LAST } else { *growths };
                if growths >= PATIENCE && !old.is_empty() {
                    let factor = if growths < DOUBLING { 1 } else { 2 };
                    if new.hi > old.hi {
                        let aim = new.hi.max(new.hi * factor);
                        let at = self.stops.partition_point(|stop| *stop < aim);
                        let stop = self.stops.get(at).filter(|_| growths < LAST);
                        new.hi = stop.copied().unwrap_or(range.hi).min(range.hi).max(new.hi);
                    }
                    if new.lo < old.lo {
                        let aim = new.lo.min(new.lo * factor);
                        let at = self.stops.partition_point(|stop| *stop <= aim);
                        let stop = at.checked_sub(1).filter(|_| growths < LAST);
                        let stop = stop.map_or(range.lo, |at| self.stops[at]);
                        new.lo = stop.max(range.lo).min(new.lo);
                    }
                }
                self.cells[cell] = new;
                self.changed = true;
            }
        }
    }
}
