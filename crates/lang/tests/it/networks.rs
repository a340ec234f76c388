//! Random flat networks, made from bytes: what proptest shrinks are the bytes.
//!
//! The networks say what TChecker's format can say, in the shape that its reader gives: nothing
//! is left to fold, functions are numbered process by process.

use punctual_model::{
    AssignOp, AssignResult, Binary, BinaryOp, Branch, Clock, ClockConstraint, ClockId, ClockRef,
    Condition, Edge, EdgeId, Expr, Frame, Function, FunctionBody, Id, IdVec, Index, Indexed,
    Location, LocationId, LocationKind, Network, Number, Participant, Place, Process, ProcessId,
    Range, RangePolicy, Relation, ReturnType, Statement, Storage, Sync, SyncVector, Type, UnaryOp,
    Variable,
};

/// A network made of bytes; when they run out, the rest is as small as can be.
pub(crate) fn network(bytes: &[u8]) -> Network {
    let mut maker = Maker { bytes: bytes.iter(), network: Network::default(), locals: 0 };
    maker.network();
    maker.network
}

struct Maker<'a> {
    bytes: std::slice::Iter<'a, u8>,
    network: Network,
    /// Local slots that can be used.
    locals: u32,
}

impl Maker<'_> {
    fn pick(&mut self, n: usize) -> usize {
        usize::from(*self.bytes.next().unwrap_or(&0)) % n
    }

    fn number(&mut self) -> i32 {
        match self.pick(8) {
            0 => i32::MIN,
            1 => i32::MAX,
            n => n as i32 - 4,
        }
    }

    fn network(&mut self) {
        self.network.range_policy = RangePolicy::Disable;
        for i in 0..=self.pick(3) {
            let len = 1 + self.pick(3) as u32;
            let range = Range { lo: -(self.pick(5) as i32), hi: self.pick(100) as i32 };
            let element = Type::Int(range);
            let first = self.network.initial.ints.len();
            self.network.variables.push(Variable {
                name: format!("i{i}"),
                owner: None,
                ty: match len {
                    1 => element,
                    _ => Type::Array { lo: 0, len, element: Box::new(element) },
                },
                storage: Storage::State,
                ints: first as u32,
                doubles: 0,
            });
            self.network.initial.ints.resize(first + len as usize, range.hi.min(1));
        }
        for i in 0..=self.pick(3) {
            let len = 1 + self.pick(2);
            for k in 0..len {
                let name = if len == 1 { format!("x{i}") } else { format!("x{i}[{k}]") };
                let clock = Clock { name, owner: None, hybrid: false, initial: 0.0 };
                self.network.clocks.push(clock);
            }
        }
        for i in 0..=self.pick(3) {
            self.network.events.push(format!("e{i}"));
        }
        for i in 0..=self.pick(3) {
            self.process(i);
        }
        for _ in 0..self.pick(4) {
            self.vector();
        }
        self.drop_weak_guards();
    }

    fn process(&mut self, i: usize) {
        let name = format!("P{i}");
        let n_locations = 1 + self.pick(3);
        let mut process = Process {
            template: name.clone(),
            name,
            locations: IdVec::new(),
            initial: vec![LocationId::from_index(0)],
            edges: IdVec::new(),
            priority: 0,
        };
        for k in 0..n_locations {
            let kind = [LocationKind::Normal, LocationKind::Urgent, LocationKind::Committed];
            let id = process.locations.push(Location {
                name: format!("l{k}"),
                kind: kind[self.pick(3)],
                invariant: self.condition(),
                rates: Vec::new(),
                exponential_rate: None,
                labels: (0..self.pick(3)).map(|n| format!("label{n}")).collect(),
                frame: Frame::default(),
            });
            if k > 0 && self.pick(4) == 1 {
                process.initial.push(id);
            }
        }
        for k in 0..self.pick(5) {
            let edge = self.edge(&process.name, k, n_locations);
            process.edges.push(edge);
        }
        self.network.processes.push(process);
    }

    fn edge(&mut self, process: &str, k: usize, n_locations: usize) -> Edge {
        let source = LocationId::from_index(self.pick(n_locations));
        let target = LocationId::from_index(self.pick(n_locations));
        let guard = self.condition();
        let event = self.pick(self.network.events.len());
        let update = match self.pick(4) {
            0 => Vec::new(),
            3 => {
                let mut frame = Frame::default();
                self.locals = 0;
                let mut body = self.block(3, &mut frame);
                self.locals = 0;
                // Something that is no plain assignment, so that it is a function.
                body.push(Statement::If(self.comparison(1), self.assignments(1), Vec::new()));
                let function = self.network.functions.push(Function {
                    name: format!("{process}.edge{}", EdgeId::from_index(k).index()),
                    params: Vec::new(),
                    returns: ReturnType::Void,
                    frame,
                    shares_frame: false,
                    body: FunctionBody::Statements(body),
                });
                vec![Expr::Call { function, arguments: Vec::new() }]
            }
            n => (0..n).map(|_| self.assignment()).collect(),
        };
        let branch = Branch { weight: None, selects: Vec::new(), update: Vec::new(), target };
        Edge {
            source,
            selects: Vec::new(),
            guard,
            sync: Sync::Event(Id::from_index(event)),
            update,
            branches: vec![branch],
            controllable: true,
            frame: Frame::default(),
        }
    }

    fn assignments(&mut self, n: usize) -> Vec<Statement> {
        (0..n).map(|_| Statement::Expr(self.assignment())).collect()
    }

    fn block(&mut self, depth: usize, frame: &mut Frame) -> Vec<Statement> {
        let outer = self.locals;
        let mut body = Vec::new();
        // A local can be used to the end of its block only; use it at once, at the start.
        if frame.ints == outer && self.pick(2) == 1 {
            let place = local(frame.ints);
            body.push(Statement::Clear { place, value: 0 });
            frame.ints += 1;
            self.locals = frame.ints;
        }
        for _ in 0..self.pick(3) {
            let statement = match self.pick(if depth == 0 { 1 } else { 3 }) {
                1 => {
                    let condition = self.formula(2);
                    let yes = self.block(depth - 1, frame);
                    let no = self.block(depth - 1, frame);
                    Statement::If(condition, yes, no)
                }
                2 => Statement::While(self.formula(2), self.block(depth - 1, frame)),
                _ => Statement::Expr(self.assignment()),
            };
            body.push(statement);
        }
        self.locals = outer;
        body
    }

    fn assignment(&mut self) -> Expr {
        let expr = match self.pick(5) {
            0 => Expr::Int(self.pick(5) as i32),
            _ => self.term(2),
        };
        match self.pick(5) {
            0 => Expr::SetClock { clock: self.clock(), value: Box::new(expr) },
            1 => Expr::SetClock { clock: self.clock(), value: Box::new(Expr::Clock(self.clock())) },
            2 => {
                let sum = Binary {
                    op: BinaryOp::Add,
                    number: Number::Double,
                    size: 1,
                    left: Expr::ToDouble(Box::new(expr)),
                    right: Expr::Clock(self.clock()),
                };
                let value = Box::new(Expr::Binary(Box::new(sum)));
                Expr::SetClock { clock: self.clock(), value }
            }
            _ => Expr::Assign {
                target: Box::new(self.place()),
                op: AssignOp::Set,
                value: Box::new(expr),
                result: AssignResult::New,
            },
        }
    }

    fn place(&mut self) -> Place {
        if self.locals > 0 && self.pick(2) == 1 {
            return local(self.locals - 1);
        }
        let at = self.pick(self.network.variables.len());
        let variable = self.network.variables.iter().nth(at).expect("in range").clone();
        let (len, range) = match &variable.ty {
            Type::Array { len, element, .. } => match **element {
                Type::Int(range) => (*len, range),
                _ => unreachable!("all elements are integers"),
            },
            Type::Int(range) => (1, *range),
            _ => unreachable!("all variables are integers"),
        };
        let (offset, indices) = match self.pick(3) {
            0 => (0, vec![Index { value: self.load(), lo: 0, len, stride: 1 }]),
            _ => (self.pick(len as usize) as u32, Vec::new()),
        };
        // A single variable has no index.
        let indices = if len == 1 { Vec::new() } else { indices };
        place(Storage::State, variable.ints + offset, indices, range)
    }

    /// The value of something that takes no further choice.
    fn load(&mut self) -> Expr {
        let variable = self.network.variables.iter().next().expect("there is one");
        let range = match &variable.ty {
            Type::Array { element, .. } => match **element {
                Type::Int(range) => range,
                _ => Range::ALL,
            },
            Type::Int(range) => *range,
            _ => Range::ALL,
        };
        Expr::Load(place(Storage::State, variable.ints, Vec::new(), range))
    }

    fn clock(&mut self) -> ClockRef {
        let at = self.pick(self.network.clocks.len());
        let name = &self.network.clocks[ClockId::from_index(at)].name;
        if name.ends_with("[0]") && self.pick(2) == 1 {
            let indices = vec![Index { value: self.term(1), lo: 0, len: 2, stride: 1 }];
            return Indexed { base: ClockId::from_index(at), indices };
        }
        ClockRef::fixed(ClockId::from_index(at))
    }

    /// A number that is no constant.
    fn term(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return Expr::Load(self.place());
        }
        match self.pick(5) {
            0 => Expr::Load(self.place()),
            1 => {
                let inner = self.term(depth - 1);
                Expr::Unary(UnaryOp::Negate, Number::Int, Box::new(inner))
            }
            2 => {
                let condition = self.formula(depth - 1);
                let parts = [condition, Expr::Int(self.number()), self.term(depth - 1)];
                Expr::Conditional(Box::new(parts))
            }
            _ => {
                let op = [
                    BinaryOp::Add,
                    BinaryOp::Subtract,
                    BinaryOp::Multiply,
                    BinaryOp::Divide,
                    BinaryOp::Remainder,
                ][self.pick(5)];
                let left = self.term(depth - 1);
                let right = match self.pick(2) {
                    0 => Expr::Int(self.number()),
                    _ => self.term(depth - 1),
                };
                match self.pick(2) {
                    0 => binary(op, left, right),
                    _ => match right {
                        Expr::Int(_) => binary(op, right, left),
                        _ => binary(op, left, right),
                    },
                }
            }
        }
    }

    fn comparison(&mut self, depth: usize) -> Expr {
        let op = [
            BinaryOp::Less,
            BinaryOp::LessEqual,
            BinaryOp::Equal,
            BinaryOp::NotEqual,
            BinaryOp::GreaterEqual,
            BinaryOp::Greater,
        ][self.pick(6)];
        binary(op, self.term(depth), Expr::Int(self.number()))
    }

    fn atom(&mut self, depth: usize) -> Expr {
        match self.pick(4) {
            0 => self.term(depth),
            1 => {
                let inner =
                    if self.pick(2) == 0 { self.comparison(depth) } else { self.term(depth) };
                Expr::Unary(UnaryOp::Not, Number::Int, Box::new(inner))
            }
            _ => self.comparison(depth),
        }
    }

    fn formula(&mut self, depth: usize) -> Expr {
        let left = self.atom(depth);
        match self.pick(3) {
            0 if depth > 0 => binary(BinaryOp::And, left, self.formula(depth - 1)),
            _ => left,
        }
    }

    fn condition(&mut self) -> Condition {
        let data = (0..self.pick(3)).map(|_| self.atom(2)).collect();
        let clocks = (0..self.pick(3))
            .map(|_| {
                let relations = [
                    Relation::Less,
                    Relation::LessEqual,
                    Relation::Equal,
                    Relation::GreaterEqual,
                    Relation::Greater,
                ];
                let left = Some(self.clock());
                let right = if self.pick(3) == 1 { Some(self.clock()) } else { None };
                // The difference of a clock and itself is no constraint on clocks.
                let right = right.filter(|right| left.as_ref() != Some(right));
                let bound = if self.pick(3) == 1 { self.term(1) } else { Expr::Int(self.number()) };
                let relation = relations[self.pick(5)];
                ClockConstraint { when: None, left, right, relation, number: Number::Int, bound }
            })
            .collect();
        Condition { data, clocks }
    }

    fn vector(&mut self) {
        let mut participants = Vec::new();
        for i in 0..self.network.processes.len() {
            if self.pick(3) > 0 {
                let process = ProcessId::from_index(i);
                let event = Id::from_index(self.pick(self.network.events.len()));
                participants.push(Participant { process, event, weak: self.pick(4) == 1 });
            }
        }
        let vector = SyncVector { participants };
        if !vector.participants.is_empty() && !self.network.sync_vectors.contains(&vector) {
            self.network.sync_vectors.push(vector);
        }
    }

    /// Weakly synchronised edges have no guards.
    fn drop_weak_guards(&mut self) {
        let network = &mut self.network;
        let participants = network.sync_vectors.iter().flat_map(|vector| &vector.participants);
        for participant in participants.filter(|p| p.weak) {
            for edge in network.processes[participant.process].edges.iter_mut() {
                if edge.sync == Sync::Event(participant.event) {
                    edge.guard = Condition::default();
                }
            }
        }
    }
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(Box::new(Binary { op, number: Number::Int, size: 1, left, right }))
}

fn place(storage: Storage, base: u32, indices: Vec<Index>, range: Range) -> Place {
    Place { storage, number: Number::Int, base, indices, size: 1, range }
}

fn local(slot: u32) -> Place {
    place(Storage::Local, slot, Vec::new(), Range::ALL)
}
