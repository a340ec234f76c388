//! Whether a case fails a mutant that sends outputs.
//!
//! Mutant and specification are followed side by side through the inputs of the case. The mutant may send an output at
//! any instant of its window; where the specification does not allow it then, or an output is missing, the run fails.
//! Outputs are tried where windows of either side begin and end, just before and just behind; whether a window of the
//! mutant leaves that of the specification is seen at all instants.

use std::collections::HashSet;

use punctual_model::testing::suite::Do;
use punctual_semantics::estimate::{
    End, Estimate, Estimator, Interval, Observation, Overflow, Present, Role, Snapshot, What,
};

use super::bench::Bench;
use super::outcome::Outcome;

/// More situations than this are not looked at.
const SITUATIONS_MAX: usize = 4_000;

/// Mutant and specification in the middle of a case.
struct Situation {
    left: Snapshot,
    right: Snapshot,
    now: i64,
    /// The position of what the case does next.
    next: usize,
}

/// What a run through a case came to.
#[derive(Default)]
struct Found {
    fails: bool,
    passes: bool,
    is_open: bool,
}

/// Follows a case.
struct Play<'p> {
    bench: &'p Bench<'p>,
    left: Estimate<'p>,
    right: Estimate<'p>,
    /// What the case does, with its instants.
    acts: Vec<(i64, &'p Do)>,
    end: i64,
    waiting: Vec<Situation>,
    known: HashSet<(usize, i64, Vec<Present>, Vec<Present>)>,
    found: Found,
}

/// Whether inputs, waits and checks fail a mutant.
pub(super) fn outcome(
    bench: &Bench<'_>,
    mutated: &Estimator,
    parts: &[Do],
) -> Result<Outcome, Overflow> {
    let mut acts = Vec::new();
    let mut now_ns = 0;
    for part in parts {
        match part {
            Do::Wait(ns) => now_ns += ns,
            Do::Send(_) | Do::Check(_) => acts.push((bench.point(now_ns), part)),
            Do::Expect(_) => {}
        }
    }
    let mut play = Play {
        bench,
        left: Estimate::new(mutated)?,
        right: Estimate::new(&bench.ours)?,
        acts,
        end: bench.point(now_ns),
        waiting: Vec::new(),
        known: HashSet::new(),
        found: Found::default(),
    };
    play.left.mind_refusals(true);
    play.arrive(0, 0)?;
    while let Some(situation) = play.waiting.pop() {
        if play.known.len() > SITUATIONS_MAX {
            play.found.is_open = true;
            break;
        }
        play.look(&situation)?;
    }
    let Found { fails, passes, is_open } = play.found;
    Ok(match (fails, passes || is_open) {
        (true, false) => Outcome::Must,
        (true, true) => Outcome::May,
        (false, _) if is_open => Outcome::Unknown,
        (false, _) => Outcome::Cannot,
    })
}

impl Play<'_> {
    /// A new situation, unless it is known.
    fn arrive(&mut self, now: i64, next: usize) -> Result<(), Overflow> {
        let key = (next, now, self.left.present()?, self.right.present()?);
        if self.known.insert(key) {
            let (left, right) = (self.left.save(), self.right.save());
            self.waiting.push(Situation { left, right, now, next });
        }
        Ok(())
    }

    fn back_to(&mut self, situation: &Situation) {
        self.left.restore(&situation.left);
        self.right.restore(&situation.right);
    }

    fn look(&mut self, situation: &Situation) -> Result<(), Overflow> {
        let until = self.acts.get(situation.next).map_or(self.end, |(at, _)| *at);
        self.outputs(situation, until)?;
        self.back_to(situation);
        // Nothing is sent before the case goes on.
        if self.left.advance(End::at(until))?.is_err() {
            return Ok(());
        }
        if self.right.advance(End::at(until))?.is_err() {
            self.found.fails = true;
            return Ok(());
        }
        match self.acts.get(situation.next).map(|(_, act)| *act) {
            None => self.found.passes = true,
            Some(Do::Send(action)) => {
                let values: Vec<i32> =
                    action.values.iter().map(|it| it.as_slot().unwrap_or(i32::MIN)).collect();
                let what = What::Signal { signal: action.signal, values: &values };
                let observation = Observation { what, interval: Interval::point(until) };
                if self.left.estimator().role(action.signal) != Role::None {
                    if self.left.observe(&observation)?.is_err() {
                        self.found.is_open = true;
                        return Ok(());
                    }
                    // Runs in which the mutant refuses the input end here.
                    self.found.is_open |= !self.left.take_refusing().is_empty();
                    // What the specification says nothing about is no fail.
                    if self.right.observe(&observation)?.is_err() {
                        self.found.passes = true;
                        return Ok(());
                    }
                }
                self.arrive(until, situation.next + 1)?;
            }
            Some(Do::Check(check)) => {
                let allowed = self.bench.allowed(check);
                if !allowed.is_empty() {
                    let shows = |state: &[i32]| {
                        let is = |(at, value): &(u32, i32)| state[*at as usize] == *value;
                        allowed.iter().any(|it| it.iter().all(is))
                    };
                    self.found.fails |= self.left.present()?.iter().any(|(it, _)| !shows(it));
                    if self.left.observe_any(&allowed, until)?.is_err() {
                        return Ok(());
                    }
                    if self.right.observe_any(&allowed, until)?.is_err() {
                        self.found.fails = true;
                        return Ok(());
                    }
                }
                self.arrive(until, situation.next + 1)?;
            }
            Some(Do::Wait(_) | Do::Expect(_)) => unreachable!("only inputs and checks are acts"),
        }
        Ok(())
    }

    /// What the mutant may send up to an instant.
    fn outputs(&mut self, situation: &Situation, until: i64) -> Result<(), Overflow> {
        self.back_to(situation);
        self.left.look_ahead(until)?;
        let in_time = Interval::new(End::at(situation.now), End::at(until));
        for offer in self.left.offers()? {
            let window = offer.interval.meet(in_time);
            if window.is_empty() {
                continue;
            }
            self.back_to(situation);
            let what = What::Signal { signal: offer.signal, values: &offer.values };
            let allowed = self.right.windows(what, until)?;
            let ends = |it: &Interval| [Some(it.from.at), it.to.map(|to| to.at)];
            let near = allowed.iter().chain([&window]).flat_map(ends).flatten();
            let mut instants: Vec<i64> = near.flat_map(|at| [at - 1, at, at + 1]).collect();
            instants.sort_unstable();
            instants.dedup();
            for at in instants {
                let interval = Interval::point(at);
                if window.meet(interval).is_empty() {
                    continue;
                }
                self.back_to(situation);
                let observation = Observation { what, interval };
                if self.left.observe(&observation)?.is_err() {
                    continue;
                }
                match self.right.observe(&observation)? {
                    Ok(()) => self.arrive(at, situation.next)?,
                    Err(_) => self.found.fails = true,
                }
            }
        }
        Ok(())
    }
}
