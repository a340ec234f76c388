//! Whether a run can still show what it is made for.
//!
//! The hypotheses say which states the model may be in after the last step that is explained. From each of them the rest of the case is followed as if
//! all values to come arrived as they should: interactions that are not as intended then will hardly be. A scenario that went another way may come
//! back, and that is seen by this, too.
//!
//! Not here: who leaves a run.

use std::collections::BTreeMap;

use punctual_model::Verdict;
use punctual_semantics::lustre::{Reaction, StateNumber};

use super::Arrivals;

/// What is less probable than this is not waited for.
const UNLIKELY: f64 = 0.05;

/// What is more probable than this needs no further look.
const SURE: f64 = 0.99;

impl Arrivals<'_> {
    /// Minds a step that was explained: is there an interaction that the run is made for and that may still happen, or may turn out to have happened?
    pub(super) fn look_ahead(&mut self) {
        let n_all = self.grounds.table.steps.len();
        let first = self.first_step();
        let done = first.and_then(|first| self.n_explained.checked_sub(first)).unwrap_or(0);
        // What is wrong is looked at to the end, and so is what comes after the last interaction.
        let is_wrong = self.told.iter().any(|it| it.verdict != Verdict::Pass);
        if self.purpose.len() != n_all || done == 0 || done >= n_all || is_wrong {
            return;
        }
        let sum: f64 = self.hypotheses.iter().map(|it| it.weight).sum();
        let Some((_, last)) = self.intended.get(done - 1).copied() else { return };
        let share = |number: usize| {
            let of = self.hypotheses.iter();
            of.map(|it| it.weight * it.shares.get(number).copied().unwrap_or(0.0)).sum::<f64>()
                / sum
        };
        let is_open = |number: &usize| (UNLIKELY..SURE).contains(&share(*number));
        if sum <= 0.0 || (0..done).filter(|it| self.purpose[*it]).any(|it| is_open(&it)) {
            return;
        }
        let mut states: BTreeMap<StateNumber, f64> = BTreeMap::new();
        for it in &self.hypotheses {
            *states.entry(it.state).or_insert(0.0) += it.weight / sum;
        }
        let intended = self.rest(last.after, done);
        let mut hopes = vec![0.0; n_all - done];
        for (state, weight) in states {
            let rest = self.rest(state, done);
            for (hope, _) in (hopes.iter_mut().zip(rest.iter().zip(&intended)))
                .filter(|(_, (one, other))| one == other)
            {
                *hope += weight;
            }
        }
        let needed = &self.purpose[done..];
        self.is_pointless =
            !needed.iter().zip(&hopes).any(|(needed, hope)| *needed && *hope >= UNLIKELY);
    }

    /// The interactions from one on, taken from a state: the state before each, and what it does.
    fn rest(&mut self, from: StateNumber, number: usize) -> Vec<(StateNumber, Reaction)> {
        let mut state = from;
        let mut found = Vec::new();
        for step in &self.grounds.table.steps[number..] {
            let Some(reaction) = self.reactions.react(state, &step.inputs) else { break };
            found.push((state, reaction));
            state = reaction.after;
        }
        found
    }
}
