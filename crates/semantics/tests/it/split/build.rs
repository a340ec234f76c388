//! Random networks of which it is known who is environment.

use proptest::prelude::*;
use punctual_model::{
    AssignOp, AssignResult, Binary, BinaryOp, Branch, Carried, Channel, ChannelId, Condition,
    Direction, Edge, Expr, Frame, Id, Indexed, Interface, Location, LocationId, LocationKind,
    Network, Number, Place, Process, Range, Signal, Storage, Sync, TimeScale, Type, ValueType,
    Variable, Wired,
    testing::{Slot, Wire},
};
use punctual_semantics::split::Side;

/// Slots: one variable of each side, one that inputs carry, one that outputs carry.
const OF: [&str; 4] = ["system", "environment", "input", "output"];
const RANGE: Range = Range { lo: 0, hi: 2 };
/// Two inputs, two outputs, and an internal channel of each side. The first of each kind of signal
/// carries a value; the second is a broadcast.
const CHANNELS: [(&str, bool); 6] = [
    ("in0", false),
    ("in1", true),
    ("out0", false),
    ("out1", true),
    ("system", false),
    ("environment", false),
];

#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) network: Network,
    pub(super) wired: Wired,
    /// Who was drawn as what.
    pub(super) sides: Vec<Side>,
}

/// An edge to be: source, target, what it does, which variable and value it is about.
type Drawn = (usize, usize, usize, usize, i32);

/// Two processes of each side with a few edges each.
pub(super) fn draft() -> impl Strategy<Value = Draft> {
    let edge = (0..2usize, 0..2usize, 0..6usize, 0..4usize, 0..3i32);
    let edges = proptest::collection::vec(edge, 1..5);
    proptest::collection::vec(edges, 4).prop_map(|processes| Draft::new(&processes))
}

impl Draft {
    /// A system that answers `in0` with `out0`, and an environment that plays with it.
    pub(super) fn ping_pong() -> Self {
        Self::new(&[vec![(0, 1, 0, 3, 1), (1, 0, 2, 3, 1)], vec![(0, 1, 0, 3, 1), (1, 0, 2, 3, 1)]])
    }

    /// Processes with even numbers are system.
    fn new(processes: &[Vec<Drawn>]) -> Self {
        let mut network = Network::default();
        for (name, slot) in OF.into_iter().zip(0..) {
            network.variables.push(Variable {
                name: name.to_owned(),
                owner: None,
                ty: Type::Int(RANGE),
                storage: Storage::State,
                ints: slot,
                doubles: 0,
            });
        }
        network.initial.ints = vec![0; OF.len()];
        for (name, broadcast) in CHANNELS {
            let name = name.to_owned();
            network.channels.push(Channel { name, broadcast, urgent: false, priority: 0 });
        }
        let mut sides = Vec::new();
        for (i, edges) in processes.iter().enumerate() {
            let side = if i % 2 == 0 { Side::System } else { Side::Environment };
            sides.push(side);
            let location = || Location {
                name: "L".to_owned(),
                kind: LocationKind::Normal,
                invariant: Condition::default(),
                rates: Vec::new(),
                exponential_rate: None,
                labels: Vec::new(),
                frame: Frame::default(),
            };
            network.processes.push(Process {
                name: format!("P{i}"),
                template: "P".to_owned(),
                locations: [location(), location()].into_iter().collect(),
                initial: vec![LocationId::from_index(0)],
                edges: edges.iter().map(|drawn| edge(side, *drawn)).collect(),
                priority: 0,
            });
        }
        Self { network, wired: wired(), sides }
    }
}

fn wired() -> Wired {
    let mut wired = Wired::nowhere(Interface::new(TimeScale { unit_ns: 1_000_000, resolution: 1 }));
    for (channel, (name, _)) in CHANNELS.iter().take(4).enumerate() {
        let direction = if channel < 2 { Direction::Input } else { Direction::Output };
        let slot = if channel < 2 { 2 } else { 3 };
        let ty = ValueType::Int { least: RANGE.lo.into(), greatest: RANGE.hi.into() };
        let mut values = vec![Carried { name: OF[slot].to_owned(), ty }];
        let mut slots = vec![Slot { slot: slot as u32, range: RANGE }];
        if channel % 2 != 0 {
            values.clear();
            slots.clear();
        }
        let _ =
            wired.interface.signals.push(Signal { name: (*name).to_owned(), direction, values });
        wired.wires.push(Wire { channel: ChannelId::from_index(channel), values: slots });
    }
    wired
}

fn edge(side: Side, (source, target, kind, about, value): Drawn) -> Edge {
    let system = side == Side::System;
    let own = u32::from(!system);
    // What a side gets with the first signal it receives, and what it gives with the one it sends.
    let (gets, gives) = if system { (2, 3) } else { (3, 2) };
    let channel = |i: usize| Indexed::fixed(ChannelId::from_index(i));
    let (first_in, first_out) = if system { (0, 2) } else { (2, 0) };
    // A system receives inputs and sends outputs; an environment mirrors it. So that `ping_pong`
    // fits both, kind 0 is the input.
    let receive = |i| Sync::Receive(channel(i));
    let send = |i| Sync::Send(channel(i));
    let (sync, carries) = match (kind, system) {
        (0, true) => (receive(first_in), Some(false)),
        (0, false) => (send(first_out), Some(true)),
        (1, true) => (receive(first_in + 1), None),
        (1, false) => (send(first_out + 1), None),
        (2, true) => (send(first_out), Some(true)),
        (2, false) => (receive(first_in), Some(false)),
        (3, true) => (send(first_out + 1), None),
        (3, false) => (receive(first_in + 1), None),
        (4, _) if value == 0 => (send(4 + usize::from(!system)), None),
        (4, _) => (receive(4 + usize::from(!system)), None),
        _ => (Sync::Internal, None),
    };
    let mut guard = Condition::default();
    if about == 0 {
        guard.data.push(equal(load(own), Expr::Int(value)));
    }
    let update = match (carries, about) {
        (Some(true), 1) => vec![set(gives, load(own))],
        (Some(true), _) => vec![set(gives, Expr::Int(value))],
        (Some(false), 1 | 2) => vec![set(own, load(gets))],
        (_, 2) => vec![set(own, Expr::Int(value))],
        _ => Vec::new(),
    };
    let target = LocationId::from_index(target);
    Edge {
        source: LocationId::from_index(source),
        selects: Vec::new(),
        guard,
        sync,
        update,
        branches: vec![Branch { weight: None, selects: Vec::new(), update: Vec::new(), target }],
        controllable: true,
        frame: Frame::default(),
    }
}

fn place(slot: u32) -> Place {
    Place {
        storage: Storage::State,
        number: Number::Int,
        base: slot,
        indices: Vec::new(),
        size: 1,
        range: RANGE,
    }
}

fn load(slot: u32) -> Expr {
    Expr::Load(place(slot))
}

fn set(slot: u32, value: Expr) -> Expr {
    let (target, value) = (Box::new(place(slot)), Box::new(value));
    Expr::Assign { target, op: AssignOp::Set, value, result: AssignResult::New }
}

fn equal(left: Expr, right: Expr) -> Expr {
    Expr::Binary(Box::new(Binary {
        op: BinaryOp::Equal,
        number: Number::Int,
        size: 1,
        left,
        right,
    }))
}
