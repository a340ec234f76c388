//! What a system exchanges with its surroundings.

use std::collections::BTreeMap;

use super::Happening;
use crate::{IdVec, PortId, SignalId, Value, ValueType};

/// How a system under test is touched.
#[derive(Clone, PartialEq, Debug)]
pub struct Interface {
    /// What happens: inputs that are sent and outputs that come, at an instant each. An array of
    /// channels gives one signal for each element.
    pub signals: IdVec<SignalId, Signal>,
    /// What has a value: inputs and outputs of the steps of a synchronous system, and variables that
    /// can be read.
    pub ports: IdVec<PortId, Port>,
    /// What a network calls values and ports that have other names here.
    pub variables: Variables,
    /// Inputs that are told as one assignment for each value that they carry: the signal itself is a name for all of them.
    pub assignments: Vec<SignalId>,
    /// The names of values that stay as they are once they were given: told as assignments, they are told again only if they change.
    pub setup: Vec<String>,
    /// How time is told.
    pub time: TimeScale,
    /// How exactly instants are known.
    pub uncertainty: Uncertainty,
}

/// Variables of a network whose names are not those of the interface.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Variables {
    /// The variables of all values of a signal, in order; signals whose values all have the names of their variables are not here.
    pub signals: BTreeMap<SignalId, Vec<String>>,
    /// The variable, or the location of a process, that a port shows; ports of the same name are not here.
    pub ports: BTreeMap<PortId, String>,
}

/// Something that is sent, with or without values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signal {
    /// Its name, that of the channel if it stands for one: `coin`, `stop[3]`.
    pub name: String,
    /// Who sends it.
    pub direction: Direction,
    /// The values that go with it.
    pub values: Vec<Carried>,
}

/// A value that goes with a signal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Carried {
    /// Its name.
    pub name: String,
    /// What it can be.
    pub ty: ValueType,
}

/// A variable of a system, as its tester sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// Its name: `temperature`, `Error.location`.
    pub name: String,
    /// What it can be.
    pub ty: ValueType,
    /// What the tester does with it.
    pub role: PortRole,
}

/// What a tester does with a port.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PortRole {
    /// It sets the port; a step of the system sees the value.
    Input,
    /// A step of the system gives it a value.
    Output,
    /// It can be read at any instant.
    Observed,
}

/// Who sends a signal, seen from the system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// The environment (or the tester in its place).
    Input,
    /// The system.
    Output,
}

/// How nanoseconds of a clock become time of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeScale {
    /// How long one time unit of the model takes.
    pub unit_ns: u64,
    /// How many points of the grid there are in one unit. Instants are known to a point, or to lie
    /// between two.
    pub resolution: u32,
}

/// How exactly instants are known: how late signals are, in nanoseconds, and how wrong the system's clock is.
///
/// An input that is handed over between two instants of the tester's clock reaches the system
/// `input` later; an output was sent `output` before it arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Uncertainty {
    /// The least and greatest delay of an input.
    pub input_ns: (u64, u64),
    /// The least and greatest delay of an output.
    pub output_ns: (u64, u64),
    /// By how much the clock of the system may run faster or slower than the tester's, in parts per billion: while
    /// the tester's clock goes on by a second, that of the system goes on by a second and at most so many nanoseconds more or less.
    pub drift_ppb: u32,
}

impl Uncertainty {
    /// By how much the clock of the system may be off the tester's after so long, in nanoseconds, rounded up.
    #[must_use]
    pub fn drift_ns(&self, elapsed_ns: u64) -> u64 {
        let off = u128::from(elapsed_ns) * u128::from(self.drift_ppb);
        u64::try_from(off.div_ceil(1_000_000_000)).unwrap_or(u64::MAX)
    }

    /// By how much later than its own clock says the tester may see what a system does then, in nanoseconds, rounded up. It is a little
    /// more than [`drift_ns`](Self::drift_ns), since a slow clock goes on being slow meanwhile.
    #[must_use]
    pub fn late_ns(&self, due_ns: u64) -> u64 {
        let off = u128::from(due_ns) * u128::from(self.drift_ppb);
        match 1_000_000_000_u128.checked_sub(u128::from(self.drift_ppb)) {
            None | Some(0) => u64::MAX,
            Some(left) => u64::try_from(off.div_ceil(left)).unwrap_or(u64::MAX),
        }
    }
}

impl Interface {
    /// An interface that exchanges nothing yet, with exact instants.
    #[must_use]
    pub fn new(time: TimeScale) -> Interface {
        let uncertainty = Uncertainty::default();
        let (signals, ports) = (IdVec::new(), IdVec::new());
        let (variables, assignments, setup) = (Variables::default(), Vec::new(), Vec::new());
        Interface { signals, ports, variables, assignments, setup, time, uncertainty }
    }

    /// The signal with this name.
    #[must_use]
    pub fn signal(&self, name: &str) -> Option<SignalId> {
        self.signals.enumerate().find(|(_, signal)| signal.name == name).map(|(id, _)| id)
    }

    /// The port with this name.
    #[must_use]
    pub fn port(&self, name: &str) -> Option<PortId> {
        self.ports.enumerate().find(|(_, port)| port.name == name).map(|(id, _)| id)
    }

    /// What a network calls the values of a signal, in order.
    #[must_use]
    pub fn variables_of(&self, signal: SignalId) -> Vec<&str> {
        match self.variables.signals.get(&signal) {
            Some(names) => names.iter().map(String::as_str).collect(),
            None => self.signals[signal].values.iter().map(|it| it.name.as_str()).collect(),
        }
    }

    /// What a network calls a port.
    #[must_use]
    pub fn variable_of(&self, port: PortId) -> &str {
        self.variables.ports.get(&port).unwrap_or(&self.ports[port].name)
    }

    /// The ports that have a role, in order.
    pub fn ports_with(&self, role: PortRole) -> impl Iterator<Item = PortId> + '_ {
        self.ports.enumerate().filter(move |(_, port)| port.role == role).map(|(id, _)| id)
    }

    /// A signal with its values, for people: `level(3)`.
    #[must_use]
    pub fn signal_text(&self, signal: SignalId, values: &[Value]) -> String {
        let signal = &self.signals[signal];
        if values.is_empty() {
            return signal.name.clone();
        }
        let text = |(i, value): (usize, &Value)| match signal.values.get(i) {
            Some(carried) => carried.ty.text(*value),
            None => value.to_string(),
        };
        let values: Vec<String> = values.iter().enumerate().map(text).collect();
        format!("{}({})", signal.name, values.join(", "))
    }

    /// Ports with their values, for people: `qc = 3, Error.location = Idle`.
    #[must_use]
    pub fn ports_text(&self, values: &[(PortId, Value)]) -> String {
        let text = |(port, value): &(PortId, Value)| {
            let port = &self.ports[*port];
            format!("{} = {}", port.name, port.ty.text(*value))
        };
        values.iter().map(text).collect::<Vec<String>>().join(", ")
    }

    /// What happened, for people: a signal, or the ports that were set or read; a step shows its outputs.
    #[must_use]
    pub fn happening_text(&self, happening: &Happening) -> String {
        match happening {
            Happening::Signal(action) => self.signal_text(action.signal, &action.values),
            Happening::Set(reading) | Happening::Reading(reading) => {
                self.ports_text(&reading.values)
            }
            Happening::Step(step) => {
                let ports = self.ports_with(PortRole::Output).zip(step.outputs.iter().copied());
                self.ports_text(&ports.collect::<Vec<_>>())
            }
        }
    }

    /// Whether the system takes steps: it has ports that only a step reads or writes.
    #[must_use]
    pub fn has_steps(&self) -> bool {
        self.ports.iter().any(|port| port.role != PortRole::Observed)
    }
}
