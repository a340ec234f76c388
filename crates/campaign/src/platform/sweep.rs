//! How long sensors take that do not tell when a value has arrived: an input shows only as landed or not.
//!
//! The model says in which situations a change of an input shows in the very step that reads it (`visible.rs`). The live platform is brought there, the input is
//! changed, and the outputs tell which step was the first to see it. So its delay ended between two steps. Of many such intervals, with changes sent at
//! different parts of a step, mean and deviation are found by maximum likelihood. Changes are sent so that a step reads its inputs about one
//! deviation before or after they arrive on average: that tells most about both.
//!
//! When a step reads is told from its end and the time that the software takes. A wrong guess of that shifts all inputs together, and does no harm: tests make the same one.
//!
//! Not here: which distribution delays have, and drift. They are taken to be normal.

use std::sync::atomic::{AtomicBool, Ordering};

use punctual_exec::{Seen, Sut};
use punctual_model::lustre::Type;
use punctual_model::testing::platform::{Delay, Events, Outside, Platform};
use punctual_model::{Reading, SignalId, Value};
use punctual_semantics::lustre::Machine;
use punctual_semantics::program::Chance;
use punctual_smc::Stream;
use punctual_smc::censored::{Fitted, fit, widest};

use super::calibrate::{
    Calibrated, LOST_NS, Obstacle, Pulsing, before_first, gaps, measured, micros, written,
};
use super::visible::{Change, Settled, Situations};

/// So many changes of an input are sent at any part of a step before those that tell most are aimed at.
const ROUGH: usize = 8;

/// A change that shows nowhere is over after so many steps, at least.
const PATIENCE: f64 = 12.0;

/// Of fewer changes than this the deviation may be found much too small: one standard error is added.
const FEW: usize = 50;

/// So many responses may be other ones than the model has before it is said that the model is another one.
const ODD_MAX: usize = 20;

/// Measures a platform that does not tell when values arrive.
pub(super) struct Sweep<'a, 'm> {
    sut: &'a mut dyn Sut,
    situations: Situations<'m>,
    platform: &'a Platform,
    outside: &'a Outside,
    stepped: SignalId,
    pulsing: Pulsing,
    stops: &'a AtomicBool,
    chance: Stream,
    /// For each input, its line; none if it has several.
    lines: Vec<Option<usize>>,
    /// For each line of the outputs, whether it is a whole number in the program.
    is_whole: Vec<bool>,
    /// Since the last reset: when steps were done, and what was seen of each line, by instants and values of the program.
    steps: Vec<f64>,
    seen: Vec<Vec<(f64, Option<Value>)>>,
    /// Of the time before that: what was written on each line, and how long steps took.
    written: Vec<Vec<(f64, f64)>>,
    gaps: Vec<f64>,
    took_ns: u64,
    /// For each input, between which its delays lie, in nanoseconds.
    intervals: Vec<Vec<(f64, f64)>>,
    n_odd: usize,
}

impl<'a, 'm> Sweep<'a, 'm> {
    pub(super) fn new(
        sut: &'a mut dyn Sut,
        machine: &'m Machine,
        (platform, outside): (&'a Platform, &'a Outside),
        stepped: SignalId,
        pulsing: Pulsing,
        stops: &'a AtomicBool,
    ) -> Result<Sweep<'a, 'm>, Obstacle> {
        if platform.events == Events::Changes {
            return Err(Obstacle::Message(
                "the platform does not tell when a value has arrived (`arrived`), and shows outputs only when they are new: which step a value belongs to is not known"
                    .to_owned(),
            ));
        }
        let program = machine.program();
        let line = |var| {
            let mut lines = platform.inputs.iter().enumerate().filter(|(_, it)| it.variable == var);
            lines.next().map(|(at, _)| at).filter(|_| lines.next().is_none())
        };
        let is_whole = |var| program.vars[var].ty == Type::Int;
        let lines: Vec<Option<usize>> = program.inputs().map(line).collect();
        Ok(Sweep {
            sut,
            situations: Situations::new(machine, platform),
            stepped,
            pulsing,
            stops,
            chance: Stream::of_run(pulsing.seed, 0),
            intervals: vec![Vec::new(); lines.len()],
            lines,
            is_whole: platform.outputs.iter().map(|line| is_whole(line.variable)).collect(),
            steps: Vec::new(),
            seen: vec![Vec::new(); platform.outputs.len()],
            written: vec![Vec::new(); platform.outputs.len()],
            gaps: Vec::new(),
            took_ns: 0,
            n_odd: 0,
            platform,
            outside,
        })
    }

    /// Measures all lines. `each` is told how many delays are known and how many are wanted.
    pub(super) fn all(
        mut self,
        each: &mut dyn FnMut(usize, usize),
    ) -> Result<Calibrated, Obstacle> {
        let Some(start) = self.situations.start() else {
            return Err(Obstacle::Message(
                "the platform does not tell when a value has arrived (`arrived`), and the model never settles while its inputs stay the same: no situation makes an input visible"
                    .to_owned(),
            ));
        };
        let mut wanted = vec![true; self.lines.len()];
        let (mut here, mut is_fresh) = (start.clone(), true);
        self.begin()?;
        loop {
            let is_open = |(at, wanted): (usize, &bool)| {
                *wanted && self.intervals[at].len() < self.pulsing.pulses
            };
            let open: Vec<bool> = wanted.iter().enumerate().map(is_open).collect();
            if !open.contains(&true) {
                break;
            }
            let known = self.intervals.iter().map(|it| it.len().min(self.pulsing.pulses)).sum();
            each(known, self.pulsing.pulses * wanted.iter().filter(|it| **it).count());
            match self.situations.way(&here, &open) {
                Some(way) => {
                    is_fresh = false;
                    here = match self.go(&way)? {
                        true => way.last().map_or(here, |change| change.after.clone()),
                        false => self.again(&start)?,
                    };
                }
                // Nothing makes these visible.
                None if is_fresh => {
                    wanted.iter_mut().zip(&open).for_each(|(it, open)| *it &= !open)
                }
                None => (here, is_fresh) = (self.again(&start)?, true),
            }
        }
        if !wanted.contains(&true) {
            return Err(Obstacle::Message(
                "the platform does not tell when a value has arrived (`arrived`), and no situation of the model makes an input visible"
                    .to_owned(),
            ));
        }
        // Actuators are measured meanwhile, and may need longer.
        while self.n_written() < self.pulsing.pulses {
            let now = self.sut.now_ns();
            self.until(now + self.platform.step_ns)?;
        }
        self.harvest();
        self.sut.stop();
        Ok(self.concluded())
    }

    /// How many values of the line are known of which fewest are.
    fn n_written(&self) -> usize {
        let both = self.written.iter().zip(&self.seen);
        both.map(|(before, now)| before.len() + now.len().min(self.steps.len()))
            .min()
            .unwrap_or(usize::MAX)
    }

    /// Resets the system and waits until it is settled.
    fn again(&mut self, start: &Settled) -> Result<Settled, Obstacle> {
        self.harvest();
        self.begin()?;
        Ok(start.clone())
    }

    fn begin(&mut self) -> Result<(), Obstacle> {
        self.sut.reset()?;
        self.steps.clear();
        self.seen.iter_mut().for_each(Vec::clear);
        let now = self.sut.now_ns();
        self.until(now + self.patience_ns(None, 0))
    }

    /// Keeps what is known of the outputs since the last reset.
    fn harvest(&mut self) {
        for (seen, known) in self.seen.iter().zip(&mut self.written) {
            let seen: Vec<f64> = seen.iter().map(|(at, _)| *at).collect();
            known.extend(written(self.platform, &self.steps, &seen));
        }
        self.gaps.extend(gaps(&self.steps));
        self.took_ns += self.sut.now_ns();
    }

    /// How long a change of an input is waited for that shows nowhere, and that the model takes so many steps to settle after.
    fn patience_ns(&self, input: Option<usize>, n_steps: usize) -> u64 {
        let known = input.map(|it| &self.intervals[it]).filter(|it| it.len() >= 2 * ROUGH);
        if let Some(fitted) = known.and_then(|it| fit(it)) {
            let steps = (n_steps + 2) as f64 * self.platform.step_ns as f64;
            let longest = fitted.mean + 8.0 * (fitted.deviation + fitted.mean_error);
            return (longest + steps + 1.5 * self.longest_output()) as u64;
        }
        let longest = self.intervals.iter().flatten().map(|it| it.1).fold(0.0, f64::max);
        let told = self.platform.inputs.iter().map(|it| it.mean() + 6.0 * it.delay.deviation());
        let longest = told.fold(3.0 * longest, f64::max);
        let steps = (PATIENCE + n_steps as f64) * self.platform.step_ns as f64;
        (longest + steps + self.longest_output()) as u64
    }

    /// How long outputs were on their way at most, in nanoseconds.
    fn longest_output(&self) -> f64 {
        let late = self.seen.iter().flat_map(|seen| {
            let both = self.steps.iter().zip(seen);
            both.map(|(step, (at, _))| at - step)
        });
        late.fold(0.0, f64::max)
    }

    /// Lets time pass, and minds what is seen.
    fn until(&mut self, at_ns: u64) -> Result<(), Obstacle> {
        loop {
            if self.stops.load(Ordering::Relaxed) {
                return Err(Obstacle::Stopped);
            }
            let now = self.sut.now_ns();
            let last = self.steps.last().copied().unwrap_or(0.0);
            if now as f64 - last > LOST_NS as f64 {
                let seconds = LOST_NS / 1_000_000_000;
                return Err(Obstacle::Message(format!(
                    "the platform has told of no step for {seconds} s"
                )));
            }
            if now >= at_ns {
                return Ok(());
            }
            let until = at_ns.min(now.saturating_add(self.platform.step_ns));
            let Seen::Output { action, at_ns, .. } = self.sut.wait(until)? else { continue };
            if action.signal == self.stepped {
                self.steps.push(at_ns as f64);
            }
            for (line, _) in
                self.outside.outputs.iter().enumerate().filter(|(_, it)| **it == action.signal)
            {
                let form = &self.platform.outputs[line].form;
                let value = action.values.first();
                let value = value.and_then(|it| form.inside(*it, self.is_whole[line]));
                self.seen[line].push((at_ns as f64, value));
            }
        }
    }

    /// Makes changes, one after the other. False if the system did not do what the model does.
    fn go(&mut self, way: &[Change]) -> Result<bool, Obstacle> {
        for change in way {
            let Some(line) = self.lines[change.input] else { return Ok(false) };
            let Some(value) = self.platform.inputs[line].form.outside(change.value) else {
                return Ok(false);
            };
            let at_ns = self.aim(change.input);
            self.until(at_ns)?;
            let values = vec![(self.outside.inputs[line], value)];
            let handed = self.sut.set(&Reading { values })?;
            let sent = f64::midpoint(handed.from_ns as f64, handed.to_ns as f64);
            let Some(shown) = change.shown else {
                let now = self.sut.now_ns();
                self.until(now + self.patience_ns(Some(change.input), change.n_steps))?;
                continue;
            };
            match self.landed(change, shown, sent)? {
                Some(interval) => self.intervals[change.input].push(interval),
                None => {
                    self.n_odd += 1;
                    if self.n_odd > ODD_MAX {
                        let name = &self.platform.inputs[line].outside;
                        return Err(Obstacle::Message(format!(
                            "after `{name}` was set, the system did {ODD_MAX} times what the model does not: another model runs on the platform, or another variable is set"
                        )));
                    }
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Between which instants a change has arrived, after it was sent; none if what was seen does not fit.
    fn landed(
        &mut self,
        change: &Change,
        (line, old): (usize, Value),
        sent: f64,
    ) -> Result<Option<(f64, f64)>, Obstacle> {
        let step_ns = self.platform.step_ns;
        // The situation is settled: what was shown last is what the model shows there.
        let before = self.seen[line].iter().rev().find(|(at, _)| *at <= sent);
        if before.is_some_and(|(_, value)| *value != Some(old)) {
            return Ok(None);
        }
        let is_new = |(at, value): &(f64, Option<Value>)| *at > sent && *value != Some(old);
        while !self.seen[line].iter().any(is_new) {
            let now = self.sut.now_ns();
            if now as f64 - sent > LOST_NS as f64 {
                return Ok(None);
            }
            self.until(now + step_ns)?;
        }
        // Old values that are still on their way would be counted wrongly: shorter waits made means too small. All values of the steps before are on their way, and the model has to settle.
        let steps = (change.n_steps + 3) as f64 * step_ns as f64;
        let now = self.sut.now_ns();
        self.until(now + (2.0 * self.longest_output() + steps) as u64)?;
        let seen = &self.seen[line];
        // The model says what follows, in which order ever it comes.
        let is_of_model =
            |value: &Option<Value>| value.is_some_and(|it| change.shows.contains(&it));
        if !seen.iter().filter(|it| is_new(it)).all(|(_, value)| is_of_model(value)) {
            return Ok(None);
        }
        let instants: Vec<f64> = seen.iter().map(|(at, _)| *at).collect();
        let n_old = seen.len() - before_first(&self.steps, &instants);
        let Some(step) = n_old.checked_sub(seen.iter().filter(|it| is_new(it)).count()) else {
            return Ok(None);
        };
        let ends = step.checked_sub(1).and_then(|it| self.steps.get(it)).zip(self.steps.get(step));
        let software = self.platform.software.mean();
        let interval = ends.map(|(low, high)| (low - software - sent, high - software - sent));
        // Nothing arrives before it is sent, but for the time that the software takes.
        let least = -6.0 * self.platform.software.deviation() - 1e6;
        Ok(interval.filter(|(_, high)| *high > least))
    }

    /// When a change of an input is sent, in nanoseconds.
    fn aim(&mut self, input: usize) -> u64 {
        let now = self.sut.now_ns() as f64;
        let nominal = self.platform.step_ns as f64;
        let known = &self.intervals[input];
        let any = now + self.chance.unit() * nominal;
        let Some(&last) = self.steps.last() else { return any as u64 };
        let fitted = if known.len() < ROUGH { None } else { fit(known) };
        let Some(Fitted { mean, deviation, is_fixed, .. }) = fitted else { return any as u64 };
        let side = if known.len().is_multiple_of(2) { 1.0 } else { -1.0 };
        let far = match is_fixed {
            // In the middle of what is left.
            true => 0.0,
            false => side * (0.7 + 0.8 * self.chance.unit()),
        };
        let n = self.steps.len() as f64 - 1.0;
        let period = if n > 0.0 { (last - self.steps[0]) / n } else { nominal };
        let at = last - self.platform.software.mean() - (mean + far * deviation);
        let ahead = ((now + 1e6 - at) / period).ceil().max(1.0);
        (at + ahead * period).max(now) as u64
    }

    /// What all of that comes to.
    fn concluded(&self) -> Calibrated {
        let none = vec![Vec::new(); self.platform.inputs.len()];
        let pulses = self.pulsing.pulses;
        let mut found =
            measured(self.platform, pulses, &none, &self.written, &self.gaps, self.took_ns);
        found.odd = self.n_odd;
        for (input, intervals) in self.intervals.iter().enumerate() {
            let (Some(line), Some(mut fitted)) = (self.lines[input], fit(intervals)) else {
                continue;
            };
            if fitted.is_fixed {
                fitted.deviation = widest(intervals);
                fitted.deviation_error = fitted.deviation;
            }
            let mut deviation = fitted.deviation;
            if !fitted.is_fixed {
                let known = fitted.pulses();
                // What is found of few is a little too small, and tests mind how few they are.
                deviation *= (known / (known - 1.0).max(1.0)).sqrt();
                if intervals.len() < FEW {
                    deviation += fitted.deviation_error;
                }
                found.platform.pulses = found.platform.pulses.min(known.max(2.0) as u32);
            }
            let known = &mut found.platform.inputs[line];
            known.delay =
                Delay::Normal { mean: micros(fitted.mean.max(0.0)), deviation: micros(deviation) };
            known.sampling_ns = None;
            found.lines[line].swept = Some((intervals.len(), fitted));
        }
        found
    }
}
