//! The timed model of a folder of use cases, as files.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use punctual_lang::usecases::Folder;
use punctual_model::usecases::{Scenarios, UseCases};
use punctual_report::fill::derived;
use punctual_solver::Solver;
use punctual_testgen::usecases::{
    As, Problem, derive, initial,
    paths::{self, Limits},
    values::{Options, Solving},
};

use crate::{Stop, write_file};

/// How scenarios become automata.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(super) enum Form {
    /// The tester starts scenarios, and an edge knows which one has ended
    #[default]
    Exact,
    /// As Figures 3-b and 7 of the TAUC paper have it
    Paper,
}

/// What is asked for.
pub(super) struct Wish<'a> {
    pub(super) output: &'a Path,
    pub(super) form: Form,
    pub(super) seed: u64,
    pub(super) boundaries: bool,
}

/// Writes the model and its interface; says what links them.
pub(super) fn write(
    folder: &Path,
    found: &Folder,
    all: &UseCases,
    wish: &Wish<'_>,
) -> Result<String, Stop> {
    let own = folder.join("model.xml");
    let is_own = |path: &Path| match (path.canonicalize(), own.canonicalize()) {
        (Ok(path), Ok(own)) => path == own,
        _ => false,
    };
    if is_own(wish.output) {
        let message = format!("`{}` is what the model is derived from", wish.output.display());
        return Err(Stop::Message(message));
    }
    let Some(network) = &found.network else {
        let message =
            format!("there is no `{}`, so there is nothing to derive from", own.display());
        return Err(Stop::Message(message));
    };
    let solver = Solver::find().map_err(|error| Stop::Message(error.to_string()))?;
    let Wish { seed, boundaries, .. } = *wish;
    let options =
        Options { seed, boundaries, initial: initial(all, network), ..Options::default() };
    let solving = Solving::new(all, &solver, options);
    let mut solving = solving.map_err(|error| Stop::Message(error.to_string()))?;
    let scenarios: Scenarios = paths::scenarios(all, &mut solving, Limits::default());
    let form = match wish.form {
        Form::Exact => As::Exact,
        Form::Paper => As::Paper,
    };
    let model = derive(all, &scenarios, network, form).map_err(|it| refused(all, &it))?;
    let files = derived::files(&model).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Stop::Message(problems.join("\n"))
    })?;
    let interface: PathBuf = wish.output.with_extension("toml");
    write_file(wish.output, &files.model)?;
    write_file(&interface, &files.interface)?;
    let n_linked = model.links.linked().count();
    let mut text = format!(
        "{}: {} scenarios, {n_linked} of {} edges linked; {}\n",
        wish.output.display(),
        scenarios.scenarios.len(),
        model.links.events.len(),
        interface.display()
    );
    if !scenarios.uncovered.is_empty() {
        let n_uncovered = scenarios.uncovered.len();
        text += &format!("  {n_uncovered} flows and branches are covered by no scenario\n");
    }
    for line in derived::lines(&model, network) {
        text += &format!("  {line}\n");
    }
    Ok(text)
}

/// What can not be expressed, each with its place.
fn refused(all: &UseCases, problems: &[Problem]) -> Stop {
    let line = |it: &Problem| match it.place {
        Some(place) => {
            let file = all.files.get(place.file as usize).map_or("", String::as_str);
            format!("{file}:{}: {it}", place.line)
        }
        None => it.to_string(),
    };
    Stop::Message(problems.iter().map(line).collect::<Vec<_>>().join("\n"))
}
