//! What a strategy is told.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use punctual_model::{Action, EdgeId, ProcessId, TimeScale};
use punctual_oracle::Environment;
use punctual_oracle::conformance::{Coverage, Led};
use punctual_semantics::estimate::{Interval, Overflow, Stand};
use punctual_testgen::{Candidate, Covered, Lead, Seen, Situation};

/// What may be done next.
#[derive(Debug)]
pub(super) struct Outlook {
    now: i64,
    now_ns: u64,
    scale: TimeScale,
    horizon: i64,
    deadline: Option<i64>,
    pub(super) candidates: Vec<Candidate>,
    stands: Vec<(usize, Vec<Stand>)>,
    /// Whether time stands still while a strategy decides.
    is_still: bool,
}

impl Default for Outlook {
    fn default() -> Outlook {
        let scale = TimeScale { unit_ns: 1, resolution: 1 };
        Outlook {
            now: 0,
            now_ns: 0,
            scale,
            horizon: 0,
            deadline: None,
            candidates: Vec::new(),
            stands: Vec::new(),
            is_still: false,
        }
    }
}

impl Outlook {
    /// Nothing is known yet; `is_still` says whether time stands still while a strategy decides.
    pub(super) fn new(is_still: bool) -> Outlook {
        Outlook { is_still, ..Outlook::default() }
    }

    /// It is now; nothing is known of what may be done.
    pub(super) fn begin(&mut self, now: i64, now_ns: u64, horizon: i64, scale: TimeScale) {
        (self.now, self.now_ns, self.scale) = (now, now_ns, scale);
        self.horizon = now + horizon;
        self.deadline = None;
        self.candidates.clear();
        self.stands.clear();
    }

    /// Looks ahead: what the environment may send, if the system is specified to accept it. Deadlines are
    /// told sooner by a margin, if there is time: nobody acts at the last instant on the real clock.
    pub(super) fn look(
        &mut self,
        environment: &mut dyn Environment,
        margin: i64,
        (previews, stands): (bool, usize),
    ) -> Result<(), Overflow> {
        let choices = environment.choices(self.horizon - self.now)?;
        let now = self.now;
        let sooner = |at: i64| if at - margin > now { at - margin } else { at };
        self.deadline = choices.deadline.map(|end| sooner(end.at - i64::from(end.open)));
        environment.look_ahead(self.now_ns)?;
        let mut risky = Vec::new();
        for choice in choices.inputs {
            let mut leads: Vec<Lead> = Vec::new();
            for &(process, edge) in &choice.edges {
                let points = self.points(choice.interval);
                leads.extend(points.map(|(from, to, _)| Lead { process, edge, from, to }));
            }
            if previews {
                for Led { process, edge, interval } in environment.preview(&choice.action)? {
                    let points = self.points(interval);
                    leads.extend(points.map(|(from, to, _)| Lead { process, edge, from, to }));
                }
            }
            // Thousands of states may take the same few edges.
            leads.sort_unstable();
            leads.dedup();
            let accepted = union(environment.accepts(&choice.action)?);
            let windows = accepted.into_iter().map(|it| choice.interval.meet(it));
            let windows: Vec<_> = windows.filter_map(|it| self.points(it)).collect();
            let Some(last) = windows.iter().map(|(_, to, _)| *to).max() else { continue };
            let refused = union(environment.refuses(&choice.action, last));
            let refused: Vec<_> = refused.into_iter().filter_map(|it| self.inside(it)).collect();
            let candidate = |(from, to, ends): (i64, i64, bool)| {
                let (action, leads) = (choice.action.clone(), leads.clone());
                Candidate { action, from, to, ends, leads }
            };
            for window in windows {
                let certain = without(window, &refused);
                if certain != [window] {
                    risky.push(candidate(window));
                }
                self.candidates.extend(certain.into_iter().map(candidate));
            }
        }
        // Nothing that comes after an input that may not have been taken tells anything, so such inputs are sent only if
        // there is nothing else to send.
        if self.candidates.is_empty() {
            self.candidates = risky;
        }
        self.each_once();
        self.stands = if stands > 0 { environment.stands(stands) } else { Vec::new() };
        Ok(())
    }

    /// Leaves out candidates that there are twice; those that stay keep their order. There may be a thousand values, so that
    /// only those are compared that look alike.
    fn each_once(&mut self) {
        let mut alike: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        let mut kept: Vec<Candidate> = Vec::with_capacity(self.candidates.len());
        for candidate in self.candidates.drain(..) {
            let Action { signal, values } = &candidate.action;
            let mut hasher = DefaultHasher::new();
            (signal, candidate.from, candidate.to).hash(&mut hasher);
            values.iter().for_each(|value| value.as_slot().hash(&mut hasher));
            let alike = alike.entry(hasher.finish()).or_default();
            if alike.iter().all(|at| kept[*at] != candidate) {
                alike.push(kept.len());
                kept.push(candidate);
            }
        }
        self.candidates = kept;
    }

    /// The points of the grid in a window, from now to the horizon, if there are any.
    fn points(&self, window: Interval) -> Option<(i64, i64, bool)> {
        let from = (window.from.at + i64::from(window.from.open)).max(self.now);
        let (to, ends) = match window.to {
            Some(to) if to.at <= self.horizon => (to.at - i64::from(to.open), true),
            _ => (self.horizon, false),
        };
        (from <= to).then_some((from, to, ends))
    }

    /// The first and the last point of the grid in or beside a window; none if it is over.
    fn inside(&self, window: Interval) -> Option<(i64, i64)> {
        let to = window.to.map_or(i64::MAX, |to| to.at);
        (to >= self.now).then_some((window.from.at.max(self.now), to))
    }

    pub(super) fn situation<'s>(&'s self, covered: &'s Covering<'s>) -> Situation<'s> {
        Situation {
            now: self.now,
            candidates: &self.candidates,
            deadline: self.deadline,
            horizon: self.horizon,
            covered,
            now_ns: self.now_ns,
            scale: self.scale,
            stands: &self.stands,
            is_still: self.is_still,
        }
    }
}

/// The parts of a window between others that are in their order; those that do not reach its end do end.
fn without((mut from, to, ends): (i64, i64, bool), others: &[(i64, i64)]) -> Vec<(i64, i64, bool)> {
    let mut parts = Vec::new();
    for &(first, last) in others {
        if last < from || first > to {
            continue;
        }
        if first > from {
            parts.push((from, first - 1, true));
        }
        from = last.saturating_add(1).max(from);
    }
    if from <= to {
        parts.push((from, to, ends));
    }
    parts
}

/// The same instants in as few intervals as possible, in the order of time.
fn union(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.sort_unstable_by_key(|it| (it.from.at, it.from.open));
    let mut union: Vec<Interval> = Vec::new();
    for interval in intervals {
        match union.last_mut() {
            Some(last) if last.touches(interval) => *last = last.hull(interval),
            _ => union.push(interval),
        }
    }
    union
}

/// Coverage, as strategies ask for it.
pub(super) struct Covering<'c>(pub(super) &'c Coverage);

impl Covered for Covering<'_> {
    fn seen(&self, process: ProcessId, edge: EdgeId) -> Seen {
        let it = self.0.edge(process, edge);
        Seen { times: it.possible, thirds: [it.early, it.middle, it.late] }
    }
}
