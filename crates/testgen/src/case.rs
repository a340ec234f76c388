//! A case of a suite as a strategy: what it says, at the instants that follow from its waits.

use punctual_model::testing::suite::{Body, Case, Do};
use punctual_model::{PortId, Uncertainty};

use crate::situation::{Decision, Situation, Strategy};

/// Does what a case says, whatever comes back.
#[derive(Clone, Debug)]
pub struct Acting {
    case: Case,
    /// The part or step that comes next.
    next: usize,
    /// The instant at which it is due, in nanoseconds since the start.
    due_ns: u64,
    /// How long after their windows outputs are waited for.
    margin_ns: u64,
    /// By how much the clock of the system may be off.
    delays: Uncertainty,
    /// When the last window of an output closes.
    closes_ns: Option<u64>,
}

impl Acting {
    /// Begins with the first part of the case.
    #[must_use]
    pub fn new(case: Case) -> Acting {
        let delays = Uncertainty::default();
        let mut acting = Acting { case, next: 0, due_ns: 0, margin_ns: 0, delays, closes_ns: None };
        acting.pass_waits();
        acting
    }

    /// The first part is done so much later.
    #[must_use]
    pub fn begun_at(mut self, ns: u64) -> Acting {
        self.due_ns = self.due_ns.saturating_add(ns);
        self
    }

    /// Outputs may be seen so much later than they should come, and are waited for so long before the case
    /// is over.
    #[must_use]
    pub fn with_margin(mut self, margin_ns: u64) -> Acting {
        self.margin_ns = margin_ns;
        self
    }

    /// The clock of the system may drift, as this says; outputs are waited for so much longer.
    #[must_use]
    pub fn with_drift(mut self, delays: Uncertainty) -> Acting {
        self.delays = delays;
        self
    }

    /// Waits are not done but added to the instant of what follows, so nothing drifts. Outputs that should
    /// come are waited for in the end only.
    fn pass_waits(&mut self) {
        if let Body::Timed(parts) = &self.case.body {
            loop {
                match parts.get(self.next) {
                    Some(Do::Wait(ns)) => self.due_ns = self.due_ns.saturating_add(*ns),
                    Some(Do::Expect(expect)) => {
                        let closes_ns = self.due_ns.saturating_add(expect.to_ns);
                        self.closes_ns = self.closes_ns.max(Some(closes_ns));
                    }
                    Some(Do::Send(_) | Do::Check(_)) | None => break,
                }
                self.next += 1;
            }
        }
    }

    /// When the case is over: all is done, and no output that should come is in time any more.
    fn end_ns(&self) -> u64 {
        let closed = |ns: u64| {
            let ns = ns.saturating_add(self.margin_ns);
            ns.saturating_add(self.delays.late_ns(ns))
        };
        self.closes_ns.map_or(self.due_ns, |ns| self.due_ns.max(closed(ns)))
    }
}

impl Strategy for Acting {
    fn decide(&mut self, _: &Situation<'_>) -> Decision {
        let at_ns = self.due_ns;
        match &self.case.body {
            Body::Timed(parts) => match parts.get(self.next) {
                Some(Do::Send(action)) => Decision::SendAnyway { action: action.clone(), at_ns },
                Some(Do::Check(check)) => {
                    let allowed = check.allowed.iter().flatten();
                    let ports = check.expected.iter().chain(allowed).map(|(port, _)| *port);
                    let mut ports: Vec<PortId> = ports.collect();
                    ports.sort_unstable();
                    ports.dedup();
                    Decision::Read { ports, at_ns }
                }
                Some(Do::Wait(_) | Do::Expect(_)) | None => Decision::End { at_ns: self.end_ns() },
            },
            Body::Steps(table) => match table.steps.get(self.next) {
                Some(step) => Decision::Step { inputs: step.inputs.clone(), at_ns },
                None => Decision::End { at_ns },
            },
        }
    }

    fn sent(&mut self) {
        self.next += 1;
        match &self.case.body {
            Body::Timed(_) => self.pass_waits(),
            Body::Steps(table) => self.due_ns = self.due_ns.saturating_add(table.period_ns),
        }
    }
}
