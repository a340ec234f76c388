//! The first line of a record: what was run, on what, and how its numbers are to be read.

use punctual_model as model;
use serde::{Deserialize, Serialize};

/// What a run began with.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// The version of the format. As the first key, it says what kind of line this is.
    pub record: u32,
    /// The tool and its version: `punctual 0.1.0`.
    pub tool: String,
    /// The command line, word by word.
    pub command: Vec<String>,
    /// The model.
    pub model: File,
    /// Other files that the run was given; copies lie beside the record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<File>,
    /// All random choices follow from it and from the number of the run.
    pub seed: u64,
    /// The number of the run among those with this seed.
    pub run: u64,
    /// Which clock the times are from.
    pub clock: Clock,
    /// How long one time unit of the model takes, in nanoseconds.
    pub unit_ns: u64,
    /// How many points of the grid of time there are in one unit.
    pub resolution: u32,
    /// How late instants may be known.
    pub uncertainty: Uncertainty,
    /// What can be exchanged with the system.
    pub signals: Vec<Signal>,
    /// The ports of the system: what is set, computed at steps, or read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<Port>,
    /// How inputs were chosen: a word, or a table of settings.
    #[serde(default)]
    pub strategy: serde_json::Value,
    /// When the run began, by the calendar (RFC 3339); empty if nobody said.
    #[serde(default)]
    pub started: String,
    /// The machine: operating system, architecture and number of cores; empty if nobody said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub machine: String,
    /// How long after its arrival an output may have been looked at, in nanoseconds (real clock).
    #[serde(default)]
    pub slack_ns: u64,
    /// The time between two steps of a table, in nanoseconds.
    #[serde(default)]
    pub period_ns: u64,
    /// The name of the case of a suite, if the run is one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub case: String,
    /// By how much steering may change inputs, where that is the same in all steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tolerances: Vec<Tolerance>,
    /// The name of the run that this one was shrunk from; empty if it was not shrunk.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub shrunk_from: String,
}

/// A range of changes that steering may make to an input.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Tolerance {
    /// The name of the input.
    pub variable: String,
    /// The least change: what is added to the value of the test.
    pub low: serde_json::Value,
    /// The greatest change.
    pub high: serde_json::Value,
}

/// A variable of the system, as its tester sees it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// What the tester does with it: `input`, `output` or `observed`.
    pub role: String,
    /// What it can be: `bool`, `int`, `real`, or the members of an enumeration apart by `|`.
    #[serde(rename = "type")]
    pub ty: String,
}

/// A file, and what was in it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct File {
    /// Its name, without folders.
    pub file: String,
    /// The SHA-256 of its content, in hexadecimal digits.
    pub hash: String,
    /// What it is to the run: `model`, `interface`, `suite`, `steps`; empty if nobody said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub role: String,
}

/// Which clock a run used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// Tester and system agreed when time passed.
    Virtual,
    /// The monotonic clock of the machine.
    Real,
}

/// The least and greatest delay of inputs and of outputs, in nanoseconds, and how wrong the clock of the system may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Uncertainty {
    /// How much later an input may reach the system.
    pub input_ns: (u64, u64),
    /// How much earlier an output may have been sent.
    pub output_ns: (u64, u64),
    /// By how much the clock of the system may be wrong, in parts per billion.
    #[serde(skip_serializing_if = "is_exact")]
    pub drift_ppb: u32,
}

/// Whether nothing need be said of the clock of a system.
#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands fields over by reference
fn is_exact(drift_ppb: &u32) -> bool {
    *drift_ppb == 0
}

/// An observable channel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// Who sends it.
    pub direction: Direction,
    /// The names of the variables whose values go with it.
    #[serde(default)]
    pub values: Vec<String>,
}

/// Who sends a signal, seen from the system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The tester.
    Input,
    /// The system.
    Output,
}

impl Header {
    /// A header for runs with this interface; nothing else is known yet.
    #[must_use]
    pub fn new(interface: &model::Interface, clock: Clock) -> Self {
        let signal = |signal: &model::Signal| Signal {
            name: signal.name.clone(),
            direction: signal.direction.into(),
            values: signal.values.iter().map(|carried| carried.name.clone()).collect(),
        };
        let port = |port: &model::Port| Port {
            name: port.name.clone(),
            role: match port.role {
                model::PortRole::Input => "input",
                model::PortRole::Output => "output",
                model::PortRole::Observed => "observed",
            }
            .to_owned(),
            ty: match &port.ty {
                model::ValueType::Bool => "bool".to_owned(),
                model::ValueType::Int { .. } => "int".to_owned(),
                model::ValueType::Real => "real".to_owned(),
                model::ValueType::Enum(names) => names.join("|"),
            },
        };
        Self {
            record: super::VERSION,
            tool: concat!("punctual ", env!("CARGO_PKG_VERSION")).to_owned(),
            command: Vec::new(),
            model: File::default(),
            files: Vec::new(),
            seed: 0,
            run: 0,
            clock,
            unit_ns: interface.time.unit_ns,
            resolution: interface.time.resolution,
            uncertainty: Uncertainty {
                input_ns: interface.uncertainty.input_ns,
                output_ns: interface.uncertainty.output_ns,
                drift_ppb: interface.uncertainty.drift_ppb,
            },
            signals: interface.signals.iter().map(signal).collect(),
            ports: interface.ports.iter().map(port).collect(),
            strategy: serde_json::Value::Null,
            started: String::new(),
            machine: String::new(),
            slack_ns: 0,
            period_ns: 0,
            case: String::new(),
            tolerances: Vec::new(),
            shrunk_from: String::new(),
        }
    }
}

impl From<model::Direction> for Direction {
    fn from(direction: model::Direction) -> Self {
        match direction {
            model::Direction::Input => Self::Input,
            model::Direction::Output => Self::Output,
        }
    }
}
