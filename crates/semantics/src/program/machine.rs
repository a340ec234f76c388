//! The stack machine.
//!
//! Its loop is compiled twice: for integers alone, with `()` for what is [`Real`] about a run, and
//! with the doubles, clocks and chance of a stochastic run. So the first does not pay for the
//! second.

use punctual_model::{BinaryOp, Range};

use super::{
    Program,
    effects::CLOCK_MAX,
    op::{Keep, Op, Space, Step},
    real::{Doubles, Real},
};
use crate::FaultKind;

/// How many operations a run may take, roughly; how many calls may be nested; and how many
/// slots their frames may have.
const OPS_MAX: u64 = 50_000_000;
const CALLS_MAX: usize = 10_000;
pub(super) const SLOTS_MAX: usize = 1 << 24;

/// A clock that was not set.
const UNCHANGED: u32 = u32::MAX;

/// The memory of running code.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Operands. It always has room for those of the present function.
    stack: Vec<i32>,
    calls: Vec<Caller>,
    /// The frames one after the other, the outermost first.
    locals: Vec<i32>,
    n_locals: usize,
    meta: Vec<i32>,
    meta_initial: Vec<i32>,
    pub(super) meta_changed: bool,
    /// Source and offset of each clock, or [`UNCHANGED`].
    clocks: Vec<(u32, i32)>,
    changed_clocks: Vec<u32>,
    /// What only stochastic code uses.
    pub(super) doubles: Doubles,
}

/// Where a function returns to: the operation, and the bounds of the frame.
#[derive(Clone, Copy, Debug)]
struct Caller {
    next: usize,
    base: usize,
    top: usize,
}

impl Machine {
    pub(super) fn new(program: &Program) -> Self {
        Self {
            stack: vec![0; program.n_stack],
            calls: Vec::new(),
            locals: vec![0; program.n_locals],
            n_locals: program.n_locals,
            meta: program.meta.clone(),
            meta_initial: program.meta.clone(),
            meta_changed: false,
            clocks: vec![(UNCHANGED, 0); program.n_clocks],
            changed_clocks: Vec::new(),
            doubles: Doubles::new(program),
        }
    }

    /// The integer slots of the outermost frame: selected and quantified values of an edge, a
    /// location or a query. There are enough for all frames of the network and all compiled code.
    pub fn locals(&mut self) -> &mut [i32] {
        &mut self.locals[..self.n_locals]
    }

    /// Forgets what clocks were set to (symbolically) and gives meta variables their initial values: a new transition
    /// begins.
    pub fn begin(&mut self) {
        for clock in self.changed_clocks.drain(..) {
            self.clocks[clock as usize] = (UNCHANGED, 0);
        }
        if self.meta_changed {
            self.meta.copy_from_slice(&self.meta_initial);
            self.doubles.begin();
            self.meta_changed = false;
        }
    }

    /// The clocks that were set since [`begin`](Self::begin), each once, in the order of their
    /// first change.
    #[must_use]
    pub fn changed_clocks(&self) -> &[u32] {
        &self.changed_clocks
    }

    /// What a clock is now, as a source and an offset to be added to it: source 0 is zero, and
    /// source `k + 1` is what clock `k` was at [`begin`](Self::begin).
    #[must_use]
    pub fn clock(&self, clock: u32) -> (u32, i32) {
        match self.clocks[clock as usize] {
            (UNCHANGED, _) => (clock + 1, 0),
            change => change,
        }
    }

    fn set_clock(&mut self, clock: u32, source: u32, offset: i32) {
        let change = &mut self.clocks[clock as usize];
        if change.0 == UNCHANGED {
            self.changed_clocks.push(clock);
        }
        *change = (source, offset);
    }
}

/// Runs the code at an entry.
pub(super) fn run<R: Real>(
    program: &Program,
    entry: u32,
    state: &mut [i32],
    real: R,
    machine: &mut Machine,
) -> Result<i32, FaultKind> {
    machine.calls.clear();
    let top = machine.n_locals;
    // Lent out, so that the loop has it at hand.
    let mut stack = std::mem::take(&mut machine.stack);
    let run = Run { program, state, machine, real, base: 0, top, ops_left: OPS_MAX };
    let outcome = run.run(entry as usize, &mut stack);
    machine.stack = stack;
    outcome
}

pub(super) struct Run<'r, R> {
    pub(super) program: &'r Program,
    pub(super) state: &'r mut [i32],
    pub(super) machine: &'r mut Machine,
    pub(super) real: R,
    /// Where the present frame begins and ends.
    base: usize,
    top: usize,
    ops_left: u64,
}

impl<R: Real> Run<'_, R> {
    fn run(mut self, entry: usize, stack: &mut Vec<i32>) -> Result<i32, FaultKind> {
        // How many operands there are. It lives in a register, which a vector's length does not.
        let mut n = 0;
        // How many doubles there are.
        let mut n_reals = 0;
        macro_rules! push {
            ($value:expr) => {{
                stack[n] = $value;
                n += 1;
            }};
        }
        macro_rules! pop {
            () => {{
                n -= 1;
                stack[n]
            }};
        }
        macro_rules! top {
            () => {
                stack[n - 1]
            };
        }
        let ops = self.program.ops.as_slice();
        let mut next = entry;
        loop {
            let op = &ops[next];
            next += 1;
            match *op {
                Op::Push(value) => push!(value),
                Op::Pop(count) => {
                    n -= count as usize;
                }
                Op::LoadState(slot) => push!(self.state[slot as usize]),
                Op::LoadLocal(slot) => {
                    push!(self.machine.locals[self.base + slot as usize]);
                }
                Op::Load { space, slot } => {
                    push!(self.read(space, slot as usize));
                }
                Op::LoadAt { space, stride, lo, len, base } => {
                    let value = top!();
                    let at = base + steps(value, lo.into(), len.into())? * u32::from(stride);
                    top!() = self.read(space, at as usize);
                }
                Op::AddressAt { stride, lo, len, base } => {
                    let value = top!();
                    let at = base + steps(value, lo.into(), len.into())? * u32::from(stride);
                    top!() = at as i32;
                }
                Op::Index { step } => {
                    let Step { lo, len, stride } = self.program.steps[step as usize];
                    let value = pop!();
                    top!() += (steps(value, lo, len)? * stride) as i32;
                }
                Op::Fetch { space } => {
                    let at = top!() as usize;
                    top!() = self.read(space, at);
                }
                Op::FetchBlock { space, size } => {
                    let (at, size) = (pop!() as usize, size as usize);
                    self.spend(size as u64)?;
                    stack[n..n + size].copy_from_slice(self.slots(space, at, size));
                    n += size;
                }
                Op::PopState(slot) => self.state[slot as usize] = pop!(),
                Op::PopLocal(slot) => {
                    self.machine.locals[self.base + slot as usize] = pop!();
                }
                Op::SetState { slot, lo, hi } => {
                    let value = pop!();
                    check(value, Range { lo: lo.into(), hi: hi.into() })?;
                    self.state[slot as usize] = value;
                }
                Op::SetLocal { slot, lo, hi } => {
                    let value = pop!();
                    check(value, Range { lo: lo.into(), hi: hi.into() })?;
                    self.machine.locals[self.base + slot as usize] = value;
                }
                Op::PutState { slot, value } => self.state[slot as usize] = value,
                Op::PutLocal { slot, value } => {
                    self.machine.locals[self.base + slot as usize] = value;
                }
                Op::Store { space, keep, range } => {
                    let (at, value) = (pop!(), pop!());
                    let (old, new) = self.store(space, at, range, |_| Ok(value))?;
                    match keep {
                        Keep::Nothing => {}
                        Keep::Old => push!(old),
                        Keep::New => push!(new),
                    }
                }
                Op::Combine { space, keep, op, range } => {
                    let (at, value) = (pop!(), pop!());
                    let (old, new) = self.store(space, at, range, |old| binary(op, old, value))?;
                    match keep {
                        Keep::Nothing => {}
                        Keep::Old => push!(old),
                        Keep::New => push!(new),
                    }
                }
                Op::StoreBlock { space, keep, size } => {
                    let (at, size) = (pop!() as usize, size as usize);
                    self.spend(size as u64)?;
                    self.slots_mut(space, at, size).copy_from_slice(&stack[n - size..n]);
                    if !keep {
                        n -= size;
                    }
                }
                Op::Fill { space, slot, size } => {
                    self.spend(size.into())?;
                    let value = pop!();
                    self.slots_mut(space, slot as usize, size as usize).fill(value);
                }
                Op::Check { lo, hi } => check(top!(), Range { lo, hi })?,
                Op::Negate => {
                    let value = &mut top!();
                    *value = value.checked_neg().ok_or(FaultKind::Overflow)?;
                }
                Op::Not => {
                    let value = &mut top!();
                    *value = i32::from(*value == 0);
                }
                Op::Abs => {
                    let value = &mut top!();
                    *value = value.checked_abs().ok_or(FaultKind::Overflow)?;
                }
                Op::Binary(op) => {
                    let right = pop!();
                    let left = &mut top!();
                    *left = binary(op, *left, right)?;
                }
                Op::CompareState { compare, slot, value } => {
                    let truth = compare.holds(self.state[slot as usize], value);
                    push!(truth.into());
                }
                Op::CompareBlocks { equal, size } => {
                    self.spend(size.into())?;
                    let size = size as usize;
                    let same = stack[n - 2 * size..n - size] == stack[n - size..n];
                    n -= 2 * size;
                    push!((same == equal).into());
                }
                Op::Jump(skip) => next += skip as usize,
                Op::Back(distance) => {
                    self.spend(distance.into())?;
                    next -= distance as usize;
                }
                Op::JumpIf { sense, skip } => {
                    if (pop!() != 0) == sense {
                        next += skip as usize;
                    }
                }
                Op::JumpCompare { compare, skip } => {
                    let right = pop!();
                    if compare.holds(pop!(), right) {
                        next += skip as usize;
                    }
                }
                Op::JumpState { compare, value, slot, skip } => {
                    if compare.holds(self.state[slot as usize], value.into()) {
                        next += skip as usize;
                    }
                }
                Op::Next { slot, hi } => {
                    let value = &mut self.machine.locals[self.base + slot as usize];
                    if *value >= hi {
                        next += 1;
                    } else {
                        *value += 1;
                    }
                }
                Op::Call(function) => {
                    next = self.call(function, next)?;
                    if stack.len() < n + self.program.n_stack {
                        stack.resize(n + self.program.n_stack, 0);
                    }
                    R::make_room(&mut self, n_reals);
                }
                Op::Return => {
                    let caller = self.machine.calls.pop().expect("a function has a caller");
                    (next, self.base, self.top) = (caller.next, caller.base, caller.top);
                    R::leave(&mut self);
                }
                Op::NoReturn => return Err(FaultKind::NoReturn),
                Op::Assert => {
                    if pop!() == 0 {
                        return Err(FaultKind::Assertion);
                    }
                }
                Op::ReadClock => {
                    let clock = pop!() as u32;
                    let (source, offset) = self.machine.clock(clock);
                    push!(source as i32);
                    push!(offset);
                }
                Op::ShiftClock { minus } => {
                    let by = i64::from(pop!());
                    let offset = pop!();
                    push!(shifted(offset, if minus { -by } else { by })?);
                }
                Op::ShiftClockUnder => {
                    let (offset, source) = (pop!(), pop!());
                    let by = pop!();
                    push!(source);
                    push!(shifted(offset, by.into())?);
                }
                Op::SetClock { keep } => {
                    let (clock, offset, source) = (pop!(), pop!(), pop!());
                    self.set_clock(clock, source, offset)?;
                    if keep {
                        push!(source);
                        push!(offset);
                    }
                }
                Op::ResetClock { clock, value } => self.machine.set_clock(clock, 0, value),
                Op::Give(value) => return Ok(value),
                Op::Stop => return Ok(pop!()),
                op => next += R::step(&mut self, op, stack, &mut n, &mut n_reals)?,
            }
        }
    }

    pub(super) fn spend(&mut self, ops: u64) -> Result<(), FaultKind> {
        self.ops_left = self.ops_left.checked_sub(ops).ok_or(FaultKind::TooLong)?;
        Ok(())
    }

    #[inline]
    fn read(&self, space: Space, at: usize) -> i32 {
        match space {
            Space::State => self.state[at],
            Space::Local => self.machine.locals[self.base + at],
            Space::Meta => self.machine.meta[at],
            Space::Constant => self.program.constants[at],
        }
    }

    fn slots(&self, space: Space, at: usize, size: usize) -> &[i32] {
        match space {
            Space::State => &self.state[at..at + size],
            Space::Local => &self.machine.locals[self.base + at..][..size],
            Space::Meta => &self.machine.meta[at..at + size],
            Space::Constant => &self.program.constants[at..at + size],
        }
    }

    #[inline]
    fn slots_mut(&mut self, space: Space, at: usize, size: usize) -> &mut [i32] {
        match space {
            Space::State => &mut self.state[at..at + size],
            Space::Local => &mut self.machine.locals[self.base + at..][..size],
            Space::Meta => {
                self.machine.meta_changed = true;
                &mut self.machine.meta[at..at + size]
            }
            Space::Constant => unreachable!("constants do not change"),
        }
    }

    /// Assigns what `new` makes of the old value; gives both.
    #[inline]
    fn store(
        &mut self,
        space: Space,
        at: i32,
        range: u32,
        new: impl FnOnce(i32) -> Result<i32, FaultKind>,
    ) -> Result<(i32, i32), FaultKind> {
        let range = self.program.ranges[range as usize];
        let slot = &mut self.slots_mut(space, at as usize, 1)[0];
        let old = *slot;
        let new = new(old)?;
        check(new, range)?;
        *slot = new;
        Ok((old, new))
    }

    fn call(&mut self, function: u32, next: usize) -> Result<usize, FaultKind> {
        let function = self.program.functions[function as usize];
        self.spend(function.cost.into())?;
        if self.machine.calls.len() == CALLS_MAX {
            return Err(FaultKind::TooLong);
        }
        self.machine.calls.push(Caller { next, base: self.base, top: self.top });
        if let Some(size) = function.frame {
            self.base = self.top;
            self.top += size as usize;
            if self.top > SLOTS_MAX {
                return Err(FaultKind::TooLong);
            }
            let locals = &mut self.machine.locals;
            if locals.len() < self.top {
                locals.resize(self.top, 0);
            }
            // What an earlier call left there must not show.
            locals[self.base..self.top].fill(0);
        }
        R::enter(self, function)?;
        Ok(function.entry as usize)
    }

    fn set_clock(&mut self, clock: i32, source: i32, offset: i32) -> Result<(), FaultKind> {
        if source == 0 && offset < 0 {
            return Err(FaultKind::NegativeClock { value: offset });
        }
        if !(-CLOCK_MAX..=CLOCK_MAX).contains(&offset) {
            return Err(FaultKind::ClockConstant { value: offset });
        }
        self.machine.set_clock(clock as u32, source as u32, offset);
        Ok(())
    }
}

/// How many strides an index goes.
#[inline]
pub(super) fn steps(value: i32, lo: i32, len: u32) -> Result<u32, FaultKind> {
    let steps = value.wrapping_sub(lo) as u32;
    if value >= lo && steps < len { Ok(steps) } else { Err(FaultKind::Index { value, lo, len }) }
}

#[inline]
fn check(value: i32, Range { lo, hi }: Range) -> Result<(), FaultKind> {
    if lo <= value && value <= hi { Ok(()) } else { Err(FaultKind::Range { value, lo, hi }) }
}

/// The offset of a clock that is shifted.
fn shifted(offset: i32, by: i64) -> Result<i32, FaultKind> {
    let sum = i64::from(offset) + by;
    let clamped = sum.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
    match i64::from(clamped) == sum {
        true => Ok(clamped),
        false => Err(FaultKind::ClockConstant { value: clamped }),
    }
}

/// The value of an operator that evaluates both of its sides.
#[inline]
fn binary(op: BinaryOp, left: i32, right: i32) -> Result<i32, FaultKind> {
    let fit = |value: Option<i32>| value.ok_or(FaultKind::Overflow);
    let nonzero = |value: Option<i32>| match right {
        0 => Err(FaultKind::DivisionByZero),
        _ => value.ok_or(FaultKind::Overflow),
    };
    let shift = || match right {
        0..=31 => Ok(right as u32),
        by => Err(FaultKind::Shift { by }),
    };
    Ok(match op {
        BinaryOp::Add => fit(left.checked_add(right))?,
        BinaryOp::Subtract => fit(left.checked_sub(right))?,
        BinaryOp::Multiply => fit(left.checked_mul(right))?,
        BinaryOp::Divide => nonzero(left.checked_div(right))?,
        BinaryOp::Remainder => nonzero(left.checked_rem(right))?,
        BinaryOp::Power => match u32::try_from(right) {
            Ok(exponent) => fit(left.checked_pow(exponent))?,
            Err(_) => return Err(FaultKind::Power { exponent: right }),
        },
        BinaryOp::Minimum => left.min(right),
        BinaryOp::Maximum => left.max(right),
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::ShiftLeft => left << shift()?,
        BinaryOp::ShiftRight => left >> shift()?,
        BinaryOp::Less => (left < right).into(),
        BinaryOp::LessEqual => (left <= right).into(),
        BinaryOp::Equal => (left == right).into(),
        BinaryOp::NotEqual => (left != right).into(),
        BinaryOp::GreaterEqual => (left >= right).into(),
        BinaryOp::Greater => (left > right).into(),
        BinaryOp::Xor => ((left != 0) != (right != 0)).into(),
        // These are compiled to jumps; as an assignment they do not exist.
        BinaryOp::And => (left != 0 && right != 0).into(),
        BinaryOp::Or => (left != 0 || right != 0).into(),
        BinaryOp::Imply => (left == 0 || right != 0).into(),
    })
}
