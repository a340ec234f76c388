//! Explains one step after the other: follows all hypotheses through it, and keeps those that fit what was seen.

use std::rc::Rc;

use punctual_model::{Value, Verdict};
use punctual_semantics::lustre::{Known, Reaction};

use super::inputs::{Input, Next};
use super::outputs::Line;
use super::search::{Hypothesis, Partial, Search};
use super::{Arrivals, Grounds, Limits};
use crate::Interaction;
use crate::excuses::{self, Accounts};
use crate::expectations::Kind;

/// Trees of steps are forgotten when they have more nodes than this.
const NODES_MAX: usize = 2_000_000;

/// When a step happens.
#[derive(Clone, Copy)]
struct Times {
    step: usize,
    /// When the step before read its inputs, and when this one did.
    read: (f64, f64),
    /// When this step was done, and the next one.
    end: (f64, Option<f64>),
}

impl Arrivals<'_> {
    /// Explains the steps whose responses are all there.
    pub(super) fn explain(&mut self, now: f64) {
        let most = self.lines.all.iter().map(Line::most).fold(0.0, f64::max);
        let is_there = |it: &Self| it.ends.get(it.n_explained).is_some_and(|end| end + most < now);
        while is_there(self) && !self.stops() {
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
        if self.reactions.size() > NODES_MAX {
            self.reactions.forget();
        }
        let n_before = self.reactions.n_steps();
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
            let Limits { model_steps, in_all, .. } = self.limits;
            let may_try = model_steps.min(in_all.saturating_sub(self.n_tried));
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
        let is_explained = !search.explained.all.is_empty();
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
    fn branch(
        &mut self,
        from: &[Hypothesis],
        partial: Partial,
        times: Times,
        interaction: Option<usize>,
        search: &mut Search,
    ) {
        let Partial { weight, hypothesis, spot, decided } = partial;
        let from = &from[hypothesis];
        let next = search.next[hypothesis].get_or_insert_with(|| {
            let inputs = self.inputs.iter_mut().zip(&from.inputs);
            let next = |(input, belief): (&mut Input, &u32)| {
                input.next(*belief, times.step, times.read, &self.ways)
            };
            Rc::new(inputs.map(next).collect())
        });
        let next = Rc::clone(next);
        let mut spot = spot.unwrap_or_else(|| self.reactions.root(from.state));
        let reaction = loop {
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
        let mut inputs: Vec<u32> = next.iter().map(|it| it.unread).collect();
        for (input, value) in &decided {
            inputs[*input] = next[*input].values[*value].belief;
        }
        let mut shares = from.shares.clone();
        if let Some(interaction) = interaction {
            shares.resize(interaction, 0.0);
            // Another value of an input that makes no difference leaves the step as it was intended.
            let is_intended = self.intended.get(interaction) == Some(&(from.state, reaction));
            shares.push(f64::from(u8::from(is_intended)));
        }
        let accounts = self.read(&from.accounts, &next, &decided, interaction);
        let (state, outputs) = (reaction.after, from.outputs);
        let mut found = Hypothesis { state, inputs, outputs, weight, accounts, shares };
        match self.wrote(from.outputs, reaction, times) {
            Ok((outputs, fits)) => {
                found.outputs = outputs;
                found.weight *= fits;
                search.explained.add(found);
            }
            Err((line, value)) => {
                if search.closest.is_none_or(|(most, ..)| weight > most) {
                    search.closest = Some((weight, line, value));
                }
                search.unexplained.add(found);
            }
        }
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
