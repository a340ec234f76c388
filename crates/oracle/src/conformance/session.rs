//! Both sides together, event by event.

use punctual_model::{Direction, Event, Trace};
use punctual_semantics::estimate::Overflow;

use super::Verdict;
use super::coverage::Coverage;
use super::diagnosis::{Diagnosis, Question};
use super::emulator::Emulator;
use super::monitor::Monitor;
use super::specification::Specification;

/// Follows a run, live or recorded.
pub struct Session<'s> {
    specification: &'s Specification,
    /// The system's side.
    pub monitor: Monitor<'s>,
    /// The environment's side.
    pub emulator: Emulator<'s>,
    /// What of the model was covered.
    pub coverage: Coverage,
    /// The environment left its model then: what the system does later says nothing.
    left: Option<(u64, Box<Diagnosis>)>,
    verdict: Option<Verdict>,
}

impl<'s> Session<'s> {
    /// Follows a run from its start.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn new(
        specification: &'s Specification,
        coverage: Coverage,
    ) -> Result<Session<'s>, Box<Diagnosis>> {
        Ok(Session {
            specification,
            monitor: Monitor::new(specification)?,
            emulator: Emulator::new(specification)?,
            coverage,
            left: None,
            verdict: None,
        })
    }

    /// The system was reset. What was covered is kept.
    pub fn restart(&mut self) {
        (self.left, self.verdict) = (None, None);
        let done = self.monitor.restart().and_then(|()| self.emulator.restart());
        self.note(done);
    }

    /// What may come next could not be computed.
    pub fn give_up(&mut self, now_ns: u64, overflow: Overflow) {
        let instants = self.specification.instants;
        let interval = instants.interval(now_ns, now_ns);
        let part = &self.specification.parts[0];
        let diagnosis = Question::new(part, None, interval).overflow(overflow);
        self.verdict = Some(Verdict::Inconclusive(diagnosis));
    }

    /// The specification.
    #[must_use]
    pub fn specification(&self) -> &'s Specification {
        self.specification
    }

    /// The verdict, once it is clear that it is not a pass.
    #[must_use]
    pub fn verdict(&self) -> Option<&Verdict> {
        self.verdict.as_ref()
    }

    /// Whether nothing that happens from now on counts.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        self.verdict.is_some() || self.left.is_some()
    }

    /// Something was sent or seen.
    pub fn event(&mut self, event: &Event) {
        if self.is_decided() {
            return;
        }
        if let Err(diagnosis) = self.emulator.quiet(event.from_ns) {
            // The environment was late before, so this says something only if the system was as well.
            let over_ns = self.over_ns(&diagnosis);
            self.left = Some((over_ns, diagnosis));
            if self.monitor.quiet(over_ns, &mut self.coverage).is_ok() {
                return;
            }
        } else if let Err(diagnosis) = self.emulator.event(event, &mut self.coverage) {
            self.left = Some((event.from_ns, diagnosis));
            // The system may have been wrong before, and an output may be wrong itself.
            let signal = &self.specification.interface.signals[event.action.signal];
            if signal.direction == Direction::Input {
                return;
            }
        }
        let done = self.monitor.event(event, &mut self.coverage);
        self.note(done);
    }

    /// Nothing more was sent up to an instant, and nothing more was seen of what arrived up to another
    /// (at most that one).
    pub fn quiet(&mut self, now_ns: u64, seen_ns: u64) {
        if self.is_decided() {
            return;
        }
        let mut until_ns = seen_ns;
        if let Err(diagnosis) = self.emulator.quiet(now_ns) {
            // Both may be late. The system is wrong only if its time was over first.
            until_ns = self.over_ns(&diagnosis).min(seen_ns);
            self.left = Some((until_ns, diagnosis));
        }
        let done = self.monitor.quiet(until_ns, &mut self.coverage);
        self.note(done);
    }

    /// When the time of an environment that is late was over.
    fn over_ns(&self, diagnosis: &Diagnosis) -> u64 {
        let instants = self.specification.instants;
        diagnosis.latest.and_then(|end| instants.last_ns(end)).unwrap_or(0)
    }

    /// Time passes up to something that was seen and is told next. If it can not pass, that is left to
    /// be explained together with what was seen.
    pub fn approach(&mut self, now_ns: u64, seen_ns: u64) {
        if !self.is_decided() {
            let _ = self.emulator.quiet(now_ns);
            let _ = self.monitor.quiet(seen_ns, &mut self.coverage);
        }
    }

    /// The run is over.
    pub fn finish(&mut self, end_ns: u64) -> Verdict {
        if !self.is_decided() {
            self.quiet(end_ns, end_ns);
        }
        if self.verdict.is_none() {
            let end_ns = self.left.as_ref().map_or(end_ns, |(left_ns, _)| *left_ns);
            let done = self.monitor.finish(end_ns, &mut self.coverage);
            self.note(done);
        }
        match (self.verdict.take(), self.left.take()) {
            (Some(verdict @ Verdict::Fail(_)), _) => verdict,
            (_, Some((_, diagnosis))) => Verdict::Inconclusive(diagnosis),
            (Some(verdict), None) => verdict,
            (None, None) => Verdict::Pass,
        }
    }

    fn note(&mut self, done: Result<(), Box<Diagnosis>>) {
        if let Err(diagnosis) = done {
            self.verdict = Some(match diagnosis.cause.is_failure() {
                true => Verdict::Fail(diagnosis),
                false => Verdict::Inconclusive(diagnosis),
            });
        }
    }
}

/// Judges a trace.
pub fn judge(specification: &Specification, trace: &Trace, coverage: &mut Coverage) -> Verdict {
    judge_late(specification, trace, 0, coverage)
}

/// Judges a trace of a tester that was late itself: all signals may have taken so much longer than the
/// interface says.
pub fn judge_late(
    specification: &Specification,
    trace: &Trace,
    late_ns: u64,
    coverage: &mut Coverage,
) -> Verdict {
    let mut session = match Session::new(specification, std::mem::take(coverage)) {
        Ok(session) => session,
        Err(diagnosis) => return Verdict::Inconclusive(diagnosis),
    };
    session.monitor.widen(late_ns);
    for event in &trace.events {
        session.event(event);
        if session.is_decided() {
            break;
        }
    }
    let verdict = session.finish(trace.end_ns);
    *coverage = session.coverage;
    verdict
}
