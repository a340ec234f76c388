//! Whether a variable could matter in a step at all.

use punctual_model::lustre::Value;
use punctual_semantics::lustre::State;

use super::{Searcher, to_cell};

impl Searcher<'_> {
    /// Whether no value of a steerable variable that is allowed makes a difference in this step or behind it, if nothing else
    /// is changed. Where that is not known it may make one. The step as it is was taken before from this state.
    pub(in crate::steering) fn is_inert(&mut self, state: &State, at: usize) -> bool {
        let oracle = self.oracle;
        let Some(room) = self.room() else { return true };
        let own = self.inputs[oracle.steered_inputs[at]];
        let cell = to_cell(own);
        let is_one = room.cells[at].as_ref().is_some_and(|cells| cells.len() <= 1);
        if is_one && room.base[at] == own {
            return true;
        }
        let number = |value: Value| matches!(value, Value::Real(_));
        let range = match &room.ranges[at] {
            Some(ranges) if !number(own) => {
                let (low, high) = (ranges.first().map(|it| it.0), ranges.last().map(|it| it.1));
                (low.map_or(cell, |it| it.min(cell)), high.map_or(cell, |it| it.max(cell)))
            }
            // Reals and what has no bound are looked at no closer.
            _ => {
                self.restore();
                let taken = self.stepper.step(state, &mut self.after);
                return taken.is_ok() && !self.stepper.reads().contains(at);
            }
        };
        let mut piece: Vec<(i64, i64)> = Vec::with_capacity(room.base.len());
        for position in &oracle.steered_inputs {
            let cell = to_cell(self.inputs[*position]);
            piece.push((cell, cell));
        }
        piece[at] = range;
        self.restore();
        self.around.start(&piece);
        if self.stepper.step_around(state, &mut self.after, &mut self.around).is_err() {
            return false;
        }
        let is_same = self.around.ranges()[at] == range;
        let is_remembered = self.around.remembered().any(|it| it == at);
        let is_seen = oracle.setup.compared.iter().any(|var| {
            self.stepper.slope(&self.around, *var).any(|(depends, by)| depends == at && by != 0)
        });
        is_same && !is_remembered && !is_seen
    }
}
