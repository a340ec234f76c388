//! Explains one step after the other: follows all hypotheses through it, and keeps those that fit what was seen.

use std::rc::Rc;

use punctual_model::{Value, Verdict};
use punctual_semantics::lustre::{Known, Reaction, Spot};

use super::inputs::{Input, Next};
use super::outputs::Line;
use super::search::{Hypothesis, Partial, Search};
use super::{Arrivals, Grounds, Limits};
use crate::Interaction;
use crate::excuses::{self, Accounts};
use crate::expectations::Kind;

/// After a step that nothing explains, the model goes on from so many of the most probable steps that do not fit.
const GUESSES_MAX: usize = 1_000;

/// Trees of steps are forgotten when they have more nodes than this.
const NODES_MAX: usize = 2_000_000;

/// When a step happens.
#[derive(Clone, Copy)]
pub(super) struct Times {
    pub(super) step: usize,
    /// When the step before read its inputs, and when this one did.
    pub(super) read: (f64, f64),
    /// When this step was done, and the next one.
    pub(super) end: (f64, Option<f64>),
    /// The interaction of the test that it is, if it is one.
    interaction: Option<usize>,
    /// Whether it is no use to follow a step once an output does not fit. What comes before the first interaction never fails, and what it may have done counts.
    pub(super) is_checked: bool,
}

impl Arrivals<'_> {
    /// Explains the steps whose responses are all there.
    pub(super) fn explain(&mut self, now: f64) {
        while self.explain_next(now) {}
    }

    /// Explains a step whose responses are all there; false if there is none.
    pub(super) fn explain_next(&mut self, now: f64) -> bool {
        if self.n_explained >= self.n_there(now) || self.stops() {
            return false;
        }
        self.explain_step(self.n_explained);
        self.n_explained += 1;
        true
    }

    /// So many steps have responses that are all there.
    pub(super) fn n_there(&self, now: f64) -> usize {
        let most = self.lines.all.iter().map(Line::most).fold(0.0, f64::max);
        self.ends.iter().take_while(|end| **end + most < now).count()
    }

    /// When a step happens.
    pub(super) fn times(&self, step: usize) -> Times {
        let software = self.grounds.platform.software.mean();
        let end = self.ends[step];
        let read = end - software;
        let before = step.checked_sub(1).map_or(f64::NEG_INFINITY, |it| self.ends[it] - software);
        let read = (before.max(read - 1e12), read);
        let end = (end, self.ends.get(step + 1).copied());
        let is_checked = self.first_step().is_some_and(|first| step >= first);
        Times { step, read, end, interaction: self.interaction(step), is_checked }
    }

    fn explain_step(&mut self, step: usize) {
        self.effort.steps += 1;
        let times = self.times(step);
        self.follow_intended(times.interaction);
        if self.reactions.size() > NODES_MAX {
            self.reactions.forget();
        }
        let n_before = self.reactions.n_steps();
        let from = std::mem::take(&mut self.hypotheses);
        let mut search = Search::new(&from);
        while let Some(partial) = search.waiting.pop() {
            search.mass -= partial.weight;
            self.branch(&from, partial, times, &mut search);
            search.n_tried += 1;
            let is_found = search.explained.weight > 0.0;
            let floor = self.limits.floor * search.explained.weight;
            if is_found && floor > 0.0 && search.mass <= floor {
                break;
            }
            let Limits { model_steps, unexplained, in_all, .. } = self.limits;
            let in_step = if is_found { model_steps } else { unexplained };
            let may_try = in_step.min(in_all.saturating_sub(self.n_tried));
            if self.stops() {
                self.has_left_out = true;
                break;
            }
            if search.n_tried >= may_try && !search.waiting.is_empty() {
                // Little that is left changes no probability.
                self.effort.cut += usize::from(search.mass > 1e-3 * search.explained.weight);
                break;
            }
        }
        self.n_tried += search.n_tried;
        self.effort.model_steps += self.reactions.n_steps() - n_before;
        self.has_left_out |= !search.waiting.is_empty();
        self.has_left_out |= self.inputs.iter().any(Input::has_left_out);
        self.has_left_out |= self.lines.has_left_out();
        let is_explained = !search.explained.all.is_empty();
        if !is_explained {
            let refuted = std::mem::take(&mut search.refuted);
            refuted.into_iter().for_each(|it| self.guess(&from, it, times, &mut search));
        }
        // After an interaction that nothing explains, the model goes on as it would have done.
        let mut merged = if is_explained { search.explained } else { search.unexplained };
        if !is_explained {
            let gone = self.lines.gone(step, times.end.1);
            merged.all.iter_mut().for_each(|it| it.outputs = gone);
            merged.all = self.mixed(merged.all);
        }
        self.hypotheses = match self.is_stopped {
            true => merged.all,
            false => self.pruned(merged.all),
        };
        if !is_explained {
            let closest = search.closest.map(|(_, line, value)| (line, value));
            self.closest.extend(closest.map(|it| (step, it)));
            let told = self.unexplained(step, !self.has_left_out);
            self.n_before += usize::from(!times.is_checked);
            self.told.push(told);
        }
    }

    /// What is told of a step that nothing explains, of all that may have happened or of what was followed.
    pub(super) fn unexplained(&self, step: usize, is_all: bool) -> Interaction {
        // Steps behind the last interaction have numbers, too: the model says what they do with the values that are held.
        let number = self.first_step().and_then(|first| step.checked_sub(first));
        let verdict = match (is_all, number) {
            (true, Some(_)) => Verdict::Fail,
            _ => Verdict::Inconclusive,
        };
        let reason = match (verdict, number) {
            // What was under way before the system was reset may still be seen.
            (_, None) => {
                "Before step 0: what was seen is not what the model does with the initial values."
                    .to_owned()
            }
            (Verdict::Fail, Some(number)) => format!(
                "Step {number}: nothing that the delays of the platform allow explains what was seen.{}",
                self.closest
                    .get(&step)
                    .map_or(String::new(), |(line, value)| self.missing(*line, *value))
            ),
            (_, Some(number)) => format!(
                "Step {number}: what was seen is not explained, and not all that may have happened was followed."
            ),
        };
        let (number, at_ns) = (number.unwrap_or(0), self.ends[step].max(0.0) as u64);
        Interaction { kind: Kind::Step, number, at_ns, verdict, reason }
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
        if self.intended.len() != number {
            return;
        }
        let from = match self.intended.last() {
            Some((_, reaction)) => reaction.after,
            None => {
                let mut state = self.reactions.number(&machine.start());
                for _ in 0..first.step {
                    match self.reactions.react(state, &platform.initial) {
                        Some(reaction) => state = reaction.after,
                        None => return,
                    }
                }
                state
            }
        };
        if let Some(reaction) = self.reactions.react(from, &table.steps[number].inputs) {
            self.intended.push((from, reaction));
        }
    }

    /// A step from a hypothesis, in which some inputs are decided: what it does, or the first further input whose value matters.
    fn branch(&mut self, from: &[Hypothesis], partial: Partial, times: Times, search: &mut Search) {
        let Partial { weight, hypothesis, spot, decided } = partial;
        let from = &from[hypothesis];
        let next = self.next(from, hypothesis, times, search);
        let mut spot = spot.unwrap_or_else(|| self.reactions.root(from.state));
        let reaction = loop {
            if let Some(missing) = self.missed(spot, from.outputs, times) {
                search.misses(weight, missing);
                if search.refuted.len() < GUESSES_MAX {
                    search.refuted.push(Partial { weight, hypothesis, spot: Some(spot), decided });
                }
                return;
            }
            match self.reactions.known(spot) {
                Known::Nothing => self.reactions.learn(from.state, &row(&next, &decided)),
                Known::Stuck => return,
                Known::Does(reaction) => break reaction,
                Known::Looks(input) => match &next[input].values[..] {
                    [only] => spot = self.reactions.branch(spot, only.value),
                    values => {
                        for (number, it) in values.iter().enumerate() {
                            let mut decided = decided.clone();
                            decided.push((input, number));
                            let spot = Some(self.reactions.branch(spot, it.value));
                            let weight = weight * it.probability;
                            search.wait(Partial { weight, hypothesis, spot, decided });
                        }
                        return;
                    }
                },
            }
        };
        let mut found = self.after(from, (reaction, weight), &next, &decided, times);
        match self.wrote(from.outputs, reaction, times) {
            Ok((outputs, fits)) => {
                found.outputs = outputs;
                found.weight *= fits;
                search.explained.add(found);
            }
            Err(missing) => {
                search.misses(weight, missing);
                search.unexplained.add(found);
            }
        }
    }

    /// What each input may be at a step from a hypothesis.
    fn next(
        &mut self,
        from: &Hypothesis,
        hypothesis: usize,
        times: Times,
        search: &mut Search,
    ) -> Rc<Vec<Rc<Next>>> {
        let next = search.next[hypothesis].get_or_insert_with(|| {
            let inputs = self.inputs.iter_mut().zip(&from.inputs);
            let next = |(input, belief): (&mut Input, &u32)| {
                input.next(*belief, times.step, times.read, &self.ways)
            };
            Rc::new(inputs.map(next).collect())
        });
        Rc::clone(next)
    }

    /// Of the outputs that become certain at a spot, one that does not fit what was seen: its line, and its value.
    fn missed(&mut self, spot: Spot, belief: u32, times: Times) -> Option<(usize, Value)> {
        if !times.is_checked {
            return None;
        }
        for (place, value) in self.reactions.written_by(spot) {
            for line in &self.vars.lines_of[*place] {
                let written = (*line, *value);
                if !self.lines.may_write(belief, written, times.step, times.end) {
                    return Some(written);
                }
            }
        }
        None
    }

    /// A step that was not followed to its end, since it does not fit: what it does if all further inputs are what is most probable.
    fn guess(&mut self, from: &[Hypothesis], partial: Partial, times: Times, search: &mut Search) {
        let Partial { weight, hypothesis, spot, mut decided } = partial;
        let from = &from[hypothesis];
        let next = self.next(from, hypothesis, times, search);
        let mut spot = spot.unwrap_or_else(|| self.reactions.root(from.state));
        loop {
            match self.reactions.known(spot) {
                Known::Nothing => self.reactions.learn(from.state, &row(&next, &decided)),
                Known::Stuck => return,
                Known::Does(reaction) => {
                    let found = self.after(from, (reaction, weight), &next, &decided, times);
                    search.unexplained.add(found);
                    return;
                }
                Known::Looks(input) => {
                    let values = &next[input].values;
                    if values.len() > 1 {
                        decided.push((input, 0));
                    }
                    spot = self.reactions.branch(spot, values[0].value);
                }
            }
        }
    }

    /// What may be after a step from a hypothesis, but for what it has written.
    fn after(
        &self,
        from: &Hypothesis,
        (reaction, weight): (Reaction, f64),
        next: &[Rc<Next>],
        decided: &[(usize, usize)],
        times: Times,
    ) -> Hypothesis {
        let mut inputs: Vec<u32> = next.iter().map(|it| it.unread).collect();
        for (input, value) in decided {
            inputs[*input] = next[*input].values[*value].belief;
        }
        let (state, outputs) = (reaction.after, from.outputs);
        let mut shares = from.shares.clone();
        if let Some(interaction) = times.interaction {
            shares.resize(interaction, 0.0);
            // Another value of an input that makes no difference leaves the step as it was intended.
            let is_intended = self.intended.get(interaction) == Some(&(from.state, reaction));
            shares.push(f64::from(u8::from(is_intended)));
        }
        let accounts = self.read(&from.accounts, next, decided, times.interaction);
        Hypothesis { state, inputs, outputs, weight, accounts, shares }
    }

    /// Accounts after a step has read inputs whose values were open.
    fn read(
        &self,
        before: &Accounts,
        next: &[Rc<Next>],
        decided: &[(usize, usize)],
        interaction: Option<usize>,
    ) -> Accounts {
        let table = self.grounds.table;
        let mut after = before.clone();
        for (input, number) in decided {
            // A sensor that samples has a phase that is the same all the time, and delays that drift are long one after the other: such waits say nothing one by one.
            if self.vars.sampled[*input] {
                continue;
            }
            let values = &next[*input].values;
            // What the test intends should be there; if that was never sent, what is most probable.
            let intended = interaction.and_then(|at| {
                let wanted = table.steps[at].inputs[*input];
                values.iter().position(|it| it.value == wanted)
            });
            let intended = intended.unwrap_or(0);
            let account = excuses::account(&mut after, *input as u32);
            account.read(*number != intended, values[intended].missed);
        }
        after
    }

    /// What is known of the outputs after a step has written its values, and how well it fits; or the line and the value that nobody saw.
    fn wrote(
        &mut self,
        belief: u32,
        reaction: Reaction,
        times: Times,
    ) -> Result<(u32, f64), (usize, Value)> {
        let values = self.reactions.written(reaction);
        let places = &self.vars.places;
        let found = self.lines.wrote(belief, times.step, (values, places), times.end);
        found.map_err(|line| (line, values[places[line]]))
    }
}

/// A value for each input: the one that is decided, else the most probable one.
fn row(next: &[Rc<Next>], decided: &[(usize, usize)]) -> Vec<Value> {
    let mut row: Vec<Value> = next.iter().map(|it| it.values[0].value).collect();
    for (input, value) in decided {
        row[*input] = next[*input].values[*value].value;
    }
    row
}
