//! A program that is evaluated as it is written.

use punctual_model::lustre::{Program, Rational, Value};
use punctual_model::{Id, IdVec, MemoryId, VarId};

use super::asked::Asked;
use super::failure::Failure;
use super::lazy::Lazy;
use super::scalar::Scalar;

/// A program in some state; its reals are exact.
pub struct Reference<'p> {
    program: &'p Program,
    asked: Asked,
    lazy: Lazy<Rational>,
    /// What the last step remembered. It is put in place by the next one, so that all variables of
    /// the last step can still be asked for.
    next: Option<IdVec<MemoryId, Scalar<Rational>>>,
}

impl<'p> Reference<'p> {
    /// Before the first step.
    #[must_use]
    pub fn new(program: &'p Program) -> Reference<'p> {
        let asked = Asked::new(program, &[]);
        Reference { program, asked, lazy: Lazy::new(program), next: None }
    }

    /// Takes a step with a value for every input, in order. If it fails, nothing has happened.
    ///
    /// # Errors
    /// If something that is asked for has no value.
    pub fn step(&mut self, inputs: &[Value]) -> Result<(), Failure> {
        if let Some(next) = self.next.take() {
            self.lazy.memory = next;
            self.lazy.is_first = false;
        }
        self.lazy.clear();
        for (var, value) in self.program.inputs().zip(inputs) {
            self.lazy.given[var.index()] = Scalar::from_value(*value);
        }
        self.lazy.ask(self.program, &self.asked)?;
        let mut next = self.lazy.memory.clone();
        for memory in &self.asked.memory {
            let expr = self.program.memory[*memory].next;
            next[*memory] = self.lazy.expr(self.program, &self.asked, expr)?;
        }
        self.next = Some(next);
        Ok(())
    }

    /// The value of a variable in the last step. Locals that nobody needed may have none.
    ///
    /// # Errors
    /// If it has no value.
    pub fn value(&mut self, var: VarId) -> Result<Value, Failure> {
        self.lazy.var(self.program, &self.asked, var).map(Scalar::to_value)
    }

    /// Whether an assertion held in the last step.
    #[must_use]
    pub fn assertion(&mut self, index: usize) -> bool {
        let expr = self.program.assertions[index];
        self.lazy.expr(self.program, &self.asked, expr) == Ok(Scalar::Bool(true))
    }

    /// Whether a property held in the last step.
    #[must_use]
    pub fn property(&mut self, index: usize) -> bool {
        let expr = self.program.properties[index].1;
        self.lazy.expr(self.program, &self.asked, expr) == Ok(Scalar::Bool(true))
    }

    /// What is remembered for the next step; none if nothing that is asked for ever needs it.
    #[must_use]
    pub fn memory(&self, memory: MemoryId) -> Option<Value> {
        let values = self.next.as_ref().unwrap_or(&self.lazy.memory);
        self.asked.memory.contains(&memory).then(|| values[memory].to_value())
    }
}
