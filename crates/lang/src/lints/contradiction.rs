//! Edges that can never be taken because of the constants that clocks are compared with and set to.

use std::collections::BTreeMap;

use punctual_model::{
    ClockConstraint, ClockId, ClockRef, Condition, Edge, Expr, Number, ProcessId, Relation, Sync,
};

use super::{Lint, warning};
use crate::diagnostic::Diagnostic;

/// Why an edge can never be taken, and what is said at its place.
struct Contradiction {
    why: String,
    label: String,
}

impl Lint<'_> {
    pub(super) fn contradictions(&self, found: &mut Vec<Diagnostic>) {
        for (at, edge) in self.edges() {
            let Some(Contradiction { why, label }) = self.contradiction(at.0, edge) else {
                continue;
            };
            if !self.in_all(at, |at, edge| self.contradiction(at.0, edge).is_some()) {
                continue;
            }
            let Some(span) = self.span(at) else { continue };
            let message = format!("this edge can never be taken: {why}");
            found.push(warning("lint::contradiction", span, message).label(label));
        }
    }

    fn contradiction(&self, process: ProcessId, edge: &Edge) -> Option<Contradiction> {
        let locations = &self.network.processes[process].locations;
        let source = &locations[edge.source].invariant;
        let leaving =
            [(&edge.guard, "its guard"), (source, "the invariant of the location that it leaves")];
        let is_any = |_| true;
        for (condition, name) in leaving {
            if let Some(clock) = self.excluded(&[condition], is_any, &[]) {
                return Some(self.alone(clock, name));
            }
        }
        if let Some(clock) = self.excluded(&[&edge.guard, source], is_any, &[]) {
            return Some(self.both(clock, "leaves"));
        }
        let mut last = None;
        for branch in &edge.branches {
            last = Some(self.entering(process, edge, branch)?);
        }
        last
    }

    /// Why a branch can not be taken: guard, update and the invariant of its target say so.
    fn entering(
        &self,
        process: ProcessId,
        edge: &Edge,
        branch: &punctual_model::Branch,
    ) -> Option<Contradiction> {
        let network = self.network;
        let target = &network.processes[process].locations[branch.target].invariant;
        let mut set: BTreeMap<ClockId, Option<i64>> = BTreeMap::new();
        for expr in edge.update.iter().chain(&branch.update) {
            match expr {
                Expr::SetClock { clock, value } if clock.indices.is_empty() => {
                    set.insert(clock.base, value.as_int().map(i64::from));
                }
                _ => set
                    .extend(self.access.sets([expr].into_iter()).into_iter().map(|it| (it, None))),
            }
        }
        let always = self.access.sets(network.before_update.iter().chain(&network.after_update));
        // Others that move along may set the clocks that are not the process's own.
        let is_known = |clock: ClockId| {
            let is_own = network.clocks[clock].owner == Some(process);
            (is_own || edge.sync == Sync::Internal) && !always.contains(&clock)
        };
        let fixed: Vec<(ClockId, i64)> = set
            .iter()
            .filter_map(|(clock, value)| Some((*clock, (*value)?)))
            .filter(|(clock, _)| is_known(*clock))
            .collect();
        let is_fixed = |clock: ClockId| set.get(&clock).is_some_and(Option::is_some);
        if let Some(clock) = self.excluded(&[target], |_| true, &[]) {
            return Some(self.alone(clock, "the invariant of the location that it enters"));
        }
        if let Some(clock) = self.excluded(&[target], |it| is_known(it) && is_fixed(it), &fixed) {
            let name = super::local(&network.clocks[clock].name);
            let value = set.get(&clock).copied().flatten()?;
            return Some(Contradiction {
                why: format!(
                    "it sets `{name}` to {value}, against the invariant of the location that it enters"
                ),
                label: format!("the invariant does not hold where `{name}` is {value}"),
            });
        }
        let is_kept = |clock: ClockId| is_known(clock) && !set.contains_key(&clock);
        let clock = self.excluded(&[&edge.guard, target], is_kept, &[])?;
        Some(self.both(clock, "enters"))
    }

    fn alone(&self, clock: ClockId, name: &str) -> Contradiction {
        let clock = super::local(&self.network.clocks[clock].name);
        Contradiction {
            why: format!("no value of `{clock}` satisfies {name}"),
            label: format!("says what `{clock}` can not be"),
        }
    }

    fn both(&self, clock: ClockId, which: &str) -> Contradiction {
        let clock = super::local(&self.network.clocks[clock].name);
        Contradiction {
            why: format!("its guard contradicts the invariant of the location that it {which}"),
            label: format!("no value of `{clock}` satisfies both"),
        }
    }

    /// A clock, among those that count, that can not satisfy conditions at once and be what it is set to, as far as constants say.
    fn excluded(
        &self,
        conditions: &[&Condition],
        counts: impl Fn(ClockId) -> bool,
        fixed: &[(ClockId, i64)],
    ) -> Option<ClockId> {
        let mut limits: BTreeMap<ClockId, Limits> = BTreeMap::new();
        for constraint in conditions.iter().flat_map(|it| &it.clocks) {
            if let Some((clock, relation, bound)) = single(constraint)
                && counts(clock)
            {
                let lo = if self.signed.contains(&clock) { i64::MIN } else { 0 };
                limits.entry(clock).or_insert(Limits { lo, hi: i64::MAX }).add(relation, bound);
            }
        }
        for (clock, value) in fixed {
            if let Some(limits) = limits.get_mut(clock) {
                limits.add(Relation::Equal, *value);
            }
        }
        limits.into_iter().find(|(_, limits)| limits.is_empty()).map(|(clock, _)| clock)
    }
}

/// One clock compared with a constant.
fn single(constraint: &ClockConstraint) -> Option<(ClockId, Relation, i64)> {
    let (None, Number::Int, Expr::Int(bound)) =
        (&constraint.when, constraint.number, &constraint.bound)
    else {
        return None;
    };
    let fixed = |clock: &ClockRef| clock.indices.is_empty().then_some(clock.base);
    match (&constraint.left, &constraint.right) {
        (Some(clock), None) => Some((fixed(clock)?, constraint.relation, i64::from(*bound))),
        _ => None,
    }
}

/// The values of a clock, in halves, so that what is strict lies between two values.
struct Limits {
    lo: i64,
    hi: i64,
}

impl Limits {
    fn add(&mut self, relation: Relation, bound: i64) {
        let twice = 2 * bound;
        match relation {
            Relation::Less => self.hi = self.hi.min(twice - 1),
            Relation::LessEqual => self.hi = self.hi.min(twice),
            Relation::Greater => self.lo = self.lo.max(twice + 1),
            Relation::GreaterEqual => self.lo = self.lo.max(twice),
            Relation::Equal => (self.lo, self.hi) = (self.lo.max(twice), self.hi.min(twice)),
            Relation::NotEqual => {}
        }
    }

    fn is_empty(&self) -> bool {
        self.lo > self.hi
    }
}
