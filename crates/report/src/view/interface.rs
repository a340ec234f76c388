//! How a system is touched, and which part of a model it is.
//!
//! These types are also what `--json` prints: names of fields are a promise to scripts.

use serde::Serialize;

/// An interface, and how it splits a model.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Interface {
    /// The file of the model.
    pub model: String,
    /// The file of the interface.
    pub file: String,
    /// How long a time unit of the model takes: `1ms`.
    pub time_unit: String,
    /// The same in nanoseconds.
    pub time_unit_ns: u64,
    /// How many points of the grid a time unit has.
    pub resolution: u32,
    /// How late inputs may arrive: `0ms..2ms`.
    pub input_uncertainty: String,
    /// How late outputs may be seen.
    pub output_uncertainty: String,
    /// By how much the clock of the system may be wrong: `50ppm`; empty if it is not.
    pub drift: String,
    /// What is exchanged.
    pub signals: Vec<Signal>,
    /// The processes.
    pub processes: Vec<Part>,
    /// The channels that are not observable.
    pub channels: Vec<Part>,
    /// The variables, or their elements where these are used apart.
    pub variables: Vec<Part>,
    /// The clocks.
    pub clocks: Vec<Part>,
    /// Parts of a side that do not depend on each other.
    pub components: Vec<Component>,
    /// What would be on both sides.
    pub conflicts: Vec<Conflict>,
    /// What is suspicious.
    pub warnings: Vec<String>,
    /// Who has to do with what.
    pub links: Vec<Link>,
}

/// An observable channel.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// Whether it goes to the system, and not from it.
    pub input: bool,
    /// The variables it carries.
    pub carries: Vec<String>,
}

/// Whose something is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The system under test.
    System,
    /// Its environment.
    Environment,
    /// Both, which can not be.
    Both,
    /// Nobody's.
    #[default]
    Nobody,
}

/// Something that has a side.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its side.
    pub side: Side,
    /// Why: one sentence.
    pub reason: String,
    /// What leads there, from the interface on; the reason is the last of them.
    pub chain: Vec<String>,
}

/// Processes that belong together.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Component {
    /// Their side.
    pub side: Side,
    /// Their names.
    pub processes: Vec<String>,
}

/// Something that would be on both sides.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Conflict {
    /// Its name.
    pub name: String,
    /// Why it is system.
    pub system: Vec<String>,
    /// Why it is environment.
    pub environment: Vec<String>,
}

/// A process has to do with a channel, a variable or a clock.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize)]
pub struct Link {
    /// The name of the process.
    pub process: String,
    /// The name of the other.
    pub item: String,
    /// Whether something goes from the process to the other: it sends, or writes.
    pub out: bool,
}
