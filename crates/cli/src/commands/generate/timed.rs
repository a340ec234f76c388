//! A suite of timed automata.

use std::path::PathBuf;
use std::time::Duration;

use punctual_campaign::load::{self, Environment};
use punctual_lang::suite::export::Format;
use punctual_lang::{requirements, suite, testing};
use punctual_model::{Property, StateExpr};
use punctual_report::{fill, suites, view};
use punctual_semantics::specification::Specification;
use punctual_testgen::timed::{
    self, Budget, Criterion, DIVERSE_MAX, Deriver, Limits, Options, Phase, Status, World, make,
    only_changes,
};

use super::{Generate, as_model, testcode};
use crate::guard::Guard;
use crate::input::{Queries, Source};
use crate::{INCONCLUSIVE, PASS, Stop, input, memory, print, progress, write_file};

/// When the user wants no more, what is covered is derived still, for as long as this.
const GRACE: Duration = Duration::from_secs(2);

/// How long a case waits for what the system decides about.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(super) enum Wait {
    /// Until just behind the end of its window; checks just before it opens and just behind its end
    Behind,
    /// Until the end of its window, and one check there (Figure 8 of the TAUC paper)
    End,
    /// Until the middle of its window, for stochastic suites
    Middle,
    /// Until the start of its window, for stochastic suites
    Start,
}

impl From<Wait> for timed::Wait {
    fn from(wait: Wait) -> timed::Wait {
        match wait {
            Wait::Behind => timed::Wait::Behind,
            Wait::End => timed::Wait::End,
            Wait::Middle => timed::Wait::Middle,
            Wait::Start => timed::Wait::Start,
        }
    }
}

/// What checks ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub(super) enum Checks {
    /// All ports of the part that may have changed, and all that is right
    #[default]
    All,
    /// Ports that have changed since the check before, and only what is expected, as in Figure 8 of the TAUC paper: a right system may fail at the end of a window
    Changes,
}

impl Generate {
    pub(super) fn timed(&self) -> Result<u8, Stop> {
        let criteria = self.criteria()?;
        if criteria.is_empty() && self.purpose.is_empty() && self.random.is_none() {
            let message =
                "say what to make: `--cover edges`, `--purpose 'E<> …'` or `--random CASES`";
            return Err(Stop::Message(message.to_owned()));
        }
        let source = self.source()?;
        let code = self.test_code.as_ref().map(|_| testcode::code(&source)).transpose()?;
        let interface = self.interface_path();
        // Only test code can do without an interface: what a suite exchanges would be nothing.
        let is_alone = self.test_code.is_some() && self.output.is_none() && self.as_model.is_none();
        let mut specification = match interface {
            None if is_alone => testcode::alone(&source.model.network)?,
            _ => self.specification()?,
        };
        progress::listen_to_the_user();
        let guard = Guard::patient(self.memory.unwrap_or_else(memory::followed), None, GRACE);
        specification.grant(&guard.budget());
        let specification = &specification;
        // Without an interface nobody observes a window; what may happen happens at once.
        let usual = if interface.is_some() { Wait::Behind } else { Wait::Start };
        let wait = self.wait.unwrap_or(usual);
        let options = Options {
            criteria,
            purposes: purposes(&source)?,
            n_random: self.random.unwrap_or(0),
            limits: Limits { states: self.states, length: self.steps.unwrap_or(60) },
            wait: wait.into(),
            budget: self.budget()?,
            iterations: self.iterations,
            seed: self.seed,
        };
        let world = World::new(specification)
            .map_err(|refusal| Stop::Message(format!("{} is not supported", refusal.construct)))?;
        let mut watcher = progress::Watcher::new(1, 1, !self.quiet);
        let named = requirements::requirements(source.model);
        let requirements = |process, edge| named.get(&(process, edge)).cloned();
        let initial = match self.checks {
            Checks::All => None,
            Checks::Changes => match Deriver::new(&world, options.wait) {
                Ok(deriver) => Some(deriver.initial()),
                Err(trouble) => return troubled(&trouble.into()),
            },
        };
        let made = make(&world, &options, &requirements, &mut |phase| {
            watcher.draw(|_| line(phase)) && !progress::stopped()
        });
        drop(watcher);
        let mut made = match made {
            Ok(made) => made,
            Err(trouble) => {
                progress::tell_of_memory(&guard.budget());
                return troubled(&trouble);
            }
        };
        progress::tell_of_memory(&guard.budget());
        if made.suite.cases.is_empty() && guard.budget().is_spent() {
            tell!("stopped before a case was made; nothing is written");
            return Ok(INCONCLUSIVE);
        }
        if let Some(initial) = &initial {
            made.suite.cases.iter_mut().for_each(|case| only_changes(case, initial));
        }
        made.suite.model = Some(input::relative(self.output.as_deref(), &self.model));
        made.suite.interface =
            interface.as_deref().map(|path| input::relative(self.output.as_deref(), path));
        match (&self.output, &self.test_code) {
            (Some(path), _) => {
                write_file(path, &suite::write(specification.interface(), &made.suite))?;
            }
            (None, Some(_)) => {}
            (None, None) => print(&suite::write(specification.interface(), &made.suite))?,
        }
        if let Some(file) = &self.export {
            let format = match &self.to {
                Some(name) => Format::named(name),
                None => Format::of_suffix(&file.display().to_string()),
            };
            let format = format.ok_or_else(|| {
                let message =
                    format!("`{}`: the language is not known; `--to` names it", file.display());
                Stop::Message(message)
            })?;
            let interface = specification.interface();
            self.exporting.write(interface, &made.suite, format, file, true)?;
        }
        let mut view = fill::suites::timed(&world, &options.criteria, &made, self.seed);
        if let (Some(folder), Some(code)) = (&self.test_code, &code) {
            view.test_code = Some(testcode::write(folder, &world, code, &made.runs)?);
        }
        match self.json {
            true => print(&view::json(&view))?,
            false => self.say(&suites::timed(&view))?,
        }
        if let Some(folder) = &self.as_model {
            let n_models = as_model::write(folder, specification, &made.suite)?;
            if !self.json {
                let (cases, models) =
                    if n_models == 1 { ("case", "a model") } else { ("cases", "models") };
                self.say(&format!(
                    "wrote {n_models} {cases} as {models} to {}\n",
                    folder.display()
                ))?;
            }
        }
        let statuses = made.goals.iter().map(|(_, it)| it);
        let mut statuses = statuses.chain(made.purposes.iter().map(|(_, it)| it));
        let is_open = statuses.any(|it| matches!(it, Status::Undecided(_)));
        Ok(if is_open || progress::stopped() { INCONCLUSIVE } else { PASS })
    }

    fn criteria(&self) -> Result<Vec<Criterion>, Stop> {
        let known = Criterion::ALL.map(Criterion::name).join(", ");
        let named = |name: &String| {
            let mut all = Criterion::ALL.into_iter();
            all.find(|it| it.name() == name.trim()).ok_or_else(|| {
                let message =
                    format!("`--cover {name}` is not known for timed automata; there are: {known}");
                Stop::Message(message)
            })
        };
        self.cover.iter().map(named).collect()
    }

    /// The model, with the purposes as queries.
    fn source(&self) -> Result<Source, Stop> {
        let line = |query: &String| query.split_whitespace().collect::<Vec<_>>().join(" ") + "\n";
        let text: String = self.purpose.iter().map(line).collect();
        match text.is_empty() {
            true => input::read_model(&self.model, Queries::None),
            false => {
                input::read_model(&self.model, Queries::Text { argument: "--purpose", text: &text })
            }
        }
    }

    /// The interface that was named, or the one beside the model.
    fn interface_path(&self) -> Option<PathBuf> {
        load::interface_path(&self.model, self.interface.as_deref()).ok()
    }

    fn specification(&self) -> Result<Specification, Stop> {
        let loaded = load::load(&self.model, self.interface.as_deref(), Environment::Model)?;
        let missing = || Stop::Message("the model has no timed part".to_owned());
        loaded.judges.specification.ok_or_else(missing)
    }

    fn budget(&self) -> Result<Option<Budget>, Stop> {
        let Some(text) = &self.budget else { return Ok(None) };
        if let Ok(n) = text.parse::<usize>() {
            if n > DIVERSE_MAX {
                let message = format!("`--budget {n}`: a suite has at most {DIVERSE_MAX} cases");
                return Err(Stop::Message(message));
            }
            return Ok(Some(Budget::Cases(n)));
        }
        let time = |option: &str, text: &str| {
            testing::parse_duration(text, 1_000_000_000)
                .map_err(|why| Stop::Message(format!("`{option} {text}`: {why}")))
        };
        let (all_ns, reset_ns) = (time("--budget", text)?, time("--reset", &self.reset)?);
        Ok(Some(Budget::Time { all_ns, reset_ns }))
    }
}

/// No suite was made. The model is none the worse for a user who wants no more.
fn troubled(trouble: &timed::Trouble) -> Result<u8, Stop> {
    match trouble.is_spent() {
        true => {
            tell!("{trouble}: nothing is written");
            Ok(INCONCLUSIVE)
        }
        false => Err(Stop::Message(trouble.to_string())),
    }
}

/// The purposes of a model, each with its text.
fn purposes(source: &Source) -> Result<Vec<(String, StateExpr)>, Stop> {
    let mut purposes = Vec::new();
    for entry in source.model.queries.iter().filter(|entry| entry.from_query_file) {
        input::show(&entry.diagnostics, source.file_of(entry));
        match &entry.property {
            Some(Property::ExistsFinally(state)) => {
                purposes.push((entry.text.trim().to_owned(), state.clone()));
            }
            Some(_) => {
                let message =
                    format!("`{}` is no purpose of a test: write `E<> …`", entry.text.trim());
                return Err(Stop::Message(message));
            }
            None => return Err(Stop::Reported),
        }
    }
    Ok(purposes)
}

fn line(phase: Phase) -> String {
    match phase {
        Phase::Covering(it) => {
            format!("{} of {} goals covered, {} cases", it.n_covered, it.n_goals, it.n_runs)
        }
        Phase::Reaching { done, of } => format!("{done} of {of} purposes looked for"),
        Phase::Random { done, of } => format!("{done} of {of} cases by chance"),
        Phase::Deriving { done, of } => format!("{done} of {of} cases derived"),
        Phase::Diversifying { done, of, mean } => {
            format!("{done} of {of} new cases tried, mean similarity {mean:.2}")
        }
    }
}
