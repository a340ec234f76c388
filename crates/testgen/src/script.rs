//! What was written down before: a trace as environment.

use punctual_model::{Direction, Event, Happening, Interface, Trace};

use crate::situation::{Decision, Situation, Strategy};

/// Does what a tester did before, at given instants, whatever comes back: sends inputs, takes steps, reads
/// ports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Script {
    /// What the tester does, in the order of the instants, in nanoseconds since the start.
    acts: Vec<(u64, Happening)>,
    end_ns: u64,
    next: usize,
}

impl Script {
    /// Does this, then waits until the end.
    #[must_use]
    pub fn new(acts: Vec<(u64, Happening)>, end_ns: u64) -> Script {
        debug_assert!(acts.is_sorted_by_key(|(at_ns, _)| *at_ns), "time does not go back");
        Script { acts, end_ns, next: 0 }
    }

    /// Repeats what the tester did in a trace.
    #[must_use]
    pub fn of_trace(trace: &Trace, interface: &Interface) -> Script {
        let is_ours = |event: &&Event| match &event.what {
            Happening::Signal(action) => {
                interface.signals[action.signal].direction == Direction::Input
            }
            Happening::Set(_) | Happening::Step(_) | Happening::Reading(_) => true,
        };
        let acts = trace.events.iter().filter(is_ours);
        let mut acts: Vec<_> = acts.map(|event| (event.from_ns, event.what.clone())).collect();
        acts.sort_by_key(|(at_ns, _)| *at_ns);
        Script::new(acts, trace.end_ns)
    }

    /// What the tester does.
    #[must_use]
    pub fn acts(&self) -> &[(u64, Happening)] {
        &self.acts
    }

    /// The end, in nanoseconds since the start.
    #[must_use]
    pub fn end_ns(&self) -> u64 {
        self.end_ns
    }
}

impl Strategy for Script {
    fn decide(&mut self, _: &Situation<'_>) -> Decision {
        let Some((at_ns, act)) = self.acts.get(self.next) else {
            return Decision::End { at_ns: self.end_ns };
        };
        let at_ns = *at_ns;
        match act {
            Happening::Signal(action) => Decision::SendAnyway { action: action.clone(), at_ns },
            Happening::Set(ports) => Decision::Set { ports: ports.clone(), at_ns },
            Happening::Step(step) => Decision::Step { inputs: step.inputs.clone(), at_ns },
            Happening::Reading(reading) => {
                let ports = reading.values.iter().map(|(port, _)| *port).collect();
                Decision::Read { ports, at_ns }
            }
        }
    }

    fn sent(&mut self) {
        self.next += 1;
    }
}
