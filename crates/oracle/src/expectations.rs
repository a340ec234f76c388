//! The oracle of a case of a suite: what it checks must be as it says.
//!
//! A timed case reads ports at its checks; each must show what is expected, or something else that is
//! allowed. A table of steps compares outputs, step by step. Every check and step has a verdict of its
//! own; the run goes on after one that fails, and fails in the end.

use punctual_model::testing::suite::{Body, Case, Check, Do};
use punctual_model::{Event, Happening, Interface, PortId, PortRole, Value, Verdict};

use crate::{Cause, Finding, Interaction, Judgement, Oracle};

/// A check or a step that is not as the case says.
#[derive(Clone, PartialEq, Debug)]
pub struct Unexpected {
    /// The number of the check or step, from 0.
    pub number: usize,
    /// Whether it is a step of a table.
    pub is_step: bool,
    /// The instant at which it was made.
    pub at_ns: u64,
    /// What was seen, for people; nothing if the check was never made.
    pub seen: Option<String>,
    /// What was expected, for people.
    pub expected: String,
    /// What else was allowed, for people.
    pub allowed: Vec<String>,
}

impl Unexpected {
    /// The cause, from the list that all oracles share.
    #[must_use]
    pub fn cause(&self) -> Cause {
        if self.seen.is_some() { Cause::WrongValue } else { Cause::Stopped }
    }

    /// What is wrong, as a sentence.
    #[must_use]
    pub fn explain(&self) -> String {
        let Unexpected { number, expected, allowed, .. } = self;
        let or: String = allowed.iter().map(|it| format!(" or `{it}`")).collect();
        match &self.seen {
            Some(seen) => {
                let what = if self.is_step { "Step" } else { "Check" };
                format!("{what} {number}: `{expected}`{or} was expected, `{seen}` was seen.")
            }
            None if expected.is_empty() => format!("Step {number} was not taken."),
            None => format!("Check {number} was not made: `{expected}`{or} was expected."),
        }
    }
}

/// Judges a run by the expectations of its case.
pub struct Expectations<'c> {
    interface: &'c Interface,
    case: &'c Case,
    /// How many checks or steps were seen.
    n_seen: usize,
    judged: Vec<Interaction>,
    first: Option<Unexpected>,
}

impl<'c> Expectations<'c> {
    /// The expectations of a case over an interface.
    #[must_use]
    pub fn new(interface: &'c Interface, case: &'c Case) -> Expectations<'c> {
        Expectations { interface, case, n_seen: 0, judged: Vec::new(), first: None }
    }

    fn check(&self, number: usize) -> Option<&'c Check> {
        let Body::Timed(parts) = &self.case.body else { return None };
        let mut checks = parts.iter().filter_map(|part| match part {
            Do::Check(check) => Some(check),
            _ => None,
        });
        checks.nth(number)
    }

    /// How many checks or steps the case has.
    fn n_checks(&self) -> usize {
        match &self.case.body {
            Body::Timed(parts) => parts.iter().filter(|it| matches!(it, Do::Check(_))).count(),
            Body::Steps(table) => table.steps.len(),
        }
    }

    fn note(&mut self, at_ns: u64, unexpected: Option<Unexpected>) {
        self.judged.push(Interaction {
            number: self.n_seen,
            at_ns,
            verdict: if unexpected.is_some() { Verdict::Fail } else { Verdict::Pass },
            reason: unexpected.as_ref().map(Unexpected::explain).unwrap_or_default(),
        });
        self.n_seen += 1;
        if self.first.is_none() {
            self.first = unexpected;
        }
    }

    fn read(&self, check: &Check, values: &[(PortId, Value)], at_ns: u64) -> Option<Unexpected> {
        let shows = |wanted: &[(PortId, Value)]| {
            wanted
                .iter()
                .all(|(port, value)| values.iter().any(|(at, seen)| at == port && seen == value))
        };
        let is_right = match check.allowed.is_empty() {
            true => shows(&check.expected),
            false => check.allowed.iter().any(|allowed| shows(allowed)),
        };
        let seen = Some(self.interface.ports_text(values));
        (!is_right).then(|| self.unexpected(check, at_ns, seen))
    }

    /// The check that is next was not as it says, or not made.
    fn unexpected(&self, check: &Check, at_ns: u64, seen: Option<String>) -> Unexpected {
        let others = check.allowed.iter().filter(|it| **it != check.expected);
        Unexpected {
            number: self.n_seen,
            is_step: false,
            at_ns,
            seen,
            expected: self.interface.ports_text(&check.expected),
            allowed: others.map(|it| self.interface.ports_text(it)).collect(),
        }
    }

    fn step(&self, expected: &[Value], seen: &[Value], at_ns: u64) -> Option<Unexpected> {
        if expected.is_empty() || expected == seen {
            return None;
        }
        let ports: Vec<PortId> = self.interface.ports_with(PortRole::Output).collect();
        let differing = |of: &[Value]| {
            let all = ports.iter().zip(of).zip(expected.iter().zip(seen));
            let differs = all.filter(|(_, (expected, seen))| expected != seen);
            let values: Vec<_> = differs.map(|((port, value), _)| (*port, *value)).collect();
            self.interface.ports_text(&values)
        };
        Some(Unexpected {
            number: self.n_seen,
            is_step: true,
            at_ns,
            seen: Some(differing(seen)),
            expected: differing(expected),
            allowed: Vec::new(),
        })
    }
}

impl Oracle for Expectations<'_> {
    fn restart(&mut self) {
        self.n_seen = 0;
        self.judged.clear();
        self.first = None;
    }

    fn event(&mut self, event: &Event) {
        let at_ns = event.from_ns;
        match (&event.what, &self.case.body) {
            (Happening::Reading(reading), Body::Timed(_)) => {
                if let Some(check) = self.check(self.n_seen) {
                    let unexpected = self.read(check, &reading.values, at_ns);
                    self.note(at_ns, unexpected);
                }
            }
            (Happening::Step(step), Body::Steps(table)) => {
                if let Some(expected) = table.steps.get(self.n_seen) {
                    let unexpected = self.step(&expected.outputs, &step.outputs, at_ns);
                    self.note(at_ns, unexpected);
                }
            }
            _ => {}
        }
    }

    fn decided(&self) -> Option<Verdict> {
        None
    }

    fn finish(&mut self, end_ns: u64) -> Judgement<Finding> {
        if let Some(first) = self.first.take() {
            return Judgement::Fail(Finding::Expectation(first));
        }
        if self.n_seen < self.n_checks() {
            let check = self.check(self.n_seen).cloned().unwrap_or_default();
            let missed = self.unexpected(&check, end_ns, None);
            return Judgement::Inconclusive(Finding::Expectation(missed));
        }
        Judgement::Pass
    }

    fn interactions(&self) -> Vec<Interaction> {
        self.judged.clone()
    }
}
