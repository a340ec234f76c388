//! A model, cut into components and compiled.

use std::fmt;

use punctual_model::{Id, IdVec, Interface, Network, ProcessId, SignalId};
use punctual_semantics::estimate::{Estimator, Role};
use punctual_semantics::split::{self, Named, Side, Split, Warning, open, split};
use punctual_semantics::symbolic;

use super::Instants;

/// What is tested against: a network, its interface, and its components.
pub struct Specification {
    /// The network.
    pub network: Network,
    /// What is exchanged with the system.
    pub interface: Interface,
    /// Who is system, and who environment.
    pub split: Split,
    /// The components that take part in some signal.
    pub parts: Vec<Part>,
    /// The conversion of instants.
    pub instants: Instants,
}

/// A component, compiled.
pub struct Part {
    /// The side it is on.
    pub side: Side,
    /// Its processes, as the network numbers them; in the part they are numbered from 0.
    pub processes: Vec<ProcessId>,
    /// What follows it.
    pub estimator: Estimator,
}

/// Why a model can not be tested against.
#[derive(Clone, PartialEq, Debug)]
pub enum Rejection {
    /// It has not two sides.
    Split(split::Refusal),
    /// A part can not be followed.
    Part {
        /// Its first process.
        process: String,
        /// What it has.
        refusal: symbolic::Refusal,
    },
    /// A value passes between the sides, and no signal shows it.
    Unseen {
        /// The variable.
        variable: String,
        /// Who writes it.
        writer: String,
        /// Who reads it.
        reader: String,
    },
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::Split(refusal) => refusal.fmt(f),
            Rejection::Part { process, refusal } => {
                let place = refusal.place.as_deref().unwrap_or(process);
                write!(f, "{} is not supported in tests ({place})", refusal.construct)
            }
            Rejection::Unseen { variable, writer, reader } => write!(
                f,
                "`{writer}` passes `{variable}` to `{reader}`, and no signal shows it: let the \
                 signal carry `{variable}`"
            ),
        }
    }
}

impl std::error::Error for Rejection {}

impl Specification {
    /// Prepares a model.
    ///
    /// # Errors
    /// If it has not two sides, or has something that can not be followed.
    pub fn new(
        network: Network,
        interface: Interface,
        named: &Named,
    ) -> Result<Specification, Rejection> {
        let split = split(&network, &interface, named).map_err(Rejection::Split)?;
        for warning in &split.warnings {
            if let Warning::Unseen { variable, writer, reader } = warning {
                return Err(Rejection::Unseen {
                    variable: split.variables[*variable].name.clone(),
                    writer: network.processes[*writer].name.clone(),
                    reader: network.processes[*reader].name.clone(),
                });
            }
        }
        let mut parts = Vec::new();
        for component in split.components() {
            let opened = open(&network, &interface, &component).map_err(Rejection::Split)?;
            let estimator = Estimator::new(&opened, &interface).map_err(|refusal| {
                let process = network.processes[component.processes[0]].name.clone();
                Rejection::Part { process, refusal }
            })?;
            if interface.signals.ids().any(|id| estimator.role(id) != Role::None) {
                let (side, processes) = (component.side, component.processes);
                parts.push(Part { side, processes, estimator });
            }
        }
        let instants = Instants::new(interface.time);
        Ok(Specification { network, interface, split, parts, instants })
    }

    /// The largest constant that a clock is compared with, in points of the grid; at least one unit.
    /// In about this time something new happens.
    #[must_use]
    pub fn largest_constant(&self) -> i64 {
        let mut largest = 1;
        for process in &self.network.processes {
            let invariants = process.locations.iter().map(|location| &location.invariant);
            let guards = process.edges.iter().map(|edge| &edge.guard);
            for constraint in invariants.chain(guards).flat_map(|condition| &condition.clocks) {
                largest = largest.max(constraint.bound.as_int().unwrap_or(1));
            }
        }
        i64::from(largest) * i64::from(self.interface.time.resolution)
    }

    /// The parts of a side.
    pub(crate) fn side(&self, side: Side) -> impl Iterator<Item = (usize, &Part)> {
        self.parts.iter().enumerate().filter(move |(_, part)| part.side == side)
    }

    /// For each signal, the positions in a list of parts of those that take part in it.
    pub(crate) fn concerned(&self, parts: &[&Part]) -> IdVec<SignalId, Vec<usize>> {
        let of = |signal: SignalId| {
            let concerned = |(_, part): &(usize, &&Part)| part.estimator.role(signal) != Role::None;
            parts.iter().enumerate().filter(concerned).map(|(i, _)| i).collect()
        };
        self.interface.signals.ids().map(of).collect()
    }
}

impl Part {
    /// A process of the network that an estimate speaks of; none for what is outside.
    #[must_use]
    pub fn process(&self, number: u32) -> Option<ProcessId> {
        self.processes.get(number as usize).copied()
    }

    /// The edges of the network that an estimate speaks of, without those outside.
    pub(crate) fn edges<'p>(
        &'p self,
        edges: &'p [(u32, u32)],
    ) -> impl Iterator<Item = (ProcessId, punctual_model::EdgeId)> + 'p {
        let known = |&(process, edge): &(u32, u32)| {
            Some((self.process(process)?, punctual_model::EdgeId::from_index(edge as usize)))
        };
        edges.iter().filter_map(known)
    }
}
