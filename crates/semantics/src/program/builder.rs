//! Compiling: entry points, functions, and the pieces that all code is made of.

use std::sync::Arc;

use std::collections::{HashMap, HashSet};

use punctual_model::{
    Expr, FunctionBody, FunctionId, Id, IdVec, Index, Indexed, Memory, Network, Number, Place,
    Range, ReturnType, Storage,
};

use super::{
    Code, DoubleCode, DoubleKind, Function, Kind, Program, Unsupported,
    inspect::{
        clock_slot, comparison, comparison_of_sum, known, known_real, obstacle, real_slot, resolve,
        returned, returned_reals, short_circuits, state_slot,
    },
    op::{Op, Space, Step},
};

pub(super) type Compiled<T = ()> = Result<T, Unsupported>;

pub(super) fn unsupported<T>(construct: &'static str) -> Compiled<T> {
    Err(Unsupported { construct })
}

/// Compiles expressions of a network.
#[derive(Debug)]
pub struct Builder<'n> {
    pub(super) network: &'n Network,
    /// Whether doubles are computed and clocks have values.
    pub(super) stochastic: bool,
    /// Finished code.
    ops: Vec<Op>,
    /// The code that is being compiled. It becomes part of `ops` when all went well.
    pub(super) code: Vec<Op>,
    /// The functions that it calls.
    pub(super) calls: Vec<FunctionId>,
    /// Whether it may run in the outermost frame.
    outermost: bool,
    functions: IdVec<FunctionId, Progress>,
    steps: Table<Step>,
    ranges: Table<Range>,
    n_locals: u32,
    n_real_locals: u32,
    n_stack: usize,
    n_reals: usize,
}

/// How far a function is.
#[derive(Clone, Debug, Default)]
enum Progress {
    #[default]
    Untouched,
    Failed(Unsupported),
    /// Compiled; it remains to see whether the functions that it calls can be.
    Compiled(Function, Vec<FunctionId>),
    /// Compiled with all that it calls.
    Ready(Function),
}

/// Entries without repetition.
#[derive(Debug)]
struct Table<T> {
    entries: Vec<T>,
    positions: HashMap<T, u32>,
}

impl<T: Copy + Eq + std::hash::Hash> Table<T> {
    fn position(&mut self, entry: T) -> u32 {
        *self.positions.entry(entry).or_insert_with(|| {
            self.entries.push(entry);
            self.entries.len() as u32 - 1
        })
    }
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), positions: HashMap::new() }
    }
}

/// Jumps to a place that is not yet known.
#[derive(Debug, Default)]
#[must_use]
pub(super) struct Label(Vec<usize>);

impl Label {
    /// The other label is at the same place.
    pub(super) fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }
}

impl<'n> Builder<'n> {
    /// A builder for symbolic analysis: clocks are followed through assignments, and doubles are
    /// left out.
    #[must_use]
    pub fn new(network: &'n Network) -> Self {
        Self::with_mode(network, false)
    }

    /// A builder for simulation: clocks and doubles have values, and numbers can be random. What
    /// it compiles needs [`Reals`](super::Reals) to run.
    #[must_use]
    pub fn stochastic(network: &'n Network) -> Self {
        Self::with_mode(network, true)
    }

    fn with_mode(network: &'n Network, stochastic: bool) -> Self {
        let locations = network.processes.iter().flat_map(|process| &process.locations);
        let edges = network.processes.iter().flat_map(|process| &process.edges);
        let frames = (locations.map(|location| location.frame))
            .chain(edges.map(|edge| edge.frame))
            .chain(network.progress.iter().map(|progress| progress.frame))
            .chain([network.update_frame]);
        let (mut n_locals, mut n_real_locals) = (0, 0);
        for frame in frames {
            n_locals = n_locals.max(frame.ints);
            n_real_locals = n_real_locals.max(frame.doubles);
        }
        Self {
            network,
            stochastic,
            ops: Vec::new(),
            code: Vec::new(),
            calls: Vec::new(),
            outermost: true,
            functions: network.functions.iter().map(|_| Progress::Untouched).collect(),
            steps: Table::default(),
            ranges: Table::default(),
            n_locals,
            n_real_locals: if stochastic { n_real_locals } else { 0 },
            n_stack: 0,
            n_reals: 0,
        }
    }

    /// An integer expression.
    ///
    /// # Errors
    /// If it depends on something that can not be computed: unless this builder is stochastic, on
    /// something else than integers.
    pub fn value(&mut self, expr: &Expr) -> Result<Code, Unsupported> {
        if let Some(value) = known(self.network, expr) {
            return Ok(Code(Kind::Constant(value)));
        }
        if let Some(slot) = state_slot(self.network, expr) {
            return Ok(Code(Kind::Slot(slot)));
        }
        if let Some((compare, slot, value)) = comparison(self.network, expr) {
            return Ok(Code(Kind::Compare(compare, slot, value)));
        }
        if let Some((compare, add, slots)) = comparison_of_sum(self.network, expr) {
            return Ok(Code(Kind::CompareSum(compare, add, slots)));
        }
        self.start();
        let is_truth = match expr {
            Expr::Binary(binary) => short_circuits(binary.op),
            Expr::ClockConstraint(_) => self.stochastic,
            _ => false,
        };
        match is_truth {
            true => {
                let mut no = Label::default();
                self.branch(expr, false, &mut no)?;
                self.emit(Op::Give(1));
                self.bind(no);
                self.emit(Op::Give(0));
            }
            false => {
                self.push(expr)?;
                self.emit(Op::Stop);
            }
        }
        self.end()
    }

    /// An expression that is a double or an integer, as a double.
    ///
    /// # Errors
    /// If it depends on something that can not be computed, such as an external function; or is
    /// no constant, and this builder is not stochastic.
    pub fn double(&mut self, expr: &Expr) -> Result<DoubleCode, Unsupported> {
        if let Some(value) = known_real(self.network, expr) {
            return Ok(DoubleCode(DoubleKind::Constant(value)));
        }
        if !self.stochastic {
            return unsupported(obstacle(expr));
        }
        if let Some(slot) = real_slot(self.network, expr) {
            return Ok(DoubleCode(DoubleKind::Slot(slot)));
        }
        if let Some(clock) = clock_slot(self.network, expr) {
            return Ok(DoubleCode(DoubleKind::Clock(clock)));
        }
        let inner = if let Expr::ToDouble(inner) = expr { inner } else { expr };
        if let Some(slot) = state_slot(self.network, inner) {
            return Ok(DoubleCode(DoubleKind::Int(slot)));
        }
        self.start();
        self.push_number(expr)?;
        self.emit(Op::Give(0));
        match self.end()? {
            Code(Kind::Run(entry)) => Ok(DoubleCode(DoubleKind::Run(entry))),
            code => unreachable!("{code:?} is not run"),
        }
    }

    /// Updates in this order, for their effects.
    ///
    /// # Errors
    /// If they use something that can not be computed: unless this builder is stochastic,
    /// something else than integers and resets of clocks.
    pub fn effects(&mut self, exprs: &[Expr]) -> Result<Code, Unsupported> {
        self.start();
        for expr in exprs {
            self.effect(expr)?;
        }
        if self.code.is_empty() {
            return Ok(Code(Kind::Nothing));
        }
        match self.code[..] {
            [Op::PutState { slot, value }] => return Ok(Code(Kind::Put(slot, value))),
            [Op::PutClock { clock, value }] => return Ok(Code(Kind::PutClock(clock, value))),
            _ => {}
        }
        self.emit(Op::Give(0));
        self.end()
    }

    /// The element that is referred to, as its position in its table.
    ///
    /// # Errors
    /// If an index depends on something else than integers.
    pub fn element<I: Id>(&mut self, reference: &Indexed<I>) -> Result<Code, Unsupported> {
        let base = reference.base.index() as u32;
        let (at, rest) = resolve(self.network, base, &reference.indices);
        if rest.is_empty() {
            return Ok(Code(Kind::Constant(at as i32)));
        }
        self.start();
        self.address(base, &reference.indices)?;
        self.emit(Op::Stop);
        self.end()
    }

    /// The program of all that was compiled.
    #[must_use]
    pub fn finish(self) -> Program {
        let functions = self.functions.iter().map(|progress| match progress {
            Progress::Ready(function) | Progress::Compiled(function, _) => *function,
            Progress::Untouched | Progress::Failed(_) => Function::default(),
        });
        let reals = |memory: &Memory| match self.stochastic {
            true => memory.doubles.clone(),
            false => Vec::new(),
        };
        Program {
            functions: functions.collect(),
            ops: self.ops,
            steps: self.steps.entries,
            ranges: self.ranges.entries,
            constants: self.network.constants.ints.clone(),
            meta: self.network.meta.ints.clone(),
            real_constants: reals(&self.network.constants),
            real_meta: reals(&self.network.meta),
            n_clocks: self.network.clocks.len(),
            n_locals: self.n_locals as usize,
            n_real_locals: self.n_real_locals as usize,
            n_stack: self.n_stack,
            n_reals: self.n_reals,
            budget: Arc::default(),
        }
    }

    /// Begins new code, forgetting any that failed.
    fn start(&mut self) {
        self.code.clear();
        self.calls.clear();
        self.outermost = true;
    }

    /// Makes the new code part of the program, with the functions it calls.
    fn end(&mut self) -> Compiled<Code> {
        let mut code = std::mem::take(&mut self.code);
        self.reach()?;
        self.code.append(&mut code);
        Ok(Code(Kind::Run(self.append())))
    }

    /// Appends the new code to the finished.
    fn append(&mut self) -> u32 {
        let entry = self.ops.len() as u32;
        let pushed = self.code.iter().map(|op| self.pushes(op) as usize).sum();
        self.n_stack = self.n_stack.max(pushed);
        let pushed = self.code.iter().map(|op| self.pushes_reals(op) as usize).sum();
        self.n_reals = self.n_reals.max(pushed);
        self.ops.append(&mut self.code);
        entry
    }

    /// How many values an operation pushes at most.
    fn pushes(&self, op: &Op) -> u32 {
        match op {
            Op::FetchBlock { size, .. } => *size,
            Op::ReadClock | Op::SetClock { .. } => 2,
            Op::Call(function) => {
                returned(self.network, FunctionId::from_index(*function as usize))
            }
            _ => 1,
        }
    }

    /// How many doubles an operation pushes at most.
    fn pushes_reals(&self, op: &Op) -> u32 {
        match op {
            Op::PushReal(_)
            | Op::LoadReal { .. }
            | Op::LoadRealAt { .. }
            | Op::FetchReal { .. }
            | Op::StoreReal { .. }
            | Op::CombineReal { .. }
            | Op::ToReal
            | Op::NegateReal
            | Op::BinaryReal(_)
            | Op::Function(_)
            | Op::Draw(_) => 1,
            Op::FetchReals { size, .. } | Op::StoreReals { size, .. } => *size,
            Op::Call(function) if self.stochastic => {
                returned_reals(self.network, FunctionId::from_index(*function as usize))
            }
            _ => 0,
        }
    }

    /// Compiles the functions that are called, and those that they call. Without recursion: a
    /// chain of calls may be long.
    fn reach(&mut self) -> Compiled {
        let mut pending = std::mem::take(&mut self.calls);
        let mut seen = HashSet::new();
        while let Some(id) = pending.pop() {
            if matches!(self.functions[id], Progress::Ready(_)) || !seen.insert(id) {
                continue;
            }
            if matches!(self.functions[id], Progress::Untouched) {
                self.functions[id] = match self.function(id) {
                    Ok(function) => Progress::Compiled(function, std::mem::take(&mut self.calls)),
                    Err(unsupported) => Progress::Failed(unsupported),
                };
            }
            match &self.functions[id] {
                Progress::Compiled(_, calls) => pending.extend(calls),
                Progress::Failed(unsupported) => return Err(*unsupported),
                Progress::Untouched | Progress::Ready(_) => {}
            }
        }
        for id in seen {
            if let Progress::Compiled(function, _) = self.functions[id] {
                self.functions[id] = Progress::Ready(function);
            }
        }
        Ok(())
    }

    fn function(&mut self, id: FunctionId) -> Compiled<Function> {
        let function = &self.network.functions[id];
        let FunctionBody::Statements(body) = &function.body else {
            return unsupported("an external function");
        };
        self.start();
        self.outermost = function.shares_frame;
        for param in function.params.iter().rev() {
            let place = &param.place;
            self.touch(place);
            if place.number == Number::Double {
                if self.stochastic {
                    self.take_reals(place);
                }
                continue;
            }
            match place.size {
                1 => self.emit(Op::PopLocal(place.base)),
                size => {
                    self.emit(Op::Push(place.base as i32));
                    self.emit(Op::StoreBlock { space: Space::Local, keep: false, size });
                }
            }
        }
        self.block(body, &function.returns)?;
        self.emit(match function.returns {
            ReturnType::Void => Op::Return,
            _ => Op::NoReturn,
        });
        let cost = self.code.len() as u32;
        let entry = self.append();
        let frame = (!function.shares_frame).then_some(function.frame.ints);
        Ok(Function { entry, cost, frame, doubles: function.frame.doubles })
    }

    pub(super) fn emit(&mut self, op: Op) {
        self.code.push(op);
    }

    /// A jump to a label; how far is filled in later.
    pub(super) fn jump(&mut self, op: Op, label: &mut Label) {
        label.0.push(self.code.len());
        self.emit(op);
    }

    /// The label is here.
    pub(super) fn bind(&mut self, label: Label) {
        let here = self.code.len();
        for at in label.0 {
            match &mut self.code[at] {
                Op::Jump(skip)
                | Op::JumpIf { skip, .. }
                | Op::JumpCompare { skip, .. }
                | Op::JumpState { skip, .. }
                | Op::JumpReal { skip, .. }
                | Op::JumpClock { skip, .. } => *skip = (here - at - 1) as u32,
                op => unreachable!("{op:?} has no label"),
            }
        }
    }

    /// A jump back to a position of the code.
    pub(super) fn back(&mut self, start: usize) {
        let distance = self.code.len() + 1 - start;
        self.emit(Op::Back(distance as u32));
    }

    pub(super) fn range(&mut self, range: Range) -> u32 {
        self.ranges.position(range)
    }

    /// Checks the topmost value.
    pub(super) fn check(&mut self, range: Range) {
        if range != Range::ALL {
            self.emit(Op::Check { lo: range.lo, hi: range.hi });
        }
    }

    /// Makes room for a place in the outermost frame.
    pub(super) fn touch(&mut self, place: &Place) {
        if self.outermost && place.storage == Storage::Local {
            let steps = place.indices.iter();
            let last: u32 = steps.map(|index| index.len.saturating_sub(1) * index.stride).sum();
            let end = place.base + last + place.size;
            match place.number {
                Number::Int => self.n_locals = self.n_locals.max(end),
                Number::Double if self.stochastic => {
                    self.n_real_locals = self.n_real_locals.max(end);
                }
                Number::Double => {}
            }
        }
    }

    /// Makes room for a slot in the outermost frame.
    pub(super) fn touch_slot(&mut self, slot: u32) {
        if self.outermost {
            self.n_locals = self.n_locals.max(slot + 1);
        }
    }

    /// The space of a place and its first slot there, before indices.
    pub(super) fn locate(&mut self, place: &Place) -> (Space, u32) {
        self.touch(place);
        match place.storage {
            Storage::Constant => (Space::Constant, place.base),
            Storage::State => (Space::State, self.network.processes.len() as u32 + place.base),
            Storage::Meta => (Space::Meta, place.base),
            Storage::Local => (Space::Local, place.base),
        }
    }

    /// Pushes the address `base` plus what the indices contribute.
    pub(super) fn address(&mut self, base: u32, indices: &[Index]) -> Compiled {
        let (at, mut rest) = resolve(self.network, base, indices);
        match rest.first().copied().and_then(|index| Some((index, small(index)?))) {
            Some((index, (stride, lo, len))) => {
                self.push(&index.value)?;
                self.emit(Op::AddressAt { stride, lo, len, base: at });
                rest.remove(0);
            }
            None => self.emit(Op::Push(at as i32)),
        }
        for index in rest {
            self.push(&index.value)?;
            let step = Step { lo: index.lo, len: index.len, stride: index.stride };
            let step = self.steps.position(step);
            self.emit(Op::Index { step });
        }
        Ok(())
    }
}

/// An index that fits the short operations: stride, lowest index, length.
pub(super) fn small(index: &Index) -> Option<(u8, i16, u16)> {
    let stride = u8::try_from(index.stride).ok()?;
    Some((stride, i16::try_from(index.lo).ok()?, u16::try_from(index.len).ok()?))
}
