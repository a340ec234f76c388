//! `punctual usecases`: what is in a folder of use cases, and what is still to be written.

mod changes;
mod derived;

use std::path::{Path, PathBuf};

use clap::Args;
use punctual_lang::{
    Input,
    diagnostic::Diagnostic,
    usecases::{self, Folder},
};
use punctual_report::{fill, usecases as report, view};

use derived::Wish;

use crate::{INCONCLUSIVE, PASS, REJECTED, Stop, input, print, progress, terminal_width};

/// Reads use cases with their domain model and their constraints, and says what is still to be written.
///
/// A folder has use cases (`*.md`, in the form of RUCM), class diagrams (`*.puml`), constraints (`*.ocl`) and perhaps `usecases.toml`.
/// Everything that is wrong is told at once. Names that the domain model lacks and sentences without a constraint are listed.
/// With `-o`, a timed model is derived of it and of the automata in `model.xml`: `check`, `generate`, `test` and `mutate` take it.
///
/// A solver (z3) is needed for scenarios and all that is made of them: `--scenarios`, `-o`, `--report`, `--chain`, `--since`. Without one, folders are read and
/// checked, automata included, and what is open is listed.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    punctual usecases examples/bodysense\n  \
    punctual usecases examples/bodysense --complete\n  \
    punctual usecases examples/bodysense --json | jq .open\n  \
    punctual usecases examples/bodysense --scenarios\n  \
    punctual usecases examples/bodysense -o derived.xml --report report.html\n  \
    punctual generate derived.xml -i derived.toml --cover edges -o suite.toml\n  \
    punctual usecases examples/bodysense --suite suite.toml --chain chain.csv\n\n\
    Exit codes: 0 read or derived, 2 rejected input, or something is open with `--complete`, 3 some flow or branch is covered by no \
    scenario, some scenario can not happen, or some edge is linked to none.")]
pub(crate) struct Usecases {
    /// The folder
    folder: PathBuf,
    /// What is still to be written is an error
    #[arg(long)]
    complete: bool,
    #[command(flatten)]
    wish: Wish,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
    /// Print nothing but errors and warnings
    #[arg(long, short)]
    quiet: bool,
}

/// Derives the timed model of a folder, with the usual options, and writes it with its interface beside it. Gives whether every flow is covered,
/// every scenario can happen and every edge is linked.
pub(crate) fn derive(folder: &Path, output: &Path, quiet: bool) -> Result<bool, Stop> {
    let found = read(folder)?;
    let Some(all) = &found.value else { return Err(Stop::Reported) };
    Wish::model(output).grant(folder, &found, all, (false, quiet))
}

impl Usecases {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        progress::tell_when_stopped();
        let mut found = read_quietly(&self.folder)?;
        if self.complete {
            for open in &found.open {
                found.sources[open.file].diagnostics.push(open.diagnostic());
            }
            for source in &mut found.sources {
                source.diagnostics.sort_by_key(|it: &Diagnostic| it.span.start);
            }
        }
        show(&found);
        let name = self.folder.display().to_string();
        let Some(all) = &found.value else { return Err(Stop::Reported) };
        if all.use_cases.is_empty() {
            let message = format!(
                "there is no use case in `{name}`: a file `….md` has a heading `## Use Case: Name`"
            );
            return Err(Stop::Message(message));
        }
        let is_open = self.complete && !found.open.is_empty();
        if self.wish.is_any() {
            let how = (self.json, self.quiet);
            let is_whole = self.wish.grant(&self.folder, &found, all, how)?;
            return Ok(match (is_open, is_whole) {
                (true, _) => REJECTED,
                (false, true) => PASS,
                (false, false) => INCONCLUSIVE,
            });
        }
        let shown = fill::usecases::folder(&name, &found, all);
        match (self.json, self.quiet) {
            (true, _) => print(&view::json(&shown))?,
            (false, true) => {}
            (false, false) => print(&report::text(&shown, terminal_width()))?,
        }
        Ok(if is_open { REJECTED } else { PASS })
    }
}

/// Reads a folder and shows what is wrong in it.
fn read(folder: &Path) -> Result<Folder, Stop> {
    let found = read_quietly(folder)?;
    show(&found);
    Ok(found)
}

fn read_quietly(folder: &Path) -> Result<Folder, Stop> {
    let files = usecases::load(folder).map_err(Stop::Message)?;
    let inputs: Vec<Input<'_>> = files.iter().map(|(name, bytes)| Input { name, bytes }).collect();
    Ok(usecases::read(&inputs))
}

fn show(found: &Folder) {
    for source in &found.sources {
        input::show(&source.diagnostics, &source.file);
    }
}
