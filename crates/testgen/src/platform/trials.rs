//! What would happen to a case on a platform, by drawing delays.
//!
//! Values are sent when [`Aimed`](super::Aimed) would send them, each takes a delay that is drawn, and the model takes its steps with what has arrived. A step happens as
//! intended if it begins in the intended state, looks at the same inputs, writes the same and comes to the same state: so what a value does that misses its time, and whether that heals, is seen.
//!
//! Not here: steps that take longer or shorter than they should, inputs that are latched, and whether somebody who sees the outputs only could tell what happened.

use punctual_model::Value;
use punctual_model::lustre::Program;
use punctual_model::testing::platform::Platform;
use punctual_model::testing::suite::Table;
use punctual_semantics::lustre::{Machine, Reaction, Reactions, StateNumber};
use punctual_semantics::program::Chance;
use punctual_smc::delays;

use super::aimed::{Aims, Copied};

/// Trees of steps are forgotten when they have more nodes than this.
const NODES_MAX: usize = 2_000_000;

/// Trials of one case.
pub struct Trials<'m> {
    platform: &'m Platform,
    reactions: Reactions<'m>,
    start: StateNumber,
    /// How many steps the program takes before the first interaction.
    n_before: usize,
    sent: Vec<Sent>,
    intended: Vec<(StateNumber, Reaction)>,
}

/// A value that is sent.
#[derive(Clone, Copy, Debug)]
struct Sent {
    line: usize,
    /// The position of its input.
    input: usize,
    value: Value,
    /// When it is sent, in nanoseconds since the first interaction reads its inputs.
    at: f64,
}

impl<'m> Trials<'m> {
    /// Trials of a case; none if the model can not take its steps.
    #[must_use]
    pub fn new(
        machine: &'m Machine,
        platform: &'m Platform,
        table: &Table,
        aims: &Aims,
        n_before: usize,
    ) -> Option<Trials<'m>> {
        let mut reactions = Reactions::new(machine);
        let start = reactions.number(&machine.start());
        let mut state = start;
        for _ in 0..n_before {
            state = reactions.react(state, &platform.initial)?.after;
        }
        let mut intended = Vec::new();
        for step in &table.steps {
            let reaction = reactions.react(state, &step.inputs)?;
            intended.push((state, reaction));
            state = reaction.after;
        }
        let sent = sent(machine.program(), platform, aims);
        Some(Trials { platform, reactions, start, n_before, sent, intended })
    }

    /// The lines that something is sent over.
    pub fn lines(&self) -> impl Iterator<Item = usize> + '_ {
        self.sent.iter().map(|it| it.line)
    }

    /// Whether each interaction happens as intended, with delays that are drawn. If a line is named, all others take as long as on average.
    pub fn draw(&mut self, varying: Option<usize>, chance: &mut impl Chance) -> Vec<bool> {
        if self.reactions.size() > NODES_MAX {
            self.reactions.forget();
        }
        let step = self.platform.step_ns as f64;
        let mut arrivals: Vec<(f64, usize, Value)> = Vec::with_capacity(self.sent.len());
        for it in &self.sent {
            let line = &self.platform.inputs[it.line];
            let took = match varying {
                Some(varying) if varying != it.line => line.mean(),
                _ => {
                    let looks = line.sampling_ns.map_or(0.0, |ns| ns as f64 * chance.unit());
                    delays::draw(&line.delay, chance) + looks
                }
            };
            arrivals.push((it.at + took, it.input, it.value));
        }
        arrivals.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut arrivals = arrivals.into_iter().peekable();
        let mut row = self.platform.initial.clone();
        let mut state = Some(self.start);
        let mut happened = Vec::with_capacity(self.intended.len());
        for number in 0..self.n_before + self.intended.len() {
            let reads = (number as f64 - self.n_before as f64) * step;
            while let Some((_, input, value)) = arrivals.next_if(|it| it.0 <= reads) {
                row[input] = value;
            }
            let from = state;
            let reaction = from.and_then(|from| self.reactions.react(from, &row));
            state = reaction.map(|it| it.after);
            if let Some(at) = number.checked_sub(self.n_before) {
                happened.push(from.zip(reaction) == Some(self.intended[at]));
            }
        }
        happened
    }
}

/// What is sent, and when.
fn sent(program: &Program, platform: &Platform, aims: &Aims) -> Vec<Sent> {
    let step = platform.step_ns as f64;
    let mut all: Vec<Sent> = Vec::new();
    for Copied { line, step: number, before_ns } in aims.copies() {
        let of = &platform.inputs[line];
        let Some(input) = program.inputs().position(|it| it == of.variable) else { continue };
        let at = number as f64 * step - before_ns - of.mean();
        all.push(Sent { line, input, value: aims.rows()[number + 1][input], at });
    }
    all.sort_by(|a, b| a.at.total_cmp(&b.at));
    // What is due at nearly the same instant is sent together, but for two values of one variable.
    let mut first = 0;
    for at in 1..all.len() {
        let is_near = all[at].at <= all[first].at + platform.grouping_ns as f64;
        let is_rival = all[first..at].iter().any(|it| it.input == all[at].input);
        if is_near && !is_rival {
            all[at].at = all[first].at;
        } else {
            first = at;
        }
    }
    all
}
