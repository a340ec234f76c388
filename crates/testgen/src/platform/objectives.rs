//! What steps of a case cover if they happen as intended on a platform.
//!
//! A step has happened as intended if it looked at the same inputs, wrote the same and came to the same state. Its inputs may have had other values
//! all the same: those that make no difference are not all sent, and others may come early or late. So an obligation counts only if it is met by
//! the values that are sent, and by each other value that one input may have had without the step being another one. Values that come so early or late with a probability
//! of less than one in a thousand are not looked for, and neither are two that hide each other.
//!
//! Not here: how probable it is that a step happens.

use std::collections::BTreeSet;

use punctual_model::lustre::Program;
use punctual_model::testing::platform::Platform;
use punctual_model::testing::suite::Table;
use punctual_model::{Value, VarId};
use punctual_semantics::lustre::{Machine, Reactions, Reference};
use punctual_smc::delays;

use super::aimed::{Aims, Copied};
use crate::lustre::{Obligation, Observed};

/// The obligations of a program, and what is needed to see whether steps meet them.
pub struct Objectives {
    /// The obligations, in the order of the equations of the program.
    pub all: Vec<Obligation>,
    observed: Observed,
}

impl Objectives {
    /// These obligations of a program.
    #[must_use]
    pub fn new(program: &Program, all: Vec<Obligation>) -> Objectives {
        Objectives { observed: Observed::new(program, &all), all }
    }

    /// For each interaction of a case, the positions of the obligations that are met if it happens as intended. Before the first one, the
    /// program takes so many steps with the initial values. A step that breaks an assertion or has no result ends it.
    #[must_use]
    pub fn met(
        &self,
        machine: &Machine,
        platform: &Platform,
        table: &Table,
        aims: &Aims,
        n_before: usize,
    ) -> Vec<Vec<usize>> {
        let mut met = vec![Vec::new(); table.steps.len()];
        let mut reactions = Reactions::new(machine);
        let mut reference = Reference::new(self.observed.program());
        let mut state = reactions.number(&machine.start());
        for _ in 0..n_before {
            let Some(does) = reactions.react(state, &platform.initial) else { return met };
            if reference.step(&platform.initial).is_err() {
                return met;
            }
            state = does.after;
        }
        let inputs: Vec<VarId> = machine.program().inputs().collect();
        let rows = aims.rows();
        let changes: Vec<Vec<Change>> =
            inputs.iter().map(|var| changes(platform, aims, *var)).collect();
        let all: Vec<usize> = (0..self.all.len()).collect();
        for (number, step) in table.steps.iter().enumerate() {
            let row = &rows[number + 1];
            let intended = reactions.react(state, &step.inputs);
            let (Some(does), true) = (intended, reactions.react(state, row) == intended) else {
                break;
            };
            if reference.step(row).is_err() || !self.observed.is_allowed(&mut reference) {
                break;
            }
            let mut holding = self.observed.holding(&mut reference, &self.all, &all);
            for (column, changes) in changes.iter().enumerate() {
                let others = possible(changes, rows, column, number);
                for value in others.into_iter().filter(|it| *it != row[column]) {
                    let mut other = row.clone();
                    other[column] = value;
                    if reactions.react(state, &other) == Some(does)
                        && reference.again(&other).is_ok()
                    {
                        holding = self.observed.holding(&mut reference, &self.all, &holding);
                    }
                }
            }
            if reference.again(row).is_err() {
                break;
            }
            met[number] = holding;
            state = does.after;
        }
        met
    }
}

/// A new value of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Change {
    /// The interaction that needs it: it holds from there on.
    at: usize,
    /// The interaction that may read it first, and the one that does at the latest. Negative: before the first.
    first: i64,
    last: i64,
}

/// The new values of an input, in the order in which they are needed.
fn changes(platform: &Platform, aims: &Aims, var: VarId) -> Vec<Change> {
    const RARE: f64 = 1e-3;
    let step = platform.step_ns as f64;
    let mut found: Vec<Change> = Vec::new();
    for Copied { line, step: at, before_ns } in aims.copies() {
        let line = &platform.inputs[line];
        if line.variable != var {
            continue;
        }
        let (mean, sampling) = (line.delay.mean(), line.sampling_ns.unwrap_or(0) as f64);
        // When it arrives, after the instant at which the interaction reads it.
        let early = delays::quantile(&line.delay, RARE) - mean - before_ns;
        let late = delays::quantile(&line.delay, 1.0 - RARE) + sampling - mean - before_ns;
        let steps = |it: f64| (it / step).ceil() as i64;
        let first = at as i64 + steps(early).min(0);
        let last = at as i64 + steps(late).max(0);
        match found.iter_mut().find(|it| it.at == at) {
            // Several sensors feed it, or it is sent several times.
            Some(known) => {
                (known.first, known.last) = (known.first.min(first), known.last.max(last))
            }
            None => found.push(Change { at, first, last }),
        }
    }
    found.sort_by_key(|it| it.at);
    found
}

/// The values that an input may have at an interaction.
fn possible(
    changes: &[Change],
    rows: &[Vec<Value>],
    column: usize,
    number: usize,
) -> BTreeSet<Value> {
    let now = number as i64;
    let mut values = BTreeSet::new();
    let mut value = rows[0][column];
    let mut may_be_there = true;
    for change in changes {
        // The value before it is there until it comes.
        if may_be_there && change.last > now {
            values.insert(value);
        }
        value = rows[change.at + 1][column];
        may_be_there = change.first <= now;
    }
    if may_be_there {
        values.insert(value);
    }
    values
}
