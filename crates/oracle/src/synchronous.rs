//! The oracle of a synchronous model: it takes every step that the system takes, and its outputs must be
//! the same.

use punctual_model::lustre::Value;
use punctual_model::{Event, Happening, Interface, PortRole, VarId, Verdict as Word};
use punctual_semantics::lustre::{Failure, Machine, State, Stepper};

use crate::{Cause, Finding, Interaction, Oracle, Verdict};

/// A step that is not as the model has it.
#[derive(Clone, PartialEq, Debug)]
pub struct Mismatch {
    /// The number of the step, from 0.
    pub step: usize,
    /// The instant of the step.
    pub at_ns: u64,
    /// The outputs that differ: the variable, the value of the model, and that of the system.
    pub differences: Vec<(VarId, Value, Value)>,
    /// Why the model has no step, if it has none.
    pub failure: Option<Failure>,
}

impl Mismatch {
    /// The cause, from the list that all oracles share.
    #[must_use]
    pub fn cause(&self) -> Cause {
        if self.failure.is_some() { Cause::ModelError } else { Cause::WrongValue }
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
    pub fn by_name(
        program: &punctual_model::lustre::Program,
        interface: &Interface,
    ) -> Result<Streams, String> {
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

/// Steps a model beside a system.
pub struct Beside<'m> {
    machine: &'m Machine,
    streams: &'m Streams,
    stepper: Stepper<'m>,
    before: State,
    after: State,
    n_steps: usize,
    judged: Vec<Interaction>,
    first: Option<Mismatch>,
    /// The model has no further step.
    is_stuck: bool,
}

impl<'m> Beside<'m> {
    /// A compiled model, and the ports that its variables are.
    #[must_use]
    pub fn new(machine: &'m Machine, streams: &'m Streams) -> Beside<'m> {
        Beside {
            machine,
            streams,
            stepper: Stepper::new(machine),
            before: machine.start(),
            after: machine.start(),
            n_steps: 0,
            judged: Vec::new(),
            first: None,
            is_stuck: false,
        }
    }

    fn step(&mut self, inputs: &[Value], outputs: &[Value], at_ns: u64) {
        let mut mismatch =
            Mismatch { step: self.n_steps, at_ns, differences: Vec::new(), failure: None };
        for (var, at) in &self.streams.inputs {
            self.stepper.set(*var, inputs[*at]);
        }
        match self.stepper.step(&self.before, &mut self.after) {
            Ok(()) => {
                for (var, at) in &self.streams.outputs {
                    let (model, system) = (self.stepper.value(*var), outputs[*at]);
                    if model != system {
                        mismatch.differences.push((*var, model, system));
                    }
                }
                std::mem::swap(&mut self.before, &mut self.after);
            }
            Err(failure) => {
                mismatch.failure = Some(failure);
                self.is_stuck = true;
            }
        }
        let is_right = mismatch.differences.is_empty() && mismatch.failure.is_none();
        self.judged.push(Interaction {
            number: self.n_steps,
            at_ns,
            verdict: if is_right { Word::Pass } else { mismatch.cause().verdict() },
            reason: if is_right { String::new() } else { self.explain(&mismatch) },
        });
        self.n_steps += 1;
        if !is_right {
            self.first.get_or_insert(mismatch);
        }
    }

    /// What is wrong, as a sentence.
    #[must_use]
    pub fn explain(&self, mismatch: &Mismatch) -> String {
        explain(self.machine.program(), mismatch)
    }
}

/// What is wrong about a step, as a sentence.
#[must_use]
pub fn explain(program: &punctual_model::lustre::Program, mismatch: &Mismatch) -> String {
    let step = mismatch.step;
    if let Some(failure) = mismatch.failure {
        return format!("Step {step}: the model has no step: {}.", failure.kind);
    }
    let differs = |(var, model, system): &(VarId, Value, Value)| {
        let name = &program.vars[*var].name;
        let (model, system) = (program.value_text(*var, *model), program.value_text(*var, *system));
        format!("{name} is {system}, the model has {model}")
    };
    let differences: Vec<String> = mismatch.differences.iter().map(differs).collect();
    format!("Step {step}: {}.", differences.join("; "))
}

impl Oracle for Beside<'_> {
    fn restart(&mut self) {
        self.before.clone_from(&self.machine.start());
        self.n_steps = 0;
        self.judged.clear();
        self.first = None;
        self.is_stuck = false;
    }

    fn event(&mut self, event: &Event) {
        if let Happening::Step(step) = &event.what
            && !self.is_stuck
        {
            self.step(&step.inputs, &step.outputs, event.from_ns);
        }
    }

    fn decided(&self) -> Option<Word> {
        self.is_stuck.then_some(Word::Inconclusive)
    }

    fn finish(&mut self, _: u64) -> Verdict<Finding> {
        match self.first.take() {
            Some(mismatch) => Finding::Step(mismatch).judged(),
            None => Verdict::Pass,
        }
    }

    fn interactions(&self) -> Vec<Interaction> {
        self.judged.clone()
    }
}
