//! `punctual report`: what recorded runs say, for people and for machines.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use punctual_campaign::store::{Run, Store};
use punctual_campaign::summary::Summary;
use punctual_report::{fill, repeated, runs, view};

use crate::commands::replay::code;
use crate::{Stop, input, print_or_end, write_file};

/// Shows recorded runs: as text, JUnit XML, JSON, a value change dump (VCD) for wave viewers, or one
/// HTML page with the timeline, the windows in which outputs were allowed, and what was covered.
///
/// A folder of one run shows that run; a folder of many shows a table, the worst first, and its HTML is a
/// folder with an index and a page for each run.
#[derive(Args)]
#[command(after_help = "Examples:\n  punctual report runs\n  \
    punctual report runs/0042 --html run.html\n  \
    punctual report runs --html pages\n  \
    punctual report runs --junit results.xml")]
pub(crate) struct Report {
    /// The folder of a run, or of many
    folder: PathBuf,
    /// Write a page of one run; of many runs, a folder with a page for each and an `index.html`
    #[arg(long, value_name = "FILE|FOLDER")]
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
        let suites = if is_one { Vec::new() } else { fill::repeated::recorded(&summary) };
        let name = self.folder.display().to_string();
        if let Some(path) = &self.junit {
            write_file(path, &runs::junit_with(&summary, &suites, &name))?;
        }
        if let Some(path) = &self.vcd {
            let [run] = &found[..] else {
                return Err(Stop::Message(
                    "a dump is of one run: name its folder, such as `runs/0001`".to_owned(),
                ));
            };
            write_file(path, &runs::vcd(&run.record().map_err(message)?))?;
        }
        match (&self.html, is_one) {
            (Some(path), true) => write_file(path, &fill::runs::page(&found[0]).map_err(message)?)?,
            (Some(folder), false) => pages(folder, &found, (&summary, &suites), &name)?,
            (None, _) => {}
        }
        let text = match (self.json, self.format) {
            (true, _) | (_, Shape::Json) => runs::json_with(&summary, &suites),
            (_, Shape::Junit) => runs::junit_with(&summary, &suites, &name),
            (_, Shape::Text) => match (&summary.runs[..], &summary.unreadable[..]) {
                ([digest], []) if is_one => runs::text(digest, input::run_style()),
                _ => {
                    let rest = runs::rest(&summary, &suites);
                    let mut text: String = suites.iter().map(repeated::text).collect();
                    if suites.is_empty() || !rest.runs.is_empty() || !rest.unreadable.is_empty() {
                        text += &runs::table(&rest, input::run_style());
                    }
                    text
                }
            },
        };
        let code = code(runs::worst(&summary, &suites));
        print_or_end(&text, code)?;
        Ok(code)
    }
}

/// A page for each run that can be read, and one that leads to them.
fn pages(
    folder: &Path,
    found: &[Run],
    (summary, suites): (&Summary, &[view::repeated::Repeated]),
    name: &str,
) -> Result<(), Stop> {
    let failed = |error: std::io::Error| {
        Stop::Message(format!("can not make `{}`: {error}", folder.display()))
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    for run in found {
        if let Ok(page) = fill::runs::page(run) {
            write_file(&folder.join(format!("{}.html", run.name)), &page)?;
        }
    }
    write_file(&folder.join("index.html"), &fill::runs::index(summary, suites, name))
}

fn message(error: punctual_campaign::store::StoreError) -> Stop {
    Stop::Message(error.to_string())
}
