//! A plain interpreter of integer code, to compare with.

use punctual_model::{
    AssignOp, AssignResult, BinaryOp, Expr, FunctionBody, Network, Place, ReturnType, Statement,
    Storage,
};

/// Runs what `generate` makes.
pub(super) struct Machine<'n> {
    pub(super) network: &'n Network,
    pub(super) ints: Vec<i32>,
    /// How many expressions may still be evaluated: loops need not end.
    pub(super) fuel: u32,
}

/// Errors of the model: the transition does not happen.
pub(super) struct Fault;

/// Whether a function goes on or returns.
enum Next {
    Statement,
    Return(i32),
}

impl Machine<'_> {
    fn slot<'m>(&'m mut self, place: &Place, frame: &'m mut [i32]) -> Result<&'m mut i32, Fault> {
        let mut at = place.base as usize;
        for index in &place.indices {
            let value = self.eval(&index.value, frame)? - index.lo;
            if !(0..index.len as i32).contains(&value) {
                return Err(Fault);
            }
            at += value as usize * index.stride as usize;
        }
        Ok(if place.storage == Storage::Local { &mut frame[at] } else { &mut self.ints[at] })
    }

    pub(super) fn eval(&mut self, expr: &Expr, frame: &mut [i32]) -> Result<i32, Fault> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Fault)?;
        Ok(match expr {
            Expr::Int(value) => *value,
            Expr::Load(place) => *self.slot(place, frame)?,
            Expr::Binary(binary) => {
                let left = self.eval(&binary.left, frame)?;
                match binary.op {
                    BinaryOp::And if left == 0 => return Ok(0),
                    BinaryOp::Or if left != 0 => return Ok(1),
                    BinaryOp::Imply if left == 0 => return Ok(1),
                    _ => {}
                }
                let right = self.eval(&binary.right, frame)?;
                apply(binary.op, left, right).ok_or(Fault)?
            }
            Expr::Conditional(parts) => {
                let part = if self.eval(&parts[0], frame)? != 0 { 1 } else { 2 };
                self.eval(&parts[part], frame)?
            }
            Expr::Assign { target, op, value, result } => {
                let operand = self.eval(value, frame)?;
                let slot = self.slot(target, frame)?;
                let old = *slot;
                let new = match op {
                    AssignOp::Set => operand,
                    AssignOp::Combine(op) => apply(*op, old, operand).ok_or(Fault)?,
                };
                if !target.range.contains(new) {
                    return Err(Fault);
                }
                *slot = new;
                if *result == AssignResult::New { new } else { old }
            }
            Expr::Quantifier { slot, range, body, .. } => {
                let mut sum = 0;
                for value in range.lo..=range.hi {
                    frame[*slot as usize] = value;
                    sum += self.eval(body, frame)?;
                }
                sum
            }
            Expr::Call { function, arguments } => {
                let function = &self.network.functions[*function];
                let FunctionBody::Statements(body) = &function.body else { unreachable!() };
                let mut own = [0; 2];
                for (slot, argument) in own.iter_mut().zip(arguments) {
                    *slot = self.eval(argument, frame)?;
                    if !function.params[0].place.range.contains(*slot) {
                        return Err(Fault);
                    }
                }
                let own = if function.shares_frame { frame } else { &mut own };
                match (self.run(body, own)?, &function.returns) {
                    (Next::Return(value), ReturnType::Int(range)) if range.contains(value) => value,
                    _ => return Err(Fault),
                }
            }
            _ => unreachable!("not generated"),
        })
    }

    fn run(&mut self, body: &[Statement], frame: &mut [i32]) -> Result<Next, Fault> {
        for statement in body {
            let next = match statement {
                Statement::Expr(expr) => {
                    self.eval(expr, frame)?;
                    Next::Statement
                }
                Statement::If(condition, yes, no) => {
                    let part = if self.eval(condition, frame)? != 0 { yes } else { no };
                    self.run(part, frame)?
                }
                Statement::While(condition, body) => {
                    let mut next = Next::Statement;
                    while matches!(next, Next::Statement) && self.eval(condition, frame)? != 0 {
                        next = self.run(body, frame)?;
                    }
                    next
                }
                Statement::For { slot, range, body } => {
                    let mut next = Next::Statement;
                    for value in range.lo..=range.hi {
                        frame[*slot as usize] = value;
                        next = self.run(body, frame)?;
                        if matches!(next, Next::Return(_)) {
                            break;
                        }
                    }
                    next
                }
                Statement::Return(Some(value)) => Next::Return(self.eval(value, frame)?),
                _ => unreachable!("not generated"),
            };
            if matches!(next, Next::Return(_)) {
                return Ok(next);
            }
        }
        Ok(Next::Statement)
    }
}

/// What an operator makes of two integers; `None` if that is an error.
pub(super) fn apply(op: BinaryOp, left: i32, right: i32) -> Option<i32> {
    Some(match op {
        BinaryOp::Add => left.checked_add(right)?,
        BinaryOp::Subtract => left.checked_sub(right)?,
        BinaryOp::Multiply => left.checked_mul(right)?,
        BinaryOp::Divide => left.checked_div(right)?,
        BinaryOp::Remainder => left.checked_rem(right)?,
        BinaryOp::Power => left.checked_pow(right.try_into().ok()?)?,
        BinaryOp::Minimum => left.min(right),
        BinaryOp::Maximum => left.max(right),
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::ShiftLeft => left.checked_shl(right.try_into().ok()?)?,
        BinaryOp::ShiftRight => left.checked_shr(right.try_into().ok()?)?,
        BinaryOp::Less => (left < right).into(),
        BinaryOp::LessEqual => (left <= right).into(),
        BinaryOp::Equal => (left == right).into(),
        BinaryOp::NotEqual => (left != right).into(),
        BinaryOp::GreaterEqual => (left >= right).into(),
        BinaryOp::Greater => (left > right).into(),
        BinaryOp::And => (left != 0 && right != 0).into(),
        BinaryOp::Or => (left != 0 || right != 0).into(),
        BinaryOp::Xor => ((left != 0) != (right != 0)).into(),
        BinaryOp::Imply => (left == 0 || right != 0).into(),
    })
}
