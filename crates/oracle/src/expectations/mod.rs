//! The oracle of a case of a suite: what it checks must be as it says.
//!
//! A timed case reads ports at its checks. What is not allowed fails; what is allowed, but not what the case
//! expects, is inconclusive: the system is not wrong, but the test did not go where it should. Outputs that
//! should come must come in their windows (`outputs.rs`); others are not judged here. A table of steps compares
//! outputs, step by step. Every check and step has a verdict of its own; the run goes on after one that is no
//! pass, and the worst is that of the run.
//!
//! The lists of a check hold for exact instants. Of a case with a probability, a model that follows the run says what is not allowed
//! (`counted.rs`). A model may also say that an input was perhaps not taken; checks after it fail nobody (`checked.rs`).

mod checked;
mod counted;
mod outputs;
mod unexpected;

use punctual_model::testing::suite::{Body, Case, Check, Do};
use punctual_model::{Event, Happening, Interface, PortId, PortRole, Value, Verdict};

pub use self::checked::Checked;
pub use self::counted::Counted;
use self::outputs::Outputs;
pub use self::unexpected::{Kind, Unexpected};
use crate::{Cause, Finding, Interaction, Judgement, Oracle};

/// Judges a run by the expectations of its case.
pub struct Expectations<'c> {
    interface: &'c Interface,
    case: &'c Case,
    /// How many checks or steps were seen.
    n_seen: usize,
    outputs: Outputs<'c>,
    judged: Vec<Interaction>,
    /// What is no pass, in the order in which it was seen.
    blamed: Vec<Unexpected>,
}

impl<'c> Expectations<'c> {
    /// The expectations of a case over an interface. An output that does not come fails.
    #[must_use]
    pub fn new(interface: &'c Interface, case: &'c Case) -> Expectations<'c> {
        let outputs = Outputs::of(interface, case, Cause::Missing);
        let (judged, blamed) = (Vec::new(), Vec::new());
        Expectations { interface, case, n_seen: 0, outputs, judged, blamed }
    }

    /// A timed model judges the run as well, which knows itself whether an output had to come: one that does
    /// not is inconclusive here.
    #[must_use]
    pub fn beside_a_model(mut self) -> Expectations<'c> {
        self.outputs = Outputs::of(self.interface, self.case, Cause::NotExpected);
        self
    }

    /// The case is judged by how often it shows what it expects: an output that does not come in its window is not seen, and not wrong.
    #[must_use]
    pub fn counted(mut self) -> Expectations<'c> {
        let outputs = Outputs::of(self.interface, self.case, Cause::NotExpected);
        self.outputs = outputs.counted(self.case);
        self
    }

    /// Something else than the lists explains what was read at all checks of ports that are `known` to it: what is not in the lists is
    /// allowed as well, and still not what the case expects.
    fn explained(&mut self, known: impl Fn(PortId) -> bool) {
        let mut blamed = std::mem::take(&mut self.blamed);
        let is_wrong = |it: &&mut Unexpected| {
            let (kind, cause) = (it.kind, it.cause);
            kind == Kind::Check && cause == Cause::WrongValue && it.seen.is_some()
        };
        for unexpected in blamed.iter_mut().filter(is_wrong) {
            let check = self.check(unexpected.number);
            let mut lists = check.iter().flat_map(|it| it.allowed.iter().chain([&it.expected]));
            if !lists.all(|list| list.iter().all(|(port, _)| known(*port))) {
                continue;
            }
            unexpected.cause = Cause::NotExpected;
            self.judge_again(unexpected);
        }
        self.blamed = blamed;
    }

    /// An input may not have been taken: from some number on, checks fail nobody.
    fn excuse(&mut self, from: usize, input: &str) {
        let mut blamed = std::mem::take(&mut self.blamed);
        let is_fail = |it: &&mut Unexpected| it.cause.is_failure() && it.kind == Kind::Check;
        for unexpected in blamed.iter_mut().filter(is_fail).filter(|it| it.number >= from) {
            (unexpected.cause, unexpected.refused) = (Cause::Refused, Some(input.to_owned()));
            self.judge_again(unexpected);
        }
        self.blamed = blamed;
    }

    /// Says of a check what is said of it now.
    fn judge_again(&mut self, unexpected: &Unexpected) {
        let is_it =
            |it: &&mut Interaction| it.kind == unexpected.kind && it.number == unexpected.number;
        if let Some(judged) = self.judged.iter_mut().find(is_it) {
            (judged.verdict, judged.reason) = (unexpected.cause.verdict(), unexpected.explain());
        }
    }

    /// The first fail, or else the first that is no pass.
    fn worst(&self) -> Option<Unexpected> {
        let worst = self.blamed.iter().map(|it| it.cause.verdict()).max()?;
        self.blamed.iter().find(|it| it.cause.verdict() == worst).cloned()
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

    /// What was seen of a check or a step.
    fn note(&mut self, at_ns: u64, unexpected: Option<Unexpected>) {
        let number = self.n_seen;
        self.n_seen += 1;
        match unexpected {
            Some(unexpected) => self.blame(unexpected),
            None => self.judged.push(Interaction {
                kind: match self.case.body {
                    Body::Timed(_) => Kind::Check,
                    Body::Steps(_) => Kind::Step,
                },
                number,
                at_ns,
                verdict: Verdict::Pass,
                reason: String::new(),
            }),
        }
    }

    fn blame(&mut self, unexpected: Unexpected) {
        let verdict = unexpected.cause.verdict();
        self.judged.push(Interaction {
            kind: unexpected.kind,
            number: unexpected.number,
            at_ns: unexpected.at_ns,
            verdict,
            reason: unexpected.explain(),
        });
        self.blamed.push(unexpected);
    }

    fn read(&self, check: &Check, values: &[(PortId, Value)], at_ns: u64) -> Option<Unexpected> {
        let shows = |wanted: &[(PortId, Value)]| {
            wanted
                .iter()
                .all(|(port, value)| values.iter().any(|(at, seen)| at == port && seen == value))
        };
        let is_allowed = match check.allowed.is_empty() {
            true => shows(&check.expected),
            false => check.allowed.iter().any(|allowed| shows(allowed)),
        };
        // A check that expects nothing is content with anything that is allowed.
        let cause = match (is_allowed, shows(&check.expected)) {
            (true, true) => return None,
            (true, false) => Cause::NotExpected,
            (false, _) => Cause::WrongValue,
        };
        let seen = Some(self.interface.ports_text(values));
        Some(self.unexpected(check, at_ns, seen, cause))
    }

    /// The check that is next was not as it says, or not made.
    fn unexpected(
        &self,
        check: &Check,
        at_ns: u64,
        seen: Option<String>,
        cause: Cause,
    ) -> Unexpected {
        let others = check.allowed.iter().filter(|it| **it != check.expected);
        Unexpected {
            number: self.n_seen,
            kind: Kind::Check,
            at_ns,
            seen,
            expected: self.interface.ports_text(&check.expected),
            allowed: others.map(|it| self.interface.ports_text(it)).collect(),
            requirement: check.requirement.clone(),
            cause,
            refused: None,
        }
    }

    /// Nothing more is seen of what came before an instant.
    fn pass(&mut self, seen_ns: u64) {
        for missed in self.outputs.over(seen_ns) {
            self.blame(missed);
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
            kind: Kind::Step,
            at_ns,
            seen: Some(differing(seen)),
            expected: differing(expected),
            allowed: Vec::new(),
            requirement: None,
            cause: Cause::WrongValue,
            refused: None,
        })
    }
}

impl Oracle for Expectations<'_> {
    fn restart(&mut self) {
        self.n_seen = 0;
        self.judged.clear();
        self.blamed.clear();
        self.outputs.restart();
    }

    fn event(&mut self, event: &Event) {
        let at_ns = event.from_ns;
        match (&event.what, &self.case.body) {
            (Happening::Reading(reading), Body::Timed(_)) => {
                self.outputs.reading(at_ns);
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
            (Happening::Signal(action), Body::Timed(_)) => {
                self.pass(at_ns);
                self.outputs.signal(action, event.from_ns, event.to_ns);
            }
            _ => {}
        }
    }

    fn quiet(&mut self, _: u64, seen_ns: u64) {
        self.pass(seen_ns);
    }

    fn decided(&self) -> Option<Verdict> {
        None
    }

    fn finish(&mut self, end_ns: u64) -> Judgement<Finding> {
        self.outputs.finish();
        for missed in self.outputs.over(end_ns.saturating_add(1)) {
            self.blame(missed);
        }
        let mut worst = self.worst().map(|it| self.outputs.told(it));
        self.blamed.clear();
        if worst.is_none() && self.n_seen < self.n_checks() {
            worst = Some(match self.check(self.n_seen) {
                Some(check) => self.unexpected(check, end_ns, None, Cause::Stopped),
                None => Unexpected::not_taken(self.n_seen, end_ns),
            });
        }
        let worst = worst.or_else(|| self.outputs.open(end_ns));
        worst.map_or(Judgement::Pass, |it| Finding::Expectation(it).judged())
    }

    fn widen(&mut self, by_ns: u64) {
        self.outputs.widen(by_ns);
    }

    fn interactions(&self) -> Vec<Interaction> {
        self.judged.clone()
    }
}
