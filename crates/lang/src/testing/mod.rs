//! Files about tests: how a system is touched, where it is, and how long to try.
//!
//! `punctual.toml` and the preambles of UPPAAL TRON (`.trn`) become a [`Config`], resolved against
//! the network they are about. [`print`] writes an interface as `punctual.toml`.
//!
//! Names stand for channels and variables of the network; the name of an array of channels stands
//! for all its elements. All errors of a file are reported at once.
//!
//! Not here: connecting to a system, deciding who is environment.

mod config;
mod print;
mod signals;
pub(crate) mod table;
mod trn;
mod units;

use punctual_model::{Interface, Network, ProcessId};

pub use print::print;
pub use units::written as duration;

use crate::{
    Input, SourceFile,
    diagnostic::{Diagnostic, Diagnostics},
    model::decoded,
};

/// What was found in a file. Warnings may come with a configuration; errors come without.
pub struct Reading {
    /// The file, for rendering diagnostics.
    pub file: SourceFile,
    /// What it says, if there is no error.
    pub config: Option<Config>,
    /// Everything that is wrong, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// How a system is tested.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// What is exchanged with the system.
    pub interface: Interface,
    /// Processes that are environment, whatever they do.
    pub environment: Vec<ProcessId>,
    /// Processes that are system, whatever they do.
    pub system: Vec<ProcessId>,
    /// Where the system is.
    pub under_test: Option<UnderTest>,
    /// How to test, unless the command says otherwise.
    pub test: TestOptions,
}

/// Where a system under test is. Paths are as written: relative to the folder of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnderTest {
    /// A program and its arguments, on its standard input and output.
    Command(Vec<String>),
    /// It listens at this address.
    Tcp(String),
    /// It connects to this address.
    Listen(String),
    /// A shared library.
    Library(String),
    /// An adapter of UPPAAL TRON connects to this address.
    Tron(String),
    /// Another model, played.
    Model {
        /// Its file.
        path: String,
        /// How it decides what is left open.
        policy: Policy,
    },
}

/// How a model that is played decides what it leaves open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// By chance.
    #[default]
    Random,
    /// As soon as possible.
    Earliest,
    /// As late as possible.
    Latest,
    /// After the same delay each time.
    Fixed,
}

/// How to test. Nothing means that the command decides.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TestOptions {
    /// What all chance comes from.
    pub seed: Option<u64>,
    /// How many runs.
    pub runs: Option<u32>,
    /// How many inputs and outputs a run has at most.
    pub steps: Option<u64>,
    /// How long a run takes at most, in nanoseconds.
    pub duration_ns: Option<u64>,
    /// Who chooses inputs.
    pub strategy: Option<Strategy>,
    /// When inputs are sent.
    pub delays: Option<Delays>,
    /// Which clock tells the time.
    pub clock: Option<Timing>,
}

/// Who chooses inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Inputs are chosen by chance.
    Random,
    /// Inputs are chosen by chance, with a preference for what was not covered yet.
    Guided,
}

/// When an input is sent that may be sent at several instants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Delays {
    /// At an instant by chance.
    Random,
    /// At the first instant.
    Eager,
    /// At the last instant.
    Lazy,
    /// After a delay between these, in time units of the model.
    Between(u32, u32),
}

/// Which clock tells the time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timing {
    /// The clock of the machine.
    Real,
    /// One that tester and system agree on.
    Virtual,
}

/// Reads a file about tests of a network. TRON's files are told by their name (`.trn`) or by how
/// they begin.
pub fn read(network: &Network, input: Input<'_>) -> Reading {
    let mut diagnostics = Diagnostics::new();
    let file = decoded(input, &mut diagnostics);
    let config = match diagnostics.has_errors() {
        true => None,
        false if trn::is_trn(&file) => trn::read(network, &file, &mut diagnostics),
        false => config::read(network, &file, &mut diagnostics),
    };
    let config = config.filter(|_| !diagnostics.has_errors());
    Reading { file, config, diagnostics: diagnostics.into_sorted() }
}
