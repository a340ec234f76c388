//! Passing bounds on, against the direction of the edges, until nothing changes.

use std::collections::{BTreeMap, VecDeque};

use punctual_model::Network;
use punctual_zones::NO_BOUND;

use super::effects::Effect;
use super::{ClockBound, LIMIT, TooLarge, location_place};

/// How often, for each location, copies that subtract from a clock may raise bounds. More than
/// this: they are in a cycle, and there is no largest constant.
const PATIENCE: usize = 1000;

/// Bounds sorted by clock.
#[derive(Clone, Default, Debug)]
pub(super) struct Table {
    pub(super) entries: Vec<ClockBound>,
}

impl Table {
    /// The bounds of a clock, if it has any.
    fn get(&self, clock: u32) -> Option<&ClockBound> {
        let at = self.entries.binary_search_by_key(&clock, |bound| bound.clock).ok()?;
        Some(&self.entries[at])
    }

    /// Raises the bounds of a clock to at least these; whether that changed anything.
    pub(super) fn raise(&mut self, clock: u32, lower: i32, upper: i32) -> bool {
        if lower == NO_BOUND && upper == NO_BOUND {
            return false;
        }
        match self.entries.binary_search_by_key(&clock, |bound| bound.clock) {
            Ok(at) => {
                let bound = &mut self.entries[at];
                let changed = lower > bound.lower || upper > bound.upper;
                bound.lower = bound.lower.max(lower);
                bound.upper = bound.upper.max(upper);
                changed
            }
            Err(at) => {
                self.entries.insert(at, ClockBound { clock, lower, upper });
                true
            }
        }
    }
}

/// Where a clock that an edge sets can get its value from.
struct Target {
    clock: u32,
    /// Old clocks with what is added to them at least.
    sources: Vec<(u32, i64)>,
}

/// What passes from the target of a branch to its source.
pub(super) struct Flow {
    source: usize,
    /// The clocks that the branch may set, sorted.
    targets: Vec<Target>,
}

impl Flow {
    pub(super) fn new(source: usize, effect: &Effect) -> Self {
        let targets = effect.iter().map(|(clock, sources)| Target {
            clock: *clock,
            sources: sources.iter().map(|(clock, offset)| (*clock, *offset)).collect(),
        });
        Self { source, targets: targets.collect() }
    }

    /// The clocks that something is subtracted from, and how much at most.
    pub(super) fn lowered(&self) -> impl Iterator<Item = (u32, i64)> {
        let all = self.targets.iter().flat_map(|target| &target.sources);
        all.filter(|(_, offset)| *offset < 0).map(|(source, offset)| (*source, -offset))
    }

    fn target(&self, clock: u32) -> Option<&Target> {
        let at = self.targets.binary_search_by_key(&clock, |target| target.clock).ok()?;
        Some(&self.targets[at])
    }

    /// Copies that change for others what a clock means: all but those of a clock to itself that
    /// make it larger or leave it. The others' own bounds for the clock are enough for these.
    fn copies(&self) -> impl Iterator<Item = (u32, u32, i64)> {
        self.targets.iter().flat_map(|target| {
            let copies = target.sources.iter();
            let copies = copies.filter(|(clock, offset)| *clock != target.clock || *offset < 0);
            copies.map(|(source, offset)| (target.clock, *source, *offset))
        })
    }
}

/// The locations of a process with their bounds, and what passes between them.
pub(super) struct Graph {
    pub(super) tables: Vec<Table>,
    incoming: Vec<Vec<Flow>>,
}

impl Graph {
    pub(super) fn new(n_locations: usize) -> Self {
        Self {
            tables: vec![Table::default(); n_locations],
            incoming: (0..n_locations).map(|_| Vec::new()).collect(),
        }
    }

    pub(super) fn push(&mut self, target: usize, flow: Flow) {
        self.incoming[target].push(flow);
    }

    /// Passes bounds on, beginning with these locations.
    fn propagate(&mut self, begin: impl IntoIterator<Item = usize>) -> Result<(), (i64, usize)> {
        let n_locations = self.tables.len();
        let mut patience = PATIENCE * n_locations;
        let mut queued = vec![false; n_locations];
        let mut queue = VecDeque::new();
        for location in begin {
            if !queued[location] {
                queued[location] = true;
                queue.push_back(location);
            }
        }
        let Self { tables, incoming } = self;
        for flows in incoming.iter_mut() {
            flows.sort_by_key(|flow| flow.source);
        }
        let mut raised: Vec<(u32, i32, i32, bool)> = Vec::new();
        while let Some(location) = queue.pop_front() {
            queued[location] = false;
            // A loop at the location may change what is being read.
            let mut entries = std::mem::take(&mut tables[location]);
            let mut again = false;
            // The clocks that all flows from one source set, up to here. All others have been passed on to it.
            let mut set_by_all: Option<(usize, Vec<u32>)> = None;
            for flow in &incoming[location] {
                raised.clear();
                for target in &flow.targets {
                    let Some(bound) = entries.get(target.clock) else { continue };
                    for (source, offset) in &target.sources {
                        let lower = shift(bound.lower, *offset);
                        let upper = shift(bound.upper, *offset);
                        let lower = lower.map_err(|value| (value, flow.source))?;
                        let upper = upper.map_err(|value| (value, flow.source))?;
                        raised.push((*source, lower, upper, *offset < 0));
                    }
                }
                let own = flow.source == location;
                let into = if own { &mut entries } else { &mut tables[flow.source] };
                let mut changed = false;
                for (source, lower, upper, is_subtracted) in raised.drain(..) {
                    if into.raise(source, lower, upper) {
                        changed = true;
                        if is_subtracted {
                            patience = patience.saturating_sub(1);
                        }
                    }
                }
                if patience == 0 {
                    return Err((LIMIT + 1, flow.source));
                }
                if own {
                    again |= changed;
                    continue;
                }
                let into = &mut tables[flow.source];
                let mut pass = |bound: &ClockBound| {
                    changed |= into.raise(bound.clock, bound.lower, bound.upper);
                };
                set_by_all = Some(match set_by_all {
                    Some((source, mut set)) if source == flow.source => {
                        set.retain(|clock| {
                            let sets = flow.target(*clock).is_some();
                            if !sets {
                                entries.get(*clock).into_iter().for_each(&mut pass);
                            }
                            sets
                        });
                        (source, set)
                    }
                    _ => {
                        let kept = entries.entries.iter();
                        kept.filter(|it| flow.target(it.clock).is_none()).for_each(pass);
                        (flow.source, flow.targets.iter().map(|it| it.clock).collect())
                    }
                });
                if changed && !queued[flow.source] {
                    queued[flow.source] = true;
                    queue.push_back(flow.source);
                }
            }
            tables[location] = entries;
            if again && !queued[location] {
                queued[location] = true;
                queue.push_back(location);
            }
        }
        Ok(())
    }
}

/// The bound of `y` that makes `y + offset` have this bound.
fn shift(bound: i32, offset: i64) -> Result<i32, i64> {
    if bound == NO_BOUND {
        return Ok(NO_BOUND);
    }
    let shifted = (i64::from(bound) - offset).max(0);
    if shifted > LIMIT { Err(shifted) } else { Ok(shifted as i32) }
}

/// A clock that gets its value from another one.
struct Copy {
    /// Where: a process and a location, or in every transition.
    at: Option<(usize, usize)>,
    target: u32,
    source: u32,
    offset: i64,
}

/// The bounds that processes have for one clock in any of their locations.
#[derive(Clone, Copy)]
struct Demand {
    process: usize,
    lower: i32,
    upper: i32,
}

/// Passes bounds on in all processes and between them.
pub(super) fn solve(
    network: &Network,
    graphs: &mut [Graph],
    everywhere: &mut Table,
    hooks: &[Flow],
) -> Result<(), TooLarge> {
    let too_large = |value: i64, at: Option<(usize, usize)>| {
        let place = at.and_then(|(process, location)| {
            let process = network.processes.iter().nth(process)?;
            Some(location_place(process, process.locations.iter().nth(location)?))
        });
        let place = place.unwrap_or_else(|| "updates of every transition".to_owned());
        TooLarge { value, place }
    };
    for (p, graph) in graphs.iter_mut().enumerate() {
        let all = 0..graph.tables.len();
        graph.propagate(all).map_err(|(value, location)| too_large(value, Some((p, location))))?;
    }
    let mut copies = Vec::new();
    for (p, graph) in graphs.iter().enumerate() {
        for flow in graph.incoming.iter().flatten() {
            copies.extend(flow.copies().map(|(target, source, offset)| Copy {
                at: Some((p, flow.source)),
                target,
                source,
                offset,
            }));
        }
    }
    for flow in hooks {
        copies.extend(flow.copies().map(|(target, source, offset)| Copy {
            at: None,
            target,
            source,
            offset,
        }));
    }
    for _ in 0..PATIENCE {
        let demands = demands(graphs, &copies);
        let mut changed = BTreeMap::<usize, Vec<usize>>::new();
        let mut stable = true;
        for copy in &copies {
            let process = copy.at.map(|(process, _)| process);
            let others = demands.get(&copy.target).map_or(&[][..], Vec::as_slice);
            let others = others.iter().filter(|demand| Some(demand.process) != process);
            let all = everywhere.entries.iter().filter(|bound| bound.clock == copy.target);
            let all = all.map(|bound| (bound.lower, bound.upper));
            let (mut lower, mut upper) = (NO_BOUND, NO_BOUND);
            for demand in others.map(|demand| (demand.lower, demand.upper)).chain(all) {
                lower = lower.max(demand.0);
                upper = upper.max(demand.1);
            }
            let lower = shift(lower, copy.offset).map_err(|value| too_large(value, copy.at))?;
            let upper = shift(upper, copy.offset).map_err(|value| too_large(value, copy.at))?;
            let table = match copy.at {
                Some((process, location)) => &mut graphs[process].tables[location],
                None => &mut *everywhere,
            };
            if table.raise(copy.source, lower, upper) {
                stable = false;
                if let Some((process, location)) = copy.at {
                    changed.entry(process).or_default().push(location);
                }
            }
        }
        if stable {
            return Ok(());
        }
        for (process, locations) in changed {
            graphs[process]
                .propagate(locations)
                .map_err(|(value, location)| too_large(value, Some((process, location))))?;
        }
    }
    Err(too_large(LIMIT + 1, copies.first().and_then(|copy| copy.at)))
}

/// What each process demands of the clocks that are targets of copies.
fn demands(graphs: &[Graph], copies: &[Copy]) -> BTreeMap<u32, Vec<Demand>> {
    let mut demands: BTreeMap<u32, Vec<Demand>> =
        copies.iter().map(|copy| (copy.target, Vec::new())).collect();
    if demands.is_empty() {
        return demands;
    }
    for (process, graph) in graphs.iter().enumerate() {
        for bound in graph.tables.iter().flat_map(|table| &table.entries) {
            let Some(demands) = demands.get_mut(&bound.clock) else { continue };
            match demands.last_mut().filter(|demand| demand.process == process) {
                Some(demand) => {
                    demand.lower = demand.lower.max(bound.lower);
                    demand.upper = demand.upper.max(bound.upper);
                }
                None => {
                    let ClockBound { lower, upper, .. } = *bound;
                    demands.push(Demand { process, lower, upper });
                }
            }
        }
    }
    demands
}
