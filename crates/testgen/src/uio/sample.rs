//! Probabilities by many runs, where they can not be computed.
//!
//! The case is a process beside the system, which makes its inputs and checks. Outputs that the case expects are noted as they come, and
//! compared with their windows.

use punctual_model::testing::suite::{Body, Case, Check, Do, Expect};
use punctual_model::{ChannelId, Id};
use punctual_semantics::specification::Specification;
use punctual_smc::State;
use punctual_smc::exact::Phase;
use punctual_smc::judged::{Judge, count};
use punctual_smc::statistics::{Interval, clopper_pearson};

use crate::timed::{Beside, beside_within};

/// Instants of runs are rounded; those that differ by less, in time units of the model, are the same.
const SAME: f64 = 1e-6;

/// How a probability is sampled.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sampling {
    /// How many runs.
    pub runs: u64,
    /// The seed of the first.
    pub seed: u64,
    /// Threads; the answer does not depend on it.
    pub threads: usize,
    /// The risk that the interval misses the probability.
    pub alpha: f64,
}

impl Default for Sampling {
    fn default() -> Sampling {
        Sampling { runs: 20_000, seed: 1, threads: 1, alpha: 0.001 }
    }
}

/// How probable it is that a case shows what it expects: an interval by Clopper and Pearson. None if the model can not be run so, one loop ends
/// all windows, which the model does not have, or the budget of the specification is spent.
#[must_use]
pub fn sample(
    specification: &Specification,
    parts: &[Do],
    phase: Phase,
    sampling: &Sampling,
) -> Option<Interval> {
    let seen = seen(specification, parts, phase, sampling)?;
    Some(clopper_pearson(sampling.runs, seen, sampling.alpha))
}

/// How many runs show what a case expects.
pub(super) fn seen(
    specification: &Specification,
    parts: &[Do],
    phase: Phase,
    sampling: &Sampling,
) -> Option<u64> {
    let phase_ns = match phase {
        Phase::None => 0,
        Phase::OfScript(points) => specification.instants.ns(points),
        Phase::OfLoop(_) => return None,
    };
    // What is only allowed counts as not seen.
    let strict = |part: &Do| match part {
        Do::Check(check) => Do::Check(Check { allowed: Vec::new(), ..check.clone() }),
        other => other.clone(),
    };
    let body = Body::Timed(parts.iter().map(strict).collect());
    let case = Case { name: String::new(), body, about: Default::default(), chance: None };
    let Specification { network, wired, split, .. } = specification;
    let beside = beside_within(network, wired, split, &case, phase_ns).ok()?;
    let of_ns = |ns: u64| ns as f64 / wired.interface.time.unit_ns as f64;
    let outputs = outputs(specification, &beside, parts)?;
    let last = outputs.iter().map(|it| it.to).fold(of_ns(case.duration_ns()), f64::max);
    let until = (of_ns(phase_ns) + last + 1.0) * f64::from(beside.per_unit);
    let judge = || Watching::new(&beside, outputs.clone(), phase_ns > 0);
    let Sampling { runs, seed, threads, .. } = *sampling;
    count(&beside.network, until, (runs, seed), threads, specification.budget(), judge)
}

/// An output that a case expects.
#[derive(Clone, Debug)]
struct Awaited {
    channel: ChannelId,
    /// Positions in a state, and their values.
    values: Vec<(usize, i32)>,
    /// Its window, in time units of the model.
    from: f64,
    to: f64,
    came: bool,
}

/// The outputs that a case expects, those first whose windows end first; none if the model can not send one.
fn outputs(specification: &Specification, beside: &Beside, parts: &[Do]) -> Option<Vec<Awaited>> {
    let wired = &specification.wired;
    let n_processes = beside.network.processes.len();
    let of_ns = |ns: u64| ns as f64 / wired.interface.time.unit_ns as f64;
    let mut found = Vec::new();
    let mut now_ns = 0_u64;
    for part in parts {
        match part {
            Do::Wait(ns) => now_ns = now_ns.saturating_add(*ns),
            Do::Expect(Expect { action, from_ns, to_ns, .. }) => {
                let wire = &wired.wires[action.signal];
                if wire.values.len() != action.values.len() {
                    return None;
                }
                let value = |(slot, value): (&punctual_model::testing::Slot, _)| {
                    let value: &punctual_model::Value = value;
                    Some((n_processes + slot.slot as usize, value.as_slot()?))
                };
                let values: Option<Vec<_>> =
                    wire.values.iter().zip(&action.values).map(value).collect();
                let after = |ns: u64| of_ns(now_ns.saturating_add(ns));
                found.push(Awaited {
                    channel: wire.channel,
                    values: values?,
                    from: after(*from_ns),
                    to: after(*to_ns),
                    came: false,
                });
            }
            Do::Send(_) | Do::Check(_) => {}
        }
    }
    found.sort_by(|one, other| one.to.total_cmp(&other.to));
    Some(found)
}

/// Looks at a run of a case.
struct Watching {
    /// The position of the case in a state, and the locations in which it has not begun, has failed and has passed.
    test: usize,
    failed: i32,
    passed: i32,
    per_unit: f64,
    outputs: Vec<Awaited>,
    /// Whether the case waits for its phase first.
    waits: bool,
    /// Where the case waits for its phase, once that is known.
    waiting: Option<i32>,
    /// When the case began, in time units of the model; none before.
    began: Option<f64>,
    now: f64,
    place: i32,
}

impl Watching {
    fn new(beside: &Beside, outputs: Vec<Awaited>, waits: bool) -> Watching {
        let initial = &beside.network.processes[beside.test].initial;
        Watching {
            test: beside.test.index(),
            failed: beside.failed.index() as i32,
            passed: beside.passed.index() as i32,
            per_unit: f64::from(beside.per_unit),
            outputs,
            waits,
            waiting: initial.first().map(|it| it.index() as i32),
            began: None,
            now: 0.0,
            place: 0,
        }
    }
}

impl Judge for Watching {
    fn begin(&mut self) {
        self.began = if self.waits { None } else { Some(0.0) };
        (self.now, self.place) = (0.0, self.waiting.unwrap_or(0));
        self.outputs.iter_mut().for_each(|it| it.came = false);
    }

    fn step(&mut self, channel: Option<ChannelId>, state: &State) {
        self.now = state.time / self.per_unit;
        self.place = state.ints[self.test];
        if self.began.is_none() && Some(self.place) != self.waiting {
            self.began = Some(self.now);
        }
        let Some(began) = self.began else { return };
        let since = self.now - began;
        let is_it = |it: &&mut Awaited| {
            !it.came
                && Some(it.channel) == channel
                && it.from - SAME <= since
                && since <= it.to + SAME
                && it.values.iter().all(|(at, value)| state.ints[*at] == *value)
        };
        if let Some(output) = self.outputs.iter_mut().find(is_it) {
            output.came = true;
        }
    }

    fn is_over(&self) -> bool {
        let since = self.began.map_or(0.0, |began| self.now - began);
        let is_missed = |it: &Awaited| !it.came && it.to + SAME < since;
        self.place == self.failed || self.counts() || self.outputs.iter().any(is_missed)
    }

    fn counts(&self) -> bool {
        self.place == self.passed && self.outputs.iter().all(|it| it.came)
    }
}
