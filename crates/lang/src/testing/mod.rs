//! Files about tests: how a system is touched, where it is, and how long to try.
//!
//! `punctual.toml` and the preambles of UPPAAL TRON (`.trn`) become a [`Config`], resolved against
//! the network they are about. [`print`] writes a configuration as `punctual.toml`. [`interface_of`] is the
//! interface of a synchronous program.
//!
//! Names stand for channels and variables of the network; the name of an array of channels stands
//! for all its elements. All errors of a file are reported at once.
//!
//! Not here: the table `[platform]`, which [`platform`](crate::platform) reads against a program; reading the files that a file names, connecting to a system, deciding who is environment.

mod config;
mod declared;
mod named;
mod print;
mod signals;
mod steps;
mod system;
pub(crate) mod table;
mod trn;
pub(crate) mod units;
mod words;

use punctual_model::{Network, ProcessId, Wired};

pub(crate) use config::SECTIONS;
pub use print::print;
pub(crate) use steps::steps;
pub use steps::{interface_of, port_of};
pub use units::{parse_duration, parse_phase, written as duration, written_drift as drift};
pub use words::words;

pub use crate::reading::Reading;
use crate::{
    Input,
    steering::{self, Named},
};

/// How a system is tested.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// What is exchanged with the system, and where that is in the network.
    pub wired: Wired,
    /// Processes that are environment, whatever they do.
    pub environment: Vec<ProcessId>,
    /// Processes that are system, whatever they do.
    pub system: Vec<ProcessId>,
    /// Where the system is, and how it is started.
    pub under_test: Option<System>,
    /// The synchronous program that says what steps of the system do.
    pub steps: Option<Steps>,
    /// How the synchronous model is steered.
    pub steering: Option<steering::Config>,
    /// How to test, unless the command says otherwise.
    pub test: TestOptions,
}

/// A system under test. Paths are as written, see [`System::relative_to`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct System {
    /// The place where the system is reached, or what starts it.
    pub under_test: UnderTest,
    /// Further arguments of a program, or the arguments of a library.
    pub args: Vec<String>,
    /// Variables of its environment, beside those of the tester.
    pub env: Vec<(String, String)>,
    /// The folder in which it runs; that of the file that says so if none.
    pub cwd: Option<String>,
    /// Whether it is started anew at each reset.
    pub restart: bool,
    /// How long it may take to answer, in nanoseconds; the tester decides if none.
    pub timeout_ns: Option<u64>,
}

/// A synchronous program by which steps are judged. Paths are as written: relative to the folder of the
/// file.
#[derive(Clone, PartialEq, Debug)]
pub struct Steps {
    /// The Lustre file.
    pub model: Named,
    /// The main node, if the file does not say.
    pub main: Option<Named>,
    /// The time between two steps, in nanoseconds.
    pub period_ns: u64,
    /// What is done step by step: a table, or a suite.
    pub tests: Option<Named>,
    /// Variables of the program, beside its outputs, that can be read from the system.
    pub observe: Vec<Named>,
}

/// Where a system under test is.
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
    /// Each process by chance, as the statistical semantics says.
    Stochastic,
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
    /// Inputs lead to edges of the model that were not covered yet; by chance where none does.
    Guided,
}

/// When an input is sent that may be sent at several instants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Delays {
    /// At once, at an instant by chance, at an end of the window, at the last instant: by turns.
    Mixed,
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
pub fn read(network: &Network, input: Input<'_>) -> Reading<Config> {
    Reading::of(input, |file, diagnostics| match trn::is_trn(file) {
        true => trn::read(network, file, diagnostics),
        false => config::read(network, file, diagnostics),
    })
}

/// Reads a `punctual.toml` about a system without a timed model: one that takes steps.
pub fn read_alone(input: Input<'_>) -> Reading<Config> {
    Reading::of(input, |file, diagnostics| config::read(&Network::default(), file, diagnostics))
}

/// Reads a `punctual.toml` about a system without any model: values and what can be read have types there, as
/// in `req(amount: 0..9)` and `Door.location: Closed | Open`; those without are integers.
pub fn read_declared(input: Input<'_>) -> Reading<Config> {
    Reading::of(input, config::read_declared)
}
