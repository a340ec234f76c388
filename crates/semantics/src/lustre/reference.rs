//! Evaluation of expressions as they are written.

use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, Zero};
use punctual_model::lustre::{BinaryOp, Expr, Program, Rational, UnaryOp, Value};
use punctual_model::{ExprId, Id, IdVec, MemoryId, VarId};

use super::failure::{Failure, FailureKind};

/// A program in some state.
pub struct Reference<'p> {
    program: &'p Program,
    is_first: bool,
    memory: IdVec<MemoryId, Value>,
    /// The equation of each variable that has one.
    defined: Vec<Option<ExprId>>,
    /// What was evaluated in this step, by expression.
    known: Vec<Option<Value>>,
    /// The inputs of this step, by variable.
    given: Vec<Option<Value>>,
}

impl<'p> Reference<'p> {
    /// Before the first step.
    #[must_use]
    pub fn new(program: &'p Program) -> Reference<'p> {
        let mut defined = vec![None; program.vars.len()];
        for equation in &program.equations {
            defined[equation.var.index()] = Some(equation.expr);
        }
        let mut memory = IdVec::new();
        for it in program.memory.iter() {
            memory.push(it.initial.unwrap_or(Value::zero(it.ty)));
        }
        Reference {
            program,
            is_first: true,
            memory,
            defined,
            known: vec![None; program.exprs.len()],
            given: vec![None; program.vars.len()],
        }
    }

    /// Takes a step with a value for every input, in order. If it fails, nothing has happened.
    ///
    /// # Errors
    /// If something that is asked for has no value.
    pub fn step(&mut self, inputs: &[Value]) -> Result<(), Failure> {
        self.known.fill(None);
        self.given.fill(None);
        for (var, value) in self.program.inputs().zip(inputs) {
            self.given[var.index()] = Some(*value);
        }
        for var in self.program.outputs() {
            self.value(var)?;
        }
        let properties = self.program.properties.iter().map(|(_, expr)| expr);
        for expr in self.program.assertions.iter().chain(properties) {
            self.expr(*expr)?;
        }
        let mut next = IdVec::new();
        for it in self.program.memory.iter() {
            next.push(self.expr(it.next)?);
        }
        self.memory = next;
        self.is_first = false;
        Ok(())
    }

    /// The value of a variable in the last step. Locals that nobody needed may have none.
    ///
    /// # Errors
    /// If it has no value.
    pub fn value(&mut self, var: VarId) -> Result<Value, Failure> {
        match (self.given[var.index()], self.defined[var.index()]) {
            (Some(value), _) => Ok(value),
            (None, Some(expr)) => self.expr(expr),
            (None, None) => Ok(Value::zero(self.program.vars[var].ty)),
        }
    }

    /// The value of an expression in the last step, as long as it needs no memory that the step
    /// itself did not look at.
    fn expr(&mut self, id: ExprId) -> Result<Value, Failure> {
        if let Some(value) = self.known[id.index()] {
            return Ok(value);
        }
        let value = match self.program.exprs[id] {
            Expr::Constant(value) => value,
            Expr::Var(var) => self.value(var)?,
            Expr::Memory(memory) => self.memory[memory],
            Expr::First => Value::Bool(self.is_first),
            Expr::Unary(op, operand) => {
                let operand = self.expr(operand)?;
                unary(op, operand).map_err(|kind| Failure { kind, expr: id })?
            }
            Expr::Binary(op, left, right) => {
                let left = self.expr(left)?;
                match (op, left) {
                    (BinaryOp::And, Value::Bool(false)) => left,
                    (BinaryOp::Or, Value::Bool(true)) => left,
                    (BinaryOp::Implies, Value::Bool(false)) => Value::Bool(true),
                    _ => {
                        let right = self.expr(right)?;
                        binary(op, left, right).map_err(|kind| Failure { kind, expr: id })?
                    }
                }
            }
            Expr::If(condition, yes, no) => match self.expr(condition)? {
                Value::Bool(true) => self.expr(yes)?,
                _ => self.expr(no)?,
            },
        };
        self.known[id.index()] = Some(value);
        Ok(value)
    }
}

/// Applies an operator of one operand.
pub(super) fn unary(op: UnaryOp, operand: Value) -> Result<Value, FailureKind> {
    Ok(match (op, operand) {
        (UnaryOp::Not, Value::Bool(it)) => Value::Bool(!it),
        (UnaryOp::Neg, Value::Int(it)) => {
            Value::Int(it.checked_neg().ok_or(FailureKind::Overflow)?)
        }
        (UnaryOp::Neg, Value::Real(it)) => {
            let zero = Rational::zero();
            Value::Real(zero.checked_sub(&it).ok_or(FailureKind::Overflow)?)
        }
        (UnaryOp::ToReal, Value::Int(it)) => Value::Real(Rational::from_integer(i128::from(it))),
        (UnaryOp::Floor, Value::Real(it)) => {
            let floor = it.numer().div_euclid(*it.denom());
            Value::Int(i64::try_from(floor).map_err(|_| FailureKind::Overflow)?)
        }
        (UnaryOp::Wrap { bits, signed }, Value::Int(it)) => Value::Int(wrap(it, bits, signed)?),
        _ => unreachable!("types were checked"),
    })
}

/// An integer modulo 2^bits.
fn wrap(it: i64, bits: u8, signed: bool) -> Result<i64, FailureKind> {
    let modulus = 1_i128 << bits;
    let low = i128::from(it).rem_euclid(modulus);
    let value = if signed && low >= modulus / 2 { low - modulus } else { low };
    i64::try_from(value).map_err(|_| FailureKind::Overflow)
}

/// Applies an operator of two operands.
pub(super) fn binary(op: BinaryOp, left: Value, right: Value) -> Result<Value, FailureKind> {
    use BinaryOp::{
        Add, And, Div, Eq, Ge, Gt, Implies, IntDiv, Le, Lt, Mod, Mul, Ne, Or, Sub, Xor,
    };
    let truth = |it| Ok(Value::Bool(it));
    let int = |it: Option<i64>| it.map(Value::Int).ok_or(FailureKind::Overflow);
    let real = |it: Option<Rational>| it.map(Value::Real).ok_or(FailureKind::Overflow);
    match (op, left, right) {
        (And, Value::Bool(a), Value::Bool(b)) => truth(a && b),
        (Or, Value::Bool(a), Value::Bool(b)) => truth(a || b),
        (Xor, Value::Bool(a), Value::Bool(b)) => truth(a != b),
        (Implies, Value::Bool(a), Value::Bool(b)) => truth(!a || b),
        (Eq, a, b) => truth(a == b),
        (Ne, a, b) => truth(a != b),
        (Lt, a, b) => truth(a.as_rational() < b.as_rational()),
        (Le, a, b) => truth(a.as_rational() <= b.as_rational()),
        (Gt, a, b) => truth(a.as_rational() > b.as_rational()),
        (Ge, a, b) => truth(a.as_rational() >= b.as_rational()),
        (Add, Value::Int(a), Value::Int(b)) => int(a.checked_add(b)),
        (Sub, Value::Int(a), Value::Int(b)) => int(a.checked_sub(b)),
        (Mul, Value::Int(a), Value::Int(b)) => int(a.checked_mul(b)),
        (IntDiv | Mod, Value::Int(_), Value::Int(0)) => Err(FailureKind::DivisionByZero),
        (IntDiv, Value::Int(a), Value::Int(b)) => int(a.checked_div_euclid(b)),
        (Mod, Value::Int(a), Value::Int(b)) => int(a.checked_rem_euclid(b)),
        (Add, Value::Real(a), Value::Real(b)) => real(a.checked_add(&b)),
        (Sub, Value::Real(a), Value::Real(b)) => real(a.checked_sub(&b)),
        (Mul, Value::Real(a), Value::Real(b)) => real(a.checked_mul(&b)),
        (Div, Value::Real(_), Value::Real(b)) if b.is_zero() => Err(FailureKind::DivisionByZero),
        (Div, Value::Real(a), Value::Real(b)) => real(a.checked_div(&b)),
        _ => unreachable!("types were checked"),
    }
}
