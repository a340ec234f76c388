//! Builds networks by hand, and shows their bounds.

use punctual_model::{
    AssignOp, AssignResult, Binary, BinaryOp, Branch, Channel, ChannelRef, Clock, ClockConstraint,
    ClockId, ClockRef, Condition, Edge, Expr, Frame, Function, FunctionBody, Id, Index, Indexed,
    Location, LocationId, LocationKind, Network, Number, Place, Process, ProcessId, Range,
    Relation, ReturnType, Statement, Storage, Sync,
};
use punctual_semantics::bounds::{Bounds, ClockBound, Directions};
use punctual_zones::NO_BOUND;

pub(super) const LT: Relation = Relation::Less;
pub(super) const LE: Relation = Relation::LessEqual;
pub(super) const EQ: Relation = Relation::Equal;
pub(super) const GE: Relation = Relation::GreaterEqual;
pub(super) const GT: Relation = Relation::Greater;

pub(super) fn network(n_clocks: usize) -> Network {
    let clock = |i| Clock { name: format!("x{i}"), owner: None, hybrid: false, initial: 0.0 };
    Network { clocks: (0..n_clocks).map(clock).collect(), ..Network::default() }
}

pub(super) fn add_process(network: &mut Network, n_locations: usize) -> usize {
    let location = |i| Location {
        name: format!("L{i}"),
        kind: LocationKind::Normal,
        invariant: Condition::default(),
        rates: Vec::new(),
        exponential_rate: None,
        labels: Vec::new(),
        frame: Frame::default(),
    };
    let name = format!("P{}", network.processes.len());
    let process = Process {
        template: name.clone(),
        name,
        locations: (0..n_locations).map(location).collect(),
        initial: vec![LocationId::from_index(0)],
        edges: std::iter::empty().collect(),
        priority: 0,
    };
    network.processes.push(process).index()
}

pub(super) fn invariant(
    network: &mut Network,
    process: usize,
    location: usize,
    test: ClockConstraint,
) {
    let process = &mut network.processes[ProcessId::from_index(process)];
    process.locations[LocationId::from_index(location)].invariant.clocks.push(test);
}

/// An edge to build on.
pub(super) fn edge(source: usize, target: usize) -> Edge {
    Edge {
        source: LocationId::from_index(source),
        selects: Vec::new(),
        guard: Condition::default(),
        sync: Sync::Internal,
        update: Vec::new(),
        branches: vec![Branch {
            weight: None,
            selects: Vec::new(),
            update: Vec::new(),
            target: LocationId::from_index(target),
        }],
        controllable: true,
        frame: Frame { ints: 2, doubles: 0 },
    }
}

pub(super) fn add_edge(
    network: &mut Network,
    process: usize,
    (source, target): (usize, usize),
    tests: Vec<ClockConstraint>,
    update: Vec<Expr>,
) -> &mut Edge {
    let edges = &mut network.processes[ProcessId::from_index(process)].edges;
    let guard = Condition { data: Vec::new(), clocks: tests };
    let id = edges.push(Edge { guard, update, ..edge(source, target) });
    &mut edges[id]
}

pub(super) fn clock(i: usize) -> ClockRef {
    Indexed::fixed(ClockId::from_index(i))
}

pub(super) fn clock_at(base: usize, value: Expr, len: u32) -> ClockRef {
    let index = Index { value, lo: 0, len, stride: 1 };
    Indexed { base: ClockId::from_index(base), indices: vec![index] }
}

pub(super) fn test_of(left: ClockRef, relation: Relation, bound: Expr) -> ClockConstraint {
    let left = Some(left);
    ClockConstraint { when: None, left, right: None, relation, number: Number::Int, bound }
}

pub(super) fn test(x: usize, relation: Relation, bound: i32) -> ClockConstraint {
    test_of(clock(x), relation, Expr::Int(bound))
}

pub(super) fn set(clock: ClockRef, value: Expr) -> Expr {
    Expr::SetClock { clock, value: Box::new(value) }
}

pub(super) fn reset(x: usize) -> Expr {
    set(clock(x), Expr::Int(0))
}

/// `x := y + offset`
pub(super) fn copy(x: usize, y: usize, offset: i32) -> Expr {
    let value = Expr::Binary(Box::new(Binary {
        op: BinaryOp::Add,
        number: Number::Double,
        size: 1,
        left: Expr::ToDouble(Box::new(Expr::Int(offset))),
        right: Expr::Clock(clock(y)),
    }));
    set(clock(x), value)
}

pub(super) fn place(storage: Storage, base: u32, range: (i32, i32)) -> Place {
    let range = Range { lo: range.0, hi: range.1 };
    Place { storage, number: Number::Int, base, indices: Vec::new(), size: 1, range }
}

pub(super) fn state(base: u32) -> Expr {
    Expr::Load(place(Storage::State, base, (-32768, 32767)))
}

pub(super) fn local(base: u32) -> Expr {
    Expr::Load(place(Storage::Local, base, (-32768, 32767)))
}

pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(Box::new(Binary { op, number: Number::Int, size: 1, left, right }))
}

pub(super) fn assign(target: Place, op: AssignOp, value: Expr) -> Expr {
    let result = AssignResult::New;
    Expr::Assign { target: Box::new(target), op, value: Box::new(value), result }
}

pub(super) fn add_function(network: &mut Network, body: Vec<Statement>) -> Expr {
    let function = network.functions.push(Function {
        name: "f".to_owned(),
        params: Vec::new(),
        returns: ReturnType::Void,
        frame: Frame { ints: 2, doubles: 0 },
        shares_frame: false,
        body: FunctionBody::Statements(body),
    });
    Expr::Call { function, arguments: Vec::new() }
}

pub(super) fn add_channel(network: &mut Network, broadcast: bool, urgent: bool) -> ChannelRef {
    let channel = Channel { name: "c".to_owned(), broadcast, urgent, priority: 0 };
    Indexed::fixed(network.channels.push(channel))
}

/// The bounds of a location as `clock lower..upper`, `-` for none.
pub(super) fn show(bounds: &[ClockBound]) -> String {
    let number = |bound| if bound == NO_BOUND { "-".to_owned() } else { format!("{bound}") };
    let show = |b: &ClockBound| format!("x{} {}..{}", b.clock, number(b.lower), number(b.upper));
    bounds.iter().map(show).collect::<Vec<_>>().join(", ")
}

pub(super) fn apart(network: &Network) -> Bounds {
    Bounds::new(network, Directions::Apart, &[]).expect("constants are small")
}
