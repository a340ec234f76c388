//! A program that is evaluated as it is written.

use punctual_model::lustre::{Program, Rational, Value};
use punctual_model::{ExprId, Id, IdVec, MemoryId, VarId};

use super::asked::Asked;
use super::failure::Failure;
use super::lazy::Lazy;
use super::real::{Real, Reals};
use super::scalar::Scalar;

/// A program in some state.
pub struct Reference<'p> {
    program: &'p Program,
    asked: Asked,
    evaluator: Evaluator,
}

enum Evaluator {
    Exact(Plain<Rational>),
    Float(Plain<f64>),
}

struct Plain<R> {
    lazy: Lazy<R>,
    /// What the last step remembered. It is put in place by the next one, so that all variables of
    /// the last step can still be asked for.
    next: Option<IdVec<MemoryId, Scalar<R>>>,
}

/// The same with either kind of reals.
macro_rules! with {
    ($evaluator:expr, $plain:ident => $result:expr) => {
        match $evaluator {
            Evaluator::Exact($plain) => $result,
            Evaluator::Float($plain) => $result,
        }
    };
}

impl<'p> Reference<'p> {
    /// Before the first step, with exact reals.
    #[must_use]
    pub fn new(program: &'p Program) -> Reference<'p> {
        Reference::with(program, Reals::Exact)
    }

    /// Before the first step.
    #[must_use]
    pub fn with(program: &'p Program, reals: Reals) -> Reference<'p> {
        let evaluator = match reals {
            Reals::Exact => Evaluator::Exact(Plain { lazy: Lazy::new(program), next: None }),
            Reals::Float => Evaluator::Float(Plain { lazy: Lazy::new(program), next: None }),
        };
        Reference { program, asked: Asked::new(program, &[]), evaluator }
    }

    /// Takes a step with a value for every input, in order. If it fails, nothing has happened.
    ///
    /// # Errors
    /// If something that is asked for has no value.
    pub fn step(&mut self, inputs: &[Value]) -> Result<(), Failure> {
        with!(&mut self.evaluator, plain => plain.step(self.program, &self.asked, inputs))
    }

    /// Takes the last step again, with other inputs, as if it had not been taken.
    ///
    /// # Errors
    /// If something that is asked for has no value. Then it has to be taken again before the next one.
    pub fn again(&mut self, inputs: &[Value]) -> Result<(), Failure> {
        with!(&mut self.evaluator, plain => plain.next = None);
        self.step(inputs)
    }

    /// The value of a variable in the last step. Locals that nobody needed may have none.
    ///
    /// # Errors
    /// If it has no value.
    pub fn value(&mut self, var: VarId) -> Result<Value, Failure> {
        with!(&mut self.evaluator, plain => {
            plain.lazy.var(self.program, &self.asked, var).map(Scalar::to_value)
        })
    }

    /// Whether an assertion held in the last step.
    #[must_use]
    pub fn assertion(&mut self, index: usize) -> bool {
        self.holds(self.program.assertions[index])
    }

    /// Whether a property held in the last step.
    #[must_use]
    pub fn property(&mut self, index: usize) -> bool {
        self.holds(self.program.properties[index].1)
    }

    fn holds(&mut self, expr: ExprId) -> bool {
        with!(&mut self.evaluator, plain => {
            plain.lazy.expr(self.program, &self.asked, expr) == Ok(Scalar::Bool(true))
        })
    }

    /// What is remembered for the next step; none if nothing that is asked for mentions it.
    #[must_use]
    pub fn memory(&self, memory: MemoryId) -> Option<Value> {
        let is_kept = self.asked.memory.contains(&memory);
        with!(&self.evaluator, plain => is_kept.then(|| plain.memory(memory)))
    }
}

impl<R: Real> Plain<R> {
    fn step(&mut self, program: &Program, asked: &Asked, inputs: &[Value]) -> Result<(), Failure> {
        if let Some(next) = self.next.take() {
            self.lazy.memory = next;
            self.lazy.is_first = false;
        }
        self.lazy.clear();
        for (var, value) in program.inputs().zip(inputs) {
            self.lazy.given[var.index()] = Scalar::from_value(*value);
        }
        self.lazy.ask(program, asked)?;
        let mut next = self.lazy.memory.clone();
        for memory in &asked.memory {
            let expr = program.memory[*memory].next;
            next[*memory] = self.lazy.expr(program, asked, expr)?;
        }
        self.next = Some(next);
        Ok(())
    }

    fn memory(&self, memory: MemoryId) -> Value {
        self.next.as_ref().unwrap_or(&self.lazy.memory)[memory].to_value()
    }
}
