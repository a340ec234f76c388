//! A synchronous model beside a platform: responses are brought back to the model's time and compared.
//!
//! After section III-E of the Platform paper: what is seen outside at an instant was written by the program as much earlier as the actuator
//! takes on average. It belongs to the interaction in whose step it was written; of several values the last one counts, and a
//! value holds until there is another one. The model takes a step for each step of the program: with the values that the inputs have
//! before the test until the first interaction is due, then with those of the interactions. There is no inconclusive:
//! whoever is not where the test wants it to be fails. With delays of 0 this is the comparison of section III-C.
//! Where the platform tells of no steps they are estimated, and everything is judged in the end, when they are known as exactly as possible.
//!
//! Not here: which scenario really happened.

use punctual_model::lustre::{Program, Type};
use punctual_model::testing::platform::{Line, Outside, Platform};
use punctual_model::testing::suite::Table;
use punctual_model::{Event, Happening, Step, Value, Verdict};
use punctual_semantics::lustre::Machine;
use punctual_semantics::platform::Timetable;

use crate::synchronous::{Beside, Streams};
use crate::{Cause, Finding, Interaction, Judgement, Oracle};

/// Ties the inputs of a program, in their order, and the lines of a platform's outputs to the program's variables.
#[must_use]
pub fn streams(program: &Program, platform: &Platform) -> Streams {
    let inputs = program.inputs().enumerate().map(|(at, var)| (var, at)).collect();
    let outputs = platform.outputs.iter().enumerate().map(|(at, line)| (line.variable, at));
    Streams { inputs, outputs: outputs.collect() }
}

/// Judges a case of steps on a platform.
pub struct Adjusted<'m> {
    beside: Beside<'m>,
    platform: &'m Platform,
    outside: &'m Outside,
    table: &'m Table,
    timetable: Timetable,
    /// For each line of the outputs, what was written and is not judged yet: instants and values, in the order of instants.
    written: Vec<Vec<(f64, Value)>>,
    /// For each of them, the value that it holds.
    held: Vec<Value>,
    /// For each of them, whether it is a whole number in the program.
    is_whole: Vec<bool>,
    /// The longest mean delay of an actuator, in nanoseconds.
    longest: f64,
    /// What the lines held at the end of each step, of those before the first interaction too.
    seen: Vec<Vec<Value>>,
    n_judged: usize,
}

impl<'m> Adjusted<'m> {
    /// Before the first step. Outputs are 0, false or the first of an enumeration until the platform shows something else. The streams are those of
    /// [`streams`].
    #[must_use]
    pub fn new(
        (machine, streams): (&'m Machine, &'m Streams),
        (platform, outside): (&'m Platform, &'m Outside),
        table: &'m Table,
    ) -> Adjusted<'m> {
        let program = machine.program();
        let ty = |line: &Line| program.vars[line.variable].ty;
        Adjusted {
            beside: Beside::new(machine, streams),
            platform,
            outside,
            table,
            timetable: Timetable::of(platform, 0.0),
            written: vec![Vec::new(); platform.outputs.len()],
            held: platform.outputs.iter().map(|line| Value::zero(ty(line))).collect(),
            is_whole: platform.outputs.iter().map(|line| ty(line) == Type::Int).collect(),
            longest: platform.outputs.iter().map(|line| line.delay.mean()).fold(0.0, f64::max),
            seen: Vec::new(),
            n_judged: 0,
        }
    }

    /// Whether steps are estimated, and nothing was seen of a step that should have shown something.
    fn is_missing(&self, step: usize) -> bool {
        let steps = self.timetable.steps().filter(|steps| !steps.may_be_silent());
        steps.and_then(|it| it.estimate()).is_some_and(|it| step >= it.n_seen)
    }

    /// What the lines of the outputs held at the end of each step, brought back to the model's time: first those before the first
    /// interaction, then those of the interactions that were judged. The run must be finished.
    #[must_use]
    pub fn seen(&self) -> &[Vec<Value>] {
        &self.seen
    }

    /// Goes on to the end of a step.
    fn hold(&mut self, end: f64) {
        for (written, held) in self.written.iter_mut().zip(&mut self.held) {
            let n = written.partition_point(|(at, _)| *at < end);
            if let Some((_, value)) = written.drain(..n).next_back() {
                *held = value;
            }
        }
        self.seen.push(self.held.clone());
    }

    /// Judges the interactions whose responses are all there.
    fn judge(&mut self, now: f64) {
        while let Some(step) = self.table.steps.get(self.n_judged) {
            let Some(planned) = self.timetable.planned(self.n_judged) else { return };
            if self.is_missing(planned.step) {
                return;
            }
            let end = planned.at_ns + self.timetable.step();
            if end + self.longest > now {
                return;
            }
            if self.n_judged == 0 {
                for left in (0..planned.step).rev() {
                    self.beside.before(&self.platform.initial);
                    self.hold(planned.at_ns - left as f64 * self.timetable.step());
                }
            }
            self.hold(end);
            let step = Step { inputs: step.inputs.clone(), outputs: self.held.clone() };
            let at_ns = planned.at_ns.max(0.0) as u64;
            self.beside.event(&Event::at(Happening::Step(step), at_ns));
            self.n_judged += 1;
        }
    }
}

impl Oracle for Adjusted<'_> {
    fn restart(&mut self) {
        self.beside.restart();
        self.timetable = Timetable::of(self.platform, 0.0);
        self.written.iter_mut().for_each(Vec::clear);
        let program = self.beside.program();
        let zero = |line: &Line| Value::zero(program.vars[line.variable].ty);
        self.held = self.platform.outputs.iter().map(zero).collect();
        self.seen.clear();
        self.n_judged = 0;
    }

    fn event(&mut self, event: &Event) {
        let Happening::Signal(action) = &event.what else { return };
        let at = event.from_ns as f64;
        if self.timetable.heard(event, self.outside) {
            self.judge(at);
            return;
        }
        let lines = self.outside.outputs.iter().enumerate();
        for (number, _) in lines.filter(|(_, signal)| **signal == action.signal) {
            let line = &self.platform.outputs[number];
            let value = action.values.first();
            let value = value.and_then(|it| line.form.inside(*it, self.is_whole[number]));
            if let Some(value) = value {
                let at = at - line.delay.mean();
                let written = &mut self.written[number];
                let place = written.partition_point(|(earlier, _)| *earlier <= at);
                written.insert(place, (at, value));
            }
        }
    }

    fn decided(&self) -> Option<Verdict> {
        self.beside.decided()
    }

    fn finish(&mut self, end_ns: u64) -> Judgement<Finding> {
        self.timetable.settle();
        self.judge(f64::INFINITY);
        match self.beside.finish(end_ns) {
            // An interaction that was never planned is no pass: the platform takes no more steps.
            Judgement::Pass if self.n_judged < self.table.steps.len() => {
                let words = format!("Step {}: the platform takes no more steps.", self.n_judged);
                Finding::Ending(Cause::Missing, words).judged()
            }
            judged => judged,
        }
    }

    fn interactions(&self) -> Vec<Interaction> {
        self.beside.interactions()
    }
}
