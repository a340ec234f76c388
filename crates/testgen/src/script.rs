//! What was written down before: a trace or a test case as environment.

use punctual_model::{Action, Direction, Interface, Trace};

use crate::situation::{Decision, Situation, Strategy};

/// Sends inputs at given instants, whatever comes back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Script {
    /// The inputs in the order of their instants, in nanoseconds since the start.
    inputs: Vec<(u64, Action)>,
    end_ns: u64,
    next: usize,
}

impl Script {
    /// Sends these inputs, then waits until the end.
    #[must_use]
    pub fn new(inputs: Vec<(u64, Action)>, end_ns: u64) -> Script {
        debug_assert!(inputs.is_sorted_by_key(|(at_ns, _)| *at_ns), "time does not go back");
        Script { inputs, end_ns, next: 0 }
    }

    /// Repeats the inputs of a trace.
    #[must_use]
    pub fn of_trace(trace: &Trace, interface: &Interface) -> Script {
        let inputs = trace
            .events
            .iter()
            .filter(|event| interface.signals[event.action.signal].direction == Direction::Input);
        let inputs = inputs.map(|event| (event.from_ns, event.action.clone())).collect();
        Script::new(inputs, trace.end_ns)
    }

    /// The inputs in the order of their instants, in nanoseconds since the start.
    #[must_use]
    pub fn inputs(&self) -> &[(u64, Action)] {
        &self.inputs
    }

    /// The instant at which the run ends, in nanoseconds since the start.
    #[must_use]
    pub fn end_ns(&self) -> u64 {
        self.end_ns
    }
}

impl Strategy for Script {
    fn decide(&mut self, _: &Situation<'_>) -> Decision {
        match self.inputs.get(self.next) {
            Some((at_ns, action)) => Decision::SendAnyway { action: action.clone(), at_ns: *at_ns },
            None => Decision::End { at_ns: self.end_ns },
        }
    }

    fn sent(&mut self) {
        self.next += 1;
    }
}
