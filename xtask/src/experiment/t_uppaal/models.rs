//! Small models with one fault each, on which ways to choose inputs are compared.
//!
//! A model is a file of `experiments/t-uppaal/models`: timed automata whose first lines say what is exchanged, and what
//! to replace by what for a faulty system. Those in `apart` were written after the rules of guided choice, and nothing
//! was changed for them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use punctual_exec::online::{self, Budget, Options, UPDATE_NS};
use punctual_exec::{Limits, ModelOptions, Played, Policy, Refusal, Timekeeping};
use punctual_lang::{Input, testing};
use punctual_model::Network;
use punctual_oracle::conformance::{Coverage, Session, Specification};
use punctual_semantics::split::Named;
use punctual_testgen::Aims;

use super::runs::Choice;

/// A run that has exchanged so much has not found the fault.
const EVENTS_MAX: u64 = 1_000;
/// The same for time units.
const UNITS_MAX: u64 = 100_000;

/// A model with a fault.
pub(super) struct Model {
    pub(super) name: String,
    specification: Specification,
    wrong: Network,
}

/// What came of some runs.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Count {
    /// In how many the fault was found.
    pub(super) found: u64,
    pub(super) runs: u64,
    /// All inputs until the fault was found, or until the run was over.
    pub(super) inputs: u64,
    /// The sum of their squares.
    squares: u64,
}

impl Count {
    /// Whether the mean is greater than another one, by more than two standard errors of the difference.
    pub(super) fn is_worse_than(self, other: Count) -> bool {
        self.mean() - other.mean() > 2.0 * (self.error() + other.error()).sqrt()
    }

    /// The square of the standard error of the mean.
    fn error(self) -> f64 {
        let n = self.runs.max(2) as f64;
        (self.squares as f64 / n - self.mean().powi(2)).max(0.0) / (n - 1.0)
    }

    pub(super) fn mean(self) -> f64 {
        self.inputs as f64 / self.runs.max(1) as f64
    }
}

/// Where the models are.
pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments/t-uppaal/models")
}

/// The models of a folder, by name.
pub(super) fn read(folder: &Path) -> Result<Vec<Model>, String> {
    let entries = std::fs::read_dir(folder).map_err(|it| format!("{}: {it}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|it| Some(it.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|it| it == "xta"));
    paths.sort();
    paths.iter().map(|path| model(path)).collect()
}

fn model(path: &Path) -> Result<Model, String> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|it| format!("{shown}: {it}"))?;
    let said = |key: &str| {
        let begin = format!("// {key}: ");
        let line = text.lines().find_map(|line| line.strip_prefix(&begin));
        line.ok_or_else(|| format!("{shown} does not say `{begin}`"))
    };
    let names = |key: &str| -> Result<String, String> {
        let names: Vec<String> = said(key)?.split(", ").map(|it| format!("{it:?}")).collect();
        Ok(names.join(", "))
    };
    let (inputs, outputs) = (names("inputs")?, names("outputs")?);
    let toml =
        format!("[interface]\ninputs = [{inputs}]\noutputs = [{outputs}]\ntime-unit = \"1ms\"\n");
    let (right, wrong) =
        said("fault")?.split_once(" => ").ok_or_else(|| format!("{shown}: a fault is `… => …`"))?;
    let (_, body) = text.split_once("\nchan ").ok_or_else(|| format!("{shown} has no channels"))?;
    let body = format!("chan {body}");
    if !body.contains(right) {
        return Err(format!("{shown} does not have `{right}`"));
    }
    let network = |text: &str| {
        let reading = punctual_lang::read("model.xta", text.as_bytes());
        let wrong = || format!("{shown}: {:?}", reading.diagnostics);
        reading.model.as_ref().map(|it| it.network.clone()).ok_or_else(wrong)
    };
    let (network, wrong) = (network(&body)?, network(&body.replace(right, wrong))?);
    let reading = testing::read(&network, Input { name: "punctual.toml", bytes: toml.as_bytes() });
    let config = reading.value.ok_or_else(|| format!("{shown}: {:?}", reading.diagnostics))?;
    let named = Named { environment: config.environment, system: config.system };
    let specification = Specification::new(network, config.wired, &named)
        .map_err(|rejection| format!("{shown}: {rejection}"))?;
    let name = path.file_stem().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(Model { name, specification, wrong })
}

impl Model {
    /// Tests the faulty system until the fault is found, in runs with these numbers.
    pub(super) fn count(&self, choice: Choice, seed: u64, runs: u64, n_threads: usize) -> Count {
        let aims = Aims::new(&self.specification);
        let (count, next) = (Mutex::new(Count::default()), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..n_threads.max(1) {
                scope.spawn(|| {
                    loop {
                        let run = next.fetch_add(1, Ordering::Relaxed) as u64;
                        if run >= runs {
                            return;
                        }
                        let (inputs, is_found) = self.one(choice, seed, run, aims.as_ref());
                        let mut count = count.lock().unwrap_or_else(PoisonError::into_inner);
                        count.runs += 1;
                        count.found += u64::from(is_found);
                        count.inputs += inputs;
                        count.squares += inputs * inputs;
                    }
                });
            }
        });
        count.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// One run: how many inputs it took, and whether the fault was found.
    fn one(&self, choice: Choice, seed: u64, run: u64, aims: Option<&Aims<'_>>) -> (u64, bool) {
        let interface = Arc::new(self.specification.interface().clone());
        let policy = Policy::Random { seed: seed.wrapping_mul(1_000_003).wrapping_add(run) };
        let options = ModelOptions { policy, refusal: Refusal::Ignore, environment: None };
        let sut =
            Played::new(&self.wrong, interface, options, Timekeeping::Virtual, Limits::default());
        let mut sut = sut.unwrap_or_else(|error| panic!("{}: {error}", self.name));
        let mut strategy = choice.strategy(seed, run, aims);
        let session = Session::new(&self.specification, Coverage::new(false));
        let mut session = session.unwrap_or_else(|_| panic!("{} can not start", self.name));
        let time = self.specification.interface().time;
        let options = Options {
            budget: Budget { time_ns: UNITS_MAX * time.unit_ns, events: EVENTS_MAX },
            horizon: 2 * self.specification.largest_constant(),
            lateness_ns: 0,
            update_ns: UPDATE_NS,
            windows: false,
            time,
        };
        let done = online::run(&mut session, &mut sut, &mut *strategy, &options, &mut ());
        let done = done.unwrap_or_else(|error| panic!("{}: {error}", self.name));
        (done.statistics.inputs, done.judged.judgement.is_fail())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guided choice needs no more inputs than chance, on any of the models, but for what is accident; and what chance does
    /// not find, it finds.
    #[test]
    fn guided_choice_is_never_worse_than_chance() {
        let mut shown = String::new();
        for model in read(&folder()).unwrap() {
            let count = |choice| model.count(choice, 1, 12, 2);
            let (chance, guided) = (count(Choice::Chance), count(Choice::Guided));
            shown += &format!("{}: {:.1}, {:.1}\n", model.name, chance.mean(), guided.mean());
            assert_eq!(guided.found, 12, "{shown}");
            assert!(!guided.is_worse_than(chance), "{shown}");
            // One instant, one value, one sequence of values.
            if ["instant", "number", "lock", "heat"].contains(&&*model.name) {
                assert!(10.0 * guided.mean() < chance.mean(), "{shown}");
            }
        }
    }

    /// The same seed gives the same runs, on any number of threads.
    #[test]
    fn runs_do_not_depend_on_threads() {
        for model in read(&folder()).unwrap() {
            for choice in [Choice::Chance, Choice::Guided] {
                if model.name == "number" && choice == Choice::Chance {
                    // A thousand values take long.
                    continue;
                }
                let (one, three) = (model.count(choice, 7, 3, 1), model.count(choice, 7, 3, 3));
                assert_eq!(one, three, "{} {choice:?}", model.name);
            }
        }
    }
}
