//! From files and wishes to a plan: what a command asks for, then what the interface file says, then
//! defaults.

use std::path::PathBuf;
use std::time::Duration;

use punctual_exec::online::Budget;
use punctual_exec::{Limits, Timekeeping};
use punctual_lang::testing::{self, UnderTest};
use punctual_lang::{suite, traces};
use punctual_model::testing::suite::{Body, Table};
use punctual_model::{PortRole, Trace};
use punctual_testgen::{RandomOptions, Scripts, Timing};
use serde_json::json;

use crate::load::{self, Environment, Loaded, Read, is_lustre};
use crate::plan::{Choice, Plan, System};
use crate::platform::{self, Between, Mounting};
use crate::problem::{Problem, bytes};
use crate::repeated::{self, Options, Tolerance};
use crate::run::Recording;
use crate::store::{Clock, Header, Reader, Record, Store};
use crate::suites::{add_suite, followed};
use crate::{connect, replay, store};

/// What each run came to is kept until the end, so there is a limit to how many there are.
const RUNS_MAX: u64 = 10_000_000;

/// Time units that a run takes, if nothing says how long it is.
const UNITS: u64 = 10_000;

/// What a command asks for, instead of what the interface file says.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// Where the system is; paths are relative to where the user is.
    pub system: Option<UnderTest>,
    /// Where TRON's clock service listens.
    pub tron_clock: Option<String>,
    /// A program that hosts shared libraries.
    pub library_host: Option<Vec<String>>,
    /// Who uses the system.
    pub environment: Environment,
    /// A suite whose cases are run.
    pub suite: Option<PathBuf>,
    /// Whether the suite is run also if the model can not follow it.
    pub unchecked: bool,
    /// The time between two steps of a table, such as `100ms`.
    pub period: Option<String>,
    /// How many runs.
    pub runs: Option<u64>,
    /// How long a run is: a number of time units, or a duration.
    pub time: Option<String>,
    /// How many inputs, outputs, steps and readings a run has at most.
    pub events: Option<u64>,
    /// Whether inputs are guided towards what was not covered yet.
    pub guided: Option<bool>,
    /// A trace or a record whose inputs are sent again.
    pub script: Option<PathBuf>,
    /// Whether inputs of the trace that followed an output wait for that output.
    pub adapts: bool,
    /// When inputs are sent: `mixed`, `random`, `eager`, `lazy`, or two delays (`2,20`).
    pub delays: Option<String>,
    /// The probability to reset the system before a step.
    pub restart: f64,
    /// What all chance comes from.
    pub seed: Option<u64>,
    /// Which clock tells the time.
    pub clock: Option<Timekeeping>,
    /// How late the tester may look on the real clock, in nanoseconds.
    pub lateness_ns: u64,
    /// On the real clock: how often a run is made again of which nothing can be said because the machine was late.
    pub retries: u32,
    /// What lies between the tester and the system.
    pub between: Between,
    /// How that is minded.
    pub mounting: Mounting,
}

/// A plan, how many runs it has, and what its records begin with.
pub struct Prepared {
    /// The plan.
    pub plan: Plan,
    /// How many runs are to be made.
    pub n_runs: u64,
    /// On a platform: how often the runs are made at most, until each of their cases has happened as it intends.
    pub tries: u64,
    /// What the headers of records have in common.
    header: Header,
    files: Vec<Read>,
}

impl Prepared {
    /// A plan with so many runs, and the files that it was made from, the model first.
    #[must_use]
    pub fn new(plan: Plan, n_runs: u64, files: Vec<Read>) -> Prepared {
        let clock = match plan.timekeeping {
            Timekeeping::Real => Clock::Real,
            Timekeeping::Virtual => Clock::Virtual,
        };
        let mut header = Header::new(&plan.judges.interface, clock);
        header.seed = plan.seed;
        header.machine = machine();
        if let Some(model) = files.first() {
            let file = model.path.file_name().map(|it| it.to_string_lossy().into_owned());
            header.model.file = file.unwrap_or_default();
            header.model.hash = store::hash(&model.bytes);
        }
        header.strategy = json!({
            "choice": match &plan.choice {
                Choice::Guided => "guided".to_owned(),
                Choice::Random(options) => format!("random, {:?}", options.timing).to_lowercase(),
                Choice::Script(_) => "script".to_owned(),
                Choice::Suite => "suite".to_owned(),
            },
        });
        Prepared { plan, n_runs, tries: 1, header, files }
    }

    /// What the headers of records have in common.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The cases are repeated, and judged with these options; records say so. With a tolerance in time, the system may show everything later than
    /// the model by that.
    pub fn repeats(&mut self, options: &Options) {
        if let Tolerance::Time { ns } = options.tolerance {
            self.plan.judges.allow_lateness(ns);
            self.header.uncertainty.input_ns = self.plan.judges.interface.uncertainty.input_ns;
            self.header.strategy[crate::load::LATENESS] = ns.into();
        }
        let (key, told) = repeated::told(&self.plan, options);
        self.header.strategy[key] = told;
    }

    pub(crate) fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }

    /// Where the runs are recorded: a folder, and the command line that asked for it.
    ///
    /// # Errors
    /// If the folder can not be made.
    pub fn recording(
        &self,
        folder: &std::path::Path,
        command: Vec<String>,
    ) -> Result<Recording, Problem> {
        let mut recording =
            recording(folder, Header { command, ..self.header.clone() }, &self.files)?;
        repeated::begin(&mut recording);
        Ok(recording)
    }
}

/// Where runs are recorded: a folder, what their headers have in common, and the files that they were
/// given, the model first.
pub(crate) fn recording(
    folder: &std::path::Path,
    header: Header,
    files: &[Read],
) -> Result<Recording, Problem> {
    let store = Store::create(folder).map_err(|error| Problem::Message(error.to_string()))?;
    let given = |it: &Read| (it.role.to_owned(), it.path.clone(), it.bytes.clone());
    let (model, files) =
        files.split_first().ok_or_else(|| message("there is no model to record"))?;
    let model = (model.path.clone(), model.bytes.clone());
    Ok(Recording { store, header, model, files: files.iter().map(given).collect() })
}

fn message(text: impl Into<String>) -> Problem {
    Problem::Message(text.into())
}

/// Makes a plan.
///
/// # Errors
/// If a file that is named can not be used, or a wish can not be understood.
pub fn prepare(loaded: Loaded, wishes: &Wishes) -> Result<Prepared, Problem> {
    let mut loaded = loaded;
    let test = loaded.config.as_ref().map(|it| it.test.clone()).unwrap_or_default();
    let unit_ns = loaded.judges.interface.time.unit_ns;
    let duration = |flag: &str, text: &str| {
        testing::parse_duration(text, unit_ns).map_err(|why| {
            let form = "write a number of time units, or a time such as `10s` or `500ms`";
            message(format!("`{flag} {text}`: {why}; {form}"))
        })
    };
    let period_ns = match (&wishes.period, loaded.config.as_ref().and_then(|it| it.steps.as_ref()))
    {
        (Some(text), _) => duration("--period", text)?,
        (None, Some(steps)) => steps.period_ns,
        (None, None) => unit_ns,
    };
    if let Some(path) = &wishes.suite {
        let (file, places) = add_suite(&mut loaded, path, period_ns)?;
        if !wishes.unchecked {
            followed(&loaded.judges, file, &places)?;
        }
    }
    let mounting = &wishes.mounting;
    if let Some(path) = wishes.between.file(&loaded) {
        // Each run takes its part of the risk.
        let n_cases = loaded.judges.suite.as_ref().map_or(1, |it| it.cases.len().max(1) as u64);
        let tries = mounting.tries.max(wishes.runs.unwrap_or(0).div_ceil(n_cases));
        platform::mount(&mut loaded, &path, &Mounting { tries, ..mounting.clone() })?;
    }
    let Loaded { judges, config, folder, mut files } = loaded;
    let (system, limits) = system(wishes, config.as_ref(), folder.clone())?;
    let timekeeping = wishes.clock.unwrap_or(match test.clock {
        Some(testing::Timing::Real) => Timekeeping::Real,
        _ => Timekeeping::Virtual,
    });
    let recorded = wishes.script.as_ref().and_then(|path| recorded_seed(path));
    let seed = wishes.seed.or(recorded).or(test.seed).unwrap_or(1);
    let choice = choice(wishes, &test, &judges)?;
    let n_cases = judges.suite.as_ref().map(|suite| suite.cases.len() as u64);
    let n_runs = wishes.runs.or(n_cases).or(test.runs.map(u64::from)).unwrap_or(1);
    if n_runs > RUNS_MAX {
        return Err(message(format!("{n_runs} runs: at most {RUNS_MAX} are made at once")));
    }
    let is_bounded = matches!(choice, Choice::Suite | Choice::Script(_));
    let time_ns = match (&wishes.time, test.duration_ns) {
        (Some(text), _) => duration("--time", text)?,
        // A case takes as long as it says.
        (None, _) if is_bounded => u64::MAX,
        (None, Some(ns)) => ns,
        (None, None) => UNITS.saturating_mul(unit_ns),
    };
    let events = wishes.events.or(test.steps).unwrap_or(u64::MAX);
    if time_ns == 0 || events == 0 {
        return Err(message("a run without time or without events says nothing"));
    }
    let resolution = i64::from(judges.interface.time.resolution);
    let horizon = judges.specification.as_ref().map_or(resolution, |it| 2 * it.largest_constant());
    let steps = steps(&judges, config.as_ref(), &folder, period_ns, &mut files)?;
    // A script that reads does so when it did before. One that never reads, such as a path through the model, says nothing of it.
    let reads_itself = match &choice {
        Choice::Random(_) | Choice::Guided => false,
        Choice::Script(scripts) => scripts.reads(),
        Choice::Suite => true,
    };
    let reads = match reads_itself {
        true => Vec::new(),
        false => judges.interface.ports_with(PortRole::Observed).collect(),
    };
    let plan = Plan {
        judges,
        system,
        choice,
        steps,
        reads,
        seed,
        timekeeping,
        budget: Budget { time_ns, events },
        horizon,
        lateness_ns: wishes.lateness_ns,
        retries: wishes.retries,
        limits,
    };
    let mut prepared = Prepared::new(plan, n_runs, files);
    prepared.header.period_ns = period_ns;
    prepared.header.strategy["environment"] = wishes.environment.name().into();
    if let Some(mounted) = prepared.plan.mounted() {
        prepared.header.strategy[platform::MODE] = mounted.mode.name().into();
        prepared.header.strategy[platform::TRIES] = mounted.tries.into();
        if let Some(criterion) = mounted.objectives {
            prepared.header.strategy[platform::OBJECTIVES] = criterion.name().into();
        }
        prepared.tries = if wishes.runs.is_some() { 1 } else { mounting.tries.max(1) };
    }
    Ok(prepared)
}

/// The machine that runs are made on: its operating system, architecture and cores.
#[must_use]
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{} {}, {cores} cores", std::env::consts::OS, std::env::consts::ARCH)
}

fn system(
    wishes: &Wishes,
    config: Option<&testing::Config>,
    folder: PathBuf,
) -> Result<(System, Limits), Problem> {
    let mut limits = Limits::default();
    let reach = match (&wishes.system, config.and_then(|it| it.under_test.as_ref())) {
        // What the command line names is relative to where the user is.
        (Some(under_test), _) => testing::System::new(under_test.clone()),
        (None, Some(_)) if folder.to_str().is_none() => {
            return Err(message(format!(
                "the folder `{}` has a name that is no UTF-8, so what its interface file says of the system can not be found from there: rename it, or say \
                 where the system is (`--system` or another option)",
                folder.display()
            )));
        }
        (None, Some(it)) => {
            let mut reach = it.clone().relative_to(&folder);
            if reach.cwd.is_none() && !folder.as_os_str().is_empty() {
                reach.cwd = Some(folder.to_string_lossy().into_owned());
            }
            reach
        }
        (None, None) => {
            return Err(message(
                "nothing says where the system is: add a section `[system]` to the interface \
                 file, or use `--system`, `--tcp`, `--listen`, `--library`, `--tron` or `--play`",
            ));
        }
    };
    if let Some(timeout_ns) = reach.timeout_ns {
        limits.answer = Duration::from_nanos(timeout_ns);
        limits.start = limits.start.max(limits.answer);
    }
    let mut system = System::new(reach);
    if let UnderTest::Model { path, .. } = &system.reach.under_test {
        let path = PathBuf::from(path);
        let content = bytes(&path)?;
        match is_lustre(&path) {
            true => system.stepped = Some(load::program(&path, &content)?),
            false => system.played = Some(load::network(&path, &content)?),
        }
    }
    system.library_host.clone_from(&wishes.library_host);
    system.tron_clock.clone_from(&wishes.tron_clock);
    Ok((system, limits))
}

fn choice(
    wishes: &Wishes,
    test: &testing::TestOptions,
    judges: &crate::judges::Judges,
) -> Result<Choice, Problem> {
    let interface = &judges.interface;
    if let Some(path) = &wishes.script {
        let traces = scripted(path, judges)?;
        return Ok(Choice::Script(Scripts::of_traces(&traces, interface, wishes.adapts)));
    }
    if judges.suite.is_some() {
        return Ok(Choice::Suite);
    }
    if judges.specification.is_none() {
        return Err(message(
            "a synchronous model, or no model at all, needs a suite: name a table of inputs, or a suite",
        ));
    }
    if wishes.guided.unwrap_or(test.strategy == Some(testing::Strategy::Guided)) {
        return Ok(Choice::Guided);
    }
    let resolution = i64::from(interface.time.resolution);
    let between = |short: u32, long: u32| Timing::Bounded {
        short: i64::from(short) * resolution,
        long: i64::from(long) * resolution,
    };
    let timing = match (wishes.delays.as_deref(), test.delays) {
        (Some("mixed"), _) => Timing::Mixed,
        (Some("random"), _) => Timing::Random,
        (Some("eager"), _) => Timing::Eager,
        (Some("lazy"), _) => Timing::Lazy,
        (Some(text), _) => {
            let number = |it: &str| it.trim().parse::<u32>().ok();
            let two = text.split_once(',').and_then(|(a, b)| Some((number(a)?, number(b)?)));
            let (short, long) = two.ok_or_else(|| {
                message(format!(
                    "`--delays {text}`: expected `mixed`, `random`, `eager`, `lazy` or two numbers such as `2,20`"
                ))
            })?;
            between(short, long)
        }
        (None, Some(testing::Delays::Eager)) => Timing::Eager,
        (None, Some(testing::Delays::Lazy)) => Timing::Lazy,
        (None, Some(testing::Delays::Between(short, long))) => between(short, long),
        (None, Some(testing::Delays::Random)) => Timing::Random,
        (None, Some(testing::Delays::Mixed) | None) => Timing::Mixed,
    };
    if !(0.0..=1.0).contains(&wishes.restart) {
        return Err(message("`--restart` is a probability, from 0 to 1"));
    }
    let restart = wishes.restart;
    Ok(Choice::Random(RandomOptions { timing, restart, ..RandomOptions::default() }))
}

/// The seed with which a system that is played draws in a first run what it drew in a recorded one; none if the file is no record.
fn recorded_seed(path: &std::path::Path) -> Option<u64> {
    let content = bytes(path).ok().filter(|it| store::is_record(it))?;
    let reader = Reader::new(&content[..], path).ok()?;
    Some(connect::same_draws(reader.header().seed, reader.header().run))
}

/// The traces of a file: one, and one more for each reset of the system.
fn scripted(path: &std::path::Path, judges: &crate::judges::Judges) -> Result<Vec<Trace>, Problem> {
    let traces = scripted_traces(path, judges)?;
    if traces.iter().all(|it| it.events.is_empty() && it.end_ns == 0) {
        let name = path.display();
        return Err(message(format!(
            "`{name}` tells the tester to do nothing: it has no event and no end"
        )));
    }
    Ok(traces)
}

fn scripted_traces(
    path: &std::path::Path,
    judges: &crate::judges::Judges,
) -> Result<Vec<Trace>, Problem> {
    let content = bytes(path)?;
    let name = path.display().to_string();
    if store::is_record(&content) {
        let failed = |error: store::StoreError| message(error.to_string());
        let record = Record::collect(Reader::new(&content[..], path).map_err(failed)?);
        return replay::traces(&judges.interface, &record.map_err(failed)?).map_err(message);
    }
    if traces::answers::are(&content) {
        return traces::answers::read(&name, &content, &judges.interface).map_err(message);
    }
    traces::read_all(&name, &content, &judges.interface, traces::Options::default())
        .map_err(|error| message(error.to_string()))
}

/// The steps that are taken at a period beside a timed test: those of the table that `[steps]` names.
fn steps(
    judges: &crate::judges::Judges,
    config: Option<&testing::Config>,
    folder: &std::path::Path,
    period_ns: u64,
    files: &mut Vec<Read>,
) -> Result<Table, Problem> {
    let none = Table { period_ns, steps: Vec::new() };
    let Some(tests) = config.and_then(|it| it.steps.as_ref()?.tests.as_ref()) else {
        return Ok(none);
    };
    let path = folder.join(&tests.text);
    let content = bytes(&path)?;
    let name = path.display().to_string();
    let input = punctual_lang::Input { name: &name, bytes: &content };
    let mut load = |named: &str| bytes(&folder.join(named)).map_err(|problem| problem.to_string());
    let reading = suite::read(input, &judges.interface, Some(period_ns), &mut load);
    let suite = reading.value.ok_or(Problem::File(reading.file, reading.diagnostics))?;
    files.push(Read { role: "tests", path, bytes: content });
    // All tests of the table, one after the other: the system is not reset between them.
    let mut steps = Vec::new();
    for case in suite.cases {
        match case.body {
            Body::Steps(table) => steps.extend(table.steps),
            Body::Timed(_) => {
                return Err(message(format!(
                    "`{name}`: the case `{}` has no steps; `tests` of `[steps]` are tables",
                    case.name
                )));
            }
        }
    }
    if steps.iter().any(|step| !step.outputs.is_empty()) {
        return Err(message(format!(
            "`{name}` says what outputs to expect; in `[steps]` the model says that: leave them out, or \
             test the model alone with `--suite {name}`"
        )));
    }
    Ok(Table { period_ns, steps })
}
