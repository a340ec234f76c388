//! Which values each integer of a network can have.
//!
//! One interval for each slot of the memory, whatever the locations are: it contains every value
//! that the slot ever holds. Found by evaluating all code over intervals until nothing grows. A
//! slot that keeps growing jumps to the next constant of the model, at last to its declared range;
//! two more rounds then take back what the jumps gave away.
//!
//! Conditions are used: while the update of an edge with the guard `n < 5` is evaluated, `n` is
//! below 5 until something may change it. This knowledge is in `known`; `kills` says which of it
//! became void.
//!
//! Values that a model computes with more than 32 bits, that leave a range or an array are errors
//! of the model: nothing is ever stored then, so they do not count here.

use punctual_model::{
    AssignOp, AssignResult, Binary, BinaryOp, Builtin, ClockConstraint, ClockRef, Condition, Edge,
    Expr, Function, FunctionBody, FunctionId, Id, Index, Network, Number, Place, Process,
    Quantifier, Range, ReturnType, StateExpr, Statement, Storage, Sync, UnaryOp,
};

use super::interval::Interval;

/// How often a slot may grow before it jumps.
const PATIENCE: u8 = 4;
/// After this many growths the jumps double.
const DOUBLING: u8 = 12;
/// After this many growths, or this many rounds, a slot gets its declared range.
const LAST: u8 = 40;
const LAST_ROUND: u32 = 200;

/// Nobody writes a slot.
const NOBODY: u32 = u32::MAX;
/// Several processes write a slot, or the updates of every transition do.
const MANY: u32 = u32::MAX - 1;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Intervals grow from the initial values.
    Growing { round: u32 },
    /// Intervals are computed anew from those that are large enough.
    Shrinking,
    /// Nothing changes any more.
    Done,
}

/// Intervals of all integer slots. What is called a cell is a slot of any memory: all memories and
/// frames lie one after the other.
pub(super) struct Intervals<'n> {
    network: &'n Network,
    cells: Vec<Interval>,
    /// What [`Phase::Shrinking`] has collected.
    next: Vec<Interval>,
    growths: Vec<u8>,
    phase: Phase,
    changed: bool,
    constants: usize,
    state: usize,
    meta: usize,
    /// The first cell of a frame; all after are local.
    frames: usize,
    functions: Vec<usize>,
    returns: usize,
    locations: Vec<Vec<usize>>,
    edges: Vec<Vec<usize>>,
    hooks: usize,
    query: usize,
    /// Constants of the model and their neighbours, where growing slots may stop.
    stops: Vec<i64>,
    /// Whether a function changes anything outside of its frame.
    impure: Vec<bool>,
    /// Who writes a cell of the state or of the meta variables.
    writers: Vec<u32>,
    known: Vec<(usize, Interval)>,
    kills: Vec<usize>,
}

/// What was known when a scope was entered.
pub(super) struct Scope {
    known: Vec<(usize, Interval)>,
    kills: usize,
}

impl<'n> Intervals<'n> {
    /// The intervals of a network and, if there is one, of a query about it.
    pub(super) fn new(network: &'n Network, query: Option<&StateExpr>) -> Self {
        let mut this = Self::layout(network, query);
        if !needed(network, query) {
            // Nobody will ask for more than constants.
            this.cells[this.state..].fill(Interval::ALL);
            return this;
        }
        this.stops = stops(network, query);
        this.impure = impure(network);
        this.writers = this.find_writers();
        let initial = this.cells.clone();
        let mut round = 0;
        loop {
            this.phase = Phase::Growing { round };
            this.changed = false;
            this.round(query);
            if !this.changed {
                break;
            }
            round += 1;
        }
        for _ in 0..2 {
            this.phase = Phase::Shrinking;
            this.next.clone_from(&initial);
            this.round(query);
            std::mem::swap(&mut this.cells, &mut this.next);
        }
        this.phase = Phase::Done;
        this
    }

    fn layout(network: &'n Network, query: Option<&StateExpr>) -> Self {
        let mut cells = Vec::new();
        let mut memory = |values: &[i32]| {
            let start = cells.len();
            cells.extend(values.iter().map(|value| Interval::one((*value).into())));
            start
        };
        let constants = memory(&network.constants.ints);
        let state = memory(&network.initial.ints);
        let meta = memory(&network.meta.ints);
        let frames = cells.len();
        let mut frame = |size: u32| {
            let start = cells.len();
            cells.resize(start + size as usize, Interval::EMPTY);
            start
        };
        let functions = network.functions.iter().map(|f| frame(f.frame.ints)).collect();
        let processes = network.processes.iter();
        let locations = processes
            .clone()
            .map(|process| process.locations.iter().map(|l| frame(l.frame.ints)).collect())
            .collect();
        let edges = processes
            .map(|process| process.edges.iter().map(|edge| frame(edge.frame.ints)).collect())
            .collect();
        let hooks = frame(network.update_frame.ints);
        let query = frame(query.map_or(0, |query| query.frame.ints));
        let returns = frame(network.functions.len() as u32);
        Self {
            network,
            growths: vec![0; cells.len()],
            cells,
            next: Vec::new(),
            phase: Phase::Done,
            changed: false,
            constants,
            state,
            meta,
            frames,
            functions,
            returns,
            locations,
            edges,
            hooks,
            query,
            stops: Vec::new(),
            impure: vec![true; network.functions.len()],
            writers: Vec::new(),
            known: Vec::new(),
            kills: Vec::new(),
        }
    }

    /// The frame of a location's expressions.
    pub(super) fn location_frame(&self, process: usize, location: usize) -> usize {
        self.locations[process][location]
    }

    /// The frame of an edge's expressions.
    pub(super) fn edge_frame(&self, process: usize, edge: usize) -> usize {
        self.edges[process][edge]
    }

    /// The frame of a function's expressions, which may be that of its caller.
    pub(super) fn function_frame(&self, function: FunctionId, caller: usize) -> usize {
        let shares = self.network.functions[function].shares_frame;
        if shares { caller } else { self.functions[function.index()] }
    }

    /// The frame of the updates of every transition.
    pub(super) fn hooks_frame(&self) -> usize {
        self.hooks
    }

    /// The frame of the query.
    pub(super) fn query_frame(&self) -> usize {
        self.query
    }

    /// Forgets what is known: other code is evaluated next.
    pub(super) fn begin(&mut self) {
        self.known.clear();
        self.kills.clear();
    }

    /// From here to [`leave`](Self::leave), more may be known.
    pub(super) fn enter(&self) -> Scope {
        Scope { known: self.known.clone(), kills: self.kills.len() }
    }

    /// What was known before and is still valid.
    pub(super) fn leave(&mut self, scope: Scope) {
        self.known = scope.known;
        let kills = &self.kills[scope.kills..];
        self.known.retain(|(cell, _)| !kills.contains(cell));
    }

    /// How much is known; less than before if something became void.
    pub(super) fn knowledge(&self) -> usize {
        self.known.len()
    }

    /// The slot of the frame has this value until the scope is left.
    pub(super) fn bind(&mut self, frame: usize, slot: u32, value: i32) {
        let cell = frame + slot as usize;
        self.known.retain(|(other, _)| *other != cell);
        self.known.push((cell, Interval::one(value.into())));
    }

    /// Evaluates all code once.
    fn round(&mut self, query: Option<&StateExpr>) {
        let network = self.network;
        for expr in network.before_update.iter().chain(&network.after_update) {
            self.begin();
            self.eval(expr, self.hooks);
        }
        for (id, function) in network.functions.enumerate() {
            if !function.shares_frame {
                self.begin();
                self.body(id, function, self.functions[id.index()]);
            }
        }
        for (p, process) in network.processes.iter().enumerate() {
            for (l, location) in process.locations.iter().enumerate() {
                self.begin();
                let frame = self.locations[p][l];
                self.assume(&location.invariant, frame);
                for constraint in &location.invariant.clocks {
                    self.constraint(constraint, frame);
                }
            }
            for e in 0..process.edges.len() {
                self.edge(p, process, e);
            }
        }
        if let Some(query) = query {
            self.begin();
            self.eval(&query.expr, self.query);
        }
    }

    fn edge(&mut self, p: usize, process: &Process, e: usize) {
        let edge = process.edges.iter().nth(e).expect("the edge exists");
        let frame = self.edges[p][e];
        self.begin();
        for select in &edge.selects {
            self.store(frame + select.slot as usize, select.range.into(), Interval::ALL);
        }
        let possible = self.assume(&edge.guard, frame);
        for constraint in &edge.guard.clocks {
            self.constraint(constraint, frame);
        }
        if !possible {
            return;
        }
        if let Some(channel) = edge.sync.channel() {
            self.indices(0, &channel.indices, frame);
        }
        self.start_update(p, edge);
        for expr in &edge.update {
            self.eval(expr, frame);
        }
        for branch in &edge.branches {
            let scope = self.enter();
            self.start_branch(p);
            for select in &branch.selects {
                self.store(frame + select.slot as usize, select.range.into(), Interval::ALL);
            }
            for expr in &branch.update {
                self.eval(expr, frame);
            }
            self.leave(scope);
        }
    }

    /// The updates of an edge are next. What its guard said of a variable need not hold any more
    /// if someone else's update in the same transition has changed it.
    pub(super) fn start_update(&mut self, process: usize, edge: &Edge) {
        let first = matches!(edge.sync, Sync::Internal | Sync::Send(_));
        if !first || !self.network.before_update.is_empty() {
            self.start_branch(process);
        }
    }

    /// The updates of a branch are next; updates of others may have come between.
    pub(super) fn start_branch(&mut self, process: usize) {
        let Self { known, writers, frames, state, .. } = self;
        known.retain(|(cell, _)| {
            *cell >= *frames || *cell < *state || {
                let writer = writers.get(*cell).copied().unwrap_or(MANY);
                writer == NOBODY || writer == process as u32
            }
        });
    }

    /// Takes the data of a condition for true; `false` if it can not be.
    pub(super) fn assume(&mut self, condition: &Condition, frame: usize) -> bool {
        condition
            .data
            .iter()
            .all(|expr| self.eval(expr, frame).may_be_true() && self.refine(expr, true, frame))
    }

    /// The bound of a constraint; empty if it never counts.
    pub(super) fn constraint(&mut self, constraint: &ClockConstraint, frame: usize) -> Interval {
        let scope = self.enter();
        let counts = constraint.when.as_ref().is_none_or(|when| {
            self.eval(when, frame).may_be_true() && self.refine(when, true, frame)
        });
        for clock in constraint.clocks() {
            self.indices(0, &clock.indices, frame);
        }
        let bound = self.number(&constraint.bound, frame);
        self.leave(scope);
        if counts { bound } else { Interval::EMPTY }
    }

    /// The integers around a number, which may be a double that was an integer or is constant.
    /// [`Interval::EMPTY`] if nothing is known of it.
    pub(super) fn number(&mut self, expr: &Expr, frame: usize) -> Interval {
        match expr {
            Expr::Double(value) => Interval { lo: value.floor() as i64, hi: value.ceil() as i64 },
            Expr::ToDouble(inner) => self.eval(inner, frame),
            Expr::Unary(UnaryOp::Negate, Number::Double, inner) => {
                self.number(inner, frame).negate()
            }
            Expr::Binary(binary) if binary.number == Number::Double => {
                self.eval(expr, frame);
                Interval::EMPTY
            }
            _ => self.eval(expr, frame),
        }
    }

    /// The clocks that a reference can mean.
    pub(super) fn clocks(&mut self, clock: &ClockRef, frame: usize) -> Vec<u32> {
        let clocks = self.indices(clock.base.index(), &clock.indices, frame);
        clocks.into_iter().map(|clock| clock as u32).collect()
    }

    /// Where the indices can lead from the base. Illegal indices lead nowhere.
    pub(super) fn indices(&mut self, base: usize, indices: &[Index], frame: usize) -> Vec<usize> {
        let mut found = vec![base];
        for index in indices {
            let len = i64::from(index.len);
            let legal = Interval { lo: index.lo.into(), hi: i64::from(index.lo) + len - 1 };
            let values = self.eval(&index.value, frame).meet(legal);
            let stride = index.stride as usize;
            let offset = |value: i64| (value - legal.lo) as usize * stride;
            found = match values.is_empty() {
                true => Vec::new(),
                false => found
                    .iter()
                    .flat_map(|at| (values.lo..=values.hi).map(move |value| at + offset(value)))
                    .collect(),
            };
        }
        found
    }

    fn cell(&self, place: &Place, frame: usize) -> usize {
        let start = match place.storage {
            Storage::Constant => self.constants,
            Storage::State => self.state,
            Storage::Meta => self.meta,
            Storage::Local => frame,
        };
        start + place.base as usize
    }

    fn load(&self, cell: usize) -> Interval {
        let known = self.known.iter().find(|(other, _)| *other == cell);
        known.map_or(self.cells[cell], |(_, interval)| *interval)
    }

    fn kill(&mut self, cell: usize) {
        if let Some(at) = self.known.iter().position(|(other, _)| *other == cell) {
            self.known.swap_remove(at);
            self.kills.push(cell);
        }
    }

    fn store(&mut self, cell: usize, value: Interval, range: Interval) {
        let value = value.meet(range);
        self.kill(cell);
        if value.is_empty() {
            return;
        }
        match self.phase {
            Phase::Done => {}
            Phase::Shrinking => self.next[cell] = self.next[cell].join(value),
            Phase::Growing { round } => {
                let old = self.cells[cell];
                let mut new = old.join(value);
                if new == old {
                    return;
                }
                let growths = &mut self.growths[cell];
                *growths = growths.saturating_add(1);
                let growths = if round > LAST_ROUND { LAST } else { *growths };
                if growths >= PATIENCE && !old.is_empty() {
                    let factor = if growths < DOUBLING { 1 } else { 2 };
                    if new.hi > old.hi {
                        let aim = new.hi.max(new.hi * factor);
                        let at = self.stops.partition_point(|stop| *stop < aim);
                        let stop = self.stops.get(at).filter(|_| growths < LAST);
                        new.hi = stop.copied().unwrap_or(range.hi).min(range.hi).max(new.hi);
                    }
                    if new.lo < old.lo {
                        let aim = new.lo.min(new.lo * factor);
                        let at = self.stops.partition_point(|stop| *stop <= aim);
                        let stop = at.checked_sub(1).filter(|_| growths < LAST);
                        let stop = stop.map_or(range.lo, |at| self.stops[at]);
                        new.lo = stop.max(range.lo).min(new.lo);
                    }
                }
                self.cells[cell] = new;
                self.changed = true;
            }
        }
    }

    /// Evaluates what may happen any number of times.
    fn repeat(&mut self, mut body: impl FnMut(&mut Self)) {
        loop {
            let before = self.known.len();
            let scope = self.enter();
            body(self);
            self.leave(scope);
            if self.known.len() == before {
                return;
            }
        }
    }

    /// Every value that the expression can have, with what it stores. Doubles can be anything.
    pub(super) fn eval(&mut self, expr: &Expr, frame: usize) -> Interval {
        match expr {
            Expr::Int(value) => Interval::one((*value).into()),
            Expr::Double(_) => Interval::ALL,
            Expr::InLocation(..) | Expr::Deadlock => Interval::BOOL,
            Expr::Load(place) if place.number == Number::Int && place.indices.is_empty() => {
                let start = self.cell(place, frame);
                let cells = start..start + place.size as usize;
                cells.fold(Interval::EMPTY, |all, cell| all.join(self.load(cell)))
            }
            Expr::Load(place) => {
                let starts = self.indices(self.cell(place, frame), &place.indices, frame);
                if place.number == Number::Double {
                    return Interval::ALL;
                }
                let cells = starts.iter().flat_map(|start| *start..start + place.size as usize);
                cells.fold(Interval::EMPTY, |all, cell| all.join(self.load(cell)))
            }
            Expr::Clock(clock) | Expr::ClockRate(clock) => {
                self.indices(0, &clock.indices, frame);
                Interval::ALL
            }
            Expr::ToDouble(inner) => {
                self.eval(inner, frame);
                Interval::ALL
            }
            Expr::Unary(op, number, inner) => {
                let inner = self.eval(inner, frame);
                match (op, number) {
                    (UnaryOp::Negate, Number::Int) => inner.negate(),
                    (UnaryOp::Not, Number::Int) => inner.not(),
                    (UnaryOp::Negate, Number::Double) => Interval::ALL,
                    (UnaryOp::Not, Number::Double) => Interval::BOOL,
                }
            }
            Expr::Binary(binary) => self.binary(binary, frame),
            Expr::Conditional(parts) => {
                let [condition, then, otherwise] = parts.as_ref();
                let truth = self.eval(condition, frame);
                let mut value = Interval::EMPTY;
                for (possible, is, part) in
                    [(truth.may_be_true(), true, then), (truth.may_be_false(), false, otherwise)]
                {
                    let scope = self.enter();
                    if possible && self.refine(condition, is, frame) {
                        value = value.join(self.eval(part, frame));
                    }
                    self.leave(scope);
                }
                value
            }
            Expr::Assign { target, op, value, result } => {
                self.assign(target, *op, value, *result, frame)
            }
            Expr::SetClock { clock, value } => {
                self.eval(value, frame);
                self.indices(0, &clock.indices, frame);
                Interval::ALL
            }
            Expr::Sequence(parts) => {
                self.eval(&parts[0], frame);
                self.eval(&parts[1], frame)
            }
            Expr::Call { function, arguments } => self.call(*function, arguments, frame),
            Expr::Builtin(builtin, arguments) => {
                let mut last = Interval::ALL;
                for argument in arguments {
                    last = self.eval(argument, frame);
                }
                if *builtin == Builtin::Abs { last.abs() } else { Interval::ALL }
            }
            Expr::Quantifier { quantifier, slot, range, number, body } => {
                self.store(frame + *slot as usize, (*range).into(), Interval::ALL);
                let mut value = Interval::EMPTY;
                if !range.is_empty() {
                    self.repeat(|this| value = value.join(this.eval(body, frame)));
                }
                let times = Interval::one(range.len() as i64);
                match quantifier {
                    Quantifier::Sum if *number == Number::Double => Interval::ALL,
                    Quantifier::Sum if range.is_empty() => Interval::one(0),
                    Quantifier::Sum => Interval::binary(BinaryOp::Multiply, value, times),
                    Quantifier::Forall if range.is_empty() => Interval::one(1),
                    Quantifier::Exists if range.is_empty() => Interval::one(0),
                    Quantifier::Forall | Quantifier::Exists => value.truth(),
                }
            }
            Expr::ClockConstraint(constraint) => {
                self.constraint(constraint, frame);
                Interval::BOOL
            }
        }
    }

    fn binary(&mut self, binary: &Binary, frame: usize) -> Interval {
        let left = self.eval(&binary.left, frame);
        // `And`, `Or` and `Imply` look at their right side only where it counts.
        let looks = match binary.op {
            BinaryOp::And | BinaryOp::Imply => Some((true, left.may_be_true())),
            BinaryOp::Or => Some((false, left.may_be_false())),
            _ => None,
        };
        if let Some((is, possible)) = looks {
            let scope = self.enter();
            let possible = possible && self.refine(&binary.left, is, frame);
            let right = if possible { self.eval(&binary.right, frame) } else { Interval::EMPTY };
            self.leave(scope);
            let alone = match binary.op {
                BinaryOp::And if left.may_be_false() => Interval::one(0),
                BinaryOp::Or if left.may_be_true() => Interval::one(1),
                BinaryOp::Imply if left.may_be_false() => Interval::one(1),
                _ => Interval::EMPTY,
            };
            return alone.join(right.truth());
        }
        let right = self.eval(&binary.right, frame);
        match (binary.number, binary.size) {
            (Number::Int, 0 | 1) => Interval::binary(binary.op, left, right),
            _ if binary.op.is_truth() => Interval::BOOL,
            _ => Interval::ALL,
        }
    }

    fn assign(
        &mut self,
        target: &Place,
        op: AssignOp,
        value: &Expr,
        result: AssignResult,
        frame: usize,
    ) -> Interval {
        if target.number == Number::Double {
            self.indices(0, &target.indices, frame);
            self.eval(value, frame);
            return Interval::ALL;
        }
        if target.size > 1 {
            let values = self.block(value, target.size, frame);
            for start in self.indices(self.cell(target, frame), &target.indices, frame) {
                for (cell, value) in (start..).zip(&values) {
                    self.store(cell, *value, Interval::ALL);
                }
            }
            return Interval::ALL;
        }
        let mut operand = self.eval(value, frame);
        let kills = self.kills.len();
        let cells = self.indices(self.cell(target, frame), &target.indices, frame);
        if self.kills.len() > kills {
            // The index has effects, and which of the two comes first shall not matter.
            operand = operand.join(self.eval(value, frame));
        }
        let range = target.range.into();
        let mut given = Interval::EMPTY;
        for cell in cells {
            let old = self.load(cell);
            let new = match op {
                AssignOp::Set => operand,
                AssignOp::Combine(op) => Interval::binary(op, old, operand),
            };
            self.store(cell, new, range);
            given = given.join(match result {
                AssignResult::New => new.meet(range),
                AssignResult::Old => old,
            });
        }
        given
    }

    /// The slots of a whole array or structure.
    fn block(&mut self, expr: &Expr, size: u32, frame: usize) -> Vec<Interval> {
        let size = size as usize;
        match expr {
            Expr::Load(place) if place.number == Number::Int => {
                let mut block = vec![Interval::EMPTY; size];
                for start in self.indices(self.cell(place, frame), &place.indices, frame) {
                    for (slot, cell) in block.iter_mut().zip(start..) {
                        *slot = slot.join(self.load(cell));
                    }
                }
                block
            }
            Expr::Conditional(parts) => {
                self.eval(&parts[0], frame);
                let mut block = vec![Interval::EMPTY; size];
                for part in &parts[1..] {
                    let scope = self.enter();
                    let part = self.block(part, size as u32, frame);
                    self.leave(scope);
                    block.iter_mut().zip(part).for_each(|(slot, part)| *slot = slot.join(part));
                }
                block
            }
            _ => vec![self.eval(expr, frame); size],
        }
    }

    fn call(&mut self, id: FunctionId, arguments: &[Expr], frame: usize) -> Interval {
        let network = self.network;
        let function = &network.functions[id];
        let own = self.function_frame(id, frame);
        let mut values = Vec::with_capacity(arguments.len());
        for (param, argument) in function.params.iter().zip(arguments) {
            values.push(match param.place.size {
                0 | 1 => vec![self.eval(argument, frame)],
                size => self.block(argument, size, frame),
            });
        }
        for (param, values) in function.params.iter().zip(values) {
            if param.place.number == Number::Int {
                let start = self.cell(&param.place, own);
                let scalar = param.place.size <= 1;
                let range = if scalar { param.place.range } else { Range::ALL };
                for (cell, value) in (start..).zip(values) {
                    self.store(cell, value, range.into());
                }
            }
        }
        if function.shares_frame {
            self.body(id, function, own);
        }
        if self.impure[id.index()] {
            self.forget_shared();
        }
        match (&function.body, &function.returns) {
            (FunctionBody::External { .. }, ReturnType::Int(range)) => (*range).into(),
            (FunctionBody::External { .. }, _) => Interval::ALL,
            (_, ReturnType::Int(_) | ReturnType::Block(Number::Int, _)) => {
                self.cells[self.returns + id.index()]
            }
            _ => Interval::ALL,
        }
    }

    /// Someone may have changed any variable.
    pub(super) fn forget_shared(&mut self) {
        let frames = self.frames;
        let (local, shared) = self.known.drain(..).partition(|(cell, _)| *cell >= frames);
        self.known = local;
        self.kills.extend(Vec::into_iter(shared).map(|(cell, _)| cell));
    }

    /// Code that others call as well is next, so nothing is known until the scope is left.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }

    fn body(&mut self, id: FunctionId, function: &Function, frame: usize) {
        if let FunctionBody::Statements(statements) = &function.body {
            let scope = self.enter();
            self.statements(id, statements, frame);
            self.leave(scope);
        }
    }

    fn statements(&mut self, id: FunctionId, statements: &[Statement], frame: usize) {
        for statement in statements {
            match statement {
                Statement::Expr(expr) | Statement::Assert(expr) => {
                    self.eval(expr, frame);
                }
                Statement::Clear { place, value } => self.clear(place, *value, frame),
                Statement::If(condition, then, otherwise) => {
                    let truth = self.eval(condition, frame);
                    for (possible, is, part) in [
                        (truth.may_be_true(), true, then),
                        (truth.may_be_false(), false, otherwise),
                    ] {
                        let scope = self.enter();
                        if possible && self.refine(condition, is, frame) {
                            self.statements(id, part, frame);
                        }
                        self.leave(scope);
                    }
                }
                Statement::While(condition, body) => self.repeat(|this| {
                    if this.eval(condition, frame).may_be_true()
                        && this.refine(condition, true, frame)
                    {
                        this.statements(id, body, frame);
                    }
                }),
                Statement::DoWhile(body, condition) => self.repeat(|this| {
                    this.statements(id, body, frame);
                    this.eval(condition, frame);
                }),
                Statement::For { slot, range, body } => {
                    self.store(frame + *slot as usize, (*range).into(), Interval::ALL);
                    if !range.is_empty() {
                        self.repeat(|this| this.statements(id, body, frame));
                    }
                }
                Statement::Return(None) => {}
                Statement::Return(Some(expr)) => {
                    let value = self.eval(expr, frame);
                    let range = match self.network.functions[id].returns {
                        ReturnType::Int(range) => range.into(),
                        _ => Interval::ALL,
                    };
                    self.store(self.returns + id.index(), value, range);
                }
            }
        }
    }

    /// All slots of a place get this value.
    pub(super) fn clear(&mut self, place: &Place, value: i32, frame: usize) {
        if place.number == Number::Int {
            let start = self.cell(place, frame);
            for cell in start..start + place.size as usize {
                self.store(cell, Interval::one(value.into()), Interval::ALL);
            }
        }
    }

    /// Remembers what a condition that was just evaluated says of variables; `false` if it can
    /// not have this truth value.
    pub(super) fn refine(&mut self, expr: &Expr, is: bool, frame: usize) -> bool {
        match expr {
            Expr::Unary(UnaryOp::Not, Number::Int, inner) => self.refine(inner, !is, frame),
            Expr::Load(place) => match self.fixed(place, frame) {
                Some(cell) => {
                    let op = if is { BinaryOp::NotEqual } else { BinaryOp::Equal };
                    self.narrow(cell, op, Interval::one(0))
                }
                None => true,
            },
            Expr::Binary(binary) => match (binary.op, is) {
                (BinaryOp::And, true) => self.both(&binary.left, true, &binary.right, true, frame),
                (BinaryOp::Or, false) => {
                    self.both(&binary.left, false, &binary.right, false, frame)
                }
                (BinaryOp::Imply, false) => {
                    self.both(&binary.left, true, &binary.right, false, frame)
                }
                _ => self.compare(binary, is, frame),
            },
            _ => true,
        }
    }

    /// Both parts have these truth values, if evaluating the second does not change the first.
    fn both(&mut self, left: &Expr, l: bool, right: &Expr, r: bool, frame: usize) -> bool {
        !self.is_pure(right) || (self.refine(left, l, frame) && self.refine(right, r, frame))
    }

    fn compare(&mut self, binary: &Binary, is: bool, frame: usize) -> bool {
        let op = match (binary.op, is) {
            (op, true) => op,
            (BinaryOp::Less, false) => BinaryOp::GreaterEqual,
            (BinaryOp::LessEqual, false) => BinaryOp::Greater,
            (BinaryOp::Greater, false) => BinaryOp::LessEqual,
            (BinaryOp::GreaterEqual, false) => BinaryOp::Less,
            (BinaryOp::Equal, false) => BinaryOp::NotEqual,
            (BinaryOp::NotEqual, false) => BinaryOp::Equal,
            (_, false) => return true,
        };
        let mirrored = match op {
            BinaryOp::Less => BinaryOp::Greater,
            BinaryOp::LessEqual => BinaryOp::GreaterEqual,
            BinaryOp::Greater => BinaryOp::Less,
            BinaryOp::GreaterEqual => BinaryOp::LessEqual,
            BinaryOp::Equal | BinaryOp::NotEqual => op,
            _ => return true,
        };
        let scalar = binary.number == Number::Int && binary.size <= 1;
        if !scalar || !self.is_pure(&binary.left) || !self.is_pure(&binary.right) {
            return true;
        }
        for (this, op, other) in
            [(&binary.left, op, &binary.right), (&binary.right, mirrored, &binary.left)]
        {
            let Expr::Load(place) = this else { continue };
            let Some(cell) = self.fixed(place, frame) else { continue };
            let other = self.eval(other, frame);
            if !self.narrow(cell, op, other) {
                return false;
            }
        }
        true
    }

    fn narrow(&mut self, cell: usize, op: BinaryOp, other: Interval) -> bool {
        let narrowed = self.load(cell).related(op, other);
        match self.known.iter_mut().find(|(other, _)| *other == cell) {
            Some(entry) => entry.1 = narrowed,
            None => self.known.push((cell, narrowed)),
        }
        !narrowed.is_empty()
    }

    /// The cell of an integer that is no element of an array with unknown index.
    fn fixed(&self, place: &Place, frame: usize) -> Option<usize> {
        let fixed = place.number == Number::Int && place.size <= 1 && place.indices.is_empty();
        fixed.then(|| self.cell(place, frame))
    }

    fn is_pure(&self, expr: &Expr) -> bool {
        let mut pure = true;
        expr.walk(&mut |expr| match expr {
            Expr::Assign { .. } | Expr::SetClock { .. } | Expr::Quantifier { .. } => pure = false,
            Expr::Call { function, .. } => {
                let shares = self.network.functions[*function].shares_frame;
                pure &= !shares && !self.impure[function.index()];
            }
            _ => {}
        });
        pure
    }

    fn find_writers(&self) -> Vec<u32> {
        let network = self.network;
        let mut writers = vec![NOBODY; self.frames];
        let mut seen = vec![NOBODY; network.functions.len()];
        for expr in network.before_update.iter().chain(&network.after_update) {
            self.writes(expr, MANY, &mut writers, &mut seen);
        }
        for (p, process) in network.processes.iter().enumerate() {
            for edge in &process.edges {
                let branches = edge.branches.iter().flat_map(|branch| &branch.update);
                for expr in edge.update.iter().chain(branches) {
                    self.writes(expr, p as u32, &mut writers, &mut seen);
                }
            }
        }
        writers
    }

    fn writes(&self, expr: &Expr, who: u32, writers: &mut [u32], seen: &mut [u32]) {
        let mut calls = Vec::new();
        expr.walk(&mut |expr| match expr {
            Expr::Assign { target, .. }
                if target.number == Number::Int && target.storage != Storage::Local =>
            {
                let mut starts = vec![self.cell(target, 0)];
                for index in &target.indices {
                    let steps = (0..index.len).map(|at| (at * index.stride) as usize);
                    starts = starts
                        .iter()
                        .flat_map(|start| steps.clone().map(move |step| start + step))
                        .collect();
                }
                for start in starts {
                    for writer in writers.iter_mut().skip(start).take(target.size as usize) {
                        *writer = if [NOBODY, who].contains(writer) { who } else { MANY };
                    }
                }
            }
            Expr::Call { function, .. } => calls.push(*function),
            _ => {}
        });
        for function in calls {
            // What a function writes is marked once for each process.
            if !self.impure[function.index()] || seen[function.index()] == who {
                continue;
            }
            seen[function.index()] = who;
            if let FunctionBody::Statements(body) = &self.network.functions[function].body {
                for_each_expr(body, &mut |expr| self.writes(expr, who, writers, seen));
            }
        }
    }
}

/// Calls `visit` for the outermost expressions of statements.
pub(super) fn for_each_expr<'a>(statements: &'a [Statement], visit: &mut dyn FnMut(&'a Expr)) {
    for statement in statements {
        match statement {
            Statement::Expr(expr) | Statement::Assert(expr) | Statement::Return(Some(expr)) => {
                visit(expr);
            }
            Statement::Clear { .. } | Statement::Return(None) => {}
            Statement::If(condition, then, otherwise) => {
                visit(condition);
                for_each_expr(then, visit);
                for_each_expr(otherwise, visit);
            }
            Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                visit(condition);
                for_each_expr(body, visit);
            }
            Statement::For { body, .. } => for_each_expr(body, visit),
        }
    }
}

/// For each function, whether `holds` for an expression in it or in a function that it calls.
pub(super) fn transitively(network: &Network, holds: &dyn Fn(&Expr) -> bool) -> Vec<bool> {
    let mut result = vec![false; network.functions.len()];
    let mut callers = vec![Vec::new(); network.functions.len()];
    let mut todo = Vec::new();
    for (id, function) in network.functions.enumerate() {
        let FunctionBody::Statements(body) = &function.body else { continue };
        let mut found = false;
        for_each_expr(body, &mut |expr| {
            expr.walk(&mut |expr| {
                found |= holds(expr);
                if let Expr::Call { function, .. } = expr {
                    callers[function.index()].push(id.index());
                }
            });
        });
        if found {
            result[id.index()] = true;
            todo.push(id.index());
        }
    }
    while let Some(function) = todo.pop() {
        for &caller in &callers[function] {
            if !result[caller] {
                result[caller] = true;
                todo.push(caller);
            }
        }
    }
    result
}

fn impure(network: &Network) -> Vec<bool> {
    transitively(
        network,
        &|expr| matches!(expr, Expr::Assign { target, .. } if target.storage != Storage::Local),
    )
}

/// Calls `visit` for every expression that bounds of clocks can depend on.
fn for_all(network: &Network, query: Option<&StateExpr>, visit: &mut dyn FnMut(&Expr)) {
    let constraints = |condition: &Condition, visit: &mut dyn FnMut(&Expr)| {
        condition.data.iter().for_each(|expr| expr.walk(&mut |expr| visit(expr)));
        condition.clocks.iter().for_each(|constraint| {
            constraint.walk(&mut |expr| visit(expr));
        });
    };
    for expr in network.before_update.iter().chain(&network.after_update) {
        expr.walk(&mut |expr| visit(expr));
    }
    for function in &network.functions {
        if let FunctionBody::Statements(body) = &function.body {
            for_each_expr(body, &mut |expr| expr.walk(&mut |expr| visit(expr)));
        }
    }
    for process in &network.processes {
        for location in &process.locations {
            constraints(&location.invariant, visit);
        }
        for edge in &process.edges {
            constraints(&edge.guard, visit);
            let branches = edge.branches.iter().flat_map(|branch| &branch.update);
            for expr in edge.update.iter().chain(branches) {
                expr.walk(&mut |expr| visit(expr));
            }
        }
    }
    if let Some(query) = query {
        query.expr.walk(&mut |expr| visit(expr));
    }
}

/// Whether a constant or an index at a clock is not constant.
fn needed(network: &Network, query: Option<&StateExpr>) -> bool {
    let is_constant = |expr: &Expr| match expr {
        Expr::Int(_) | Expr::Double(_) => true,
        Expr::ToDouble(inner) => inner.as_int().is_some(),
        _ => false,
    };
    let constraint = |constraint: &ClockConstraint| {
        !is_constant(&constraint.bound) || constraint.clocks().any(|c| !c.indices.is_empty())
    };
    let mut needed = false;
    for_all(network, query, &mut |expr| {
        needed |= match expr {
            Expr::ClockConstraint(inner) => constraint(inner),
            Expr::SetClock { clock, value } => {
                let shifts =
                    !matches!(value.as_ref(), Expr::Clock(clock) if clock.indices.is_empty());
                !clock.indices.is_empty() || (shifts && value.reads_clock())
            }
            _ => false,
        };
    });
    let conditions = network.processes.iter().flat_map(|process| {
        let invariants = process.locations.iter().map(|location| &location.invariant);
        invariants.chain(process.edges.iter().map(|edge| &edge.guard))
    });
    needed || conditions.flat_map(|condition| &condition.clocks).any(constraint)
}

fn stops(network: &Network, query: Option<&StateExpr>) -> Vec<i64> {
    let mut stops = Vec::new();
    for_all(network, query, &mut |expr| {
        if let Expr::Int(value) = expr {
            let value = i64::from(*value);
            stops.extend([value - 1, value, value + 1]);
        }
    });
    stops.sort_unstable();
    stops.dedup();
    stops
}
