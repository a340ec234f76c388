//! Both sides together, event by event.

use std::sync::Arc;

use punctual_model::{Action, Direction, Event, Happening, Trace, Verdict};
use punctual_semantics::budget::Budget;
use punctual_semantics::estimate::{Interval, Overflow, Stand};

use super::Specification;
use super::coverage::Coverage;
use super::diagnosis::{Allowed, Diagnosis, Question};
use super::emulator::{Choices, Emulator, Led};
use super::monitor::Monitor;
use super::{Instants, Judgement, explain};
use crate::{Cause, Environment, Finding, Oracle, Sets};

/// Follows a run, live or recorded.
pub struct Session<'s> {
    specification: &'s Specification,
    /// Follows the system and judges it.
    pub monitor: Monitor<'s>,
    /// Follows the environment, as the tester sees it.
    pub emulator: Emulator<'s>,
    /// What of the model was covered.
    pub coverage: Coverage,
    /// When and how the environment left its model: what the system does later says nothing.
    left: Option<(u64, Box<Diagnosis>)>,
    verdict: Option<Judgement>,
    /// Whether the verdict was asked for since the run began, which is known to have no further steps then.
    is_concluded: bool,
    /// Everything may take so much longer than the interface says.
    late_ns: u64,
    /// What was covered before a run that is judged again; none if it is judged for the first time.
    counted: Option<Coverage>,
}

impl<'s> Session<'s> {
    /// Follows a run from its start.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn new(
        specification: &'s Specification,
        mut coverage: Coverage,
    ) -> Result<Session<'s>, Box<Diagnosis>> {
        coverage.restart();
        let (mut monitor, mut emulator) =
            (Monitor::new(specification)?, Emulator::new(specification)?);
        monitor.keep_ways(coverage.keeps_ways());
        emulator.keep_ways(coverage.keeps_ways());
        Ok(Session {
            specification,
            monitor,
            emulator,
            coverage,
            left: None,
            verdict: None,
            is_concluded: false,
            late_ns: 0,
            counted: None,
        })
    }

    /// What the run is judged by.
    #[must_use]
    pub fn specification(&self) -> &'s Specification {
        self.specification
    }

    /// The verdict, once it is clear that it is not a pass.
    #[must_use]
    pub fn verdict(&self) -> Option<&Judgement> {
        self.verdict.as_ref()
    }

    fn is_decided(&self) -> bool {
        self.verdict.is_some() || self.left.is_some()
    }

    /// When the time of an environment that is late was over.
    fn over_ns(&self, diagnosis: &Diagnosis) -> u64 {
        let instants = self.specification.instants;
        diagnosis.latest.and_then(|end| instants.last_ns(end)).unwrap_or(0)
    }

    /// The first input that the system may not have taken: its number among the inputs of the run, and its words. One
    /// that no state takes counts if the run `ended` with it.
    #[must_use]
    pub fn not_taken(&self, ended: bool) -> Option<(usize, String)> {
        let text = |it: &Happening| self.specification.interface().happening_text(it);
        match self.monitor.refused() {
            Some(refused) => Some((refused.number, text(&refused.input))),
            None => {
                ended.then(|| self.monitor.not_followed()).flatten().map(|(n, it)| (n, text(it)))
            }
        }
    }

    /// The verdict of the run, with the diagnosis of the side that got stuck.
    pub fn conclude(&mut self, end_ns: u64) -> Judgement {
        if !self.is_decided() {
            self.quiet(end_ns, end_ns);
        }
        if self.verdict.is_none() {
            let end_ns = self.left.as_ref().map_or(end_ns, |(left_ns, _)| *left_ns);
            let done = self.monitor.finish(end_ns, &mut self.coverage);
            self.note(done);
        }
        self.note_last();
        self.is_concluded = true;
        if let Some(counted) = self.counted.take() {
            self.coverage = counted;
        }
        match (self.verdict.take(), self.left.take()) {
            (Some(verdict @ Judgement::Fail(_)), _) => verdict,
            (_, Some((_, diagnosis))) => Judgement::Inconclusive(diagnosis),
            (Some(verdict), None) => verdict,
            (None, None) => Judgement::Pass,
        }
    }

    /// Notes what may have been done unseen at the end. Of a system that failed, as far as it came before; of all others that got stuck,
    /// nobody knows how far that is.
    fn note_last(&mut self) {
        if std::mem::take(&mut self.is_concluded) {
            return;
        }
        match (&self.verdict, &self.left) {
            (None, None) => {
                self.monitor.note_last(&mut self.coverage);
                self.emulator.note_last(&mut self.coverage);
            }
            (Some(Judgement::Fail(diagnosis)), None) => {
                self.monitor.note_stuck(diagnosis, &mut self.coverage);
            }
            _ => {}
        }
    }

    fn note(&mut self, done: Result<(), Box<Diagnosis>>) {
        if let Err(diagnosis) = done {
            self.verdict = Some(match diagnosis.cause.is_failure() {
                true => Judgement::Fail(diagnosis),
                false => Judgement::Inconclusive(diagnosis),
            });
        }
    }
}

impl Oracle for Session<'_> {
    fn restart(&mut self) {
        self.note_last();
        (self.left, self.verdict) = (None, None);
        self.coverage.restart();
        let done = self.monitor.restart().and_then(|()| self.emulator.restart());
        self.note(done);
    }

    fn event(&mut self, event: &Event) {
        if self.is_decided() {
            return;
        }
        if let Err(diagnosis) = self.emulator.quiet(event.from_ns) {
            // The environment was late before, so this says something only if the system was as well.
            let over_ns = self.over_ns(&diagnosis);
            self.left = Some((over_ns, diagnosis));
            // What was seen before is explained first; only that time could not pass is left to what is told now.
            if let Err(diagnosis) = self.monitor.approach(over_ns, &mut self.coverage) {
                return self.note(Err(diagnosis));
            }
            if self.monitor.quiet(over_ns, &mut self.coverage).is_ok() {
                return;
            }
        } else if let Err(diagnosis) = self.emulator.event(event, &mut self.coverage) {
            self.left = Some((event.from_ns, diagnosis));
            // The system may have been wrong before, and an output may be wrong itself.
            if let Happening::Signal(action) = &event.what
                && self.specification.interface().signals[action.signal].direction
                    == Direction::Input
            {
                return;
            }
        }
        let done = self.monitor.event(event, &mut self.coverage);
        self.note(done);
    }

    fn quiet(&mut self, now_ns: u64, seen_ns: u64) {
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

    fn approach(&mut self, now_ns: u64, seen_ns: u64) {
        if self.is_decided() {
            return;
        }
        let mut until_ns = seen_ns;
        if let Err(diagnosis) = self.emulator.quiet(now_ns) {
            // What the system did after that says nothing.
            until_ns = self.over_ns(&diagnosis).min(seen_ns);
        }
        let done = self.monitor.approach(until_ns, &mut self.coverage);
        self.note(done);
    }

    fn decided(&self) -> Option<Verdict> {
        let left = self.left.as_ref().map(|_| Verdict::Inconclusive);
        self.verdict.as_ref().map(Judgement::verdict).max(left)
    }

    fn finish(&mut self, end_ns: u64) -> crate::Judgement<Finding> {
        self.conclude(end_ns).map(Finding::Conformance)
    }

    fn widen(&mut self, by_ns: u64) {
        self.monitor.widen(by_ns.saturating_sub(self.late_ns));
        self.late_ns = self.late_ns.max(by_ns);
        // A run that is judged again covers nothing new.
        self.counted = Some(self.coverage.clone());
    }

    fn environment(&mut self) -> Option<&mut dyn Environment> {
        Some(self)
    }
}

impl Environment for Session<'_> {
    fn choices(&mut self, horizon: i64) -> Result<Choices, Overflow> {
        self.emulator.choices(horizon)
    }

    fn look_ahead(&mut self, to_ns: u64) -> Result<(), Overflow> {
        self.monitor.look_ahead(to_ns)
    }

    fn accepts(&mut self, action: &Action) -> Result<Vec<Interval>, Overflow> {
        self.monitor.accepts(action)
    }

    fn refuses(&mut self, action: &Action, horizon: i64) -> Vec<Interval> {
        self.monitor.refuses(action, horizon)
    }

    fn preview(&mut self, action: &Action) -> Result<Vec<Led>, Overflow> {
        self.monitor.preview(action)
    }

    fn stands(&mut self, most: usize) -> Vec<(usize, Vec<Stand>)> {
        let mut stands = self.emulator.stands(most);
        stands.extend(self.monitor.stands(most));
        stands
    }

    fn expected(&mut self) -> Result<Vec<Allowed>, Overflow> {
        self.monitor.expected()
    }

    fn give_up(&mut self, now_ns: u64, overflow: Overflow) -> (Cause, String) {
        let interval = self.specification.instants.interval(now_ns, now_ns);
        let part = &self.specification.parts[0];
        let question = Question::new(self.specification, part, None, interval);
        let diagnosis = question.overflow(overflow);
        (diagnosis.cause, explain(self.specification, &diagnosis))
    }

    fn budget(&self) -> &Arc<Budget> {
        self.specification.budget()
    }

    fn sets(&self) -> Sets {
        Sets { system: self.monitor.n_states(), environment: self.emulator.n_states() }
    }

    fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    fn instants(&self) -> Instants {
        self.specification.instants
    }
}

/// Judges a whole trace, and adds what it covers.
pub fn judge(specification: &Specification, trace: &Trace, coverage: &mut Coverage) -> Judgement {
    let mut session = match Session::new(specification, std::mem::take(coverage)) {
        Ok(session) => session,
        Err(diagnosis) => return Judgement::Inconclusive(diagnosis),
    };
    for event in &trace.events {
        session.event(event);
        if session.is_decided() {
            break;
        }
    }
    let verdict = session.conclude(trace.end_ns);
    *coverage = session.coverage;
    verdict
}
