//! Random networks.

use punctual_model::{
    AssignOp, AssignResult, Binary, BinaryOp, Branch, Channel, ChannelId, ChannelRef, Clock,
    ClockConstraint, ClockId, ClockRef, Condition, Edge, EventId, Expr, Frame, Id, Index, Indexed,
    Location, LocationId, LocationKind, Network, Number, Participant, Place, Process, ProcessId,
    Range, RangePolicy, Rate, Relation, Select, Storage, Sync, SyncVector, Type, Variable,
};

use super::{Features, Rng};

/// The number of elements of the array that networks with variables have.
const ARRAY_LEN: u32 = 3;
const ARRAY_RANGE: Range = Range { lo: 0, hi: 2 };

/// The network of a seed.
pub(crate) fn network(seed: u64, features: &Features) -> Network {
    let mut generator = Generator {
        rng: Rng::new(seed),
        features: *features,
        network: Network::default(),
        scalars: Vec::new(),
        array: None,
        alike: 1,
    };
    generator.declarations();
    for _ in 0..generator.rng.pick(&[2, 3, 3]) {
        generator.process();
    }
    match features.tchecker {
        true => generator.vectors(),
        false => generator.pair_up(),
    }
    generator.network
}

struct Generator {
    rng: Rng,
    features: Features,
    network: Network,
    /// The integer variables.
    scalars: Vec<Place>,
    /// The first element of the array.
    array: Option<u32>,
    /// How many of the first channels are of one kind, so that they can be an array.
    alike: usize,
}

/// Values that an edge can use besides variables.
struct Scope {
    selects: Vec<Select>,
}

impl Generator {
    fn declarations(&mut self) {
        let features = self.features;
        for i in 0..self.rng.within(1, 3) {
            let name = format!("x{i}");
            self.network.clocks.push(Clock { name, owner: None, hybrid: false, initial: 0.0 });
        }
        if features.variables {
            self.variables();
        }
        if features.tchecker {
            self.network.range_policy = RangePolicy::Disable;
            for i in 0..self.rng.within(2, 4) {
                self.network.events.push(format!("e{i}"));
            }
            return;
        }
        for i in 0..self.rng.within(1, 3) {
            let channel = Channel {
                name: format!("c{i}"),
                broadcast: features.broadcast && self.rng.percent(70),
                urgent: features.urgent_channels && self.rng.percent(50),
                priority: self.priority(features.channel_priorities),
            };
            self.network.channels.push(channel);
        }
        if features.select && self.network.channels.len() > 1 {
            self.alike = 2;
            let [first, second] = [0, 1].map(ChannelId::from_index);
            let Channel { broadcast, urgent, .. } = self.network.channels[first];
            let second = &mut self.network.channels[second];
            (second.broadcast, second.urgent) = (broadcast, urgent);
        }
        self.network.default_priority = self.priority(features.channel_priorities);
    }

    fn priority(&mut self, different: bool) -> i32 {
        if different { self.rng.within(0, 2) } else { 0 }
    }

    fn variables(&mut self) {
        for i in 0..self.rng.within(1, 3) {
            let range = Range { lo: self.rng.pick(&[0, 0, -1]), hi: self.rng.within(1, 3) };
            let base = self.network.initial.ints.len() as u32;
            self.variable(format!("v{i}"), Type::Int(range), base);
            self.network.initial.ints.push(self.rng.within(range.lo, range.hi));
            self.scalars.push(scalar(Storage::State, base, range));
        }
        if self.rng.percent(50) {
            let base = self.network.initial.ints.len() as u32;
            let element = Box::new(Type::Int(ARRAY_RANGE));
            self.variable("a".to_owned(), Type::Array { lo: 0, len: ARRAY_LEN, element }, base);
            let initial = self.rng.within(ARRAY_RANGE.lo, ARRAY_RANGE.hi);
            self.network.initial.ints.extend([initial; ARRAY_LEN as usize]);
            self.array = Some(base);
        }
    }

    fn variable(&mut self, name: String, ty: Type, ints: u32) {
        let storage = Storage::State;
        self.network.variables.push(Variable { name, owner: None, ty, storage, ints, doubles: 0 });
    }

    fn process(&mut self) {
        let features = self.features;
        let name = format!("P{}", self.network.processes.len());
        let n_locations = self.rng.within(2, 4) as usize;
        let locations: Vec<Location> = (0..n_locations).map(|i| self.location(i)).collect();
        let n_edges = self.rng.within(3, 5).max(n_locations as i32);
        let edges = (0..n_edges).map(|i| self.edge(i as usize, &locations)).collect();
        let locations = locations.into_iter().collect();
        let mut initial = vec![LocationId::from_index(0)];
        if features.tchecker && self.rng.percent(15) {
            initial.push(LocationId::from_index(1));
        }
        let priority = self.priority(features.process_priorities && !features.tchecker);
        let template = name.clone();
        let process = Process { name, template, locations, initial, edges, priority };
        self.network.processes.push(process);
    }

    fn location(&mut self, i: usize) -> Location {
        let features = self.features;
        let kind = match self.rng.below(100) {
            0..12 if features.urgent_locations => LocationKind::Urgent,
            12..22 if features.committed => LocationKind::Committed,
            _ => LocationKind::Normal,
        };
        let mut invariant = Condition::default();
        if features.invariants && self.rng.percent(40) {
            let relation = match self.strict() {
                true => Relation::Less,
                false => Relation::LessEqual,
            };
            let bound = self.bound(1, &Scope::NONE);
            let left = Some(self.clock());
            invariant.clocks.push(self.constraint(left, None, relation, bound, &Scope::NONE));
            if self.rng.percent(15) {
                invariant.data.extend(self.data(&Scope::NONE));
            }
        }
        let mut rates = Vec::new();
        if features.stopwatches && !features.tchecker && self.rng.percent(30) {
            let bit = self.scalars.iter().find(|place| place.range == Range::BOOL);
            let value = match bit {
                Some(place) if self.rng.percent(50) => Expr::Load(place.clone()),
                _ => Expr::Int(0),
            };
            rates.push(Rate { clock: self.clock(), number: Number::Int, value });
        }
        let name = format!("l{i}");
        let (labels, frame) = (Vec::new(), Frame::default());
        Location { name, kind, invariant, rates, exponential_rate: None, labels, frame }
    }

    fn edge(&mut self, i: usize, locations: &[Location]) -> Edge {
        let n_locations = locations.len();
        let features = self.features;
        let rich = !features.tchecker;
        let mut scope = Scope { selects: Vec::new() };
        if features.select && rich && self.rng.percent(30) {
            scope.selects.push(self.select(0));
        }
        // The first edges are ways out of every location.
        let source = if i < n_locations { i } else { self.rng.below(n_locations) };
        let sync = self.sync(&scope);
        let mut guard = Condition::default();
        if self.may_have_clock_guard(&sync) {
            let stays = locations[source].kind == LocationKind::Normal;
            for percent in [if stays { 55 } else { 20 }, 12] {
                if self.rng.percent(percent) {
                    guard.clocks.push(self.clock_guard(&scope));
                }
            }
        }
        if self.rng.percent(25) {
            guard.data.extend(self.data(&scope));
        }
        let mut update = self.update(&scope);
        let n_branches = match features.branches && rich && self.rng.percent(25) {
            true => 2,
            false => 1,
        };
        let mut branches = Vec::new();
        for _ in 0..n_branches {
            let target = match i < n_locations && self.rng.percent(60) {
                true => (i + 1) % n_locations,
                false => self.rng.below(n_locations),
            };
            let bounded = locations[target].invariant.clocks.first();
            let target = LocationId::from_index(target);
            let mut branch =
                Branch { weight: None, selects: Vec::new(), update: Vec::new(), target };
            // A location with an invariant can be entered more often if its clock is reset.
            if let Some(clock) = bounded.and_then(|constraint| constraint.left.clone())
                && n_branches == 1
                && self.rng.percent(50)
            {
                update.push(Expr::SetClock { clock, value: Box::new(Expr::Int(0)) });
            }
            if n_branches > 1 {
                let mut inner = Scope { selects: scope.selects.clone() };
                if features.select && self.rng.percent(30) {
                    branch.selects.push(self.select(1));
                    inner.selects.clone_from(&branch.selects);
                }
                branch.update = self.update(&inner);
            }
            branches.push(branch);
        }
        Edge {
            source: LocationId::from_index(source),
            selects: scope.selects,
            guard,
            sync,
            update,
            branches,
            controllable: true,
            frame: Frame { ints: if features.select && rich { 2 } else { 0 }, doubles: 0 },
        }
    }

    fn select(&mut self, slot: u32) -> Select {
        let range = Range { lo: 0, hi: self.rng.within(1, 2) };
        Select { name: format!("s{slot}"), slot, range }
    }

    fn sync(&mut self, scope: &Scope) -> Sync {
        if self.features.tchecker {
            return Sync::Event(EventId::from_index(self.rng.below(self.network.events.len())));
        }
        if self.rng.percent(45) {
            return Sync::Internal;
        }
        let channel = self.channel(scope);
        match self.rng.percent(45) {
            true => Sync::Send(channel),
            false => Sync::Receive(channel),
        }
    }

    fn channel(&mut self, scope: &Scope) -> ChannelRef {
        if let Some(select) = scope.selects.first()
            && select.range.hi < self.alike as i32
            && self.rng.percent(50)
        {
            let base = ChannelId::from_index(0);
            let value = select.value();
            let index = Index { value, lo: 0, len: self.alike as u32, stride: 1 };
            return Indexed { base, indices: vec![index] };
        }
        // The first is used most, so that it has more than one receiver.
        let n_channels = self.network.channels.len();
        let i = self.rng.below(n_channels).min(self.rng.below(n_channels));
        Indexed::fixed(ChannelId::from_index(i))
    }

    fn may_have_clock_guard(&self, sync: &Sync) -> bool {
        let Some(channel) = sync.channel() else { return true };
        let channel = &self.network.channels[channel.base];
        let receives = matches!(sync, Sync::Receive(_));
        (!channel.urgent || self.features.urgent_clock_guards)
            && (!channel.broadcast || !receives || self.features.broadcast_clock_guards)
    }

    fn strict(&mut self) -> bool {
        self.features.strict && !self.features.closed && self.rng.percent(40)
    }

    fn clock(&mut self) -> ClockRef {
        Indexed::fixed(ClockId::from_index(self.rng.below(self.network.clocks.len())))
    }

    fn clock_guard(&mut self, scope: &Scope) -> ClockConstraint {
        let relation = match (self.rng.percent(15), self.rng.percent(45), self.strict()) {
            (true, _, _) => Relation::Equal,
            (_, true, true) => Relation::Less,
            (_, true, false) => Relation::LessEqual,
            (_, false, true) => Relation::Greater,
            (_, false, false) => Relation::GreaterEqual,
        };
        let (left, right) = (self.clock(), self.clock());
        if self.features.diagonals && left != right && self.rng.percent(35) {
            let bound = Expr::Int(self.rng.within(-2, 3));
            return self.constraint(Some(left), Some(right), relation, bound, scope);
        }
        let bound = self.bound(0, scope);
        self.constraint(Some(left), None, relation, bound, scope)
    }

    fn constraint(
        &mut self,
        left: Option<ClockRef>,
        right: Option<ClockRef>,
        relation: Relation,
        bound: Expr,
        scope: &Scope,
    ) -> ClockConstraint {
        let conditional = !self.features.tchecker && self.rng.percent(10);
        let when = if conditional { self.data(scope) } else { None };
        ClockConstraint { when, left, right, relation, number: Number::Int, bound }
    }

    /// What a clock is compared with.
    fn bound(&mut self, least: i32, scope: &Scope) -> Expr {
        let constant = self.rng.within(least, 4);
        match self.rng.below(100) {
            0..8 => match scope.selects.last() {
                Some(select) => select.value(),
                None => Expr::Int(constant),
            },
            8..25 if !self.scalars.is_empty() => {
                let variable = Expr::Load(self.scalar());
                match self.rng.percent(50) {
                    true => variable,
                    false => binary(BinaryOp::Add, variable, Expr::Int(constant.min(2))),
                }
            }
            _ => Expr::Int(constant),
        }
    }

    fn scalar(&mut self) -> Place {
        let i = self.rng.below(self.scalars.len());
        self.scalars[i].clone()
    }

    /// A variable or an element of the array. With faults, the index can be outside.
    fn place(&mut self, scope: &Scope) -> Place {
        let Some(base) = self.array.filter(|_| self.rng.percent(40)) else {
            return self.scalar();
        };
        let variable = self.scalar();
        let inside = variable.range.lo >= 0 && variable.range.hi < ARRAY_LEN as i32;
        let select = scope.selects.first().map(Select::value);
        let value = match (self.rng.below(3), select) {
            (0, Some(select)) => select,
            (1, _) if inside || self.features.faults => Expr::Load(variable),
            _ => {
                let fixed = self.rng.below(ARRAY_LEN as usize) as u32;
                return scalar(Storage::State, base + fixed, ARRAY_RANGE);
            }
        };
        let index = Index { value, lo: 0, len: ARRAY_LEN, stride: 1 };
        Place { indices: vec![index], ..scalar(Storage::State, base, ARRAY_RANGE) }
    }

    /// A condition on variables, if there are any.
    fn data(&mut self, scope: &Scope) -> Option<Expr> {
        if self.scalars.is_empty() {
            return None;
        }
        let place = self.place(scope);
        let op = self.rng.pick(&[
            BinaryOp::Equal,
            BinaryOp::NotEqual,
            BinaryOp::LessEqual,
            BinaryOp::GreaterEqual,
        ]);
        let right = match scope.selects.last() {
            Some(select) if self.rng.percent(50) => select.value(),
            _ => Expr::Int(self.rng.within(place.range.lo, place.range.hi)),
        };
        Some(binary(op, Expr::Load(place), right))
    }

    fn update(&mut self, scope: &Scope) -> Vec<Expr> {
        let mut update = Vec::new();
        if self.rng.percent(50) {
            update.push(self.clock_update());
        }
        if self.rng.percent(15) {
            update.push(self.clock_update());
        }
        if !self.scalars.is_empty() && self.rng.percent(40) {
            update.push(self.assignment(scope));
        }
        if !self.scalars.is_empty() && self.rng.percent(10) {
            update.push(self.assignment(scope));
        }
        update
    }

    fn clock_update(&mut self) -> Expr {
        let features = self.features;
        let (clock, from) = (self.clock(), Expr::Clock(self.clock()));
        let value = match self.rng.below(100) {
            0..20 if features.clock_constants => Expr::Int(self.rng.within(1, 3)),
            20..35 if features.clock_copies => from,
            35..45 if features.clock_copies => {
                let offset = Expr::ToDouble(Box::new(Expr::Int(self.rng.within(1, 2))));
                // The orders are those of the two front-ends.
                match features.tchecker {
                    true => double(BinaryOp::Add, offset, from),
                    false => double(BinaryOp::Add, from, offset),
                }
            }
            45..55 if features.clock_copies && features.faults && !features.tchecker => {
                let offset = Expr::ToDouble(Box::new(Expr::Int(self.rng.within(1, 2))));
                double(BinaryOp::Subtract, from, offset)
            }
            _ => Expr::Int(0),
        };
        Expr::SetClock { clock, value: Box::new(value) }
    }

    /// An assignment to a variable that stays in its range, unless faults are asked for.
    fn assignment(&mut self, scope: &Scope) -> Expr {
        let place = self.place(scope);
        let Range { lo, hi } = place.range;
        let fits = |range: Range| lo <= range.lo && range.hi <= hi;
        let select = scope.selects.last().filter(|select| fits(select.range)).map(Select::value);
        let other = self.place(scope);
        let old = Expr::Load(place.clone());
        let value = match (self.rng.below(100), select) {
            (0..40, Some(select)) => select,
            (40..60, _) if fits(other.range) => Expr::Load(other),
            (60..85, _) => {
                // To the next value, and from the last to the first.
                let steps = binary(BinaryOp::Add, old, Expr::Int(1 - lo));
                let round = binary(BinaryOp::Remainder, steps, Expr::Int(hi - lo + 1));
                binary(BinaryOp::Add, round, Expr::Int(lo))
            }
            (85.., _) if self.features.faults => {
                let op = self.rng.pick(&[BinaryOp::Add, BinaryOp::Subtract]);
                binary(op, old, Expr::Int(1))
            }
            _ => Expr::Int(self.rng.within(lo, hi)),
        };
        let (target, value) = (Box::new(place), Box::new(value));
        Expr::Assign { target, op: AssignOp::Set, value, result: AssignResult::New }
    }

    /// Changes most edges that wait for a partner that does not exist.
    fn pair_up(&mut self) {
        for process in self.network.processes.ids() {
            for edge in self.network.processes[process].edges.ids() {
                let sync = &self.network.processes[process].edges[edge].sync;
                let Some(channel) = sync.channel().cloned() else { continue };
                let sends = matches!(sync, Sync::Send(_));
                let broadcast = self.network.channels[channel.base].broadcast;
                if (broadcast && sends) || self.has_partner(process, &channel, sends) {
                    continue;
                }
                let other = match sends {
                    true => Sync::Receive(channel.clone()),
                    false => Sync::Send(channel.clone()),
                };
                let sync = match self.rng.below(10) {
                    0..6 if broadcast || self.has_partner(process, &channel, !sends) => other,
                    0..9 => Sync::Internal,
                    _ => continue,
                };
                self.network.processes[process].edges[edge].sync = sync;
            }
        }
    }

    /// Whether another process has an edge for the other side of the channel.
    fn has_partner(&self, process: ProcessId, channel: &ChannelRef, sends: bool) -> bool {
        let others = self.network.processes.enumerate().filter(|(id, _)| *id != process);
        let mut edges = others.flat_map(|(_, process)| &process.edges);
        edges.any(|edge| match &edge.sync {
            Sync::Send(other) => !sends && other.base == channel.base,
            Sync::Receive(other) => sends && other.base == channel.base,
            _ => false,
        })
    }

    /// Makes some events happen together.
    fn vectors(&mut self) {
        let n_processes = self.network.processes.len();
        for _ in 0..self.rng.within(1, 3) {
            let mut participants = Vec::new();
            let first = self.rng.below(n_processes);
            let step = self.rng.within(1, n_processes as i32 - 1) as usize;
            for i in 0..self.rng.within(2, n_processes as i32) as usize {
                participants.push(Participant {
                    process: ProcessId::from_index((first + i * step) % n_processes),
                    event: EventId::from_index(self.rng.below(self.network.events.len())),
                    weak: self.features.weak && self.rng.percent(40),
                });
            }
            let key = |vector: &SyncVector| {
                let mut key: Vec<_> =
                    vector.participants.iter().map(|p| (p.process, p.event, p.weak)).collect();
                key.sort_unstable();
                key
            };
            let vector = SyncVector { participants };
            if !self.network.sync_vectors.iter().any(|other| key(other) == key(&vector)) {
                self.network.sync_vectors.push(vector);
            }
        }
        // Edges of events that synchronise weakly have no guards.
        let participants = self.network.sync_vectors.iter().flat_map(|v| &v.participants);
        for weak in participants.filter(|participant| participant.weak) {
            let edges = &mut self.network.processes[weak.process].edges;
            for edge in edges.iter_mut().filter(|edge| edge.sync == Sync::Event(weak.event)) {
                edge.guard = Condition::default();
            }
        }
    }
}

impl Scope {
    const NONE: Self = Self { selects: Vec::new() };
}

/// The value of a select.
trait Value {
    fn value(&self) -> Expr;
}

impl Value for Select {
    fn value(&self) -> Expr {
        Expr::Load(scalar(Storage::Local, self.slot, self.range))
    }
}

pub(super) fn scalar(storage: Storage, base: u32, range: Range) -> Place {
    Place { storage, number: Number::Int, base, indices: Vec::new(), size: 1, range }
}

pub(crate) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(Box::new(Binary { op, number: Number::Int, size: 1, left, right }))
}

fn double(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(Box::new(Binary { op, number: Number::Double, size: 1, left, right }))
}
