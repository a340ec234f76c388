//! A strategy that is accompanied: a synchronous part of the system is stepped at a period, and variables
//! are read after each input, while another strategy chooses inputs.

use punctual_model::PortId;
use punctual_model::testing::suite::Table;

use crate::situation::{Decision, Situation, Strategy};

/// Steps and reads a system beside what another strategy does.
pub struct Alongside {
    inner: Box<dyn Strategy>,
    steps: Table,
    n_steps: usize,
    reads: Vec<PortId>,
    /// Whether something was done since the last reading.
    is_due: bool,
    last: Last,
}

/// Who made the last decision.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Inner,
    Step,
    Read,
}

impl Alongside {
    /// Steps as in a table, one every period, and reads these ports after each input and step. Without
    /// steps the table is empty; without ports nothing is read.
    #[must_use]
    pub fn new(inner: Box<dyn Strategy>, steps: Table, reads: Vec<PortId>) -> Alongside {
        Alongside { inner, steps, n_steps: 0, reads, is_due: true, last: Last::Inner }
    }

    fn step_ns(&self) -> Option<u64> {
        let is_left = self.n_steps < self.steps.steps.len();
        is_left.then(|| self.steps.period_ns.saturating_mul(self.n_steps as u64))
    }
}

impl Strategy for Alongside {
    fn decide(&mut self, situation: &Situation<'_>) -> Decision {
        if self.is_due && !self.reads.is_empty() {
            self.last = Last::Read;
            return Decision::Read { ports: self.reads.clone(), at_ns: situation.now_ns };
        }
        self.last = Last::Inner;
        let decision = self.inner.decide(situation);
        let planned_ns = match &decision {
            Decision::Send { at, .. } => situation.ns(*at),
            Decision::Wait { until } => situation.ns(*until),
            Decision::SendAnyway { at_ns, .. }
            | Decision::Set { at_ns, .. }
            | Decision::Step { at_ns, .. }
            | Decision::Read { at_ns, .. }
            | Decision::End { at_ns } => *at_ns,
            Decision::Restart => {
                self.n_steps = 0;
                self.is_due = true;
                return decision;
            }
        };
        match self.step_ns() {
            Some(at_ns) if at_ns <= planned_ns => {
                self.last = Last::Step;
                Decision::Step { inputs: self.steps.steps[self.n_steps].inputs.clone(), at_ns }
            }
            _ => decision,
        }
    }

    fn looks_ahead(&self) -> bool {
        self.inner.looks_ahead()
    }

    fn sent(&mut self) {
        self.is_due = self.last != Last::Read;
        match self.last {
            Last::Inner => self.inner.sent(),
            Last::Step => self.n_steps += 1,
            Last::Read => {}
        }
    }
}
