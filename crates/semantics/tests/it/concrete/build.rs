//! Builds networks by hand.

use punctual_model::{
    AssignOp, AssignResult, Binary, BinaryOp, Branch, Channel, ChannelId, Clock, ClockConstraint,
    ClockId, Condition, Edge, EventId, Expr, Frame, Id, Indexed, Location, LocationId,
    LocationKind, Network, Number, Place, Process, Range, Relation, Select, Storage, Sync,
};

pub(super) const X: usize = 0;
pub(super) const Y: usize = 1;

/// A network without processes, with these clocks at 0 and these variables from 0 to 9 at 0.
pub(super) fn network(n_clocks: usize, n_ints: usize) -> Network {
    let mut network = Network::default();
    for i in 0..n_clocks {
        let name = format!("x{i}");
        network.clocks.push(Clock { name, owner: None, hybrid: false, initial: 0.0 });
    }
    network.initial.ints = vec![0; n_ints];
    network
}

pub(super) fn channel(network: &mut Network, broadcast: bool, urgent: bool) -> ChannelId {
    network.channels.push(Channel { name: "c".to_owned(), broadcast, urgent, priority: 0 })
}

/// Adds a process that starts at its first location.
pub(super) fn process<const N: usize>(
    network: &mut Network,
    locations: [Location; N],
    edges: Vec<Edge>,
) {
    let name = format!("P{}", network.processes.len());
    network.processes.push(Process {
        template: name.clone(),
        name,
        locations: locations.into_iter().collect(),
        initial: vec![LocationId::from_index(0)],
        edges: edges.into_iter().collect(),
        priority: 0,
    });
}

pub(super) fn location(kind: LocationKind, invariant: Vec<ClockConstraint>) -> Location {
    Location {
        name: "L".to_owned(),
        kind,
        invariant: Condition { data: Vec::new(), clocks: invariant },
        rates: Vec::new(),
        exponential_rate: None,
        labels: Vec::new(),
        frame: Frame::default(),
    }
}

pub(super) fn plain() -> Location {
    location(LocationKind::Normal, Vec::new())
}

pub(super) fn while_(constraint: ClockConstraint) -> Location {
    location(LocationKind::Normal, vec![constraint])
}

/// An edge without guard, synchronisation and update. Its frame has two slots.
pub(super) fn edge(source: usize, target: usize) -> Edge {
    Edge {
        source: LocationId::from_index(source),
        selects: Vec::new(),
        guard: Condition::default(),
        sync: Sync::Internal,
        update: Vec::new(),
        branches: vec![branch(target)],
        controllable: true,
        frame: Frame { ints: 2, doubles: 0 },
    }
}

pub(super) fn branch(target: usize) -> Branch {
    let target = LocationId::from_index(target);
    Branch { weight: None, selects: Vec::new(), update: Vec::new(), target }
}

pub(super) fn guarded(edge: Edge, constraint: ClockConstraint) -> Edge {
    Edge { guard: Condition { data: Vec::new(), clocks: vec![constraint] }, ..edge }
}

pub(super) fn only_if(edge: Edge, data: Expr) -> Edge {
    Edge { guard: Condition { data: vec![data], clocks: Vec::new() }, ..edge }
}

pub(super) fn send(edge: Edge, channel: ChannelId) -> Edge {
    Edge { sync: Sync::Send(Indexed::fixed(channel)), ..edge }
}

pub(super) fn receive(edge: Edge, channel: ChannelId) -> Edge {
    Edge { sync: Sync::Receive(Indexed::fixed(channel)), ..edge }
}

pub(super) fn csp(edge: Edge, channel: ChannelId) -> Edge {
    Edge { sync: Sync::Csp(Indexed::fixed(channel)), ..edge }
}

pub(super) fn event(edge: Edge, event: EventId) -> Edge {
    Edge { sync: Sync::Event(event), ..edge }
}

pub(super) fn doing(edge: Edge, update: Vec<Expr>) -> Edge {
    Edge { update, ..edge }
}

pub(super) fn clock(clock: usize) -> Indexed<ClockId> {
    Indexed::fixed(ClockId::from_index(clock))
}

pub(super) fn compare(left: usize, relation: Relation, bound: Expr) -> ClockConstraint {
    let (left, right) = (Some(clock(left)), None);
    ClockConstraint { when: None, left, right, relation, number: Number::Int, bound }
}

pub(super) fn at_most(clock: usize, bound: i32) -> ClockConstraint {
    compare(clock, Relation::LessEqual, Expr::Int(bound))
}

pub(super) fn below(clock: usize, bound: i32) -> ClockConstraint {
    compare(clock, Relation::Less, Expr::Int(bound))
}

pub(super) fn at_least(clock: usize, bound: i32) -> ClockConstraint {
    compare(clock, Relation::GreaterEqual, Expr::Int(bound))
}

pub(super) fn above(clock: usize, bound: i32) -> ClockConstraint {
    compare(clock, Relation::Greater, Expr::Int(bound))
}

pub(super) fn place(storage: Storage, base: u32, range: Range) -> Place {
    Place { storage, number: Number::Int, base, indices: Vec::new(), size: 1, range }
}

/// A variable of the state.
pub(super) fn variable(slot: u32) -> Place {
    place(Storage::State, slot, Range { lo: 0, hi: 9 })
}

pub(super) fn load(slot: u32) -> Expr {
    Expr::Load(variable(slot))
}

pub(super) fn local(slot: u32) -> Expr {
    Expr::Load(place(Storage::Local, slot, Range::ALL))
}

pub(super) fn set(target: Place, value: Expr) -> Expr {
    assign(target, AssignOp::Set, value)
}

pub(super) fn assign(target: Place, op: AssignOp, value: Expr) -> Expr {
    let (target, value) = (Box::new(target), Box::new(value));
    Expr::Assign { target, op, value, result: AssignResult::New }
}

/// Appends a digit to variable 0: shows the order of updates.
pub(super) fn append(digit: i32) -> Expr {
    let target = place(Storage::State, 0, Range::ALL);
    let tenfold = binary(BinaryOp::Multiply, Expr::Load(target.clone()), Expr::Int(10));
    set(target, binary(BinaryOp::Add, tenfold, Expr::Int(digit)))
}

pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(Box::new(Binary { op, number: Number::Int, size: 1, left, right }))
}

pub(super) fn set_clock(target: usize, value: Expr) -> Expr {
    Expr::SetClock { clock: clock(target), value: Box::new(value) }
}

/// The clock and a number of either sign.
pub(super) fn shifted(by: i32, from: usize) -> Expr {
    Expr::Binary(Box::new(Binary {
        op: BinaryOp::Add,
        number: Number::Double,
        size: 1,
        left: Expr::ToDouble(Box::new(Expr::Int(by))),
        right: Expr::Clock(clock(from)),
    }))
}

pub(super) fn select(slot: u32, lo: i32, hi: i32) -> Select {
    Select { name: "i".to_owned(), slot, range: Range { lo, hi } }
}
