//! `punctual show`: what is in a model, or what is wrong with it.

use std::path::{Path, PathBuf};

use clap::Args;
use punctual_lang::{Model, lints};
use punctual_report::{fill, interface as report, outline, program as program_text, svg, view};

use crate::{REJECTED, Stop, input, print, print_or_end, terminal_width, write_file};

/// Shows what is in a model, or what is wrong with it.
///
/// Reads UPPAAL XML, UPPAAL XTA/TA, TChecker and Punctual's JSON; the content tells which. Files
/// called `….lus` are Lustre programs.
/// Without options: a summary of processes, clocks, variables, channels and queries, and which
/// analyses can use the model, and on standard error what is probably not meant (lints); of a program, its inputs, outputs, memory and properties.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    punctual show examples/train-gate/model.xml\n  \
    punctual show model.xml --process Gate\n  \
    punctual show model.xml --svg model.svg\n  \
    punctual show model.xml --interface punctual.toml\n  \
    punctual show model.lus --main Controller\n  \
    punctual show model.xml --json | jq .totals")]
pub(crate) struct Show {
    /// The model; `-` reads it from standard input
    model: PathBuf,
    /// Show the locations and edges of a process, or of all processes of a template
    #[arg(long, short, value_name = "NAME")]
    process: Vec<String>,
    /// Show what a `punctual.toml` or a TRON `.trn` file makes of the model: signals, and who is
    /// system and who environment, with reasons
    #[arg(long, short, value_name = "FILE", conflicts_with_all = ["process", "queries"])]
    interface: Option<PathBuf>,
    /// Also read the queries of this file
    #[arg(long, short, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// The main node of a Lustre program
    #[arg(long, value_name = "NODE")]
    main: Option<String>,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
    /// Draw the templates as their author laid them out
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl Show {
    pub(crate) fn run(self) -> Result<(), Stop> {
        if input::is_lustre(&self.model) {
            return self.program();
        }
        if self.main.is_some() {
            return Err(Stop::Message("`--main` is for Lustre programs (`….lus`)".to_owned()));
        }
        let queries = self.queries.as_deref().map_or(input::Queries::None, input::Queries::File);
        let input::Source { file, model, .. } = input::read_model(&self.model, queries)?;
        if let Some(path) = &self.interface {
            return self.interface(path, &file.name, model);
        }
        let asked: Vec<&str> = model.queries.iter().map(|it| it.text.as_str()).collect();
        input::show(&lints::lints(model, &asked), file);
        let detailed =
            fill::outline::processes(&model.network, &self.process).map_err(Stop::Message)?;
        if let Some(path) = &self.svg {
            let sheet = fill::diagram::sheet(model, file.name.clone());
            let picture = svg::render(&sheet, &svg::Options::default());
            write_file(path, &picture)?;
        }
        let outline = fill::outline::outline(&file.name, model, &detailed);
        if self.json {
            return print(&view::json(&outline));
        }
        let width = terminal_width();
        if detailed.is_empty() {
            return print(&outline::text(&outline, width));
        }
        let processes: Vec<_> =
            outline.processes.iter().filter(|process| process.detail.is_some()).collect();
        print(&outline::details(&processes, width))
    }

    /// Shows a Lustre program.
    fn program(&self) -> Result<(), Stop> {
        let others = [
            ("--process", !self.process.is_empty()),
            ("--interface", self.interface.is_some()),
            ("--queries", self.queries.is_some()),
            ("--svg", self.svg.is_some()),
        ];
        if let Some((option, _)) = others.iter().find(|(_, given)| *given) {
            let message =
                format!("`{option}` is for networks of automata, not for Lustre programs");
            return Err(Stop::Message(message));
        }
        let (name, program) = input::read_lustre(&self.model, self.main.as_deref())?;
        let outline = fill::program::outline(&name, &program);
        if self.json {
            return print(&view::json(&outline));
        }
        print(&program_text::text(&outline, terminal_width()))
    }

    fn interface(&self, path: &Path, name: &str, model: &Model) -> Result<(), Stop> {
        let config = input::read_interface(path, &model.network)?;
        let file = path.display().to_string();
        let view = fill::interface::interface(&model.network, &config, name, &file)
            .map_err(|refusal| Stop::Message(refusal.to_string()))?;
        if let Some(path) = &self.svg {
            write_file(path, &report::picture(&view))?;
        }
        let text = match self.json {
            true => view::json(&view),
            false => report::text(&view, terminal_width()),
        };
        print_or_end(&text, REJECTED)?;
        // What is wrong was shown as part of the picture.
        if view.conflicts.is_empty() { Ok(()) } else { Err(Stop::Reported) }
    }
}
