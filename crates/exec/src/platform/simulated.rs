//! Sensors, a program and actuators, on the virtual clock. `hosted.rs` serves them on any.
//!
//! What is set outside reaches the program when its sensor has had its delay; what the program writes is seen outside when its actuator has had
//! its. Delays are drawn for each event, so that one may overtake another. The program takes a step every period, with jitter, and reads
//! the values that are there then. It tells that a step is done as soon as it has written its outputs.
//!
//! The program is any system that can be stepped; the simulation does not look into it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use punctual_model::lustre::Program;
use punctual_model::testing::platform::{Events, Line, Outside, Platform};
use punctual_model::{Action, PortId, Reading, SignalId, Value};
use punctual_semantics::program::Chance;
use punctual_smc::{Stream, delays};

use crate::{Handover, Note, Seen, Sut, SutError};

/// How a platform is simulated, beside what is said of it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Settings {
    /// What all delays are drawn from.
    pub seed: u64,
    /// A step comes up to so much earlier or later than its period says, in nanoseconds.
    pub jitter_ns: u64,
}

/// A platform around a system that takes steps.
pub struct Simulated<S> {
    controller: S,
    platform: Arc<Platform>,
    outside: Arc<Outside>,
    settings: Settings,
    /// For each line of the inputs, the position of its variable among the inputs of the program; likewise for the outputs.
    ends: [Vec<usize>; 2],
    chance: Stream,
    n_resets: u64,
    now_ns: u64,
    /// What the sensors show, and values that came since the last step and are kept for the next one.
    shown: Vec<Value>,
    latched: Vec<Option<Value>>,
    /// The outputs of the last step.
    outputs: Vec<Option<Value>>,
    n_steps: u64,
    step_ns: u64,
    /// What is under way, the earliest first; of several at one instant the one that was sent first.
    coming: BinaryHeap<Reverse<(u64, u64, Coming)>>,
    n_sent: u64,
    /// The inputs that each step has read.
    read: Vec<Vec<Value>>,
}

/// What is under way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Coming {
    /// A value for an input: the number of the line.
    Input(usize, Value),
    /// A value of an output, or the end of a step, to be seen outside.
    Seen(SignalId, Option<Value>),
}

impl<S: Sut> Simulated<S> {
    /// A platform around a system that takes steps as a program does. `outside` is what the tester exchanges with it.
    pub fn new(
        controller: S,
        program: &Program,
        (platform, outside): (Arc<Platform>, Arc<Outside>),
        settings: Settings,
    ) -> Simulated<S> {
        let inputs: Vec<_> = program.inputs().collect();
        let outputs: Vec<_> = program.outputs().collect();
        let at = |of: &[_], var| of.iter().position(|it| *it == var).unwrap_or(0);
        let ends = [
            platform.inputs.iter().map(|line| at(&inputs, line.variable)).collect(),
            platform.outputs.iter().map(|line| at(&outputs, line.variable)).collect(),
        ];
        Simulated {
            controller,
            shown: platform.initial.clone(),
            latched: vec![None; platform.initial.len()],
            platform,
            outside,
            settings,
            ends,
            chance: Stream::of_run(settings.seed, 0),
            n_resets: 0,
            now_ns: 0,
            outputs: Vec::new(),
            n_steps: 0,
            step_ns: 0,
            coming: BinaryHeap::new(),
            n_sent: 0,
            read: Vec::new(),
        }
    }

    /// What really happened, which no tester can know: the inputs that each step since the last reset has read.
    #[must_use]
    pub fn happened(&self) -> &[Vec<Value>] {
        &self.read
    }

    /// When the next thing happens, unless something is set before.
    pub(super) fn next_ns(&self) -> u64 {
        let coming = self.coming.peek().map_or(u64::MAX, |Reverse((at_ns, ..))| *at_ns);
        coming.min(self.step_ns)
    }

    fn send(&mut self, at_ns: u64, what: Coming) {
        self.coming.push(Reverse((at_ns, self.n_sent, what)));
        self.n_sent += 1;
    }

    /// How long a value is on its way that begins now, in nanoseconds.
    fn delay(&mut self, line: &Line) -> f64 {
        let drifted = self.platform.drift.map_or(0.0, |it| it.after(self.now_ns));
        (delays::draw(&line.delay, &mut self.chance) + drifted * line.delay.mean()).max(0.0)
    }

    /// When the next step is taken.
    fn next_step(&mut self) -> u64 {
        let nominal = self.platform.step_ns.saturating_mul(self.n_steps + 1);
        let jitter = self.settings.jitter_ns as f64 * (2.0 * self.chance.unit() - 1.0);
        ((nominal as f64 + jitter).max(0.0) as u64).max(self.now_ns)
    }

    /// A sensor has a value for the program.
    fn arrive(&mut self, line: usize, value: Value) {
        let at = self.ends[0][line];
        self.shown[at] = value;
        if self.platform.inputs[line].is_latched && !is_zero(value) {
            self.latched[at] = Some(value);
        }
    }

    fn step(&mut self) -> Result<(), SutError> {
        // What came and went since the last step is kept for this one.
        let latched = self.latched.iter_mut().map(Option::take);
        let inputs = self.shown.iter().zip(latched).map(|(shown, latched)| match latched {
            Some(latched) if is_zero(*shown) => latched,
            _ => *shown,
        });
        let inputs: Vec<Value> = inputs.collect();
        let (outputs, _) = self.controller.step(&inputs)?;
        self.read.push(inputs);
        let platform = Arc::clone(&self.platform);
        let outside = Arc::clone(&self.outside);
        let written = self.now_ns + delays::draw(&platform.software, &mut self.chance) as u64;
        if let Some(stepped) = outside.stepped {
            self.send(written, Coming::Seen(stepped, None));
        }
        for (line, (signal, at)) in
            platform.outputs.iter().zip(outside.outputs.iter().zip(self.ends[1].clone()))
        {
            let before = self.outputs.get(at).copied().flatten();
            if platform.events == Events::Changes && before == Some(outputs[at]) {
                continue;
            }
            let delay = self.delay(line) as u64;
            let value = line.form.outside(outputs[at]).unwrap_or(outputs[at]);
            self.send(written + delay, Coming::Seen(*signal, Some(value)));
        }
        self.outputs = outputs.into_iter().map(Some).collect();
        self.n_steps += 1;
        self.step_ns = self.next_step();
        Ok(())
    }
}

/// Whether a value is false or zero.
fn is_zero(value: Value) -> bool {
    value.as_rational() == punctual_model::Rational::from_integer(0)
}

impl<S: Sut> Sut for Simulated<S> {
    fn reset(&mut self) -> Result<(), SutError> {
        self.controller.reset()?;
        self.chance = Stream::of_run(self.settings.seed, self.n_resets);
        self.n_resets += 1;
        (self.now_ns, self.n_steps) = (0, 0);
        self.latched.fill(None);
        self.shown.clone_from(&self.platform.initial);
        self.outputs.clear();
        self.read.clear();
        self.coming.clear();
        self.step_ns = self.next_step();
        Ok(())
    }

    fn now_ns(&mut self) -> u64 {
        self.now_ns
    }

    fn input(&mut self, _: &Action) -> Result<Handover, SutError> {
        Err(SutError::cannot("take signals: a platform has ports"))
    }

    fn set(&mut self, ports: &Reading) -> Result<Handover, SutError> {
        let (platform, outside) = (Arc::clone(&self.platform), Arc::clone(&self.outside));
        for (port, value) in &ports.values {
            let lines = outside.inputs.iter().enumerate().filter(|(_, it)| *it == port);
            for (number, _) in lines {
                let line = &platform.inputs[number];
                let inside = line.form.inside(
                    *value,
                    matches!(platform.initial[self.ends[0][number]], Value::Int(_)),
                );
                let Some(inside) = inside else { continue };
                let mut at_ns = self.now_ns;
                if let Some(period) = line.sampling_ns {
                    at_ns = at_ns.div_ceil(period) * period;
                }
                at_ns += self.delay(line) as u64;
                self.send(at_ns, Coming::Input(number, inside));
            }
        }
        Ok(Handover { from_ns: self.now_ns, to_ns: self.now_ns })
    }

    fn wait(&mut self, until_ns: u64) -> Result<Seen, SutError> {
        loop {
            let coming = self.coming.peek().map_or(u64::MAX, |Reverse((at_ns, ..))| *at_ns);
            // What arrives at the instant of a step is read by it.
            if self.step_ns < coming && self.step_ns <= until_ns {
                self.now_ns = self.step_ns;
                self.step()?;
                continue;
            }
            if coming > until_ns {
                self.now_ns = self.now_ns.max(until_ns);
                return Ok(Seen::Quiet);
            }
            let Some(Reverse((at_ns, _, what))) = self.coming.pop() else { continue };
            self.now_ns = at_ns;
            match what {
                Coming::Input(line, value) => {
                    self.arrive(line, value);
                    if let Some(signal) = self.outside.arrived.get(line) {
                        let action = Action { signal: *signal, values: Vec::new() };
                        return Ok(Seen::Output { action, at_ns, device_ns: None });
                    }
                }
                Coming::Seen(signal, value) => {
                    let action = Action { signal, values: value.into_iter().collect() };
                    return Ok(Seen::Output { action, at_ns, device_ns: None });
                }
            }
        }
    }

    fn read(&mut self, _: &[PortId]) -> Result<(Reading, Handover), SutError> {
        Err(SutError::cannot("be read"))
    }

    fn settle(&mut self) -> Result<(), SutError> {
        self.controller.settle()
    }

    fn take_notes(&mut self) -> Vec<Note> {
        self.controller.take_notes()
    }

    fn is_virtual(&self) -> bool {
        true
    }

    fn stop(&mut self) {
        self.controller.stop();
    }
}
