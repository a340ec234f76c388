//! Random components: a few processes that exchange signals with somebody outside.

use std::fmt;

use punctual_model::{
    AssignOp, AssignResult, Binary, BinaryOp, Branch, Carried, Channel, ChannelId, Clock,
    ClockConstraint, ClockId, Condition, Direction, Edge, Expr, Frame, Id, IdVec, Indexed,
    Interface, Location, LocationId, LocationKind, Network, Number, Place, Process, Range,
    Relation, Signal, Storage, Sync, TimeScale, Type, ValueType, Variable, Wired,
    testing::{Slot, Wire},
};
use punctual_semantics::split::{self, Component, Side};

use super::rng::Rng;

/// Nothing is compared with more than this.
pub(super) const LARGEST: i32 = 3;
/// What variables may hold. The first is carried by `in0`, the second by `out0`, the third by nothing.
pub(super) const RANGE: Range = Range { lo: 0, hi: 2 };
const N_VARIABLES: u32 = 3;
/// The two inputs come first, then the two outputs, then an internal channel.
const CHANNELS: [&str; 5] = ["in0", "in1", "out0", "out1", "inside"];
const INSIDE: usize = 4;

/// A component, and how it is seen.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    /// The processes, without anybody outside.
    pub(super) network: Network,
    pub(super) wired: Wired,
}

impl Draft {
    /// The component as a network that somebody outside completes.
    pub(super) fn opened(&self) -> Network {
        let processes = self.network.processes.ids().collect();
        let component = Component { side: Side::System, processes };
        split::open(&self.network, &self.wired, &component).unwrap()
    }
}

/// The component of a seed.
pub(super) fn draft(seed: u64, resolution: u32) -> Draft {
    let mut rng = Rng::new(seed);
    let mut network = Network::default();
    for (name, ints) in ["given", "told", "own"].into_iter().zip(0..N_VARIABLES) {
        let (name, ty, storage) = (name.to_owned(), Type::Int(RANGE), Storage::State);
        network.variables.push(Variable { name, owner: None, ty, storage, ints, doubles: 0 });
    }
    network.initial.ints = vec![0; N_VARIABLES as usize];
    let mut wired = Wired::nowhere(Interface::new(TimeScale { unit_ns: 1000, resolution }));
    for (i, name) in CHANNELS.into_iter().enumerate() {
        let (broadcast, urgent) = (rng.percent(25), rng.percent(20));
        let channel = Channel { name: name.to_owned(), broadcast, urgent, priority: 0 };
        let channel = network.channels.push(channel);
        let direction = if i < 2 { Direction::Input } else { Direction::Output };
        let ty = ValueType::Int { least: RANGE.lo.into(), greatest: RANGE.hi.into() };
        let slots: Vec<Slot> = match i {
            0 => vec![Slot { slot: 0, range: RANGE }],
            2 => vec![Slot { slot: 1, range: RANGE }],
            _ => Vec::new(),
        };
        if i != INSIDE {
            let carried = |_: &Slot| Carried { name: "value".to_owned(), ty: ty.clone() };
            let values = slots.iter().map(carried).collect();
            wired.interface.signals.push(Signal { name: name.to_owned(), direction, values });
            wired.wires.push(Wire { channel, values: slots });
        }
    }
    let n = rng.within(1, 2) as usize;
    for i in 0..n {
        let process = process(&mut rng, &mut network, i);
        network.processes.push(process);
    }
    Draft { network, wired }
}

fn process(rng: &mut Rng, network: &mut Network, i: usize) -> Process {
    let clock = |name: String| Clock { name, owner: None, hybrid: false, initial: 0.0 };
    let mut clocks = vec![network.clocks.push(clock(format!("x{i}")))];
    if rng.percent(25) {
        clocks.push(network.clocks.push(clock(format!("y{i}"))));
    }
    let n = rng.within(2, 4) as usize;
    let locations: IdVec<LocationId, Location> =
        (0..n).map(|at| location(rng, at, clocks[0])).collect();
    let mut edges = IdVec::new();
    for source in 0..n {
        for _ in 0..rng.within(1, 3) {
            edges.push(edge(rng, network, source, n, &clocks));
        }
    }
    let name = format!("P{i}");
    let initial = vec![LocationId::from_index(0)];
    Process { template: name.clone(), name, locations, initial, edges, priority: 0 }
}

fn location(rng: &mut Rng, at: usize, clock: ClockId) -> Location {
    let kind = match rng.below(100) {
        0..12 if at > 0 => LocationKind::Urgent,
        12..24 if at > 0 => LocationKind::Committed,
        _ => LocationKind::Normal,
    };
    let mut invariant = Condition::default();
    if rng.percent(40) {
        let relation = rng.pick(&[Relation::LessEqual, Relation::Less]);
        invariant.clocks.push(constraint(clock, relation, rng.within(1, LARGEST)));
    }
    let (labels, frame) = (Vec::new(), Frame::default());
    let name = format!("l{at}");
    Location { name, kind, invariant, rates: Vec::new(), exponential_rate: None, labels, frame }
}

fn edge(rng: &mut Rng, network: &Network, source: usize, n: usize, clocks: &[ClockId]) -> Edge {
    let over = |i: usize| Indexed::fixed(ChannelId::from_index(i));
    let (mut guard, mut update) = (Condition::default(), Vec::new());
    let sync = match rng.below(100) {
        0..35 => Sync::Internal,
        35..55 => Sync::Receive(over(rng.below(2))),
        55..80 => {
            let i = 2 + rng.below(2);
            if i == 2 {
                update.push(set(1, Expr::Int(rng.within(RANGE.lo, RANGE.hi))));
            }
            Sync::Send(over(i))
        }
        80..90 => Sync::Send(over(INSIDE)),
        _ => Sync::Receive(over(INSIDE)),
    };
    let is_urgent = sync.channel().is_some_and(|it| network.channels[it.base].urgent);
    if rng.percent(if is_urgent { 25 } else { 50 }) {
        let relations = [
            Relation::Less,
            Relation::LessEqual,
            Relation::Equal,
            Relation::GreaterEqual,
            Relation::GreaterEqual,
            Relation::Greater,
        ];
        let (relation, clock) = (rng.pick(&relations), rng.pick(clocks));
        guard.clocks.push(constraint(clock, relation, rng.within(0, LARGEST)));
    }
    if rng.percent(20) {
        let op = rng.pick(&[BinaryOp::Equal, BinaryOp::NotEqual]);
        let value = Expr::Int(rng.within(RANGE.lo, RANGE.hi));
        guard.data.push(binary(op, load(rng.pick(&[0, 2])), value));
    }
    if rng.percent(50) {
        let clock = Indexed::fixed(rng.pick(clocks));
        update.push(Expr::SetClock { clock, value: Box::new(Expr::Int(0)) });
    }
    match rng.below(100) {
        0..15 => update.push(set(2, Expr::Int(rng.within(RANGE.lo, RANGE.hi)))),
        15..25 => update.push(set(2, load(0))),
        25..35 => {
            let next = binary(BinaryOp::Add, load(2), Expr::Int(1));
            update.push(set(2, binary(BinaryOp::Remainder, next, Expr::Int(RANGE.hi + 1))));
        }
        _ => {}
    }
    let target = LocationId::from_index(rng.below(n));
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

pub(super) fn place(base: u32, range: Range) -> Place {
    let (storage, number) = (Storage::State, Number::Int);
    Place { storage, number, base, indices: Vec::new(), size: 1, range }
}

fn load(slot: u32) -> Expr {
    Expr::Load(place(slot, RANGE))
}

fn set(slot: u32, value: Expr) -> Expr {
    let (target, value) = (Box::new(place(slot, RANGE)), Box::new(value));
    Expr::Assign { target, op: AssignOp::Set, value, result: AssignResult::New }
}

pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(Box::new(Binary { op, number: Number::Int, size: 1, left, right }))
}

fn constraint(clock: ClockId, relation: Relation, bound: i32) -> ClockConstraint {
    let (left, bound) = (Some(Indexed::fixed(clock)), Expr::Int(bound));
    ClockConstraint { when: None, left, right: None, relation, number: Number::Int, bound }
}

/// A component, for people: a line for each location and edge.
impl fmt::Display for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = |it: &ClockConstraint| {
            let clock = it.left.as_ref().map(|clock| &self.network.clocks[clock.base].name);
            format!("{} {:?} {:?}", clock.map_or("", |it| it), it.relation, it.bound)
        };
        for channel in self.network.channels.iter() {
            writeln!(
                f,
                "{}: broadcast {}, urgent {}",
                channel.name, channel.broadcast, channel.urgent
            )?;
        }
        for process in self.network.processes.iter() {
            for location in process.locations.iter() {
                let bounds: Vec<String> = location.invariant.clocks.iter().map(bound).collect();
                writeln!(f, "{}.{} {:?} {bounds:?}", process.name, location.name, location.kind)?;
            }
            for edge in process.edges.iter() {
                let bounds: Vec<String> = edge.guard.clocks.iter().map(bound).collect();
                let (source, target) = (edge.source.index(), edge.branches[0].target.index());
                let (data, update) = (&edge.guard.data, &edge.update);
                writeln!(f, "{source} -> {target} {bounds:?} {data:?} {:?} {update:?}", edge.sync)?;
            }
        }
        Ok(())
    }
}
