//! A timed case as one part of the system sees it.

use punctual_model::testing::suite::{Do, Expect};
use punctual_model::{PortId, SignalId, Value};
use punctual_semantics::estimate::{
    Blocked, End, Estimate, Interval, Observation, Overflow, Role, What,
};
use punctual_semantics::specification::{Part, Specification};
use punctual_smc::exact::Event;

/// What a case does, at points of the grid.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Script {
    /// Inputs, and what is expected of ports, in the order of time.
    pub acts: Vec<(i64, Act)>,
    /// Outputs that should come, in the order of the case.
    pub outputs: Vec<Output>,
    /// The instant at which it ends; windows of outputs may end later.
    pub end: i64,
}

/// An output that should come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// The output.
    pub signal: SignalId,
    /// Its values.
    pub values: Vec<i32>,
    /// The first instant at which it may come.
    pub from: i64,
    /// The last instant at which it may come.
    pub to: i64,
}

/// Something that a case does at an instant.
#[derive(Clone, PartialEq, Debug)]
pub enum Act {
    /// An input.
    Input(SignalId, Vec<i32>),
    /// Ports are read; what is expected of them, and then what else they may show.
    Read(Vec<Vec<(PortId, i32)>>),
}

/// Why a case is no script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoScript {
    /// An instant is between two points of the grid.
    Between,
    /// The case expects outputs, and they are not looked at here.
    Outputs,
    /// A value that no variable of the model can have.
    Value,
}

impl Script {
    /// The script of the parts of a timed case.
    ///
    /// # Errors
    /// If an instant is no point of the grid, or a value is none of the model.
    pub fn new(specification: &Specification, parts: &[Do]) -> Result<Script, NoScript> {
        let slot = |value: &Value| value.as_slot().ok_or(NoScript::Value);
        let point = |ns: u64| {
            let at = specification.instants.begin(ns);
            if at.open { Err(NoScript::Between) } else { Ok(at.at) }
        };
        let mut script = Script::default();
        let mut now_ns: u64 = 0;
        for part in parts {
            match part {
                Do::Wait(ns) => now_ns = now_ns.saturating_add(*ns),
                Do::Expect(Expect { action, from_ns, to_ns, .. }) => {
                    script.outputs.push(Output {
                        signal: action.signal,
                        values: action.values.iter().map(slot).collect::<Result<_, _>>()?,
                        from: point(now_ns.saturating_add(*from_ns))?,
                        to: point(now_ns.saturating_add(*to_ns))?,
                    });
                }
                Do::Send(action) => {
                    let values = action.values.iter().map(slot).collect::<Result<_, _>>()?;
                    script.acts.push((script.end, Act::Input(action.signal, values)));
                }
                Do::Check(check) => {
                    let others = check.allowed.iter().filter(|it| **it != check.expected);
                    let all = std::iter::once(&check.expected).chain(others);
                    let of = |values: &Vec<(PortId, Value)>| {
                        values.iter().map(|(port, value)| Ok((*port, slot(value)?))).collect()
                    };
                    let combinations = all.map(of).collect::<Result<_, _>>()?;
                    script.acts.push((script.end, Act::Read(combinations)));
                }
            }
            script.end = point(now_ns)?;
        }
        Ok(script)
    }

    /// The events for a part of the system, which shows what is expected; what others receive and show is left out.
    #[must_use]
    pub fn events(&self, specification: &Specification, number: usize) -> Vec<(i64, Event)> {
        let mut events = self.events_strict(specification, number, usize::MAX);
        for Output { signal, values, from, to } in &self.outputs {
            if specification.parts[number].estimator.role(*signal) == Role::Sends {
                let (from, signal, values) = (*from, *signal, values.clone());
                events.push((*to, Event::Output { from, signal, values }));
            }
        }
        // What is done at the last instant of a window comes before its end.
        events.sort_by_key(|(at, _)| *at);
        events
    }

    /// The same without outputs, where only the first checks must show what is expected; the others may show all that is allowed.
    #[must_use]
    pub fn events_strict(
        &self,
        specification: &Specification,
        number: usize,
        n_strict: usize,
    ) -> Vec<(i64, Event)> {
        let part = &specification.parts[number];
        let mut events = Vec::new();
        let mut n_reads = 0;
        for (at, act) in &self.acts {
            match act {
                Act::Input(signal, values) => {
                    if part.estimator.role(*signal) == Role::Receives {
                        events.push((*at, Event::Input(*signal, values.clone())));
                    }
                }
                Act::Read(combinations) => {
                    let n_meant = if n_reads < n_strict { 1 } else { combinations.len() };
                    n_reads += 1;
                    let seen = |values: &Vec<_>| positions(specification, number, values);
                    let seen: Vec<_> = combinations[..n_meant].iter().map(seen).collect();
                    if !seen[0].is_empty() {
                        events.push((*at, Event::Read(seen)));
                    }
                }
            }
        }
        events
    }

    /// The states of a part after the script, if everything was as expected, or whatever was read.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    pub fn follow(
        &self,
        specification: &Specification,
        number: usize,
        estimate: &mut Estimate<'_>,
        reads: bool,
    ) -> Result<Result<(), Blocked>, Overflow> {
        for (at, act) in &self.acts {
            let done = match act {
                Act::Input(..) => self.input(&specification.parts[number], estimate, *at, act)?,
                Act::Read(combinations) => {
                    let seen = positions(specification, number, &combinations[0]);
                    match reads && !seen.is_empty() {
                        true => estimate.observe_any(&[seen], *at)?,
                        false => Ok(()),
                    }
                }
            };
            if done.is_err() {
                return Ok(done);
            }
        }
        estimate.advance(End::at(self.end))
    }

    fn input(
        &self,
        part: &Part,
        estimate: &mut Estimate<'_>,
        at: i64,
        act: &Act,
    ) -> Result<Result<(), Blocked>, Overflow> {
        let Act::Input(signal, values) = act else { return Ok(Ok(())) };
        if part.estimator.role(*signal) == Role::None {
            return Ok(Ok(()));
        }
        let what = What::Signal { signal: *signal, values };
        estimate.observe(&Observation { what, interval: Interval::point(at) })
    }
}

/// Where a part of the system has ports, and their values.
pub(super) fn positions(
    specification: &Specification,
    number: usize,
    values: &[(PortId, i32)],
) -> Vec<(u32, i32)> {
    let place = |(port, value): &(PortId, i32)| {
        let readers = specification.readers(*port);
        let (_, at) = readers.iter().find(|(part, _)| *part == number)?;
        Some((*at, *value))
    };
    values.iter().filter_map(place).collect()
}
