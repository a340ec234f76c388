//! Delays that processes have drawn, and for how long they keep them.
//!
//! By definition each process draws anew in each state. A uniform delay that is longer than the time
//! that has passed is uniform on the rest, and an exponential delay has no memory. So a draw is kept as
//! long as what it was computed from, its [`Facts`], is the same but for the time that has passed, and
//! the distribution of runs is exactly that of the definition (the next-reaction method of Gibson &
//! Bruck 2000). Drawing anew without need is never wrong. A process that can do nothing without a
//! partner, and has none, draws nothing: all it could do is to try in vain.
//!
//! **Invariant:** a draw that is kept has the facts that it would have if it were made now: with debug
//! assertions each race looks. Draws are delays from now on, not instants: close to a bound they are as
//! exact as the clocks that are compared with it, however late it is.
//!
//! Not here: what touches a draw (`depend`).

use punctual_model::{Id, ProcessId};

use super::compile::{Edge, Exponential, INTERNAL, Location, Stochastic};
use super::limit::{TOLERANCE, Window, window_of};
use super::problem::{Problem, ProblemKind};
use super::simulator::{Context, Simulator, context};
use crate::Fault;
use crate::program::Chance;
use crate::select::{next_selects, set_selects};

/// Delays that do not depend on chance and differ by less than this, relative to what they were, are
/// the same: they differ by rounding. Far less than what comparisons of clocks forgive.
const ROUNDING: f64 = 1e-12;
pub(super) const ROUNDING_MAX: f64 = 2e-10;

/// A draw is not kept for so long before an output that made it possible is impossible.
const CLOSING: f64 = 1e-6;

/// What processes have drawn.
pub(crate) struct Draws {
    /// How long from now on each process waits.
    pub(super) left: Vec<f64>,
    /// How much that can be off by rounding; negative if it depends on chance.
    pub(super) rounding: Vec<f64>,
    /// How long from now on time may pass, for urgency.
    pub(super) urgent: Vec<f64>,
    /// For how long from now on a draw can be kept.
    valid: Vec<f64>,
    /// Who has nothing to do without a partner, and has none.
    pub(super) sleeps: Vec<bool>,
    /// Who has to draw anew, each once.
    dropped: Vec<u32>,
    is_dropped: Vec<bool>,
    /// Of these, who has a deadline that was not found just now.
    pub(super) is_late: Vec<bool>,
    pub(super) always_anew: bool,
    /// What was drawn from and when; only with debug assertions.
    facts: Vec<(f64, Facts)>,
}

/// What the delay of a process depends on.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Facts {
    /// The earliest delay after which it has an output.
    earliest: f64,
    /// Until then that output stays possible.
    closes: f64,
    deadline: f64,
    urgent: f64,
    /// Of an exponential delay.
    rate: f64,
    /// All it can do needs a partner, and there will be none unless something happens.
    sleeps: bool,
}

impl Facts {
    const NOTHING: Facts = Facts {
        earliest: f64::INFINITY,
        closes: f64::INFINITY,
        deadline: f64::INFINITY,
        urgent: f64::INFINITY,
        rate: 0.0,
        sleeps: false,
    };
}

impl Draws {
    pub(crate) fn new(n_processes: usize) -> Draws {
        Draws {
            left: vec![f64::INFINITY; n_processes],
            rounding: vec![-1.0; n_processes],
            urgent: vec![f64::INFINITY; n_processes],
            valid: vec![f64::INFINITY; n_processes],
            sleeps: vec![false; n_processes],
            dropped: Vec::with_capacity(n_processes),
            is_dropped: vec![false; n_processes],
            is_late: vec![false; n_processes],
            always_anew: false,
            facts: vec![(0.0, Facts::NOTHING); n_processes],
        }
    }

    /// A process has to draw anew, although nobody has looked at its invariant just now. Its deadline
    /// was counted down since, and must not differ by rounding from what else is computed from clocks.
    #[inline]
    pub(crate) fn drop_late(&mut self, process: usize) {
        if !self.is_dropped[process] {
            self.is_late[process] = true;
            self.drop(process);
        }
    }

    /// A process has to draw anew.
    #[inline]
    pub(crate) fn drop(&mut self, process: usize) {
        if !self.is_dropped[process] {
            self.is_dropped[process] = true;
            self.dropped.push(process as u32);
        }
    }

    /// All processes have to draw again.
    pub(crate) fn forget(&mut self) {
        // In an order that does not depend on the run before.
        self.dropped.clear();
        self.is_dropped.fill(false);
        self.is_late.fill(false);
        (0..self.left.len()).for_each(|process| self.drop(process));
    }

    /// Time passes.
    #[inline]
    pub(crate) fn pass(&mut self, delay: f64, model: &Stochastic) {
        self.left.iter_mut().for_each(|left| *left -= delay);
        if model.has_urgent {
            self.urgent.iter_mut().for_each(|urgent| *urgent -= delay);
        }
        if model.has_closing {
            for p in 0..self.valid.len() {
                self.valid[p] -= delay;
                if self.valid[p] <= CLOSING {
                    self.drop_late(p);
                }
            }
        }
    }
}

impl Simulator<'_> {
    /// Those who can not keep their draws draw anew.
    pub(crate) fn redraw(&mut self, chance: &mut dyn Chance) -> Result<(), Problem> {
        if self.model.has_volatile || self.draws.always_anew {
            for p in 0..self.model.first.len() {
                if self.draws.always_anew || self.location(p).volatile {
                    self.draws.drop_late(p);
                }
            }
        }
        if cfg!(debug_assertions) {
            self.check_kept(chance);
        }
        let mut n_vain = 0;
        for i in 0..self.draws.dropped.len() {
            let p = self.draws.dropped[i] as usize;
            if self.draws.is_late[p] {
                self.find_deadline(p, chance)?;
                self.draws.is_late[p] = false;
            }
            self.draw(p, chance)?;
            // Who could do nothing at this instant may try again later, not at once.
            let now = self.state.time;
            if self.blocked[p] && now + self.draws.left[p] <= now {
                self.draws.left[p] = f64::INFINITY;
                self.draws.is_late[p] = true;
                self.draws.dropped[n_vain] = p as u32;
                n_vain += 1;
            } else {
                self.draws.is_dropped[p] = false;
            }
        }
        self.draws.dropped.truncate(n_vain);
        Ok(())
    }

    /// Draws the delay of one process.
    fn draw(&mut self, p: usize, chance: &mut dyn Chance) -> Result<(), Problem> {
        let location = self.location(p);
        let facts = self.facts(p, location, chance)?;
        let Facts { earliest, closes, deadline, urgent, rate, sleeps } = facts;
        let mut rounding = -1.0;
        let delay = if earliest == f64::INFINITY || sleeps {
            f64::INFINITY
        } else if deadline < f64::INFINITY {
            let width = (deadline - earliest).max(0.0);
            if width <= ROUNDING_MAX {
                rounding = 0.0;
            }
            earliest + width * chance.unit()
        } else if rate > 0.0 {
            // A unit is below 1, so the logarithm is finite.
            earliest - (1.0 - chance.unit()).ln() / rate
        } else {
            f64::INFINITY
        };
        // Urgency only cuts it short.
        if urgent <= delay {
            rounding = 0.0;
        }
        let delay = delay.min(urgent);
        if rounding == 0.0 {
            rounding = (ROUNDING * delay.max(1.0)).min(ROUNDING_MAX);
        }
        let draws = &mut self.draws;
        draws.left[p] = delay;
        draws.rounding[p] = rounding;
        draws.urgent[p] = urgent;
        draws.valid[p] = closes;
        draws.sleeps[p] = sleeps;
        if cfg!(debug_assertions) {
            draws.facts[p] = (self.state.time, facts);
        }
        Ok(())
    }

    /// What the delay of a process depends on now.
    fn facts(
        &mut self,
        p: usize,
        location: &Location,
        chance: &mut dyn Chance,
    ) -> Result<Facts, Problem> {
        let model = self.model;
        let deadline = self.deadlines[p];
        let (begin, end) = location.outputs;
        let (mut earliest, mut closes) = (f64::INFINITY, f64::INFINITY);
        let (mut urgent, mut meets) = (f64::INFINITY, f64::INFINITY);
        let mut context = context!(self, chance);
        let (current, partner) = (&mut self.scratch_values, &mut self.scratch_partner);
        // Both were computed from the same bounds, perhaps in different ways.
        let latest = deadline + TOLERANCE * if deadline < 1.0 { 1.0 } else { deadline };
        for edge in &model.edges[begin as usize..end as usize] {
            each_window(edge, current, &mut context, &mut |window, context| {
                if window.from <= latest {
                    let from = window.from.min(deadline);
                    if from < earliest {
                        (earliest, closes) = (from, window.to);
                    } else if from == earliest && window.to > closes {
                        closes = window.to;
                    }
                }
                if location.has_urgent || location.sleeps && meets == f64::INFINITY {
                    let (at, is_urgent) = meeting(model, edge, window, partner, context)?;
                    meets = meets.min(at);
                    if is_urgent {
                        urgent = urgent.min(at);
                    }
                }
                Ok(())
            })?;
        }
        if earliest == f64::INFINITY {
            return Ok(Facts { deadline, ..Facts::NOTHING });
        }
        let rate = match location.exponential {
            _ if deadline < f64::INFINITY => 0.0,
            Exponential::Fixed(rate) if rate >= 0.0 => rate,
            _ => self.exponential(p, location, chance)?,
        };
        let sleeps = location.sleeps && meets == f64::INFINITY;
        Ok(Facts { earliest, closes, deadline, urgent, rate, sleeps })
    }

    fn exponential(
        &mut self,
        p: usize,
        location: &Location,
        chance: &mut dyn Chance,
    ) -> Result<f64, Problem> {
        let rate = match location.exponential {
            Exponential::Fixed(rate) => rate,
            Exponential::General(value, divisor) => {
                let mut context = context!(self, chance);
                let value = context.real(value)?;
                match divisor {
                    None => value,
                    Some(divisor) => value / context.real(divisor)?,
                }
            }
        };
        match rate >= 0.0 {
            true => Ok(rate),
            false => Err(ProblemKind::Rate { process: ProcessId::from_index(p) }.into()),
        }
    }

    /// Looks whether those who keep their draws would draw from the same facts now.
    fn check_kept(&mut self, chance: &mut dyn Chance) {
        for p in 0..self.model.first.len() {
            if self.draws.is_dropped[p] {
                continue;
            }
            let (then, before) = self.draws.facts[p];
            let passed = self.state.time - then;
            // How close a rounded delay is to what it should be.
            let same = |kept: f64, now: f64| {
                let kept = (kept - passed).max(0.0);
                kept == now || (kept - now).abs() <= 1e-6 * (1.0 + passed + now.abs())
            };
            let now =
                self.facts(p, self.location(p), chance).expect("facts that were found before");
            let is_kept = same(before.earliest, now.earliest)
                // Where they meet, rounding decides which is first.
                || (before.earliest - before.deadline).abs() <= 1e-6 * (1.0 + passed);
            assert!(
                is_kept
                    && same(before.deadline, now.deadline)
                    && same(before.urgent, now.urgent)
                    && before.rate.to_bits() == now.rate.to_bits()
                    // Who is awake may try in vain.
                    && (now.sleeps || !before.sleeps),
                "process {p} kept a draw from {before:?}, but after {passed} it is {now:?}"
            );
        }
    }
}

/// The earliest delay after which an edge can be taken over its channel, with a partner if it needs one;
/// and whether it is urgent.
fn meeting(
    model: &Stochastic,
    edge: &Edge,
    window: Window,
    current: &mut Vec<i32>,
    context: &mut Context<'_>,
) -> Result<(f64, bool), Fault> {
    let on = context.channel(edge)?;
    if on == INTERNAL {
        return Ok((window.from, false));
    }
    let channel = &model.channels[on as usize];
    if channel.broadcast {
        return Ok((window.from, channel.urgent));
    }
    let mut from = f64::INFINITY;
    for receiver in channel.receivers.iter().filter(|it| it.process != edge.process) {
        for number in receiver.at(context.ints[receiver.process as usize]) {
            let edge = &model.edges[number as usize];
            each_window(edge, current, context, &mut |other, context| {
                let start = window.from.max(other.from);
                if start <= window.to.min(other.to) && context.channel(edge)? == on {
                    from = from.min(start);
                }
                Ok(())
            })?;
        }
    }
    Ok((from, channel.urgent))
}

/// Calls `found` for each combination of selected values with which the data allow an edge, with the
/// delays after which the clocks do.
#[inline]
fn each_window(
    edge: &Edge,
    current: &mut Vec<i32>,
    context: &mut Context<'_>,
    found: &mut impl FnMut(Window, &mut Context<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    if edge.selects.is_empty() {
        if context.all_hold(&edge.guard)? {
            let window = window_of(&edge.limits, context)?;
            if !window.is_empty() {
                found(window, context)?;
            }
        }
        return Ok(());
    }
    if edge.selects.iter().any(|select| select.lo > select.hi) {
        return Ok(());
    }
    current.clear();
    current.extend(edge.selects.iter().map(|select| select.lo));
    loop {
        set_selects(context.machine, &edge.selects, current);
        if context.all_hold(&edge.guard)? {
            let window = window_of(&edge.limits, context)?;
            if !window.is_empty() {
                found(window, context)?;
            }
        }
        if !next_selects(&edge.selects, current) {
            return Ok(());
        }
        context.look(current.len())?;
    }
}
