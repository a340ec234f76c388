//! What every run goes through, live or recorded.
//!
//! A live run and a reader of records make the same calls in the same order, so a replay has the verdict
//! of the live run. What an oracle does not see is taken into account here: that the tester itself was
//! late, that the user stopped it, that the system broke down, that a record was cut.

use punctual_model::{Event, Trace, Verdict};

use crate::{Cause, Finding, Judgement, Oracle};

/// Why a run is over.
#[derive(Clone, PartialEq, Debug)]
pub enum Ending {
    /// The oracle has decided, the budget is used up, or there is nothing left to do.
    Complete,
    /// What it was made for could not be expected any more.
    Left,
    /// The user stopped it.
    Stopped,
    /// The run could not go on: the system broke down, or what may come next could not be computed. Why,
    /// in words.
    Broken(Cause, String),
    /// The record ends before the verdict.
    Cut,
}

/// What came of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// What is said of the system.
    pub judgement: Judgement<Finding>,
    /// Whether the reason is that of a fail which is excused, because the tester was so late that the
    /// system may have been in time. The verdict is inconclusive then.
    pub excused: bool,
}

impl Judged {
    /// Why the verdict is not a pass, from the list that all oracles share.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        match self.excused {
            true => Some(Cause::TesterLate),
            false => self.judgement.reason().map(Finding::cause),
        }
    }
}

/// Hands a run to an oracle and says what came of it.
pub struct Referee<'o> {
    oracle: &'o mut (dyn Oracle + 'o),
    /// How long after its arrival an output may be looked at, on the real clock.
    slack_ns: u64,
    /// Whether events are kept, so that they can be judged again if the tester turns out to be late.
    /// Without them, nothing is excused.
    keeps: bool,
    trace: Trace,
    /// The latest end of an event since the last reset.
    last_ns: u64,
    /// The verdict of the part of the run that was over last, if that is not a pass. It is the verdict of
    /// the run: what is told after it is of no interest.
    before: Option<Judgement<Finding>>,
    /// Whether the oracle has said what it thinks of what came since the last reset.
    is_closed: bool,
}

impl<'o> Referee<'o> {
    /// A referee of a run that is about to start. `slack_ns` is how long after its arrival an output may
    /// be looked at; without `keeps`, the memory it takes does not grow with the run.
    pub fn new(oracle: &'o mut (dyn Oracle + 'o), slack_ns: u64, keeps: bool) -> Referee<'o> {
        let trace = Trace::default();
        Referee { oracle, slack_ns, keeps, trace, last_ns: 0, before: None, is_closed: false }
    }

    /// The oracle.
    pub fn oracle(&mut self) -> &mut dyn Oracle {
        &mut *self.oracle
    }

    /// What was seen since the last reset; only until when, if events are not kept.
    #[must_use]
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Whether the rest of the run is of no interest.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        self.before.is_some() || self.oracle.decided().is_some()
    }

    /// Whether the system has failed by what was seen since the last reset, which may go on: that part of the run was not closed.
    #[must_use]
    pub fn is_failing(&self) -> bool {
        !self.is_closed && self.oracle.decided() == Some(Verdict::Fail)
    }

    /// Whether the run may be left: what it is made for can not be expected any more, and nothing has to be watched further.
    #[must_use]
    pub fn is_pointless(&self) -> bool {
        self.oracle.is_pointless() && !self.oracle.is_waiting()
    }

    /// An event is about to be told: time passes up to it.
    pub fn approach(&mut self, event: &Event) {
        if self.before.is_some() {
            return;
        }
        self.trace.end_ns = self.trace.end_ns.max(event.to_ns);
        if event.from_ns == event.to_ns {
            self.oracle.approach(event.from_ns, event.from_ns.saturating_sub(self.slack_ns));
        }
    }

    /// Something was sent or seen. [`keep`](Self::keep) follows.
    pub fn event(&mut self, event: &Event) {
        if self.before.is_some() {
            return;
        }
        self.trace.end_ns = self.trace.end_ns.max(event.to_ns);
        self.last_ns = self.last_ns.max(event.to_ns);
        self.oracle.event(event);
    }

    /// Keeps an event that was told, if events are kept.
    pub fn keep(&mut self, event: Event) {
        if self.keeps && self.before.is_none() {
            self.trace.events.push(event);
        }
    }

    /// Time passed quietly up to an instant.
    pub fn quiet(&mut self, now_ns: u64) {
        if now_ns > self.trace.end_ns && self.before.is_none() {
            self.trace.end_ns = now_ns;
            self.oracle.quiet(now_ns, now_ns.saturating_sub(self.slack_ns));
        }
    }

    /// What came before is over: the system is about to be reset. Says whether that decides the run.
    pub fn close(&mut self) -> bool {
        if !self.is_closed {
            let verdict = self.oracle.finish(self.end_ns());
            self.before = (!verdict.is_pass()).then_some(verdict);
            self.is_closed = true;
        }
        self.before.is_some()
    }

    /// The system was reset, after [`close`](Self::close).
    pub fn restart(&mut self) {
        if self.before.is_none() {
            self.oracle.restart();
            (self.trace, self.last_ns, self.is_closed) = (Trace::default(), 0, false);
        }
    }

    /// What arrived last may not have been looked at.
    fn end_ns(&self) -> u64 {
        self.trace.end_ns.saturating_sub(self.slack_ns).max(self.last_ns)
    }

    /// The run is over. `late_ns` is by how much the tester looked too late at the worst, if that is more
    /// than the slack. Gives what was seen since the last reset before the verdict, too.
    pub fn finish(mut self, ending: &Ending, late_ns: Option<u64>) -> (Judged, Trace) {
        if *ending == Ending::Left {
            self.oracle.leave();
        }
        self.close();
        let mut judged =
            Judged { judgement: self.before.take().unwrap_or(Judgement::Pass), excused: false };
        self.trace.end_ns = self.end_ns();
        if let (Judgement::Fail(_), Some(late_ns)) = (&judged.judgement, late_ns)
            && self.keeps
            && !self.fails_late(late_ns)
        {
            let Judgement::Fail(finding) = judged.judgement else { unreachable!("it is a fail") };
            judged = Judged { judgement: Judgement::Inconclusive(finding), excused: true };
        }
        let ended = match ending {
            Ending::Complete | Ending::Left => None,
            Ending::Stopped => Some(Finding::Ending(
                Cause::Stopped,
                "The run was stopped before it was over.".into(),
            )),
            Ending::Cut => Some(Finding::Ending(
                Cause::Cut,
                "The record ends before the verdict: what happened after it is not known.".into(),
            )),
            Ending::Broken(cause, words) => Some(Finding::Ending(*cause, words.clone())),
        };
        if let Some(ended) = ended.map(Finding::judged)
            && ended.verdict() > judged.judgement.verdict()
        {
            judged = Judged { judgement: ended, excused: false };
        }
        (judged, self.trace)
    }

    /// Whether what was seen since the last reset fails also if the tester is to blame for all that was
    /// late.
    fn fails_late(&mut self, late_ns: u64) -> bool {
        self.oracle.restart();
        self.oracle.widen(late_ns);
        for event in &self.trace.events {
            self.oracle.event(event);
            if self.oracle.decided().is_some() {
                break;
            }
        }
        self.oracle.finish(self.trace.end_ns).verdict() == Verdict::Fail
    }
}
