//! A component of the system with its environment, ready to be compared with mutants of itself.

use punctual_model::{Id, Network, PortId, ProcessId, SignalId, Wired};
use punctual_semantics::estimate::{Estimator, Role};
use punctual_semantics::specification::Specification;
use punctual_semantics::split::{Component, Side, open};

use super::search::{self, Found, Given, Limits, Sides};
use super::{Decision, Evidence};
use crate::mutation::automata::{Mutant, Operator, Place as At};

/// An input has no more combinations of values than this, or not all of them are tried.
const VALUES_MAX: u64 = 64;

/// A component that mutants are compared with.
pub struct Bench<'s> {
    specification: &'s Specification,
    component: Component,
    /// The interface; instants count half points of the grid.
    wired: Wired,
    pub(super) ours: Estimator,
    /// The components of the environment that send to it.
    pub(super) environment: Vec<Estimator>,
    pub(super) ports: Vec<PortId>,
    /// Where each port is in a state of the component.
    pub(super) positions: Vec<u32>,
    /// The largest constant that a clock of the component or of its environment is compared with, in half points.
    pub(super) largest: i64,
    /// How many clocks the component has.
    pub(super) n_clocks: usize,
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
        let ours = follower(&specification.network, &wired, &component)?;
        let signals = || wired.interface.signals.ids();
        let sends_to = |other: &Estimator, id| {
            other.role(id) == Role::Sends && part.estimator.role(id) == Role::Receives
        };
        let mut environment = Vec::new();
        for other in specification.parts.iter().filter(|part| part.side == Side::Environment) {
            if signals().any(|id| sends_to(&other.estimator, id)) {
                let component = Component { side: other.side, processes: other.processes.clone() };
                environment.push(follower(&specification.network, &wired, &component)?);
            }
        }
        let (mut ports, mut positions) = (Vec::new(), Vec::new());
        for port in wired.interface.ports.ids() {
            let readers = specification.readers(port);
            if let Some((_, position)) = readers.iter().find(|(reader, _)| *reader == number) {
                ports.push(port);
                positions.push(*position);
            }
        }
        let largest = 2 * specification.largest_constant();
        let n_clocks = clocks(&specification.network, &component.processes);
        Ok(Bench {
            specification,
            component,
            wired,
            ours,
            environment,
            ports,
            positions,
            largest,
            n_clocks,
        })
    }

    /// The inputs of the component with all values that they may carry; none if these are too many.
    pub(super) fn inputs(&self) -> Option<Vec<(SignalId, Vec<i32>)>> {
        let mut found = Vec::new();
        for (id, wire) in self.wired.wires.enumerate() {
            if self.ours.role(id) != Role::Receives {
                continue;
            }
            let mut combinations = vec![Vec::new()];
            for slot in &wire.values {
                if slot.range.len() * combinations.len() as u64 > VALUES_MAX {
                    return None;
                }
                let longer = |values: &Vec<i32>| {
                    let values = values.clone();
                    (slot.range.lo..=slot.range.hi).map(move |value| {
                        let mut values = values.clone();
                        values.push(value);
                        values
                    })
                };
                combinations = combinations.iter().flat_map(longer).collect();
            }
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
        follower(network, &self.wired, &self.component)
    }

    /// Decides about a mutant of a process of the component.
    #[must_use]
    pub fn decide(&self, mutant: &Mutant, limits: Limits) -> Decision {
        let theirs = match self.mutated(&mutant.network) {
            Ok(theirs) => theirs,
            Err(_) => return Decision::Unknown("the mutant can not be followed"),
        };
        let largest = self.largest.max(2 * largest(&mutant.network));
        // A tighter bound on what the system decides about takes runs away and adds none.
        let found = match self.is_less(mutant) {
            true => Found::Nothing,
            false => self.differs(&theirs, &self.ours, largest, limits),
        };
        match found {
            Found::Difference(steps) => Decision::Wrong(Evidence { steps }),
            Found::Stop(steps) => Decision::Stops(Evidence { steps }),
            Found::Unknown(why) => Decision::Unknown(why),
            Found::Nothing => match self.differs(&self.ours, &theirs, largest, limits) {
                Found::Difference(steps) => Decision::Narrower(Evidence { steps }),
                Found::Stop(_) => Decision::Unknown("time can stop in the specification"),
                Found::Unknown(why) => Decision::Unknown(why),
                Found::Nothing => Decision::Equal,
            },
        }
    }

    /// Looks for something that the left component shows and the right one does not. What is not found although anybody
    /// could send anything at any time is not there; what is found only then may not be possible.
    fn differs(&self, left: &Estimator, right: &Estimator, largest: i64, limits: Limits) -> Found {
        let sides = Sides { left, right, environment: &self.environment, largest };
        let found = search::differs(self, sides, Given::default(), limits);
        if !matches!(found, Found::Nothing) {
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
        let (left, right) = (mutated, &self.ours);
        let sides = Sides { left, right, environment: &self.environment, largest: self.largest };
        let found = search::differs(self, sides, Given { inputs: given, from }, limits);
        match found {
            Found::Difference(steps) => Some(Evidence { steps }),
            _ => None,
        }
    }

    /// Whether the mutant has fewer runs for a reason that one can see: a bound is tighter, and nobody else has a part in
    /// the step.
    fn is_less(&self, mutant: &Mutant) -> bool {
        let process = &self.specification.network.processes[mutant.process];
        let is_own = match mutant.place {
            At::Location(_) => true,
            At::Edge(edge) => !matches!(process.edges[edge].sync, punctual_model::Sync::Receive(_)),
        };
        // Time may stop where less is possible; then it has to be looked at.
        mutant.operator == Operator::Restrict
            && is_own
            && matches!(mutant.place, At::Edge(_) | At::Location(_))
            && self.is_safe(mutant)
    }

    /// Whether every location that the mutated one limits can still be left: a guard below an invariant stays open.
    fn is_safe(&self, mutant: &Mutant) -> bool {
        let process = &mutant.network.processes[mutant.process];
        let source = match mutant.place {
            At::Location(at) => at,
            At::Edge(edge) => process.edges[edge].source,
        };
        let constant = |constraint: &punctual_model::ClockConstraint| constraint.bound.as_int();
        let ends = process.locations[source].invariant.clocks.iter().filter_map(constant).min();
        let Some(end) = ends else { return true };
        process.edges.iter().any(|edge| {
            let opens = edge.guard.clocks.iter().filter_map(constant).max().unwrap_or(0);
            edge.source == source
                && matches!(edge.sync, punctual_model::Sync::Internal)
                && edge.guard.data.is_empty()
                && opens <= end
        })
    }
}

fn follower(network: &Network, wired: &Wired, of: &Component) -> Result<Estimator, Refusal> {
    let opened = open(network, wired, of).map_err(|refusal| Refusal(refusal.to_string()))?;
    Estimator::new(&opened, wired).map_err(|refusal| Refusal(refusal.construct.to_owned()))
}

/// The largest constant that a clock of a network is compared with.
fn largest(network: &Network) -> i64 {
    let mut largest = 1;
    for process in &network.processes {
        let invariants = process.locations.iter().map(|location| &location.invariant);
        let guards = process.edges.iter().map(|edge| &edge.guard);
        for constraint in invariants.chain(guards).flat_map(|it| &it.clocks) {
            largest = largest.max(constraint.bound.as_int().unwrap_or(1));
        }
    }
    i64::from(largest)
}

/// How many clocks some processes read.
fn clocks(network: &Network, processes: &[ProcessId]) -> usize {
    let mut found = std::collections::BTreeSet::new();
    for process in processes.iter().map(|id| &network.processes[*id]) {
        let invariants = process.locations.iter().map(|location| &location.invariant);
        let guards = process.edges.iter().map(|edge| &edge.guard);
        for constraint in invariants.chain(guards).flat_map(|it| &it.clocks) {
            found.extend(constraint.clocks().map(|clock| clock.base.index()));
        }
    }
    found.len()
}
