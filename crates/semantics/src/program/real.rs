//! Running stochastic code: doubles, clocks with values, and chance.
//!
//! Doubles follow IEEE 754, as in C: a division by zero is infinite, and what is not a number
//! compares with nothing. Clocks change at once; they may become negative.

use std::fmt;

use punctual_model::BinaryOp;

use super::{
    Function, Program,
    chance::draw,
    machine::{self, Machine, Run, SLOTS_MAX, steps},
    math,
    op::{Keep, Op, RealSpace},
};
use crate::FaultKind;

/// Where random numbers come from.
pub trait Chance {
    /// 64 random bits.
    fn bits(&mut self) -> u64;

    /// A number of the interval from 0 (included) to 1 (excluded), each as probable as any other.
    fn unit(&mut self) -> f64 {
        // As many bits as a double can hold.
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.bits() >> 11) as f64 * STEP
    }
}

/// The real-valued part of a state, and chance.
pub struct Reals<'r> {
    /// The doubles of the state.
    pub doubles: &'r mut [f64],
    /// The values of the clocks.
    pub clocks: &'r mut [f64],
    /// The rates of the clocks, for expressions that read them.
    pub rates: &'r [f64],
    /// Where random numbers come from.
    pub chance: &'r mut dyn Chance,
}

impl fmt::Debug for Reals<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reals")
            .field("doubles", &self.doubles)
            .field("clocks", &self.clocks)
            .field("rates", &self.rates)
            .finish_non_exhaustive()
    }
}

/// The doubles of a [`Machine`].
#[derive(Clone, Debug)]
pub(super) struct Doubles {
    /// Operands. It always has room for those of the present function.
    stack: Vec<f64>,
    /// Where the frames of the callers begin and end.
    callers: Vec<(usize, usize)>,
    /// The frames one after the other, the outermost first.
    locals: Vec<f64>,
    n_locals: usize,
    meta: Vec<f64>,
    meta_initial: Vec<f64>,
}

impl Doubles {
    pub(super) fn new(program: &Program) -> Self {
        Self {
            stack: vec![0.0; program.n_reals],
            callers: Vec::new(),
            locals: vec![0.0; program.n_real_locals],
            n_locals: program.n_real_locals,
            meta: program.real_meta.clone(),
            meta_initial: program.real_meta.clone(),
        }
    }

    /// Gives meta variables their initial values.
    pub(super) fn begin(&mut self) {
        self.meta.copy_from_slice(&self.meta_initial);
    }
}

/// Runs stochastic code; gives its integer and its double, of which one counts.
pub(super) fn run(
    program: &Program,
    entry: u32,
    state: &mut [i32],
    reals: &mut Reals<'_>,
    machine: &mut Machine,
) -> Result<(i32, f64), FaultKind> {
    machine.doubles.callers.clear();
    let top = machine.doubles.n_locals;
    let mut stack = std::mem::take(&mut machine.doubles.stack);
    let real = Stochastic { reals, stack: &mut stack, base: 0, top };
    let outcome = machine::run(program, entry, state, real, machine);
    let double = stack.first().copied().unwrap_or(0.0);
    machine.doubles.stack = stack;
    Ok((outcome?, double))
}

/// What a run does with doubles. Nothing, for `()`.
pub(super) trait Real: Sized {
    /// Does an operation on doubles; says how many operations to skip after it.
    fn step(
        run: &mut Run<'_, Self>,
        op: Op,
        stack: &mut [i32],
        n: &mut usize,
        n_reals: &mut usize,
    ) -> Result<usize, FaultKind>;

    /// Makes room for the operands of a function that is called.
    fn make_room(run: &mut Run<'_, Self>, n_reals: usize);

    /// Begins the frame of a function.
    fn enter(run: &mut Run<'_, Self>, function: Function) -> Result<(), FaultKind>;

    /// Goes back to the frame of the caller.
    fn leave(run: &mut Run<'_, Self>);
}

impl Real for () {
    #[inline(always)]
    fn step(
        _: &mut Run<'_, Self>,
        op: Op,
        _: &mut [i32],
        _: &mut usize,
        _: &mut usize,
    ) -> Result<usize, FaultKind> {
        no_doubles(op)
    }

    #[inline(always)]
    fn make_room(_: &mut Run<'_, Self>, _: usize) {}

    #[inline(always)]
    fn enter(_: &mut Run<'_, Self>, _: Function) -> Result<(), FaultKind> {
        Ok(())
    }

    #[inline(always)]
    fn leave(_: &mut Run<'_, Self>) {}
}

#[cold]
#[inline(never)]
pub(super) fn no_doubles(op: Op) -> ! {
    panic!("stochastic code runs with doubles, for {op:?}")
}

/// The doubles of a run.
pub(super) struct Stochastic<'e, 'r> {
    reals: &'e mut Reals<'r>,
    stack: &'e mut Vec<f64>,
    /// Where the present frame begins and ends.
    base: usize,
    top: usize,
}

impl Real for Stochastic<'_, '_> {
    // Inlined, so that the loop chooses among all operations at once.
    #[inline(always)]
    fn step(
        run: &mut Run<'_, Self>,
        op: Op,
        stack: &mut [i32],
        n: &mut usize,
        n_reals: &mut usize,
    ) -> Result<usize, FaultKind> {
        macro_rules! push {
            ($value:expr) => {{
                stack[*n] = $value;
                *n += 1;
            }};
        }
        macro_rules! pop {
            () => {{
                *n -= 1;
                stack[*n]
            }};
        }
        macro_rules! push_real {
            ($value:expr) => {{
                run.real.stack[*n_reals] = $value;
                *n_reals += 1;
            }};
        }
        macro_rules! pop_real {
            () => {{
                *n_reals -= 1;
                run.real.stack[*n_reals]
            }};
        }
        match op {
            Op::PushReal([high, low]) => {
                push_real!(f64::from_bits(u64::from(high) << 32 | u64::from(low)));
            }
            Op::PopReals(count) => *n_reals -= count as usize,
            Op::LoadReal { space, slot } => push_real!(run.memory(space)[slot as usize]),
            Op::LoadRealAt { space, stride, lo, len, base } => {
                let index = pop!();
                let at = base + steps(index, lo.into(), len.into())? * u32::from(stride);
                push_real!(run.memory(space)[at as usize]);
            }
            Op::FetchReal { space } => push_real!(run.memory(space)[pop!() as usize]),
            Op::FetchReals { space, size } => {
                let (at, size) = (pop!() as usize, size as usize);
                run.spend(size as u64)?;
                for i in 0..size {
                    run.real.stack[*n_reals + i] = run.memory(space)[at + i];
                }
                *n_reals += size;
            }
            Op::SetReal { space, slot } => {
                let value = pop_real!();
                run.memory_mut(space)[slot as usize] = value;
            }
            Op::PutClock { clock, value } => run.real.reals.clocks[clock as usize] = value.into(),
            Op::StoreReal { space, keep } => {
                let (at, value) = (pop!() as usize, pop_real!());
                let old = std::mem::replace(&mut run.memory_mut(space)[at], value);
                match keep {
                    Keep::Nothing => {}
                    Keep::Old => push_real!(old),
                    Keep::New => push_real!(value),
                }
            }
            Op::CombineReal { space, keep, op } => {
                let (at, value) = (pop!() as usize, pop_real!());
                let slot = &mut run.memory_mut(space)[at];
                let old = *slot;
                let new = binary(op, old, value);
                *slot = new;
                match keep {
                    Keep::Nothing => {}
                    Keep::Old => push_real!(old),
                    Keep::New => push_real!(new),
                }
            }
            Op::StoreReals { space, keep, size } => {
                let (at, size) = (pop!() as usize, size as usize);
                run.spend(size as u64)?;
                *n_reals -= size;
                for i in 0..size {
                    run.memory_mut(space)[at + i] = run.real.stack[*n_reals + i];
                }
                if keep {
                    *n_reals += size;
                }
            }
            Op::ZeroReals { space, slot, size } => {
                run.spend(size.into())?;
                run.memory_mut(space)[slot as usize..][..size as usize].fill(0.0);
            }
            Op::ToReal => push_real!(pop!().into()),
            Op::NegateReal => {
                let value = pop_real!();
                push_real!(-value);
            }
            Op::BinaryReal(op) => {
                let (right, left) = (pop_real!(), pop_real!());
                push_real!(binary(op, left, right));
            }
            Op::CompareReal(compare) => {
                let (right, left) = (pop_real!(), pop_real!());
                push!(compare.holds_real(left, right).into());
            }
            Op::CompareReals { equal, size } => {
                run.spend(size.into())?;
                let size = size as usize;
                *n_reals -= 2 * size;
                let (left, right) = run.real.stack[*n_reals..][..2 * size].split_at(size);
                push!(((left == right) == equal).into());
            }
            Op::JumpReal { compare, skip } => {
                let (right, left) = (pop_real!(), pop_real!());
                if compare.holds_real(left, right) {
                    return Ok(skip as usize);
                }
            }
            Op::JumpClock { compare, value, clock, skip } => {
                if compare.holds_real(run.real.reals.clocks[clock as usize], value.into()) {
                    return Ok(skip as usize);
                }
            }
            Op::Function(builtin) => {
                *n_reals -= math::arity(builtin);
                let value = math::double(builtin, &run.real.stack[*n_reals..]);
                push_real!(value);
            }
            Op::Classify(builtin) => {
                *n_reals -= math::arity(builtin);
                push!(math::int(builtin, &run.real.stack[*n_reals..])?);
            }
            Op::Draw(builtin) => {
                *n_reals -= math::arity(builtin);
                let parameters = &run.real.stack[*n_reals..];
                let value = draw(builtin, parameters, run.real.reals.chance)?;
                push_real!(value);
            }
            op => unreachable!("{op:?} is for integers"),
        }
        Ok(0)
    }

    #[inline]
    fn make_room(run: &mut Run<'_, Self>, n_reals: usize) {
        let size = n_reals + run.program.n_reals;
        if run.real.stack.len() < size {
            run.real.stack.resize(size, 0.0);
        }
    }

    #[inline]
    fn enter(run: &mut Run<'_, Self>, function: Function) -> Result<(), FaultKind> {
        let (real, doubles) = (&mut run.real, &mut run.machine.doubles);
        doubles.callers.push((real.base, real.top));
        if function.frame.is_some() {
            real.base = real.top;
            real.top += function.doubles as usize;
            if real.top > SLOTS_MAX {
                return Err(FaultKind::TooLong);
            }
            if doubles.locals.len() < real.top {
                doubles.locals.resize(real.top, 0.0);
            }
            // What an earlier call left there must not show.
            doubles.locals[real.base..real.top].fill(0.0);
        }
        Ok(())
    }

    #[inline]
    fn leave(run: &mut Run<'_, Self>) {
        let caller = run.machine.doubles.callers.pop().expect("a function has a caller");
        (run.real.base, run.real.top) = caller;
    }
}

impl Run<'_, Stochastic<'_, '_>> {
    #[inline(always)]
    fn memory(&self, space: RealSpace) -> &[f64] {
        match space {
            RealSpace::State => self.real.reals.doubles,
            RealSpace::Local => &self.machine.doubles.locals[self.real.base..],
            RealSpace::Meta => &self.machine.doubles.meta,
            RealSpace::Constant => &self.program.real_constants,
            RealSpace::Clock => self.real.reals.clocks,
            RealSpace::Rate => self.real.reals.rates,
        }
    }

    #[inline(always)]
    fn memory_mut(&mut self, space: RealSpace) -> &mut [f64] {
        match space {
            RealSpace::State => self.real.reals.doubles,
            RealSpace::Local => &mut self.machine.doubles.locals[self.real.base..],
            RealSpace::Meta => {
                self.machine.meta_changed = true;
                &mut self.machine.doubles.meta
            }
            RealSpace::Clock => self.real.reals.clocks,
            RealSpace::Constant | RealSpace::Rate => unreachable!("constants do not change"),
        }
    }
}

/// The value of an arithmetic operator.
#[inline]
fn binary(op: BinaryOp, left: f64, right: f64) -> f64 {
    match op {
        BinaryOp::Add => left + right,
        BinaryOp::Subtract => left - right,
        BinaryOp::Multiply => left * right,
        BinaryOp::Divide => left / right,
        BinaryOp::Remainder => left % right,
        BinaryOp::Power => libm::pow(left, right),
        BinaryOp::Minimum => left.min(right),
        BinaryOp::Maximum => left.max(right),
        op => unreachable!("{op:?} is not for doubles"),
    }
}

/// Whether an operator makes a double of two.
pub(super) fn is_arithmetic(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Remainder
            | BinaryOp::Power
            | BinaryOp::Minimum
            | BinaryOp::Maximum
    )
}
