//! A requirement that is a timed automaton: what is set and seen outside of a platform is followed by it, event by event.
//!
//! Something happens when a variable *comes to* a value that a channel stands for. A monitored variable has its initial value before it is set; the first value that
//! is seen of a controlled one counts. What is set are inputs of the automaton, what is seen are outputs: it *fails* if something is seen that the automaton does
//! not send then, or if nothing is seen though its time is over. Something that is set where the automaton does not receive it is a case that it does
//! not speak of: *inconclusive* from there on.
//!
//! No delay is taken out: the automaton is about the outside, as [`deadlines`](crate::deadlines) are. A value is set between two instants, and all of them are
//! followed. If the automaton is only kept for some of them, the verdict is inconclusive: it is judged again as if everything had been set when
//! handing it over began, and when it ended.
//!
//! Not here: how states of automata are followed (`conformance`).

use std::collections::BTreeMap;

use punctual_model::testing::platform::{self, Outside, Watched};
use punctual_model::{Action, Event, Happening, PortId, SignalId, Trace, Value, Verdict};
use punctual_semantics::estimate::End;

use crate::conformance::{self, Coverage, Diagnosis, Session, Specification, explain, judge};
use crate::expectations::Kind;
use crate::{Cause, Finding, Interaction, Judgement, Oracle};

/// An automaton that is tested against, and what its channels stand for.
pub struct Grounds<'p> {
    /// What is exchanged with the platform.
    pub outside: &'p Outside,
    /// What each line of the inputs is set to before anything is sent; none if nothing outside stands for that.
    pub initial: Vec<Option<Value>>,
    /// The requirement.
    pub automaton: &'p platform::Automaton,
    /// The automaton of it, with its channels as signals.
    pub specification: &'p Specification,
    /// Its number among all requirements of the platform.
    pub number: usize,
}

/// Watches one requirement.
pub struct Automaton<'p> {
    grounds: Grounds<'p>,
    session: Result<Session<'p>, Box<Diagnosis>>,
    /// What each monitored variable is set to, and each controlled one shows.
    held: BTreeMap<PortId, Value>,
    shown: BTreeMap<SignalId, Value>,
    /// What happened, as the automaton sees it.
    trace: Trace,
    /// Whether the automaton waits for something that has to be seen.
    is_waiting: bool,
    /// Until when something has to be seen after what was set last; none if it was seen, or nothing has to be.
    pending: Option<End>,
    told: Option<Interaction>,
}

impl<'p> Automaton<'p> {
    /// Before anything has happened.
    #[must_use]
    pub fn new(grounds: Grounds<'p>) -> Automaton<'p> {
        let session = Session::new(grounds.specification, Coverage::new(false));
        let mut oracle = Automaton {
            grounds,
            session,
            held: BTreeMap::new(),
            shown: BTreeMap::new(),
            trace: Trace::default(),
            is_waiting: false,
            pending: None,
            told: None,
        };
        oracle.begin();
        oracle
    }

    fn begin(&mut self) {
        self.held.clear();
        self.shown.clear();
        for (port, value) in self.grounds.outside.inputs.iter().zip(&self.grounds.initial) {
            self.held.extend(value.map(|value| (*port, value)));
        }
        self.trace = Trace::default();
        self.told = None;
        self.pending = None;
        self.mind();
    }

    /// What an event is to the automaton.
    fn translated(&mut self, event: &Event) -> Vec<Event> {
        let Grounds { outside, automaton, .. } = &self.grounds;
        let mut found = Vec::new();
        let mut happened = |is_it: &dyn Fn(Watched) -> bool| {
            for (signal, _) in automaton.watched.enumerate().filter(|(_, it)| is_it(**it)) {
                let what = Happening::Signal(Action { signal, values: Vec::new() });
                found.push(Event { what, ..event.clone() });
            }
        };
        match &event.what {
            Happening::Set(reading) => {
                for (port, value) in &reading.values {
                    if self.held.insert(*port, *value) != Some(*value) {
                        happened(
                            &|it| matches!(it, Watched::Set(line, to) if outside.inputs[line] == *port && to == *value),
                        );
                    }
                }
            }
            Happening::Signal(action) => {
                let seen = action.signal;
                if let Some(value) = action.values.first()
                    && self.shown.insert(seen, *value) != Some(*value)
                {
                    happened(
                        &|it| matches!(it, Watched::Seen(line, to) if outside.outputs[line] == seen && to == *value),
                    );
                }
            }
            Happening::Step(_) | Happening::Reading(_) => {}
        }
        found
    }

    fn mind(&mut self) {
        let deadline = self.deadline();
        self.is_waiting = deadline.is_some();
        // Another deadline is that of something that follows.
        self.pending = self.pending.filter(|it| Some(*it) == deadline);
    }

    /// Until when something has to be seen, if it is not decided.
    fn deadline(&mut self) -> Option<End> {
        let session = self.session.as_mut().ok().filter(|it| it.decided().is_none())?;
        session.monitor.deadline()
    }

    /// The verdict as if each value had been set at one end of the time that setting it took.
    fn at_one_end(&self, end_ns: u64, is_late: bool) -> conformance::Judgement {
        let at = |event: &Event| if is_late { event.to_ns } else { event.from_ns };
        let mut trace = self.trace.clone();
        trace.end_ns = end_ns;
        for event in &mut trace.events {
            (event.from_ns, event.to_ns) = (at(event), at(event));
        }
        trace.events.sort_by_key(|event| event.from_ns);
        judge(self.grounds.specification, &trace, &mut Coverage::new(false))
    }

    /// The verdict, and why.
    fn judged(&mut self, end_ns: u64) -> conformance::Judgement {
        let session = match &mut self.session {
            Ok(session) => session,
            Err(diagnosis) => return Judgement::Inconclusive(diagnosis.clone()),
        };
        let judged = session.conclude(end_ns);
        let is_exact = self.trace.events.iter().all(|event| event.from_ns == event.to_ns);
        if is_exact || !judged.is_pass() {
            return judged;
        }
        for is_late in [false, true] {
            if let Judgement::Fail(diagnosis) = self.at_one_end(end_ns, is_late) {
                return Judgement::Inconclusive(diagnosis);
            }
        }
        judged
    }
}

impl Oracle for Automaton<'_> {
    fn restart(&mut self) {
        match &mut self.session {
            Ok(session) => session.restart(),
            Err(_) => {
                let coverage = Coverage::new(false);
                self.session = Session::new(self.grounds.specification, coverage);
            }
        }
        self.begin();
    }

    fn event(&mut self, event: &Event) {
        let is_set = matches!(event.what, Happening::Set(_));
        let happened = self.translated(event);
        let is_new = is_set && !happened.is_empty();
        for event in happened {
            if let Ok(session) = &mut self.session {
                session.event(&event);
            }
            self.trace.events.push(event);
        }
        if is_new {
            self.pending = self.deadline();
        }
        self.mind();
    }

    fn quiet(&mut self, now_ns: u64, seen_ns: u64) {
        if let Ok(session) = &mut self.session {
            session.quiet(now_ns, seen_ns);
        }
        self.mind();
    }

    fn approach(&mut self, now_ns: u64, seen_ns: u64) {
        if let Ok(session) = &mut self.session {
            session.approach(now_ns, seen_ns);
        }
    }

    fn decided(&self) -> Option<Verdict> {
        None
    }

    fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    fn widen(&mut self, by_ns: u64) {
        if let Ok(session) = &mut self.session {
            session.widen(by_ns);
        }
    }

    fn finish(&mut self, end_ns: u64) -> Judgement<Finding> {
        let judged = self.judged(end_ns);
        let verdict = judged.verdict();
        let Grounds { specification, automaton, number, .. } = &self.grounds;
        let kind = Kind::Check;
        let Some(diagnosis) = judged.reason() else {
            if self.pending.is_none() {
                return Judgement::Pass;
            }
            // What was set last has no answer yet, and its time is not over.
            let reason = format!(
                "`{}`: the run ended before what has to follow had to be seen.",
                automaton.name
            );
            let (number, verdict) = (*number, Verdict::Inconclusive);
            let at_ns = end_ns;
            self.told = Some(Interaction { kind, number, at_ns, verdict, reason: reason.clone() });
            return Finding::Ending(Cause::NotExpected, reason).judged();
        };
        let (cause, doubt) = match diagnosis.cause {
            cause if cause.is_failure() && verdict == Verdict::Inconclusive => {
                (Cause::NotExpected, " How long setting takes decides.")
            }
            cause => (cause, ""),
        };
        let reason = format!(
            "`{}`: {}{doubt}",
            automaton.name,
            explain(specification, diagnosis).trim_end()
        );
        let at_ns = specification.instants.first_ns(diagnosis.interval.from);
        let number = *number;
        self.told = Some(Interaction { kind, number, at_ns, verdict, reason: reason.clone() });
        Finding::Ending(cause, reason).judged()
    }

    fn interactions(&self) -> Vec<Interaction> {
        self.told.iter().cloned().collect()
    }
}
