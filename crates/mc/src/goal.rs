//! What a search looks for in the states it meets.

use punctual_semantics::symbolic::{Explorer, Halt, Predicate};
use punctual_zones::Zone;

use crate::extremum::{Extremes, Measure};

/// What a search looks for.
pub(crate) enum Goal<'g> {
    /// Nothing: all states are visited.
    Nothing,
    /// A state that satisfies a condition.
    State(&'g Predicate),
    /// The extreme values of expressions.
    Values(&'g Measure),
}

impl Goal<'_> {
    /// Whether a state has to be fully known (and not covered by another) to be judged: then it is
    /// looked at when its successors are computed, and otherwise as soon as it is met.
    pub(crate) fn is_late(&self) -> bool {
        match self {
            Goal::Nothing | Goal::Values(_) => false,
            Goal::State(predicate) => predicate.asks_for_deadlock(),
        }
    }

    /// Whether the search can end here. Measures the state, if that is the goal.
    pub(crate) fn is_met(
        &self,
        judge: &mut Explorer<'_>,
        state: &[i32],
        zone: &Zone,
        diverges: bool,
        extremes: &mut Extremes,
    ) -> Result<bool, Halt> {
        match self {
            Goal::Nothing => Ok(false),
            Goal::Values(measure) => {
                measure.observe(judge, state, zone, diverges, extremes)?;
                Ok(false)
            }
            Goal::State(predicate) if predicate.is_data() => predicate.holds(judge, state),
            Goal::State(predicate) => Ok(!predicate.part(judge, state, zone)?.is_empty()),
        }
    }
}
