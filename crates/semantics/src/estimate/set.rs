//! The states that explain what was observed, and how they change.

use std::ops::ControlFlow;

use punctual_model::SignalId;
use punctual_zones::Zone;

use super::estimator::{Estimator, Observed, Role};
use super::insert::{Index, Ways};
use super::interval::{End, Interval};
use super::refusals::Refusing;
use super::unseen::Unseen;
use crate::symbolic::{Active, Explorer, Halt, Successor, Trouble};

/// The origin of time moves when the present is so far away, in points of the grid.
const NEAR: i64 = 1 << 20;
/// Nobody looks farther ahead.
pub(super) const FAR: i64 = 1 << 26;
/// Longer delays are followed in parts: what goes round unseen leaves a state for each time, until
/// that is over.
pub(super) const PART: i64 = 1 << 8;
/// Longer delays are not followed: of states in which something may happen unseen, and of others.
const LONG: i64 = 1 << 34;
const LONG_STILL: i64 = 1 << 46;

/// A component may be in too many states.
const STATES_MAX: usize = 200_000;

/// States that differ in clocks only, and how far their hidden steps were followed.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) hash: u64,
    pub(super) state: Vec<i32>,
    /// Closed under waiting.
    pub(super) zone: Zone,
    /// Hidden steps up to here have been taken; none yet if there is nothing.
    pub(super) followed: Option<End>,
    pub(super) dead: bool,
    /// The edges taken since the last observation: process and edge, each once.
    pub(super) trail: Vec<(u32, u32)>,
}

impl Entry {
    /// Whether another one has all that it has.
    pub(super) fn is_dead(&self) -> bool {
        self.dead
    }

    /// Becomes another one, in the memory that it has.
    pub(super) fn assign(&mut self, other: &Entry) {
        (self.hash, self.followed, self.dead) = (other.hash, other.followed, other.dead);
        self.state.clone_from(&other.state);
        self.zone.assign(&other.zone);
        self.trail.clone_from(&other.trail);
    }
}

/// The states that a component may be in.
pub struct Estimate<'e> {
    pub(super) estimator: &'e Estimator,
    pub(super) explorer: Explorer<'e>,
    /// Its successors do not wait.
    pub(super) probe: Explorer<'e>,
    pub(super) active: Active,
    pub(super) entries: Vec<Entry>,
    pub(super) next: Vec<Entry>,
    pub(super) spare: Vec<Entry>,
    /// Of the list that is being added to.
    pub(super) index: Index,
    pub(super) origin: i64,
    /// The present.
    pub(super) now: End,
    pub(super) work: Zone,
    state: Vec<i32>,
    trail: Vec<(u32, u32)>,
    pub(super) sent: Vec<(u32, i32)>,
    /// More states are not followed.
    pub(super) states_max: usize,
    /// Whether states that refuse an input are kept.
    pub(super) minds_refusals: bool,
    /// No refusal after this instant counts, since something else happened by then.
    pub(super) refusals_until: Option<End>,
    /// Some of those that have refused one.
    pub(super) refusing: Vec<Refusing>,
    /// Whether errors of the model that lie ahead are left out.
    pub(super) forgives: bool,
    /// So many more hidden steps are followed.
    pub(super) steps_left: u64,
    /// Outputs that were sent and that nobody has seen.
    pub(super) unseen: Unseen,
}

/// Something that was observed, at some instant of an interval.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'o> {
    /// What was observed.
    pub what: What<'o>,
    /// When it happened. It has an end.
    pub interval: Interval,
}

/// What can be observed of a component.
#[derive(Clone, Copy, Debug)]
pub enum What<'o> {
    /// A signal was exchanged.
    Signal {
        /// The signal.
        signal: SignalId,
        /// The values that went with it.
        values: &'o [i32],
    },
    /// Locations and integers were read: positions in a state ([`Estimator::position_of_slot`],
    /// [`Estimator::position_of_process`]), and what is there.
    Reading(&'o [(u32, i32)]),
}

impl Observation<'_> {
    /// The same, no later than an instant.
    pub(super) fn until(self, end: Option<End>) -> Self {
        let to = match (self.interval.to, end) {
            (Some(a), Some(b)) if b.ends_before(a) => Some(b),
            (to, _) => to,
        };
        Self { interval: Interval { to, ..self.interval }, ..self }
    }

    pub(super) fn end(&self) -> End {
        self.interval.to.expect("an observation is over")
    }
}

/// What is known of the ways to the states of an estimate, beside the edges on them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Told {
    /// Whether none is missing. Some are if there are too many, or if they are not kept.
    pub are_all: bool,
    /// Whether the edges of some way may have been taken in another order, too.
    pub are_mixed: bool,
}

/// Why no state explains an observation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocked {
    /// Time could not pass until then: something had to happen before.
    Time,
    /// The signal is not possible in that interval.
    Signal,
}

/// Why an estimate can not go on.
#[derive(Debug)]
pub enum Overflow {
    /// There are more states than can be followed.
    States(usize),
    /// So many points of the grid between two observations, or during one, are too many to be followed.
    Span(i64),
    /// The model is in error.
    Trouble(Box<Trouble>),
    /// The budget is spent.
    Spent,
}

impl From<Halt> for Overflow {
    fn from(halt: Halt) -> Overflow {
        match halt {
            Halt::Stop => Overflow::States(STATES_MAX),
            Halt::Spent => Overflow::Spent,
            Halt::Trouble(trouble) => Overflow::Trouble(trouble),
        }
    }
}

impl<'e> Estimate<'e> {
    /// An estimate of a component that has just started.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn new(estimator: &'e Estimator) -> Result<Estimate<'e>, Overflow> {
        let symbolic = &estimator.symbolic;
        let mut explorer = Explorer::new(symbolic);
        explorer.observe(&estimator.observed, &estimator.sent);
        let mut probe = Explorer::without_waiting(symbolic);
        probe.observe(&estimator.observed, &estimator.sent);
        let mut estimate = Estimate {
            estimator,
            explorer,
            probe,
            active: Active::new(symbolic.n_clocks()),
            entries: Vec::new(),
            next: Vec::new(),
            spare: Vec::new(),
            index: Index::default(),
            origin: 0,
            now: End::at(0),
            work: Zone::zero(0),
            state: Vec::new(),
            trail: Vec::new(),
            sent: Vec::new(),
            states_max: STATES_MAX,
            minds_refusals: false,
            refusals_until: None,
            refusing: Vec::new(),
            forgives: false,
            steps_left: u64::MAX,
            unseen: Unseen::default(),
        };
        estimate.restart()?;
        Ok(estimate)
    }

    /// Forgets everything: the component has just started again.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn restart(&mut self) -> Result<(), Overflow> {
        self.spare.append(&mut self.entries);
        (self.origin, self.now) = (0, End::at(0));
        self.unseen.is_open = false;
        let Self { estimator, explorer, entries, spare, index, .. } = self;
        index.reset();
        explorer.initial(&mut |successor| {
            index.insert(estimator, entries, spare, successor, &[]);
            ControlFlow::Continue(())
        })?;
        self.bury();
        Ok(())
    }

    /// The component.
    #[must_use]
    pub fn estimator(&self) -> &'e Estimator {
        self.estimator
    }

    /// How many symbolic states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no state explains what was observed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The present: observations before it are over.
    #[must_use]
    pub fn now(&self) -> End {
        self.now
    }

    /// Time passes, and nothing is observed before the new present.
    ///
    /// If it can not pass, nothing changes but that hidden steps were followed.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    pub fn advance(&mut self, to: End) -> Result<Result<(), Blocked>, Overflow> {
        let span = to.at.saturating_sub(self.now.at);
        if span > PART {
            let (part, longest) = match self.is_still()? {
                true => (FAR, LONG_STILL),
                false => (PART, LONG),
            };
            if span > longest {
                return Err(Overflow::Span(span));
            }
            while to.at - self.now.at > part {
                let step = End::at(self.now.at + part);
                if !self.pass(step)? {
                    return Ok(Err(Blocked::Time));
                }
            }
        }
        Ok(if self.pass(to)? { Ok(()) } else { Err(Blocked::Time) })
    }

    /// Sees to it that an observation ends near enough to be followed.
    pub(super) fn mind_span(&self, end: End) -> Result<(), Overflow> {
        let span = end.at.saturating_sub(self.origin);
        if span > FAR { Err(Overflow::Span(span)) } else { Ok(()) }
    }

    /// Notes what somebody outside sends along with a signal; false if these values can not be.
    pub(super) fn send(&mut self, observed: &Observed, values: &[i32]) -> bool {
        self.sent.clear();
        if observed.role != Role::Receives {
            return true;
        }
        for ((slot, range), value) in observed.slots.iter().zip(&observed.ranges).zip(values) {
            if !(range.lo..=range.hi).contains(value) {
                return false;
            }
            self.sent.push((*slot, *value));
        }
        true
    }

    pub(super) fn pass(&mut self, to: End) -> Result<bool, Overflow> {
        if !self.now.begins_before(to) {
            return Ok(!self.entries.is_empty());
        }
        if self.estimator.symbolic.budget().is_spent() {
            return Err(Overflow::Spent);
        }
        self.follow(End::at(to.at))?;
        let lower = to.lower(self.origin);
        let Self { estimator, active, entries, .. } = self;
        let mut some = false;
        for entry in entries.iter_mut() {
            active.set(&estimator.symbolic, &entry.state);
            let time = estimator.time(active);
            entry.dead = !lower.meets(entry.zone.bound(time, 0));
            some |= !entry.dead;
        }
        if !some {
            entries.iter_mut().for_each(|entry| entry.dead = false);
            return Ok(false);
        }
        for entry in entries.iter_mut().filter(|entry| !entry.dead) {
            active.set(&estimator.symbolic, &entry.state);
            let time = estimator.time(active);
            let holds = entry.zone.constrain(0, time, lower);
            assert!(holds, "the bounds meet");
        }
        self.now = to;
        self.bury();
        self.rebase();
        Ok(true)
    }

    /// A signal is observed, or a part of the state is read.
    ///
    /// If no state explains it, nothing changes but that hidden steps were followed and time passed
    /// as far as it could.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    ///
    /// # Panics
    /// If the interval has no end, or the component has nothing to do with the signal.
    pub fn observe(
        &mut self,
        observation: &Observation<'_>,
    ) -> Result<Result<(), Blocked>, Overflow> {
        let end = observation.end();
        self.replace(observation.interval.from, end, |it, next| it.take_part(observation, next))
    }

    /// A part of the state is read, and shows one of several combinations of values: positions in a state, and what is
    /// there.
    ///
    /// If no state explains it, nothing changes but that hidden steps were followed and time passed.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    pub fn observe_any(
        &mut self,
        readings: &[Vec<(u32, i32)>],
        at: i64,
    ) -> Result<Result<(), Blocked>, Overflow> {
        let interval = Interval::point(at);
        self.replace(interval.from, End::at(at), |it, next| {
            readings.iter().try_for_each(|seen| {
                let observation = Observation { what: What::Reading(seen), interval };
                it.take_reading(seen, &observation, next)
            })
        })
    }

    /// What happens in an interval puts other states in the place of the present ones, if there are any.
    fn replace(
        &mut self,
        from: End,
        end: End,
        take: impl FnOnce(&mut Self, &mut Vec<Entry>) -> Result<(), Overflow>,
    ) -> Result<Result<(), Blocked>, Overflow> {
        if let Err(blocked) = self.advance(from)? {
            return Ok(Err(blocked));
        }
        self.mind_span(end)?;
        self.follow(end)?;
        let mut next = std::mem::take(&mut self.next);
        let done = take(self, &mut next);
        self.next = next;
        if done.is_err() {
            self.spare.append(&mut self.next);
        }
        done?;
        if self.next.is_empty() {
            return Ok(Err(Blocked::Signal));
        }
        std::mem::swap(&mut self.entries, &mut self.next);
        self.spare.append(&mut self.next);
        self.bury();
        self.note_end(end);
        Ok(Ok(()))
    }

    /// Adds the states after an observation, from each present state that explains it.
    pub(super) fn take_part(
        &mut self,
        observation: &Observation<'_>,
        next: &mut Vec<Entry>,
    ) -> Result<(), Overflow> {
        let estimator = self.estimator;
        let (signal, values) = match observation.what {
            What::Signal { signal, values } => (signal, values),
            What::Reading(seen) => return self.take_reading(seen, observation, next),
        };
        let observed = &estimator.signals[signal];
        assert_ne!(observed.role, Role::None, "somebody else's signal");
        if !self.send(observed, values) {
            return Ok(());
        }
        if self.minds_refusals && observed.may_be_refused {
            self.note_refusals(observation)?;
        }
        let lower = observation.interval.from.lower(self.origin);
        let upper = observation.end().upper(self.origin);
        let Self { explorer, active, entries, spare, index, work, sent, .. } = self;
        index.reset();
        for entry in entries.iter() {
            active.set(&estimator.symbolic, &entry.state);
            let time = estimator.time(active);
            work.assign(&entry.zone);
            if !work.constrain(time, 0, upper) || !work.constrain(0, time, lower) {
                continue;
            }
            let visit = &mut |successor: Successor<'_>| {
                if has_values(observed.role, &observed.slots, values, successor.state) {
                    index.insert(estimator, next, spare, successor, &entry.trail);
                }
                ControlFlow::Continue(())
            };
            explorer.successors_on(observed.channel, sent, &entry.state, &*work, visit)?;
        }
        Ok(())
    }

    /// Adds the present states that are as they were read, cut to the instants of the reading; time then
    /// goes on from there.
    fn take_reading(
        &mut self,
        seen: &[(u32, i32)],
        observation: &Observation<'_>,
        next: &mut Vec<Entry>,
    ) -> Result<(), Overflow> {
        let estimator = self.estimator;
        let lower = observation.interval.from.lower(self.origin);
        let upper = observation.end().upper(self.origin);
        let Self { explorer, active, entries, spare, index, work, .. } = self;
        index.reset();
        for entry in entries.iter() {
            if seen.iter().any(|(position, value)| entry.state[*position as usize] != *value) {
                continue;
            }
            active.set(&estimator.symbolic, &entry.state);
            let time = estimator.time(active);
            work.assign(&entry.zone);
            if !work.constrain(time, 0, upper) || !work.constrain(0, time, lower) {
                continue;
            }
            explorer.wait(&entry.state, &*work, &mut |successor| {
                index.insert(estimator, next, spare, successor, &entry.trail);
                ControlFlow::Continue(())
            })?;
        }
        Ok(())
    }

    /// From now on, all ways to a state are kept, to be asked for by [`take_trails`](Self::take_trails) after each observation.
    /// Otherwise one of them stands for all.
    pub fn keep_ways(&mut self, keeps: bool) {
        self.index.ways.are_kept = keeps;
    }

    /// Calls `see` with the edges that were taken since the last call of this, for each way to a state that is
    /// possible now, and forgets them.
    pub fn take_trails(&mut self, mut see: impl FnMut(&[(u32, u32)])) -> Told {
        for entry in &mut self.entries {
            see(&entry.trail);
            entry.trail.clear();
        }
        let told = self.told();
        self.unite();
        told
    }

    /// The same for the states that are possible at the present, without what was looked at ahead of it. A present between two points of
    /// the grid may be anywhere there.
    pub fn take_present_trails(&mut self, mut see: impl FnMut(&[(u32, u32)])) -> Told {
        let end = if self.now.open { End::open(self.now.at + 1) } else { self.now };
        let is_followed = self.follow(end).is_ok();
        self.note_end(end);
        let upper = end.upper(self.origin);
        let Self { estimator, active, entries, .. } = self;
        for entry in entries.iter_mut().filter(|it| !it.dead) {
            active.set(&estimator.symbolic, &entry.state);
            if upper.meets(entry.zone.bound(0, estimator.time(active))) {
                see(&entry.trail);
                entry.trail.clear();
            }
        }
        let told = self.told();
        Told { are_all: told.are_all && is_followed, ..told }
    }

    /// What was observed is over by now.
    pub(super) fn note_end(&mut self, end: End) {
        self.index.ways.until = i32::try_from(end.at - self.origin).unwrap_or(i32::MAX);
    }

    fn told(&mut self) -> Told {
        let ways = &mut self.index.ways;
        let told = Told { are_all: ways.are_all(), are_mixed: ways.are_mixed };
        *ways = Ways { are_kept: ways.are_kept, are_apart: ways.are_apart, ..Ways::default() };
        told
    }

    /// Ways do not tell states apart any more.
    pub(super) fn unite(&mut self) {
        let Self { estimator, active, entries, index, .. } = self;
        index.unite(estimator, active, entries);
        self.bury();
    }

    /// Takes hidden steps that happen up to an instant.
    pub(super) fn follow(&mut self, to: End) -> Result<(), Overflow> {
        let upper = to.upper(self.origin);
        let (origin, states_max) = (self.origin, self.states_max);
        let unseen_from = self.unseen.now().map(|from| from.lower(origin));
        let Self { estimator, explorer, active, entries, spare, index, work, .. } = self;
        let Self { state, trail, steps_left, .. } = self;
        index.reset();
        let mut i = 0;
        while let Some(entry) = entries.get_mut(i) {
            i += 1;
            let followed = entry.followed;
            if entry.dead || followed.is_some_and(|followed| !followed.ends_before(to)) {
                continue;
            }
            entry.followed = Some(to);
            active.set(&estimator.symbolic, &entry.state);
            let time = estimator.time(active);
            if !upper.meets(entry.zone.bound(0, time)) {
                continue;
            }
            // What happened up to the last instant has been followed.
            let later = followed.map(|end| End { at: end.at, open: !end.open }.lower(origin));
            if later.is_some_and(|later| !later.meets(entry.zone.bound(time, 0))) {
                continue;
            }
            work.assign(&entry.zone);
            let mut meets = work.constrain(time, 0, upper);
            if let Some(later) = later {
                meets = meets && work.constrain(0, time, later);
            }
            if !meets {
                continue;
            }
            state.clone_from(&entry.state);
            trail.clone_from(&entry.trail);
            let mut visit = |successor: Successor<'_>| {
                index.insert(estimator, entries, spare, successor, trail);
                *steps_left = steps_left.saturating_sub(1);
                match entries.len() > states_max || *steps_left == 0 {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            };
            let mut done = explorer.hidden_successors(state, &*work, &mut visit);
            if let Some(lower) = unseen_from
                && done.is_ok()
                && work.constrain(0, time, lower)
            {
                done = estimator.outputs().try_for_each(|channel| {
                    explorer.successors_on(channel, &[], state, &*work, &mut visit)
                });
            }
            // Who gets there in earnest looks again. What could not be followed to the end counts as not followed, so that whoever asks
            // next is told so, too.
            if explorer.take_forgiven() || done.is_err() {
                entries[i - 1].followed = followed;
            }
            if let Err(overflow) = done {
                self.bury();
                return Err(overflow.into());
            }
        }
        self.bury();
        Ok(())
    }

    /// Removes the dead.
    pub(super) fn bury(&mut self) {
        let mut kept = 0;
        for i in 0..self.entries.len() {
            if !self.entries[i].dead {
                self.entries.swap(kept, i);
                kept += 1;
            }
        }
        self.spare.extend(self.entries.drain(kept..));
    }

    /// Moves the origin to the present.
    fn rebase(&mut self) {
        let by = self.now.at - self.origin;
        if by < NEAR {
            return;
        }
        self.origin = self.now.at;
        let by = i32::try_from(by).expect("long delays are followed in parts");
        self.index.ways.rebase(by);
        let Self { estimator, active, entries, .. } = self;
        for entry in entries.iter_mut() {
            active.set(&estimator.symbolic, &entry.state);
            let holds = entry.zone.shift(estimator.time(active), -by);
            assert!(holds, "the present is not before the origin");
            // The other clocks have grown, too.
            if !estimator.symbolic.has_diagonals() {
                entry.zone.extra_lu_plus(active.bounds());
            }
        }
    }
}

/// Whether the values that a component sends are those that were observed.
fn has_values(role: Role, slots: &[u32], values: &[i32], state: &[i32]) -> bool {
    role != Role::Sends
        || slots.iter().zip(values).all(|(slot, value)| state[*slot as usize] == *value)
}
