//! Suites as text: TOML, or a table of steps.
//!
//! ```toml
//! [[case]]
//! name = "late belt"
//! steps = [
//!     { input = "setTemp", values = [76] },
//!     { wait = "3099ms" },            # a duration, or a number of time units of the model
//!     { check = { isQualified = false }, allowed = [{ isQualified = true }] },
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
//! What a check expects is right, and so is all that `allowed` lists beside it. A table of steps is read
//! as a trace is; its outputs are what is expected, and may be left out. A file that is a table is a suite,
//! too: each of its tests is a case.
//!
//! [`write`] writes a suite so that [`read`] gives the same.
//!
//! Not here: opening the files that a suite names.

mod read;
mod tables;
mod write;

use punctual_model::{Interface, testing::suite::Suite};

pub use write::write;

pub use crate::reading::Reading;
use crate::{Input, diagnostic::Diagnostics};

/// Gives the content of a file that a suite names, as it is written there; or says why not.
pub type Load<'l> = dyn FnMut(&str) -> Result<Vec<u8>, String> + 'l;

/// Reads a suite over an interface. Steps of tables that do not say so follow each other by the period, or
/// by one time unit.
pub fn read(
    input: Input<'_>,
    interface: &Interface,
    period_ns: Option<u64>,
    load: &mut Load<'_>,
) -> Reading<Suite> {
    let period_ns = period_ns.unwrap_or(interface.time.unit_ns);
    Reading::of(input, |file, diagnostics: &mut Diagnostics| match tables::is_table(file) {
        true => tables::suite(file, interface, period_ns, diagnostics),
        false => read::suite(file, interface, period_ns, load, diagnostics),
    })
}
