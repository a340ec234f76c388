//! `punctual convert`: from one model format to another.

use std::path::{Path, PathBuf};

use clap::Args;
use punctual_lang::{convert, format::Format};

use crate::{Stop, input, print, write_file};

/// Converts a model from one format to another.
///
/// Between UPPAAL XML and XTA, what the author wrote is kept (in XML also coordinates, colours and
/// query results). TChecker and JSON get the flat network: instances instead of templates. What
/// the other format can not say is refused by name.
#[derive(Args)]
#[command(after_help = "Formats by suffix: .xml, .xta or .ta, .tck or .txt (TChecker), .json\n\n\
    Examples:\n  \
    punctual convert model.xml model.xta\n  \
    punctual convert model.xml model.tck\n  \
    punctual convert model.tck - --to xml | less")]
pub(crate) struct Convert {
    /// The model to read; `-` reads standard input
    input: PathBuf,
    /// The file to write; `-` writes to standard output
    output: PathBuf,
    /// The format to write, where the suffix of the output does not tell
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<To>,
    /// Replace an output file that exists
    #[arg(long, short)]
    force: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum To {
    Xml,
    Xta,
    Tck,
    Json,
}

impl Convert {
    pub(crate) fn run(self) -> Result<(), Stop> {
        let format = self.format()?;
        let to_stdout = self.output.as_os_str() == "-";
        if !to_stdout && !self.force && self.output.exists() {
            return Err(Stop::Message(format!(
                "`{}` exists; `--force` replaces it",
                self.output.display()
            )));
        }
        let model = input::read_model(&self.input, input::Queries::None)?.model;
        let (text, notes) = convert::write(model, format)
            .map_err(|problems| refusal(&self.input, format, &problems))?;
        for note in notes {
            eprintln!("note: {note}");
        }
        if to_stdout {
            return print(&text);
        }
        write_file(&self.output, &text)
    }

    fn format(&self) -> Result<Format, Stop> {
        match self.to {
            Some(To::Xml) => Ok(Format::UppaalXml),
            Some(To::Xta) => Ok(Format::Xta),
            Some(To::Tck) => Ok(Format::TChecker),
            Some(To::Json) => Ok(Format::Json),
            None => match self.output.to_str().and_then(Format::of_suffix) {
                Some(Format::Queries) | None => Err(Stop::Message(format!(
                    "the suffix of `{}` does not tell a model format; use `--to xml|xta|tck|json`",
                    self.output.display()
                ))),
                Some(format) => Ok(format),
            },
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
