//! Evaluates expressions by walking over them.
//!
//! Clocks carry whether they move with time. So every comparison of clocks can say at which delay
//! its truth changes, also after clocks were set and copied; see [`Machine::critical`].
//!
//! Doubles are left out, as in symbolic analysis: an assignment to one does nothing. What sets or
//! compares real clocks is evaluated exactly.

use std::{cmp::Ordering, collections::BTreeSet, ops::ControlFlow};

use punctual_model::{
    AssignOp, AssignResult, Binary, BinaryOp, Builtin, ClockConstraint, ClockId, ClockRef,
    Condition, Expr, FunctionBody, FunctionId, Id, Index, LocationId, Network, Number, Place,
    Quantifier, Range, Relation, ReturnType, Statement, Storage, UnaryOp,
};

use super::State;
use crate::{Fault, FaultKind, Rational};

/// After this many calls and rounds of loops, an evaluation is said not to end.
const STEPS_MAX: u32 = 1_000_000;
/// After this many calls inside each other, a recursion is said not to end.
const DEPTH_MAX: u32 = 200;

/// A clock at an instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub(super) value: Rational,
    /// Whether a later instant would have shown more.
    pub(super) moves: bool,
}

/// All memories, while something is evaluated.
pub(super) struct Machine<'a> {
    network: &'a Network,
    pub(super) locations: Vec<LocationId>,
    pub(super) ints: Vec<i32>,
    pub(super) clocks: Vec<Reading>,
    meta: Vec<i32>,
    frame: Vec<i32>,
    /// By how much later (or earlier, if negative) the same evaluation could take another course:
    /// where a comparison that was made changes its truth.
    pub(super) critical: &'a mut BTreeSet<Rational>,
    steps: u32,
    depth: u32,
}

impl<'a> Machine<'a> {
    /// The memories in a state, where these clocks move.
    pub(super) fn new(
        network: &'a Network,
        state: &State,
        moving: &[bool],
        critical: &'a mut BTreeSet<Rational>,
    ) -> Self {
        let reading = |(&value, &moves): (&Rational, &bool)| Reading { value, moves };
        Self {
            network,
            locations: state.locations.clone(),
            ints: state.ints.clone(),
            clocks: state.clocks.iter().zip(moving).map(reading).collect(),
            meta: network.meta.ints.clone(),
            frame: Vec::new(),
            critical,
            steps: 0,
            depth: 0,
        }
    }

    /// Forgets what is meaningful inside one transition only.
    pub(super) fn clear_meta(&mut self) {
        self.meta.clone_from(&self.network.meta.ints);
    }

    /// Starts expressions of another owner: local memory is zero.
    pub(super) fn enter(&mut self, frame: punctual_model::Frame) {
        self.frame = vec![0; frame.ints as usize];
    }

    /// Writes to local memory.
    pub(super) fn set_local(&mut self, slot: u32, value: i32) {
        self.frame[slot as usize] = value;
    }

    /// Whether the data part of a condition holds, evaluated up to the first part that is false.
    pub(super) fn data_part(&mut self, condition: &Condition) -> Result<bool, Fault> {
        for expr in &condition.data {
            if self.int(expr)? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the clock part of a condition holds. All of it is evaluated: whether that is an error
    /// does not depend on the time.
    pub(super) fn clock_part(&mut self, condition: &Condition) -> Result<bool, Fault> {
        let mut holds = true;
        for constraint in &condition.clocks {
            holds &= self.constraint(constraint)?;
        }
        Ok(holds)
    }

    fn constraint(&mut self, constraint: &ClockConstraint) -> Result<bool, Fault> {
        if let Some(when) = &constraint.when
            && self.int(when)? == 0
        {
            return Ok(true);
        }
        let mut difference = Rational::ZERO;
        let mut speed = 0;
        for (clock, sign) in [(&constraint.left, 1), (&constraint.right, -1)] {
            let Some(clock) = clock else { continue };
            let clock = self.clock(clock)?;
            if self.network.clocks[clock].hybrid {
                return Ok(true);
            }
            let reading = self.clocks[clock.index()];
            let value = reading.value;
            difference = difference + if sign > 0 { value } else { -value };
            speed += sign * i64::from(reading.moves);
        }
        let bound = match constraint.number {
            Number::Int => Rational::from(self.int(&constraint.bound)?),
            Number::Double => self.real(&constraint.bound)?.value,
        };
        self.mark(difference - bound, speed);
        let order = difference.cmp(&bound);
        Ok(match constraint.relation {
            Relation::Less => order == Ordering::Less,
            Relation::LessEqual => order != Ordering::Greater,
            Relation::Equal => order == Ordering::Equal,
            Relation::NotEqual => order != Ordering::Equal,
            Relation::GreaterEqual => order != Ordering::Less,
            Relation::Greater => order == Ordering::Greater,
        })
    }

    /// Notes when `excess`, which grows at this speed (-1, 0 or 1), passes zero.
    fn mark(&mut self, excess: Rational, speed: i64) {
        match speed {
            0 => {}
            1 => drop(self.critical.insert(-excess)),
            -1 => drop(self.critical.insert(excess)),
            _ => unreachable!("clocks have a rate of 0 or 1"),
        }
    }

    pub(super) fn clock(&mut self, clock: &ClockRef) -> Result<ClockId, Fault> {
        Ok(ClockId::from_index(clock.base.index() + self.offset(&clock.indices)?))
    }

    pub(super) fn offset(&mut self, indices: &[Index]) -> Result<usize, Fault> {
        let mut offset = 0;
        for index in indices {
            let value = self.int(&index.value)?;
            let distance = i64::from(value) - i64::from(index.lo);
            match u32::try_from(distance) {
                Ok(distance) if distance < index.len => {
                    offset += distance as usize * index.stride as usize;
                }
                _ => Err(FaultKind::Index { value, lo: index.lo, len: index.len })?,
            }
        }
        Ok(offset)
    }

    fn slot(&mut self, place: &Place) -> Result<usize, Fault> {
        Ok(place.base as usize + self.offset(&place.indices)?)
    }

    fn load(&self, storage: Storage, slot: usize, size: u32) -> Vec<i32> {
        let memory = match storage {
            Storage::Constant => &self.network.constants.ints,
            Storage::State => &self.ints,
            Storage::Meta => &self.meta,
            Storage::Local => &self.frame,
        };
        memory[slot..slot + size as usize].to_vec()
    }

    fn store(&mut self, storage: Storage, slot: usize, values: &[i32]) {
        let memory = match storage {
            Storage::Constant => panic!("a constant is not assigned to"),
            Storage::State => &mut self.ints,
            Storage::Meta => &mut self.meta,
            Storage::Local => &mut self.frame,
        };
        memory[slot..slot + values.len()].copy_from_slice(values);
    }

    /// Evaluates expressions for their effects, in this order.
    pub(super) fn run(&mut self, exprs: &[Expr]) -> Result<(), Fault> {
        exprs.iter().try_for_each(|expr| self.effect(expr))
    }

    fn effect(&mut self, expr: &Expr) -> Result<(), Fault> {
        match expr {
            Expr::Sequence(parts) => {
                self.effect(&parts[0])?;
                self.effect(&parts[1])
            }
            Expr::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let chosen = if self.int(condition)? != 0 { then } else { otherwise };
                self.effect(chosen)
            }
            Expr::Call { function, arguments } => self.call(*function, arguments).map(drop),
            Expr::SetClock { clock, value } => self.set_clock(clock, value),
            Expr::Assign { target, .. } if target.number == Number::Double => Ok(()),
            Expr::Assign { target, value, .. } if target.size > 1 => {
                let slot = self.slot(target)?;
                let values = self.block(value)?;
                self.store(target.storage, slot, &values);
                Ok(())
            }
            Expr::Load(place) if place.number == Number::Double || place.size > 1 => Ok(()),
            Expr::Double(_) | Expr::Clock(_) | Expr::ClockRate(_) => Ok(()),
            Expr::ToDouble(expr) => self.effect(expr),
            expr => self.int(expr).map(drop),
        }
    }

    fn set_clock(&mut self, clock: &ClockRef, value: &Expr) -> Result<(), Fault> {
        let clock = self.clock(clock)?;
        if self.network.clocks[clock].hybrid {
            return Ok(());
        }
        let reading = self.real(value)?;
        self.mark(reading.value, i64::from(reading.moves));
        if reading.value < Rational::ZERO {
            let floor = reading.value.numerator().div_euclid(reading.value.denominator());
            let value = i32::try_from(floor).unwrap_or(i32::MIN);
            Err(FaultKind::NegativeClock { value })?;
        }
        self.clocks[clock.index()] = reading;
        Ok(())
    }

    /// What clocks are set to and compared with: integers, clocks, and their sums.
    pub(super) fn real(&mut self, expr: &Expr) -> Result<Reading, Fault> {
        let still = |value| Reading { value, moves: false };
        match expr {
            Expr::Double(value) => Ok(still(exact(*value))),
            Expr::ToDouble(expr) => Ok(still(Rational::from(self.int(expr)?))),
            Expr::Clock(clock) => {
                let clock = self.clock(clock)?;
                Ok(self.clocks[clock.index()])
            }
            Expr::Unary(UnaryOp::Negate, Number::Double, expr) => {
                let reading = self.real(expr)?;
                assert!(!reading.moves, "a clock is not negated");
                Ok(still(-reading.value))
            }
            Expr::Binary(binary) if binary.number == Number::Double => {
                let (left, right) = (self.real(&binary.left)?, self.real(&binary.right)?);
                match binary.op {
                    BinaryOp::Add => {
                        assert!(!(left.moves && right.moves), "clocks are not added");
                        let moves = left.moves || right.moves;
                        Ok(Reading { value: left.value + right.value, moves })
                    }
                    BinaryOp::Subtract => {
                        assert!(left.moves || !right.moves, "a clock is not negated");
                        let moves = left.moves && !right.moves;
                        Ok(Reading { value: left.value - right.value, moves })
                    }
                    op => panic!("clocks are not set to results of {op:?}"),
                }
            }
            Expr::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let chosen = if self.int(condition)? != 0 { then } else { otherwise };
                self.real(chosen)
            }
            expr => Ok(still(Rational::from(self.int(expr)?))),
        }
    }

    /// The value of a composite expression.
    fn block(&mut self, expr: &Expr) -> Result<Vec<i32>, Fault> {
        match expr {
            Expr::Load(place) => {
                let slot = self.slot(place)?;
                Ok(self.load(place.storage, slot, place.size))
            }
            Expr::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let chosen = if self.int(condition)? != 0 { then } else { otherwise };
                self.block(chosen)
            }
            Expr::Call { function, arguments } => self.call(*function, arguments),
            Expr::Sequence(parts) => {
                self.effect(&parts[0])?;
                self.block(&parts[1])
            }
            Expr::Assign { target, .. } if target.size > 1 => {
                self.effect(expr)?;
                self.block(&Expr::Load((**target).clone()))
            }
            expr => Ok(vec![self.int(expr)?]),
        }
    }

    /// The value of an integer expression.
    pub(super) fn int(&mut self, expr: &Expr) -> Result<i32, Fault> {
        match expr {
            Expr::Int(value) => Ok(*value),
            Expr::Load(place) => {
                assert_eq!((place.number, place.size), (Number::Int, 1), "an integer is loaded");
                let slot = self.slot(place)?;
                Ok(self.load(place.storage, slot, 1)[0])
            }
            Expr::Unary(op, _, expr) => {
                let value = self.int(expr)?;
                match op {
                    UnaryOp::Negate => Ok(value.checked_neg().ok_or(FaultKind::Overflow)?),
                    UnaryOp::Not => Ok(i32::from(value == 0)),
                }
            }
            Expr::Binary(binary) => self.binary(binary),
            Expr::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let chosen = if self.int(condition)? != 0 { then } else { otherwise };
                self.int(chosen)
            }
            Expr::Assign { target, op, value, result } => {
                // Left to right: the place first, then the new value, then the old one.
                let slot = self.slot(target)?;
                let value = self.int(value)?;
                let old = self.load(target.storage, slot, 1)[0];
                let new = match op {
                    AssignOp::Set => value,
                    AssignOp::Combine(op) => operate(*op, old, value)?,
                };
                self.store(target.storage, slot, &[within(target.range, new)?]);
                Ok(match result {
                    AssignResult::New => new,
                    AssignResult::Old => old,
                })
            }
            Expr::Sequence(parts) => {
                self.effect(&parts[0])?;
                self.int(&parts[1])
            }
            Expr::Call { function, arguments } => Ok(self.call(*function, arguments)?[0]),
            Expr::Builtin(Builtin::Abs, arguments) => {
                Ok(self.int(&arguments[0])?.checked_abs().ok_or(FaultKind::Overflow)?)
            }
            Expr::Quantifier { quantifier, slot, range, body, .. } => {
                self.quantifier(*quantifier, *slot, *range, body)
            }
            Expr::ClockConstraint(constraint) => Ok(i32::from(self.constraint(constraint)?)),
            Expr::InLocation(process, location) => {
                Ok(i32::from(self.locations[process.index()] == *location))
            }
            Expr::Deadlock => panic!("`deadlock` is no property of the present instant"),
            Expr::Double(_)
            | Expr::Clock(_)
            | Expr::ClockRate(_)
            | Expr::ToDouble(_)
            | Expr::SetClock { .. }
            | Expr::Builtin(..) => panic!("not an integer: {expr:?}"),
        }
    }

    fn quantifier(
        &mut self,
        quantifier: Quantifier,
        slot: u32,
        range: Range,
        body: &Expr,
    ) -> Result<i32, Fault> {
        let mut sum = 0_i32;
        for value in range.lo..=range.hi {
            self.set_local(slot, value);
            let value = self.int(body)?;
            match quantifier {
                Quantifier::Forall if value == 0 => return Ok(0),
                Quantifier::Exists if value != 0 => return Ok(1),
                Quantifier::Sum => sum = sum.checked_add(value).ok_or(FaultKind::Overflow)?,
                Quantifier::Forall | Quantifier::Exists => {}
            }
        }
        Ok(match quantifier {
            Quantifier::Forall => 1,
            Quantifier::Exists => 0,
            Quantifier::Sum => sum,
        })
    }

    fn binary(&mut self, binary: &Binary) -> Result<i32, Fault> {
        let Binary { op, number, size, left, right } = binary;
        if *size > 1 {
            let equal = self.block(left)? == self.block(right)?;
            return Ok(i32::from(equal == (*op == BinaryOp::Equal)));
        }
        if *number == Number::Double {
            let (left, right) = (self.real(left)?, self.real(right)?);
            assert!(!left.moves && !right.moves, "clocks are compared by clock constraints");
            let difference = left.value - right.value;
            return operate(*op, difference.numerator().signum() as i32, 0);
        }
        let left = self.int(left)?;
        match op {
            BinaryOp::And if left == 0 => Ok(0),
            BinaryOp::Or if left != 0 => Ok(1),
            BinaryOp::Imply if left == 0 => Ok(1),
            op => operate(*op, left, self.int(right)?),
        }
    }

    fn tick(&mut self) -> Result<(), Fault> {
        self.steps += 1;
        if self.steps > STEPS_MAX {
            return Err(FaultKind::TooLong.into());
        }
        Ok(())
    }

    /// Calls a function; what it returns is empty, a number or a block.
    fn call(&mut self, function: FunctionId, arguments: &[Expr]) -> Result<Vec<i32>, Fault> {
        let network = self.network;
        let function = &network.functions[function];
        self.tick()?;
        if self.depth == DEPTH_MAX {
            return Err(FaultKind::TooLong.into());
        }
        let mut values = Vec::new();
        for (param, argument) in function.params.iter().zip(arguments) {
            values.push(match (param.place.number, param.place.size) {
                (Number::Double, _) => Vec::new(),
                (Number::Int, 1) => vec![within(param.place.range, self.int(argument)?)?],
                (Number::Int, _) => self.block(argument)?,
            });
        }
        let outer = self.frame.clone();
        if !function.shares_frame {
            self.enter(function.frame);
        }
        for (param, values) in function.params.iter().zip(values) {
            self.store(param.place.storage, param.place.base as usize, &values);
        }
        let FunctionBody::Statements(body) = &function.body else {
            panic!("external functions are not called")
        };
        self.depth += 1;
        let end = self.statements(body, &function.returns)?;
        self.depth -= 1;
        if !function.shares_frame {
            self.frame = outer;
        }
        match (end, &function.returns) {
            (ControlFlow::Break(value), _) => Ok(value),
            (ControlFlow::Continue(()), ReturnType::Void) => Ok(Vec::new()),
            (ControlFlow::Continue(()), _) => Err(FaultKind::NoReturn.into()),
        }
    }

    /// Executes statements; breaks with the value that is returned.
    fn statements(&mut self, body: &[Statement], returns: &ReturnType) -> Result<End, Fault> {
        for statement in body {
            let end = self.statement(statement, returns)?;
            if end.is_break() {
                return Ok(end);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn statement(&mut self, statement: &Statement, returns: &ReturnType) -> Result<End, Fault> {
        match statement {
            Statement::Expr(expr) => self.effect(expr)?,
            Statement::Clear { place, value } => {
                if place.number == Number::Int {
                    let values = vec![*value; place.size as usize];
                    self.store(place.storage, place.base as usize, &values);
                }
            }
            Statement::If(condition, then, otherwise) => {
                let chosen = if self.int(condition)? != 0 { then } else { otherwise };
                return self.statements(chosen, returns);
            }
            Statement::While(condition, body) => {
                while self.int(condition)? != 0 {
                    self.tick()?;
                    if let end @ ControlFlow::Break(_) = self.statements(body, returns)? {
                        return Ok(end);
                    }
                }
            }
            Statement::DoWhile(body, condition) => loop {
                self.tick()?;
                if let end @ ControlFlow::Break(_) = self.statements(body, returns)? {
                    return Ok(end);
                }
                if self.int(condition)? == 0 {
                    break;
                }
            },
            Statement::For { slot, range, body } => {
                for value in range.lo..=range.hi {
                    self.tick()?;
                    self.set_local(*slot, value);
                    if let end @ ControlFlow::Break(_) = self.statements(body, returns)? {
                        return Ok(end);
                    }
                }
            }
            Statement::Return(None) => return Ok(ControlFlow::Break(Vec::new())),
            Statement::Return(Some(expr)) => {
                let value = match returns {
                    ReturnType::Int(range) => vec![within(*range, self.int(expr)?)?],
                    ReturnType::Block(Number::Int, _) => self.block(expr)?,
                    ReturnType::Void => {
                        self.effect(expr)?;
                        Vec::new()
                    }
                    ReturnType::Double | ReturnType::Block(Number::Double, _) => Vec::new(),
                };
                return Ok(ControlFlow::Break(value));
            }
            Statement::Assert(expr) => {
                if self.int(expr)? == 0 {
                    return Err(FaultKind::Assertion.into());
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Whether a function goes on, or what it returns.
type End = ControlFlow<Vec<i32>>;

fn within(range: Range, value: i32) -> Result<i32, Fault> {
    match range.contains(value) {
        true => Ok(value),
        false => Err(FaultKind::Range { value, lo: range.lo, hi: range.hi }.into()),
    }
}

fn operate(op: BinaryOp, l: i32, r: i32) -> Result<i32, Fault> {
    let fits = |value: Option<i32>| value.ok_or(Fault::from(FaultKind::Overflow));
    let truth = |value: bool| Ok(i32::from(value));
    match op {
        BinaryOp::Add => fits(l.checked_add(r)),
        BinaryOp::Subtract => fits(l.checked_sub(r)),
        BinaryOp::Multiply => fits(l.checked_mul(r)),
        BinaryOp::Divide | BinaryOp::Remainder if r == 0 => Err(FaultKind::DivisionByZero.into()),
        BinaryOp::Divide => fits(l.checked_div(r)),
        BinaryOp::Remainder => fits(l.checked_rem(r)),
        BinaryOp::Power => match u32::try_from(r) {
            Ok(exponent) => fits(l.checked_pow(exponent)),
            Err(_) => Err(FaultKind::Power { exponent: r }.into()),
        },
        BinaryOp::Minimum => Ok(l.min(r)),
        BinaryOp::Maximum => Ok(l.max(r)),
        BinaryOp::BitAnd => Ok(l & r),
        BinaryOp::BitOr => Ok(l | r),
        BinaryOp::BitXor => Ok(l ^ r),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight if !(0..32).contains(&r) => {
            Err(FaultKind::Shift { by: r }.into())
        }
        BinaryOp::ShiftLeft => Ok(l << r),
        BinaryOp::ShiftRight => Ok(l >> r),
        BinaryOp::Less => truth(l < r),
        BinaryOp::LessEqual => truth(l <= r),
        BinaryOp::Equal => truth(l == r),
        BinaryOp::NotEqual => truth(l != r),
        BinaryOp::GreaterEqual => truth(l >= r),
        BinaryOp::Greater => truth(l > r),
        BinaryOp::And => truth(l != 0 && r != 0),
        BinaryOp::Or => truth(l != 0 || r != 0),
        BinaryOp::Xor => truth((l != 0) != (r != 0)),
        BinaryOp::Imply => truth(l == 0 || r != 0),
    }
}

/// A double as a fraction.
pub(super) fn exact(value: f64) -> Rational {
    let mut denominator = 1_i64;
    let mut scaled = value;
    while scaled.fract() != 0.0 && denominator < 1 << 30 {
        denominator *= 2;
        scaled *= 2.0;
    }
    assert!(scaled.fract() == 0.0 && scaled.abs() < 9e15, "a clock value that is a fraction");
    Rational::new(scaled as i64, denominator)
}
