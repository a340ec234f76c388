//! A platform between a tester and a program that takes steps.
//!
//! Four kinds of variables, after Parnas: what the tester sets outside (*monitored*), what the program reads (*inputs*), what it
//! writes (*outputs*), and what can be seen outside (*controlled*). A [`Line`] leads from a monitored variable to an input, or from
//! an output to a controlled variable. It takes time, and it may change how a value is written.
//!
//! Several lines may begin or end at one variable: one sensor feeds several inputs, several sensors feed one input, one output
//! moves several actuators.
//!
//! Not here: when things are sent (`testgen`), what was seen (`oracle`), text (`lang`), simulation (`exec`).

use super::{Carried, Direction, Interface, Port, PortRole, Signal, TimeScale, Wired};
use crate::lustre::Program;
use crate::{IdVec, Network, PortId, Rational, SignalId, Value, ValueType, VarId};

/// A platform, and how it is tested.
#[derive(Clone, PartialEq, Debug)]
pub struct Platform {
    /// How long a step of the program takes, in nanoseconds: from one to the next.
    pub step_ns: u64,
    /// From monitored variables to inputs.
    pub inputs: Vec<Line>,
    /// From outputs to controlled variables.
    pub outputs: Vec<Line>,
    /// How long the program takes from reading its inputs to writing its outputs.
    pub software: Delay,
    /// The signal by which the platform tells that a step is done; none if it tells nothing.
    pub signal: Option<String>,
    /// The device tells that a value has reached an input by an output whose name is this and the monitored variable's; none if it does not.
    pub arrived: Option<String>,
    /// What is due within this time is sent together, in nanoseconds.
    pub grouping_ns: u64,
    /// The probability that a right system fails, for a whole suite.
    pub risk: f64,
    /// How many delays of each variable were measured, if means and deviations come from that; 0 if they are exact.
    pub pulses: u32,
    /// Whether values that stay the same are sent, too.
    pub events: Events,
    /// What the inputs of the program are before anything is sent, in their order.
    pub initial: Vec<Value>,
    /// How delays change while a test runs; none if they stay as they are.
    pub drift: Option<Drift>,
    /// What has to be seen outside after something was set outside.
    pub requirements: Vec<Requirement>,
    /// Requirements that are timed automata.
    pub automata: Vec<Automaton>,
}

/// Mean delays that change slowly while a test runs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Drift {
    /// By which share of the means they change at most: 0.5 for delays that become half as long again.
    pub by: f64,
    /// In which time they do that, in nanoseconds.
    pub over_ns: u64,
}

impl Drift {
    /// By which share means have changed, if they do so steadily, after some time in nanoseconds.
    #[must_use]
    pub fn after(&self, ns: u64) -> f64 {
        self.by * (ns as f64 / self.over_ns.max(1) as f64).min(1.0)
    }
}

/// Something has to be seen outside after something was set outside, in time.
#[derive(Clone, PartialEq, Debug)]
pub struct Requirement {
    /// Its name.
    pub name: String,
    /// The line of an input, and the value outside that it is set to.
    pub when: (usize, Value),
    /// Only while the line of an output shows a value outside; always if none.
    pub given: Option<(usize, Value)>,
    /// The line of an output, and the value outside that has to be seen.
    pub then: (usize, Value),
    /// How soon, in nanoseconds.
    pub within_ns: u64,
}

/// A timed automaton that says what may be seen outside, and when, after what was set outside.
#[derive(Clone, PartialEq, Debug)]
pub struct Automaton {
    /// Its name.
    pub name: String,
    /// The file that it was read from, as the platform's file names it.
    pub path: String,
    /// The automaton, or several that run beside each other.
    pub network: Network,
    /// Its channels: those that stand for what is set are inputs, those that stand for what is seen are outputs. Time is told to a microsecond, or as
    /// exactly as its constants allow.
    pub wired: Wired,
    /// What each of its channels stands for.
    pub watched: IdVec<SignalId, Watched>,
}

/// A variable outside comes to a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Watched {
    /// The line of an input, and the value outside that it is set to.
    Set(usize, Value),
    /// The line of an output, and the value outside that is seen.
    Seen(usize, Value),
}

impl Watched {
    /// Who does it, seen from the system.
    #[must_use]
    pub fn direction(self) -> Direction {
        match self {
            Watched::Set(..) => Direction::Input,
            Watched::Seen(..) => Direction::Output,
        }
    }
}

/// Which values are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Events {
    /// Those of all variables in each interaction.
    #[default]
    All,
    /// Those that are new.
    Changes,
}

/// A sensor or an actuator.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// The variable of the program.
    pub variable: VarId,
    /// The variable outside.
    pub outside: String,
    /// How a value of the program is written outside.
    pub form: Form,
    /// How long a value is on its way.
    pub delay: Delay,
    /// A sensor that looks only so often, in nanoseconds; none if each change counts at once.
    pub sampling_ns: Option<u64>,
    /// Whether a value that comes and goes between two steps is kept for the next one, as an interrupt does it. It is kept if
    /// it is true, or not zero.
    pub is_latched: bool,
}

/// How a value of the program is written outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// As it is.
    Same,
    /// A number: so many times as large, and so much more.
    Linear {
        /// The factor, which is not 0.
        by: Rational,
        /// What is added.
        plus: Rational,
        /// Whether it is a whole number outside.
        is_whole: bool,
    },
    /// By a list: what it is in the program, and the number outside.
    Coded(Vec<(Value, i64)>),
}

/// How long something takes. All are cut at 0.
#[derive(Clone, PartialEq, Debug)]
pub enum Delay {
    /// Normally distributed, in nanoseconds.
    Normal {
        /// The mean.
        mean: f64,
        /// The standard deviation; the delay is always the same if it is 0.
        deviation: f64,
    },
    /// Evenly distributed between two, in nanoseconds.
    Uniform {
        /// The least.
        least: f64,
        /// The greatest.
        greatest: f64,
    },
    /// Any of these, in nanoseconds; in order, and at least one.
    Samples(Vec<f64>),
}

impl Line {
    /// How long a value is on its way on average, in nanoseconds: a sensor that looks only so often waits for half of that time.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.delay.mean() + self.sampling_ns.unwrap_or(0) as f64 / 2.0
    }

    /// Whether it does not always take the same time.
    #[must_use]
    pub fn varies(&self) -> bool {
        self.delay.deviation() > 0.0 || self.sampling_ns.is_some()
    }
}

impl Delay {
    /// No delay at all.
    pub const NONE: Delay = Delay::Normal { mean: 0.0, deviation: 0.0 };

    /// The mean in nanoseconds, as if nothing were cut.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match self {
            Delay::Normal { mean, .. } => *mean,
            Delay::Uniform { least, greatest } => f64::midpoint(*least, *greatest),
            Delay::Samples(all) => all.iter().sum::<f64>() / all.len().max(1) as f64,
        }
    }

    /// The standard deviation in nanoseconds, as if nothing were cut.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        match self {
            Delay::Normal { deviation, .. } => *deviation,
            Delay::Uniform { least, greatest } => (greatest - least) / 12_f64.sqrt(),
            Delay::Samples(all) => {
                let mean = self.mean();
                let squares = all.iter().map(|it| (it - mean) * (it - mean)).sum::<f64>();
                (squares / all.len().max(1) as f64).sqrt()
            }
        }
    }
}

impl Form {
    /// What a value of the program is outside; none if nothing stands for it there.
    #[must_use]
    pub fn outside(&self, value: Value) -> Option<Value> {
        match self {
            Form::Same => Some(value),
            Form::Linear { by, plus, is_whole } => {
                let it = value.as_rational() * by + plus;
                number(it, *is_whole)
            }
            Form::Coded(list) => {
                list.iter().find(|(inside, _)| *inside == value).map(|(_, it)| Value::Int(*it))
            }
        }
    }

    /// What a value outside is for the program, if that has such a type; none if it stands for nothing.
    #[must_use]
    pub fn inside(&self, value: Value, is_whole: bool) -> Option<Value> {
        match self {
            Form::Same => Some(value),
            Form::Linear { by, plus, .. } => number((value.as_rational() - plus) / by, is_whole),
            Form::Coded(list) => {
                let is_it = |(_, code): &&(Value, i64)| Value::Int(*code) == value;
                list.iter().find(is_it).map(|(inside, _)| *inside)
            }
        }
    }

    /// The type outside of what has a type in the program.
    #[must_use]
    pub fn ty(&self, inside: &ValueType) -> ValueType {
        match self {
            Form::Same => inside.clone(),
            Form::Linear { is_whole: true, .. } => ValueType::INT,
            Form::Linear { is_whole: false, .. } => ValueType::Real,
            Form::Coded(list) => {
                let codes = || list.iter().map(|(_, code)| *code);
                let (least, greatest) = (codes().min().unwrap_or(0), codes().max().unwrap_or(0));
                ValueType::Int { least, greatest }
            }
        }
    }
}

fn number(it: Rational, is_whole: bool) -> Option<Value> {
    match is_whole {
        false => Some(Value::Real(it)),
        true if it.is_integer() => i64::try_from(*it.numer()).ok().map(Value::Int),
        true => None,
    }
}

/// What the tester of a platform exchanges with it.
#[derive(Clone, PartialEq, Debug)]
pub struct Outside {
    /// A port for each monitored variable, an output for each controlled one and for the end of a step.
    pub interface: Interface,
    /// For each line of the inputs, the port that is set.
    pub inputs: Vec<PortId>,
    /// For each line of the outputs, the signal that is seen.
    pub outputs: Vec<SignalId>,
    /// What tells that a step is done.
    pub stepped: Option<SignalId>,
    /// For each line of the inputs, what tells that a value has arrived; empty if nothing does.
    pub arrived: Vec<SignalId>,
}

impl Platform {
    /// What the tester of the platform exchanges with it. `ty` says what a variable of the program can be.
    #[must_use]
    pub fn outside(&self, ty: impl Fn(VarId) -> ValueType, time: TimeScale) -> Outside {
        let mut interface = Interface::new(time);
        let mut inputs = Vec::new();
        for line in &self.inputs {
            let known = interface.port(&line.outside);
            inputs.push(known.unwrap_or_else(|| {
                let ty = line.form.ty(&ty(line.variable));
                let port = Port { name: line.outside.clone(), ty, role: PortRole::Input };
                interface.ports.push(port)
            }));
        }
        let mut outputs = Vec::new();
        for line in &self.outputs {
            let known = interface.signal(&line.outside);
            outputs.push(known.unwrap_or_else(|| {
                let ty = line.form.ty(&ty(line.variable));
                let values = vec![Carried { name: "value".to_owned(), ty }];
                let name = line.outside.clone();
                interface.signals.push(Signal { name, direction: Direction::Output, values })
            }));
        }
        let stepped = self.signal.as_ref().map(|name| {
            let (name, values) = (name.clone(), Vec::new());
            interface.signals.push(Signal { name, direction: Direction::Output, values })
        });
        let mut arrived = Vec::new();
        for line in self.arrived.iter().flat_map(|_| &self.inputs) {
            let name = format!("{}{}", self.arrived.as_deref().unwrap_or(""), line.outside);
            let known = interface.signal(&name);
            arrived.push(known.unwrap_or_else(|| {
                let values = Vec::new();
                interface.signals.push(Signal { name, direction: Direction::Output, values })
            }));
        }
        Outside { interface, inputs, outputs, stepped, arrived }
    }

    /// What each line of the inputs is set to before anything is sent; none if nothing outside stands for that value. `inputs` are those of the program, in
    /// their order.
    #[must_use]
    pub fn initial_outside(&self, inputs: &[VarId]) -> Vec<Option<Value>> {
        let initial = |line: &Line| {
            let at = inputs.iter().position(|var| *var == line.variable)?;
            line.form.outside(*self.initial.get(at)?)
        };
        self.inputs.iter().map(initial).collect()
    }

    /// The probability with which a right system may fail since one delay is beyond all that is taken to be possible, if so many values are
    /// sent and seen: half of the risk, divided among them.
    #[must_use]
    pub fn risk_of_event(&self, n_events: usize) -> f64 {
        self.risk / 2.0 / n_events.max(1) as f64
    }

    /// The probability with which a right system may fail since late values explain it too often: the other half.
    #[must_use]
    pub fn risk_of_excuses(&self) -> f64 {
        self.risk / 2.0
    }

    /// The largest mean delay of an input, in nanoseconds, as it is in the end.
    #[must_use]
    pub fn longest(&self) -> f64 {
        self.inputs.iter().map(Line::mean).fold(0.0, f64::max) * self.growth()
    }

    /// How many times as long as the file says means may become.
    #[must_use]
    pub fn growth(&self) -> f64 {
        1.0 + self.drift.map_or(0.0, |it| it.by.max(0.0))
    }

    /// Inputs of a program that no line leads to, and outputs that no line leads from.
    #[must_use]
    pub fn unconnected(&self, program: &Program) -> Vec<VarId> {
        let ends = |lines: &[Line], var: VarId| lines.iter().any(|line| line.variable == var);
        let inputs = program.inputs().filter(|var| !ends(&self.inputs, *var));
        let outputs = program.outputs().filter(|var| !ends(&self.outputs, *var));
        inputs.chain(outputs).collect()
    }
}
