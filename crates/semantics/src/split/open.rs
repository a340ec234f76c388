//! A component as a network of its own, open to what it exchanges with others.

use punctual_model::{
    Branch, ChannelRef, Condition, Direction, Edge, Expr, Frame, IdVec, Indexed, Location,
    LocationId, LocationKind, Network, Process, ProcessId, SignalId, Sync, Wired,
};

use super::access::{Access, Facts};
use super::{Component, Item, Refusal, Side, supported, values::channels};

/// The name of the process that stands for everything else.
pub const OUTSIDE: &str = "Outside";

/// A network of a component alone.
///
/// Its processes come first, in the order of `component.processes`. The last process, named
/// [`OUTSIDE`], does the other half of each signal at any time. Clocks, variables, channels and
/// functions are those of the original, with their ids and slots. An urgent channel hurries its
/// sender only: whether the outside is ready is not known.
///
/// Values that a signal carries are up to whoever explores the network. When the outside sends,
/// they have to be set where its update would be: after the guards are decided, before the
/// receiver's update. A committed location keeps only its own component from moving.
///
/// # Errors
/// If the network has something that does not stop at the border of a component: priorities of
/// processes or of observable channels, updates before and after every transition.
pub fn open(network: &Network, wired: &Wired, component: &Component) -> Result<Network, Refusal> {
    supported(network)?;
    let signals = used(network, wired, component);
    separable(network, wired)?;
    let mut result = keep(network, &component.processes);
    let mut edges = Vec::new();
    for (signal, sends) in signals {
        let channel = wired.wires[signal].channel;
        result.channels[channel].urgent &= sends;
        let channel = Indexed::fixed(channel);
        edges.push(looping(if sends { Sync::Receive(channel) } else { Sync::Send(channel) }));
    }
    let priority = network.processes.iter().map(|process| process.priority).next();
    let mut outside = stub(OUTSIDE, edges);
    outside.priority = priority.unwrap_or(0);
    result.processes.push(outside);
    Ok(result)
}

/// The signals that a component takes part in, in the order of the interface, and whether it sends
/// them. Nobody need receive a broadcast; a component that looks at what it carries is still told.
fn used(network: &Network, wired: &Wired, component: &Component) -> Vec<(SignalId, bool)> {
    let processes = &component.processes;
    let facts = Facts::new(network, wired);
    let looks_at = |signal: SignalId| {
        let cells = &facts.carried[signal];
        let carried = |item| matches!(item, Item::Cell(cell) if cells.contains(&cell));
        let ours = |access: &&Access| processes.contains(&access.process);
        facts.accesses.iter().filter(ours).any(|access| carried(access.item))
    };
    let mut found = Vec::new();
    for (id, signal) in wired.interface.signals.enumerate() {
        let wire = &wired.wires[id];
        for sends in [true, false] {
            let over = |edge: &Edge| {
                let channel: &ChannelRef = match (&edge.sync, sends) {
                    (Sync::Send(channel), true) | (Sync::Receive(channel), false) => channel,
                    _ => return false,
                };
                channels(channel, &edge.selects.iter().collect::<Vec<_>>()).contains(&wire.channel)
            };
            let told = || {
                let sent_by = match signal.direction {
                    Direction::Input => Side::Environment,
                    Direction::Output => Side::System,
                };
                let from_there = !sends && sent_by != component.side;
                from_there && network.channels[wire.channel].broadcast && looks_at(id)
            };
            if processes.iter().any(|id| network.processes[*id].edges.iter().any(over)) || told() {
                found.push((id, sends));
            }
        }
    }
    found
}

/// Whether nothing reaches across the border by priority or by looking at locations.
fn separable(network: &Network, wired: &Wired) -> Result<(), Refusal> {
    let refuse = |construct, place| Err(Refusal::Unsupported { construct, place });
    for wire in &wired.wires {
        let channel = &network.channels[wire.channel];
        if channel.priority != network.default_priority {
            let place = format!("channel {}", channel.name);
            return refuse("the priority of an observable channel", place);
        }
    }
    let priority = network.processes.iter().map(|process| process.priority).next();
    let other = network.processes.iter().find(|process| Some(process.priority) != priority);
    if let Some(process) = other {
        return refuse("the priorities of processes", format!("process {}", process.name));
    }
    for process in &network.processes {
        let mut looks = false;
        let mut visit = |expr: &Expr| {
            looks |= matches!(expr, Expr::InLocation(..) | Expr::Deadlock);
        };
        for location in &process.locations {
            location.invariant.walk(&mut visit);
        }
        for edge in &process.edges {
            edge.guard.walk(&mut visit);
            let updates = edge.branches.iter().flat_map(|branch| &branch.update);
            edge.update.iter().chain(updates).for_each(|expr| expr.walk(&mut visit));
        }
        if looks {
            let place = format!("process {}", process.name);
            return refuse("an expression about the location of a process", place);
        }
    }
    Ok(())
}

/// The network with these processes only.
pub(super) fn keep(network: &Network, kept: &[ProcessId]) -> Network {
    let mut result = network.clone();
    result.processes = kept.iter().map(|id| network.processes[*id].clone()).collect();
    let renumbered = |owner: Option<ProcessId>| {
        let position = kept.iter().position(|id| Some(*id) == owner)?;
        result.processes.ids().nth(position)
    };
    for clock in result.clocks.iter_mut() {
        clock.owner = renumbered(clock.owner);
    }
    for variable in result.variables.iter_mut() {
        variable.owner = renumbered(variable.owner);
    }
    result.progress.clear();
    result
}

/// A process with one location and loops.
pub(super) fn stub(name: &str, edges: Vec<Edge>) -> Process {
    let mut locations = IdVec::new();
    let at = locations.push(Location {
        name: "Any".to_owned(),
        kind: LocationKind::Normal,
        invariant: Condition::default(),
        rates: Vec::new(),
        exponential_rate: None,
        labels: Vec::new(),
        frame: Frame::default(),
    });
    Process {
        name: name.to_owned(),
        template: name.to_owned(),
        locations,
        initial: vec![at],
        edges: edges.into_iter().collect(),
        priority: 0,
    }
}

/// An edge of a [`stub`].
pub(super) fn looping(sync: Sync) -> Edge {
    let at: LocationId = punctual_model::Id::from_index(0);
    Edge {
        source: at,
        selects: Vec::new(),
        guard: Condition::default(),
        sync,
        update: Vec::new(),
        branches: vec![Branch {
            weight: None,
            selects: Vec::new(),
            update: Vec::new(),
            target: at,
        }],
        controllable: true,
        frame: Frame::default(),
    }
}
