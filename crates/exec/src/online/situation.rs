//! What a strategy is told.

use punctual_model::{EdgeId, ProcessId, TimeScale};
use punctual_oracle::Environment;
use punctual_oracle::conformance::Coverage;
use punctual_semantics::estimate::{Interval, Overflow};
use punctual_testgen::{Candidate, Covered, Seen, Situation};

/// What may be done next.
#[derive(Debug)]
pub(super) struct Outlook {
    now: i64,
    now_ns: u64,
    scale: TimeScale,
    horizon: i64,
    deadline: Option<i64>,
    pub(super) candidates: Vec<Candidate>,
}

impl Default for Outlook {
    fn default() -> Outlook {
        let scale = TimeScale { unit_ns: 1, resolution: 1 };
        let candidates = Vec::new();
        Outlook { now: 0, now_ns: 0, scale, horizon: 0, deadline: None, candidates }
    }
}

impl Outlook {
    /// It is now; nothing is known of what may be done.
    pub(super) fn begin(&mut self, now: i64, now_ns: u64, horizon: i64, scale: TimeScale) {
        (self.now, self.now_ns, self.scale) = (now, now_ns, scale);
        self.horizon = now + horizon;
        self.deadline = None;
        self.candidates.clear();
    }

    /// Looks ahead: what the environment may send, if the system is specified to accept it. Deadlines are
    /// told sooner by a margin, if there is time: nobody acts at the last instant on the real clock.
    pub(super) fn look(
        &mut self,
        environment: &mut dyn Environment,
        margin: i64,
        previews: bool,
    ) -> Result<(), Overflow> {
        let choices = environment.choices(self.horizon - self.now)?;
        let now = self.now;
        let sooner = |at: i64| if at - margin > now { at - margin } else { at };
        self.deadline = choices.deadline.map(|end| sooner(end.at - i64::from(end.open)));
        environment.look_ahead(self.now_ns)?;
        for choice in choices.inputs {
            let mut edges = choice.edges;
            if previews {
                edges.extend(environment.preview(&choice.action)?);
            }
            // Thousands of states may take the same few edges.
            edges.sort_unstable();
            edges.dedup();
            for accepted in union(environment.accepts(&choice.action)?) {
                let window = choice.interval.meet(accepted);
                if let Some((from, to, ends)) = self.points(window) {
                    let (action, edges) = (choice.action.clone(), edges.clone());
                    let candidate = Candidate { action, from, to, ends, edges };
                    if !self.candidates.contains(&candidate) {
                        self.candidates.push(candidate);
                    }
                }
            }
        }
        Ok(())
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

    pub(super) fn situation<'s>(&'s self, covered: &'s Covering<'s>) -> Situation<'s> {
        Situation {
            now: self.now,
            candidates: &self.candidates,
            deadline: self.deadline,
            horizon: self.horizon,
            covered,
            now_ns: self.now_ns,
            scale: self.scale,
        }
    }
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
