//! Whether a case fails a mutant: it can not, it may, or it must.
//!
//! All states that the mutant may be in are followed through the inputs and checks of the case. Where a check could show
//! what it does not allow, the case may fail; the states that pass go on. Where none is left, it must have failed.
//!
//! Mutants whose component sends outputs are followed beside the specification (`sending.rs`): they also fail by an output
//! that comes when it must not, or does not come.
//!
//! A mutant some of whose states refuse an input does not fail in all runs. What follows an input that some states of the
//! specification refuse is no fail in a live run, whichever part refuses it: callers leave that out (`timed::known_parts`).
//!
//! **Absent:** the uncertainty of the interface. A mutant is followed as if it were played inside of the tester, where
//! signals take no time.

use std::collections::BTreeSet;

use punctual_model::testing::suite::{Body, Case, Check, Do};
use punctual_model::{PortId, Value};
use punctual_semantics::estimate::{
    End, Estimate, Estimator, Interval, Observation, Overflow, Role, What,
};

use super::bench::Bench;
use super::sending;

/// What a case says of a mutant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outcome {
    /// No run of the mutant fails.
    Cannot,
    /// Nobody knows: the mutant refuses an input, stops time, or can not be followed.
    Unknown,
    /// Some runs of the mutant fail.
    May,
    /// All runs of the mutant fail.
    Must,
}

impl Outcome {
    /// Its word in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Cannot => "can not",
            Outcome::Unknown => "unknown",
            Outcome::May => "may",
            Outcome::Must => "must",
        }
    }
}

impl Bench<'_> {
    /// Whether a case fails a mutant, by its side of the comparison ([`Bench::mutated`]).
    #[must_use]
    pub fn outcome(&self, mutated: &Estimator, case: &Case) -> Outcome {
        match &case.body {
            Body::Timed(parts) => self.outcome_of(mutated, parts),
            Body::Steps(_) => Outcome::Unknown,
        }
    }

    /// Whether inputs, waits and checks fail a mutant.
    #[must_use]
    pub fn outcome_of(&self, mutated: &Estimator, parts: &[Do]) -> Outcome {
        let outcome = match self.sends() {
            true => sending::outcome(self, mutated, parts),
            false => self.follow(mutated, parts),
        };
        outcome.unwrap_or(Outcome::Unknown)
    }

    /// A case as far as it concerns the component: its checks read the ports of the component alone. That is what
    /// an outcome speaks of.
    #[must_use]
    pub fn narrowed(&self, case: &Case) -> Case {
        let ours = |values: &Vec<(PortId, Value)>| -> Vec<(PortId, Value)> {
            values.iter().filter(|(port, _)| self.ports.contains(port)).copied().collect()
        };
        let narrowed = |part: &Do| match part {
            Do::Check(check) => {
                let allowed = match check.allowed.is_empty() {
                    true => vec![ours(&check.expected)],
                    false => check.allowed.iter().map(ours).collect(),
                };
                let allowed: Vec<_> = allowed.into_iter().filter(|it| !it.is_empty()).collect();
                let (expected, requirement) = (ours(&check.expected), check.requirement.clone());
                let check = Check { expected, allowed, requirement };
                (!check.allowed.is_empty()).then_some(Do::Check(check))
            }
            other => Some(other.clone()),
        };
        let body = match &case.body {
            Body::Timed(parts) => Body::Timed(parts.iter().filter_map(narrowed).collect()),
            steps => steps.clone(),
        };
        Case { body, ..case.clone() }
    }

    fn follow(&self, mutated: &Estimator, parts: &[Do]) -> Result<Outcome, Overflow> {
        let mut estimate = Estimate::new(mutated)?;
        estimate.mind_refusals(true);
        let mut now_ns = 0;
        let mut outcome = Outcome::Cannot;
        // Whether the mutant may have refused an input, so that some runs of it end there.
        let mut may_end = false;
        let must = |may_end: bool| if may_end { Outcome::May } else { Outcome::Must };
        for part in parts {
            match part {
                Do::Wait(ns) => now_ns += ns,
                Do::Expect(_) => {}
                Do::Send(action) => {
                    if mutated.role(action.signal) == Role::None {
                        continue;
                    }
                    let values: Vec<i32> =
                        action.values.iter().map(|it| it.as_slot().unwrap_or(i32::MIN)).collect();
                    let what = What::Signal { signal: action.signal, values: &values };
                    let interval = Interval::point(self.point(now_ns));
                    let observation = Observation { what, interval };
                    if estimate.observe(&observation)?.is_err() {
                        return Ok(outcome.max(Outcome::Unknown));
                    }
                    may_end |= !estimate.take_refusing().is_empty();
                }
                Do::Check(check) => {
                    let allowed = self.allowed(check);
                    if allowed.is_empty() {
                        continue;
                    }
                    let at = self.point(now_ns);
                    if estimate.advance(End::at(at))?.is_err() {
                        return Ok(outcome.max(Outcome::Unknown));
                    }
                    let is_allowed = |state: &[i32]| {
                        let shows = |(at, value): &(u32, i32)| state[*at as usize] == *value;
                        allowed.iter().any(|it| it.iter().all(shows))
                    };
                    let present = estimate.present()?;
                    let n_right = present.iter().filter(|(state, _)| is_allowed(state)).count();
                    if n_right == 0 {
                        return Ok(must(may_end));
                    }
                    if n_right == present.len() {
                        continue;
                    }
                    outcome = Outcome::May;
                    if estimate.observe_any(&allowed, at)?.is_err() {
                        return Ok(must(may_end));
                    }
                }
            }
        }
        Ok(outcome)
    }

    /// What a check allows of the ports of the component, as positions and values in its states; empty if it reads none of
    /// them.
    pub(super) fn allowed(&self, check: &Check) -> Vec<Vec<(u32, i32)>> {
        let ours = |values: &Vec<(PortId, Value)>| -> Vec<(u32, i32)> {
            let place = |(port, value): &(PortId, Value)| {
                let at = self.ports.iter().position(|ours| ours == port)?;
                Some((self.positions[at], value.as_slot().unwrap_or(i32::MIN)))
            };
            values.iter().filter_map(place).collect()
        };
        let all: BTreeSet<Vec<(u32, i32)>> = match check.allowed.is_empty() {
            true => std::iter::once(ours(&check.expected)).collect(),
            false => check.allowed.iter().map(ours).collect(),
        };
        all.into_iter().filter(|it| !it.is_empty()).collect()
    }
}
