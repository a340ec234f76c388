//! What an input of the program may hold at each step: which of the values that were sent have arrived, and which came last.
//!
//! Values of one input are on their way independently of each other, and one may overtake another. What is known of an input is a
//! distribution over which value it holds and which ones are still on their way. Knowing what a step read leaves some of that out.
//! Each distribution has a number, so that two hypotheses with the same one are the same.

use std::cell::Cell;
use std::ops::RangeInclusive;
use std::rc::Rc;

use punctual_model::Value;
use punctual_model::testing::platform::Delay;
use punctual_smc::delays;
use rustc_hash::FxHashMap;

/// The instants between two steps are looked at in so many pieces, when it matters which of two values came last.
const PIECES: usize = 24;

/// Copies of a value that were sent within this share of a step are not told apart.
const NEAR: f64 = 0.15;

/// Whether a value arrived before a step or after it is told by the device, but for this share of a step: reports and steps are told over the same wire, and neither at once.
const BLUR: f64 = 0.02;

/// With this probability a delay is any that is allowed.
const EVEN: f64 = 1e-6;

/// Of values on their way whose arrival is open, so many are looked at.
const OPEN_MAX: usize = 8;

/// So many possibilities are kept of what is known of one input.
const ATOMS_MAX: usize = 1_000;

/// What is less probable than this, in what is known of one input, is left out. That is far less than what the risk of a false alarm leaves.
pub(super) const FLOOR: f64 = 1e-12;

/// A value on its way to an input.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Sent {
    /// When it was sent, in nanoseconds.
    pub(super) at: f64,
    pub(super) value: Value,
    /// The line that it goes over.
    pub(super) line: usize,
    /// Its delay is so much longer than the platform says, in nanoseconds: delays drift.
    pub(super) drifted: f64,
}

/// A value that was sent several times within a short time. Which of its copies is still on its way is not told apart: each is taken to be any of them. That allows a
/// little more than what may have happened.
struct Group {
    /// When each copy was sent, in nanoseconds, in order.
    at: Vec<f64>,
    value: Value,
    line: usize,
    drifted: f64,
}

impl Group {
    /// The probability that a copy has arrived at an instant.
    fn arrived(&self, now: f64, ways: &[Way]) -> f64 {
        let way = &ways[self.line];
        let arrived = |at: &f64| match now - at <= -way.slack {
            true => 0.0,
            false => way.arrived(now - at - self.drifted),
        };
        self.at.iter().map(arrived).sum::<f64>() / self.at.len() as f64
    }
}

/// How long a value is on its way at least and at most, and how its delay is distributed between.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Way {
    pub(super) delay: Delay,
    /// A sensor looks only so often, in nanoseconds; 0 if each change counts at once.
    pub(super) sampling: f64,
    /// The delay is so much longer than in truth, in nanoseconds: one that begins after a step seems to have read is no less probable for that.
    pub(super) shift: f64,
    /// By how much the instant varies at which a step reads, as a deviation in nanoseconds. The delay is blurred by it already, and no value arrives before it was sent.
    pub(super) varies: f64,
    /// How exactly it is known when a step reads, at worst, in nanoseconds: what is sent so much later has not arrived, however delays drift.
    pub(super) slack: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Way {
    /// Likewise, without minding the bounds.
    fn below(&self, after: f64) -> f64 {
        // The sensor looks at any instant of its period with the same probability.
        const PIECES: u32 = 8;
        let is_sent = match self.varies > 0.0 {
            true => delays::standard(after / self.varies),
            false => 1.0,
        };
        let after = after + self.shift;
        if self.sampling <= 0.0 {
            return is_sent * delays::below(&self.delay, after);
        }
        let piece = |at: u32| {
            let wait = self.sampling * (f64::from(at) + 0.5) / f64::from(PIECES);
            delays::below(&self.delay, after - wait)
        };
        is_sent * (0..PIECES).map(piece).sum::<f64>() / f64::from(PIECES)
    }

    /// The probability that a value has arrived after so long.
    fn arrived(&self, after: f64) -> f64 {
        match after {
            after if after <= self.least => 0.0,
            after if after >= self.most => 1.0,
            after => {
                // What is between the bounds is never impossible, whatever the distribution says.
                let even = (after - self.least) / (self.most - self.least);
                let below = self.below(after).clamp(0.0, 1.0);
                EVEN * even + (1.0 - EVEN) * below
            }
        }
    }
}

/// What may be: the value that is held, and what is on its way.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Atom {
    /// The number of the value, from 1; 0 before any has arrived.
    held: u32,
    /// The numbers of those on their way, from 1, and how many copies of each.
    waiting: Vec<(u32, u32)>,
    /// How many were sent when this was known.
    n_sent: u32,
}

/// A value that may arrive before a step.
#[derive(Clone, Copy)]
struct Arriving {
    number: u32,
    /// How many copies of it are on their way.
    count: u32,
    /// The probability that a copy arrives.
    p: f64,
    /// Whether all numbers of copies that may arrive are looked at.
    is_open: bool,
}

/// When a value arrives between two steps.
struct Parts {
    /// How many copies of it are on their way.
    count: u32,
    /// For each number of copies that arrive, from 1: the probability that all of them have arrived after each piece of the time, and in the middle of each
    /// piece. Empty if that does not matter.
    done: Vec<([f64; PIECES + 1], [f64; PIECES])>,
}

/// What is the same for all ways in which values may arrive between two steps.
struct Passed<'a> {
    parts: Vec<Parts>,
    n_sent: u32,
    atom: &'a Atom,
}

/// For each value that may arrive, up to the last one that was decided, its number and how many copies do.
type Chosen = Vec<(u32, u32)>;

/// What is known of an input: what may be, with its probability.
type Belief = Vec<(Atom, f64)>;

/// What an input may be at a step.
#[derive(Debug)]
pub(super) struct Next {
    /// What is known of it if the step did not read it.
    pub(super) unread: u32,
    /// The values that it may have, the most probable first.
    pub(super) values: Vec<Possible>,
}

/// A value that an input may have at a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Possible {
    pub(super) value: Value,
    pub(super) probability: f64,
    /// The probability that it has another one, as it would be if delays were known as badly as they may be.
    pub(super) missed: f64,
    /// What is known if the step read it.
    pub(super) belief: u32,
}

/// An input of the program.
pub(super) struct Input {
    initial: Value,
    is_latched: bool,
    /// What is less probable is left out.
    floor: f64,
    /// Copies that were sent within this time are not told apart, in nanoseconds.
    near: f64,
    /// How exactly it is known whether a value arrived before a step or after it, in nanoseconds.
    blur: f64,
    /// As if so many delays had been measured; 0 if they are exact.
    pulses: u32,
    sent: Vec<Group>,
    /// When the device told that a value has arrived, in nanoseconds; none if it does not tell.
    told: Option<Vec<f64>>,
    /// So many of what was sent were looked at: no copy is added to them.
    n_looked_at: Cell<usize>,
    beliefs: Vec<Belief>,
    /// Beliefs that are the same have the same number; weights may differ by rounding.
    numbers: FxHashMap<Vec<(Atom, u64)>, u32>,
    /// For each value that was sent, the number of the first one that is the same.
    firsts: Vec<u32>,
    known: FxHashMap<(u32, usize), Rc<Next>>,
    /// Whether beliefs are distributions; else they are sets, and all weights are 1.
    weighs: bool,
    /// Whether something that may be was not followed.
    has_left_out: Cell<bool>,
}

impl Input {
    pub(super) fn new(
        (initial, is_latched): (Value, bool),
        floor: f64,
        step_ns: u64,
        pulses: u32,
    ) -> Input {
        let atom = Atom { held: 0, waiting: Vec::new(), n_sent: 0 };
        let beliefs = vec![vec![(atom, 1.0)]];
        let numbers = FxHashMap::from_iter([(rounded(&beliefs[0]), 0)]);
        Input {
            initial,
            is_latched,
            floor,
            near: NEAR * step_ns as f64,
            blur: BLUR * step_ns as f64,
            pulses,
            sent: Vec::new(),
            told: None,
            n_looked_at: Cell::new(0),
            beliefs,
            numbers,
            firsts: Vec::new(),
            known: FxHashMap::default(),
            weighs: true,
            has_left_out: Cell::new(false),
        }
    }

    /// Forgets what was found out about it, but not what was sent. From now on beliefs are distributions, or sets.
    pub(super) fn begin_again(&mut self, weighs: bool) {
        self.beliefs.truncate(1);
        self.numbers = FxHashMap::from_iter([(rounded(&self.beliefs[0]), 0)]);
        self.known.clear();
        self.weighs = weighs;
        self.has_left_out.set(false);
    }

    /// Whether something that may be was not followed: too much was on its way at once.
    pub(super) fn has_left_out(&self) -> bool {
        self.has_left_out.get()
    }

    /// A value was sent. Those that are sent before a step have to be told before it is asked for.
    pub(super) fn sent(&mut self, sent: Sent) {
        let n_looked_at = self.n_looked_at.get();
        if let Some(group) = self.sent.get_mut(n_looked_at..).and_then(<[Group]>::last_mut)
            && (group.value, group.line) == (sent.value, sent.line)
            && sent.at - group.at[0] <= self.near
        {
            group.at.push(sent.at);
            return;
        }
        let is_same = |at: &usize| self.value(*at as u32) == sent.value;
        let first = (0..=self.sent.len()).find(is_same).unwrap_or(self.sent.len() + 1);
        let Sent { at, value, line, drifted } = sent;
        self.sent.push(Group { at: vec![at], value, line, drifted });
        self.firsts.push(first as u32);
    }

    /// The device will tell when values arrive.
    pub(super) fn is_told(&mut self) {
        self.told = Some(Vec::new());
    }

    /// The device told that a value has arrived.
    pub(super) fn arrived(&mut self, at: f64) {
        if let Some(told) = &mut self.told {
            told.push(at);
        }
    }

    /// How many values have arrived at an instant, at least and at most, by what the device told; none if it does not tell.
    fn n_arrived(&self, now: f64) -> Option<RangeInclusive<usize>> {
        let told = self.told.as_ref()?;
        let [least, most] =
            [now - self.blur, now + self.blur].map(|at| told.partition_point(|it| *it <= at));
        Some(least..=most)
    }

    fn value(&self, number: u32) -> Value {
        match number.checked_sub(1) {
            None => self.initial,
            Some(at) => self.sent[at as usize].value,
        }
    }

    /// What the input may be at a step, if it was as a belief says at the step before. Instants are in nanoseconds.
    pub(super) fn next(
        &mut self,
        belief: u32,
        step: usize,
        (before, now): (f64, f64),
        ways: &[Way],
    ) -> Rc<Next> {
        if let Some(found) = self.known.get(&(belief, step)) {
            return Rc::clone(found);
        }
        let mut after: FxHashMap<(Atom, Value), f64> = FxHashMap::default();
        for (atom, weight) in &self.beliefs[belief as usize] {
            match self.weighs {
                true => self.advance(atom, *weight, (before, now), ways, &mut after),
                false => self.allow(atom, (before, now), ways, &mut after),
            }
        }
        let told = self.n_arrived(now);
        let is_told = |(atom, _): &(Atom, Value)| {
            let sent =
                self.sent[..atom.n_sent as usize].iter().map(|it| it.at.len()).sum::<usize>();
            let waiting = atom.waiting.iter().map(|(_, n)| *n as usize).sum::<usize>();
            told.as_ref().is_none_or(|told| told.contains(&(sent - waiting)))
        };
        // What the device tells is only minded where something agrees with it.
        if after.keys().any(is_told) {
            after.retain(|it, _| is_told(it));
        }
        let mut by_value: Vec<(Value, f64, Belief)> = Vec::new();
        let mut all: FxHashMap<Atom, f64> = FxHashMap::default();
        let mut after: Vec<((Atom, Value), f64)> = after.into_iter().collect();
        after.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        // The most probable one is kept in any case.
        let n_kept = after.partition_point(|(_, weight)| *weight > self.floor).max(1);
        after.truncate(n_kept);
        if after.len() > ATOMS_MAX {
            after.truncate(ATOMS_MAX);
            self.has_left_out.set(true);
        }
        after.sort_by(|a, b| a.0.cmp(&b.0));
        for ((atom, value), weight) in after {
            *all.entry(atom.clone()).or_default() += weight;
            match by_value.iter_mut().find(|(it, ..)| *it == value) {
                Some((_, sum, belief)) => {
                    *sum += weight;
                    belief.push((atom, weight));
                }
                None => by_value.push((value, weight, vec![(atom, weight)])),
            }
        }
        by_value.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut all: Belief = all.into_iter().collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        let unread = self.number(all);
        let is_certain = by_value.len() == 1;
        let pulses = self.pulses;
        let values = by_value.into_iter().map(|(value, probability, belief)| {
            let belief = if is_certain { unread } else { self.number(belief) };
            let missed = delays::pessimistic(1.0 - probability, pulses);
            Possible { value, probability, missed, belief }
        });
        let next = Rc::new(Next { unread, values: values.collect() });
        self.known.insert((belief, step), Rc::clone(&next));
        next
    }

    /// What is known if one of several beliefs holds, with these weights.
    pub(super) fn mixed(&mut self, beliefs: &[(u32, f64)]) -> u32 {
        let mut all: FxHashMap<Atom, f64> = FxHashMap::default();
        for (number, share) in beliefs {
            for (atom, weight) in &self.beliefs[*number as usize] {
                *all.entry(atom.clone()).or_default() += share * weight;
            }
        }
        let mut all: Belief = all.into_iter().collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        self.number(all)
    }

    /// What becomes of one possibility until the next step, and what that reads.
    fn advance(
        &self,
        atom: &Atom,
        weight: f64,
        (before, now): (f64, f64),
        ways: &[Way],
        after: &mut FxHashMap<(Atom, Value), f64>,
    ) {
        // When a step reads is known only so exactly: what was sent a little later may have arrived.
        let ahead = ways.iter().map(|way| way.slack).fold(0.0, f64::max);
        let n_sent = self.sent.partition_point(|sent| sent.at[0] <= now + ahead) as u32;
        self.n_looked_at.set(self.n_looked_at.get().max(n_sent as usize));
        let new = (atom.n_sent + 1..=n_sent).map(|it| (it, self.sent[it as usize - 1].at.len()));
        let new = new.map(|(number, count)| (number, count as u32));
        let mut arriving: Vec<Arriving> = (atom.waiting.iter().copied().chain(new))
            .map(|(number, count)| {
                let group = &self.sent[number as usize - 1];
                let (early, late) = (group.arrived(before, ways), group.arrived(now, ways));
                let rest = 1.0 - early;
                let p = if rest <= 0.0 { 1.0 } else { ((late - early) / rest).clamp(0.0, 1.0) };
                Arriving { number, count, p, is_open: p > 0.0 && p < 1.0 }
            })
            .collect();
        let mut open: Vec<usize> = (0..arriving.len()).filter(|at| arriving[*at].is_open).collect();
        if open.len() > OPEN_MAX {
            // The least certain ones are looked at; of the others, what is more probable.
            let doubt = |at: &usize| (arriving[*at].p - 0.5).abs();
            open.sort_by(|a, b| doubt(a).total_cmp(&doubt(b)));
            open[OPEN_MAX..].iter().for_each(|at| arriving[*at].is_open = false);
            self.has_left_out.set(true);
        }
        let passed = Passed { parts: self.parts(&arriving, (before, now), ways), n_sent, atom };
        self.choose(&arriving, weight, &passed, &mut Chosen::new(), after);
    }

    /// Decides how many copies of the next value arrive, in all ways.
    fn choose(
        &self,
        arriving: &[Arriving],
        weight: f64,
        passed: &Passed<'_>,
        chosen: &mut Chosen,
        after: &mut FxHashMap<(Atom, Value), f64>,
    ) {
        let at = chosen.len();
        let Some(Arriving { number, count, p, is_open }) = arriving.get(at).copied() else {
            self.chosen(weight, passed, chosen, after);
            return;
        };
        // What is certain has one way only.
        let all = match (is_open, p >= 0.5) {
            (true, _) => 0..=count,
            (false, true) => count..=count,
            (false, false) => 0..=0,
        };
        for n in all {
            let weight = match is_open {
                true => weight * binomial(count, n, p),
                false => {
                    weight
                        * if p > 0.0 && p < 1.0 { p.max(1.0 - p).powi(count as i32) } else { 1.0 }
                }
            };
            if weight <= 0.0 || weight < self.floor {
                continue;
            }
            chosen.push((number, n));
            self.choose(arriving, weight, passed, chosen, after);
            chosen.pop();
        }
    }

    /// So many copies of each value have arrived, and the others are still on their way.
    fn chosen(
        &self,
        weight: f64,
        passed: &Passed<'_>,
        chosen: &Chosen,
        after: &mut FxHashMap<(Atom, Value), f64>,
    ) {
        let Passed { parts, n_sent, atom } = passed;
        let n_sent = *n_sent;
        let mut waiting: Vec<(u32, u32)> = Vec::new();
        for (part, (number, n)) in parts.iter().zip(chosen) {
            if part.count > *n {
                waiting.push((*number, part.count - n));
            }
        }
        if chosen.iter().all(|(_, n)| *n == 0) {
            let atom = Atom { held: atom.held, waiting, n_sent };
            let value = self.value(atom.held);
            *after.entry((atom, value)).or_default() += weight;
            return;
        }
        for (held, share) in self.last(chosen, parts) {
            let read = self.read(held, chosen);
            // Only its value matters from now on.
            let held = self.firsts[held as usize - 1];
            let atom = Atom { held, waiting: waiting.clone(), n_sent };
            for value in &read {
                let part = weight * share / read.len() as f64;
                *after.entry((atom.clone(), *value)).or_default() += part;
            }
        }
    }

    /// What a step may read if some values have arrived since the one before and one of them is held: that, or if it is zero and the input is
    /// latched, any other that came and went.
    fn read(&self, held: u32, arrived: &[(u32, u32)]) -> Vec<Value> {
        let value = self.value(held);
        if !self.is_latched || !is_zero(value) {
            return vec![value];
        }
        let arrived = arrived.iter().filter(|(_, n)| *n > 0);
        let mut all: Vec<Value> = arrived.map(|(number, _)| self.value(*number)).collect();
        all.retain(|it| !is_zero(*it));
        all.sort();
        all.dedup();
        if all.is_empty() { vec![value] } else { all }
    }

    /// When each value arrives, if it arrives between two steps.
    fn parts(&self, arriving: &[Arriving], (before, now): (f64, f64), ways: &[Way]) -> Vec<Parts> {
        let first = arriving.first().map(|it| self.value(it.number));
        // When values arrive matters only if they differ.
        let is_needed = arriving.iter().any(|it| Some(self.value(it.number)) != first);
        let parts = |it: &Arriving| {
            let group = &self.sent[it.number as usize - 1];
            let at = |piece: usize| before + (now - before) * piece as f64 / PIECES as f64;
            let [low, high] = [before, now].map(|at| group.arrived(at, ways));
            let part = |piece: usize| match high > low {
                true => ((group.arrived(at(piece), ways) - low) / (high - low)).clamp(0.0, 1.0),
                false => 1.0,
            };
            let mut done = Vec::new();
            if is_needed && it.p > 0.0 {
                let ends: [f64; PIECES + 1] = std::array::from_fn(part);
                let middles = std::array::from_fn(|at| f64::midpoint(ends[at], ends[at + 1]));
                done.push((ends, middles));
                for n in 1..it.count as usize {
                    let (before, middle) = done[n - 1];
                    let ends = std::array::from_fn(|at| before[at] * ends[at]);
                    let middles = std::array::from_fn(|at: usize| middle[at] * middles[at]);
                    done.push((ends, middles));
                }
            }
            Parts { count: it.count, done }
        };
        arriving.iter().map(parts).collect()
    }

    /// Of some values that arrive between two steps, which one comes last, with probabilities.
    fn last(&self, arrived: &[(u32, u32)], parts: &[Parts]) -> Vec<(u32, f64)> {
        let here: Vec<(u32, u32, &Parts)> = (arrived.iter().zip(parts))
            .filter(|((_, n), _)| *n > 0)
            .map(|((number, n), parts)| (*number, *n, parts))
            .collect();
        let (last, _, _) = here[here.len() - 1];
        let value = self.value(last);
        if here.iter().all(|(number, ..)| self.value(*number) == value) {
            // Which one it is does not matter if all are the same.
            return vec![(last, 1.0)];
        }
        let mut shares = vec![0.0; here.len()];
        for (at, (_, n, own)) in here.iter().enumerate() {
            let (ends, _) = &own.done[*n as usize - 1];
            let mut before = [1.0; PIECES];
            for (_, n, other) in here.iter().enumerate().filter(|(it, _)| *it != at).map(|it| it.1)
            {
                let (_, middles) = &other.done[*n as usize - 1];
                before.iter_mut().zip(middles).for_each(|(before, middle)| *before *= middle);
            }
            for (piece, before) in before.iter().enumerate() {
                shares[at] += (ends[piece + 1] - ends[piece]) * before;
            }
        }
        let sum: f64 = shares.iter().sum();
        match sum > 0.0 {
            true => here.iter().map(|it| it.0).zip(shares.into_iter().map(|it| it / sum)).collect(),
            false => vec![(last, 1.0)],
        }
    }

    /// The number of a belief, whose weights become probabilities; or 1, if it is a set.
    fn number(&mut self, mut belief: Belief) -> u32 {
        let sum: f64 = belief.iter().map(|(_, weight)| weight).sum();
        match self.weighs {
            true => belief.iter_mut().for_each(|(_, weight)| *weight /= sum),
            false => belief.iter_mut().for_each(|(_, weight)| *weight = 1.0),
        }
        let number = self.beliefs.len() as u32;
        *self.numbers.entry(rounded(&belief)).or_insert_with(|| {
            self.beliefs.push(belief);
            number
        })
    }
}

/// A belief in which probabilities are told by so many bits that only rounding is left out.
fn rounded(belief: &Belief) -> Vec<(Atom, u64)> {
    const STEPS: f64 = (1_u64 << 40) as f64;
    belief.iter().map(|(atom, weight)| (atom.clone(), (weight * STEPS).round() as u64)).collect()
}

/// Whether a value is false or zero.
fn is_zero(value: Value) -> bool {
    value.as_rational() == punctual_model::Rational::from_integer(0)
}

/// The probability of so many successes.
fn binomial(n: u32, successes: u32, p: f64) -> f64 {
    let ways = (0..successes).fold(1.0, |ways, it| ways * f64::from(n - it) / f64::from(it + 1));
    ways * p.powi(successes as i32) * (1.0 - p).powi((n - successes) as i32)
}

mod sets;
#[cfg(test)]
mod tests;
