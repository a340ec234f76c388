//! What people say of the tests of systems.
//!
//! Measures are worth nothing if a label is for another test than people think: so one that is for no system or no test is refused, and so
//! are two that contradict each other.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use punctual_lang::diagnostic::closest;
use punctual_lang::steering as config;
use punctual_oracle::steering::Label;

use crate::problem::{Problem, bytes};

/// Labels of tests, by their systems and numbers.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    path: PathBuf,
    /// Each with its line.
    all: BTreeMap<(String, usize), (Label, usize)>,
}

impl Labels {
    /// Reads a file of labels.
    ///
    /// # Errors
    /// If it can not be read, a label is none, or two of one test contradict each other.
    pub(super) fn read(path: &Path) -> Result<Labels, Problem> {
        let mut labels = Labels { path: path.to_owned(), all: BTreeMap::new() };
        let text = String::from_utf8_lossy(&bytes(path)?).into_owned();
        let lines = config::labels(&text)
            .map_err(|it| Problem::Message(format!("{}: {it}", path.display())))?;
        for it in lines {
            let label = Label::named(&it.label).ok_or_else(|| {
                let names: Vec<&str> = Label::ALL.iter().map(|(name, _)| *name).collect();
                let message = format!("`{}` is none of {}", it.label, names.join(", "));
                labels.wrong(it.line, &message)
            })?;
            let key = (it.system, it.test);
            if let Some((other, line)) = labels.all.get(&key).filter(|(other, _)| *other != label) {
                let (system, test) = key;
                let (one, two) = (other.name(), label.name());
                let message =
                    format!("test {test} of `{system}` is `{two}`, and in line {line} `{one}`");
                return Err(labels.wrong(it.line, &message));
            }
            labels.all.insert(key, (label, it.line));
        }
        Ok(labels)
    }

    /// Refuses a label of a system that is not there.
    pub(super) fn check_systems(&self, systems: &[&str]) -> Result<(), Problem> {
        let is_unknown = |system: &str| !systems.contains(&system);
        let all = self.all.iter().filter(|((system, _), _)| is_unknown(system));
        let Some(((system, _), (_, line))) = all.min_by_key(|(_, (_, line))| *line) else {
            return Ok(());
        };
        let help = match closest(system, systems.iter().copied()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("there are {}", systems.join(", ")),
        };
        Err(self.wrong(*line, &format!("no trace is of the system `{system}`: {help}")))
    }

    /// Refuses a label of a test that a system does not have.
    pub(super) fn check_tests(&self, system: &str, n_tests: usize) -> Result<(), Problem> {
        let is_beyond = |name: &str, test: usize| name == system && test >= n_tests;
        match self.all.iter().find(|((name, test), _)| is_beyond(name, *test)) {
            None => Ok(()),
            Some(((_, test), (_, line))) => {
                let message = format!(
                    "`{system}` has no test {test}: it has {n_tests}, and they are counted from 0"
                );
                Err(self.wrong(*line, &message))
            }
        }
    }

    /// What is said of a test.
    pub(super) fn of(&self, system: &str, test: usize) -> Option<Label> {
        self.all.get(&(system.to_owned(), test)).map(|(label, _)| *label)
    }

    /// The tests that should pass.
    pub(super) fn right(&self) -> impl Iterator<Item = &(String, usize)> {
        self.all.iter().filter(|(_, (label, _))| label.should_pass()).map(|(test, _)| test)
    }

    /// Whether nothing is said of any test.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn wrong(&self, line: usize, message: &str) -> Problem {
        Problem::Message(format!("{}: line {line}: {message}", self.path.display()))
    }
}
