//! `punctual convert`: from one model format to another.

use std::path::{Path, PathBuf};

use clap::Args;
use punctual_lang::{
    Model,
    convert::{self, Unsupported},
    document::Document,
    format::Format,
    json, tchecker,
    uppaal::{xml, xta},
};

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
        let (text, notes) =
            write(model, format).map_err(|problems| refusal(&self.input, format, &problems))?;
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

/// The text of a model in a format, and what differs from the input.
fn write(model: &Model, format: Format) -> Result<(String, Vec<String>), Vec<String>> {
    let texts = |problems: Vec<Unsupported>| -> Vec<String> {
        problems.iter().map(ToString::to_string).collect()
    };
    match format {
        Format::UppaalXml => {
            let (document, notes) = document(model)?;
            Ok((xml::write(&document), notes))
        }
        Format::Xta => {
            let (document, mut notes) = document(model)?;
            let written = xta::write(&document).map_err(|problem| vec![problem.to_string()])?;
            if !written.dropped.is_empty() {
                let dropped: Vec<String> =
                    written.dropped.iter().map(ToString::to_string).collect();
                notes.push(format!(
                    "left out, since XTA has no place for it: {}",
                    dropped.join(", ")
                ));
            }
            for renamed in &written.renamed {
                notes.push(format!(
                    "location `{}` of template {} is now called `{}`",
                    renamed.from, renamed.template, renamed.to
                ));
            }
            Ok((written.text, notes))
        }
        Format::TChecker => {
            let lowered = convert::to_vectors_with_notes(&model.network).map_err(texts)?;
            let text =
                tchecker::write(&lowered.network).map_err(|problem| vec![problem.to_string()])?;
            Ok((text, lowered.notes))
        }
        Format::Json | Format::Queries => Ok((json::write(&model.network), Vec::new())),
    }
}

fn document(model: &Model) -> Result<(Document, Vec<String>), Vec<String>> {
    match &model.document {
        Some(document) => Ok((document.clone(), Vec::new())),
        None => {
            let document = convert::to_document(&model.network).map_err(
                |problems: Vec<Unsupported>| -> Vec<String> {
                    problems.iter().map(ToString::to_string).collect()
                },
            )?;
            let labelled = network_has_labels(model);
            let note = "UPPAAL has no labels of locations; they became comments".to_owned();
            Ok((document, labelled.then_some(note).into_iter().collect()))
        }
    }
}

fn network_has_labels(model: &Model) -> bool {
    let mut locations = model.network.processes.iter().flat_map(|process| &process.locations);
    locations.any(|location| !location.labels.is_empty())
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
