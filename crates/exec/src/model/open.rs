//! A network whose environment is the tester.
//!
//! Processes of the environment stay, but do nothing. One process is added, for the tester: it
//! takes every output at any time, and sends an input when one is offered. The offer, and the
//! values that go with it, are in integers that are added to the state.

use punctual_model::{
    AssignOp, AssignResult, Binary, BinaryOp, Branch, ChannelId, ChannelRef, Condition, Direction,
    Edge, EdgeId, Expr, Frame, Id, Index, Indexed, Interface, Location, LocationKind, Network,
    Number, Place, PortRole, Process, ProcessId, Range, Storage, Sync, Type,
};
use punctual_semantics::{Move, concrete::State};

use crate::SutError;

/// A network with the tester as its environment.
pub(super) struct Open {
    pub(super) network: Network,
    tester: ProcessId,
    /// The signals, one for each edge of the tester.
    signals: Vec<Wired>,
    /// The slot of the offer: the number of the input, or 0.
    offer: usize,
    /// The ports that can be read, by name.
    ports: Vec<(String, Shown)>,
}

/// What a port shows of a state.
#[derive(Clone, Copy, Debug)]
enum Shown {
    Slot(u32),
    Location(ProcessId),
}

/// A signal of the interface in this network.
struct Wired {
    name: String,
    direction: Direction,
    /// The slots of the values that go with it.
    slots: Vec<u32>,
}

impl Open {
    pub(super) fn new(
        network: &Network,
        interface: &Interface,
        environment: Option<&[ProcessId]>,
    ) -> Result<Self, SutError> {
        let mut network = network.clone();
        let mut signals = Vec::new();
        let mut channels = Vec::new();
        for (id, signal) in interface.signals.enumerate() {
            let named = network.channels.enumerate().find(|(_, c)| c.name == signal.name);
            let Some((channel, _)) = named else {
                return Err(missing("channel", &signal.name));
            };
            let variables = interface.variables_of(id).into_iter();
            let slots: Result<Vec<u32>, _> = variables.map(|name| slot(&network, name)).collect();
            let (name, direction) = (signal.name.clone(), signal.direction);
            signals.push(Wired { name, direction, slots: slots? });
            channels.push(channel);
        }
        let environment = match environment {
            Some(environment) => environment.to_vec(),
            None => environment_of(&network, &signals, &channels)?,
        };
        for id in environment {
            silence(&mut network.processes[id]);
        }
        let mut ports = Vec::new();
        for id in interface.ports_with(PortRole::Observed) {
            let (port, variable) = (&interface.ports[id], interface.variable_of(id));
            let process = variable.strip_suffix(".location").and_then(|name| {
                network.processes.enumerate().find(|(_, process)| process.name == name)
            });
            let shown = match process {
                Some((id, _)) => Shown::Location(id),
                None => Shown::Slot(slot(&network, variable)?),
            };
            ports.push((port.name.clone(), shown));
        }
        let offer = network.initial.ints.len();
        let n_values = signals.iter().map(|signal| signal.slots.len()).max().unwrap_or(0);
        network.initial.ints.resize(offer + 1 + n_values, 0);
        let tester = tester(&signals, &channels, offer as u32);
        let tester = network.processes.push(tester);
        Ok(Self { network, tester, signals, offer, ports })
    }

    /// The integer that a port shows in a state.
    pub(super) fn read(&self, state: &State, name: &str) -> Option<i32> {
        let (_, shown) = self.ports.iter().find(|(port, _)| port == name)?;
        Some(match shown {
            Shown::Slot(slot) => state.ints[*slot as usize],
            Shown::Location(process) => state.locations[process.index()].index() as i32,
        })
    }

    /// The state in which an input is offered.
    pub(super) fn offer(&self, state: &State, name: &str, values: &[i32]) -> State {
        let number = self.signals.iter().position(|signal| signal.name == name);
        let mut offered = state.clone();
        offered.ints[self.offer] = number.map_or(0, |number| number as i32 + 1);
        let places = offered.ints[self.offer + 1..].iter_mut();
        places.zip(values).for_each(|(place, value)| *place = *value);
        offered
    }

    /// Makes the offer undone.
    pub(super) fn withdraw(&self, state: &mut State) {
        state.ints[self.offer..].fill(0);
    }

    /// Whether the tester sends an input in these moves.
    pub(super) fn takes_input(&self, moves: &[Move]) -> bool {
        self.signal(moves).is_some_and(|signal| signal.direction == Direction::Input)
    }

    /// The output that is made by these moves, with its values in the state after.
    pub(super) fn output(&self, moves: &[Move], after: &State) -> Option<(String, Vec<i32>)> {
        let signal = self.signal(moves)?;
        let values = signal.slots.iter().map(|slot| after.ints[*slot as usize]).collect();
        (signal.direction == Direction::Output).then(|| (signal.name.clone(), values))
    }

    fn signal(&self, moves: &[Move]) -> Option<&Wired> {
        let edge = moves.iter().find(|step| step.process == self.tester)?.edge;
        self.signals.get(Id::index(edge))
    }
}

fn missing(what: &str, name: &str) -> SutError {
    SutError::Unsupported {
        what: format!("the network that plays the system has no {what} `{name}`"),
        help: "name it like in the test interface".into(),
    }
}

/// The slot of a variable, or of an element of an array, in this network.
fn slot(network: &Network, name: &str) -> Result<u32, SutError> {
    let found = network.variables.iter().filter(|variable| variable.storage == Storage::State);
    for variable in found {
        match &variable.ty {
            Type::Int(_) | Type::Bool if variable.name == name => return Ok(variable.ints),
            Type::Array { lo, len, element } if matches!(**element, Type::Int(_) | Type::Bool) => {
                for (offset, index) in (0..*len).zip(*lo..) {
                    if name == format!("{}[{index}]", variable.name) {
                        return Ok(variable.ints + offset);
                    }
                }
            }
            _ => {}
        }
    }
    Err(missing("integer variable", name))
}

/// The processes that send an input or receive an output; none of them may do the reverse.
fn environment_of(
    network: &Network,
    signals: &[Wired],
    channels: &[ChannelId],
) -> Result<Vec<ProcessId>, SutError> {
    let mut environment = Vec::new();
    for (id, process) in network.processes.enumerate() {
        let (mut outside, mut inside) = (None, None);
        for edge in process.edges.iter() {
            let (channel, sends) = match &edge.sync {
                Sync::Send(channel) => (channel, true),
                Sync::Receive(channel) => (channel, false),
                _ => continue,
            };
            for (signal, at) in signals.iter().zip(channels) {
                if may_be(channel, *at) {
                    let side = match sends == (signal.direction == Direction::Input) {
                        true => &mut outside,
                        false => &mut inside,
                    };
                    *side = Some(&signal.name);
                }
            }
        }
        match (outside, inside) {
            (Some(outside), Some(inside)) => {
                return Err(SutError::Unsupported {
                    what: format!(
                        "process {} is environment on `{outside}` and system on `{inside}`",
                        process.name
                    ),
                    help: "say which processes are the environment".into(),
                });
            }
            (Some(_), None) => environment.push(id),
            (None, _) => {}
        }
    }
    Ok(environment)
}

/// Whether a channel may be the one that is meant.
fn may_be(channel: &ChannelRef, at: ChannelId) -> bool {
    let span = |index: &Index| index.len.saturating_sub(1) as usize * index.stride as usize;
    let reach: usize = channel.indices.iter().map(span).sum();
    (channel.base.index()..=channel.base.index() + reach).contains(&at.index())
}

/// Makes a process do nothing.
fn silence(process: &mut Process) {
    process.edges.truncate(0);
    process.initial.truncate(1);
    for location in process.locations.iter_mut() {
        location.kind = LocationKind::Normal;
        location.invariant = Condition::default();
        location.rates.clear();
    }
}

fn tester(signals: &[Wired], channels: &[ChannelId], offer: u32) -> Process {
    let mut process = Process {
        name: "Tester".into(),
        template: "Tester".into(),
        locations: Default::default(),
        initial: Vec::new(),
        edges: Default::default(),
        priority: 0,
    };
    let location = process.locations.push(Location {
        name: "Ready".into(),
        kind: LocationKind::Normal,
        invariant: Condition::default(),
        rates: Vec::new(),
        exponential_rate: None,
        labels: Vec::new(),
        frame: Frame::default(),
    });
    process.initial.push(location);
    for (number, (signal, channel)) in signals.iter().zip(channels).enumerate() {
        let mut edge = Edge {
            source: location,
            selects: Vec::new(),
            guard: Condition::default(),
            sync: Sync::Receive(Indexed::fixed(*channel)),
            update: Vec::new(),
            branches: vec![Branch {
                weight: None,
                selects: Vec::new(),
                update: Vec::new(),
                target: location,
            }],
            controllable: true,
            frame: Frame::default(),
        };
        if signal.direction == Direction::Input {
            edge.sync = Sync::Send(Indexed::fixed(*channel));
            edge.guard.data.push(Expr::Binary(Box::new(Binary {
                op: BinaryOp::Equal,
                number: Number::Int,
                size: 1,
                left: Expr::Load(place(offer)),
                right: Expr::Int(number as i32 + 1),
            })));
            edge.update = signal
                .slots
                .iter()
                .zip(offer + 1..)
                .map(|(slot, value)| Expr::Assign {
                    target: Box::new(place(*slot)),
                    op: AssignOp::Set,
                    value: Box::new(Expr::Load(place(value))),
                    result: AssignResult::New,
                })
                .collect();
        }
        let _: EdgeId = process.edges.push(edge);
    }
    process
}

/// An integer of the state.
fn place(slot: u32) -> Place {
    Place {
        storage: Storage::State,
        number: Number::Int,
        base: slot,
        indices: Vec::new(),
        size: 1,
        range: Range::ALL,
    }
}
