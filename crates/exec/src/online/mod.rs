//! Online testing: a strategy drives a system, step by step, while an oracle watches.
//!
//! ```text
//! situation ─strategy─▶ decision ─▶ wait, perhaps for an output ─▶ input ─▶ oracle ─▶ situation …
//! ```
//!
//! [`run`] makes one run. It ends when the oracle has decided, when the budget is used up, when the
//! strategy or the [`Watcher`] says so, or when the system breaks down. An output that comes while a
//! decision is carried out ends it; the strategy is then asked again.
//!
//! On the real clock a verdict waits for what may still be on its way, and the tester minds its own
//! lateness (`lateness`): if the machine did not let it look in time, a fail is one only if it would also
//! be one with everything so much later.
//!
//! Follows Algorithm 1 of Larsen, Mikucionis & Nielsen 2004.
//!
//! Not here: many runs, records, reports.

mod lateness;
mod situation;
mod statistics;

use std::time::Duration;

use punctual_model::{Action, Event, Trace};
use punctual_oracle::conformance::{Allowed, Coverage, Session, Verdict, judge_late};
use punctual_semantics::estimate::Overflow;
use punctual_testgen::{Decision, Strategy};

use crate::clock;
use crate::{Seen, Sut, SutError};
use lateness::Lateness;
use situation::{Covering, Outlook};
pub use statistics::{Statistics, Updates};

/// What ends a run, if nothing else does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// The time of a run, in nanoseconds; restarts do not count.
    pub time_ns: u64,
    /// Inputs and outputs.
    pub events: u64,
}

/// How a run is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// What ends it.
    pub budget: Budget,
    /// How far ahead a strategy sees, in points of the grid.
    pub horizon: i64,
    /// On the real clock: how late the tester may look and still judge lateness of the system.
    pub lateness_ns: u64,
    /// Whether the windows in which outputs are allowed are told to the watcher.
    pub windows: bool,
}

/// Sees a run go by.
pub trait Watcher {
    /// An input was sent, or an output seen.
    fn event(&mut self, event: &Event, sets: Sets) {
        let _ = (event, sets);
    }
    /// Time passed quietly up to an instant.
    fn delay(&mut self, now_ns: u64, sets: Sets) {
        let _ = (now_ns, sets);
    }
    /// These outputs are allowed, as known at an instant.
    fn windows(&mut self, now_ns: u64, allowed: &[Allowed]) {
        let _ = (now_ns, allowed);
    }
    /// The strategy decided.
    fn decision(&mut self, now_ns: u64, decision: &Decision) {
        let _ = (now_ns, decision);
    }
    /// The system was reset.
    fn restart(&mut self, now_ns: u64) {
        let _ = now_ns;
    }
    /// The state sets were updated, after a delay or after an action.
    fn updated(&mut self, after_delay: bool, sets: Sets, took: Duration) {
        let _ = (after_delay, sets, took);
    }
    /// Whether to end now, as after Ctrl-C.
    fn stops(&mut self, covered: &Coverage) -> bool {
        let _ = covered;
        false
    }
}

impl Watcher for () {}

/// How many symbolic states there are on either side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sets {
    /// The system's.
    pub system: usize,
    /// The environment's.
    pub environment: usize,
}

/// Why a run ended.
#[derive(Debug)]
pub enum Ending {
    /// The oracle decided.
    Decided,
    /// The budget was used up, or the strategy had nothing left to do.
    Complete,
    /// The watcher said so.
    Stopped,
    /// The system broke down.
    System(SutError),
}

/// A run.
#[derive(Debug)]
pub struct Run {
    /// What the oracle says, of what was seen.
    pub verdict: Verdict,
    /// Why it ended.
    pub ending: Ending,
    /// What was seen since the last reset.
    pub trace: Trace,
    /// Figures.
    pub statistics: Statistics,
    /// The machine was too late for a verdict about lateness by so much, if it was.
    pub late_ns: Option<u64>,
}

/// Makes a run.
pub fn run(
    session: &mut Session<'_>,
    sut: &mut dyn Sut,
    strategy: &mut dyn Strategy,
    options: &Options,
    watcher: &mut dyn Watcher,
) -> Run {
    let lateness = (!sut.is_virtual()).then(Lateness::start);
    let mut tester = Tester {
        session,
        sut,
        options,
        watcher,
        outlook: Outlook::default(),
        trace: Trace::default(),
        statistics: Statistics::default(),
        spent_ns: 0,
    };
    let ending = tester.go(strategy);
    let end_ns = tester.trace.end_ns;
    let ending = match ending {
        Ok(ending) => ending,
        Err(Breakdown::System(error)) => Ending::System(error),
        Err(Breakdown::Model) => Ending::Decided,
    };
    let slack_ns = tester.slack_ns();
    let Tester { session, mut trace, mut statistics, sut, spent_ns, .. } = tester;
    statistics.duration_ns = spent_ns + end_ns;
    // What arrived last may not have been looked at.
    let last_ns = trace.events.last().map_or(0, |event| event.to_ns);
    trace.end_ns = end_ns.saturating_sub(slack_ns).max(last_ns);
    let verdict = session.finish(trace.end_ns);
    let late_ns = lateness.and_then(|it| it.beyond(options.lateness_ns));
    let verdict = match (verdict, late_ns) {
        // Would it be a fail if the machine is to blame for all that was late?
        (Verdict::Fail(diagnosis), Some(late_ns)) => {
            let specification = session.specification();
            let mut coverage = Coverage::new(false);
            match judge_late(specification, &trace, late_ns, &mut coverage) {
                Verdict::Fail(_) => Verdict::Fail(diagnosis),
                Verdict::Pass | Verdict::Inconclusive(_) => Verdict::Inconclusive(diagnosis),
            }
        }
        (verdict, _) => verdict,
    };
    sut.stop();
    Run { verdict, ending, trace, statistics, late_ns }
}

enum Breakdown {
    System(SutError),
    /// The session has the details.
    Model,
}

impl From<SutError> for Breakdown {
    fn from(error: SutError) -> Breakdown {
        Breakdown::System(error)
    }
}

struct Tester<'t, 's> {
    session: &'t mut Session<'s>,
    sut: &'t mut dyn Sut,
    options: &'t Options,
    watcher: &'t mut dyn Watcher,
    outlook: Outlook,
    trace: Trace,
    statistics: Statistics,
    /// The time of what came before the last reset.
    spent_ns: u64,
}

impl Tester<'_, '_> {
    fn go(&mut self, strategy: &mut dyn Strategy) -> Result<Ending, Breakdown> {
        self.sut.reset()?;
        loop {
            if self.watcher.stops(&self.session.coverage) {
                return Ok(Ending::Stopped);
            }
            let left_ns = self.options.budget.time_ns.saturating_sub(self.spent_ns);
            let n_events = self.statistics.inputs + self.statistics.outputs;
            if self.trace.end_ns >= left_ns || n_events >= self.options.budget.events {
                return Ok(Ending::Complete);
            }
            if self.session.is_decided() {
                return Ok(Ending::Decided);
            }
            let now_ns = match self.sut.is_virtual() {
                true => self.trace.end_ns,
                false => self.sut.now_ns(),
            };
            let (horizon, previews) = (self.options.horizon, strategy.looks_ahead());
            let margin = self.session.specification().instants.begin(4 * self.slack_ns()).at;
            let looked = self.outlook.look(self.session, now_ns, horizon, margin, previews);
            looked.map_err(|overflow| self.give_up(now_ns, overflow))?;
            if self.options.windows {
                let allowed = self.session.monitor.expected();
                let allowed = allowed.map_err(|overflow| self.give_up(now_ns, overflow))?;
                self.watcher.windows(now_ns, &allowed);
            }
            let covered = Covering(&self.session.coverage);
            let decision = strategy.decide(&self.outlook.situation(&covered));
            self.statistics.decisions += 1;
            self.watcher.decision(now_ns, &decision);
            let instants = self.session.specification().instants;
            let (until_ns, input) = match decision {
                Decision::Send { candidate, at } => {
                    let action = self.outlook.candidates[candidate].action.clone();
                    (instants.ns(at), Some(action))
                }
                Decision::SendAnyway { action, at_ns } => (at_ns, Some(action)),
                Decision::Wait { until } => (instants.ns(until), None),
                Decision::Restart => {
                    self.restart(now_ns)?;
                    continue;
                }
                Decision::End { at_ns } => {
                    if self.wait(at_ns.min(left_ns))? && !self.session.is_decided() {
                        return Ok(Ending::Complete);
                    }
                    continue;
                }
            };
            if !self.wait(until_ns.min(left_ns))? || self.session.is_decided() {
                continue;
            }
            if let Some(action) = input
                && until_ns <= left_ns
            {
                self.send(action)?;
                strategy.sent();
            }
        }
    }

    /// Waits for an instant; false if an output came before.
    fn wait(&mut self, until_ns: u64) -> Result<bool, Breakdown> {
        match self.sut.wait(until_ns)? {
            Seen::Output { action, at_ns } => {
                self.statistics.outputs += 1;
                self.event(Event { action, from_ns: at_ns, to_ns: at_ns });
                Ok(false)
            }
            Seen::Quiet => {
                if until_ns > self.trace.end_ns {
                    self.trace.end_ns = until_ns;
                    let before = clock::now();
                    self.session.quiet(until_ns, until_ns.saturating_sub(self.slack_ns()));
                    let sets = self.updated(true, before.elapsed());
                    self.watcher.delay(until_ns, sets);
                }
                Ok(true)
            }
        }
    }

    fn send(&mut self, action: Action) -> Result<(), Breakdown> {
        let handover = self.sut.input(&action)?;
        self.statistics.inputs += 1;
        self.event(Event { action, from_ns: handover.from_ns, to_ns: handover.to_ns });
        Ok(())
    }

    fn event(&mut self, event: Event) {
        self.trace.end_ns = self.trace.end_ns.max(event.to_ns);
        // Time passed, and nothing else was seen.
        if event.from_ns == event.to_ns {
            let before = clock::now();
            let seen_ns = event.from_ns.saturating_sub(self.slack_ns());
            self.session.approach(event.from_ns, seen_ns);
            self.updated(true, before.elapsed());
        }
        let before = clock::now();
        self.session.event(&event);
        let sets = self.updated(false, before.elapsed());
        self.watcher.event(&event, sets);
        self.trace.events.push(event);
    }

    fn restart(&mut self, now_ns: u64) -> Result<(), Breakdown> {
        self.sut.reset()?;
        self.session.restart();
        self.spent_ns += self.trace.end_ns;
        self.trace = Trace::default();
        self.statistics.restarts += 1;
        self.watcher.restart(now_ns);
        Ok(())
    }

    fn give_up(&mut self, now_ns: u64, overflow: Overflow) -> Breakdown {
        self.session.give_up(now_ns, overflow);
        Breakdown::Model
    }

    /// How long after its arrival an output may be looked at.
    fn slack_ns(&self) -> u64 {
        if self.sut.is_virtual() { 0 } else { self.options.lateness_ns }
    }

    /// Notes an update of the state sets.
    fn updated(&mut self, after_delay: bool, took: Duration) -> Sets {
        let sets = Sets {
            system: self.session.monitor.n_states(),
            environment: self.session.emulator.n_states(),
        };
        let updates = match after_delay {
            true => &mut self.statistics.after_delay,
            false => &mut self.statistics.after_action,
        };
        updates.add(sets, took);
        self.watcher.updated(after_delay, sets, took);
        sets
    }
}
