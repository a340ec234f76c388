//! Which variables could show in a test: a change of which would have been seen.
//!
//! A test in which no bolus is given says nothing about whether boluses are late. So the tests in which a variable
//! was changed are counted among those in which a change of it shows: where the model, given an end of what the
//! tolerances allow, has other outputs than without. Numbers are given the same end in all steps, since a delay
//! lasts; truth and enumerations are changed in one step at a time. A number without a bound counts as one that
//! shows.

use punctual_model::VarId;
use punctual_model::lustre::{Type, Value};

use super::{Observation, Steerer};
use crate::steering::tolerance::domain::from_cell;

/// How many steps are taken at most to see whether an event shows. A test that is longer than this allows counts as
/// one in which it does.
const STEPS_MAX: usize = 20_000;

impl Steerer<'_> {
    /// The steerable variables that could show in a test.
    pub(super) fn shows(&mut self, test: &[Observation]) -> Vec<VarId> {
        let steerable = &self.oracle.setup.steerable;
        let shows = |at: &usize| match self.oracle.program().vars[steerable[*at]].ty {
            Type::Int | Type::Real => self.number_shows(test, *at),
            Type::Bool | Type::Enum(_) => self.event_shows(test, *at),
        };
        let found: Vec<usize> = (0..steerable.len()).filter(shows).collect();
        found.into_iter().map(|at| self.oracle.setup.steerable[at]).collect()
    }

    /// Whether a number that is at an end of its tolerance in all steps makes a difference.
    fn number_shows(&mut self, test: &[Observation], at: usize) -> bool {
        let input = self.oracle.steered_inputs[at];
        [false, true].into_iter().any(|is_high| {
            let (mut plain, mut moved) = (self.oracle.machine.start(), self.oracle.machine.start());
            for Observation { inputs, system } in test {
                self.searcher.begin(inputs, system);
                let Ok(unsteered) = self.searcher.unsteered(&plain) else { return false };
                let outputs = self.searcher.compared();
                let (low, high) = self.searcher.bounds()[at];
                let Some(end) = (if is_high { high } else { low }) else { return true };
                let changes = if end == inputs[input] { &[][..] } else { &[(at, end)] };
                let Some(after) = self.searcher.taken(&moved, changes) else { return false };
                if self.searcher.compared() != outputs {
                    return true;
                }
                (plain, moved) = (unsteered.after, after);
            }
            false
        })
    }

    /// Whether another value in one of the steps makes a difference, in that step or later.
    fn event_shows(&mut self, test: &[Observation], at: usize) -> bool {
        let input = self.oracle.steered_inputs[at];
        let ty = self.oracle.program().vars[self.oracle.setup.steerable[at]].ty;
        let mut n_steps = 0;
        let mut state = self.oracle.machine.start();
        for (first, Observation { inputs, system }) in test.iter().enumerate() {
            self.searcher.begin(inputs, system);
            let Ok(unsteered) = self.searcher.unsteered(&state) else { return false };
            let others: Vec<Value> =
                self.searcher.cells(at).iter().map(|it| from_cell(ty, *it)).collect();
            for other in others.into_iter().filter(|it| *it != inputs[input]) {
                self.searcher.begin(inputs, system);
                let (mut plain, mut moved) = (state.clone(), state.clone());
                for (step, Observation { inputs, system }) in test.iter().enumerate().skip(first) {
                    n_steps += 1;
                    if n_steps > STEPS_MAX {
                        return true;
                    }
                    self.searcher.begin(inputs, system);
                    let Ok(leaf) = self.searcher.unsteered(&plain) else { break };
                    let outputs = self.searcher.compared();
                    let changes = if step == first { &[(at, other)][..] } else { &[] };
                    let Some(after) = self.searcher.taken(&moved, changes) else { break };
                    if self.searcher.compared() != outputs {
                        return true;
                    }
                    if after == leaf.after {
                        break;
                    }
                    (plain, moved) = (leaf.after, after);
                }
            }
            state = unsteered.after;
        }
        false
    }
}
