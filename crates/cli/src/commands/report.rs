//! `punctual report`: what recorded runs say, for people and for machines.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use punctual_campaign::store::{Record, Run, Store};
use punctual_campaign::summary::Summary;
use punctual_report::{fill::diagram, runs, view};

use crate::commands::replay::code;
use crate::{Stop, input, print_or_end, write_file};

/// Shows recorded runs: as text, JUnit XML, JSON, a value change dump (VCD) for wave viewers, or one
/// HTML page with the timeline, the windows in which outputs were allowed, and what was covered.
///
/// A folder of one run shows that run; a folder of many shows a table, the worst first.
#[derive(Args)]
#[command(after_help = "Examples:\n  punctual report runs\n  \
    punctual report runs/0042 --html run.html\n  \
    punctual report runs --junit results.xml")]
pub(crate) struct Report {
    /// The folder of a run, or of many
    folder: PathBuf,
    /// Write a page of one run
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write a value change dump of one run
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: Shape,
    /// Print everything as JSON
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Shape {
    /// Words, or a table of many runs
    #[default]
    Text,
    /// JSON
    Json,
    /// JUnit XML
    Junit,
}

impl Report {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let is_one = self.folder.is_file() || Run::at(&self.folder).record_path().is_file();
        let found = match is_one {
            true => vec![Run::at(&self.folder)],
            false => {
                let store = Store::open(&self.folder).map_err(message)?;
                store.runs().map_err(message)?
            }
        };
        if found.is_empty() {
            let shown = self.folder.display();
            return Err(Stop::Message(format!("there is no run in `{shown}`")));
        }
        let summary = Summary::of(&found);
        let name = self.folder.display().to_string();
        if let Some(path) = &self.junit {
            write_file(path, &runs::junit(&summary, &name))?;
        }
        if self.html.is_some() || self.vcd.is_some() {
            let [run] = &found[..] else {
                return Err(Stop::Message(
                    "a page or a dump is of one run: name its folder, such as `runs/0001`"
                        .to_owned(),
                ));
            };
            let record = run.record().map_err(message)?;
            if let Some(path) = &self.vcd {
                write_file(path, &runs::vcd(&record))?;
            }
            if let Some(path) = &self.html {
                write_file(path, &page(run, &record))?;
            }
        }
        let text = match (self.json, self.format) {
            (true, _) | (_, Shape::Json) => runs::json(&summary),
            (_, Shape::Junit) => runs::junit(&summary, &name),
            (_, Shape::Text) => match (&summary.runs[..], &summary.unreadable[..]) {
                ([digest], []) if is_one => runs::text(digest, input::run_style()),
                _ => runs::table(&summary, input::run_style()),
            },
        };
        let code = code(summary.worst());
        print_or_end(&text, code)?;
        Ok(code)
    }
}

fn message(error: punctual_campaign::store::StoreError) -> Stop {
    Stop::Message(error.to_string())
}

/// The page of a run, with the automata of the model that lies beside it.
fn page(run: &Run, record: &Record) -> String {
    let model = run.file_path(&record.header.model);
    let automata = model.as_deref().map(automata).unwrap_or_default();
    runs::page(run, record, &automata)
}

/// The drawings of a model; none if it can not be read any more.
fn automata(path: &Path) -> Vec<runs::Automaton> {
    let Ok(source) = input::read_model(path, input::Queries::None) else { return Vec::new() };
    let network = &source.model.network;
    let sheet = diagram::sheet(source.model, String::new());
    let is_flat = source.model.document.is_none();
    let mut automata = Vec::new();
    for diagram in sheet.diagrams {
        let of = |process: &&punctual_model::Process| match is_flat {
            true => process.name == diagram.name,
            false => process.template == diagram.name,
        };
        let processes: Vec<String> =
            network.processes.iter().filter(of).map(|process| process.name.clone()).collect();
        if !processes.is_empty() {
            // An edge with branches is drawn as several lines; the first one leaves a location.
            let leaves = |(i, edge): (usize, &view::Edge)| {
                matches!(edge.source, view::End::Location(_)).then_some(i)
            };
            let edges = diagram.edges.iter().enumerate().filter_map(leaves).collect();
            automata.push(runs::Automaton { diagram, processes, edges });
        }
    }
    automata
}
