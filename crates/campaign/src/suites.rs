//! Suites, and the files that they name.

use std::path::Path;

use punctual_lang::diagnostic::Diagnostic;
use punctual_lang::steering::Named;
use punctual_lang::suite::{Placed, Places};
use punctual_lang::{Input, SourceFile, Span, suite};
use punctual_model::Interface;
use punctual_model::testing::suite::Suite;
use punctual_oracle::conformance::{explain, follow};

use crate::judges::Judges;
use crate::load::{Environment, Loaded, Read, beside_or_named, load};
use crate::problem::{Problem, bytes};
use crate::store::TABLE;

/// Reads the model and the interface that a suite names, and makes judges of them. Paths are relative to the
/// suite; an interface that is named here is used instead of that of the suite. Without a model, nobody judges but
/// the suite, which is added later.
///
/// # Errors
/// If the suite names nothing that can be used, a file is wrong, or the model can not be tested against.
pub fn of_suite(
    path: &Path,
    interface: Option<&Path>,
    environment: Environment,
) -> Result<Loaded, Problem> {
    let content = bytes(path)?;
    let name = path.display().to_string();
    let reading = suite::heading(Input { name: &name, bytes: &content });
    let Some(heading) = reading.value else {
        return Err(Problem::File(reading.file, reading.diagnostics));
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut missing = Vec::new();
    let mut find = |named: Option<Named>| {
        let named = named?;
        let found = beside_or_named(folder, &named.text);
        if !found.is_file() {
            let message = format!("there is no file `{}`", found.display());
            missing.push(Diagnostic::error("suite::file", named.span, message));
        }
        Some(found)
    };
    let model = find(heading.model);
    let named = interface.map(Path::to_owned).or_else(|| find(heading.interface));
    if !missing.is_empty() {
        return Err(Problem::File(reading.file, missing));
    }
    match (model, named) {
        (Some(model), named) => load(&model, named.as_deref(), environment),
        (None, Some(interface)) => load(&interface, None, environment),
        (None, None) => {
            let message = "this suite names neither a model nor an interface";
            let nothing =
                Diagnostic::error("suite::file", Span::first_of(&reading.file.text), message);
            let help = "write `model = \"model.xml\"` or `interface = \"punctual.toml\"` above the \
                        cases, or use `--interface`; `punctual test MODEL --suite FILE` needs neither";
            Err(Problem::File(reading.file, vec![nothing.help(help)]))
        }
    }
}

/// Reads a suite over the interface that it names, or another one, for whoever does not run it.
///
/// # Errors
/// As [`of_suite`]; or if the suite is wrong.
pub fn suite_alone(path: &Path, interface: Option<&Path>) -> Result<(Interface, Suite), Problem> {
    let mut loaded = of_suite(path, interface, Environment::Model)?;
    let period_ns = loaded.config.as_ref().and_then(|it| it.steps.as_ref()).map(|it| it.period_ns);
    let period_ns = period_ns.unwrap_or(loaded.judges.interface.time.unit_ns);
    add_suite(&mut loaded, path, period_ns)?;
    let Judges { interface, suite, .. } = loaded.judges;
    Ok((interface, suite.unwrap_or_default()))
}

/// Adds a suite or a table of steps to what was loaded.
///
/// # Errors
/// If the file is wrong.
pub fn suite_of_table(loaded: &mut Loaded, path: &Path, period_ns: u64) -> Result<(), Problem> {
    add_suite(loaded, path, period_ns).map(|_| ())
}

/// Says which cases of the suite the model can not follow.
pub(crate) fn followed(
    judges: &Judges,
    file: SourceFile,
    places: &[Places],
) -> Result<(), Problem> {
    let (Some(specification), Some(suite)) = (&judges.specification, &judges.suite) else {
        return Ok(());
    };
    let mut stuck = Vec::new();
    for (case, places) in suite.cases.iter().zip(places) {
        if let Some(unfollowed) = follow(specification, case) {
            let place = places.steps.get(unfollowed.part).copied().unwrap_or(places.name);
            let message = format!("the model can not follow the case `{}` here", case.name);
            let why = explain(specification, &unfollowed.diagnosis);
            let help = format!("{why} `--unchecked` runs it all the same");
            stuck.push(Diagnostic::error("suite::follow", place, message).help(help));
        }
    }
    if stuck.is_empty() { Ok(()) } else { Err(Problem::File(file, stuck)) }
}

/// Adds a suite, whose tables have a step each period. Gives its file, and where its cases stand.
pub(crate) fn add_suite(
    loaded: &mut Loaded,
    path: &Path,
    period_ns: u64,
) -> Result<(SourceFile, Vec<Places>), Problem> {
    let content = bytes(path)?;
    let name = path.display().to_string();
    let folder = path.parent().unwrap_or(Path::new(""));
    let input = punctual_lang::Input { name: &name, bytes: &content };
    let mut tables: Vec<Read> = Vec::new();
    let mut load = |named: &str| {
        let path = beside_or_named(folder, named);
        let content = bytes(&path).map_err(|problem| problem.to_string())?;
        if !tables.iter().any(|it| it.path == path) {
            tables.push(Read { role: TABLE, path, bytes: content.clone() });
        }
        Ok(content)
    };
    let reading = suite::read_placed(input, &loaded.judges.interface, Some(period_ns), &mut load);
    let Some(Placed { suite, places }) = reading.value else {
        return Err(Problem::File(reading.file, reading.diagnostics));
    };
    if suite.cases.is_empty() {
        return Err(Problem::Message(format!("`{name}` has no cases")));
    }
    loaded.judges.suite = Some(suite);
    loaded.files.push(Read { role: "suite", path: path.to_owned(), bytes: content });
    loaded.files.append(&mut tables);
    Ok((reading.file, places))
}
