//! Suites as text: TOML, or a table of steps.
//!
//! ```toml
//! model = "model.xml"                 # what the cases were made of; relative to the suite
//! interface = "punctual.toml"
//!
//! [[case]]
//! name = "late belt"
//! path = ["Error.Idle -> Error.Detected"]     # where it comes from, for people
//! ends = ["Error.Detected"]
//! uncertain = true                    # the model allows something else, too
//! steps = [
//!     { input = "setTemp", values = [76] },
//!     { output = "warn", within = ["10ms", "12ms"], requirement = "R3" },
//!     { wait = "3099ms" },            # a duration, or a number of time units of the model
//!     { check = { isQualified = false }, allowed = [{ isQualified = true }], requirement = "R4" },
//! ]
//!
//! [[case]]
//! name = "table"
//! table = "tests.csv"                 # each test of it is a case: `table 0`, `table 1`, …
//! period = "100ms"
//!
//! [[case]]
//! name = "short"
//! rows = """
//! x,y
//! 1,2
//! """
//! ```
//! A case that is repeated says how often it should show what it expects (`punctual oracles` writes such suites):
//! ```toml
//! phase = "1700ms"                    # wait a random time below this before each case
//!
//! [[case]]
//! name = "short error"
//! steps = []
//! probability = "1/2"                 # exact; or an interval: [0.46, 0.56]
//! proves = "Error.AbsentQualified"    # the location that only what the ending expects is seen from
//! ending = [{ wait = "5100ms" }, { check = { isQualified = false } }]
//! joint = "1/2"                       # of the steps and the ending together
//! note = "why something is missing or not exact"
//! independent = 2                     # so many random delays were drawn independently, which no single loop does
//! ```
//! What a check expects is right, and all that `allowed` lists beside it is not wrong. An output should come
//! in its window, which counts from the instant at which it stands. A table of steps is read
//! as a trace is; its outputs are what is expected, and may be left out. A file that is a table is a suite,
//! too: each of its tests is a case.
//!
//! [`write`] writes a suite so that [`read`] gives the same. [`heading`] tells which files a suite names, without
//! knowing what is exchanged with the system.
//!
//! [`export`] writes suites in the languages of other tools.
//!
//! Not here: opening the files that a suite names.

mod chances;
pub mod export;
mod read;
mod steps;
mod tables;
mod write;

use punctual_model::{Interface, testing::suite::Suite};

pub use write::write;

pub use crate::reading::Reading;
use crate::{Input, Span, diagnostic::Diagnostics, steering::Named};

/// Gives the content of a file that a suite names, as it is written there; or says why not.
pub type Load<'l> = dyn FnMut(&str) -> Result<Vec<u8>, String> + 'l;

/// The files that a suite names, as it is written there: relative to the suite.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Heading {
    /// The model that the cases were made of.
    pub model: Option<Named>,
    /// The file that says what is exchanged with the system.
    pub interface: Option<Named>,
}

/// A suite, and where its cases stand in the file.
#[derive(Clone, PartialEq, Debug)]
pub struct Placed {
    /// The suite.
    pub suite: Suite,
    /// A place for each of its cases.
    pub places: Vec<Places>,
}

/// Where a case stands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Places {
    /// Its name.
    pub name: Span,
    /// Its steps, if it is a timed case that stands in the file.
    pub steps: Vec<Span>,
}

/// Reads which files a suite names, and nothing of its cases. A table names none.
pub fn heading(input: Input<'_>) -> Reading<Heading> {
    Reading::of(input, |file, diagnostics: &mut Diagnostics| match tables::is_table(file) {
        true => Some(Heading::default()),
        false => read::heading(file, diagnostics),
    })
}

/// Reads a suite over an interface. Steps of tables that do not say so follow each other by the period, or
/// by one time unit.
pub fn read(
    input: Input<'_>,
    interface: &Interface,
    period_ns: Option<u64>,
    load: &mut Load<'_>,
) -> Reading<Suite> {
    let Reading { file, value, diagnostics } = read_placed(input, interface, period_ns, load);
    Reading { file, value: value.map(|it| it.suite), diagnostics }
}

/// Reads a suite as [`read`] does, and says where its cases stand.
pub fn read_placed(
    input: Input<'_>,
    interface: &Interface,
    period_ns: Option<u64>,
    load: &mut Load<'_>,
) -> Reading<Placed> {
    let period_ns = period_ns.unwrap_or(interface.time.unit_ns);
    Reading::of(input, |file, diagnostics: &mut Diagnostics| match tables::is_table(file) {
        true => {
            let suite = tables::suite(file, interface, period_ns, diagnostics)?;
            let place = Places { name: Span::first_of(&file.text), steps: Vec::new() };
            let places = vec![place; suite.cases.len()];
            Some(Placed { suite, places })
        }
        false => read::suite(file, interface, period_ns, load, diagnostics),
    })
}
