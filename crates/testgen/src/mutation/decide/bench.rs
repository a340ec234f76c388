//! A component of the system with its environment, ready to be compared with mutants of itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use punctual_model::{
    ClockConstraint, ClockId, Condition, Edge, Expr, Id, LocationKind, Network, PortId, Process,
    ProcessId, Relation, SignalId, Sync, Wired,
};
use punctual_semantics::budget::Budget;
use punctual_semantics::estimate::{Estimate, Estimator, Role, divided};
use punctual_semantics::specification::Specification;
use punctual_semantics::split::{Component, Side, open};

use super::search::{self, Compared, Found, Given, Limits, Sides};
use super::{Decision, Evidence};
use crate::inputs::combinations;
use crate::mutation::automata::{Mutant, Operator, Place as At};
use crate::usecases::derive::hinders_nobody;

/// An input has no more combinations of values than this, or not all of them are tried.
const VALUES_MAX: u64 = 64;

/// A component that mutants are compared with.
pub struct Bench<'s> {
    specification: &'s Specification,
    pub(super) component: Component,
    /// The interface; instants count half points of the grid.
    wired: Wired,
    pub(super) ours: Estimator,
    /// The components of the environment that send to it.
    pub(super) environment: Vec<Estimator>,
    /// Their processes.
    environment_processes: Vec<Vec<ProcessId>>,
    pub(super) ports: Vec<PortId>,
    /// Where each port is in a state of the component.
    pub(super) positions: Vec<u32>,
    /// The largest constant that a clock of the component or of its environment is compared with, in half points.
    pub(super) largest: i64,
}

/// Why a component can not be compared with mutants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal(pub String);

impl<'s> Bench<'s> {
    /// The component of a process of the system.
    ///
    /// # Errors
    /// If the process belongs to the environment, or has something that can not be followed.
    pub fn new(specification: &'s Specification, process: ProcessId) -> Result<Bench<'s>, Refusal> {
        let component = specification.split.components().into_iter();
        let component = component
            .filter(|it| it.side == Side::System)
            .find(|it| it.processes.contains(&process))
            .ok_or_else(|| Refusal("it is no process of the system".to_owned()))?;
        let part = specification.parts.iter().enumerate();
        let part = part.filter(|(_, part)| part.side == Side::System);
        let (number, part) = (part.into_iter())
            .find(|(_, part)| part.processes == component.processes)
            .ok_or_else(|| Refusal("nothing of it can be seen".to_owned()))?;
        let mut wired = specification.wired.clone();
        wired.interface.time.resolution *= 2;
        let component = sliced(specification, component, process);
        let budget = specification.budget();
        let ours = follower(&specification.network, &wired, &component, budget)?;
        let signals = || wired.interface.signals.ids();
        let sends_to = |other: &Estimator, id| {
            other.role(id) == Role::Sends && ours.role(id) == Role::Receives
        };
        let (mut environment, mut environment_processes) = (Vec::new(), Vec::new());
        for other in specification.parts.iter().filter(|part| part.side == Side::Environment) {
            if signals().any(|id| sends_to(&other.estimator, id)) {
                let component = Component { side: other.side, processes: other.processes.clone() };
                environment.push(follower(&specification.network, &wired, &component, budget)?);
                environment_processes.push(component.processes);
            }
        }
        let (mut ports, mut positions) = (Vec::new(), Vec::new());
        let n_whole = part.processes.len() + 1;
        for port in wired.interface.ports.ids() {
            let readers = specification.readers(port);
            let Some((_, position)) = readers.iter().find(|(reader, _)| *reader == number) else {
                continue;
            };
            // A slice has fewer processes, and knows the variables that they access.
            let here = match (*position as usize).checked_sub(n_whole) {
                Some(slot) => {
                    let slot = slot as u32;
                    let is_known = writers(specification, &part.processes, slot)
                        .iter()
                        .all(|it| component.processes.contains(it));
                    is_known.then(|| ours.position_of_slot(slot))
                }
                None => {
                    let of = part.processes[*position as usize];
                    let number = component.processes.iter().position(|it| *it == of);
                    number.map(|number| ours.position_of_process(number))
                }
            };
            if let Some(position) = here {
                ports.push(port);
                positions.push(position);
            }
        }
        let largest = 2 * specification.largest_constant();
        let mut bench = Bench {
            specification,
            component,
            wired,
            ours,
            environment,
            environment_processes,
            ports,
            positions,
            largest,
        };
        if bench.is_free() {
            bench.environment.clear();
            bench.environment_processes.clear();
        }
        Ok(bench)
    }

    /// Whether the environment may send everything at any time: it has no state, everything is on offer, and nobody has to hear what the
    /// component sends.
    fn is_free(&self) -> bool {
        let network = &self.specification.network;
        let wires = self.wired.wires.enumerate();
        let mut sent = wires.filter(|(id, _)| self.ours.role(*id) == Role::Sends);
        if !sent.all(|(_, wire)| network.channels[wire.channel].broadcast) {
            return false;
        }
        let mut processes = self.environment_processes.iter().flatten();
        if !processes.all(|id| is_stateless(&network.processes[*id])) {
            return false;
        }
        let mut offered = BTreeSet::new();
        for part in &self.environment {
            let offers = Estimate::new(part).and_then(|mut part| {
                part.look_ahead(0)?;
                part.offers()
            });
            let Ok(offers) = offers else { return false };
            offered.extend(offers.into_iter().map(|it| (it.signal, it.values)));
        }
        self.inputs().is_some_and(|all| all.iter().all(|it| offered.contains(it)))
    }

    /// The inputs of the component with all values that they may carry; none if these are too many.
    pub(super) fn inputs(&self) -> Option<Vec<(SignalId, Vec<i32>)>> {
        let mut found = Vec::new();
        for (id, wire) in self.wired.wires.enumerate() {
            if self.ours.role(id) != Role::Receives {
                continue;
            }
            let combinations = combinations(wire, VALUES_MAX)?;
            found.extend(combinations.into_iter().map(|values| (id, values)));
        }
        Some(found)
    }

    /// Whether the component sends outputs.
    pub(super) fn sends(&self) -> bool {
        self.wired.interface.signals.ids().any(|id| self.ours.role(id) == Role::Sends)
    }

    /// An instant of a case in half points of the grid; the one before it if it lies between two.
    pub(super) fn point(&self, ns: u64) -> i64 {
        let time = self.wired.interface.time;
        let points = u128::from(ns) * u128::from(time.resolution) / u128::from(time.unit_ns);
        i64::try_from(points).unwrap_or(i64::MAX / 4)
    }

    /// The mutant's side of the comparison.
    ///
    /// # Errors
    /// If the mutant has something that can not be followed.
    pub fn mutated(&self, network: &Network) -> Result<Estimator, Refusal> {
        follower(network, &self.wired, &self.component, self.specification.budget())
    }

    /// The model that mutants are compared with.
    #[must_use]
    pub fn specification(&self) -> &'s Specification {
        self.specification
    }

    /// Decides about a mutant of a process of the component.
    #[must_use]
    pub fn decide(&self, mutant: &Mutant, limits: Limits) -> Decision {
        let ours = &self.specification.network;
        // Where all times are multiples of one, everything is the same with that as the unit, and there is less to search.
        let by = coarse_unit(&[ours, &mutant.network]);
        if by > 1
            && let (Some(ours), Some(network)) = (divided(ours, by), divided(&mutant.network, by))
            && let Ok(bench) = self.coarser(&ours, by)
        {
            let coarse = Mutant { network, ..mutant.clone() };
            return bench.decide_with(&ours, &coarse, limits).in_units_of(i64::from(by));
        }
        self.decide_with(ours, mutant, limits)
    }

    /// The same component, of a network that is so many times as fast.
    fn coarser(&self, network: &Network, by: u32) -> Result<Bench<'s>, Refusal> {
        let budget = self.specification.budget();
        let mut environment = Vec::new();
        for of in &self.environment_processes {
            let component = Component { side: Side::Environment, processes: of.clone() };
            environment.push(follower(network, &self.wired, &component, budget)?);
        }
        Ok(Bench {
            specification: self.specification,
            component: self.component.clone(),
            wired: self.wired.clone(),
            ours: follower(network, &self.wired, &self.component, budget)?,
            environment,
            environment_processes: self.environment_processes.clone(),
            ports: self.ports.clone(),
            positions: self.positions.clone(),
            largest: self.largest / i64::from(by),
        })
    }

    fn decide_with(&self, ours: &Network, mutant: &Mutant, limits: Limits) -> Decision {
        let theirs = match self.mutated(&mutant.network) {
            Ok(theirs) => theirs,
            Err(_) => return Decision::Unknown("the mutant can not be followed"),
        };
        let mut compared = self.compared(&[ours, &mutant.network]);
        // A tighter bound on what the system decides about takes runs away and adds none.
        let found = match self.is_less(mutant) {
            true => Found::Nothing,
            false => self.differs(&theirs, &self.ours, &compared, limits),
        };
        match found {
            Found::Difference(steps) => return Decision::Wrong(Evidence { steps }),
            Found::Stop(steps) => return Decision::Stops(Evidence { steps }),
            Found::Unknown(why) => return Decision::Unknown(why),
            Found::Nothing => {}
        }
        compared.is_reversed = true;
        match self.differs(&self.ours, &theirs, &compared, limits) {
            Found::Difference(steps) => Decision::Narrower(Evidence { steps }),
            Found::Stop(_) => Decision::Unknown("time can stop in the specification"),
            Found::Unknown(why) => Decision::Unknown(why),
            Found::Nothing => Decision::Equal,
        }
    }

    /// What the clocks of the component are compared with in some networks.
    fn compared(&self, networks: &[&Network]) -> Compared {
        let scale = i64::from(self.wired.interface.time.resolution);
        let mut constants = BTreeSet::new();
        let mut clocks = BTreeSet::new();
        let mut open = None;
        for network in networks {
            for constraint in
                self.component.processes.iter().flat_map(|it| constraints(network, *it))
            {
                clocks.extend(constraint.clocks().map(|clock| clock.base.index()));
                match constraint.bound.as_int() {
                    Some(bound) => constants
                        .extend(constraint.clocks().map(|it| (it.base, i64::from(bound) * scale))),
                    None => open = Some("a bound of a clock is computed"),
                }
            }
        }
        if clocks.len() > 1 {
            open = Some("nothing was found at critical instants, and there are several clocks");
        }
        let ours = constants.iter().map(|(_, constant)| *constant).max().unwrap_or(0);
        let constants = constants.into_iter().collect();
        Compared { constants, largest: self.largest.max(ours), is_reversed: false, open }
    }

    /// Looks for something that the left component shows and the right one does not. What is not found although anybody
    /// could send anything at any time is not there; what is found only then may not be possible.
    fn differs(
        &self,
        left: &Estimator,
        right: &Estimator,
        compared: &Compared,
        limits: Limits,
    ) -> Found {
        let sides = Sides { left, right, environment: &self.environment, compared };
        let found = search::differs(self, sides, Given::default(), limits);
        if !matches!(found, Found::Nothing) || self.environment.is_empty() {
            return found;
        }
        let anybody = Sides { environment: &[], ..sides };
        match search::differs(self, anybody, Given::default(), limits) {
            Found::Nothing => Found::Nothing,
            Found::Unknown(why) => Found::Unknown(why),
            Found::Difference(_) | Found::Stop(_) => {
                Found::Unknown("another environment could tell, and this one may or may not")
            }
        }
    }

    /// Looks for something that a mutant shows and the specification does not, after some inputs (their instants in half
    /// points of the grid, signals and values) and from an instant on.
    #[must_use]
    pub fn telling(
        &self,
        mutated: &Estimator,
        given: &[(i64, SignalId, Vec<i32>)],
        from: i64,
        limits: Limits,
    ) -> Option<Evidence> {
        let compared = &self.compared(&[&self.specification.network]);
        let (left, right) = (mutated, &self.ours);
        let sides = Sides { left, right, environment: &self.environment, compared };
        match search::coarsely(self, sides, Given { inputs: given, from, states: None }, limits) {
            Some(Found::Difference(steps)) => Some(Evidence { steps }),
            _ => None,
        }
    }

    /// Whether all clocks that the component looks at belong to this process.
    #[must_use]
    pub fn has_clocks_of(&self, process: ProcessId) -> bool {
        let network = &self.specification.network;
        let looked_at = self.component.processes.iter().flat_map(|it| constraints(network, *it));
        let mut clocks = looked_at.flat_map(ClockConstraint::clocks);
        clocks.all(|it| it.indices.is_empty() && network.clocks[it.base].owner == Some(process))
    }

    /// Whether all readings that are possible from some states of the component are possible from some others, for ever, whatever
    /// is sent and when. Clocks may have any values that the invariants allow. A *no* may also mean that nobody knows.
    #[must_use]
    pub fn reads_as_much(&self, ours: &[Vec<i32>], others: &[Vec<i32>], limits: Limits) -> bool {
        let given = &self.specification.network;
        let by = coarse_unit(&[given]);
        let coarse = divided(given, by).and_then(|it| Some((self.coarser(&it, by).ok()?, it)));
        let Some((mut bench, network)) = coarse else { return false };
        bench.ours = bench.ours.without_outputs();
        let compared = &bench.compared(&[&network]);
        let sides = Sides { left: &bench.ours, right: &bench.ours, environment: &[], compared };
        let given = Given { states: Some([ours, others]), ..Given::default() };
        matches!(search::differs(&bench, sides, given, limits), Found::Nothing)
    }

    /// Whether the mutant has fewer runs for a reason that one can see: a bound is tighter, and nobody else has a part in
    /// the step.
    fn is_less(&self, mutant: &Mutant) -> bool {
        let process = &self.specification.network.processes[mutant.process];
        let is_own = match mutant.place {
            At::Location(_) => true,
            At::Edge(edge) => !matches!(process.edges[edge].sync, Sync::Receive(_)),
        };
        // Time may stop where less is possible; then it has to be looked at.
        mutant.operator == Operator::Restrict && is_own && is_safe(mutant)
    }
}

/// Whether a process only sends, always can, and nothing comes of it.
fn is_stateless(process: &Process) -> bool {
    let is_open = |it: &Condition| it.clocks.is_empty() && it.data.is_empty();
    let sends = |edge: &Edge| {
        matches!(edge.sync, Sync::Send(_))
            && is_open(&edge.guard)
            && edge.update.is_empty()
            && edge.branches.iter().all(|it| it.update.is_empty())
    };
    let mut locations = process.locations.iter();
    let (Some(location), None) = (locations.next(), locations.next()) else { return false };
    location.kind == LocationKind::Normal
        && is_open(&location.invariant)
        && process.edges.iter().all(sends)
}

/// Whether time can not stop where the mutant has a tighter bound: the location can be left in time, by nobody's leave and
/// whatever the clock was when it was entered.
fn is_safe(mutant: &Mutant) -> bool {
    let process = &mutant.network.processes[mutant.process];
    let source = match mutant.place {
        At::Location(at) => at,
        At::Edge(edge) => process.edges[edge].source,
    };
    let location = &process.locations[source];
    if location.kind != LocationKind::Normal {
        return false;
    }
    let Some(first) = location.invariant.clocks.first() else { return true };
    let [ClockConstraint { left: Some(clock), right: None, relation, bound, .. }] =
        &location.invariant.clocks[..]
    else {
        return false;
    };
    let (Some(end), true) = (bound.as_int(), clock.indices.is_empty() && first.when.is_none())
    else {
        return false;
    };
    let end = match relation {
        Relation::Less => (end, false),
        Relation::LessEqual => (end, true),
        _ => return false,
    };
    let sets = |edge: &Edge, clock: ClockId| {
        let is_it = |it: &Expr| match it {
            Expr::SetClock { clock: set, value } => {
                set.indices.is_empty() && set.base == clock && value.as_int() == Some(0)
            }
            _ => false,
        };
        edge.update.iter().any(is_it)
    };
    // The bound is tighter also for those who come with a clock that was not set.
    let mut entering = process
        .edges
        .iter()
        .filter(|edge| edge.source != source && edge.branches.iter().any(|it| it.target == source));
    let is_entered = matches!(mutant.place, At::Edge(_)) || entering.all(|it| sets(it, clock.base));
    let opens_in_time = |it: &ClockConstraint| {
        let is_same = it.left.as_ref() == Some(clock) && it.right.is_none() && it.when.is_none();
        match (it.relation, it.bound.as_int()) {
            (Relation::GreaterEqual, Some(at)) => is_same && (at < end.0 || (at, true) == end),
            (Relation::Greater, Some(at)) => is_same && at < end.0,
            _ => false,
        }
    };
    let leaves = |edge: &Edge| {
        let can_stay = |it: &punctual_model::Branch| {
            let invariant = &process.locations[it.target].invariant;
            let is_set = |it: &ClockConstraint| {
                let clock = it.left.as_ref().filter(|it| it.indices.is_empty());
                clock.is_some_and(|it| sets(edge, it.base))
                    && it.right.is_none()
                    && matches!(it.relation, Relation::LessEqual)
                    && it.bound.as_int().is_some_and(|bound| bound >= 0)
            };
            invariant.data.is_empty() && invariant.clocks.iter().all(is_set)
        };
        edge.source == source
            && is_alone(&mutant.network, &edge.sync)
            && edge.selects.is_empty()
            && edge.guard.data.is_empty()
            && edge.guard.clocks.iter().all(opens_in_time)
            && edge.branches.iter().all(can_stay)
    };
    is_entered && location.invariant.data.is_empty() && process.edges.iter().any(leaves)
}

/// Whether nobody but the process itself has a part in a step: it is internal, or a broadcast that nobody hears.
fn is_alone(network: &Network, sync: &Sync) -> bool {
    let Sync::Send(channel) = sync else { return matches!(sync, Sync::Internal) };
    let edges = || network.processes.iter().flat_map(|it| it.edges.iter());
    let hears = |edge: &Edge| matches!(&edge.sync, Sync::Receive(it) if it.base == channel.base);
    network.channels[channel.base].broadcast && !edges().any(hears)
}

/// The part of a component in which a mutant of a process can be told from the process, if the rest of it hinders nobody; all
/// of it otherwise.
fn sliced(specification: &Specification, component: Component, process: ProcessId) -> Component {
    let network = &specification.network;
    let processes = specification.split.slice_around(&component, process);
    let mut others = component.processes.iter().filter(|it| !processes.contains(it));
    let is_plain = network.processes.iter().all(|it| it.priority == 0)
        && network.channels.iter().all(|it| it.priority == network.default_priority);
    match is_plain && others.all(|it| hinders_nobody(network, &network.processes[*it])) {
        true => Component { side: component.side, processes },
        false => component,
    }
}

/// The processes among some that write an integer.
fn writers(specification: &Specification, of: &[ProcessId], slot: u32) -> Vec<ProcessId> {
    of.iter().copied().filter(|it| specification.split.writes(*it, slot)).collect()
}

/// Follows a component; whoever does looks at the budget.
fn follower(
    network: &Network,
    wired: &Wired,
    of: &Component,
    budget: &Arc<Budget>,
) -> Result<Estimator, Refusal> {
    let opened = open(network, wired, of).map_err(|refusal| Refusal(refusal.to_string()))?;
    let estimator = Estimator::new(&opened, wired);
    let mut estimator = estimator.map_err(|refusal| Refusal(refusal.construct.to_owned()))?;
    estimator.grant(budget);
    Ok(estimator)
}

/// A unit that all constants which clocks are compared with are multiples of, with some points of the grid between two multiples:
/// a tester also acts between instants at which something changes. It is 1 if a constant is computed.
fn coarse_unit(networks: &[&Network]) -> u32 {
    const POINTS: u32 = 4;
    let unit = common_unit(networks);
    (1..=unit / POINTS).rev().find(|it| unit.is_multiple_of(*it)).unwrap_or(1)
}

/// The greatest number that all constants which clocks are compared with are multiples of; 1 if one of them is computed.
fn common_unit(networks: &[&Network]) -> u32 {
    let mut unit = 0;
    for network in networks {
        for constraint in network.processes.ids().flat_map(|it| constraints(network, it)) {
            let Some(bound) = constraint.bound.as_int() else { return 1 };
            let (mut a, mut b) = (unit, bound.unsigned_abs());
            while b > 0 {
                (a, b) = (b, a % b);
            }
            unit = a;
        }
    }
    unit.max(1)
}

/// The clock constraints of a process.
fn constraints(network: &Network, process: ProcessId) -> impl Iterator<Item = &ClockConstraint> {
    let process = &network.processes[process];
    let invariants = process.locations.iter().map(|location| &location.invariant);
    let guards = process.edges.iter().map(|edge| &edge.guard);
    invariants.chain(guards).flat_map(|it| &it.clocks)
}
