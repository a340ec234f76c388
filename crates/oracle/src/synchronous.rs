//! A synchronous program as an exact oracle: it takes the inputs of a test, and its values are what
//! the system must show, step by step.
//!
//! [`Comparison::step`] says all there is to say of a step: whether it has a result, whether the
//! inputs are those that the program is made for, which values differ, and which properties are
//! violated. What follows from that is for the caller: a recorded test may be judged to its end, a
//! live one may end with the first difference.
//!
//! Not here: differences that are acceptable ([`steering`](crate::steering)), tables, random inputs.

use punctual_model::VarId;
use punctual_model::lustre::Value;
use punctual_semantics::lustre::{Failure, Machine, State, Stepper};

/// Compares a program with one test after the other. Each thread has its own.
pub struct Comparison<'m> {
    machine: &'m Machine,
    stepper: Stepper<'m>,
    state: State,
    after: State,
}

/// What a step of the program says of a step of a test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compared {
    /// The variables whose values differ, in the order in which they were given.
    pub differences: Vec<Difference>,
    /// The properties of the program that do not hold, as positions in `Program::properties`.
    pub violated: Vec<usize>,
    /// Whether an assertion does not hold: the program does not speak of such inputs.
    pub is_unassumed: bool,
}

/// A variable whose value is not the one that the program computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The variable of the program.
    pub var: VarId,
    /// The value that the program computes.
    pub expected: Value,
    /// The value that was observed.
    pub seen: Value,
}

impl Compared {
    /// Whether the step is as the program says, with inputs that it is made for.
    #[must_use]
    pub fn is_as_expected(&self) -> bool {
        self.differences.is_empty() && self.violated.is_empty() && !self.is_unassumed
    }
}

impl<'m> Comparison<'m> {
    /// Before the first step of a test. What is compared must be an output, or watched by the machine.
    #[must_use]
    pub fn new(machine: &'m Machine) -> Comparison<'m> {
        let (state, after) = (machine.start(), machine.start());
        Comparison { machine, stepper: Stepper::new(machine), state, after }
    }

    /// Back to before the first step. Inputs keep their values.
    pub fn restart(&mut self) {
        self.state = self.machine.start();
    }

    /// Takes a step with these inputs and compares these values with it. Inputs that are not given
    /// keep the value of the step before; at first they are 0, false or the first of an enumeration.
    ///
    /// # Errors
    /// If the step has no result: then the program can not go on, and the test can not be compared
    /// any further.
    pub fn step(
        &mut self,
        inputs: impl IntoIterator<Item = (VarId, Value)>,
        seen: impl IntoIterator<Item = (VarId, Value)>,
    ) -> Result<Compared, Failure> {
        for (var, value) in inputs {
            self.stepper.set(var, value);
        }
        self.stepper.step(&self.state, &mut self.after)?;
        std::mem::swap(&mut self.state, &mut self.after);
        let difference = |(var, seen): (VarId, Value)| {
            let expected = self.stepper.value(var);
            (expected != seen).then_some(Difference { var, expected, seen })
        };
        let n_properties = self.machine.program().properties.len();
        Ok(Compared {
            differences: seen.into_iter().filter_map(difference).collect(),
            violated: (0..n_properties).filter(|at| !self.stepper.property(*at)).collect(),
            is_unassumed: !self.stepper.is_assumed(),
        })
    }

    /// The value of an input, an output or a watched variable in the last step.
    #[must_use]
    pub fn value(&self, var: VarId) -> Value {
        self.stepper.value(var)
    }
}
