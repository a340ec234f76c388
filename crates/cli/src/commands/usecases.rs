//! `punctual usecases`: what is in a folder of use cases, and what is still to be written.

mod derived;

use std::path::PathBuf;

use clap::Args;
use punctual_lang::{Input, diagnostic::Diagnostic, usecases};
use punctual_report::{fill, usecases as report, view};

use derived::{Form, Wish};

use crate::{PASS, REJECTED, Stop, input, print, terminal_width};

/// Reads use cases with their domain model and their constraints, and says what is still to be written.
///
/// A folder has use cases (`*.md`, in the form of RUCM), class diagrams (`*.puml`), constraints (`*.ocl`) and perhaps `usecases.toml`.
/// Everything that is wrong is told at once. Names that the domain model lacks and sentences without a constraint are listed.
/// With `-o`, a timed model is derived of it and of the automata in `model.xml`: `check`, `generate`, `test` and `mutate` take it.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    punctual usecases examples/bodysense\n  \
    punctual usecases examples/bodysense --complete\n  \
    punctual usecases examples/bodysense --json | jq .open\n  \
    punctual usecases examples/bodysense -o derived.xml\n\n\
    Exit codes: 0 read, 2 rejected input, or something is open with `--complete`.")]
pub(crate) struct Usecases {
    /// The folder
    folder: PathBuf,
    /// What is still to be written is an error
    #[arg(long)]
    complete: bool,
    /// Derive a timed model and write it here, with its interface beside it (`derived.toml`)
    #[arg(long, short, value_name = "MODEL.xml", conflicts_with = "json")]
    output: Option<PathBuf>,
    /// How scenarios become automata
    #[arg(long = "as", value_enum, default_value_t, requires = "output")]
    form: Form,
    /// What chance starts from, for values of inputs
    #[arg(long, default_value_t = 0, requires = "output")]
    seed: u64,
    /// Inputs are the least and the greatest possible ones in turn
    #[arg(long, requires = "output")]
    boundaries: bool,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
    /// Print nothing but errors and warnings
    #[arg(long, short)]
    quiet: bool,
}

impl Usecases {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let files = usecases::load(&self.folder).map_err(Stop::Message)?;
        let inputs: Vec<Input<'_>> =
            files.iter().map(|(name, bytes)| Input { name, bytes }).collect();
        let mut found = usecases::read(&inputs);
        if self.complete {
            for open in &found.open {
                found.sources[open.file].diagnostics.push(open.diagnostic());
            }
            for source in &mut found.sources {
                source.diagnostics.sort_by_key(|it: &Diagnostic| it.span.start);
            }
        }
        for source in &found.sources {
            input::show(&source.diagnostics, &source.file);
        }
        let name = self.folder.display().to_string();
        let Some(all) = &found.value else { return Err(Stop::Reported) };
        if all.use_cases.is_empty() {
            let message = format!(
                "there is no use case in `{name}`: a file `….md` has a heading `## Use Case: Name`"
            );
            return Err(Stop::Message(message));
        }
        if let Some(output) = &self.output {
            let (form, seed, boundaries) = (self.form, self.seed, self.boundaries);
            let text = derived::write(
                &self.folder,
                &found,
                all,
                &Wish { output, form, seed, boundaries },
            )?;
            if !self.quiet {
                print(&text)?;
            }
            return Ok(if self.complete && !found.open.is_empty() { REJECTED } else { PASS });
        }
        let shown = fill::usecases::folder(&name, &found, all);
        match (self.json, self.quiet) {
            (true, _) => print(&view::json(&shown))?,
            (false, true) => {}
            (false, false) => print(&report::text(&shown, terminal_width()))?,
        }
        Ok(if self.complete && !found.open.is_empty() { REJECTED } else { PASS })
    }
}
