//! A model that is tested against: split into system and environment, cut into components, each ready to be
//! followed.
//!
//! Oracles judge by it, generators of tests ask it what is allowed.

use std::fmt;
use std::sync::Arc;

use punctual_model::testing::Place;
use punctual_model::{
    Direction, Id, IdVec, Interface, Network, PortId, ProcessId, SignalId, Storage, Wired,
};

use crate::budget::Budget;
use crate::estimate::{Estimator, Instants, Role};
use crate::split::{self, Component, Item, Named, Reach, Side, Split, Warning, open, split};
use crate::symbolic;

/// A variable that a clock is compared with may be far larger than it ever is. So many time units count at most when windows are
/// looked for.
const AHEAD_MAX: i64 = 10_000;

/// What is tested against: a network, its interface, and its components.
pub struct Specification {
    /// The whole model: system and environment.
    pub network: Network,
    /// What is exchanged with the system, and where that is in the network.
    pub wired: Wired,
    /// Who is system, and who environment.
    pub split: Split,
    /// The components that take part in some signal.
    pub parts: Vec<Part>,
    /// The conversion between nanoseconds and points of the grid of model time.
    pub instants: Instants,
    /// For each port, the parts of the system that know its value, and where it is in their states.
    readers: IdVec<PortId, Vec<(usize, u32)>>,
    /// Whether the parts of the system are slices, which forget what nobody in them reads.
    is_sliced: bool,
    budget: Arc<Budget>,
}

/// A component of the network that does not depend on the others of its side, compiled.
pub struct Part {
    /// The side that the component is on.
    pub side: Side,
    /// The processes of the component, as the network numbers them; in the part they are numbered from 0.
    pub processes: Vec<ProcessId>,
    /// Follows the states that the component may be in.
    pub estimator: Estimator,
}

/// Why a model can not be tested against.
#[derive(Clone, PartialEq, Debug)]
pub enum Rejection {
    /// The model can not be split into system and environment.
    Split(split::Refusal),
    /// A component has something that symbolic analysis can not treat.
    Part {
        /// The name of the first process of the component.
        process: String,
        /// The construct that can not be treated.
        refusal: symbolic::Refusal,
    },
    /// A port shows what is not part of the system.
    NotOfSystem {
        /// The name of the port.
        port: String,
    },
    /// A value passes between the sides, and no signal shows it.
    Unseen {
        /// The name of the variable that has the value.
        variable: String,
        /// The name of the process that writes the variable.
        writer: String,
        /// The name of the process that reads the variable, or the tester who does.
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
            Rejection::NotOfSystem { port } => write!(
                f,
                "`{port}` can not be observed: no process of the system writes or reads it"
            ),
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
    /// Splits a model into system and environment and compiles its components.
    ///
    /// # Errors
    /// If the model can not be split, or has something that can not be followed.
    pub fn new(network: Network, wired: Wired, named: &Named) -> Result<Specification, Rejection> {
        let split = split(&network, &wired, named).map_err(Rejection::Split)?;
        for warning in &split.warnings {
            if let Warning::Unseen { variable, writer, reader } = warning {
                return Err(Rejection::Unseen {
                    variable: split.variables[*variable].name.clone(),
                    writer: network.processes[*writer].name.clone(),
                    reader: network.processes[*reader].name.clone(),
                });
            }
        }
        let (mut parts, mut idle) = (Vec::new(), None);
        for component in split.components() {
            let opened = open(&network, &wired, &component).map_err(Rejection::Split)?;
            let estimator = Estimator::new(&opened, &wired).map_err(|refusal| {
                let process = network.processes[component.processes[0]].name.clone();
                Rejection::Part { process, refusal }
            })?;
            let is_read = component.side == Side::System && !wired.interface.ports.is_empty();
            let takes_part = |id| estimator.role(id) != Role::None;
            let is_needed = is_read || wired.interface.signals.ids().any(takes_part);
            let part = Part { side: component.side, processes: component.processes, estimator };
            match is_needed {
                true => parts.push(part),
                false if part.side == Side::System => idle = idle.or(Some(part)),
                false => {}
            }
        }
        // Somebody has to notice what a system should not send.
        if !parts.iter().any(|part| part.side == Side::System) {
            parts.extend(idle);
        }
        answer_for_all(&network, &wired, &mut parts);
        // All parts have one, so that whoever has it can interrupt each of them.
        let budget = Arc::default();
        parts.iter_mut().for_each(|part| part.estimator.grant(&budget));
        let instants = Instants::new(wired.interface.time);
        let mut readers = IdVec::new();
        for (port, place) in wired.places.enumerate() {
            let known = self::readers(&split, &parts, *place);
            if place.is_some() && known.is_empty() {
                let port = wired.interface.ports[port].name.clone();
                return Err(Rejection::NotOfSystem { port });
            }
            if let Some(Place::Variable(slot)) = place
                && let Some(writer) = unseen_writer(&split, &wired, slot.slot)
            {
                return Err(Rejection::Unseen {
                    variable: wired.interface.ports[port].name.clone(),
                    writer: network.processes[writer].name.clone(),
                    reader: "the tester".to_owned(),
                });
            }
            let _: PortId = readers.push(known);
        }
        Ok(Specification {
            network,
            wired,
            split,
            parts,
            instants,
            readers,
            is_sliced: false,
            budget,
        })
    }

    /// Whoever follows the model looks at this budget.
    pub fn grant(&mut self, budget: &Arc<Budget>) {
        self.parts.iter_mut().for_each(|part| part.estimator.grant(budget));
        self.budget = Arc::clone(budget);
    }

    /// What following the model may use.
    #[must_use]
    pub fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// The network of a part alone.
    fn opened(&self, part: &Component, is_slice: bool) -> Option<Network> {
        let Specification { network, wired, split, .. } = self;
        if !is_slice || part.side == Side::Environment {
            return open(network, wired, part).ok();
        }
        let shown = wired.places.iter().flatten().filter_map(|place| match place {
            Place::Variable(slot) => Some(slot.slot),
            Place::Location(_) => None,
        });
        let carried = wired.wires.iter().flat_map(|wire| &wire.values).map(|it| it.slot);
        let shown = shown.chain(carried).collect();
        let deaf = split.deafen(network, &part.processes, &shown);
        let mut opened = open(&deaf, wired, part).ok()?;
        split.forget(&mut opened, &part.processes, &shown);
        Some(opened)
    }

    /// The same, each part of the system in slices: for each process that influences no other one, it and those that influence
    /// it. None if there is nothing to cut, or a process can hinder another one without being in its slice.
    ///
    /// Slices share processes. Whoever follows them one by one must know that these do the same in each: where all of
    /// chance is a phase, they do.
    #[must_use]
    pub fn in_slices(&self) -> Option<Specification> {
        let Specification { network, wired, split, instants, .. } = self;
        let mut parts = Vec::new();
        for part in &self.parts {
            for processes in self.slices(part)? {
                let component = Component { side: part.side, processes };
                let opened = self.opened(&component, true)?;
                let mut estimator = Estimator::new(&opened, wired).ok()?;
                estimator.grant(&self.budget);
                parts.push(Part { side: part.side, processes: component.processes, estimator });
            }
        }
        if parts.len() == self.parts.len() {
            return None;
        }
        answer_for_all(network, wired, &mut parts);
        let readers = wired.places.iter().map(|place| readers(split, &parts, *place)).collect();
        Some(Specification {
            network: network.clone(),
            wired: wired.clone(),
            split: split.clone(),
            instants: *instants,
            parts,
            readers,
            is_sliced: true,
            budget: Arc::clone(&self.budget),
        })
    }

    /// The slices of a part; the part itself if it is of the environment.
    fn slices(&self, part: &Part) -> Option<Vec<Vec<ProcessId>>> {
        if part.side == Side::Environment || part.processes.len() == 1 {
            return Some(vec![part.processes.clone()]);
        }
        let mut slices: Vec<Vec<ProcessId>> = Vec::new();
        for process in &part.processes {
            let cone = self.split.cone(&self.network, &[*process], Reach::Far);
            if !cone.is_complete {
                return None;
            }
            let mut slice = cone.processes;
            slice.retain(|it| part.processes.contains(it));
            let is_within =
                |a: &[ProcessId], b: &[ProcessId]| a.iter().all(|process| b.contains(process));
            if !slices.iter().any(|other| is_within(&slice, other)) {
                slices.retain(|other| !is_within(other, &slice));
                slices.push(slice);
            }
        }
        Some(slices)
    }

    /// Follows a part for somebody who does not look at what it sends: its outputs are hidden steps. None if it can not be
    /// followed so.
    #[must_use]
    pub fn without_outputs(&self, number: usize) -> Option<Estimator> {
        let part = &self.parts[number];
        let component = Component { side: part.side, processes: part.processes.clone() };
        let opened = self.opened(&component, self.is_sliced)?;
        let mut estimator = Estimator::new(&opened, &self.wired).ok()?.without_outputs();
        estimator.grant(&self.budget);
        Some(estimator)
    }

    /// What is exchanged with the system.
    #[must_use]
    pub fn interface(&self) -> &Interface {
        &self.wired.interface
    }

    /// The parts of the system that know the value of a port (as positions in `parts`), and where it is
    /// in their states.
    pub fn readers(&self, port: PortId) -> &[(usize, u32)] {
        &self.readers[port]
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
        i64::from(largest) * i64::from(self.wired.interface.time.resolution)
    }

    /// How far windows are looked for, in points of the grid: the largest constant that a clock is compared with, also if it comes
    /// from a variable or a table. Of these, no more than 10,000 time units count.
    #[must_use]
    pub fn ahead(&self) -> i64 {
        let of_parts = self.parts.iter().map(|part| i64::from(part.estimator.largest_constant()));
        let most = AHEAD_MAX.saturating_mul(i64::from(self.wired.interface.time.resolution));
        self.largest_constant().max(of_parts.max().unwrap_or(0).min(most))
    }

    /// The parts of a side.
    pub fn side(&self, side: Side) -> impl Iterator<Item = (usize, &Part)> {
        self.parts.iter().enumerate().filter(move |(_, part)| part.side == side)
    }

    /// For each signal, the positions in a list of parts of those that take part in it.
    pub fn concerned(&self, parts: &[&Part]) -> IdVec<SignalId, Vec<usize>> {
        let of = |signal: SignalId| {
            let concerned = |(_, part): &(usize, &&Part)| part.estimator.role(signal) != Role::None;
            parts.iter().enumerate().filter(concerned).map(|(i, _)| i).collect()
        };
        self.wired.interface.signals.ids().map(of).collect()
    }
}

/// Lets a part of the system answer for outputs that none of them sends, which are wrong whenever they come, and for inputs that none
/// of them receives, of which the specification says nothing. (A broadcast that nobody receives changes nothing.)
fn answer_for_all(network: &Network, wired: &Wired, parts: &mut [Part]) {
    let mut system: Vec<&mut Part> =
        parts.iter_mut().filter(|part| part.side == Side::System).collect();
    for (id, signal) in wired.interface.signals.enumerate() {
        if system.iter().any(|part| part.estimator.role(id) != Role::None) {
            continue;
        }
        let role = match signal.direction {
            Direction::Output => Role::Sends,
            Direction::Input if network.channels[wired.wires[id].channel].broadcast => continue,
            Direction::Input => Role::Receives,
        };
        if let Some(part) = system.first_mut() {
            part.estimator.answer_for(id, role);
        }
    }
}

/// Who knows the value of a port: the part that has the process, or those that write the variable; if
/// nobody does, those that look at it.
fn readers(split: &Split, parts: &[Part], place: Option<Place>) -> Vec<(usize, u32)> {
    let system = || parts.iter().enumerate().filter(|(_, part)| part.side == Side::System);
    let position = |process: ProcessId| {
        move |(i, part): (usize, &Part)| {
            let number = part.processes.iter().position(|it| *it == process)?;
            Some((i, part.estimator.position_of_process(number)))
        }
    };
    let slot = match place {
        None => return Vec::new(),
        Some(Place::Location(process)) => return system().filter_map(position(process)).collect(),
        Some(Place::Variable(slot)) => slot.slot,
    };
    let touches = |writes: bool| -> Vec<(usize, u32)> {
        let links = split.links();
        let of = |(_, part): &(usize, &Part)| {
            links.iter().any(|(process, item, out)| {
                let cell = match item {
                    Item::Cell(cell) => &split.variables[*cell],
                    _ => return false,
                };
                let is_it = cell.storage == Storage::State && cell.ints.contains(&slot);
                (*out || !writes) && is_it && part.processes.contains(process)
            })
        };
        system().filter(of).map(|(i, part)| (i, part.estimator.position_of_slot(slot))).collect()
    };
    let writers = touches(true);
    if writers.is_empty() { touches(false) } else { writers }
}

/// A process of the environment that writes a variable which no signal carries.
fn unseen_writer(split: &Split, wired: &Wired, slot: u32) -> Option<ProcessId> {
    let mut carried = wired.wires.iter().flat_map(|wire| &wire.values);
    if carried.any(|it| it.slot == slot) {
        return None;
    }
    let writes = |(process, item, out): (ProcessId, Item, bool)| match item {
        Item::Cell(cell) if out && split.sides[process] == Side::Environment => {
            let cell = &split.variables[cell];
            let is_it = cell.storage == Storage::State && cell.ints.contains(&slot);
            is_it.then_some(process)
        }
        _ => None,
    };
    split.links().into_iter().find_map(writes)
}

impl Part {
    /// A process of the network that an estimate speaks of; none for what is outside.
    #[must_use]
    pub fn process(&self, number: u32) -> Option<ProcessId> {
        self.processes.get(number as usize).copied()
    }

    /// The edges of the network that an estimate speaks of, without those outside.
    pub fn edges<'p>(
        &'p self,
        edges: &'p [(u32, u32)],
    ) -> impl Iterator<Item = (ProcessId, punctual_model::EdgeId)> + 'p {
        let known = |&(process, edge): &(u32, u32)| {
            Some((self.process(process)?, punctual_model::EdgeId::from_index(edge as usize)))
        };
        edges.iter().filter_map(known)
    }
}
