//! What is looked for in a step.

use std::cmp::Ordering;

use punctual_model::lustre::{Rational, Value};

use super::{Searcher, Wanted};
use crate::steering::exact;
use crate::steering::policy;

/// What a search of a step is for, and what it must keep to.
#[derive(Clone, Copy, Debug)]
pub(in crate::steering) struct Need<'n> {
    pub(in crate::steering) wanted: Wanted,
    /// By how much each steerable variable was changed last; empty if no price depends on it.
    pub(in crate::steering) last: &'n [Option<Rational>],
    /// The variable that must be changed again, in the same direction and by no less; None if none must.
    pub(in crate::steering) held: Held,
    /// The direction in which each steerable number may be changed (`Equal` is both); empty if all may
    /// be changed in both.
    pub(in crate::steering) directions: &'n [Ordering],
    /// Changes that cost more than this are not searched; None searches all.
    pub(in crate::steering) cost_max: Option<Rational>,
    /// Whether only steps that match are searched.
    pub(in crate::steering) exact_only: bool,
    /// The number of steps that may be tried.
    pub(in crate::steering) steps_max: u64,
}

/// A variable that was changed ahead of time, by position, and by how much; None if there is none.
pub(in crate::steering) type Held = Option<(usize, Rational)>;

impl Searcher<'_> {
    /// Whether changes go in allowed directions, and change what is held by no less.
    pub(super) fn keeps(&self, need: Need<'_>, changes: &[(usize, Value)]) -> bool {
        let by = |at: usize, to: Value| {
            policy::adjustment(self.inputs[self.oracle.steered_inputs[at]], to)
        };
        let is_steady = changes.iter().all(|(at, to)| {
            let is_number = matches!(to, Value::Int(_) | Value::Real(_));
            let allowed = need.directions.get(*at).copied().unwrap_or(Ordering::Equal);
            let direction = by(*at, *to).cmp(&exact::zero());
            !is_number || allowed == Ordering::Equal || allowed == direction
        });
        let is_held = need.held.is_none_or(|(held, least)| {
            let change = changes.iter().find(|(at, _)| *at == held);
            change.is_some_and(|(at, to)| match least > exact::zero() {
                true => by(*at, *to) >= least,
                false => by(*at, *to) <= least,
            })
        });
        is_steady && is_held
    }
}
