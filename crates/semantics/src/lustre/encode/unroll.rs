//! Many steps in a row.

use punctual_model::lustre::{Program, Test, Value};
use punctual_solver::{self as solver, Term, Terms};

use super::{Encoder, State, Step, value};

/// A run of a program as terms: all steps from a state, with symbols as inputs.
#[derive(Clone, Debug)]
pub struct Unrolling<'p> {
    encoder: Encoder<'p>,
    state: State,
    steps: Vec<Unrolled>,
}

/// A step of it.
#[derive(Clone, Debug)]
pub struct Unrolled {
    /// The inputs, in order.
    pub inputs: Vec<Term>,
    /// The step.
    pub step: Step,
    /// What every run keeps to: ranges of inputs, assertions, and that the step has a result.
    pub assumed: Term,
}

impl<'p> Unrolling<'p> {
    /// From before the first step.
    pub fn from_start(encoder: Encoder<'p>, terms: &mut Terms) -> Unrolling<'p> {
        let state = encoder.initial(terms);
        Unrolling { encoder, state, steps: Vec::new() }
    }

    /// From any state.
    pub fn from_anywhere(encoder: Encoder<'p>, terms: &mut Terms) -> Unrolling<'p> {
        let state = encoder.any_state(terms);
        Unrolling { encoder, state, steps: Vec::new() }
    }

    /// The state that the next step starts from.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The steps so far.
    #[must_use]
    pub fn steps(&self) -> &[Unrolled] {
        &self.steps
    }

    /// One step more.
    pub fn extend(&mut self, terms: &mut Terms) -> &Unrolled {
        let inputs = self.encoder.any_inputs(terms);
        let step = self.encoder.step(terms, &self.state, &inputs);
        let in_ranges = self.encoder.in_ranges(terms, &inputs);
        let kept = terms.all(step.assertions.iter().copied());
        let assumed = terms.and(in_ranges, kept);
        let assumed = terms.and(assumed, step.defined);
        self.state = step.next.clone();
        self.steps.push(Unrolled { inputs, step, assumed });
        &self.steps[self.steps.len() - 1]
    }

    /// All inputs of the first `n_steps` steps.
    #[must_use]
    pub fn inputs(&self, n_steps: usize) -> Vec<Term> {
        self.steps.iter().take(n_steps).flat_map(|it| it.inputs.iter().copied()).collect()
    }

    /// The test that values of the inputs of the first steps are; none if a value does not fit.
    #[must_use]
    pub fn test(&self, n_steps: usize, values: &[solver::Value]) -> Option<Test> {
        let program: &Program = self.encoder.program();
        let types: Vec<_> = program.inputs().map(|it| program.vars[it].ty).collect();
        let mut rest = values.iter();
        let mut step =
            || -> Option<Vec<Value>> { types.iter().map(|ty| value(*rest.next()?, *ty)).collect() };
        Some(Test { steps: (0..n_steps).map(|_| step()).collect::<Option<_>>()? })
    }
}
