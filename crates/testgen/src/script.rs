//! What was written down before: a trace as environment.

use std::collections::BTreeMap;

use punctual_model::{Direction, Event, Happening, Interface, SignalId, Trace};

use crate::situation::{Decision, Situation, Strategy};

/// Does what a tester did before: sends inputs, takes steps, reads ports. At given instants, whatever comes back; or, if it
/// [adapts](Script::adapting), as long after the output before it as then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Script {
    /// What the tester does, in the order of the instants, in nanoseconds since the start.
    acts: Vec<(u64, Happening)>,
    end_ns: u64,
    next: usize,
    /// For a script that adapts, the output that each act answers, and the end last; empty for others.
    answers: Vec<Option<Output>>,
    /// When each output came in this run.
    heard: BTreeMap<SignalId, Vec<u64>>,
    /// By how much this run is later than what was written down; less than 0 if it is earlier.
    later_ns: i128,
}

/// An output of the trace that a script was made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Output {
    signal: SignalId,
    /// How often the signal had been seen before, since the start.
    n_before: usize,
    at_ns: u64,
}

impl Script {
    /// Does this, then waits until the end.
    #[must_use]
    pub fn new(acts: Vec<(u64, Happening)>, end_ns: u64) -> Script {
        debug_assert!(acts.is_sorted_by_key(|(at_ns, _)| *at_ns), "time does not go back");
        Script { acts, end_ns, next: 0, answers: Vec::new(), heard: BTreeMap::new(), later_ns: 0 }
    }

    /// Repeats what the tester did in a trace, at the same instants.
    #[must_use]
    pub fn of_trace(trace: &Trace, interface: &Interface) -> Script {
        let acts = trace.events.iter().filter(|event| !is_output(event, interface));
        let mut acts: Vec<_> = acts.map(|event| (event.from_ns, event.what.clone())).collect();
        acts.sort_by_key(|(at_ns, _)| *at_ns);
        Script::new(acts, trace.end_ns)
    }

    /// Repeats what the tester did in a trace. What followed an output waits for that output, and comes as long after it as it did in
    /// the trace; what followed something else that the tester did comes as long after that.
    ///
    /// An output that does not come is waited for as long as the trace is, beyond the instant of the act in the trace.
    #[must_use]
    pub fn adapting(trace: &Trace, interface: &Interface) -> Script {
        let mut script = Script::of_trace(trace, interface);
        let mut outputs: Vec<Output> = Vec::new();
        for event in trace.events.iter().filter(|event| is_output(event, interface)) {
            let Happening::Signal(action) = &event.what else { continue };
            let n_before = outputs.iter().filter(|it| it.signal == action.signal).count();
            outputs.push(Output { signal: action.signal, n_before, at_ns: event.from_ns });
        }
        let instants = script.acts.iter().map(|(at_ns, _)| *at_ns).chain([script.end_ns]);
        let mut before_ns = None;
        for at_ns in instants {
            // At one instant, an output may be the answer to the act as well as the other way round: acts do not wait then.
            let is_between =
                |it: &&Output| it.at_ns < at_ns && before_ns.is_none_or(|t| it.at_ns >= t);
            script.answers.push(outputs.iter().rfind(is_between).copied());
            before_ns = Some(at_ns);
        }
        script
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

    /// When something that was done at an instant is done in this run.
    fn instant(&mut self, at_ns: u64) -> u64 {
        if let Some(Some(answered)) = self.answers.get(self.next) {
            let came = self.heard.get(&answered.signal).and_then(|it| it.get(answered.n_before));
            match came {
                Some(came_ns) => {
                    self.later_ns = i128::from(*came_ns) - i128::from(answered.at_ns);
                }
                None => return self.shifted(at_ns.saturating_add(self.end_ns)),
            }
        }
        self.shifted(at_ns)
    }

    fn shifted(&self, at_ns: u64) -> u64 {
        let shifted = i128::from(at_ns) + self.later_ns;
        u64::try_from(shifted.max(0)).unwrap_or(u64::MAX)
    }
}

fn is_output(event: &Event, interface: &Interface) -> bool {
    match &event.what {
        Happening::Signal(action) => {
            interface.signals[action.signal].direction == Direction::Output
        }
        Happening::Set(_) | Happening::Step(_) | Happening::Reading(_) => false,
    }
}

impl Strategy for Script {
    fn decide(&mut self, _: &Situation<'_>) -> Decision {
        let Some((at_ns, act)) = self.acts.get(self.next).cloned() else {
            return Decision::End { at_ns: self.instant(self.end_ns) };
        };
        let at_ns = self.instant(at_ns);
        match act {
            Happening::Signal(action) => Decision::SendAnyway { action, at_ns },
            Happening::Set(ports) => Decision::Set { ports, at_ns },
            Happening::Step(step) => Decision::Step { inputs: step.inputs, at_ns },
            Happening::Reading(reading) => {
                let ports = reading.values.iter().map(|(port, _)| *port).collect();
                Decision::Read { ports, at_ns }
            }
        }
    }

    fn sent(&mut self) {
        self.next += 1;
    }

    fn heard(&mut self, event: &Event) {
        if let (Happening::Signal(action), false) = (&event.what, self.answers.is_empty()) {
            self.heard.entry(action.signal).or_default().push(event.from_ns);
        }
    }
}
