//! Evaluation of expressions as they are written, each only if it is needed.

use punctual_model::lustre::{BinaryOp, Expr, Program, Value};
use punctual_model::{ExprId, Id, IdVec, MemoryId, VarId};

use super::asked::Asked;
use super::failure::Failure;
use super::real::Real;
use super::scalar::{Scalar, binary, unary};

/// One step of a program, as far as it was evaluated. Nesting is bounded by memory only.
pub(super) struct Lazy<R> {
    pub(super) is_first: bool,
    /// What was remembered.
    pub(super) memory: IdVec<MemoryId, Scalar<R>>,
    /// The inputs of this step, by variable.
    pub(super) given: Vec<Scalar<R>>,
    /// Which of them were looked at, and in which order.
    pub(super) read: Vec<bool>,
    pub(super) order: Vec<VarId>,
    /// For each variable that is asked for, how many inputs had been looked at when its value was known.
    pub(super) asked_after: Vec<usize>,
    /// What was evaluated in this step, by expression.
    known: Vec<Option<Scalar<R>>>,
    /// What is being evaluated; each needs the one after it.
    stack: Vec<ExprId>,
}

impl<R: Real> Lazy<R> {
    /// Before the first step; inputs are false or zero.
    pub(super) fn new(program: &Program) -> Lazy<R> {
        let mut memory = IdVec::new();
        for it in program.memory.iter() {
            memory.push(Scalar::from_value(it.initial.unwrap_or(Value::zero(it.ty))));
        }
        let zero = |var: &punctual_model::lustre::Var| Scalar::from_value(Value::zero(var.ty));
        Lazy {
            is_first: true,
            memory,
            given: program.vars.iter().map(zero).collect(),
            read: vec![false; program.vars.len()],
            order: Vec::new(),
            asked_after: Vec::new(),
            known: vec![None; program.exprs.len()],
            stack: Vec::new(),
        }
    }

    /// Forgets what was evaluated.
    pub(super) fn clear(&mut self) {
        self.known.fill(None);
        self.read.fill(false);
        self.order.clear();
        self.asked_after.clear();
    }

    /// Evaluates everything that is asked for, and nothing else.
    pub(super) fn ask(&mut self, program: &Program, asked: &Asked) -> Result<(), Failure> {
        for var in &asked.vars {
            self.var(program, asked, *var)?;
            self.asked_after.push(self.order.len());
        }
        for expr in &asked.exprs {
            self.expr(program, asked, *expr)?;
        }
        for memory in &asked.memory {
            self.expr(program, asked, program.memory[*memory].next)?;
        }
        Ok(())
    }

    /// The value of a variable.
    pub(super) fn var(
        &mut self,
        program: &Program,
        asked: &Asked,
        var: VarId,
    ) -> Result<Scalar<R>, Failure> {
        match asked.defined[var.index()] {
            Some(expr) => self.expr(program, asked, expr),
            None => {
                self.look(var);
                Ok(self.given[var.index()])
            }
        }
    }

    fn look(&mut self, var: VarId) {
        if !self.read[var.index()] {
            self.read[var.index()] = true;
            self.order.push(var);
        }
    }

    /// The value of an expression.
    pub(super) fn expr(
        &mut self,
        program: &Program,
        asked: &Asked,
        id: ExprId,
    ) -> Result<Scalar<R>, Failure> {
        self.stack.clear();
        let mut wanted = id;
        loop {
            let value = match self.known[wanted.index()] {
                Some(value) => value,
                None => match self.attempt(program, asked, wanted)? {
                    Attempt::Value(value) => value,
                    Attempt::Needs(operand) => {
                        self.stack.push(wanted);
                        wanted = operand;
                        continue;
                    }
                },
            };
            self.known[wanted.index()] = Some(value);
            match self.stack.pop() {
                Some(next) => wanted = next,
                None => return Ok(value),
            }
        }
    }

    /// Evaluates an expression from operands that are known.
    fn attempt(
        &mut self,
        program: &Program,
        asked: &Asked,
        id: ExprId,
    ) -> Result<Attempt<R>, Failure> {
        let known = |operand: ExprId| self.known[operand.index()];
        let failed = |kind| Failure { kind, expr: id };
        Ok(Attempt::Value(match program.exprs[id] {
            Expr::Constant(value) => Scalar::from_value(value),
            Expr::Var(var) => match asked.defined[var.index()] {
                None => {
                    if !self.read[var.index()] {
                        self.read[var.index()] = true;
                        self.order.push(var);
                    }
                    self.given[var.index()]
                }
                Some(expr) => match known(expr) {
                    None => return Ok(Attempt::Needs(expr)),
                    Some(value) => value,
                },
            },
            Expr::Memory(memory) => self.memory[memory],
            Expr::First => Scalar::Bool(self.is_first),
            Expr::Unary(op, operand) => match known(operand) {
                None => return Ok(Attempt::Needs(operand)),
                Some(value) => unary(op, value).map_err(failed)?,
            },
            Expr::Binary(op, left, right) => match (op, known(left), known(right)) {
                (_, None, _) => return Ok(Attempt::Needs(left)),
                (BinaryOp::And, Some(Scalar::Bool(false)), _) => Scalar::Bool(false),
                (BinaryOp::Or, Some(Scalar::Bool(true)), _) => Scalar::Bool(true),
                (BinaryOp::Implies, Some(Scalar::Bool(false)), _) => Scalar::Bool(true),
                (_, _, None) => return Ok(Attempt::Needs(right)),
                (_, Some(left), Some(right)) => binary(op, left, right).map_err(failed)?,
            },
            Expr::If(condition, yes, no) => {
                let branch = match known(condition) {
                    None => return Ok(Attempt::Needs(condition)),
                    Some(Scalar::Bool(true)) => yes,
                    Some(_) => no,
                };
                match known(branch) {
                    None => return Ok(Attempt::Needs(branch)),
                    Some(value) => value,
                }
            }
        }))
    }
}

/// What became of evaluating an expression.
enum Attempt<R> {
    Value(Scalar<R>),
    /// It has an operand that is not known yet.
    Needs(ExprId),
}
