//! Which scenario happened on a platform, and whether a right system could have shown what was seen.
//!
//! Delays decide which step reads a value that was sent. The oracle keeps all states that the model may be in, with weights: a
//! hypothesis is a state, what is known of each input (`inputs.rs`), and how what was seen is divided among the steps
//! (`outputs.rs`). A step branches only over inputs that it *reads* and that may have several values. Hypotheses that are the same are
//! merged, and those of which nothing seen can come are dropped.
//!
//! An interaction *fails* if no hypothesis is left: nothing that the delays allow explains what was seen. Otherwise it passes, and how
//! probable it is that the intended scenario was exercised is told beside. So a late sensor costs coverage, not truth.
//!
//! A delay beyond what the platform's `risk` leaves is taken to be impossible: over a whole suite that happens with the
//! probability of the risk at most, and only then a right system fails.
//!
//! `DIFFERENCE(platform)`: the paper takes it for granted that each value is read by the step that it was sent for.

mod inputs;
mod outputs;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use punctual_model::lustre::Type;
use punctual_model::testing::platform::{Delay, Events, Outside, Platform};
use punctual_model::testing::suite::Table;
use punctual_model::{Event, Happening, VarId, Verdict};
use punctual_semantics::lustre::{Machine, State, Stepper};
use punctual_semantics::platform::Timetable;
use punctual_smc::delays;

use crate::expectations::Kind;
use crate::{Cause, Finding, Interaction, Judgement, Oracle};
use inputs::{Input, Sent, Way};
use outputs::Line;

/// How many hypotheses are followed at most, and what share of all may be left out at each step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// At each step, the most probable ones.
    pub hypotheses: usize,
    /// Less probable ones are left out up to this probability.
    pub floor: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { hypotheses: 4_000, floor: 1e-9 }
    }
}

/// What a run is judged by.
#[derive(Clone, Copy)]
pub struct Grounds<'m> {
    /// The model, which follows all of its inputs.
    pub machine: &'m Machine,
    /// What lies between.
    pub platform: &'m Platform,
    /// What is exchanged.
    pub outside: &'m Outside,
    /// The case.
    pub table: &'m Table,
    /// How many values are sent and seen in the whole suite: the risk is divided by it.
    pub n_events: usize,
    /// How far the search goes.
    pub limits: Limits,
}

/// Figures about a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Steps of the program that were explained.
    pub steps: usize,
    /// Steps of the model that this took.
    pub model_steps: usize,
    /// Steps at which hypotheses were left out although they were probable.
    pub cut: usize,
}

/// The oracle.
pub struct Arrivals<'m> {
    grounds: Grounds<'m>,
    vars: Vars,
    inputs: Vec<Input>,
    lines: Vec<Line>,
    ways: Vec<Way>,
    timetable: Timetable,
    /// When each step was done, in nanoseconds.
    ends: Vec<f64>,
    n_explained: usize,
    hypotheses: Vec<Hypothesis>,
    /// The states of the model in the intended scenario, before the first interaction and after each.
    intended: Vec<State>,
    stepper: Stepper<'m>,
    told: Vec<Interaction>,
    exercised: Vec<f64>,
    /// Whether hypotheses were left out that might have explained what was seen.
    is_cut: bool,
    effort: Effort,
}

/// The variables of the program that matter.
struct Vars {
    inputs: Vec<VarId>,
    /// For each line of the outputs, its variable, and whether it is a whole number.
    outputs: Vec<(VarId, bool)>,
    /// For each line of the inputs, the position of its input, and whether it is a whole number.
    lines: Vec<(usize, bool)>,
}

/// What may have happened.
#[derive(Clone)]
struct Hypothesis {
    state: State,
    inputs: Vec<u32>,
    outputs: Vec<u32>,
    weight: f64,
    /// For each interaction that is over, the share of this hypothesis in which it was exercised as intended.
    shares: Vec<f64>,
}

impl<'m> Arrivals<'m> {
    /// Before anything has happened. The machine has to follow all inputs of the program.
    #[must_use]
    pub fn new(grounds: Grounds<'m>) -> Arrivals<'m> {
        let Grounds { machine, platform, .. } = grounds;
        let program = machine.program();
        let inputs: Vec<VarId> = program.inputs().collect();
        let is_whole = |var: VarId| program.vars[var].ty == Type::Int;
        let at = |var: VarId| inputs.iter().position(|it| *it == var).unwrap_or(0);
        let lines = platform.inputs.iter().map(|it| (at(it.variable), is_whole(it.variable)));
        let outputs = platform.outputs.iter().map(|it| (it.variable, is_whole(it.variable)));
        let vars = Vars { lines: lines.collect(), outputs: outputs.collect(), inputs };
        let alpha = platform.risk / grounds.n_events.max(1) as f64;
        let slack = slack(&platform.software);
        let way = |delay: &Delay| {
            let low = delays::quantile(delay, alpha / 2.0) - slack;
            let high = delays::quantile(delay, 1.0 - alpha / 2.0) + slack;
            Way { delay: delay.clone(), least: low, most: high }
        };
        let mut oracle = Arrivals {
            ways: platform.inputs.iter().map(|line| way(&line.delay)).collect(),
            lines: Vec::new(),
            inputs: Vec::new(),
            timetable: Timetable::new(platform.step_ns as f64, platform.longest()),
            ends: Vec::new(),
            n_explained: 0,
            hypotheses: Vec::new(),
            intended: Vec::new(),
            stepper: Stepper::new(machine),
            told: Vec::new(),
            exercised: Vec::new(),
            is_cut: false,
            effort: Effort::default(),
            vars,
            grounds,
        };
        oracle.begin();
        oracle
    }

    fn begin(&mut self) {
        let Grounds { machine, platform, .. } = self.grounds;
        let alpha = platform.risk / self.grounds.n_events.max(1) as f64;
        let slack = slack(&platform.software);
        let is_latched = |at: usize| {
            let mut lines = platform.inputs.iter().zip(&self.vars.lines);
            lines.any(|(line, (input, _))| *input == at && line.is_latched)
        };
        self.inputs = (platform.initial.iter().enumerate())
            .map(|(at, value)| Input::new(*value, is_latched(at)))
            .collect();
        let only_changes = platform.events == Events::Changes;
        let line = |delay: &Delay| {
            let least = delays::quantile(delay, alpha / 2.0) - slack;
            let most = delays::quantile(delay, 1.0 - alpha / 2.0) + slack;
            Line::new(Way { delay: delay.clone(), least, most }, only_changes)
        };
        self.lines = platform.outputs.iter().map(|it| line(&it.delay)).collect();
        self.timetable = Timetable::new(platform.step_ns as f64, platform.longest());
        self.ends.clear();
        self.n_explained = 0;
        self.intended.clear();
        self.told.clear();
        self.exercised = vec![0.0; self.grounds.table.steps.len()];
        self.is_cut = false;
        self.hypotheses = vec![Hypothesis {
            state: machine.start(),
            inputs: vec![0; self.inputs.len()],
            outputs: vec![0; self.lines.len()],
            weight: 1.0,
            shares: Vec::new(),
        }];
    }

    /// For each interaction, the probability that it was exercised as intended, given all that was seen.
    #[must_use]
    pub fn exercised(&self) -> &[f64] {
        &self.exercised
    }

    /// Figures about all runs so far.
    #[must_use]
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// The interaction that a step of the program is, if it is one.
    fn interaction(&self, step: usize) -> Option<usize> {
        let first = self.timetable.planned(0)?.step;
        step.checked_sub(first).filter(|it| *it < self.grounds.table.steps.len())
    }

    /// Explains the steps whose responses are all there.
    fn explain(&mut self, now: f64) {
        let most = self.lines.iter().map(Line::most).fold(0.0, f64::max);
        while self.n_explained < self.ends.len() && self.ends[self.n_explained] + most < now {
            self.explain_step(self.n_explained);
            self.n_explained += 1;
        }
    }

    fn explain_step(&mut self, step: usize) {
        self.effort.steps += 1;
        let software = self.grounds.platform.software.mean();
        let end = self.ends[step];
        let read = end - software;
        let before = step.checked_sub(1).map_or(f64::NEG_INFINITY, |it| self.ends[it] - software);
        let before = before.max(read - 1e12);
        let times =
            Times { step, read: (before, read), end: (end, self.ends.get(step + 1).copied()) };
        let interaction = self.interaction(step);
        self.follow_intended(step, interaction);
        let all = std::mem::take(&mut self.hypotheses);
        let (mut explained, mut unexplained) = (Merged::default(), Merged::default());
        for hypothesis in &all {
            self.branch(hypothesis, times, interaction, &mut explained, &mut unexplained);
        }
        let is_explained = !explained.all.is_empty();
        // After an interaction that nothing explains, the model goes on as it would have done.
        let merged = if is_explained { explained } else { unexplained };
        self.hypotheses = self.pruned(merged.all);
        if let (false, Some(number)) = (is_explained, interaction) {
            let verdict = if self.is_cut { Verdict::Inconclusive } else { Verdict::Fail };
            let at_ns = end.max(0.0) as u64;
            let reason = match verdict {
                Verdict::Fail => format!(
                    "Step {number}: nothing that the delays of the platform allow explains what was seen."
                ),
                _ => format!(
                    "Step {number}: what was seen is not explained, and not all that may have happened was followed."
                ),
            };
            self.told.push(Interaction { kind: Kind::Step, number, at_ns, verdict, reason });
        }
    }

    /// The model takes the step that the test intends.
    fn follow_intended(&mut self, step: usize, interaction: Option<usize>) {
        let Grounds { machine, platform, table, .. } = self.grounds;
        let Some(first) = self.timetable.planned(0).map(|it| it.step) else { return };
        if step < first || self.intended.len() > table.steps.len() {
            return;
        }
        let (mut state, mut after) = (machine.start(), machine.start());
        if self.intended.is_empty() {
            for _ in 0..first {
                for (var, value) in self.vars.inputs.iter().zip(&platform.initial) {
                    self.stepper.set(*var, *value);
                }
                if self.stepper.step(&state, &mut after).is_err() {
                    return;
                }
                std::mem::swap(&mut state, &mut after);
            }
            self.intended.push(state.clone());
        }
        let Some(number) = interaction else { return };
        state.clone_from(&self.intended[self.intended.len() - 1]);
        for (var, value) in self.vars.inputs.iter().zip(&table.steps[number].inputs) {
            self.stepper.set(*var, *value);
        }
        if self.stepper.step(&state, &mut after).is_ok() {
            self.intended.push(after);
        }
    }

    /// All that a step may have done from a hypothesis.
    fn branch(
        &mut self,
        from: &Hypothesis,
        times: Times,
        interaction: Option<usize>,
        explained: &mut Merged,
        unexplained: &mut Merged,
    ) {
        let step = times.step;
        let next: Vec<_> = (self.inputs.iter_mut().zip(&from.inputs))
            .map(|(input, belief)| input.next(*belief, step, times.read, &self.ways))
            .collect();
        let before_intended = interaction.and_then(|it| self.intended.get(it));
        let was_intended = before_intended.is_some_and(|it| *it == from.state);
        let wanted = interaction.map(|it| &self.grounds.table.steps[it].inputs);
        // Inputs whose value is decided, with the number of the value.
        let mut waiting: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
        let mut after = from.state.clone();
        while let Some(decided) = waiting.pop() {
            for (var, next) in self.vars.inputs.iter().zip(&next) {
                self.stepper.set(*var, next.values[0].0);
            }
            for (input, value) in &decided {
                self.stepper.set(self.vars.inputs[*input], next[*input].values[*value].0);
            }
            self.effort.model_steps += 1;
            if self.stepper.step(&from.state, &mut after).is_err() {
                continue;
            }
            let reads = self.stepper.reads();
            let is_decided = |at: usize| decided.iter().any(|(input, _)| *input == at);
            let open = (0..next.len())
                .find(|at| next[*at].values.len() > 1 && reads.contains(*at) && !is_decided(*at));
            if let Some(open) = open {
                for value in (0..next[open].values.len()).rev() {
                    let mut more = decided.clone();
                    more.push((open, value));
                    waiting.push(more);
                }
                continue;
            }
            let value_of = |at: usize| {
                let number = decided.iter().find(|(input, _)| *input == at).map_or(0, |it| it.1);
                next[at].values[number].0
            };
            let is_intended = was_intended
                && wanted.is_some_and(|wanted| {
                    (0..next.len()).all(|at| !reads.contains(at) || value_of(at) == wanted[at])
                });
            let mut weight = from.weight;
            let mut inputs: Vec<u32> = next.iter().map(|it| it.unread).collect();
            for (input, value) in &decided {
                let (_, probability, belief) = next[*input].values[*value];
                weight *= probability;
                inputs[*input] = belief;
            }
            let mut shares = from.shares.clone();
            if let Some(interaction) = interaction {
                shares.resize(interaction, 0.0);
                shares.push(f64::from(u8::from(is_intended)));
            }
            let mut hypothesis = Hypothesis {
                state: after.clone(),
                inputs,
                outputs: from.outputs.clone(),
                weight,
                shares,
            };
            let mut fits = Some(1.0);
            for (at, (var, _)) in self.vars.outputs.iter().enumerate() {
                let value = self.stepper.value(*var);
                match self.lines[at].wrote(from.outputs[at], step, value, times.end) {
                    Some((belief, fit)) => {
                        hypothesis.outputs[at] = belief;
                        fits = fits.map(|it| it * fit);
                    }
                    None => {
                        fits = None;
                        break;
                    }
                }
            }
            match fits {
                Some(fits) => {
                    hypothesis.weight *= fits;
                    explained.add(hypothesis);
                }
                None => {
                    hypothesis.outputs.clone_from(&from.outputs);
                    unexplained.add(hypothesis);
                }
            }
        }
    }

    /// The most probable hypotheses; their weights become probabilities.
    fn pruned(&mut self, mut all: Vec<Hypothesis>) -> Vec<Hypothesis> {
        let Limits { hypotheses, floor } = self.grounds.limits;
        let sum: f64 = all.iter().map(|it| it.weight).sum();
        if sum <= 0.0 {
            return all;
        }
        all.iter_mut().for_each(|it| it.weight /= sum);
        all.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let mut left = 0.0;
        let keep = all.iter().rev().take_while(|it| {
            left += it.weight;
            left <= floor
        });
        let n_kept = (all.len() - keep.count()).max(1);
        if n_kept > hypotheses {
            self.effort.cut += 1;
            self.is_cut = true;
        }
        all.truncate(n_kept.min(hypotheses));
        all
    }

    /// How probable it is that each interaction was exercised, by what is known in the end.
    fn conclude(&mut self) {
        let sum: f64 = self.hypotheses.iter().map(|it| it.weight).sum();
        for (number, exercised) in self.exercised.iter_mut().enumerate() {
            let share = |it: &Hypothesis| it.weight * it.shares.get(number).copied().unwrap_or(0.0);
            let mass: f64 = self.hypotheses.iter().map(share).sum();
            *exercised = if sum > 0.0 { mass / sum } else { 0.0 };
        }
        for it in self.told.iter().filter(|it| it.verdict == Verdict::Fail) {
            if let Some(exercised) = self.exercised.get_mut(it.number) {
                *exercised = 0.0;
            }
        }
    }
}

/// When a step happens.
#[derive(Clone, Copy)]
struct Times {
    step: usize,
    /// When the step before read its inputs, and when this one did.
    read: (f64, f64),
    /// When this step was done, and the next one.
    end: (f64, Option<f64>),
}

/// How exactly instants of steps are known: the time that the program takes varies.
fn slack(software: &Delay) -> f64 {
    const LEAST: f64 = 1e6;
    LEAST + 6.0 * software.deviation()
}

/// Hypotheses, each of them once.
#[derive(Default)]
struct Merged {
    all: Vec<Hypothesis>,
    places: HashMap<(State, Vec<u32>, Vec<u32>), usize>,
}

impl Merged {
    fn add(&mut self, hypothesis: Hypothesis) {
        let key = (hypothesis.state.clone(), hypothesis.inputs.clone(), hypothesis.outputs.clone());
        match self.places.entry(key) {
            Entry::Vacant(place) => {
                place.insert(self.all.len());
                self.all.push(hypothesis);
            }
            Entry::Occupied(place) => {
                let same = &mut self.all[*place.get()];
                let sum = same.weight + hypothesis.weight;
                if sum > 0.0 {
                    for (share, other) in same.shares.iter_mut().zip(&hypothesis.shares) {
                        *share = (*share * same.weight + other * hypothesis.weight) / sum;
                    }
                }
                same.weight = sum;
            }
        }
    }
}

impl Oracle for Arrivals<'_> {
    fn restart(&mut self) {
        self.begin();
    }

    fn event(&mut self, event: &Event) {
        let at = event.from_ns as f64;
        match &event.what {
            Happening::Set(reading) => {
                for (port, value) in &reading.values {
                    let lines = self.grounds.outside.inputs.iter().enumerate();
                    for (number, _) in lines.filter(|(_, it)| *it == port) {
                        let line = &self.grounds.platform.inputs[number];
                        let (input, is_whole) = self.vars.lines[number];
                        let Some(value) = line.form.inside(*value, is_whole) else { continue };
                        let at = match line.sampling_ns {
                            Some(period) => event.from_ns.div_ceil(period) as f64 * period as f64,
                            None => at,
                        };
                        self.inputs[input].sent(Sent { at, value, line: number });
                    }
                }
            }
            Happening::Signal(action) if Some(action.signal) == self.grounds.outside.stepped => {
                self.timetable.stepped(event.from_ns);
                self.ends.push(at);
                self.explain(at);
            }
            Happening::Signal(action) => {
                let lines = self.grounds.outside.outputs.iter().enumerate();
                for (number, _) in lines.filter(|(_, it)| **it == action.signal) {
                    let line = &self.grounds.platform.outputs[number];
                    let (_, is_whole) = self.vars.outputs[number];
                    let value = action.values.first();
                    let value = value.and_then(|it| line.form.inside(*it, is_whole));
                    self.lines[number].saw(at, value);
                }
            }
            Happening::Step(_) | Happening::Reading(_) => {}
        }
    }

    fn decided(&self) -> Option<Verdict> {
        None
    }

    fn finish(&mut self, end_ns: u64) -> Judgement<Finding> {
        self.explain(end_ns as f64);
        self.conclude();
        let worst =
            self.told.iter().max_by(|a, b| a.verdict.cmp(&b.verdict).then(b.number.cmp(&a.number)));
        match worst {
            None => Judgement::Pass,
            Some(it) => {
                let cause = match it.verdict {
                    Verdict::Fail => Cause::Unexplained,
                    _ => Cause::SearchLimit,
                };
                Finding::Ending(cause, it.reason.clone()).judged()
            }
        }
    }

    fn interactions(&self) -> Vec<Interaction> {
        self.told.clone()
    }
}
