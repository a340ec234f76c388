//! Files about steering: which model, which traces, and how.
//!
//! [`read`] reads the configuration of `punctual steer`, which may also stand in a `punctual.toml`; names in it are resolved against a program
//! by [`Config::resolve`], since the configuration says which program it is. [`labels`] reads what
//! people say of tests, [`windows`] writes tolerances in the thesis's form.
//!
//! Not here: reading the files that a configuration names; what any of it means.

mod config;
mod labels;
pub(crate) mod numbers;
mod print;
mod resolve;
mod windows;

use punctual_model::lustre::Rational;

pub(crate) use config::{KEYS, file_name, named, of as of_section};
pub use labels::{LabelLine, labels};
pub(crate) use print::print;
pub use resolve::Resolved;
pub use windows::windows;

pub use crate::reading::Reading;
pub use crate::testing::table::key;
use crate::{Input, Span};

/// How to steer. Paths are as written: relative to the folder of the file.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// The Lustre file.
    pub model: Named,
    /// The main node, if the file does not say.
    pub main: Option<Named>,
    /// The inputs of the tests; those of the traces if there is none.
    pub tests: Option<Named>,
    /// What systems did; `*` stands for any characters of a file's name.
    pub traces: Vec<Named>,
    /// What people say of the tests.
    pub labels: Option<Named>,
    /// Conditions on steered steps.
    pub tolerances: Option<Named>,
    /// Conditions under which a filter accepts a difference.
    pub filter: Option<Named>,
    /// By how much inputs may change.
    pub windows: Vec<(Named, Window)>,
    /// The inputs that may be steered, if not all that the tolerances leave.
    pub steer: Option<Vec<Named>>,
    /// What is compared, if not all outputs.
    pub compare: Option<Vec<Named>>,
    /// By how much numbers of model and system may differ and still count as equal.
    pub within: Prices,
    /// How samples of the traces are tied to steps of the tests; one for each if nothing is said.
    pub align: Option<Align>,
    /// What is near.
    pub metric: Metric,
    /// What changes cost.
    pub policy: Policy,
    /// How many steps ahead of time a change may be made.
    pub look_ahead: Option<LookAhead>,
    /// Whether reals are doubles.
    pub float: bool,
    /// How long a solver may take for one question, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// How many states are followed at most.
    pub candidates: Option<u64>,
    /// How many steps are tried before a solver is asked.
    pub enumerate: Option<u64>,
    /// How many steps are tried to follow one step of a test.
    pub steps: Option<u64>,
    /// How many alternatives are taken from a solver.
    pub alternatives: Option<u64>,
    /// Where all chance of learning comes from.
    pub seed: Option<u64>,
}

/// A word with its place. Words that say the same are equal, wherever they stand.
#[derive(Clone, Debug)]
pub struct Named {
    /// What is written.
    pub text: String,
    /// Where the name stands in the file.
    pub span: Span,
}

impl PartialEq for Named {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Named {}

/// How samples of a trace are tied to steps of a test: by the times of both.
#[derive(Clone, PartialEq, Debug)]
pub struct Align {
    /// The column of the traces that says when a sample was taken.
    pub time: Named,
    /// The column of the tests that says when a step is; the number of the step if nothing is said.
    pub tests: Option<Named>,
    /// A sample belongs to no step that is farther away than this.
    pub within: Rational,
    /// How many steps of a test may be without a sample.
    pub lost: u64,
    /// How many samples of a test may be without a step.
    pub extra: u64,
}

/// By how much an input may change.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Window {
    /// The input may not be changed at all.
    Locked,
    /// The input may have any value of its type.
    Free,
    /// From the first to the second.
    Between(Rational, Rational),
}

/// What is near.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Metric {
    /// Squares of differences, not differences.
    pub squared: bool,
    /// The least and the greatest values, that become 0 and 1.
    pub ranges: Vec<(Named, (Rational, Rational))>,
    /// How much variables matter.
    pub weights: Vec<(Named, Rational)>,
}

/// What changes cost, and how many are allowed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Policy {
    /// Steer only where the outputs then match.
    pub exact_only: bool,
    /// How many steps of a test may be steered.
    pub steered_steps: SteeredSteps,
    /// So much for all changes of a test at most.
    pub total_cost: Option<Rational>,
    /// Change each number only in one direction within a test.
    pub steady: bool,
    /// Nothing explains a test but what the look-ahead tries first, with changes that are held until they show (true), or other changes
    /// do as well (false).
    pub held: Option<bool>,
    /// Follow tests beyond a step that is not explained.
    pub goes_on: bool,
    /// For each steered step.
    pub step: Option<Rational>,
    /// For each unit of a change.
    pub unit: Prices,
    /// For each change.
    pub fixed: Prices,
    /// For each change that differs from the one before.
    pub renewal: Prices,
    /// The probabilities with which a right system is explained by a change, in a test.
    pub expected: Prices,
}

/// How many steps of a test may be steered. Without a word of it there is no limit, and nobody said so.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SteeredSteps {
    /// Of all variables together.
    pub together: Option<Most>,
    /// Of each variable that is not named.
    pub others: Option<Most>,
    /// Of the variables that are named.
    pub named: Vec<(Named, Most)>,
}

/// A number of steps, or all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Most {
    /// So many steps.
    Steps(u64),
    /// All steps, as somebody said.
    All,
}

/// A price for all variables, and other ones for some.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Prices {
    /// The price for variables that are not named.
    pub others: Option<Rational>,
    /// The prices of the variables that are named.
    pub named: Vec<(Named, Rational)>,
}

/// How long before it shows an input may be changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LookAhead {
    /// So many steps.
    Steps(u64),
    /// At any time.
    All,
}

/// Reads how to steer: a file of its own, or the table `[steering]` of a `punctual.toml`, whose other
/// tables are left alone.
#[must_use]
pub fn read(input: Input<'_>) -> Reading<Config> {
    Reading::of(input, config::read)
}
