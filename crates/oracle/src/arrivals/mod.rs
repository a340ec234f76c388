//! Which scenario happened on a platform, and whether a right system could have shown what was seen.
//!
//! Delays decide which step reads a value that was sent. The oracle keeps all states that the model may be in, with weights: a
//! hypothesis is a state, what is known of each input (`inputs.rs`), and how what was seen is divided among the steps
//! (`outputs.rs`). A step (`search.rs`) branches only over inputs that it *reads* and that may have several values. Hypotheses that are the same are
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
mod search;

use std::collections::HashMap;
use std::rc::Rc;

use punctual_model::lustre::Type;
use punctual_model::testing::platform::{self, Delay, Events, Outside, Platform};
use punctual_model::testing::suite::Table;
use punctual_model::{Event, Happening, Value, VarId, Verdict};
use punctual_semantics::lustre::{Machine, State, Stepper};
use punctual_semantics::platform::Timetable;
use punctual_smc::delays;

use crate::expectations::Kind;
use crate::{Cause, Finding, Interaction, Judgement, Oracle};
use inputs::{Input, Sent, Way};
use outputs::Line;
use search::{Hypothesis, Partial, Search};

/// How far the search goes at each step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// So many hypotheses are followed further, the most probable ones.
    pub hypotheses: usize,
    /// If there are more than this, those with the same state become one, and what is known of their inputs is mixed. That allows more than
    /// what may have happened: it never fails a right system.
    pub apart: usize,
    /// So many steps of the model are tried.
    pub model_steps: usize,
    /// What is left is given up when it is less probable than this, compared with what was found.
    pub floor: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { hypotheses: 1_000, apart: 100, model_steps: 20_000, floor: 1e-6 }
    }
}

impl Limits {
    /// How far it goes if nothing explained a step at first: a fail is only one if nothing was left out.
    const FINE: Limits =
        Limits { hypotheses: 20_000, apart: 1_000, model_steps: 200_000, floor: 0.0 };
}

/// A platform that tells of no step for so many steps has stopped.
const OVERDUE: f64 = 5.0;

/// What a run is judged by.
#[derive(Clone, Copy)]
pub struct Grounds<'m> {
    /// The model.
    pub machine: &'m Machine,
    /// What lies between.
    pub platform: &'m Platform,
    /// What is exchanged.
    pub outside: &'m Outside,
    /// The case.
    pub table: &'m Table,
    /// How many values are sent and seen in the whole suite: the risk is divided by it.
    pub n_events: usize,
    /// How much earlier than by the paper's rule the first interaction was planned, in nanoseconds.
    pub lead: f64,
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
    /// For each interaction of it, the inputs that it looks at, and what it writes.
    does: Vec<(Vec<VarId>, Vec<Value>)>,
    stepper: Stepper<'m>,
    told: Vec<Interaction>,
    exercised: Vec<f64>,
    /// Whether hypotheses were left out, however improbable.
    has_left_out: bool,
    /// Whether steps were missing in the end.
    is_silent: bool,
    limits: Limits,
    effort: Effort,
}

/// The variables of the program that matter.
struct Vars {
    inputs: Vec<VarId>,
    /// The positions of the inputs.
    places: HashMap<VarId, usize>,
    /// For each line of the outputs, its variable, and whether it is a whole number.
    outputs: Vec<(VarId, bool)>,
    /// For each line of the inputs, the position of its input, and whether it is a whole number.
    lines: Vec<(usize, bool)>,
}

impl<'m> Arrivals<'m> {
    /// Before anything has happened.
    #[must_use]
    pub fn new(grounds: Grounds<'m>) -> Arrivals<'m> {
        let Grounds { machine, platform, .. } = grounds;
        let program = machine.program();
        let inputs: Vec<VarId> = program.inputs().collect();
        let is_whole = |var: VarId| program.vars[var].ty == Type::Int;
        let at = |var: VarId| inputs.iter().position(|it| *it == var).unwrap_or(0);
        let lines = platform.inputs.iter().map(|it| (at(it.variable), is_whole(it.variable)));
        let outputs = platform.outputs.iter().map(|it| (it.variable, is_whole(it.variable)));
        let places = inputs.iter().enumerate().map(|(at, var)| (*var, at)).collect();
        let (lines, outputs) = (lines.collect(), outputs.collect());
        let vars = Vars { lines, outputs, places, inputs };
        let alpha = platform.risk / grounds.n_events.max(1) as f64;
        let slack = slack(&platform.software);
        let way = |line: &platform::Line| {
            let (low, high) = delays::bounds(&line.delay, alpha / 2.0, platform.pulses);
            // When a sensor looks next is not known.
            let sampling = line.sampling_ns.unwrap_or(0) as f64;
            Way { delay: line.delay.clone(), least: low - slack, most: high + slack + sampling }
        };
        let mut oracle = Arrivals {
            ways: platform.inputs.iter().map(way).collect(),
            lines: Vec::new(),
            inputs: Vec::new(),
            timetable: Timetable::new(platform.step_ns as f64, platform.longest() + grounds.lead),
            ends: Vec::new(),
            n_explained: 0,
            hypotheses: Vec::new(),
            intended: Vec::new(),
            does: Vec::new(),
            stepper: Stepper::new(machine),
            told: Vec::new(),
            exercised: Vec::new(),
            has_left_out: false,
            is_silent: false,
            limits: grounds.limits,
            effort: Effort::default(),
            vars,
            grounds,
        };
        oracle.begin();
        oracle
    }

    fn begin(&mut self) {
        let platform = self.grounds.platform;
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
            let (low, high) = delays::bounds(delay, alpha / 2.0, platform.pulses);
            let (least, most) = (low - slack, high + slack);
            Line::new(Way { delay: delay.clone(), least, most }, only_changes)
        };
        self.lines = platform.outputs.iter().map(|it| line(&it.delay)).collect();
        let longest = platform.longest() + self.grounds.lead;
        self.timetable = Timetable::new(platform.step_ns as f64, longest);
        self.ends.clear();
        self.limits = self.grounds.limits;
        self.begin_again();
    }

    /// Nothing is explained yet of what was sent and seen.
    fn begin_again(&mut self) {
        let machine = self.grounds.machine;
        self.n_explained = 0;
        self.intended.clear();
        self.does.clear();
        self.told.clear();
        self.exercised = vec![0.0; self.grounds.table.steps.len()];
        self.has_left_out = false;
        self.hypotheses = vec![Hypothesis {
            state: machine.start(),
            inputs: vec![0; self.inputs.len()],
            outputs: vec![0; self.lines.len()],
            weight: 1.0,
            shares: Vec::new(),
        }];
    }

    /// The number of the step that the first interaction is planned for, once that is known.
    #[must_use]
    pub fn first_step(&self) -> Option<usize> {
        self.timetable.planned(0).map(|it| it.step)
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
        self.follow_intended(interaction);
        let from = std::mem::take(&mut self.hypotheses);
        let mut search = Search::new(&from);
        while let Some(partial) = search.waiting.pop() {
            search.mass -= partial.weight;
            self.branch(&from, partial, times, interaction, &mut search);
            search.n_tried += 1;
            let is_found = search.explained.weight > 0.0;
            let floor = self.limits.floor * search.explained.weight;
            if is_found && floor > 0.0 && search.mass <= floor {
                break;
            }
            if search.n_tried >= self.limits.model_steps && !search.waiting.is_empty() {
                // Little that is left changes no probability.
                self.effort.cut += usize::from(search.mass > 1e-3 * search.explained.weight);
                break;
            }
        }
        self.effort.model_steps += search.n_tried;
        self.has_left_out |= !search.waiting.is_empty();
        self.has_left_out |= self.inputs.iter().any(Input::has_left_out);
        let is_explained = !search.explained.all.is_empty();
        // After an interaction that nothing explains, the model goes on as it would have done.
        let mut merged = if is_explained { search.explained } else { search.unexplained };
        if !is_explained {
            let next = times.end.1;
            let gone: Vec<u32> = self.lines.iter_mut().map(|line| line.gone(next)).collect();
            merged.all.iter_mut().for_each(|it| it.outputs.clone_from(&gone));
        }
        self.hypotheses = self.pruned(merged.all);
        if !is_explained {
            // Steps behind the last interaction have numbers, too: the model says what they do with the values that are held.
            let number = self.first_step().and_then(|first| step.checked_sub(first));
            let verdict = match (self.has_left_out, number) {
                (false, Some(_)) => Verdict::Fail,
                _ => Verdict::Inconclusive,
            };
            let at_ns = end.max(0.0) as u64;
            let is_before = number.is_none();
            let number = number.unwrap_or(0);
            let reason = match verdict {
                // What was under way before the system was reset may still be seen.
                _ if is_before => {
                    "Before step 0: what was seen is not what the model does with the initial values."
                        .to_owned()
                }
                Verdict::Fail => format!(
                    "Step {number}: nothing that the delays of the platform allow explains what was seen.{}",
                    search
                        .closest
                        .map_or(String::new(), |(_, line, value)| self.missing(line, value))
                ),
                _ => format!(
                    "Step {number}: what was seen is not explained, and not all that may have happened was followed."
                ),
            };
            self.told.push(Interaction { kind: Kind::Step, number, at_ns, verdict, reason });
        }
    }

    /// What the model would most probably have written, and nobody saw, as a sentence.
    fn missing(&self, line: usize, value: Value) -> String {
        let program = self.grounds.machine.program();
        let (var, outside) =
            (self.vars.outputs[line].0, &self.grounds.platform.outputs[line].outside);
        let (name, value) = (&program.vars[var].name, program.value_text(var, value));
        format!(
            " Most probably `{name}` is {value} then, and `{outside}` does not show that in time."
        )
    }

    /// The model takes the step that the test intends.
    fn follow_intended(&mut self, interaction: Option<usize>) {
        let Grounds { machine, platform, table, .. } = self.grounds;
        let (Some(number), Some(first)) = (interaction, self.timetable.planned(0)) else { return };
        let (mut state, mut after) = (machine.start(), machine.start());
        if self.intended.is_empty() {
            for _ in 0..first.step {
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
        if self.intended.len() != number + 1 {
            return;
        }
        state.clone_from(&self.intended[number]);
        for (var, value) in self.vars.inputs.iter().zip(&table.steps[number].inputs) {
            self.stepper.set(*var, *value);
        }
        if self.stepper.step_lazily(&state, &mut after).is_ok() {
            self.intended.push(after);
            let written = self.vars.outputs.iter().map(|(var, _)| self.stepper.value(*var));
            self.does.push((self.stepper.looked_at().to_vec(), written.collect()));
        }
    }

    /// A step from a hypothesis, in which some inputs are decided: what it does, or the first further input whose value matters.
    fn branch(
        &mut self,
        from: &[Hypothesis],
        partial: Partial,
        times: Times,
        interaction: Option<usize>,
        search: &mut Search,
    ) {
        let Partial { weight, hypothesis, decided } = partial;
        let from = &from[hypothesis];
        let next = search.next[hypothesis].get_or_insert_with(|| {
            let inputs = self.inputs.iter_mut().zip(&from.inputs);
            let next = |(input, belief): (&mut Input, &u32)| {
                input.next(*belief, times.step, times.read, &self.ways)
            };
            Rc::new(inputs.map(next).collect())
        });
        let next = Rc::clone(next);
        for (var, next) in self.vars.inputs.iter().zip(next.iter()) {
            self.stepper.set(*var, next.values[0].0);
        }
        for (input, value) in &decided {
            self.stepper.set(self.vars.inputs[*input], next[*input].values[*value].0);
        }
        let mut after = from.state.clone();
        let has_result = self.stepper.step_lazily(&from.state, &mut after).is_ok();
        let is_decided = |at: usize| decided.iter().any(|(input, _)| *input == at);
        let place = |var: &VarId| self.vars.places.get(var).copied();
        let mut looked_at = self.stepper.looked_at().iter().filter_map(place);
        let open = looked_at.find(|at| next[*at].values.len() > 1 && !is_decided(*at));
        if let Some(open) = open {
            for (number, (_, probability, _)) in next[open].values.iter().enumerate() {
                let mut decided = decided.clone();
                decided.push((open, number));
                search.wait(Partial { weight: weight * probability, hypothesis, decided });
            }
            return;
        }
        if !has_result {
            return;
        }
        // The step is as intended if it looks at the same inputs and comes to the same: another value may make no difference.
        let is_intended = interaction.is_some_and(|at| {
            let (Some(before), Some(goal), Some((looked_at, written))) =
                (self.intended.get(at), self.intended.get(at + 1), self.does.get(at))
            else {
                return false;
            };
            let mut outputs = self.vars.outputs.iter().zip(written);
            *before == from.state
                && *goal == after
                && looked_at == self.stepper.looked_at()
                && outputs.all(|((var, _), value)| self.stepper.value(*var) == *value)
        });
        let mut inputs: Vec<u32> = next.iter().map(|it| it.unread).collect();
        for (input, value) in &decided {
            inputs[*input] = next[*input].values[*value].2;
        }
        let mut shares = from.shares.clone();
        if let Some(interaction) = interaction {
            shares.resize(interaction, 0.0);
            shares.push(f64::from(u8::from(is_intended)));
        }
        let outputs = from.outputs.clone();
        let mut found = Hypothesis { state: after, inputs, outputs, weight, shares };
        for (at, (var, _)) in self.vars.outputs.iter().enumerate() {
            let value = self.stepper.value(*var);
            match self.lines[at].wrote(from.outputs[at], times.step, value, times.end) {
                Some((belief, fits)) => {
                    found.outputs[at] = belief;
                    found.weight *= fits;
                }
                None => {
                    if search.closest.is_none_or(|(most, ..)| weight > most) {
                        search.closest = Some((weight, at, value));
                    }
                    found.outputs.clone_from(&from.outputs);
                    found.weight = weight;
                    search.unexplained.add(found);
                    return;
                }
            }
        }
        search.explained.add(found);
    }

    /// The most probable hypotheses; their weights become probabilities.
    fn pruned(&mut self, mut all: Vec<Hypothesis>) -> Vec<Hypothesis> {
        let Limits { hypotheses, apart, floor, .. } = self.limits;
        if all.len() > apart {
            all = self.mixed(all);
        }
        let sum: f64 = all.iter().map(|it| it.weight).sum();
        if sum <= 0.0 {
            return all;
        }
        all.iter_mut().for_each(|it| it.weight /= sum);
        all.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let mut left = 0.0;
        let improbable = all.iter().rev().take_while(|it| {
            left += it.weight;
            left <= floor
        });
        let n_kept = (all.len() - improbable.count()).clamp(1, hypotheses);
        let lost: f64 = all[n_kept..].iter().map(|it| it.weight).sum();
        self.has_left_out |= n_kept < all.len();
        self.effort.cut += usize::from(lost > 1e-3);
        all.truncate(n_kept);
        all
    }

    /// Hypotheses with the same state become one.
    fn mixed(&mut self, all: Vec<Hypothesis>) -> Vec<Hypothesis> {
        let mut groups: HashMap<(State, Vec<u32>), Vec<Hypothesis>> = HashMap::new();
        let mut order = Vec::new();
        for it in all {
            let key = (it.state.clone(), it.outputs.clone());
            let group = groups.entry(key.clone()).or_default();
            if group.is_empty() {
                order.push(key);
            }
            group.push(it);
        }
        let mut found = Vec::new();
        for key in order {
            let Some(group) = groups.remove(&key) else { continue };
            let weight: f64 = group.iter().map(|it| it.weight).sum();
            let mut one = group[0].clone();
            one.weight = weight;
            for (at, input) in one.inputs.iter_mut().enumerate() {
                if group.iter().any(|it| it.inputs[at] != *input) {
                    let beliefs: Vec<(u32, f64)> =
                        group.iter().map(|it| (it.inputs[at], it.weight / weight)).collect();
                    *input = self.inputs[at].mixed(&beliefs);
                }
            }
            for (at, share) in one.shares.iter_mut().enumerate() {
                let part = |it: &Hypothesis| it.weight * it.shares.get(at).copied().unwrap_or(0.0);
                *share = group.iter().map(part).sum::<f64>() / weight;
            }
            found.push(one);
        }
        found
    }

    /// An interaction whose step was never told, or whose responses are not all there, is no pass.
    fn mind_silence(&mut self, end_ns: u64) {
        let first = self.first_step();
        let n_wanted = first.unwrap_or(0) + self.grounds.table.steps.len();
        self.is_silent = first.is_none() || self.n_explained < n_wanted;
        if !self.is_silent || self.grounds.table.steps.is_empty() {
            return;
        }
        let number = self.n_explained.saturating_sub(first.unwrap_or(0));
        let last = self.ends.last().copied().unwrap_or(0.0);
        let is_overdue = end_ns as f64 - last > OVERDUE * self.timetable.step();
        let (verdict, reason) = match is_overdue {
            true => (Verdict::Fail, format!("Step {number}: the platform takes no more steps.")),
            false => (
                Verdict::Inconclusive,
                format!("Step {number}: the run ended before all responses could be there."),
            ),
        };
        let at_ns = last.max(0.0) as u64;
        self.told.push(Interaction { kind: Kind::Step, number, at_ns, verdict, reason });
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
        let is_open = self.told.iter().any(|it| it.verdict != Verdict::Pass) && self.has_left_out;
        if is_open {
            // What was left out may explain it after all.
            self.limits = Limits::FINE;
            self.begin_again();
            self.explain(end_ns as f64);
        }
        self.mind_silence(end_ns);
        self.conclude();
        let last = self.told.last().map_or(0, |it| it.number);
        let worst =
            self.told.iter().max_by(|a, b| a.verdict.cmp(&b.verdict).then(b.number.cmp(&a.number)));
        match worst {
            None => Judgement::Pass,
            Some(it) => {
                let cause = match (it.verdict, self.is_silent && it.number == last) {
                    (Verdict::Fail, true) => Cause::Missing,
                    (Verdict::Fail, false) => Cause::Unexplained,
                    (_, true) => Cause::NotExpected,
                    (_, false) => Cause::SearchLimit,
                };
                Finding::Ending(cause, it.reason.clone()).judged()
            }
        }
    }

    fn interactions(&self) -> Vec<Interaction> {
        self.told.clone()
    }

    fn exercised(&self) -> &[f64] {
        &self.exercised
    }
}
