//! What was written down before, with resets of the system: one script after the other.

use punctual_model::{Event, Happening, Interface, Trace};

use crate::Script;
use crate::situation::{Decision, Situation, Strategy};

/// Does what each script says, and resets the system where one ends and another follows. The run ends with the last one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scripts {
    /// Never empty. The one that is carried out is the first.
    parts: Vec<Script>,
    /// Whether the reset between two scripts was decided last.
    is_restarting: bool,
}

impl Scripts {
    /// Does what these say, with a reset between two of them. Without any, nothing is done.
    #[must_use]
    pub fn new(mut parts: Vec<Script>) -> Scripts {
        if parts.is_empty() {
            parts.push(Script::new(Vec::new(), 0));
        }
        Scripts { parts, is_restarting: false }
    }

    /// Repeats what the tester did in traces, with a reset between two of them: at the same instants, or [adapting](Script::adapting)
    /// to when outputs come. Without any traces, nothing is done.
    #[must_use]
    pub fn of_traces(traces: &[Trace], interface: &Interface, adapts: bool) -> Scripts {
        let script = |trace| match adapts {
            true => Script::adapting(trace, interface),
            false => Script::of_trace(trace, interface),
        };
        Scripts::new(traces.iter().map(script).collect())
    }

    /// Whether ports are read somewhere.
    #[must_use]
    pub fn reads(&self) -> bool {
        let mut acts = self.parts.iter().flat_map(Script::acts);
        acts.any(|(_, act)| matches!(act, Happening::Reading(_)))
    }
}

impl Strategy for Scripts {
    fn decide(&mut self, situation: &Situation<'_>) -> Decision {
        let decision = self.parts[0].decide(situation);
        match decision {
            Decision::End { at_ns } if self.parts.len() > 1 => {
                self.is_restarting = true;
                Decision::Restart { at_ns }
            }
            _ => {
                self.is_restarting = false;
                decision
            }
        }
    }

    fn looks_ahead(&self) -> bool {
        self.parts[0].looks_ahead()
    }

    fn asks_where(&self) -> bool {
        self.parts[0].asks_where()
    }

    fn sent(&mut self) {
        match std::mem::take(&mut self.is_restarting) {
            true => drop(self.parts.remove(0)),
            false => self.parts[0].sent(),
        }
    }

    fn heard(&mut self, event: &Event) {
        self.parts[0].heard(event);
    }
}
