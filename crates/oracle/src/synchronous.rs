//! A synchronous program as an exact oracle: it takes the inputs of a test, and its values are what
//! the system must show, step by step.
//!
//! [`Comparison::step`] says all there is to say of a step: whether it has a result, whether the
//! inputs are those that the program is made for, which values differ, and which properties are
//! violated. What follows from that is for the caller. [`Beside`] is the oracle of a run: every step of
//! it is judged, and the run goes on after one that fails.
//!
//! Not here: differences that are acceptable ([`steering`](crate::steering)), tables, random inputs.

use punctual_model::lustre::{Program, Value};
use punctual_model::{Event, Happening, Interface, PortRole, VarId, Verdict};
use punctual_semantics::lustre::{Failure, Machine, State, Stepper};

use crate::expectations::Kind;
use crate::{Cause, Finding, Interaction, Judgement, Oracle};

/// Compares a program with one test after the other. Each thread has its own.
pub struct Comparison<'m> {
    machine: &'m Machine,
    stepper: Stepper<'m>,
    state: State,
    after: State,
    /// What the last step said, kept so that a step needs no new memory.
    compared: Compared,
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
        let compared = Compared::default();
        Comparison { machine, stepper: Stepper::new(machine), state, after, compared }
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
    ) -> Result<&Compared, Failure> {
        for (var, value) in inputs {
            self.stepper.set(var, value);
        }
        self.stepper.step(&self.state, &mut self.after)?;
        std::mem::swap(&mut self.state, &mut self.after);
        let stepper = &self.stepper;
        let difference = |(var, seen): (VarId, Value)| {
            let expected = stepper.value(var);
            (expected != seen).then_some(Difference { var, expected, seen })
        };
        let n_properties = self.machine.program().properties.len();
        let compared = &mut self.compared;
        compared.differences.clear();
        compared.differences.extend(seen.into_iter().filter_map(difference));
        compared.violated.clear();
        compared.violated.extend((0..n_properties).filter(|at| !stepper.property(*at)));
        compared.is_unassumed = !stepper.is_assumed();
        Ok(compared)
    }

    /// Whether one of the first so many assertions did not hold in the last step.
    pub(crate) fn is_unassumed(&self, n_assertions: usize) -> bool {
        (0..n_assertions).any(|at| !self.stepper.assertion(at))
    }

    /// The value of an input, an output or a watched variable in the last step.
    #[must_use]
    pub fn value(&self, var: VarId) -> Value {
        self.stepper.value(var)
    }
}

/// A step that is not as the model has it.
#[derive(Clone, PartialEq, Debug)]
pub struct Mismatch {
    /// The number of the step, from 0.
    pub step: usize,
    /// The instant of the step.
    pub at_ns: u64,
    /// The outputs that differ.
    pub differences: Vec<Difference>,
    /// Why the model has no step, if it has none.
    pub failure: Option<Failure>,
    /// Whether the inputs break an assertion of the model, which then says nothing about the step.
    pub is_unassumed: bool,
    /// The properties that do not hold, as positions in `Program::properties`; only where they are judged.
    pub violated: Vec<usize>,
}

impl Mismatch {
    /// The cause, from the list that all oracles share.
    #[must_use]
    pub fn cause(&self) -> Cause {
        match (self.failure, self.is_unassumed) {
            (Some(_), _) => Cause::ModelError,
            (None, true) => Cause::OutsideEnvironment,
            (None, false) if self.differences.is_empty() => Cause::Violated,
            (None, false) => Cause::WrongValue,
        }
    }
}

/// How the ports of an interface are tied to the variables of a program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Streams {
    /// For each input of the program, the position among the inputs of a step.
    pub inputs: Vec<(VarId, usize)>,
    /// Compared variables of the program, and the position of each among the outputs of a step.
    pub outputs: Vec<(VarId, usize)>,
}

impl Streams {
    /// Ties ports to the variables with their names.
    ///
    /// # Errors
    /// The name of an input of the program that no port sets; that of its first output if no port shows
    /// any, so that there would be nothing to compare.
    pub fn by_name(program: &Program, interface: &Interface) -> Result<Streams, String> {
        let position = |role: PortRole, name: &str| {
            interface.ports_with(role).position(|port| interface.ports[port].name == name)
        };
        let mut streams = Streams::default();
        for var in program.inputs() {
            let name = &program.vars[var].name;
            let at = position(PortRole::Input, name).ok_or_else(|| name.clone())?;
            streams.inputs.push((var, at));
        }
        for var in program.outputs() {
            if let Some(at) = position(PortRole::Output, &program.vars[var].name) {
                streams.outputs.push((var, at));
            }
        }
        match program.outputs().next() {
            Some(first) if streams.outputs.is_empty() => Err(program.vars[first].name.clone()),
            _ => Ok(streams),
        }
    }
}

/// How many steps that do not pass are told one by one. Nobody reads more, and memory must not grow with a
/// system that is wrong all the time.
const TOLD_MAX: usize = 10_000;

/// Steps a model beside a system.
pub struct Beside<'m> {
    comparison: Comparison<'m>,
    streams: &'m Streams,
    n_steps: usize,
    /// The first steps that do not pass.
    told: Vec<Interaction>,
    /// The first step that fails, else the first of which nothing can be said.
    worst: Option<Mismatch>,
    judges_properties: bool,
    /// The model has no further step, or the inputs are not those that it is made for.
    is_lost: bool,
}

impl<'m> Beside<'m> {
    /// A compiled model, and the ports that its variables are.
    #[must_use]
    pub fn new(machine: &'m Machine, streams: &'m Streams) -> Beside<'m> {
        let comparison = Comparison::new(machine);
        Beside {
            comparison,
            streams,
            n_steps: 0,
            told: Vec::new(),
            worst: None,
            judges_properties: false,
            is_lost: false,
        }
    }

    /// Judges the properties of the model, too. That is for runs of the program itself: of another system
    /// they say nothing, as they may be about what nobody sees of it.
    #[must_use]
    pub fn with_properties(self) -> Beside<'m> {
        Beside { judges_properties: true, ..self }
    }

    /// The program that is stepped.
    #[must_use]
    pub fn program(&self) -> &'m Program {
        self.comparison.machine.program()
    }

    /// The model takes a step that is not compared with anything and not counted.
    pub fn before(&mut self, inputs: &[Value]) {
        let given = self.streams.inputs.iter().map(|(var, at)| (*var, inputs[*at]));
        self.is_lost |= self.comparison.step(given, []).is_err();
    }

    fn step(&mut self, inputs: &[Value], outputs: &[Value], at_ns: u64) {
        let mut mismatch = Mismatch {
            step: self.n_steps,
            at_ns,
            differences: Vec::new(),
            failure: None,
            is_unassumed: false,
            violated: Vec::new(),
        };
        let given = self.streams.inputs.iter().map(|(var, at)| (*var, inputs[*at]));
        let seen = self.streams.outputs.iter().map(|(var, at)| (*var, outputs[*at]));
        match self.comparison.step(given, seen) {
            Ok(compared) => {
                mismatch.differences.clone_from(&compared.differences);
                mismatch.is_unassumed = compared.is_unassumed;
                if self.judges_properties && !compared.is_unassumed {
                    mismatch.violated.clone_from(&compared.violated);
                }
            }
            Err(failure) => mismatch.failure = Some(failure),
        }
        self.is_lost = mismatch.failure.is_some() || mismatch.is_unassumed;
        let is_right =
            mismatch.differences.is_empty() && mismatch.violated.is_empty() && !self.is_lost;
        let verdict = if is_right { Verdict::Pass } else { mismatch.cause().verdict() };
        if !is_right && self.told.len() < TOLD_MAX {
            let reason = explain(self.comparison.machine.program(), &mismatch);
            let (kind, number) = (Kind::Step, self.n_steps);
            self.told.push(Interaction { kind, number, at_ns, verdict, reason });
        }
        self.n_steps += 1;
        let known = self.worst.as_ref().map_or(Verdict::Pass, |it| it.cause().verdict());
        if verdict > known {
            self.worst = Some(mismatch);
        }
    }
}

/// What is wrong about a step, as a sentence.
#[must_use]
pub fn explain(program: &Program, mismatch: &Mismatch) -> String {
    let step = mismatch.step;
    if let Some(failure) = mismatch.failure {
        return format!("Step {step}: the model has no step: {}.", failure.kind);
    }
    if mismatch.is_unassumed {
        return format!("Step {step}: the inputs break an assertion of the model.");
    }
    let differs = |it: &Difference| {
        let name = &program.vars[it.var].name;
        let text = |value: Value| program.value_text(it.var, value);
        format!("{name} is {}, the model has {}", text(it.seen), text(it.expected))
    };
    let violated = |at: &usize| format!("`{}` does not hold", program.properties[*at].0);
    let violated = mismatch.violated.iter().map(violated);
    let told: Vec<String> = mismatch.differences.iter().map(differs).chain(violated).collect();
    format!("Step {step}: {}.", told.join("; "))
}

impl Oracle for Beside<'_> {
    fn restart(&mut self) {
        self.comparison.restart();
        self.n_steps = 0;
        self.told.clear();
        self.worst = None;
        self.is_lost = false;
    }

    fn event(&mut self, event: &Event) {
        if let Happening::Step(step) = &event.what
            && !self.is_lost
        {
            self.step(&step.inputs, &step.outputs, event.from_ns);
        }
    }

    fn decided(&self) -> Option<Verdict> {
        self.is_lost.then_some(Verdict::Inconclusive)
    }

    fn finish(&mut self, _: u64) -> Judgement<Finding> {
        match self.worst.take() {
            Some(mismatch) => Finding::Step(mismatch).judged(),
            None => Judgement::Pass,
        }
    }

    fn interactions(&self) -> Vec<Interaction> {
        self.told.clone()
    }
}
