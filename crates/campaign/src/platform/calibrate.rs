//! How long the lines of a live platform take: pulses on all of its sensors, and what comes back.
//!
//! The delay of a sensor is the time from setting it to the instant at which the device tells that the value has arrived. That of an
//! actuator is the time from the end of the step to what is seen outside; the n-th value that is seen is the one that the n-th step has written. Where one
//! overtakes another that keeps the mean, and makes the deviation too small; that is corrected, as far as it can be.
//!
//! All sensors are pulsed in one run: each has its own value on its way, and the next pulse waits for the last one and then for a random part of a step.
//!
//! Platforms that do not tell when values arrive are swept (`sweep.rs`): from setting a sensor to seeing an actuator there is the wait for a step, too, and
//! that can not be taken out of single delays.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use punctual_exec::{Seen, Sut, SutError};
use punctual_model::lustre::{Program, Type};
use punctual_model::testing::platform::{Delay, Events, Outside, Platform};
use punctual_model::{PortId, Reading, Value, VarId};
use punctual_semantics::program::Chance;
use punctual_smc::Stream;
use punctual_smc::censored::Fitted;
use punctual_smc::fit::{Shape, drift, fit};

use super::overtaken::overtaken;
use super::sweep::Sweep;
use crate::judges::Synchronous;

/// A value that has not arrived after so long never does, in nanoseconds.
pub(super) const LOST_NS: u64 = 30_000_000_000;

/// How a platform is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pulsing {
    /// So many delays of each line.
    pub pulses: usize,
    /// What all chance comes from.
    pub seed: u64,
}

/// What was measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Calibrated {
    /// The platform with the delays that it has.
    pub platform: Platform,
    /// Its lines: inputs, then outputs.
    pub lines: Vec<Measured>,
    /// How long a step takes on average, and how much that varies, in nanoseconds.
    pub step: (f64, f64),
    /// How long it took by the clock of the run, in nanoseconds.
    pub took_ns: u64,
    /// How often the system did something after a change that the model does not. Such changes say nothing of delays.
    pub odd: usize,
}

/// A line, and its delays.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// The variable outside.
    pub name: String,
    /// Whether it is a sensor.
    pub is_input: bool,
    /// When something was sent, and how long it took, in nanoseconds.
    pub delays: Vec<(f64, f64)>,
    /// What they are like; none if nothing was measured.
    pub shape: Option<Shape>,
    /// By how many nanoseconds the delay grows per second, if it does.
    pub drift: Option<f64>,
    /// If the platform does not tell when values arrive: how many were seen to have landed, and what that says, in nanoseconds.
    pub swept: Option<(usize, Fitted)>,
}

/// Why a platform can not be measured.
#[derive(Debug)]
pub enum Obstacle {
    /// The system went away.
    System(SutError),
    /// Something that a user can mend, in a sentence.
    Message(String),
    /// The user ended it.
    Stopped,
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Obstacle::System(error) => error.fmt(f),
            Obstacle::Message(text) => f.write_str(text),
            Obstacle::Stopped => f.write_str("stopped before all was measured"),
        }
    }
}

impl From<SutError> for Obstacle {
    fn from(error: SutError) -> Obstacle {
        Obstacle::System(error)
    }
}

/// A sensor that is pulsed.
struct Pulsed {
    port: PortId,
    /// The lines that it feeds.
    lines: Vec<usize>,
    /// What it is set to in turns, outside.
    values: [Value; 2],
    n_sent: usize,
    /// When its value was set, if it is under way on some line.
    sent_ns: f64,
    waits_for: Vec<usize>,
    next_ns: u64,
}

/// Measures all lines of a platform. `each` is told how many delays are known and how many are wanted.
///
/// # Errors
/// If the platform does not tell of its steps, nothing shows when values arrive, or the system goes away.
pub fn calibrate(
    sut: &mut dyn Sut,
    steps: &Synchronous,
    (platform, outside): (&Platform, &Outside),
    pulsing: Pulsing,
    stops: &AtomicBool,
    mut each: impl FnMut(usize, usize),
) -> Result<Calibrated, Obstacle> {
    let program = steps.program();
    let Some(stepped) = outside.stepped else {
        return Err(Obstacle::Message(
            "the platform names no `signal` that tells when a step is done. Delays of inputs and of outputs could be told only up to a shift between them"
                .to_owned(),
        ));
    };
    if outside.arrived.is_empty() {
        let both = (platform, outside);
        return Sweep::new(sut, steps.machine(), both, stepped, pulsing, stops)?.all(&mut each);
    }
    let mut pulsed = pulsed(program, platform, outside)?;
    let mut chance = Stream::of_run(pulsing.seed, 0);
    let mut arrived: Vec<Vec<(f64, f64)>> = vec![Vec::new(); platform.inputs.len()];
    let mut seen: Vec<Vec<f64>> = vec![Vec::new(); platform.outputs.len()];
    let mut steps: Vec<f64> = Vec::new();
    let wanted = pulsing.pulses * arrived.len();
    sut.reset()?;
    let n_known = |all: &[Vec<(f64, f64)>]| -> usize {
        all.iter().map(|it| it.len().min(pulsing.pulses)).sum()
    };
    let is_seen = |seen: &[Vec<f64>]| {
        platform.events == Events::Changes || seen.iter().all(|it| it.len() > pulsing.pulses)
    };
    while n_known(&arrived) < wanted || steps.len() < pulsing.pulses || !is_seen(&seen) {
        if stops.load(Ordering::Relaxed) {
            return Err(Obstacle::Stopped);
        }
        let now = sut.now_ns();
        send(sut, &mut pulsed, now)?;
        let idle = pulsed.iter().filter(|it| it.waits_for.is_empty()).map(|it| it.next_ns).min();
        let until = idle.unwrap_or(u64::MAX).min(now.saturating_add(platform.step_ns)).max(now + 1);
        if let Seen::Output { action, at_ns, .. } = sut.wait(until)? {
            let at = at_ns as f64;
            if action.signal == stepped {
                steps.push(at);
                each(n_known(&arrived), wanted);
            }
            for (line, _) in
                outside.outputs.iter().enumerate().filter(|(_, it)| **it == action.signal)
            {
                seen[line].push(at);
            }
            let lines = outside.arrived.iter().enumerate().filter(|(_, it)| **it == action.signal);
            for (line, _) in lines {
                let Some(it) = pulsed.iter_mut().find(|it| it.waits_for.contains(&line)) else {
                    continue;
                };
                it.waits_for.retain(|other| *other != line);
                arrived[line].push((it.sent_ns, (at - it.sent_ns).max(0.0)));
                // At any part of a step, so that all of them are measured.
                it.next_ns = at_ns + (chance.unit() * platform.step_ns as f64) as u64;
            }
        }
        let now = sut.now_ns() as f64;
        if now - steps.last().copied().unwrap_or(0.0) > LOST_NS as f64 {
            return Err(Obstacle::Message(format!(
                "the platform has told of no step for {} s",
                LOST_NS / 1_000_000_000
            )));
        }
        if let Some(lost) =
            pulsed.iter().find(|it| !it.waits_for.is_empty() && now - it.sent_ns > LOST_NS as f64)
        {
            let name = &outside.interface.ports[lost.port].name;
            return Err(Obstacle::Message(format!(
                "`{name}` was set, and the platform has not told that it arrived for {} s",
                LOST_NS / 1_000_000_000
            )));
        }
    }
    let took_ns = sut.now_ns();
    sut.stop();
    let outputs: Vec<_> = seen.iter().map(|seen| written(platform, &steps, seen)).collect();
    Ok(measured(platform, pulsing.pulses, &arrived, &outputs, &gaps(&steps), took_ns))
}

/// Sets all sensors whose time has come, together.
fn send(sut: &mut dyn Sut, pulsed: &mut [Pulsed], now: u64) -> Result<(), SutError> {
    let is_due = |it: &Pulsed| it.waits_for.is_empty() && it.next_ns <= now;
    let values: BTreeMap<PortId, Value> = (pulsed.iter())
        .filter(|it| is_due(it))
        .map(|it| (it.port, it.values[it.n_sent % 2]))
        .collect();
    if values.is_empty() {
        return Ok(());
    }
    let due: Vec<usize> = (0..pulsed.len()).filter(|at| is_due(&pulsed[*at])).collect();
    let handed = sut.set(&Reading { values: values.into_iter().collect() })?;
    for at in due {
        let it = &mut pulsed[at];
        it.n_sent += 1;
        it.sent_ns = f64::midpoint(handed.from_ns as f64, handed.to_ns as f64);
        it.waits_for.clone_from(&it.lines);
    }
    Ok(())
}

fn pulsed(
    program: &Program,
    platform: &Platform,
    outside: &Outside,
) -> Result<Vec<Pulsed>, Obstacle> {
    let inputs: Vec<VarId> = program.inputs().collect();
    let mut found: Vec<Pulsed> = Vec::new();
    for (line, of) in platform.inputs.iter().enumerate() {
        if let Some(known) = found.iter().find(|it| it.port == outside.inputs[line]) {
            let name = &outside.interface.ports[known.port].name;
            return Err(Obstacle::Message(format!(
                "`{name}` feeds several inputs, and the platform tells only that one of them has it: leave all but one out of the file to measure"
            )));
        }
        let at = inputs.iter().position(|var| *var == of.variable).unwrap_or(0);
        let first = platform.initial[at];
        let values = [other(program, of.variable, first), first].map(|it| of.form.outside(it));
        let [Some(other), Some(first)] = values else {
            let name = &of.outside;
            return Err(Obstacle::Message(format!(
                "nothing outside stands for values of `{name}`"
            )));
        };
        found.push(Pulsed {
            port: outside.inputs[line],
            lines: vec![line],
            values: [other, first],
            n_sent: 0,
            sent_ns: 0.0,
            waits_for: Vec::new(),
            next_ns: 0,
        });
    }
    Ok(found)
}

/// Another value of an input.
fn other(program: &Program, input: VarId, value: Value) -> Value {
    match (program.vars[input].ty, value) {
        (Type::Bool, Value::Bool(it)) => Value::Bool(!it),
        (Type::Enum(_), Value::Enum(it)) => Value::Enum(u32::from(it == 0)),
        (_, Value::Int(it)) => match program.vars[input].range {
            Some((_, greatest)) if it >= greatest => Value::Int(it - 1),
            _ => Value::Int(it + 1),
        },
        (_, it) => Value::Real(it.as_rational() + punctual_model::Rational::from_integer(1)),
    }
}

/// When each value of a line was written, and how long it took until it was seen: the n-th value is that of the n-th step.
pub(super) fn written(platform: &Platform, steps: &[f64], seen: &[f64]) -> Vec<(f64, f64)> {
    // Values that are sent only when they are new have no step that is known.
    if platform.events == Events::Changes {
        return Vec::new();
    }
    let both = steps.iter().zip(&seen[before_first(steps, seen)..]);
    both.map(|(step, at)| (*step, (at - step).max(0.0))).collect()
}

/// How many values were there before the first step was done: it has not written them.
pub(super) fn before_first(steps: &[f64], seen: &[f64]) -> usize {
    seen.partition_point(|at| steps.first().is_some_and(|it| at < it))
}

/// How long each step took.
pub(super) fn gaps(steps: &[f64]) -> Vec<f64> {
    steps.windows(2).map(|it| it[1] - it[0]).collect()
}

/// What is known of a platform of whose lines so many delays are known.
pub(super) fn measured(
    platform: &Platform,
    pulses: usize,
    arrived: &[Vec<(f64, f64)>],
    written: &[Vec<(f64, f64)>],
    gaps: &[f64],
    took_ns: u64,
) -> Calibrated {
    let mut known = platform.clone();
    known.pulses = u32::try_from(pulses).unwrap_or(u32::MAX);
    let mut lines = Vec::new();
    for (line, delays) in known.inputs.iter_mut().zip(arrived) {
        lines.push(of_line(line, true, delays[..pulses.min(delays.len())].to_vec()));
        // What was measured contains the wait of a sensor that looks only so often.
        if !delays.is_empty() {
            line.sampling_ns = None;
        }
    }
    for (line, delays) in known.outputs.iter_mut().zip(written) {
        lines.push(of_line(line, false, delays[..pulses.min(delays.len())].to_vec()));
        if let Delay::Normal { deviation, .. } = &mut line.delay {
            *deviation = micros(overtaken(*deviation, platform.step_ns as f64));
        }
    }
    let mean = gaps.iter().sum::<f64>() / gaps.len().max(1) as f64;
    let square = gaps.iter().map(|it| (it - mean) * (it - mean)).sum::<f64>();
    let step = (mean, (square / gaps.len().max(1) as f64).sqrt());
    if mean > 0.0 {
        known.step_ns = micros(mean) as u64;
    }
    Calibrated { platform: known, lines, step, took_ns, odd: 0 }
}

fn of_line(
    line: &mut punctual_model::testing::platform::Line,
    is_input: bool,
    delays: Vec<(f64, f64)>,
) -> Measured {
    let values: Vec<f64> = delays.iter().map(|(_, delay)| *delay).collect();
    let mut shape = None;
    if !values.is_empty() {
        let (found, delay) = fit(&values);
        (shape, line.delay) = (Some(found), rounded(delay));
    }
    let drift = drift(&delays);
    Measured { name: line.outside.clone(), is_input, delays, shape, drift, swept: None }
}

/// What is written has no more digits than anybody measures.
fn rounded(delay: Delay) -> Delay {
    match delay {
        Delay::Normal { mean, deviation } => {
            Delay::Normal { mean: micros(mean), deviation: micros(deviation) }
        }
        Delay::Uniform { least, greatest } => {
            Delay::Uniform { least: micros(least), greatest: micros(greatest) }
        }
        Delay::Samples(all) => Delay::Samples(all.into_iter().map(micros).collect()),
    }
}

/// To whole microseconds, in nanoseconds.
pub(super) fn micros(ns: f64) -> f64 {
    (ns / 1e3).round() * 1e3
}
