//! `punctual convert`: a model or a suite in another format.

use std::path::{Path, PathBuf};

use clap::Args;
use punctual_campaign::{load::is_toml, suites::suite_alone};
use punctual_lang::{convert, format::Format, suite::export};

use crate::{Stop, export::Exporting, input, print, write_file};

/// Converts a model from one format to another, or a suite to the language of another tool.
///
/// Between UPPAAL XML and XTA, what the author wrote is kept (in XML also coordinates, colours and
/// query results). TChecker and JSON get the flat network: instances instead of templates. What
/// the other format can not say is refused by name.
///
/// A suite (`.toml`) becomes tests of pytest or Robot Framework, a C header, a script of a rig (`--map`, `--template`)
/// or a table. Instants are counted from the start of each case. Files that connect the tests to a system are written
/// beside them, and never replaced.
#[derive(Args)]
#[command(
    after_help = "Formats of models by suffix: .xml, .xta or .ta, .tck or .txt (TChecker), .json\n\
    Formats of suites by suffix: .py (pytest), .robot, .h (C), .csv, .json, .txt; `matrix` says which requirement is \
    checked where\n\n\
    Examples:\n  \
    punctual convert model.xml model.xta\n  \
    punctual convert model.xml model.tck\n  \
    punctual convert model.tck - --to xml | less\n  \
    punctual convert suite.toml -o test_oven.py\n  \
    punctual convert suite.toml - --to text --map rig.toml"
)]
pub(crate) struct Convert {
    /// The model or suite to read; `-` reads a model from standard input
    input: PathBuf,
    /// The file to write; `-` writes to standard output
    #[arg(value_name = "OUTPUT", required_unless_present = "out")]
    output: Option<PathBuf>,
    /// The same
    #[arg(long = "output", short = 'o', value_name = "OUTPUT", conflicts_with = "output")]
    out: Option<PathBuf>,
    /// The format to write, where the suffix of the output does not tell
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<To>,
    /// For suites: what is exchanged with the system, if the suite does not say
    #[arg(long, short, value_name = "FILE")]
    interface: Option<PathBuf>,
    #[command(flatten)]
    exporting: Exporting,
    /// Replace an output file that exists
    #[arg(long, short)]
    force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum To {
    Xml,
    Xta,
    Tck,
    /// A network, or a suite
    Json,
    /// Lines of an abstract test, or those of a rig (`--map`)
    Text,
    Csv,
    Pytest,
    Robot,
    C,
    /// Which requirement is checked where (CSV)
    Matrix,
}

impl Convert {
    pub(crate) fn run(self) -> Result<(), Stop> {
        let output = self.out.as_ref().or(self.output.as_ref());
        let output = output.cloned().unwrap_or_else(|| PathBuf::from("-"));
        if is_toml(&self.input) {
            let format = self.suite_format(&output)?;
            let (interface, suite) = suite_alone(&self.input, self.interface.as_deref())?;
            return self.exporting.write(&interface, &suite, format, &output, self.force);
        }
        if self.exporting.map.is_some() || self.exporting.template.is_some() {
            let message = "`--map` and `--template` are for suites, which end in `.toml`";
            return Err(Stop::Message(message.to_owned()));
        }
        let format = self.format(&output)?;
        let to_stdout = output.as_os_str() == "-";
        if !to_stdout && !self.force && output.exists() {
            return Err(Stop::Message(format!(
                "`{}` exists; `--force` replaces it",
                output.display()
            )));
        }
        let model = input::read_model(&self.input, input::Queries::None)?.model;
        let (text, notes) = convert::write(model, format)
            .map_err(|problems| refusal(&self.input, format, &problems))?;
        for note in notes {
            tell!("note: {note}");
        }
        if to_stdout {
            return print(&text);
        }
        write_file(&output, &text)
    }

    fn format(&self, output: &Path) -> Result<Format, Stop> {
        let told = match self.to {
            Some(To::Xml) => Some(Format::UppaalXml),
            Some(To::Xta) => Some(Format::Xta),
            Some(To::Tck) => Some(Format::TChecker),
            Some(To::Json) => Some(Format::Json),
            Some(_) => {
                let message = "this is a format of suites, which end in `.toml`; a model is written as \
                               `--to xml|xta|tck|json`";
                return Err(Stop::Message(message.to_owned()));
            }
            None => suffix_of(output).and_then(|it| Format::of_suffix(&it)),
        };
        told.filter(|it| *it != Format::Queries).ok_or_else(|| {
            Stop::Message(format!(
                "the suffix of `{}` does not tell a model format; use `--to xml|xta|tck|json`",
                output.display()
            ))
        })
    }

    fn suite_format(&self, output: &Path) -> Result<export::Format, Stop> {
        use export::Format;
        if self.exporting.template.is_some() {
            return Ok(Format::Template);
        }
        let names = "text|pytest|robot|c|csv|json|matrix";
        match self.to {
            Some(To::Json) => Ok(Format::Json),
            Some(To::Text) => Ok(Format::Text),
            Some(To::Csv) => Ok(Format::Csv),
            Some(To::Pytest) => Ok(Format::Pytest),
            Some(To::Robot) => Ok(Format::Robot),
            Some(To::C) => Ok(Format::C),
            Some(To::Matrix) => Ok(Format::Matrix),
            Some(To::Xml | To::Xta | To::Tck) => {
                let message =
                    format!("this is a format of models; a suite is written as `--to {names}`");
                Err(Stop::Message(message))
            }
            None if self.exporting.map.is_some() => Ok(Format::Text),
            None => suffix_of(output).and_then(|it| Format::of_suffix(&it)).ok_or_else(|| {
                Stop::Message(format!(
                    "the suffix of `{}` does not tell a format of suites; use `--to {names}`",
                    output.display()
                ))
            }),
        }
    }
}

/// More reasons than this are counted, not shown.
const REASONS_MAX: usize = 20;

fn refusal(input: &Path, format: Format, problems: &[String]) -> Stop {
    let mut message = format!("`{}` can not be written as {}:", input.display(), format.name());
    for problem in problems.iter().take(REASONS_MAX) {
        message += &format!("\n  {problem}");
    }
    if problems.len() > REASONS_MAX {
        message += &format!("\n  … and {} more", problems.len() - REASONS_MAX);
    }
    Stop::Message(message)
}

/// A file name with the suffix of a path, whatever its folder is called.
fn suffix_of(path: &Path) -> Option<String> {
    path.extension()?.to_str().map(|suffix| format!("file.{suffix}"))
}
