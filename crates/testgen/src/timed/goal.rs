//! What a suite should cover of a model.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{EdgeId, LocationId, Network, ProcessId, Relation};
use punctual_semantics::specification::Specification;

use super::walk::Taken;
use super::world::Point;

/// What should be covered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Criterion {
    /// Every location of every process.
    Locations,
    /// Every edge of every process.
    Edges,
    /// Every pair of edges that a process can take one after the other.
    Pairs,
    /// Every location whose invariant reads a clock, and every edge whose guard does: the least that section VIII of
    /// the TAUC paper asks for.
    Timing,
    /// Every clock constraint of an edge, and the end of every stay that an invariant limits, at its limit.
    Bounds,
}

impl Criterion {
    /// All criteria.
    pub const ALL: [Criterion; 5] = [
        Criterion::Locations,
        Criterion::Edges,
        Criterion::Pairs,
        Criterion::Timing,
        Criterion::Bounds,
    ];

    /// Its word on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Locations => "locations",
            Criterion::Edges => "edges",
            Criterion::Pairs => "pairs",
            Criterion::Timing => "timing",
            Criterion::Bounds => "bounds",
        }
    }
}

/// Something that a run covers or does not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Goal {
    /// A process is in a location.
    Location(ProcessId, LocationId),
    /// A process takes an edge.
    Edge(ProcessId, EdgeId),
    /// A process takes two edges, one after the other.
    Pair(ProcessId, EdgeId, EdgeId),
    /// A process takes an edge when a clock constraint of its guard is just fulfilled (or fulfilled for the last time):
    /// the clock is at the constant. The number is that of the constraint.
    AtGuard(ProcessId, EdgeId, usize),
    /// A process takes an edge when a clock constraint of the invariant that it leaves is fulfilled for the last time.
    AtInvariant(ProcessId, EdgeId, usize),
}

impl Goal {
    /// The process that it is about.
    #[must_use]
    pub fn process(self) -> ProcessId {
        match self {
            Goal::Location(process, _)
            | Goal::Edge(process, _)
            | Goal::Pair(process, ..)
            | Goal::AtGuard(process, ..)
            | Goal::AtInvariant(process, ..) => process,
        }
    }
}

/// The goals of some criteria, in order, each once.
#[must_use]
pub fn goals(specification: &Specification, criteria: &[Criterion]) -> Vec<Goal> {
    let network = &specification.network;
    let mut goals = BTreeSet::new();
    for (id, process) in network.processes.enumerate() {
        let is_timed = |at: LocationId| !process.locations[at].invariant.clocks.is_empty();
        for criterion in criteria {
            match criterion {
                Criterion::Locations => {
                    goals.extend(process.locations.ids().map(|at| Goal::Location(id, at)));
                }
                Criterion::Edges => goals.extend(process.edges.ids().map(|at| Goal::Edge(id, at))),
                Criterion::Pairs => {
                    for (first, edge) in process.edges.enumerate() {
                        let leads_to =
                            |at: LocationId| edge.branches.iter().any(|it| it.target == at);
                        let next = process.edges.enumerate();
                        let next = next.filter(|(_, next)| leads_to(next.source));
                        goals.extend(next.map(|(second, _)| Goal::Pair(id, first, second)));
                    }
                }
                Criterion::Timing => {
                    let locations = process.locations.ids().filter(|at| is_timed(*at));
                    goals.extend(locations.map(|at| Goal::Location(id, at)));
                    let edges = process.edges.enumerate();
                    let edges = edges.filter(|(_, edge)| !edge.guard.clocks.is_empty());
                    goals.extend(edges.map(|(at, _)| Goal::Edge(id, at)));
                }
                Criterion::Bounds => {
                    for (at, edge) in process.edges.enumerate() {
                        let guard = limited(&edge.guard);
                        goals.extend(guard.map(|number| Goal::AtGuard(id, at, number)));
                        let invariant = limited(&process.locations[edge.source].invariant);
                        goals.extend(invariant.map(|number| Goal::AtInvariant(id, at, number)));
                    }
                }
            }
        }
    }
    goals.into_iter().collect()
}

/// The numbers of the clock constraints of a condition that can be met exactly.
fn limited(condition: &punctual_model::Condition) -> impl Iterator<Item = usize> + '_ {
    let clocks = condition.clocks.iter().enumerate();
    clocks.filter(|(_, it)| limit(it).is_some()).map(|(number, _)| number)
}

/// Whether a clock constraint can be met exactly: it compares one clock with a constant, weakly.
pub(super) fn limit(
    constraint: &punctual_model::ClockConstraint,
) -> Option<(punctual_model::ClockId, i32)> {
    let weak = matches!(
        constraint.relation,
        Relation::LessEqual | Relation::Equal | Relation::GreaterEqual
    );
    let clock = constraint.left.as_ref().filter(|it| it.indices.is_empty())?;
    let bound = constraint.bound.as_int()?;
    let plain = weak && constraint.right.is_none() && constraint.when.is_none();
    plain.then_some((clock.base, bound))
}

/// What runs have covered.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    found: BTreeSet<Goal>,
    /// The last edge of each process.
    last: BTreeMap<ProcessId, EdgeId>,
}

impl Seen {
    /// What a run covers, before its first step.
    #[must_use]
    pub fn new(network: &Network, start: &Point) -> Seen {
        let mut seen = Seen::default();
        seen.arrive(network, start);
        seen
    }

    fn arrive(&mut self, network: &Network, point: &Point) {
        for (process, at) in network.processes.ids().zip(&point.state) {
            let at = punctual_model::Id::from_index(at.unsigned_abs() as usize);
            self.found.insert(Goal::Location(process, at));
        }
    }

    /// The run takes a step from a point.
    pub fn step(&mut self, network: &Network, before: &Point, waited: i64, step: &Taken) {
        for taken in &step.moves {
            let process = &network.processes[taken.process];
            let edge = &process.edges[taken.edge];
            self.found.insert(Goal::Edge(taken.process, taken.edge));
            if let Some(last) = self.last.insert(taken.process, taken.edge) {
                self.found.insert(Goal::Pair(taken.process, last, taken.edge));
            }
            let is_met = |constraint: &punctual_model::ClockConstraint| {
                limit(constraint).is_some_and(|(clock, bound)| {
                    let value = before.clocks[punctual_model::Id::index(clock)];
                    i64::from(value) + waited == i64::from(bound)
                })
            };
            for (number, _) in edge.guard.clocks.iter().enumerate().filter(|it| is_met(it.1)) {
                self.found.insert(Goal::AtGuard(taken.process, taken.edge, number));
            }
            let invariant = &process.locations[edge.source].invariant.clocks;
            for (number, _) in invariant.iter().enumerate().filter(|it| is_met(it.1)) {
                self.found.insert(Goal::AtInvariant(taken.process, taken.edge, number));
            }
        }
        self.arrive(network, &step.after);
    }

    /// Whether it is covered.
    #[must_use]
    pub fn has(&self, goal: Goal) -> bool {
        self.found.contains(&goal)
    }

    /// All that is covered.
    pub fn goals(&self) -> impl Iterator<Item = Goal> + '_ {
        self.found.iter().copied()
    }
}

/// What a whole run covers.
#[must_use]
pub fn covered(network: &Network, run: &super::walk::Run) -> Seen {
    let mut seen = Seen::new(network, &run.start);
    let (mut before, mut at) = (&run.start, 0);
    for step in &run.steps {
        seen.step(network, before, step.at - at, step);
        (before, at) = (&step.after, step.at);
    }
    seen
}
