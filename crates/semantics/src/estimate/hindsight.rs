//! Windows with hindsight: from when on something was allowed, whatever was observed since.
//!
//! An estimate knows the present. What was allowed a moment ago is gone as soon as time has passed or
//! something else was observed, but people ask for it when a system is wrong. So the last observations are
//! remembered, and states of some time ago; these are followed again when somebody asks, which is rarely.
//!
//! The window of a signal, or of values that are read, has the instants at which it would have been
//! explained by what was observed before that instant. Told are the windows since the last
//! observation, and those that were open then from where they began: an observation that leaves a window
//! open does not cut it. Only the signal itself does, since what comes after it is another one.

use std::collections::BTreeMap;

use punctual_model::SignalId;

use super::interval::{End, Interval, united};
use super::offers::{Offer, Shown};
use super::set::{Estimate, FAR, Observation, Overflow, PART, What};
use super::snapshot::Snapshot;

/// At least so many observations are remembered, and at most twice as many.
const REMEMBERED: usize = 64;

/// A look ahead that needs more states than this is cut.
const AHEAD_MAX: usize = 4_000;

/// A look ahead follows no more hidden steps than this: while a run goes on, and once for a diagnosis.
const STEPS_LIVE: u64 = 10_000;
const STEPS_MAX: u64 = 40_000;

/// How many queues of observations there are.
const QUEUES: usize = 3;

/// The last observations of a run of a component.
#[derive(Clone, Debug)]
pub struct Hindsight {
    old: Generation,
    young: Generation,
    /// What was told while the run goes on; nothing if nobody asked.
    live: Option<Live>,
    /// By how many points of the grid the clock of the component may be off since the last observation.
    drifted: i64,
}

/// What was or will be allowed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Windows {
    /// The signals that the component sends, with the whole window of each.
    pub offers: Vec<Offer>,
    /// The values at the positions that were asked for, with the whole window of each.
    pub readings: Vec<(Vec<i32>, Interval)>,
    /// The instant after which hidden steps were left out, in points of the grid: the horizon, or the one
    /// from which on there are too many states; none if no hidden step was left out.
    pub cut: Option<i64>,
}

/// Observations, and the states before the first.
#[derive(Clone, Debug, Default)]
struct Generation {
    before: Snapshot,
    /// How many groups of observations are older.
    n_older: u64,
    log: Log,
}

/// Observations in groups: those of one group may have happened in any order.
#[derive(Clone, Debug, Default)]
struct Log {
    kept: Vec<Kept>,
    /// The index after the last of each group, and by how many points of the grid the clock of the component may have
    /// gone off before it.
    groups: Vec<(usize, i64)>,
    values: Vec<i32>,
    read: Vec<(u32, i32)>,
}

#[derive(Clone, Copy, Debug)]
struct Kept {
    /// The signal; none if it is a reading.
    signal: Option<SignalId>,
    /// Where the values are.
    start: usize,
    end: usize,
    interval: Interval,
    queue: usize,
}

#[derive(Clone, Debug)]
struct Live {
    /// How many groups of observations are behind the states, and by how many points of the grid the clock of the
    /// component may have gone off since, as the states know and as was told.
    n_groups: u64,
    known: i64,
    drifted: i64,
    states: Snapshot,
    carried: Carried,
    told: Windows,
    /// Hidden steps were followed up to this, or there are too many of them.
    horizon: i64,
}

/// What an observer sees.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Look {
    /// A signal with its values.
    Signal(SignalId, Vec<i32>),
    /// Values that are read.
    Reading(Vec<i32>),
}

impl Look {
    /// Whether it is a signal, with any values.
    fn is_of(&self, sought: SignalId) -> bool {
        matches!(self, Look::Signal(signal, _) if *signal == sought)
    }

    /// Whether it is a signal that was observed.
    fn is(&self, what: &What<'_>) -> bool {
        match (self, what) {
            (Look::Signal(signal, values), What::Signal { signal: seen, values: others }) => {
                signal == seen && values == others
            }
            _ => false,
        }
    }
}

/// When what may be observed, by the edges that it takes.
type Found = BTreeMap<Look, BTreeMap<Vec<(u32, u32)>, Vec<Interval>>>;

/// When what could be observed, up to now.
pub(super) type Carried = BTreeMap<Look, Vec<Interval>>;

/// Observations of a group, each in its queue.
pub type Queues<'o> = [&'o [Observation<'o>]; QUEUES];

impl Hindsight {
    /// Remembers a run that begins with the states of an estimate.
    #[must_use]
    pub fn new(estimate: &Estimate<'_>) -> Hindsight {
        let mut hindsight = Hindsight {
            old: Generation::default(),
            young: Generation::default(),
            live: None,
            drifted: 0,
        };
        hindsight.restart(estimate);
        hindsight
    }

    /// Forgets everything: an estimate has just started again.
    pub fn restart(&mut self, estimate: &Estimate<'_>) {
        for generation in [&mut self.old, &mut self.young] {
            generation.restart(estimate, 0);
        }
        (self.live, self.drifted) = (None, 0);
    }

    /// The clock of the component may have gained or lost so many points of the grid ([`Estimate::drift`]).
    pub fn drift(&mut self, points: i64) {
        self.drifted += points;
    }

    /// An estimate has just explained an observation.
    pub fn note(&mut self, estimate: &Estimate<'_>, observation: &Observation<'_>) {
        self.young.log.push(observation, 0);
        self.close(estimate);
    }

    /// An estimate has just explained observations in some order.
    pub fn note_queues(&mut self, estimate: &Estimate<'_>, queues: Queues<'_>) {
        let n_before = self.young.log.kept.len();
        for (number, queue) in queues.into_iter().enumerate() {
            queue.iter().for_each(|it| self.young.log.push(it, number));
        }
        if self.young.log.kept.len() > n_before {
            self.close(estimate);
        }
    }

    fn close(&mut self, estimate: &Estimate<'_>) {
        let log = &mut self.young.log;
        log.groups.push((log.kept.len(), std::mem::take(&mut self.drifted)));
        if log.kept.len() >= REMEMBERED {
            std::mem::swap(&mut self.old, &mut self.young);
            self.young.restart(estimate, self.old.end());
        }
    }

    /// The windows since the last observation, and up to a horizon, of all signals that the component
    /// sends and of the values at some positions. If some more observations could not be explained
    /// (`stuck`), those that some states explain count. If a signal is `sought`, the horizon moves on until it has a window and
    /// all windows that were found are over, or the look ahead has taken too many steps.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    pub fn windows(
        &self,
        estimate: &mut Estimate<'_>,
        stuck: Queues<'_>,
        positions: &[u32],
        (horizon, sought): (i64, Option<SignalId>),
    ) -> Result<Windows, Overflow> {
        estimate.apart(|estimate| {
            let mut carried = Carried::new();
            self.recall(estimate, stuck, positions, &mut carried)?;
            estimate.steps_left = STEPS_MAX;
            Ok(look_ahead(estimate, positions, (horizon, sought), &carried))
        })
    }

    /// The states of an estimate that has not explained all observations, as [`Estimate::states`] says, at the last instant that was
    /// possible (`at`), with the values that clocks really have.
    ///
    /// An estimate forgets values that do not matter; a person who reads them wants to know them. What was forgotten before the last
    /// observations that are remembered stays forgotten; if there are more than `most` states with these values, all of it.
    pub fn states(
        &self,
        estimate: &mut Estimate<'_>,
        stuck: Queues<'_>,
        (at, until): (End, End),
        most: usize,
    ) -> Vec<Shown> {
        let exact = estimate.apart(|estimate| {
            estimate.index.is_exact = true;
            estimate.states_max = AHEAD_MAX;
            estimate.steps_left = STEPS_MAX;
            let mut follow = || {
                match self.old.n_older {
                    0 => {
                        estimate.restart()?;
                        self.recall_from_there(estimate, stuck, &[], &mut Carried::new())?;
                    }
                    _ => self.recall(estimate, stuck, &[], &mut Carried::new())?,
                }
                let passed = estimate.advance(at)?;
                estimate.follow(End::at(until.at.min(estimate.origin + FAR)))?;
                Ok::<_, Overflow>(passed.is_ok().then(|| estimate.states(until)))
            };
            let found = follow();
            estimate.index.is_exact = false;
            found
        });
        match exact {
            Ok(Some(states)) if (1..=most).contains(&states.len()) => states,
            _ => estimate.apart(|estimate| {
                // If time can not pass, they are shown as they are.
                let _ = estimate.advance(at);
                estimate.states(until)
            }),
        }
    }

    /// Where the look ahead of [`live`](Self::live) ended that was asked for last; none if nothing lies behind it.
    #[must_use]
    pub fn live_cut(&self) -> Option<i64> {
        self.live.as_ref().and_then(|live| live.told.cut)
    }

    /// Leads an estimate to where it was after the last observation, before any time passed.
    pub(super) fn recall(
        &self,
        estimate: &mut Estimate<'_>,
        stuck: Queues<'_>,
        positions: &[u32],
        carried: &mut Carried,
    ) -> Result<(), Overflow> {
        estimate.restore(&self.old.before);
        self.recall_from_there(estimate, stuck, positions, carried)
    }

    /// Follows the observations that are remembered, from the states before them.
    fn recall_from_there(
        &self,
        estimate: &mut Estimate<'_>,
        stuck: Queues<'_>,
        positions: &[u32],
        carried: &mut Carried,
    ) -> Result<(), Overflow> {
        for generation in [&self.old, &self.young] {
            for group in 0..generation.log.groups.len() {
                estimate.drift(generation.log.groups[group].1);
                let queues = generation.log.group(group);
                let queues = queues.each_ref().map(|queue| &queue[..]);
                replay(estimate, queues, positions, carried)?;
            }
        }
        estimate.drift(self.drifted);
        if explains_some(estimate, stuck)? {
            replay(estimate, stuck, positions, carried)?;
        }
        // What would have been seen next is told.
        estimate.open_unseen(false);
        Ok(())
    }

    /// As [`windows`](Self::windows), of signals only and while the run goes on: what was told is kept, and
    /// computed anew after an observation. Looks ahead by so many points of the grid, or somewhat less.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    pub fn live(&mut self, estimate: &mut Estimate<'_>, ahead: i64) -> Result<&[Offer], Overflow> {
        let now = estimate.now().at;
        let n_groups = self.young.end();
        let fresh = |live: &Live| {
            (live.n_groups, live.drifted) == (n_groups, self.drifted)
                && (live.told.cut.is_none() || now + ahead / 2 <= live.horizon)
        };
        if !self.live.as_ref().is_some_and(fresh) {
            let live = self.live.take().filter(|live| live.n_groups >= self.old.n_older);
            let (mut n_done, states, mut known, mut carried) = match live {
                // A long silence is not followed again and again.
                Some(live) if live.n_groups == n_groups && live.states.now.at + 4 * ahead < now => {
                    let here = Interval { from: estimate.now(), to: None };
                    let carried = reaching(live.told.carried(), here);
                    (n_groups, estimate.save(), self.drifted, carried)
                }
                Some(live) => (live.n_groups, live.states, live.known, live.carried),
                None => (self.old.n_older, self.old.before.clone(), 0, Carried::new()),
            };
            let live: Result<Live, Overflow> = estimate.apart(|estimate| {
                estimate.restore(&states);
                for generation in [&self.old, &self.young] {
                    while (generation.n_older..generation.end()).contains(&n_done) {
                        let number = (n_done - generation.n_older) as usize;
                        estimate.drift(generation.log.groups[number].1 - known);
                        known = 0;
                        let queues = generation.log.group(number);
                        let queues = queues.each_ref().map(|queue| &queue[..]);
                        replay(estimate, queues, &[], &mut carried)?;
                        n_done += 1;
                    }
                }
                let states = estimate.save();
                let drifted = self.drifted;
                estimate.drift(drifted - known);
                let horizon = now.saturating_add(ahead);
                estimate.steps_left = STEPS_LIVE;
                let told = look_ahead(estimate, &[], (horizon, None), &carried);
                Ok(Live { n_groups, known, drifted, states, carried, told, horizon })
            });
            self.live = Some(live?);
        }
        Ok(self.live.as_ref().map_or(&[], |live| &live.told.offers))
    }
}

impl Windows {
    /// The windows of signals.
    fn carried(&self) -> Carried {
        let mut carried = Carried::new();
        for Offer { signal, values, interval, .. } in &self.offers {
            let look = Look::Signal(*signal, values.clone());
            carried.entry(look).or_default().push(*interval);
        }
        carried.into_iter().map(|(look, windows)| (look, united(windows))).collect()
    }
}

impl Generation {
    fn restart(&mut self, estimate: &Estimate<'_>, n_older: u64) {
        self.log.clear();
        self.n_older = n_older;
        self.before.take_from(estimate);
    }

    /// How many groups there are up to its end.
    fn end(&self) -> u64 {
        self.n_older + self.log.groups.len() as u64
    }
}

impl Log {
    fn clear(&mut self) {
        self.kept.clear();
        self.groups.clear();
        self.values.clear();
        self.read.clear();
    }

    fn push(&mut self, observation: &Observation<'_>, queue: usize) {
        let interval = observation.interval;
        let (signal, start, end) = match observation.what {
            What::Signal { signal, values } => {
                let start = self.values.len();
                self.values.extend_from_slice(values);
                (Some(signal), start, self.values.len())
            }
            What::Reading(seen) => {
                let start = self.read.len();
                self.read.extend_from_slice(seen);
                (None, start, self.read.len())
            }
        };
        self.kept.push(Kept { signal, start, end, interval, queue });
    }

    /// The observations of a group.
    fn group(&self, number: usize) -> [Vec<Observation<'_>>; QUEUES] {
        let start = number.checked_sub(1).map_or(0, |before| self.groups[before].0);
        let mut queues: [Vec<Observation<'_>>; QUEUES] = Default::default();
        for kept in &self.kept[start..self.groups[number].0] {
            let what = match kept.signal {
                Some(signal) => What::Signal { signal, values: &self.values[kept.start..kept.end] },
                None => What::Reading(&self.read[kept.start..kept.end]),
            };
            queues[kept.queue].push(Observation { what, interval: kept.interval });
        }
        queues
    }
}

/// Whether some states explain at least one of some observations.
fn explains_some(estimate: &mut Estimate<'_>, queues: Queues<'_>) -> Result<bool, Overflow> {
    if queues.iter().all(|queue| queue.is_empty()) {
        return Ok(false);
    }
    let explained = estimate.apart(|estimate| estimate.observe_queues(queues))?;
    Ok(explained.map_or_else(|stuck| stuck.explained.iter().any(|n| *n > 0), |()| true))
}

/// Follows the states through some observations, and what was allowed before them and at their instants.
fn replay(
    estimate: &mut Estimate<'_>,
    queues: Queues<'_>,
    positions: &[u32],
    carried: &mut Carried,
) -> Result<(), Overflow> {
    let all = || queues.iter().copied().flatten();
    let begins = all().map(|it| it.interval.from);
    let ends = all().map(|it| it.end());
    let Some(begin) = begins.reduce(|a, b| if a.begins_before(b) { a } else { b }) else {
        return Ok(());
    };
    let end = ends.fold(End::at(begin.at), |a, b| if a.ends_before(b) { b } else { a });
    let before = Interval { from: estimate.now(), to: Some(end) };
    let mut found = Found::new();
    // What nobody has seen came after what was seen.
    estimate.open_unseen(false);
    if begin.at.saturating_sub(estimate.now().at) > PART {
        estimate.walk(begin.at, &mut |estimate, until| {
            collect(estimate, until.meet(before), positions, &mut found)
        })?;
        let _ = estimate.advance(begin)?;
    }
    estimate.follow(end)?;
    collect(estimate, before, positions, &mut found)?;
    match all().count() {
        1 if !estimate.unseen.is_asked() => {
            for observation in all() {
                let _ = estimate.observe(observation)?;
            }
        }
        _ => {
            let _ = estimate.observe_queues(queues)?;
        }
    }
    let mut whole = Carried::new();
    for (look, by_edges) in found {
        let windows = by_edges.into_values().flatten().collect();
        let before = carried.get(&look).map_or(&[][..], |them| them);
        whole.insert(look, extended(windows, before));
    }
    // Where time stands still, only what happens there is seen, and other windows are open all the same.
    for (look, before) in std::mem::take(carried) {
        let windows = whole.entry(look).or_default();
        windows.extend(before);
        *windows = united(std::mem::take(windows));
    }
    // What was over before is told no more. What was seen is over, too: the same may be seen once more, in
    // a window of its own.
    whole.retain(|look, _| !all().any(|it| look.is(&it.what)));
    *carried = reaching(whole, Interval { from: begin, to: None });
    Ok(())
}

/// Only those windows that reach an interval, or end where it begins.
fn reaching(mut carried: Carried, here: Interval) -> Carried {
    for windows in carried.values_mut() {
        windows.retain(|it| it.touches(here));
    }
    carried
}

/// The windows from the present states on.
fn look_ahead(
    estimate: &mut Estimate<'_>,
    positions: &[u32],
    (horizon, sought): (i64, Option<SignalId>),
    carried: &Carried,
) -> Windows {
    let mut found = Found::new();
    let last = estimate.now().at.saturating_add(FAR);
    let horizon = horizon.min(estimate.now().at.saturating_add(FAR));
    estimate.states_max = AHEAD_MAX.max(4 * estimate.entries.len());
    let walked = estimate
        .walk(horizon, &mut |estimate, until| collect(estimate, until, positions, &mut found));
    let mut is_endless = false;
    let cut = match walked {
        Ok(true) => None,
        Ok(false) => match sought.and_then(|it| seek(estimate, it, &found, (horizon, last))) {
            Some((more, cut)) => {
                join(&mut found, more);
                is_endless = cut.is_some();
                cut.filter(|it| *it < last)
            }
            None => Some(horizon),
        },
        // An error of the model that lies ahead is none of what was observed.
        Err(_) => Some(estimate.now().at),
    };
    if cut.is_some() {
        let ever = Interval { from: estimate.now(), to: None };
        let _ = collect(estimate, ever, positions, &mut found);
    }
    // A window that goes on as far as anybody looked has no end that is known.
    let reached = if is_endless { cut.unwrap_or(last) } else { i64::MAX };
    let end = |it: Interval| Interval { to: it.to.filter(|to| to.at < reached), ..it };
    let mut windows = Windows { cut, ..Windows::default() };
    for (look, by_edges) in found {
        let before = carried.get(&look).map_or(&[][..], |them| them);
        for (edges, intervals) in by_edges {
            for interval in extended(intervals, before) {
                match look.clone() {
                    Look::Signal(signal, values) => {
                        let edges = edges.clone();
                        let interval = end(interval);
                        windows.offers.push(Offer { signal, values, interval, edges });
                    }
                    Look::Reading(values) => windows.readings.push((values, interval)),
                }
            }
        }
    }
    windows
}

/// Looks farther ahead than a horizon, until a signal may be sent and all windows that were found before are over: all windows up to there, and
/// the new horizon, if hidden steps are left out behind it. None if the signal has no window with so many steps, or nothing goes on; nothing
/// has changed then.
fn seek(
    estimate: &mut Estimate<'_>,
    sought: SignalId,
    known: &Found,
    (mut horizon, last): (i64, i64),
) -> Option<(Found, Option<i64>)> {
    let is_there = |it: &Found| it.keys().any(|look| look.is_of(sought));
    let was_there = is_there(known);
    if was_there && !goes_on(known, horizon) {
        return None;
    }
    let before = estimate.save();
    let mut found = Found::new();
    let mut span = PART;
    let mut is_over = false;
    while horizon < last && !is_over {
        let farther = horizon.saturating_add(span).min(last);
        span = span.saturating_mul(2);
        let walked = estimate
            .walk(farther, &mut |estimate, until| collect(estimate, until, &[], &mut found));
        let Ok(whole) = walked else { break };
        (is_over, horizon) = (whole, farther);
        // A window that goes on is followed to its end, if that is not too far.
        if (was_there || is_there(&found)) && !goes_on(&found, horizon) {
            break;
        }
    }
    if !is_over && !was_there && !is_there(&found) {
        estimate.restore(&before);
        return None;
    }
    Some((found, (!is_over).then_some(horizon)))
}

/// Whether some window of a signal is not over at a horizon.
fn goes_on(found: &Found, horizon: i64) -> bool {
    let signals = found.iter().filter(|(look, _)| matches!(look, Look::Signal(..)));
    let mut windows = signals.flat_map(|(_, by_edges)| by_edges.values().flatten());
    windows.any(|it| it.to.is_none_or(|to| to.at >= horizon))
}

/// Adds windows to others.
fn join(found: &mut Found, more: Found) {
    for (look, by_edges) in more {
        let known = found.entry(look).or_default();
        for (edges, intervals) in by_edges {
            known.entry(edges).or_default().extend(intervals);
        }
    }
}

/// Adds what may be observed of the present states, as far as they say all about some instants.
fn collect(
    estimate: &mut Estimate<'_>,
    within: Interval,
    positions: &[u32],
    found: &mut Found,
) -> Result<(), Overflow> {
    let mut add = |look: Look, edges: Vec<(u32, u32)>, interval: Interval| {
        let interval = interval.meet(within);
        if !interval.is_empty() {
            found.entry(look).or_default().entry(edges).or_default().push(interval);
        }
    };
    for offer in estimate.offers()? {
        add(Look::Signal(offer.signal, offer.values), offer.edges, offer.interval);
    }
    if !positions.is_empty() {
        estimate.stays(|state, interval| {
            let values = positions.iter().map(|at| state[*at as usize]).collect();
            add(Look::Reading(values), Vec::new(), interval);
        });
    }
    Ok(())
}

/// Windows from where they began, if they touch those that were open before.
fn extended(windows: Vec<Interval>, before: &[Interval]) -> Vec<Interval> {
    let whole = |window: Interval| {
        let touching = before.iter().filter(|it| it.touches(window));
        touching.fold(window, |whole, it| whole.hull(*it))
    };
    united(united(windows).into_iter().map(whole).collect())
}
