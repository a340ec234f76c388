//! Networks and expressions made from a stream of choices. When the stream ends, every choice is
//! the first one, so what is made is finite and shrinks.

use punctual_model::*;

/// Where things are. Arrays are followed by blocks of the same elements.
pub(super) const N_STATE: u32 = 21;
pub(super) const N_META: u32 = 5;
pub(super) const N_LOCALS: u32 = 200;
pub(super) const N_CLOCKS: u32 = 4;
const N_CONSTANTS: u32 = 6;
const LOCAL_BLOCK: u32 = 3;

pub(super) struct Generator {
    choices: std::vec::IntoIter<u16>,
    pub(super) network: Network,
    /// The functions that may be called: those before the one that is made.
    callable: u32,
    /// Where the slots of loops start in the frame, and how many are in use.
    loops: u32,
    nesting: u32,
    /// Whether expressions may change something.
    effects: bool,
}

pub(super) fn place(storage: Storage, base: u32, size: u32, range: Range) -> Place {
    Place { storage, number: Number::Int, base, indices: Vec::new(), size, range }
}

pub(super) fn load(storage: Storage, base: u32) -> Expr {
    Expr::Load(place(storage, base, 1, Range::ALL))
}

pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(Box::new(Binary { op, number: Number::Int, size: 1, left, right }))
}

pub(super) fn assign(target: Place, op: AssignOp, value: Expr, result: AssignResult) -> Expr {
    Expr::Assign { target: Box::new(target), op, value: Box::new(value), result }
}

impl Generator {
    pub(super) fn new(choices: Vec<u16>) -> Self {
        let mut network = Network::default();
        for name in ["P", "Q"] {
            network.processes.push(Process {
                name: name.to_owned(),
                template: name.to_owned(),
                locations: IdVec::new(),
                initial: Vec::new(),
                edges: IdVec::new(),
                priority: 0,
            });
        }
        for i in 0..N_CLOCKS {
            let name = format!("x[{i}]");
            network.clocks.push(Clock { name, owner: None, hybrid: false, initial: 0.0 });
        }
        network.constants.ints = (0..N_CONSTANTS as i32).map(|i| i * i - 4).collect();
        network.initial.ints = vec![0; N_STATE as usize];
        network.meta.ints = (1..=N_META as i32).collect();
        let mut generator = Self {
            choices: choices.into_iter(),
            network,
            callable: 0,
            loops: 100,
            nesting: 0,
            effects: false,
        };
        for slot in 5..N_STATE as usize {
            generator.network.initial.ints[slot] = generator.choose(5) as i32 - 1;
        }
        for index in 0..generator.choose(4) {
            generator.function(index);
        }
        generator.loops = 100;
        generator
    }

    fn choose(&mut self, options: u32) -> u32 {
        u32::from(self.choices.next().unwrap_or(0)) % options
    }

    fn is_done(&self) -> bool {
        self.choices.len() == 0
    }

    /// An expression that changes nothing, unless the functions that it calls do.
    pub(super) fn value(&mut self) -> Expr {
        self.effects = false;
        self.int(5)
    }

    pub(super) fn updates(&mut self) -> Vec<Expr> {
        self.effects = true;
        let count = 1 + self.choose(4);
        (0..count).map(|_| self.update()).collect()
    }

    pub(super) fn clock(&mut self) -> ClockRef {
        let mut clock = Indexed::fixed(ClockId::from_index(0));
        clock.base = ClockId::from_index(self.choose(3) as usize);
        if self.choose(3) == 1 {
            clock.base = ClockId::from_index(0);
            clock.indices.push(self.index(0, N_CLOCKS, 1));
        }
        clock
    }

    fn update(&mut self) -> Expr {
        match self.choose(8) {
            0 | 1 => self.assignment(4),
            2 => self.block_assignment(),
            3 => {
                let clock = self.clock();
                let value = match self.choose(4) {
                    0 => Expr::Int(self.choose(9) as i32),
                    1 => self.int(2),
                    2 => Expr::Clock(self.clock()),
                    _ => Expr::Binary(Box::new(Binary {
                        op: BinaryOp::Add,
                        number: Number::Double,
                        size: 1,
                        left: Expr::Clock(self.clock()),
                        right: Expr::ToDouble(Box::new(Expr::Int(self.choose(9) as i32))),
                    })),
                };
                Expr::SetClock { clock, value: Box::new(value) }
            }
            4 => self.call_any().unwrap_or(Expr::Int(7)),
            5 => {
                let parts = [self.int(2), self.assignment(2), self.assignment(2)];
                Expr::Conditional(Box::new(parts))
            }
            6 => Expr::Sequence(Box::new([self.assignment(2), self.assignment(2)])),
            _ => self.int(4),
        }
    }

    fn assignment(&mut self, depth: u32) -> Expr {
        let value = self.int(depth);
        let target = self.scalar(depth, false);
        const OPS: [BinaryOp; 8] = [
            BinaryOp::Add,
            BinaryOp::Subtract,
            BinaryOp::Multiply,
            BinaryOp::Divide,
            BinaryOp::Remainder,
            BinaryOp::BitAnd,
            BinaryOp::BitXor,
            BinaryOp::ShiftLeft,
        ];
        let op = AssignOp::Combine(OPS[self.choose(8) as usize]);
        let results = [AssignResult::New, AssignResult::Old];
        let result = results[self.choose(2) as usize];
        match self.choose(4) {
            0 | 1 => assign(target, AssignOp::Set, value, AssignResult::New),
            2 => assign(target, op, value, result),
            _ => assign(target, AssignOp::Combine(BinaryOp::Add), Expr::Int(1), result),
        }
    }

    /// An index that is mostly legal.
    fn index(&mut self, lo: i32, len: u32, stride: u32) -> Index {
        let value = match self.choose(8) {
            0..3 => Expr::Int(lo + self.choose(len) as i32),
            3..7 => {
                let inner = self.int(2);
                let bits = binary(BinaryOp::BitAnd, inner, Expr::Int(3));
                let fit = binary(BinaryOp::Minimum, bits, Expr::Int(len as i32 - 1));
                binary(BinaryOp::Add, Expr::Int(lo), fit)
            }
            _ => self.int(2),
        };
        Index { value, lo, len, stride }
    }

    /// An integer somewhere.
    fn scalar(&mut self, depth: u32, constant: bool) -> Place {
        const RANGES: [Range; 5] = [
            Range { lo: -20, hi: 40 },
            Range::INT,
            Range { lo: -100_000, hi: 100_000 },
            Range::ALL,
            Range { lo: -2_000, hi: 6 },
        ];
        let deep = if depth == 0 { 4 } else { 8 };
        match self.choose(deep) {
            0 | 1 => {
                let slot = self.choose(5);
                place(Storage::State, slot, 1, RANGES[slot as usize])
            }
            2 => place(Storage::Meta, self.choose(2), 1, Range::INT),
            3 => place(Storage::Local, self.choose(3), 1, Range { lo: -50_000, hi: 50_000 }),
            4 => {
                let mut place = place(Storage::State, 5, 1, Range { lo: -1_000, hi: 1_000 });
                place.indices.push(self.index(0, 4, 1));
                place
            }
            5 => {
                let mut place = place(Storage::State, 9, 1, Range::INT);
                place.indices.push(self.index(1, 2, 3));
                place.indices.push(self.index(-1, 3, 1));
                place
            }
            6 => {
                let mut place = place(Storage::Local, LOCAL_BLOCK, 1, Range::INT);
                place.indices.push(self.index(0, 3, 1));
                place
            }
            _ if constant => {
                let mut place = place(Storage::Constant, 0, 1, Range::ALL);
                place.indices.push(self.index(0, N_CONSTANTS, 1));
                place
            }
            _ => {
                let mut place = place(Storage::Meta, 2, 1, Range::INT);
                place.indices.push(self.index(1, 3, 1));
                place
            }
        }
    }

    /// Three integers somewhere.
    fn block(&mut self, constant: bool) -> Place {
        match self.choose(6) {
            0 => place(Storage::State, 15, 3, Range::ALL),
            1 => place(Storage::State, 18, 3, Range::ALL),
            2 => place(Storage::Local, LOCAL_BLOCK, 3, Range::ALL),
            3 => place(Storage::Meta, 2, 3, Range::ALL),
            4 if constant => place(Storage::Constant, 1, 3, Range::ALL),
            _ => {
                let mut place = place(Storage::State, 9, 3, Range::ALL);
                place.indices.push(self.index(1, 2, 3));
                place
            }
        }
    }

    fn block_value(&mut self, depth: u32) -> Expr {
        match self.choose(if depth == 0 { 2 } else { 5 }) {
            0 | 1 => Expr::Load(self.block(true)),
            2 => {
                let parts = [self.int(1), self.block_value(depth - 1), self.block_value(depth - 1)];
                Expr::Conditional(Box::new(parts))
            }
            3 => {
                let is_block = |returns: &ReturnType| matches!(returns, ReturnType::Block(..));
                match self.call(depth, is_block) {
                    Some(call) => call,
                    None => Expr::Load(self.block(true)),
                }
            }
            _ if self.effects => self.block_assignment(),
            _ => Expr::Load(self.block(true)),
        }
    }

    fn block_assignment(&mut self) -> Expr {
        let value = self.block_value(2);
        assign(self.block(false), AssignOp::Set, value, AssignResult::New)
    }

    fn call_any(&mut self) -> Option<Expr> {
        self.call(2, |_| true)
    }

    fn call(&mut self, depth: u32, wanted: impl Fn(&ReturnType) -> bool) -> Option<Expr> {
        let fits: Vec<FunctionId> = (self.network.functions.ids())
            .take(self.callable as usize)
            .filter(|id| wanted(&self.network.functions[*id].returns))
            .collect();
        if fits.is_empty() || self.is_done() {
            return None;
        }
        let function = fits[self.choose(fits.len() as u32) as usize];
        let sizes: Vec<u32> =
            self.network.functions[function].params.iter().map(|param| param.place.size).collect();
        let arguments = sizes
            .into_iter()
            .map(|size| match size {
                1 => self.int(depth - 1),
                _ => self.block_value(depth - 1),
            })
            .collect();
        Some(Expr::Call { function, arguments })
    }

    fn constant(&mut self) -> Expr {
        const EXTREMES: [i32; 6] = [i32::MAX, i32::MIN, 65_536, -1, 31, 32];
        Expr::Int(match self.choose(8) {
            0..7 => self.choose(6) as i32 - 1,
            _ => EXTREMES[self.choose(6) as usize],
        })
    }

    fn int(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.is_done() {
            return match self.choose(4) {
                0 => self.constant(),
                1 if self.nesting > 0 => {
                    let slot = self.loops + self.choose(self.nesting);
                    load(Storage::Local, slot)
                }
                _ => Expr::Load(self.scalar(0, true)),
            };
        }
        let deeper = depth - 1;
        match self.choose(16) {
            0 => self.constant(),
            1 => Expr::Load(self.scalar(deeper, true)),
            2..8 => {
                const OPS: [BinaryOp; 24] = [
                    BinaryOp::Equal,
                    BinaryOp::And,
                    BinaryOp::Or,
                    BinaryOp::Imply,
                    BinaryOp::Xor,
                    BinaryOp::Less,
                    BinaryOp::LessEqual,
                    BinaryOp::NotEqual,
                    BinaryOp::GreaterEqual,
                    BinaryOp::Greater,
                    BinaryOp::Add,
                    BinaryOp::Add,
                    BinaryOp::Subtract,
                    BinaryOp::Multiply,
                    BinaryOp::Divide,
                    BinaryOp::Remainder,
                    BinaryOp::Power,
                    BinaryOp::Minimum,
                    BinaryOp::Maximum,
                    BinaryOp::BitAnd,
                    BinaryOp::BitOr,
                    BinaryOp::BitXor,
                    BinaryOp::ShiftLeft,
                    BinaryOp::ShiftRight,
                ];
                let op = OPS[self.choose(24) as usize];
                binary(op, self.int(deeper), self.int(deeper))
            }
            8 => {
                let op = [UnaryOp::Not, UnaryOp::Negate][self.choose(2) as usize];
                Expr::Unary(op, Number::Int, Box::new(self.int(deeper)))
            }
            9 => Expr::Builtin(Builtin::Abs, vec![self.int(deeper)]),
            10 => {
                let parts = [self.int(deeper), self.int(deeper), self.int(deeper)];
                Expr::Conditional(Box::new(parts))
            }
            11 => {
                const ALL: [Quantifier; 3] =
                    [Quantifier::Forall, Quantifier::Exists, Quantifier::Sum];
                let quantifier = ALL[self.choose(3) as usize];
                let lo = self.choose(3) as i32 - 1;
                let range = Range { lo, hi: lo + self.choose(4) as i32 };
                let slot = self.loops + self.nesting;
                self.nesting += 1;
                let body = Box::new(self.int(deeper));
                self.nesting -= 1;
                Expr::Quantifier { quantifier, slot, range, number: Number::Int, body }
            }
            12 => {
                let left = self.block_value(deeper);
                let right = self.block_value(deeper);
                let op = [BinaryOp::Equal, BinaryOp::NotEqual][self.choose(2) as usize];
                Expr::Binary(Box::new(Binary { op, number: Number::Int, size: 3, left, right }))
            }
            13 => {
                let is_int = |returns: &ReturnType| matches!(returns, ReturnType::Int(_));
                self.call(depth, is_int).unwrap_or(Expr::Int(2))
            }
            14 if self.effects => self.assignment(deeper),
            _ => {
                let process = ProcessId::from_index(self.choose(2) as usize);
                Expr::InLocation(process, LocationId::from_index(self.choose(3) as usize))
            }
        }
    }

    fn function(&mut self, index: u32) {
        self.effects = self.choose(3) != 2;
        self.callable = index;
        let shares_frame = self.choose(3) == 2;
        // A function that shares a frame leaves the slots of the loops around it alone.
        self.loops = 20 + 20 * index;
        let first = if shares_frame { 10 + 2 * index } else { 0 };
        let mut params = Vec::new();
        if self.choose(2) == 0 {
            let range = Range { lo: -40_000, hi: 40_000 };
            let place = place(Storage::Local, first, 1, range);
            params.push(Param { name: "a".to_owned(), place });
        }
        if self.choose(3) == 1 {
            let base = if shares_frame { 180 + 3 * index } else { LOCAL_BLOCK };
            let place = place(Storage::Local, base, 3, Range::ALL);
            params.push(Param { name: "b".to_owned(), place });
        }
        if self.choose(3) == 1 {
            let place = place(Storage::Local, first + 1, 1, Range { lo: -5, hi: 5_000 });
            params.push(Param { name: "c".to_owned(), place });
        }
        let returns = match self.choose(4) {
            0 | 1 => ReturnType::Int(Range { lo: -1_000, hi: 70_000 }),
            2 => ReturnType::Block(Number::Int, 3),
            _ => ReturnType::Void,
        };
        let mut body = self.statements(3, &returns);
        if self.choose(8) != 7 {
            body.push(self.give_back(&returns));
        }
        let frame = Frame { ints: if shares_frame { 0 } else { N_LOCALS }, doubles: 0 };
        let body = FunctionBody::Statements(body);
        let name = format!("f{index}");
        self.network.functions.push(Function { name, params, returns, frame, shares_frame, body });
        self.callable = index + 1;
    }

    fn give_back(&mut self, returns: &ReturnType) -> Statement {
        Statement::Return(match returns {
            ReturnType::Void => None,
            ReturnType::Block(..) => Some(self.block_value(2)),
            _ => Some(self.int(3)),
        })
    }

    fn statements(&mut self, depth: u32, returns: &ReturnType) -> Vec<Statement> {
        let count = self.choose(4);
        let mut body = Vec::new();
        for _ in 0..count {
            self.statement(depth, returns, &mut body);
        }
        body
    }

    fn statement(&mut self, depth: u32, returns: &ReturnType, into: &mut Vec<Statement>) {
        let kind = self.choose(if depth == 0 { 6 } else { 10 });
        match kind {
            0..3 => {
                let expr = if self.effects { self.update() } else { self.int(3) };
                into.push(Statement::Expr(expr));
            }
            3 => {
                let value = self.choose(4) as i32;
                let cleared = match self.choose(4) {
                    0 => place(Storage::Local, LOCAL_BLOCK, 3, Range::ALL),
                    1 if self.effects => place(Storage::State, 18, 3, Range::ALL),
                    2 if self.effects => place(Storage::Meta, 0, 2, Range::ALL),
                    _ => place(Storage::Local, self.choose(3), 1, Range::ALL),
                };
                into.push(Statement::Clear { place: cleared, value });
            }
            4 if self.choose(3) == 1 => {
                let condition = binary(BinaryOp::Or, self.int(2), self.int(2));
                into.push(Statement::Assert(condition));
            }
            4 | 5 => {
                let end = self.give_back(returns);
                let otherwise = match self.choose(3) {
                    0 => self.statements(0, returns),
                    _ => Vec::new(),
                };
                into.push(Statement::If(self.int(2), vec![end], otherwise));
            }
            6 => {
                let condition = self.int(3);
                let yes = self.statements(depth - 1, returns);
                into.push(Statement::If(condition, yes, self.statements(depth - 1, returns)));
            }
            7 => {
                let lo = self.choose(3) as i32 - 1;
                let range = Range { lo, hi: lo + self.choose(4) as i32 - 1 };
                let slot = self.loops + self.nesting;
                self.nesting += 1;
                let body = self.statements(depth - 1, returns);
                self.nesting -= 1;
                into.push(Statement::For { slot, range, body });
            }
            _ => {
                // A loop that counts, so that it ends.
                let counter = place(Storage::Local, self.loops + self.nesting, 1, Range::INT);
                self.nesting += 1;
                let below = binary(
                    BinaryOp::Less,
                    Expr::Load(counter.clone()),
                    Expr::Int(self.choose(4) as i32),
                );
                let condition = binary(BinaryOp::And, below, self.int(2));
                let mut body = self.statements(depth - 1, returns);
                self.nesting -= 1;
                let plus = AssignOp::Combine(BinaryOp::Add);
                let step = assign(counter.clone(), plus, Expr::Int(1), AssignResult::Old);
                body.insert(0, Statement::Expr(step));
                into.push(Statement::Clear { place: counter, value: 0 });
                into.push(match kind {
                    8 => Statement::While(condition, body),
                    _ => Statement::DoWhile(body, condition),
                });
            }
        }
    }
}
