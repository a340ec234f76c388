//! Suites in the languages of other tools: scripts of a rig, tests of pytest and Robot Framework, C, tables.
//!
//! A [`Script`] is a suite as all of them see it: each step has its instant, counted from the start of its case,
//! so nothing drifts however long a step takes. Windows of outputs are those in which a tester sees them: widened
//! by what the interface says of delays, as the oracle does (`oracle::expectations`). What an exported check calls
//! wrong, that oracle calls wrong, too.
//!
//! - `script.rs`: the suite as data; what JSON and templates see. `text.rs`: a case as lines of an abstract test, as
//!   in Figure 8-b of the TAUC paper. `mapping/`: such lines in the words of a rig, by a table of the user's.
//! - `template.rs`: any text, by a template of the user's. `tables.rs`: CSV, and which requirement is checked where.
//! - `python.rs` (pytest), `robot.rs`, `c.rs`; `assets/` has what they bring along.
//!
//! Not here: writing files.

mod c;
pub mod mapping;
mod python;
mod robot;
mod script;
mod tables;
mod template;
mod text;

use std::fmt;

use punctual_model::{Interface, testing::suite::Suite};

pub use mapping::{Mapping, Unmatched};
pub use script::{Script, ScriptCase, ScriptStep, What};
pub use tables::{Checked, Checks, checks, matrix};

/// A language that a suite can be written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Lines of an abstract test; those of a rig if there is a mapping.
    Text,
    /// Whatever the template says.
    Template,
    /// A table with a row for each step.
    Csv,
    /// The suite as data.
    Json,
    /// A test function for each case, and what connects it to a system.
    Pytest,
    /// A test case of Robot Framework for each case, and its keywords.
    Robot,
    /// A header with all cases and a runner that calls functions of the user's.
    C,
    /// Which requirement is checked where.
    Matrix,
}

impl Format {
    /// All formats with their names.
    pub const ALL: [(&'static str, Format); 8] = [
        ("text", Format::Text),
        ("template", Format::Template),
        ("csv", Format::Csv),
        ("json", Format::Json),
        ("pytest", Format::Pytest),
        ("robot", Format::Robot),
        ("c", Format::C),
        ("matrix", Format::Matrix),
    ];

    /// The format of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL.iter().find(|(it, _)| *it == name).map(|(_, format)| *format)
    }

    /// The format that the ending of a file tells.
    #[must_use]
    pub fn of_suffix(file: &str) -> Option<Format> {
        let (_, suffix) = file.rsplit_once('.')?;
        Some(match suffix.to_ascii_lowercase().as_str() {
            "txt" => Format::Text,
            "csv" => Format::Csv,
            "json" => Format::Json,
            "py" => Format::Pytest,
            "robot" => Format::Robot,
            "h" => Format::C,
            _ => return None,
        })
    }
}

/// How a suite is written.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What the files are called, without an ending; `suite` if empty.
    pub name: String,
    /// How lines of a test are said to a rig, for [`Format::Text`].
    pub mapping: Option<Mapping>,
    /// The name and the text of a template, for [`Format::Template`].
    pub template: Option<(String, String)>,
}

/// A file to write: its name, and what is in it.
pub type File = (String, String);

/// Whether a file beside a suite is the user's once it is there: it says how the system is reached.
#[must_use]
pub fn is_users(name: &str) -> bool {
    matches!(name, "rig.py" | "conftest.py")
}

/// Why a suite can not be written.
#[derive(Clone, PartialEq, Debug)]
pub enum Error {
    /// No pattern of the mapping matches these lines, or a table of values lacks something.
    Unmatched(Vec<Unmatched>),
    /// The template is wrong, in words.
    Template(String),
    /// There is no template.
    NoTemplate,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unmatched(lines) => mapping::tell(lines, f),
            Error::Template(why) => write!(f, "the template can not be filled in: {why}"),
            Error::NoTemplate => f.write_str("a template is needed, and none is named"),
        }
    }
}

impl std::error::Error for Error {}

/// Writes a suite in another language. The first file is the suite; others are what it needs, for the user to
/// change.
///
/// # Errors
/// If the mapping or the template does not fit.
pub fn export(
    interface: &Interface,
    suite: &Suite,
    format: Format,
    options: &Options,
) -> Result<Vec<File>, Error> {
    let name = if options.name.is_empty() { "suite" } else { &options.name };
    let script = Script::of(interface, suite);
    let file = |suffix: &str, text: String| vec![(format!("{name}.{suffix}"), text)];
    Ok(match format {
        Format::Text => match &options.mapping {
            None => file("txt", text::all(&script)),
            Some(mapping) => mapping.apply(name, &script).map_err(Error::Unmatched)?,
        },
        Format::Template => {
            let (source, text) = options.template.as_ref().ok_or(Error::NoTemplate)?;
            let text = template::fill(source, text, &script).map_err(Error::Template)?;
            file("txt", text)
        }
        Format::Csv => file("csv", tables::steps(&script)),
        Format::Json => {
            let text = serde_json::to_string_pretty(&script).unwrap_or_default();
            file("json", text + "\n")
        }
        Format::Pytest => python::files(name, interface, &script),
        Format::Robot => robot::files(name, interface, &script),
        Format::C => file("h", c::header(name, &script)),
        Format::Matrix => file("csv", matrix(suite)),
    })
}
