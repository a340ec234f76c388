//! A configuration of steering and the files it names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use punctual_lang::steering::{self as config, Align, Config, Most, Prices, Resolved, Window, key};
use punctual_lang::{Input, lustre, values};
use punctual_model::lustre::{Program, Rational, Seen, Table, Tolerances, Type};
use punctual_model::{Value, ValueType, VarId};
use punctual_oracle::steering::{
    Distance, Filter, Kind, Limits, LookAhead, Oracle, Policy, Price, Scale, Setup, Unheld, Windows,
};
use punctual_semantics::lustre::Reals;
use punctual_solver::Solver;

use super::bounds::{Ends, is_locked};
use super::labels::Labels;
use crate::problem::{Problem, bytes};
use crate::store::Tolerance;
use crate::summary::Expected;

/// A configuration with everything that it names, except the traces: those are read one by one.
pub struct Plan {
    /// The model.
    pub program: Program,
    /// The inputs of the tests, if the traces need not have them.
    pub tests: Option<Table>,
    /// The traces, each of one system.
    pub traces: Vec<PathBuf>,
    /// What people say of tests.
    pub labels: Labels,
    /// What is compared.
    pub compared: Vec<VarId>,
    /// What may be steered.
    pub steerable: Vec<VarId>,
    /// What the traces must show.
    pub columns: Vec<VarId>,
    /// Conditions on steered steps.
    pub tolerances: Tolerances,
    /// Conditions under which a filter accepts a difference.
    pub filter: Option<Tolerances>,
    /// Where all chance of learning comes from.
    pub seed: u64,
    config: Config,
    resolved: Resolved,
    look_ahead: LookAhead,
}

/// What a command says instead of the configuration.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Other traces.
    pub traces: Vec<PathBuf>,
    /// Another look-ahead.
    pub look_ahead: Option<LookAhead>,
    /// Whether everything may change if nothing says otherwise, in any step: that is what is learned from.
    pub is_free: bool,
    /// Whether no trace is needed.
    pub is_live: bool,
    /// All files that the configuration names lie beside it, without folders, and tests are not needed: a
    /// record has them so.
    pub is_recorded: bool,
}

/// How far ahead a change may be made: a number of steps, or `all`.
#[must_use]
pub fn look_ahead(text: &str) -> Option<LookAhead> {
    match text {
        "all" => Some(LookAhead::All),
        text => text.parse().ok().map(LookAhead::Steps),
    }
}

/// The value of a reading, or what is wrong with it.
fn value<T>(reading: lustre::Reading<T>) -> Result<T, Problem> {
    let lustre::Reading { file, value, diagnostics } = reading;
    value.ok_or(Problem::File(file, diagnostics))
}

/// Reads a table of at least one test: CSV, or JSON lines if its name says so.
pub(super) fn table(path: &Path, program: &Program) -> Result<Table, Problem> {
    let table = any_table(path, program)?;
    match table.tests.is_empty() {
        true => Err(Problem::Message(format!("{}: there is no test in it", path.display()))),
        false => Ok(table),
    }
}

fn any_table(path: &Path, program: &Program) -> Result<Table, Problem> {
    let bytes = bytes(path)?;
    let name = path.display().to_string();
    let input = Input { name: &name, bytes: &bytes };
    let unknown = lustre::traces::Unknown::Partial;
    let is_json = path.extension().is_some_and(|it| it == "jsonl" || it == "json");
    value(match is_json {
        true => lustre::traces::read_jsonl_with(input, program, unknown),
        false => lustre::traces::read_csv_with(input, program, unknown),
    })
}

/// Reads a configuration and what it names.
///
/// # Errors
/// If something is wrong in one of the files.
pub fn load(path: &Path, overrides: &Overrides) -> Result<Plan, Problem> {
    let content = bytes(path)?;
    let name = path.display().to_string();
    let reading = config::read(Input { name: &name, bytes: &content });
    let Some(mut config) = reading.value else {
        return Err(Problem::File(reading.file, reading.diagnostics));
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let at = |named: &config::Named| match overrides.is_recorded {
        true => folder.join(Path::new(&named.text).file_name().unwrap_or_default()),
        false => folder.join(&named.text),
    };
    let model = at(&config.model);
    let (model_name, content) = (model.display().to_string(), bytes(&model)?);
    let main = config.main.as_ref().map(|it| it.text.as_str());
    let program = value(lustre::read(Input { name: &model_name, bytes: &content }, main))?;
    let (resolved, diagnostics) = config.resolve(&program);
    if !diagnostics.is_empty() {
        return Err(Problem::File(reading.file, diagnostics));
    }
    let conditions = |named: &config::Named| {
        let path = at(named);
        let (name, content) = (path.display().to_string(), bytes(&path)?);
        value(lustre::tolerances(Input { name: &name, bytes: &content }, &program))
    };
    let (tolerances, steerable) = match (&config.tolerances, config.windows.is_empty()) {
        (Some(named), true) => {
            let steerable = resolved.steer.clone();
            (conditions(named)?, steerable.unwrap_or_else(|| program.inputs().collect()))
        }
        (None, false) => windowed(&program, &resolved),
        (Some(_), false) => {
            let message = "there is a file of `tolerances` and a table `[tolerance]`: keep one";
            return Err(Problem::Message(format!("{name}: {message}")));
        }
        (None, true) => match (&resolved.steer, overrides.is_free) {
            (Some(steer), _) => (Tolerances::default(), steer.clone()),
            (None, true) => (Tolerances::default(), program.inputs().collect()),
            (None, false) => {
                let message = "nothing says what may be steered: add `tolerances = \"FILE\"`, a \
                    table `[tolerance]`, or `steer = [..]` for inputs that may change at will";
                return Err(Problem::Message(format!("{name}: {message}")));
            }
        },
    };
    let filter = config.filter.as_ref().map(conditions).transpose()?;
    let mut columns = resolved.compare.clone();
    let seen = tolerances.seen.iter().chain(filter.iter().flat_map(|it| it.seen.iter()));
    for seen in seen {
        if let Seen::System(var) = *seen
            && !columns.contains(&var)
        {
            columns.push(var);
        }
    }
    let tests = config.tests.as_ref().filter(|_| !overrides.is_recorded);
    let tests = tests.map(|named| table(&at(named), &program)).transpose()?;
    let labels = match &config.labels {
        Some(named) if !overrides.is_recorded => Labels::read(&at(named))?,
        _ => Labels::default(),
    };
    let traces = match (overrides.traces.is_empty(), overrides.is_live) {
        (_, true) => Vec::new(),
        (false, _) => overrides.traces.clone(),
        (true, _) => listed(folder, &config.traces)?,
    };
    if traces.is_empty() && !overrides.is_live {
        let message = "there are no traces: add `traces = [\"FILE\"]`, or `--trace FILE`";
        return Err(Problem::Message(format!("{name}: {message}")));
    }
    are_different(&traces)?;
    // Those of the configuration may have labels, also if another trace is judged. They need not be there then.
    let others = match overrides.traces.is_empty() {
        true => Ok(Vec::new()),
        false => listed(folder, &config.traces),
    };
    if let Ok(others) = others
        && !overrides.is_live
    {
        let systems: Vec<&str> = traces.iter().chain(&others).map(|it| system(it)).collect();
        labels.check_systems(&systems)?;
    }
    let look_ahead = overrides.look_ahead.unwrap_or(match config.look_ahead {
        None => LookAhead::DEFAULT,
        Some(config::LookAhead::All) => LookAhead::All,
        Some(config::LookAhead::Steps(steps)) => {
            LookAhead::Steps(usize::try_from(steps).unwrap_or(usize::MAX))
        }
    });
    if overrides.is_free {
        // A budget that is learned says later what explanations are worth.
        config.policy.held.get_or_insert(false);
    }
    Ok(Plan {
        compared: resolved.compare.clone(),
        seed: config.seed.unwrap_or(1),
        program,
        tests,
        traces,
        labels,
        steerable,
        columns,
        tolerances,
        filter,
        config,
        resolved,
        look_ahead,
    })
}

/// A number of steps; none if all are allowed.
fn steps(most: Option<Most>) -> Option<u32> {
    match most? {
        Most::Steps(steps) => u32::try_from(steps).ok(),
        Most::All => None,
    }
}

/// The conditions of `[tolerance]`, and what it leaves to steer.
fn windowed(program: &Program, resolved: &Resolved) -> (Tolerances, Vec<VarId>) {
    let mut windows = Windows::default();
    let mut steerable = Vec::new();
    for (var, window) in &resolved.windows {
        match window {
            Window::Locked => continue,
            Window::Free => {}
            Window::Between(low, high) => windows.ranges.push((*var, vec![(*low, *high)])),
        }
        steerable.push(*var);
    }
    let named = |var: &VarId| resolved.steer.as_ref().is_none_or(|steer| steer.contains(var));
    steerable.retain(named);
    (windows.to_conditions(program), steerable)
}

/// The files that patterns stand for, in order of their names.
fn listed(folder: &Path, patterns: &[config::Named]) -> Result<Vec<PathBuf>, Problem> {
    let mut files = Vec::new();
    for pattern in patterns {
        let path = folder.join(&pattern.text);
        let Some(name) = path.file_name().and_then(|it| it.to_str()).filter(|it| it.contains('*'))
        else {
            files.push(path);
            continue;
        };
        let within = path.parent().unwrap_or(Path::new("."));
        let within = if within.as_os_str().is_empty() { Path::new(".") } else { within };
        let entries = std::fs::read_dir(within).map_err(|error| {
            Problem::Message(format!("can not read the folder `{}`: {error}", within.display()))
        })?;
        let mut found: Vec<PathBuf> = entries
            .filter_map(Result::ok)
            .filter(|entry| entry.file_name().to_str().is_some_and(|it| fits(name, it)))
            .map(|entry| entry.path())
            .collect();
        if found.is_empty() {
            return Err(Problem::Message(format!("no file is like `{}`", path.display())));
        }
        found.sort_unstable();
        files.append(&mut found);
    }
    Ok(files)
}

/// What the system of a trace is called.
pub(super) fn system(trace: &Path) -> &str {
    let stem = trace.file_stem().and_then(|it| it.to_str()).unwrap_or("system");
    stem.strip_prefix("sut_").unwrap_or(stem)
}

/// Refuses two traces of one system: its tests would be there twice, and a label would be for two tests.
fn are_different(traces: &[PathBuf]) -> Result<(), Problem> {
    let mut seen: BTreeMap<&str, &Path> = BTreeMap::new();
    for trace in traces {
        let system = system(trace);
        let Some(other) = seen.insert(system, trace) else { continue };
        let (one, two) = (other.display(), trace.display());
        let message = match other == trace {
            true => format!("the trace `{one}` is there twice"),
            false => format!(
                "`{one}` and `{two}` are both the system `{system}`, which is called as its file without `sut_`: give one \
                 another name"
            ),
        };
        return Err(Problem::Message(message));
    }
    Ok(())
}

/// How a warning of what nothing limits begins.
fn unlimited(free: &[String]) -> String {
    format!(
        "nothing limits how much of a test may be explained by changes of {}: a fault that looks like that passes. ",
        free.join(", ")
    )
}

/// Whether a name fits a pattern in which `*` stands for any characters.
fn fits(pattern: &str, name: &str) -> bool {
    let parts: Vec<&str> = pattern.split('*').collect();
    let [first, middle @ .., last] = &parts[..] else { return pattern == name };
    let Some(rest) = name.strip_prefix(first) else { return false };
    let Some(mut rest) = rest.strip_suffix(last) else { return false };
    middle.iter().all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

impl Plan {
    /// The files that a record needs to be judged again: what each is to the run, and where it is.
    pub(super) fn files(&self, config: &Path) -> Vec<(&'static str, PathBuf)> {
        let folder = config.parent().unwrap_or(Path::new(""));
        let at = |named: &config::Named| folder.join(&named.text);
        let mut files = vec![("model", at(&self.config.model)), ("steering", config.to_owned())];
        files.extend(self.config.tolerances.iter().map(|named| ("tolerances", at(named))));
        files.extend(self.config.filter.iter().map(|named| ("filter", at(named))));
        files
    }

    /// How far ahead a change may be made, as a record says it: a number of steps, or `all`.
    pub(super) fn look_ahead_text(&self) -> String {
        match self.look_ahead {
            LookAhead::Steps(steps) => steps.to_string(),
            LookAhead::All => "all".to_owned(),
        }
    }

    /// By how much inputs may be changed in every step, as far as `[tolerance]` says so.
    pub(super) fn bands(&self) -> Vec<Tolerance> {
        let number = |it: Rational| values::to_json(&ValueType::Real, Value::Real(it));
        let band = |(var, window): &(VarId, Window)| match window {
            Window::Between(low, high) => Some(Tolerance {
                variable: self.program.vars[*var].name.clone(),
                low: number(*low),
                high: number(*high),
            }),
            Window::Locked | Window::Free => None,
        };
        self.resolved.windows.iter().filter_map(band).collect()
    }

    /// How samples are tied to steps, if there is not one for each.
    pub(super) fn align(&self) -> Option<&Align> {
        self.config.align.as_ref()
    }

    /// The oracle of the plan.
    ///
    /// # Errors
    /// If the model can not be steered so.
    pub fn oracle(&self) -> Result<Oracle, Problem> {
        self.oracle_with(self.tolerances.clone(), self.steerable.clone())
    }

    /// The oracle with other tolerances.
    ///
    /// # Errors
    /// If the model can not be steered so.
    pub fn oracle_with(
        &self,
        tolerances: Tolerances,
        steerable: Vec<VarId>,
    ) -> Result<Oracle, Problem> {
        let setup = Setup {
            metric: self.metric(),
            policy: self.policy(&steerable),
            compared: self.compared.clone(),
            columns: self.columns.clone(),
            steerable,
            tolerances,
            look_ahead: self.look_ahead,
            reals: self.reals(),
            limits: self.limits(),
            solver: Solver::find().map_err(|error| error.to_string()),
            solver_limits: self.solver_limits(),
        };
        Oracle::new(&self.program, setup).map_err(|error| Problem::Message(error.to_string()))
    }

    /// The filter of the plan, if it has one.
    ///
    /// # Errors
    /// If the model can not be run.
    pub fn filter(&self) -> Result<Option<Filter>, Problem> {
        let made = |conditions| {
            Filter::new(&self.program, self.reals(), &self.columns, &self.compared, conditions)
        };
        let filter = self.filter.as_ref().map(made).transpose();
        filter.map_err(|error| Problem::Message(error.to_string()))
    }

    fn reals(&self) -> Reals {
        if self.config.float { Reals::Float } else { Reals::Exact }
    }

    fn limits(&self) -> Limits {
        let default = Limits::default();
        let size = |it: Option<u64>| it.and_then(|it| usize::try_from(it).ok());
        Limits {
            candidates: size(self.config.candidates).unwrap_or(default.candidates),
            enumerated: self.config.enumerate.unwrap_or(default.enumerated),
            steps: self.config.steps.unwrap_or(default.steps),
            alternatives: size(self.config.alternatives).unwrap_or(default.alternatives),
        }
    }

    fn solver_limits(&self) -> punctual_solver::Limits {
        let default = punctual_solver::Limits::default();
        let timeout = self.config.timeout_ms.map_or(default.timeout, Duration::from_millis);
        punctual_solver::Limits { timeout, ..default }
    }

    fn metric(&self) -> Distance {
        let kind = match self.config.metric.squared {
            true => Kind::SquaredEuclidean,
            false => Kind::Manhattan,
        };
        let one = Rational::from_integer(1);
        let scale = |var: &VarId| {
            let range = self.resolved.ranges.iter().find(|(it, _)| it == var);
            let weight = self.resolved.weights.iter().find(|(it, _)| it == var);
            Scale {
                weight: weight.map_or(one, |(_, weight)| *weight),
                width: range.map_or(one, |(_, (low, high))| high - low),
                within: self.within(*var),
            }
        };
        Distance { kind, scales: self.compared.iter().map(scale).collect() }
    }

    /// By how much a compared number may differ.
    fn within(&self, var: VarId) -> Rational {
        let own = self.resolved.within.iter().find(|(it, _)| *it == var).map(|(_, it)| *it);
        own.or(self.config.within.others).unwrap_or_default()
    }

    /// In how many steps each variable may be changed; nothing if none of them has a limit.
    fn steps_of(&self, steerable: &[VarId]) -> Vec<Option<u32>> {
        let stated = &self.config.policy.steered_steps;
        let of = |var: &VarId| {
            let own = self.resolved.steered_steps.iter().find(|(it, _)| it == var);
            steps(own.map(|(_, most)| *most).or(stated.others))
        };
        let all: Vec<Option<u32>> = steerable.iter().map(of).collect();
        if all.iter().all(Option::is_none) { Vec::new() } else { all }
    }

    /// Whether something is said of how often each variable may be changed in a test.
    fn is_bounded(&self, policy: &Policy) -> bool {
        let mut all = self.steerable.iter().zip(&policy.prices);
        all.all(|(var, price)| self.is_bounded_of(policy, *var, price))
    }

    fn is_bounded_of(&self, policy: &Policy, var: VarId, price: &Price) -> bool {
        let stated = &self.config.policy.steered_steps;
        let own = self.resolved.steered_steps.iter().any(|(it, _)| *it == var);
        let is_stated = own || stated.others.is_some() || stated.together.is_some();
        let zero = Rational::from_integer(0);
        let has_price = [price.unit, price.fixed, policy.step].iter().any(|it| *it > zero);
        let costs = policy.cost_max.is_some() && has_price;
        is_stated || costs || is_locked(&self.tolerances, var)
    }

    /// What nothing limits: variables that may be changed in every step of a test, or by any amount. Faults that are
    /// explained so pass. `took` is a budget that would do for the tests that were judged.
    #[must_use]
    pub fn warnings(&self, took: Option<&str>) -> Vec<String> {
        let policy = self.policy(&self.steerable);
        let zero = Rational::from_integer(0);
        let (mut often, mut far) = (Vec::new(), Vec::new());
        let mut first = None;
        for (var, price) in self.steerable.iter().zip(&policy.prices) {
            let name = &self.program.vars[*var].name;
            let has_cost = policy.cost_max.is_some();
            let is_number = matches!(self.program.vars[*var].ty, Type::Int | Type::Real);
            let ends = Ends::of(&self.program, &self.tolerances, *var);
            let is_open = is_number && !(ends.above && ends.below);
            if is_open && !(has_cost && price.unit > zero) {
                let direction = match (ends.above, ends.below) {
                    (false, true) => " upwards",
                    (true, false) => " downwards",
                    _ => "",
                };
                far.push(format!("`{name}`{direction} by any amount"));
            }
            if !self.is_bounded_of(&policy, *var, price) {
                let within = if is_number && !is_open { " within its tolerance" } else { "" };
                often.push(format!("`{name}`{within} in every step"));
                first.get_or_insert(name);
            }
        }
        let mut warnings = Vec::new();
        if let Some(first) = first {
            let first = key(first);
            let took = took.map_or(String::new(), |it| {
                format!("; the tests that pass by changes took no more than {it}")
            });
            warnings.push(unlimited(&often) + &format!(
                "Give `[policy]` a budget: `steered-steps` (of all, or of each as `{{ {first} = 1 }}`; \"all\" says that there \
                 is none), or `total-cost` if changes have a price{took}",
            ));
        }
        if !far.is_empty() {
            warnings.push(unlimited(&far) + "Give a tolerance at both ends, or `total-cost` in `[policy]` with a price by `unit`");
        }
        warnings
    }

    /// With which probability the explanation of a right system changes each variable, as far as the configuration says so.
    #[must_use]
    pub fn expected(&self) -> Expected {
        let stated = &self.config.policy.expected;
        let named = stated.named.iter().map(|(name, it)| (name.text.clone(), *it));
        let all = named.chain(stated.others.map(|it| ("*".to_owned(), it)));
        let number = |it: Rational| *it.numer() as f64 / *it.denom() as f64;
        Expected(all.map(|(name, it)| (name, number(it))).collect())
    }

    fn policy(&self, steerable: &[VarId]) -> Policy {
        let policy = &self.config.policy;
        let of = |named: &[(VarId, Rational)], prices: &Prices, var: VarId, default: Rational| {
            let own = named.iter().find(|(it, _)| *it == var).map(|(_, price)| *price);
            own.or(prices.others).unwrap_or(default)
        };
        let default = Price::default();
        let price = |var: &VarId| Price {
            unit: of(&self.resolved.unit, &policy.unit, *var, default.unit),
            fixed: of(&self.resolved.fixed, &policy.fixed, *var, default.fixed),
            renewal: of(&self.resolved.renewal, &policy.renewal, *var, default.renewal),
        };
        let known = Policy {
            exact_only: policy.exact_only,
            steps_max: steps(policy.steered_steps.together),
            steps_of: self.steps_of(steerable),
            cost_max: policy.total_cost,
            prices: steerable.iter().map(price).collect(),
            step: policy.step.unwrap_or_default(),
            steady: policy.steady,
            unheld: Unheld::Explains,
            goes_on: policy.goes_on,
        };
        let unheld = match policy.held {
            Some(true) => Unheld::Nothing,
            Some(false) => Unheld::Explains,
            // Whoever bounds a test has said what an explanation is worth.
            None if self.is_bounded(&known) => Unheld::Explains,
            None => Unheld::Open,
        };
        Policy { unheld, ..known }
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn stars_stand_for_any_characters() {
        assert!(fits("sut_*.csv", "sut_m01.csv"));
        assert!(fits("*", "anything"));
        assert!(fits("a*b*c", "a-b-b-c"));
        assert!(!fits("sut_*.csv", "sut_m01.txt"));
        assert!(!fits("ab*ba", "aba"), "ends do not overlap");
        assert!(!fits("a*b*c", "a-c"));
    }
}
