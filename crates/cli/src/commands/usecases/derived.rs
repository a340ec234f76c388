//! What is derived of a folder of use cases: scenarios, a timed model, a report, and the chain from sentences to checks.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use punctual_campaign::suites::suite_alone;
use punctual_lang::usecases::Folder;
use punctual_model::{
    ClassId, Interface, Network,
    testing::suite::Suite,
    usecases::{Scenarios, UseCases},
};
use punctual_report::{fill, usecases as report, view};
use punctual_solver::Solver;
use punctual_testgen::usecases::{
    As, Derived, Problem, derive, initial,
    paths::{self, Limits},
    settled,
    values::{Options, Solving},
};

use super::changes;
use crate::{Stop, print, progress, terminal_width, write_file};

/// How scenarios become automata.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(super) enum Form {
    /// The tester starts scenarios, and an edge knows which one has ended
    #[default]
    Exact,
    /// As Figures 3-b and 7 of the TAUC paper have it
    Paper,
}

/// What is to be derived.
#[derive(Args)]
pub(super) struct Wish {
    /// List the scenarios: paths that cover each flow and each branch, with what the tester gives and what is so afterwards
    #[arg(long, help_heading = "Deriving (needs a solver)")]
    scenarios: bool,
    /// Derive a timed model of the scenarios and the automata in `model.xml`; its interface is written beside it (`derived.toml`)
    #[arg(long, short, value_name = "MODEL.xml", help_heading = "Deriving (needs a solver)")]
    output: Option<PathBuf>,
    /// A page with scenarios, objects, links, what is not covered, and the chain from sentences to checks
    #[arg(long, value_name = "PAGE.html", help_heading = "Deriving (needs a solver)")]
    report: Option<PathBuf>,
    /// The chain from sentences to scenarios, edges, cases and checks, as CSV
    #[arg(long, value_name = "FILE.csv", help_heading = "Deriving (needs a solver)")]
    chain: Option<PathBuf>,
    /// The suite that the chain leads to; `punctual generate` makes it of the derived model
    #[arg(long, value_name = "SUITE.toml", help_heading = "Deriving (needs a solver)")]
    suite: Option<PathBuf>,
    /// An older version of the folder: list its sentences that are gone or mean something else now, and the cases of the suite that they touch
    #[arg(long, value_name = "OLD", help_heading = "Deriving (needs a solver)")]
    since: Option<PathBuf>,
    /// How scenarios become automata
    #[arg(long = "as", value_enum, default_value_t, help_heading = "Deriving (needs a solver)")]
    form: Form,
    /// What chance starts from, for values of inputs
    #[arg(long, default_value_t = 0, help_heading = "Deriving (needs a solver)")]
    seed: u64,
    /// Inputs are the least and the greatest possible ones in turn
    #[arg(long, help_heading = "Deriving (needs a solver)")]
    boundaries: bool,
    /// How often a step may happen on a path, and so how many rounds a loop has, at most
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=20), help_heading = "Deriving (needs a solver)")]
    rounds: u32,
    /// How many objects of a class are tried at most, where no multiplicity says how many there are
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=20), help_heading = "Deriving (needs a solver)")]
    objects: u32,
}

impl Wish {
    /// The timed model alone, with the usual options.
    pub(super) fn model(output: &Path) -> Wish {
        Wish {
            scenarios: false,
            output: Some(output.to_owned()),
            report: None,
            chain: None,
            suite: None,
            since: None,
            form: Form::Exact,
            seed: 0,
            boundaries: false,
            rounds: 2,
            objects: 3,
        }
    }

    /// Whether anything is to be derived.
    pub(super) fn is_any(&self) -> bool {
        self.scenarios
            || self.output.is_some()
            || self.report.is_some()
            || self.chain.is_some()
            || self.since.is_some()
    }

    /// Derives what is asked for. Gives whether every flow and branch is covered, every scenario can happen and every edge is linked.
    pub(super) fn grant(
        &self,
        folder: &Path,
        found: &Folder,
        all: &UseCases,
        (json, quiet): (bool, bool),
    ) -> Result<bool, Stop> {
        self.refuse(folder, found)?;
        let suite = self.suite.as_deref().map(|path| suite_alone(path, None)).transpose()?;
        let suite = suite.as_ref().map(|(interface, suite)| (interface, suite));
        let name = folder.display().to_string();
        let (shown, model) = self.view(&name, all, found.network.as_ref(), suite)?;
        if let Some((interface, _)) = suite {
            let is_there = |it: &view::scenarios::Scenario| interface.signal(&it.name).is_some();
            if interface.assignments.len() != shown.scenarios.len()
                || !shown.scenarios.iter().all(is_there)
            {
                let message = "the suite is not of the model that is derived of this folder: it has other scenarios";
                return Err(Stop::Message(message.to_owned()));
            }
        }
        if let (Some(_), Some(model)) = (&self.output, &model) {
            refuse_counts(all, &model.scenarios)?;
        }
        if let (Some(output), Some(model)) = (&self.output, &model) {
            write_model(output, model)?;
            if !quiet && !json {
                print(&said(output, &shown))?;
            }
        }
        if let Some(path) = &self.report {
            write_file(path, &report::page::html(&shown))?;
        }
        if let Some(path) = &self.chain {
            write_file(path, &report::chain::csv(&shown.chain))?;
        }
        match (json, quiet) {
            (true, _) => print(&view::json(&shown))?,
            (false, false) if self.scenarios => {
                print(&report::derived::text(&shown, terminal_width()))?;
            }
            _ => {}
        }
        if let Some(old) = &self.since {
            let read = super::read(old)?;
            let Some(before) = &read.value else { return Err(Stop::Reported) };
            let name = old.display().to_string();
            let (shown, _) = self.view(&name, before, read.network.as_ref(), suite)?;
            print(&changes::text(before, all, &shown, read.network != found.network))?;
        }
        let happens = shown.uncovered.is_empty() && shown.unreached.is_empty();
        Ok(happens && shown.events.iter().all(|it| !it.scenarios.is_empty()))
    }

    /// Refuses to write over what is read, over what is written beside, and a model without automata.
    fn refuse(&self, folder: &Path, found: &Folder) -> Result<(), Stop> {
        let mut written: Vec<PathBuf> = Vec::new();
        if let Some(output) = &self.output {
            if output.extension().is_none_or(|it| it != "xml") {
                let message = format!("`{}`: a model of UPPAAL ends in `.xml`", output.display());
                return Err(Stop::Message(message));
            }
            if found.network.is_none() {
                let own = folder.join("model.xml");
                let message =
                    format!("there is no `{}`, so there is nothing to derive from", own.display());
                return Err(Stop::Message(message));
            }
            written.extend([output.clone(), output.with_extension("toml")]);
        }
        written.extend(self.report.iter().chain(&self.chain).cloned());
        for (number, path) in written.iter().enumerate() {
            let place = path.canonicalize().ok();
            let is_own = place.as_deref().is_some_and(|place| {
                let suffix = place.extension().and_then(|it| it.to_str()).unwrap_or_default();
                let is_read = ["md", "puml", "ocl", "toml", "xml"].contains(&suffix);
                is_read && place.parent().map(Path::to_owned) == folder.canonicalize().ok()
            });
            if is_own {
                let message =
                    format!("`{}` is what is read, or may be: write elsewhere", path.display());
                return Err(Stop::Message(message));
            }
            if written[..number].contains(path) {
                return Err(Stop::Message(format!("`{}` would be written twice", path.display())));
            }
        }
        Ok(())
    }

    /// What is derived, for people; the model, if there are automata.
    fn view(
        &self,
        name: &str,
        all: &UseCases,
        network: Option<&Network>,
        suite: Option<(&Interface, &Suite)>,
    ) -> Result<(view::scenarios::Derived, Option<Derived>), Stop> {
        let scenarios = self.solve(all, network)?;
        let Some(network) = network else {
            let scenarios = settled(all, &scenarios);
            let shown = fill::scenarios::scenarios(name, all, &scenarios);
            let chain = fill::scenarios::chain(all, &scenarios, None, &[], suite);
            return Ok((view::scenarios::Derived { chain, ..shown }, None));
        };
        let form = match self.form {
            Form::Exact => As::Exact,
            Form::Paper => As::Paper,
        };
        let model = derive(all, &scenarios, network, form).map_err(|it| refused(all, &it))?;
        let shown = fill::scenarios::derived(name, all, &model, network, suite);
        Ok((shown, Some(model)))
    }

    fn solve(&self, all: &UseCases, network: Option<&Network>) -> Result<Scenarios, Stop> {
        let solver = Solver::find().map_err(|error| {
            Stop::Message(format!(
                "{error}\nscenarios, and so links, reports and chains, need a solver; `punctual usecases DIR` alone reads and checks a folder without one"
            ))
        })?;
        progress::tell_when_stopped();
        let initial = network.map(|it| initial(all, it)).unwrap_or_default();
        let Wish { seed, boundaries, objects, rounds, .. } = *self;
        let options = Options { seed, boundaries, initial, objects, ..Options::default() };
        let solving = Solving::new(all, &solver, options);
        let mut solving = solving.map_err(|error| Stop::Message(error.to_string()))?;
        let limits = Limits { visits: rounds, ..Limits::default() };
        Ok(paths::scenarios(all, &mut solving, limits))
    }
}

/// One model has one number of objects of each class: scenarios that were solved with several can not stand in it together.
fn refuse_counts(all: &UseCases, found: &Scenarios) -> Result<(), Stop> {
    let mut counts: BTreeMap<ClassId, BTreeSet<usize>> = BTreeMap::new();
    for scenario in &found.scenarios {
        let mut of: BTreeMap<ClassId, usize> = BTreeMap::new();
        for object in &scenario.diagram.objects {
            *of.entry(object.class).or_default() += 1;
        }
        for (class, count) in of {
            counts.entry(class).or_default().insert(count);
        }
    }
    let differing = counts.iter().find(|(_, counts)| counts.len() > 1);
    let Some((class, counts)) = differing else { return Ok(()) };
    let numbers: Vec<String> = counts.iter().map(ToString::to_string).collect();
    Err(Stop::Message(format!(
        "scenarios have different numbers of objects of `{}` ({}), and a model has one: write how many there are as the multiplicity of an end, such as `\"2\"` beside `{}`, or let `--objects 1` try one of each only",
        all.domain.classes[*class].name,
        numbers.join(", "),
        all.domain.classes[*class].name,
    )))
}

/// Writes the model and its interface.
fn write_model(output: &Path, model: &Derived) -> Result<(), Stop> {
    let files = fill::derived::files(model).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Stop::Message(problems.join("\n"))
    })?;
    write_file(output, &files.model)?;
    write_file(&output.with_extension("toml"), &files.interface)
}

/// What was written, and what links scenarios with automata.
fn said(output: &Path, shown: &view::scenarios::Derived) -> String {
    let n_linked = shown.events.iter().filter(|it| !it.scenarios.is_empty()).count();
    let mut text = format!(
        "{}: {}, {n_linked} of {} linked; {}\n",
        output.display(),
        report::plural(shown.scenarios.len(), "scenario"),
        report::plural(shown.events.len(), "edge"),
        output.with_extension("toml").display()
    );
    if !shown.uncovered.is_empty() {
        let what = match shown.uncovered.len() {
            1 => "1 flow or branch is".to_owned(),
            n => format!("{n} flows and branches are"),
        };
        text += &format!("  {what} covered by no scenario: `--scenarios` says why\n");
    }
    text + &report::derived::links(shown)
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
