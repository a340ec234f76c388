//! Definitions and uses of variables: which edge gives a value, and which edge reads it.
//!
//! A [`Pair`] is a variable, an edge that writes it (or its initial value) and an edge that reads it while that value still
//! stands. Guards and indices read before all updates of a step; an update reads what stands when it is its turn.
//!
//! A write in a function, or to an element that is known only when the model runs, may leave the old value in place.
//!
//! Not here: what invariants and rates read, clocks, and values that signals carry from one side to the other.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{
    ChannelId, EdgeId, Expr, IdVec, LocationId, Network, Process, ProcessId, Select, Storage, Sync,
};

use super::cells::{CellId, Cells};
use super::values::{Found, Reader, Target, channels};

/// Models with more pairs have no list of them: nobody could read it.
const PAIRS_MAX: usize = 2_000;

/// Nor have models in which more steps of edges would have to be followed to find the pairs.
const STEPS_MAX: usize = 5_000_000;

/// An edge of a network.
pub type Taken = (ProcessId, EdgeId);

/// What an edge reads and writes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Accessed {
    /// The variables that its guard reads, or the index of its channel.
    pub decides: Vec<CellId>,
    /// The variables that its updates read before they write them.
    pub computes: Vec<CellId>,
    /// The variables that it writes, in order.
    pub writes: Vec<Written>,
    /// The channels that it may synchronise on.
    pub channels: Vec<ChannelId>,
    /// Whether it receives.
    pub receives: bool,
    /// The location that it leaves.
    pub source: Option<LocationId>,
    /// The locations that it may lead to.
    pub targets: Vec<LocationId>,
}

/// A variable that an edge writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Written {
    /// The variable, or an element of one.
    pub cell: CellId,
    /// Whether the old value is gone for sure.
    pub always: bool,
}

/// A value that is written by one edge and read by another one, or by the same edge later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pair {
    /// The variable, or an element of one.
    pub cell: CellId,
    /// The edge that writes it; none for the initial value.
    pub definition: Option<Taken>,
    /// The edge that reads it.
    pub used: Taken,
}

impl Accessed {
    /// How it writes a variable, if it does.
    #[must_use]
    pub fn write(&self, cell: CellId) -> Option<Written> {
        let at = self.writes.binary_search_by_key(&cell, |it| it.cell).ok()?;
        Some(self.writes[at])
    }
}

/// What all edges read and write, and which pairs the graph of locations allows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Flow {
    edges: IdVec<ProcessId, IdVec<EdgeId, Accessed>>,
    pairs: Vec<Pair>,
}

impl Flow {
    /// What an edge reads and writes.
    #[must_use]
    pub fn edge(&self, (process, edge): Taken) -> &Accessed {
        &self.edges[process][edge]
    }

    /// All pairs that the graph of locations allows, in order. Guards and clocks may forbid some of them. Empty if there are too many
    /// to be of use.
    #[must_use]
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Whether two edges that follow each other on a way belong to one step: the second one receives what the first one
    /// sends, or receives with it.
    #[must_use]
    pub fn is_one_step(&self, first: Taken, second: Taken) -> bool {
        let (one, other) = (self.edge(first), self.edge(second));
        other.receives
            && first.0 != second.0
            && one.channels.iter().any(|channel| other.channels.contains(channel))
    }

    pub(super) fn new(
        network: &Network,
        reader: &Reader<'_>,
        cells: &Cells,
        carried: &BTreeSet<CellId>,
    ) -> Flow {
        let is_state = |cell: &CellId| cells.cells[*cell].storage == Storage::State;
        let follows = |cell: &CellId| is_state(cell) && !carried.contains(cell);
        let collector =
            Collector { network, reader, cells, follows: &follows, is_state: &is_state };
        let processes = network.processes.iter();
        let edges: IdVec<ProcessId, IdVec<EdgeId, Accessed>> = processes
            .map(|it| it.edges.iter().map(|edge| collector.edge(edge)).collect())
            .collect();
        let mut flow = Flow { edges, pairs: Vec::new() };
        flow.pairs = flow.allowed(network).unwrap_or_default();
        flow
    }

    /// The pairs that the graph of locations allows; none if there are too many.
    fn allowed(&self, network: &Network) -> Option<Vec<Pair>> {
        let all = || {
            let processes = self.edges.enumerate();
            processes.flat_map(|(process, edges)| {
                edges.enumerate().map(move |(edge, accessed)| ((process, edge), accessed))
            })
        };
        let mut pairs = BTreeSet::new();
        let mut users: BTreeMap<CellId, BTreeSet<Taken>> = BTreeMap::new();
        let mut writers: BTreeMap<CellId, Vec<Taken>> = BTreeMap::new();
        for (at, it) in all() {
            for cell in it.decides.iter().chain(&it.computes) {
                users.entry(*cell).or_default().insert(at);
            }
            it.writes.iter().for_each(|it| writers.entry(it.cell).or_default().push(at));
        }
        let mut steps = 0;
        for (&cell, users) in &users {
            // What nobody writes is a constant.
            let Some(writers) = writers.get(&cell) else { continue };
            // Where the initial value of a variable reaches to, process by process.
            let mut initial: BTreeMap<ProcessId, BTreeSet<LocationId>> = BTreeMap::new();
            for definition in std::iter::once(None).chain(writers.iter().copied().map(Some)) {
                // In its own process, the value reaches as far as no other edge writes over it.
                let process = |of: ProcessId| &network.processes[of];
                let from: Vec<LocationId> = match definition {
                    None => Vec::new(),
                    Some((of, edge)) => targets(process(of), edge).collect(),
                };
                let own = definition.map(|(of, _)| {
                    steps += process(of).edges.len();
                    (of, self.reach(process(of), of, &from, cell))
                });
                for &used in users {
                    let source = process(used.0).edges[used.1].source;
                    let reached = match &own {
                        Some((of, reached)) if *of == used.0 => reached.contains(&source),
                        Some(_) => true,
                        None => {
                            let it = process(used.0);
                            let reached = initial.entry(used.0).or_insert_with(|| {
                                steps += it.edges.len();
                                self.reach(it, used.0, &it.initial, cell)
                            });
                            reached.contains(&source)
                        }
                    };
                    if reached {
                        pairs.insert(Pair { cell, definition, used });
                    }
                    if pairs.len() > PAIRS_MAX || steps > STEPS_MAX {
                        return None;
                    }
                }
            }
        }
        Some(pairs.into_iter().collect())
    }

    /// The locations of a process that it can come to without writing over a variable.
    fn reach(
        &self,
        process: &Process,
        id: ProcessId,
        from: &[LocationId],
        cell: CellId,
    ) -> BTreeSet<LocationId> {
        let mut leaving: BTreeMap<LocationId, Vec<EdgeId>> = BTreeMap::new();
        for (edge, it) in process.edges.enumerate() {
            let is_over = self.edges[id][edge].write(cell).is_some_and(|it| it.always);
            if !is_over {
                leaving.entry(it.source).or_default().push(edge);
            }
        }
        let mut reached: BTreeSet<LocationId> = from.iter().copied().collect();
        let mut todo: Vec<LocationId> = from.to_vec();
        while let Some(location) = todo.pop() {
            for edge in leaving.get(&location).into_iter().flatten() {
                todo.extend(targets(process, *edge).filter(|target| reached.insert(*target)));
            }
        }
        reached
    }
}

fn targets(process: &Process, edge: EdgeId) -> impl Iterator<Item = LocationId> + '_ {
    process.edges[edge].branches.iter().map(|branch| branch.target)
}

/// Whether an expression is an assignment as a whole: one inside of another expression may not happen.
fn is_assignment(expr: &Expr) -> bool {
    let Expr::Assign { value, .. } = expr else { return false };
    let mut is_plain = true;
    value.walk(&mut |part| is_plain &= !matches!(part, Expr::Assign { .. }));
    is_plain
}

struct Collector<'c> {
    network: &'c Network,
    reader: &'c Reader<'c>,
    cells: &'c Cells,
    /// Variables whose uses are followed: those that no signal carries.
    follows: &'c dyn Fn(&CellId) -> bool,
    /// Variables that are part of the state.
    is_state: &'c dyn Fn(&CellId) -> bool,
}

impl Collector<'_> {
    fn edge(&self, edge: &punctual_model::Edge) -> Accessed {
        let selects: Vec<&Select> = edge.selects.iter().collect();
        let mut accessed = Accessed::default();
        let mut writes = BTreeMap::new();
        let mut guard = Found::new();
        self.reader.condition(&edge.guard, &selects, &mut guard);
        if let Some(channel) = edge.sync.channel() {
            for index in &channel.indices {
                self.reader.expr(&index.value, &selects, &mut guard);
            }
            accessed.channels = channels(channel, &selects).into_iter().collect();
        }
        let targets = edge.branches.iter().map(|branch| branch.target);
        (accessed.source, accessed.targets) = (Some(edge.source), targets.collect());
        accessed.receives = matches!(edge.sync, Sync::Receive(_));
        accessed.decides = self.reads(&guard);
        let is_one = edge.branches.len() == 1;
        for expr in &edge.update {
            let mut found = Found::new();
            self.reader.expr(expr, &selects, &mut found);
            self.update(&mut accessed, &mut writes, &found, is_assignment(expr));
        }
        for branch in &edge.branches {
            let selects: Vec<_> = edge.selects.iter().chain(&branch.selects).collect();
            for expr in branch.weight.iter().chain(&branch.update) {
                let mut found = Found::new();
                self.reader.expr(expr, &selects, &mut found);
                self.update(&mut accessed, &mut writes, &found, is_one && is_assignment(expr));
            }
        }
        accessed.writes =
            writes.into_iter().map(|(cell, always)| Written { cell, always }).collect();
        accessed
    }

    /// An update reads, and then writes; `always` if it is nothing but an assignment, which happens in any case.
    fn update(
        &self,
        accessed: &mut Accessed,
        writes: &mut BTreeMap<CellId, bool>,
        found: &Found,
        always: bool,
    ) {
        let own = |cell: &CellId| writes.get(cell) == Some(&true);
        let more: Vec<CellId> = self.reads(found).into_iter().filter(|it| !own(it)).collect();
        let known: BTreeSet<CellId> = accessed.computes.iter().copied().collect();
        accessed.computes.extend(more.into_iter().filter(|it| !known.contains(it)));
        for (target, _, function) in found.iter().filter(|(_, writes, _)| *writes) {
            let cells = self.cells_of(target);
            let is_whole = |cell: &CellId| {
                let it = &self.cells.cells[*cell];
                it.ints.len() + it.doubles.len() == 1
            };
            let always =
                always && function.is_none() && cells.len() == 1 && cells.iter().all(is_whole);
            for cell in cells.into_iter().filter(|it| (self.is_state)(it)) {
                *writes.entry(cell).or_default() |= always;
            }
        }
    }

    fn reads(&self, found: &Found) -> Vec<CellId> {
        let read = found.iter().filter(|(_, writes, _)| !*writes);
        let cells: BTreeSet<CellId> = read
            .flat_map(|(target, ..)| self.cells_of(target))
            .filter(|it| (self.follows)(it))
            .collect();
        cells.into_iter().collect()
    }

    fn cells_of(&self, target: &Target) -> Vec<CellId> {
        match target {
            Target::Clock(_) => Vec::new(),
            Target::Variable(variable, slots) => {
                self.cells.of(self.network, *variable, slots.as_deref()).into_iter().collect()
            }
        }
    }
}
