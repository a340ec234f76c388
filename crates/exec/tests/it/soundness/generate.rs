//! Random networks with two sides.
//!
//! Whatever goes round takes time: an edge that leads back to an earlier location waits for the main
//! clock of its process to be 1 and resets it, unless the other side decides about it. So a player of
//! such a network never takes steps without end at one instant (`endless` asks for one that may).

use punctual_model::testing::{self, Slot};
use punctual_model::{
    AssignOp, AssignResult, Binary, BinaryOp, Branch, Carried, Channel, ChannelId, ChannelRef,
    Clock, ClockConstraint, ClockId, Condition, Direction, Edge, Expr, Frame, Id, IdVec, Index,
    Indexed, Interface, Location, LocationId, LocationKind, Network, Number, Place, Port, PortRole,
    Process, ProcessId, Range, Relation, Select, Signal, SignalId, Storage, Sync, TimeScale, Type,
    ValueType, Variable, Wired,
};
use punctual_semantics::split::Side;

use super::rng::Rng;

/// What variables that are carried may hold.
const CARRIED: Range = Range { lo: 0, hi: 2 };
/// What variables of a side may hold.
const OWN: Range = Range { lo: 0, hi: 3 };
/// Nothing is compared with more than this.
pub(super) const LARGEST: i32 = 5;

/// What a network may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Features {
    pub(super) committed: bool,
    /// Observable channels over which two processes meet may be urgent.
    pub(super) urgent_signals: bool,
    /// Hidden steps without end at one instant.
    pub(super) endless: bool,
    /// Variables and locations of the system can be read.
    pub(super) observed: bool,
    /// The system sends nothing.
    pub(super) silent: bool,
    /// At most so many processes on each side.
    pub(super) environment_max: i32,
    pub(super) system_max: i32,
}

impl Features {
    pub(super) const ALL: Features = Features {
        committed: true,
        urgent_signals: true,
        endless: false,
        observed: false,
        silent: false,
        environment_max: 2,
        system_max: 3,
    };
}

/// A network, how it is seen, and who is who.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) network: Network,
    pub(super) wired: Wired,
    pub(super) sides: IdVec<ProcessId, Side>,
}

/// A channel, or an array of them.
#[derive(Clone, Debug)]
struct Wire {
    base: ChannelId,
    len: u32,
    carried: Option<Place>,
    urgent: bool,
    broadcast: bool,
}

/// What the processes of one side may use.
#[derive(Clone, Default)]
struct World {
    own: Vec<Place>,
    internal: Vec<Wire>,
    sent: Vec<Wire>,
    received: Vec<Wire>,
    clock: Option<ClockId>,
}

struct Generator {
    rng: Rng,
    features: Features,
    network: Network,
    signals: IdVec<SignalId, Signal>,
    wires: IdVec<SignalId, testing::Wire>,
}

/// The draft of a seed.
pub(super) fn draft(seed: u64, features: Features, time: TimeScale) -> Draft {
    let mut generator = Generator {
        rng: Rng::new(seed),
        features,
        network: Network::default(),
        signals: IdVec::new(),
        wires: IdVec::new(),
    };
    let n_environment = generator.rng.within(1, features.environment_max);
    let n_system = generator.rng.within(1, features.system_max);
    let inputs = generator.wires("in", Some(Direction::Input));
    let outputs = match features.silent {
        true => Vec::new(),
        false => generator.wires("out", Some(Direction::Output)),
    };
    let mut system = generator.world("s", n_system, outputs.clone(), inputs.clone());
    let mut environment = generator.world("e", n_environment, inputs, outputs);
    for world in [&mut system, &mut environment] {
        world.own.retain(|_| generator.rng.percent(80));
    }
    let mut sides: Vec<Side> = vec![Side::System; n_system as usize];
    let first = generator.rng.percent(50);
    let environments = vec![Side::Environment; n_environment as usize];
    sides.splice(if first { 0..0 } else { sides.len()..sides.len() }, environments);
    for (i, side) in sides.iter().enumerate() {
        let world = if *side == Side::System { &system } else { &environment };
        // The first process of each side takes whatever the other one sends, sooner or later.
        let listens = sides.iter().position(|other| other == side) == Some(i);
        generator.process(i, *side, &world.clone(), listens);
    }
    let interface = Interface { signals: generator.signals, ..Interface::new(time) };
    let wired = Wired { interface, wires: generator.wires, places: IdVec::new() };
    let sides = sides.into_iter().collect();
    let mut draft = Draft { network: generator.network, wired, sides };
    if features.observed {
        draft.observe();
    }
    draft
}

impl Draft {
    pub(super) fn interface(&self) -> &Interface {
        &self.wired.interface
    }

    /// Whether there are outputs.
    pub(super) fn sends(&self) -> bool {
        self.interface().signals.iter().any(|it| it.direction == Direction::Output)
    }

    /// Lets the tester read the variables of the system, and where its processes are.
    fn observe(&mut self) {
        let mut ports = Vec::new();
        for variable in self.network.variables.iter().filter(|it| it.name.starts_with("s_v")) {
            let ty = ValueType::Int { least: OWN.lo.into(), greatest: OWN.hi.into() };
            let place = testing::Place::Variable(Slot { slot: variable.ints, range: OWN });
            ports.push((variable.name.clone(), ty, place));
        }
        for (id, process) in self.network.processes.enumerate() {
            if self.sides[id] == Side::System {
                let names = process.locations.iter().map(|it| it.name.clone()).collect();
                let (name, ty) = (format!("{}.location", process.name), ValueType::Enum(names));
                ports.push((name, ty, testing::Place::Location(id)));
            }
        }
        for (name, ty, place) in ports {
            self.wired.interface.ports.push(Port { name, ty, role: PortRole::Observed });
            self.wired.places.push(Some(place));
        }
    }

    /// Takes a port away.
    pub(super) fn hide(&mut self, name: &str) {
        let ports =
            self.wired.interface.ports.iter().cloned().zip(self.wired.places.iter().copied());
        let (ports, places): (Vec<Port>, Vec<_>) =
            ports.filter(|(port, _)| port.name != name).unzip();
        self.wired.interface.ports = ports.into_iter().collect();
        self.wired.places = places.into_iter().collect();
    }
}

impl Generator {
    /// Some channels, perhaps an array, perhaps with a value.
    fn wires(&mut self, name: &str, direction: Option<Direction>) -> Vec<Wire> {
        let mut wires = Vec::new();
        for i in 0..self.rng.within(1, 2) {
            let len = self.rng.pick(&[1, 1, 2]);
            let broadcast = self.rng.percent(30);
            let may = direction.is_none() || broadcast || self.features.urgent_signals;
            let urgent = may && self.rng.percent(12);
            let carried = (direction.is_some() && self.rng.percent(45)).then(|| {
                let name = format!("{name}{i}_value");
                (name.clone(), self.variable(name, CARRIED))
            });
            let base = ChannelId::from_index(self.network.channels.len());
            for j in 0..len {
                let name = if len == 1 { format!("{name}{i}") } else { format!("{name}{i}[{j}]") };
                let channel = Channel { name: name.clone(), broadcast, urgent, priority: 0 };
                let channel = self.network.channels.push(channel);
                if let Some(direction) = direction {
                    let ty =
                        ValueType::Int { least: CARRIED.lo.into(), greatest: CARRIED.hi.into() };
                    let values = carried.iter();
                    let values =
                        values.map(|(name, _)| Carried { name: name.clone(), ty: ty.clone() });
                    let slots =
                        carried.iter().map(|(_, place)| Slot { slot: place.base, range: CARRIED });
                    self.signals.push(Signal { name, direction, values: values.collect() });
                    self.wires.push(testing::Wire { channel, values: slots.collect() });
                }
            }
            let carried = carried.map(|(_, place)| place);
            wires.push(Wire { base, len, carried, urgent, broadcast });
        }
        wires
    }

    fn world(&mut self, name: &str, n: i32, sent: Vec<Wire>, received: Vec<Wire>) -> World {
        let internal = match n > 1 && self.rng.percent(75) {
            true => self.wires(&format!("{name}_c"), None),
            false => Vec::new(),
        };
        let own = (0..self.rng.within(0, 2))
            .map(|i| self.variable(format!("{name}_v{i}"), OWN))
            .collect();
        let clock = self.rng.percent(25).then(|| self.clock(format!("{name}_z")));
        World { own, internal, sent, received, clock }
    }

    fn variable(&mut self, name: String, range: Range) -> Place {
        let ints = self.network.initial.ints.len() as u32;
        let (ty, storage) = (Type::Int(range), Storage::State);
        self.network.variables.push(Variable { name, owner: None, ty, storage, ints, doubles: 0 });
        self.network.initial.ints.push(0);
        place(Storage::State, ints, range)
    }

    fn clock(&mut self, name: String) -> ClockId {
        self.network.clocks.push(Clock { name, owner: None, hybrid: false, initial: 0.0 })
    }

    fn process(&mut self, i: usize, side: Side, world: &World, listens: bool) {
        let name = format!("P{i}");
        let main = self.clock(format!("{name}.x"));
        let mut clocks = vec![main, main];
        if self.rng.percent(30) {
            clocks.push(self.clock(format!("{name}.y")));
        }
        clocks.extend(world.clock);
        let n = self.rng.within(2, 4) as usize;
        let mut process = Process {
            name: name.clone(),
            template: name,
            locations: (0..n).map(|i| self.location(i, n, main, world)).collect(),
            initial: vec![LocationId::from_index(0)],
            edges: IdVec::new(),
            priority: 0,
        };
        let scope = Scope { world, clocks: &clocks, main };
        for source in 0..n {
            let edge = self.exit(source, &process, &scope);
            process.edges.push(edge);
        }
        for _ in 0..self.rng.within(1, 3) {
            let source = self.rng.below(n);
            let sync = self.sync(&scope, [25, 30, 30]);
            let edge = self.edge(source, None, sync, &process, &scope);
            process.edges.push(edge);
        }
        for wire in &world.received {
            let percent = if side == Side::Environment { 90 } else { 60 };
            for source in 0..n {
                if listens && self.rng.percent(percent) {
                    let stays = side == Side::Environment && self.rng.percent(60);
                    let target = stays.then_some(source);
                    let sync = self.over(wire, false);
                    let edge = self.edge(source, target, sync, &process, &scope);
                    process.edges.push(edge);
                }
            }
        }
        if self.features.endless && self.rng.percent(50) {
            let mut edge = self.edge(0, Some(0), Drawn::NONE, &process, &scope);
            edge.guard = Condition::default();
            edge.update.clear();
            process.edges.push(edge);
        }
        self.network.processes.push(process);
    }

    fn location(&mut self, i: usize, n: usize, main: ClockId, world: &World) -> Location {
        let between = i > 0 && i + 1 < n;
        let kind = match self.rng.below(100) {
            0..15 if between => LocationKind::Urgent,
            15..30 if between && self.features.committed => LocationKind::Committed,
            _ => LocationKind::Normal,
        };
        let mut invariant = Condition::default();
        if kind == LocationKind::Normal && self.rng.percent(if i == 0 { 25 } else { 60 }) {
            let relation = self.rng.pick(&[Relation::LessEqual, Relation::Less]);
            let bound = match world.own.first() {
                Some(place) if self.rng.percent(12) => {
                    binary(BinaryOp::Add, Expr::Load(place.clone()), Expr::Int(2))
                }
                _ => Expr::Int(self.rng.within(2, LARGEST)),
            };
            invariant.clocks.push(constraint(main, relation, bound));
        }
        let name = format!("l{i}");
        let (labels, frame) = (Vec::new(), Frame::default());
        Location { name, kind, invariant, rates: Vec::new(), exponential_rate: None, labels, frame }
    }

    /// A way out of a location that the side itself decides about.
    fn exit(&mut self, source: usize, process: &Process, scope: &Scope<'_>) -> Edge {
        let n = process.locations.len();
        let from = &process.locations[LocationId::from_index(source)];
        let hurried = from.kind != LocationKind::Normal || !from.invariant.clocks.is_empty();
        let mut sync = match self.rng.below(100) {
            0..60 => self.over_one(&scope.world.sent, true),
            60..75 if !hurried => self.sync(scope, [10, 20, 60]),
            _ => Drawn::NONE,
        };
        let target = (source + 1) % n;
        if sync.urgent && target <= source {
            sync = Drawn::NONE;
        }
        let mut edge = self.edge(source, Some(target), sync, process, scope);
        if hurried {
            // It can be left in time.
            edge.guard.data.clear();
            edge.guard.clocks.retain(|it| {
                it.relation != Relation::Equal
                    && it.bound.as_int().is_none_or(|bound| bound <= 1)
                    && matches!(it.relation, Relation::GreaterEqual | Relation::Greater)
                    && from.kind == LocationKind::Normal
            });
        }
        edge
    }

    fn one(&mut self, wires: &[Wire]) -> Wire {
        wires[self.rng.below(wires.len())].clone()
    }

    /// How an edge synchronises: percentages of nothing, receiving and sending a signal.
    fn sync(&mut self, scope: &Scope<'_>, [none, receive, send]: [usize; 3]) -> Drawn {
        let drawn = self.rng.below(100);
        if drawn < none {
            return Drawn::NONE;
        }
        if drawn < none + receive {
            return self.over_one(&scope.world.received, false);
        }
        if drawn < none + receive + send || scope.world.internal.is_empty() {
            return self.over_one(&scope.world.sent, true);
        }
        let wire = self.one(&scope.world.internal);
        let sends = self.rng.percent(50);
        self.over(&wire, sends)
    }

    /// Over one of some channels; over none if there are none.
    fn over_one(&mut self, wires: &[Wire], sends: bool) -> Drawn {
        if wires.is_empty() {
            return Drawn::NONE;
        }
        let wire = self.one(wires);
        self.over(&wire, sends)
    }

    fn over(&mut self, wire: &Wire, sends: bool) -> Drawn {
        let mut select = None;
        let channel: ChannelRef = match wire.len {
            1 => Indexed::fixed(wire.base),
            len if self.rng.percent(50) => {
                let range = Range { lo: 0, hi: len as i32 - 1 };
                select = Some(Select { name: "i".to_owned(), slot: 0, range });
                let value = Expr::Load(place(Storage::Local, 0, range));
                Indexed { base: wire.base, indices: vec![Index { value, lo: 0, len, stride: 1 }] }
            }
            len => {
                let i = self.rng.below(len as usize);
                Indexed::fixed(ChannelId::from_index(wire.base.index() + i))
            }
        };
        let sync = if sends { Sync::Send(channel) } else { Sync::Receive(channel) };
        let (carried, urgent, broadcast) = (wire.carried.clone(), wire.urgent, wire.broadcast);
        Drawn { sync, select, carried, urgent, broadcast }
    }

    fn edge(
        &mut self,
        source: usize,
        target: Option<usize>,
        drawn: Drawn,
        process: &Process,
        scope: &Scope<'_>,
    ) -> Edge {
        let n = process.locations.len();
        let mut target = target.unwrap_or_else(|| self.rng.below(n));
        let sends = matches!(drawn.sync, Sync::Send(_));
        let receives = matches!(drawn.sync, Sync::Receive(_));
        if drawn.urgent && sends && target <= source {
            target = (source + 1).min(n - 1);
        }
        let mut guard = Condition::default();
        let mut update = Vec::new();
        let world = scope.world;
        let may_guard = !drawn.urgent && (!receives || !drawn.broadcast || self.rng.percent(20));
        if may_guard && self.rng.percent(if receives { 25 } else { 55 }) {
            guard.clocks.push(self.clock_guard(scope));
        }
        if self.rng.percent(25)
            && let Some(condition) = self.data(scope)
        {
            guard.data.push(condition);
        }
        let by_itself = !receives;
        let is_back = target <= source;
        if by_itself && is_back && !drawn.urgent {
            guard.clocks.push(constraint(scope.main, Relation::GreaterEqual, Expr::Int(1)));
        }
        let invariant = &process.locations[LocationId::from_index(target)].invariant;
        if (by_itself && is_back) || (!invariant.clocks.is_empty() && self.rng.percent(85)) {
            update.push(reset(scope.main));
        } else if self.rng.percent(40) {
            update.push(reset(self.rng.pick(scope.clocks)));
        }
        let mut selects: Vec<Select> = drawn.select.into_iter().collect();
        if let Some(carried) = &drawn.carried {
            if sends {
                let value = match self.rng.below(3) {
                    0 if selects.is_empty() => {
                        selects.push(Select { name: "v".to_owned(), slot: 1, range: CARRIED });
                        Expr::Load(place(Storage::Local, 1, CARRIED))
                    }
                    _ => Expr::Int(self.rng.within(CARRIED.lo, CARRIED.hi)),
                };
                update.push(assign(carried.clone(), value));
            } else if !world.own.is_empty() && self.rng.percent(70) {
                let own = world.own[self.rng.below(world.own.len())].clone();
                update.push(assign(own, Expr::Load(carried.clone())));
            }
        }
        if !world.own.is_empty() && self.rng.percent(25) {
            let own = world.own[self.rng.below(world.own.len())].clone();
            let value = match self.rng.percent(50) {
                true => Expr::Int(self.rng.within(OWN.lo, OWN.hi)),
                false => {
                    let next = binary(BinaryOp::Add, Expr::Load(own.clone()), Expr::Int(1));
                    binary(BinaryOp::Remainder, next, Expr::Int(OWN.hi + 1))
                }
            };
            update.push(assign(own, value));
        }
        let target = LocationId::from_index(target);
        Edge {
            source: LocationId::from_index(source),
            selects,
            guard,
            sync: drawn.sync,
            update,
            branches: vec![Branch {
                weight: None,
                selects: Vec::new(),
                update: Vec::new(),
                target,
            }],
            controllable: true,
            frame: Frame { ints: 2, doubles: 0 },
        }
    }

    fn clock_guard(&mut self, scope: &Scope<'_>) -> ClockConstraint {
        let relation = self.rng.pick(&[
            Relation::Less,
            Relation::LessEqual,
            Relation::Equal,
            Relation::GreaterEqual,
            Relation::GreaterEqual,
            Relation::Greater,
            Relation::Greater,
        ]);
        let least = i32::from(matches!(relation, Relation::Less));
        let bound = Expr::Int(self.rng.within(least, LARGEST - 1));
        constraint(self.rng.pick(scope.clocks), relation, bound)
    }

    /// A condition on variables of the side, or on what it was told.
    fn data(&mut self, scope: &Scope<'_>) -> Option<Expr> {
        let told = scope.world.received.iter().filter_map(|wire| wire.carried.clone());
        let mut places: Vec<Place> = scope.world.own.clone();
        places.extend(told.filter(|_| self.rng.percent(40)));
        if places.is_empty() {
            return None;
        }
        let place = places.swap_remove(self.rng.below(places.len()));
        let op = self.rng.pick(&[BinaryOp::Equal, BinaryOp::NotEqual, BinaryOp::LessEqual]);
        let value = Expr::Int(self.rng.within(place.range.lo, place.range.hi));
        Some(binary(op, Expr::Load(place), value))
    }
}

/// What an edge is drawn for.
struct Scope<'s> {
    world: &'s World,
    clocks: &'s [ClockId],
    main: ClockId,
}

/// A synchronisation, with what it brings along.
struct Drawn {
    sync: Sync,
    select: Option<Select>,
    carried: Option<Place>,
    urgent: bool,
    broadcast: bool,
}

impl Drawn {
    const NONE: Drawn = Drawn {
        sync: Sync::Internal,
        select: None,
        carried: None,
        urgent: false,
        broadcast: false,
    };
}

fn place(storage: Storage, base: u32, range: Range) -> Place {
    Place { storage, number: Number::Int, base, indices: Vec::new(), size: 1, range }
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(Box::new(Binary { op, number: Number::Int, size: 1, left, right }))
}

fn reset(clock: ClockId) -> Expr {
    Expr::SetClock { clock: Indexed::fixed(clock), value: Box::new(Expr::Int(0)) }
}

fn assign(target: Place, value: Expr) -> Expr {
    let (target, value) = (Box::new(target), Box::new(value));
    Expr::Assign { target, op: AssignOp::Set, value, result: AssignResult::New }
}

fn constraint(clock: ClockId, relation: Relation, bound: Expr) -> ClockConstraint {
    let left = Some(Indexed::fixed(clock));
    ClockConstraint { when: None, left, right: None, relation, number: Number::Int, bound }
}
