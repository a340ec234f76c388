//! A second evaluator of expressions, as simple as can be: it walks the tree, values are vectors,
//! memories are maps, and frames have names.

use std::collections::HashMap;

use punctual_model::*;
use punctual_semantics::FaultKind;

/// A memory, the frame (for locals), and the slot.
type Key = (u8, usize, u32);

#[derive(Debug, PartialEq)]
pub(super) enum Stop {
    Fault(FaultKind),
    /// Too much work for a test.
    Enough,
}

type Result<T = Vec<i32>> = std::result::Result<T, Stop>;

pub(super) struct Naive<'n> {
    network: &'n Network,
    pub(super) locations: Vec<i32>,
    memory: HashMap<Key, i32>,
    pub(super) clocks: Vec<(u32, (u32, i32))>,
    frame: usize,
    frames: usize,
    steps: usize,
}

fn fault<T>(kind: FaultKind) -> Result<T> {
    Err(Stop::Fault(kind))
}

fn space(storage: Storage) -> u8 {
    match storage {
        Storage::Constant => 0,
        Storage::State => 1,
        Storage::Meta => 2,
        Storage::Local => 3,
    }
}

impl<'n> Naive<'n> {
    pub(super) fn new(network: &'n Network) -> Self {
        let mut naive = Self {
            network,
            locations: vec![0; network.processes.len()],
            memory: HashMap::new(),
            clocks: Vec::new(),
            frame: 0,
            frames: 0,
            steps: 0,
        };
        let memories = [
            (Storage::Constant, &network.constants),
            (Storage::State, &network.initial),
            (Storage::Meta, &network.meta),
        ];
        for (storage, memory) in memories {
            for (slot, value) in memory.ints.iter().enumerate() {
                naive.set(storage, slot as u32, *value);
            }
        }
        naive
    }

    pub(super) fn get(&self, storage: Storage, slot: u32) -> i32 {
        let frame = if storage == Storage::Local { self.frame } else { 0 };
        self.memory.get(&(space(storage), frame, slot)).copied().unwrap_or(0)
    }

    pub(super) fn set(&mut self, storage: Storage, slot: u32, value: i32) {
        let frame = if storage == Storage::Local { self.frame } else { 0 };
        self.memory.insert((space(storage), frame, slot), value);
    }

    pub(super) fn effects(&mut self, exprs: &[Expr]) -> Result<()> {
        exprs.iter().try_for_each(|expr| self.eval(expr).map(drop))
    }

    pub(super) fn int(&mut self, expr: &Expr) -> Result<i32> {
        let values = self.eval(expr)?;
        assert_eq!(values.len(), 1, "{expr:?}");
        Ok(values[0])
    }

    pub(super) fn at(&mut self, base: u32, indices: &[Index]) -> Result<u32> {
        let mut at = i64::from(base);
        for index in indices {
            let value = self.int(&index.value)?;
            let (lo, len) = (index.lo, index.len);
            let offset = i64::from(value) - i64::from(lo);
            if offset < 0 || offset >= i64::from(len) {
                return fault(FaultKind::Index { value, lo, len });
            }
            at += offset * i64::from(index.stride);
        }
        Ok(at as u32)
    }

    fn eval(&mut self, expr: &Expr) -> Result {
        self.steps += 1;
        if self.steps > 100_000 {
            return Err(Stop::Enough);
        }
        let value = match expr {
            Expr::Int(value) => *value,
            Expr::Load(place) => {
                let at = self.at(place.base, &place.indices)?;
                return Ok((0..place.size).map(|i| self.get(place.storage, at + i)).collect());
            }
            Expr::Unary(UnaryOp::Negate, _, inner) => match self.int(inner)? {
                i32::MIN => return fault(FaultKind::Overflow),
                value => -value,
            },
            Expr::Unary(UnaryOp::Not, _, inner) => (self.int(inner)? == 0).into(),
            Expr::Builtin(Builtin::Abs, arguments) => match self.int(&arguments[0])? {
                i32::MIN => return fault(FaultKind::Overflow),
                value => value.abs(),
            },
            Expr::Binary(binary) => {
                let left = self.eval(&binary.left)?;
                match binary.op {
                    BinaryOp::And if left[0] == 0 => 0,
                    BinaryOp::Or if left[0] != 0 => 1,
                    BinaryOp::Imply if left[0] == 0 => 1,
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Imply => {
                        (self.int(&binary.right)? != 0).into()
                    }
                    op => {
                        let right = self.eval(&binary.right)?;
                        match op {
                            BinaryOp::Equal => (left == right).into(),
                            BinaryOp::NotEqual => (left != right).into(),
                            _ => operator(op, left[0], right[0])?,
                        }
                    }
                }
            }
            Expr::Conditional(parts) => {
                let chosen = if self.int(&parts[0])? != 0 { 1 } else { 2 };
                return self.eval(&parts[chosen]);
            }
            Expr::Sequence(parts) => {
                self.eval(&parts[0])?;
                return self.eval(&parts[1]);
            }
            Expr::Assign { target, op, value, result } => {
                let value = self.eval(value)?;
                let at = self.at(target.base, &target.indices)?;
                let old: Vec<i32> =
                    (0..target.size).map(|i| self.get(target.storage, at + i)).collect();
                let new = match op {
                    AssignOp::Set => value,
                    AssignOp::Combine(op) => vec![operator(*op, old[0], value[0])?],
                };
                if target.size == 1 {
                    in_range(new[0], target.range)?;
                }
                for (i, value) in new.iter().enumerate() {
                    self.set(target.storage, at + i as u32, *value);
                }
                return Ok(if *result == AssignResult::Old { old } else { new });
            }
            Expr::SetClock { clock, value } => {
                let value = self.clock_value(value)?;
                let at = self.at(clock.base.index() as u32, &clock.indices)?;
                match value {
                    (0, value @ ..0) => return fault(FaultKind::NegativeClock { value }),
                    (_, value) if value.abs() > ((1 << 29) - 1) / 4 => {
                        return fault(FaultKind::ClockConstant { value });
                    }
                    _ => {}
                }
                match self.clocks.iter_mut().find(|(clock, _)| *clock == at) {
                    Some((_, old)) => *old = value,
                    None => self.clocks.push((at, value)),
                }
                return Ok(Vec::new());
            }
            Expr::Call { function, arguments } => return self.call(*function, arguments),
            Expr::Quantifier { quantifier, slot, range, body, .. } => {
                let mut values = Vec::new();
                for value in range.lo..=range.hi {
                    self.set(Storage::Local, *slot, value);
                    let value = self.int(body)?;
                    values.push(value);
                    match quantifier {
                        Quantifier::Forall if value == 0 => return Ok(vec![0]),
                        Quantifier::Exists if value != 0 => return Ok(vec![1]),
                        Quantifier::Sum => {
                            let sum: i64 = values.iter().map(|value| i64::from(*value)).sum();
                            if i32::try_from(sum).is_err() {
                                return fault(FaultKind::Overflow);
                            }
                        }
                        _ => {}
                    }
                }
                match quantifier {
                    Quantifier::Forall => 1,
                    Quantifier::Exists => 0,
                    Quantifier::Sum => values.iter().sum(),
                }
            }
            Expr::InLocation(process, location) => {
                (self.locations[process.index()] == location.index() as i32).into()
            }
            expr => panic!("not for this test: {expr:?}"),
        };
        Ok(vec![value])
    }

    /// Only an integer, a clock, or a clock plus an integer.
    fn clock_value(&mut self, value: &Expr) -> Result<(u32, i32)> {
        match value {
            Expr::Clock(clock) => {
                let at = self.at(clock.base.index() as u32, &clock.indices)?;
                let set = self.clocks.iter().find(|(clock, _)| *clock == at);
                Ok(set.map_or((at + 1, 0), |(_, value)| *value))
            }
            Expr::Binary(sum) if sum.number == Number::Double => {
                let (source, offset) = self.clock_value(&sum.left)?;
                let Expr::ToDouble(by) = &sum.right else { panic!("{sum:?}") };
                Ok((source, offset + self.int(by)?))
            }
            value => Ok((0, self.int(value)?)),
        }
    }

    fn call(&mut self, id: FunctionId, arguments: &[Expr]) -> Result {
        let function = &self.network.functions[id];
        let FunctionBody::Statements(body) = &function.body else { panic!("external") };
        let mut values = Vec::new();
        for (argument, param) in arguments.iter().zip(&function.params) {
            let value = self.eval(argument)?;
            if param.place.size == 1 {
                in_range(value[0], param.place.range)?;
            }
            values.push(value);
        }
        let caller = self.frame;
        if !function.shares_frame {
            self.frames += 1;
            self.frame = self.frames;
        }
        for (param, value) in function.params.iter().zip(values) {
            for (i, value) in value.into_iter().enumerate() {
                self.set(Storage::Local, param.place.base + i as u32, value);
            }
        }
        let returned = self.block(body)?;
        self.frame = caller;
        match (&function.returns, returned) {
            (ReturnType::Void, _) => Ok(Vec::new()),
            (_, None | Some(None)) => fault(FaultKind::NoReturn),
            (ReturnType::Int(range), Some(Some(value))) => {
                in_range(value[0], *range)?;
                Ok(value)
            }
            (_, Some(Some(value))) => Ok(value),
        }
    }

    /// What was returned, if anything was.
    fn block(&mut self, body: &[Statement]) -> Result<Option<Option<Vec<i32>>>> {
        for statement in body {
            match statement {
                Statement::Expr(expr) => drop(self.eval(expr)?),
                Statement::Clear { place, value } => {
                    (0..place.size).for_each(|i| self.set(place.storage, place.base + i, *value));
                }
                Statement::If(condition, yes, no) => {
                    let chosen = if self.int(condition)? != 0 { yes } else { no };
                    if let Some(returned) = self.block(chosen)? {
                        return Ok(Some(returned));
                    }
                }
                Statement::While(condition, body) => {
                    while self.int(condition)? != 0 {
                        if let Some(returned) = self.block(body)? {
                            return Ok(Some(returned));
                        }
                    }
                }
                Statement::DoWhile(body, condition) => loop {
                    if let Some(returned) = self.block(body)? {
                        return Ok(Some(returned));
                    }
                    if self.int(condition)? == 0 {
                        break;
                    }
                },
                Statement::For { slot, range, body } => {
                    for value in range.lo..=range.hi {
                        self.set(Storage::Local, *slot, value);
                        if let Some(returned) = self.block(body)? {
                            return Ok(Some(returned));
                        }
                    }
                }
                Statement::Return(value) => {
                    let value = value.as_ref().map(|value| self.eval(value)).transpose()?;
                    return Ok(Some(value));
                }
                Statement::Assert(condition) => {
                    if self.int(condition)? == 0 {
                        return fault(FaultKind::Assertion);
                    }
                }
            }
        }
        Ok(None)
    }
}

fn in_range(value: i32, Range { lo, hi }: Range) -> Result<()> {
    if value < lo || value > hi {
        return fault(FaultKind::Range { value, lo, hi });
    }
    Ok(())
}

/// Computes with 128 bits and looks whether the result fits.
fn operator(op: BinaryOp, left: i32, right: i32) -> Result<i32> {
    let (l, r) = (i128::from(left), i128::from(right));
    let wide = match op {
        BinaryOp::Add => l + r,
        BinaryOp::Subtract => l - r,
        BinaryOp::Multiply => l * r,
        BinaryOp::Divide | BinaryOp::Remainder if r == 0 => {
            return fault(FaultKind::DivisionByZero);
        }
        BinaryOp::Divide => l / r,
        // The quotient counts too: the machine instruction computes both.
        BinaryOp::Remainder if i32::try_from(l / r).is_err() => {
            return fault(FaultKind::Overflow);
        }
        BinaryOp::Remainder => l % r,
        BinaryOp::Power if r < 0 => return fault(FaultKind::Power { exponent: right }),
        BinaryOp::Power => {
            let mut power = 1i128;
            for _ in 0..right.min(100) {
                power = (power * l).clamp(-(1 << 80), 1 << 80);
            }
            // 0, 1 and -1 never grow; for -1, parity decides.
            if l == -1 && r % 2 != 0 {
                -1
            } else if l == -1 {
                1
            } else {
                power
            }
        }
        BinaryOp::Minimum => l.min(r),
        BinaryOp::Maximum => l.max(r),
        BinaryOp::BitAnd => l & r,
        BinaryOp::BitOr => l | r,
        BinaryOp::BitXor => l ^ r,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight if !(0..32).contains(&right) => {
            return fault(FaultKind::Shift { by: right });
        }
        // Bits that leave on the left are lost.
        BinaryOp::ShiftLeft => i128::from((l << r) as i32),
        BinaryOp::ShiftRight => l >> r,
        BinaryOp::Less => (l < r).into(),
        BinaryOp::LessEqual => (l <= r).into(),
        BinaryOp::Equal => (l == r).into(),
        BinaryOp::NotEqual => (l != r).into(),
        BinaryOp::GreaterEqual => (l >= r).into(),
        BinaryOp::Greater => (l > r).into(),
        BinaryOp::Xor => ((l != 0) ^ (r != 0)).into(),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Imply => unreachable!("evaluated lazily"),
    };
    i32::try_from(wide).map_err(|_| Stop::Fault(FaultKind::Overflow))
}
