//! Online testing: a strategy drives a system, step by step, while an oracle watches.
//!
//! ```text
//! situation ─strategy─▶ decision ─▶ wait, perhaps for an output ─▶ input ─▶ oracle ─▶ situation …
//! ```
//!
//! [`run`] makes one run. It ends when the oracle has decided, when what it is made for can not be expected any more, when the budget is used up, when the
//! strategy or the [`Watcher`] says so, or when the system breaks down. An output that comes while a
//! decision is carried out ends it; the strategy is then asked again.
//!
//! Everything that the oracle is told goes through a [`Referee`], and the watcher sees all of it: who
//! writes it down can tell it to another referee, and gets the same verdict.
//!
//! On the real clock a verdict waits for what may still be on its way, and the tester minds its own
//! lateness, and that of a system that had to wait for a processor (`lateness`): a fail is one only if it would also
//! be one with everything so much later. The run goes on as long as it takes to tell.
//!
//! Follows Algorithm 1 of Larsen, Mikucionis & Nielsen 2004.
//!
//! Not here: many runs, records, reports.

mod lateness;
mod situation;
mod statistics;

use std::sync::Arc;
use std::time::{Duration, Instant};

use punctual_model::{Event, Happening, Step, TimeScale, Trace};
use punctual_oracle::conformance::{Allowed, Coverage, Instants};
use punctual_oracle::{Cause, Ending, Interaction, Judged, Oracle, Referee, Sets};
use punctual_semantics::estimate::Overflow;
use punctual_testgen::{Decision, Strategy};

use crate::clock;
use crate::{Note, Seen, Sut, SutError};
use lateness::Lateness;
pub use lateness::UPDATE_NS;
use situation::{Covering, Outlook};
pub use statistics::{Statistics, Updates};

/// How long a user who wants to stop may have to wait, at most.
const PATIENCE_NS: u64 = 100_000_000;

/// How long a run goes on after a fail that the machine's lateness may explain, at most.
const LINGER_NS: u64 = 10_000_000_000;

/// How many events are waited for meanwhile, at most.
const LINGER_EVENTS: u64 = 20;

/// How many points of each part a strategy is told that asks where the model may stand.
const STANDS_MAX: usize = 8;

/// What ends a run, if nothing else does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// The time of a run, in nanoseconds; restarts do not count.
    pub time_ns: u64,
    /// How many inputs, outputs, steps and readings a run has at most.
    pub events: u64,
}

/// How a run is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// What ends a run, if nothing else does.
    pub budget: Budget,
    /// How far ahead a strategy sees, in points of the grid.
    pub horizon: i64,
    /// On the real clock: how late the tester may look and still judge lateness of the system.
    pub lateness_ns: u64,
    /// On the real clock: how long an update of the state sets may take, in nanoseconds; one that takes longer is given up, and the run is inconclusive.
    pub update_ns: u64,
    /// Whether the windows in which outputs are allowed are told to the watcher.
    pub windows: bool,
    /// How instants become points of the grid of model time.
    pub time: TimeScale,
}

/// Sees a run go by.
pub trait Watcher {
    /// Something is about to be sent to the system.
    fn sending(&mut self, now_ns: u64, what: &Happening) {
        let _ = (now_ns, what);
    }
    /// Something was exchanged.
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
    /// The system said something for people.
    fn note(&mut self, now_ns: u64, note: &Note) {
        let _ = (now_ns, note);
    }
    /// The state sets were updated, after a delay or after an action.
    fn updated(&mut self, after_delay: bool, sets: Sets, took: Duration) {
        let _ = (after_delay, sets, took);
    }
    /// Whether enough was seen, so that the run is complete.
    fn is_enough(&mut self, covered: &Coverage) -> bool {
        let _ = covered;
        false
    }
    /// Whether the user wants to end now, as after Ctrl-C.
    fn stops(&mut self) -> bool {
        false
    }
}

impl Watcher for () {}

/// A run.
#[derive(Debug)]
pub struct Run {
    /// What is said of the system.
    pub judged: Judged,
    /// The verdicts of single steps and checks.
    pub interactions: Vec<Interaction>,
    /// Why the run ended.
    pub ending: Ending,
    /// What the system broke down with, if it did. If that says nothing about the system, the verdict is a
    /// fail for what was seen before.
    pub error: Option<SutError>,
    /// What the tester was about when the system broke down, if it did.
    pub about: Option<About>,
    /// Whether the system was not even reset at the beginning: nothing was exchanged with it.
    pub is_unready: bool,
    /// What was seen since the last reset.
    pub trace: Trace,
    /// On the virtual clock: what was seen before each reset, from the start of the run on.
    pub earlier: Vec<Trace>,
    /// Figures about the run.
    pub statistics: Statistics,
    /// The machine was too late for a verdict about lateness by so much, if it was.
    pub late_ns: Option<u64>,
}

/// What a tester is about: something was begun that the system must take part in.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct About {
    /// What is being sent; nothing if the tester waits, or reads ports.
    pub sending: Option<Happening>,
    /// The instant that the tester waited for last, in nanoseconds since the last reset.
    pub until_ns: u64,
}

/// Makes a run.
///
/// # Errors
/// If the system could not be started or reached, never got ready, or can not do what the test asks for, and
/// what was seen before is no fail: that says nothing about it.
pub fn run(
    oracle: &mut dyn Oracle,
    sut: &mut dyn Sut,
    strategy: &mut dyn Strategy,
    options: &Options,
    watcher: &mut dyn Watcher,
) -> Result<Run, SutError> {
    let is_virtual = sut.is_virtual();
    let slack_ns = if is_virtual { 0 } else { options.lateness_ns };
    let budget = oracle.environment().map(|it| Arc::clone(it.budget()));
    let most = Duration::from_nanos(options.update_ns);
    let watched = budget.clone().map(|budget| (budget, most));
    let lateness = (!is_virtual).then(|| Lateness::start(watched));
    let started = reset(sut, lateness.as_ref());
    let is_unready = started.is_err();
    let mut tester = Tester {
        referee: Referee::new(oracle, slack_ns, true),
        sut,
        options,
        watcher,
        slack_ns,
        instants: Instants::new(options.time),
        outlook: Outlook::new(is_virtual),
        statistics: Statistics::default(),
        spent_ns: 0,
        earlier: Vec::new(),
        n_told: 0,
        about: About::default(),
        lateness: lateness.as_ref(),
        is_missing: false,
    };
    let mut ended = match started {
        Ok(()) => match tester.go(strategy) {
            Ok(Ending::Stopped) => Ok(Ending::Stopped),
            Ok(ending) => tester.sut.settle().map(|()| ending).map_err(Breakdown::System),
            // What goes wrong with its last input is told by this run or not at all, but not by the next one.
            Err(Breakdown::Model(cause, words)) => {
                let settled = tester.sut.settle();
                settled.map_err(Breakdown::System).and(Err(Breakdown::Model(cause, words)))
            }
            broken => broken,
        },
        Err(error) => Err(Breakdown::System(error)),
    };
    tester.hear_earlier();
    // Until it broke down, time passed, and what had to come by then may be missing.
    if let Err(Breakdown::System(_)) = ended
        && is_virtual
    {
        let broken_ns = tester.sut.now_ns();
        tester.quiet(broken_ns);
    }
    if matches!(ended, Ok(Ending::Complete))
        && let Err(broken) = tester.linger()
    {
        // It is told beside what was missing before.
        ended = Err(broken);
    }
    tester.hear_notes();
    let mut error = None;
    let ending = match ended {
        Ok(ending) => ending,
        Err(Breakdown::Model(cause, words)) => Ending::Broken(cause, words),
        Err(Breakdown::System(broken)) => match broken.cause() {
            Some(cause) => {
                let words = broken.to_string();
                error = Some(broken);
                Ending::Broken(cause, words)
            }
            // What was seen before may be a fail.
            None => {
                error = Some(broken);
                Ending::Complete
            }
        },
    };
    let is_slow = budget.as_ref().is_some_and(|it| it.is_interrupted());
    let ending = match ending {
        // A replay, which takes its time, must not pass what could not be followed.
        Ending::Complete if is_slow => {
            let words = format!("An update of the state sets took longer than {most:?}.");
            Ending::Broken(Cause::TooSlow, words)
        }
        ending => ending,
    };
    let Tester { referee, mut statistics, spent_ns, earlier, about, .. } = tester;
    let about = matches!(ending, Ending::Broken(..)).then_some(about);
    statistics.duration_ns = spent_ns + referee.trace().end_ns;
    let late_ns = lateness.as_ref().and_then(|it| it.beyond(options.lateness_ns));
    let (judged, trace) = referee.finish(&ending, late_ns);
    // The next run has its own time.
    budget.inspect(|it| it.resume());
    // Some are known at the end only, such as an output that did not come.
    let interactions = oracle.interactions();
    if let Some(broken) = error.take_if(|it| it.cause().is_none() && !judged.judgement.is_fail()) {
        return Err(broken);
    }
    Ok(Run {
        judged,
        interactions,
        ending,
        error,
        about,
        is_unready,
        trace,
        earlier,
        statistics,
        late_ns,
    })
}

/// Resets the system, on the real clock while somebody watches the machine.
fn reset(sut: &mut dyn Sut, lateness: Option<&Lateness>) -> Result<(), SutError> {
    let begun = clock::now();
    sut.reset()?;
    if let Some(lateness) = lateness {
        lateness.reset(sut.process_id(), clock::now().saturating_duration_since(begun));
    }
    Ok(())
}

enum Breakdown {
    System(SutError),
    /// What may come next could not be computed.
    Model(Cause, String),
}

impl From<SutError> for Breakdown {
    fn from(error: SutError) -> Breakdown {
        Breakdown::System(error)
    }
}

struct Tester<'t> {
    referee: Referee<'t>,
    sut: &'t mut dyn Sut,
    options: &'t Options,
    watcher: &'t mut dyn Watcher,
    /// How long after its arrival an output may be looked at.
    slack_ns: u64,
    instants: Instants,
    outlook: Outlook,
    statistics: Statistics,
    /// The time of what came before the last reset.
    spent_ns: u64,
    /// What came before each reset, for those who do it again.
    earlier: Vec<Trace>,
    /// How many events since then the strategy has heard of.
    n_told: usize,
    /// What was begun last.
    about: About,
    /// How late the machine is, on the real clock.
    lateness: Option<&'t Lateness>,
    /// Whether the system failed while nothing was seen.
    is_missing: bool,
}

impl Tester<'_> {
    fn go(&mut self, strategy: &mut dyn Strategy) -> Result<Ending, Breakdown> {
        loop {
            self.hear_notes();
            let events = &self.referee.trace().events;
            events[self.n_told.min(events.len())..].iter().for_each(|it| strategy.heard(it));
            self.n_told = events.len();
            if self.watcher.stops() {
                return Ok(Ending::Stopped);
            }
            if let Some(environment) = self.referee.oracle().environment()
                && self.watcher.is_enough(environment.coverage())
            {
                return Ok(Ending::Complete);
            }
            let left_ns = self.options.budget.time_ns.saturating_sub(self.spent_ns);
            let n_events = self.statistics.events();
            if self.end_ns() >= left_ns || n_events >= self.options.budget.events {
                return Ok(Ending::Complete);
            }
            if self.referee.is_decided() {
                return Ok(Ending::Complete);
            }
            if self.referee.is_pointless() {
                return Ok(Ending::Left);
            }
            let now_ns = match self.sut.is_virtual() {
                true => self.end_ns(),
                false => self.sut.now_ns(),
            };
            self.begin_update();
            let decision = self.decide(strategy, now_ns);
            lateness::updating(self.lateness, None);
            let decision = decision?;
            self.statistics.decisions += 1;
            self.watcher.decision(now_ns, &decision);
            let (until_ns, act) = match decision {
                Decision::Send { candidate, at } => {
                    let action = self.outlook.candidates[candidate].action.clone();
                    (self.instants.ns(at), Some(Act::Send(Happening::Signal(action))))
                }
                Decision::SendAnyway { action, at_ns } => {
                    (at_ns, Some(Act::Send(Happening::Signal(action))))
                }
                Decision::Set { ports, at_ns } => (at_ns, Some(Act::Send(Happening::Set(ports)))),
                Decision::Step { inputs, at_ns } => {
                    let step = Step { inputs, outputs: Vec::new() };
                    (at_ns, Some(Act::Send(Happening::Step(step))))
                }
                Decision::Read { ports, at_ns } => (at_ns, Some(Act::Read(ports))),
                Decision::Wait { until } => (self.instants.ns(until), None),
                Decision::Restart { at_ns } => {
                    let is_due = at_ns <= now_ns || self.wait(at_ns.min(left_ns))?;
                    if !is_due || at_ns > left_ns || self.referee.is_decided() {
                        continue;
                    }
                    if self.restart(now_ns.max(at_ns))? {
                        return Ok(Ending::Complete);
                    }
                    strategy.sent();
                    continue;
                }
                Decision::End { at_ns } => {
                    if self.wait(at_ns.min(left_ns))? && !self.referee.is_decided() {
                        return Ok(Ending::Complete);
                    }
                    continue;
                }
            };
            if !self.wait(until_ns.min(left_ns))? || self.referee.is_decided() {
                continue;
            }
            if let Some(act) = act
                && until_ns <= left_ns
            {
                self.act(act)?;
                strategy.sent();
            }
        }
    }

    /// Watches a system on from which something is missing, until it can be told whether the machine's lateness explains that. What breaks down
    /// meanwhile does not change that. A fail by something that was seen is decided already: what follows does not explain it.
    fn linger(&mut self) -> Result<(), Breakdown> {
        let Some(lateness) = self.lateness.filter(|_| self.is_missing) else { return Ok(()) };
        let failed_ns = self.sut.now_ns().max(self.end_ns());
        let mut until_ns = failed_ns.saturating_add(lateness::SETTLED_NS);
        let mut n_late = 0;
        while self.sut.now_ns() < until_ns {
            let part_ns = self.sut.now_ns().saturating_add(lateness::GLANCE_NS).min(until_ns);
            let n_events = self.statistics.events();
            self.wait(part_ns)?;
            if self.watcher.stops() {
                return Ok(());
            }
            // A system that babbles tells nothing about what is missing.
            n_late += self.statistics.events() - n_events;
            if n_late > LINGER_EVENTS {
                return Ok(());
            }
            // Meanwhile the machine may have been later still.
            let late_ns = lateness.beyond(self.options.lateness_ns).unwrap_or(0);
            // The input that it answers may have been late, and so may the answer.
            let late_ns = late_ns.saturating_mul(2).min(LINGER_NS);
            until_ns = until_ns.max(failed_ns.saturating_add(late_ns));
        }
        Ok(())
    }

    /// Asks the strategy, after a look at what may come next.
    fn decide(&mut self, strategy: &mut dyn Strategy, now_ns: u64) -> Result<Decision, Breakdown> {
        let Self { referee, outlook, options, watcher, instants, slack_ns, .. } = self;
        let margin = instants.begin(4 * *slack_ns).at;
        let begin = instants.begin(now_ns);
        outlook.begin(begin.at + i64::from(begin.open), now_ns, options.horizon, options.time);
        let Some(environment) = referee.oracle().environment() else {
            return Ok(strategy.decide(&outlook.situation(&Covering(&Coverage::new(false)))));
        };
        let give_up = |environment: &mut dyn punctual_oracle::Environment, overflow: Overflow| {
            let (cause, words) = environment.give_up(now_ns, overflow);
            Breakdown::Model(cause, words)
        };
        let stands = if strategy.asks_where() { STANDS_MAX } else { 0 };
        let asked = (strategy.looks_ahead(), stands);
        if let Err(overflow) = outlook.look(environment, margin, asked) {
            return Err(give_up(environment, overflow));
        }
        if options.windows {
            match environment.expected() {
                Ok(allowed) => watcher.windows(now_ns, &allowed),
                Err(overflow) => return Err(give_up(environment, overflow)),
            }
        }
        Ok(strategy.decide(&outlook.situation(&Covering(environment.coverage()))))
    }

    /// Until when the run is known.
    fn end_ns(&self) -> u64 {
        self.referee.trace().end_ns
    }

    /// Waits for an instant; false if the system did something before, or the user wants no more.
    fn wait(&mut self, until_ns: u64) -> Result<bool, Breakdown> {
        self.about.until_ns = until_ns;
        // On the real clock a wait may be long, and neither the user nor a verdict must wait for it.
        let mut seen = Seen::Quiet;
        if !self.sut.is_virtual() {
            loop {
                let part_ns = self.sut.now_ns().saturating_add(PATIENCE_NS);
                if part_ns >= until_ns {
                    break;
                }
                seen = self.sut.wait(part_ns)?;
                if seen != Seen::Quiet {
                    break;
                }
                self.hear_notes();
                self.quiet(part_ns);
                if self.watcher.stops() || self.referee.is_failing() {
                    return Ok(false);
                }
            }
        }
        if seen == Seen::Quiet {
            seen = self.sut.wait(until_ns)?;
        }
        if seen == Seen::Quiet {
            self.quiet(until_ns);
        }
        Ok(!self.happened(seen))
    }

    /// Time passed up to an instant, and nothing was seen.
    fn quiet(&mut self, now_ns: u64) {
        if now_ns <= self.end_ns() {
            return;
        }
        let before = self.begin_update();
        self.referee.quiet(now_ns);
        self.is_missing |= self.referee.is_failing();
        let sets = self.updated(true, before.elapsed());
        self.watcher.delay(now_ns, sets);
    }

    /// Tells of what the system did by itself; false if that is nothing.
    fn happened(&mut self, seen: Seen) -> bool {
        let (what, at_ns, device_ns) = match seen {
            Seen::Quiet => return false,
            Seen::Output { action, at_ns, device_ns } => {
                self.statistics.outputs += 1;
                (Happening::Signal(action), at_ns, device_ns)
            }
            Seen::Step { step, at_ns, device_ns } => {
                self.statistics.steps += 1;
                (Happening::Step(step), at_ns, device_ns)
            }
        };
        self.event(Event { device_ns, ..Event::at(what, at_ns) });
        true
    }

    /// Tells of what the system did before it answered a question.
    fn hear_earlier(&mut self) {
        while let Some(seen) = self.sut.earlier() {
            self.happened(seen);
        }
    }

    fn act(&mut self, act: Act) -> Result<(), Breakdown> {
        let (what, handover) = match act {
            Act::Read(ports) => {
                let (reading, handover) = self.sut.read(&ports)?;
                self.hear_earlier();
                self.statistics.readings += 1;
                (Happening::Reading(reading), handover)
            }
            Act::Send(what) => {
                let now_ns = self.end_ns();
                self.watcher.sending(now_ns, &what);
                self.about.sending = Some(what.clone());
                match what {
                    Happening::Signal(action) => {
                        let handover = self.sut.input(&action)?;
                        self.statistics.inputs += 1;
                        (Happening::Signal(action), handover)
                    }
                    Happening::Set(ports) => {
                        let handover = self.sut.set(&ports)?;
                        self.statistics.inputs += 1;
                        (Happening::Set(ports), handover)
                    }
                    Happening::Step(Step { inputs, .. }) => {
                        let (outputs, handover) = self.sut.step(&inputs)?;
                        self.hear_earlier();
                        self.statistics.steps += 1;
                        (Happening::Step(Step { inputs, outputs }), handover)
                    }
                    Happening::Reading(_) => unreachable!("readings are asked for, not sent"),
                }
            }
        };
        self.about.sending = None;
        let (from_ns, to_ns) = (handover.from_ns, handover.to_ns);
        self.event(Event { what, from_ns, to_ns, device_ns: None });
        Ok(())
    }

    fn event(&mut self, event: Event) {
        // Time passed, and nothing else was seen.
        let before = self.begin_update();
        self.referee.approach(&event);
        if event.from_ns == event.to_ns {
            self.updated(true, before.elapsed());
        }
        let before = self.begin_update();
        self.referee.event(&event);
        let sets = self.updated(false, before.elapsed());
        self.watcher.event(&event, sets);
        self.referee.keep(event);
    }

    /// Says whether the run is over instead.
    fn restart(&mut self, now_ns: u64) -> Result<bool, Breakdown> {
        if self.referee.close() {
            return Ok(true);
        }
        reset(self.sut, self.lateness)?;
        self.spent_ns += self.end_ns();
        if self.sut.is_virtual() {
            self.earlier.push(self.referee.trace().clone());
        }
        self.referee.restart();
        self.n_told = 0;
        self.about = About::default();
        self.statistics.restarts += 1;
        self.watcher.restart(now_ns);
        Ok(false)
    }

    fn hear_notes(&mut self) {
        let now_ns = self.end_ns();
        for note in self.sut.take_notes() {
            self.watcher.note(now_ns, &note);
        }
    }

    /// An update of the state sets begins; it must not take too long.
    fn begin_update(&self) -> Instant {
        let before = clock::now();
        lateness::updating(self.lateness, Some(before));
        before
    }

    /// Notes an update of the state sets.
    fn updated(&mut self, after_delay: bool, took: Duration) -> Sets {
        lateness::updating(self.lateness, None);
        let sets = self.referee.oracle().environment().map(|it| it.sets()).unwrap_or_default();
        let updates = match after_delay {
            true => &mut self.statistics.after_delay,
            false => &mut self.statistics.after_action,
        };
        updates.add(sets, took);
        self.watcher.updated(after_delay, sets, took);
        sets
    }
}

/// What the tester does to the system.
enum Act {
    /// Something is sent. A step has no outputs yet.
    Send(Happening),
    /// Ports are read.
    Read(Vec<punctual_model::PortId>),
}
