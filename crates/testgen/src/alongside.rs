//! A strategy that is accompanied: a synchronous part of the system is stepped at a period, and variables
//! are read after each input and step, while another strategy chooses inputs.

use punctual_model::testing::suite::Table;
use punctual_model::{Event, PortId};

use crate::situation::{Decision, Situation, Strategy};

/// Steps and reads a system beside what another strategy does.
pub struct Alongside<'a> {
    inner: Box<dyn Strategy + 'a>,
    steps: Table,
    n_steps: usize,
    reads: Vec<PortId>,
    /// Whether something was done since the last reading.
    is_due: bool,
    /// What the other strategy decided, and a step or a reading came before.
    planned: Option<Decision>,
    last: Last,
    /// Whether the last decision was done, and not overtaken by an output.
    was_done: bool,
}

/// Who made the last decision.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Inner,
    /// The other strategy, and the system is to be reset.
    Restart,
    Step,
    Read,
}

impl<'a> Alongside<'a> {
    /// Steps as in a table, one every period, and reads these ports after each input and step. Without
    /// steps the table is empty; without ports nothing is read.
    #[must_use]
    pub fn new(inner: Box<dyn Strategy + 'a>, steps: Table, reads: Vec<PortId>) -> Alongside<'a> {
        Alongside {
            inner,
            steps,
            n_steps: 0,
            reads,
            is_due: true,
            planned: None,
            last: Last::Inner,
            was_done: false,
        }
    }

    fn step_ns(&self) -> Option<u64> {
        let is_left = self.n_steps < self.steps.steps.len();
        is_left.then(|| self.steps.period_ns.saturating_mul(self.n_steps as u64))
    }
}

/// The same decision without a number of a candidate, which means nothing later.
fn kept(decision: Decision, situation: &Situation<'_>) -> Decision {
    match decision {
        Decision::Send { candidate, at } => Decision::SendAnyway {
            action: situation.candidates[candidate].action.clone(),
            at_ns: situation.ns(at),
        },
        other => other,
    }
}

impl Strategy for Alongside<'_> {
    fn decide(&mut self, situation: &Situation<'_>) -> Decision {
        // An output changes what may be done next; steps and readings do not.
        if !std::mem::take(&mut self.was_done) {
            self.planned = None;
        }
        if self.is_due && !self.reads.is_empty() {
            self.last = Last::Read;
            return Decision::Read { ports: self.reads.clone(), at_ns: situation.now_ns };
        }
        let decision = match self.planned.take() {
            Some(decision) => decision,
            None => kept(self.inner.decide(situation), situation),
        };
        self.last = match decision {
            Decision::Restart { .. } => Last::Restart,
            _ => Last::Inner,
        };
        let planned_ns = match &decision {
            Decision::Send { at, .. } => situation.ns(*at),
            Decision::Wait { until } => situation.ns(*until),
            Decision::SendAnyway { at_ns, .. }
            | Decision::Set { at_ns, .. }
            | Decision::Step { at_ns, .. }
            | Decision::Read { at_ns, .. }
            | Decision::End { at_ns } => *at_ns,
            // A reset that is due comes before a step that is due.
            Decision::Restart { at_ns } if *at_ns <= situation.now_ns => return decision,
            Decision::Restart { at_ns } => *at_ns,
        };
        match self.step_ns() {
            Some(at_ns) if at_ns <= planned_ns => {
                self.last = Last::Step;
                self.planned = Some(decision);
                Decision::Step { inputs: self.steps.steps[self.n_steps].inputs.clone(), at_ns }
            }
            _ => decision,
        }
    }

    fn looks_ahead(&self) -> bool {
        self.inner.looks_ahead()
    }

    fn asks_where(&self) -> bool {
        self.inner.asks_where()
    }

    fn heard(&mut self, event: &Event) {
        self.inner.heard(event);
    }

    fn sent(&mut self) {
        self.was_done = true;
        self.is_due = self.last != Last::Read;
        match self.last {
            Last::Inner => self.inner.sent(),
            Last::Restart => {
                self.inner.sent();
                (self.n_steps, self.is_due) = (0, true);
            }
            Last::Step => self.n_steps += 1,
            Last::Read => {}
        }
    }
}
