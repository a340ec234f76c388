//! What a test is about, from the files that a user names: a model, what is exchanged with the system, a
//! suite.

use std::path::{Path, PathBuf};

use punctual_lang::platform::is_in;
use punctual_lang::testing::{self, Config};
use punctual_lang::{Input, SourceFile, lustre};
use punctual_model::lustre::Program;
use punctual_model::{Network, TimeScale, Wired};
use punctual_oracle::conformance::Specification;
use punctual_semantics::split::{self, Refusal, Split};
use punctual_testgen::lustre::Criterion;

use crate::judges::{Judges, Synchronous};
use crate::platform;
use crate::problem::{Problem, bytes};
use crate::steering::{self, Overrides};
use crate::stepping;
use crate::store::{File, Header, Run};

/// The file beside a model that says how it is tested.
const BESIDE: &str = "punctual.toml";

/// The role of the file that says how a model is tested.
pub(crate) const INTERFACE: &str = "interface";

/// A time unit of a synchronous model, if nothing says how long it is.
const UNIT_NS: u64 = 1_000_000;

/// Who uses the system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Environment {
    /// The processes of the model that are environment.
    #[default]
    Model,
    /// Anybody who does anything at any time.
    Universal,
    /// Nobody: inputs are never sent, outputs always accepted.
    Silent,
}

impl Environment {
    /// Its word in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Environment::Model => "model",
            Environment::Universal => "universal",
            Environment::Silent => "silent",
        }
    }

    /// The environment of a word in a record; that of the model if it is not known.
    #[must_use]
    pub fn named(name: &str) -> Environment {
        let all = [Environment::Model, Environment::Universal, Environment::Silent];
        all.into_iter().find(|it| it.name() == name).unwrap_or_default()
    }
}

/// A file that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Read {
    /// What it is to the test: `model`, `interface`, `suite`, `steps`.
    pub role: &'static str,
    /// Where it is.
    pub path: PathBuf,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// What a test is about.
pub struct Loaded {
    /// Who judges.
    pub judges: Judges,
    /// What the interface file says; none if there is none.
    pub config: Option<Config>,
    /// The folder of the interface file, or of the model: paths are relative to it.
    pub folder: PathBuf,
    /// All files that were read, the model first.
    pub files: Vec<Read>,
}

/// Whether a file is a Lustre program: its name says so.
#[must_use]
pub fn is_lustre(path: &Path) -> bool {
    path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("lus"))
}

/// The interface file of a model: the one that was named, or the one beside it.
///
/// # Errors
/// If there is none.
pub fn interface_path(model: &Path, named: Option<&Path>) -> Result<PathBuf, Problem> {
    if let Some(path) = named {
        return Ok(path.to_owned());
    }
    let beside = model.with_file_name(BESIDE);
    if beside.is_file() {
        return Ok(beside);
    }
    Err(Problem::Message(format!(
        "there is no `{}` beside the model: name a file that says what is exchanged with the system \
         (`--interface FILE`); `docs/guide/interface.md` says what it contains",
        beside.display()
    )))
}

/// Whether a file is a suite, or an interface, and no model: its name says so (`.toml`).
#[must_use]
pub fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("toml"))
}

/// Reads a model and its interface, and makes judges of them. A file `.toml` is an interface without a model:
/// nobody judges yet.
///
/// # Errors
/// If a file is wrong, or the model can not be tested against.
pub fn load(
    model: &Path,
    interface: Option<&Path>,
    environment: Environment,
) -> Result<Loaded, Problem> {
    match (is_lustre(model), is_toml(model)) {
        (true, _) => stepwise(model, interface),
        (false, true) => alone(model),
        (false, false) => timed(model, interface, environment),
    }
}

/// What is exchanged with a system that has no timed model. Steps are judged if the file names a synchronous one.
fn alone(path: &Path) -> Result<Loaded, Problem> {
    let content = bytes(path)?;
    let name = path.display().to_string();
    let reading = testing::read_declared(Input { name: &name, bytes: &content });
    let Some(config) = reading.value else {
        return Err(Problem::File(reading.file, reading.diagnostics));
    };
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut files = vec![Read { role: INTERFACE, path: path.to_owned(), bytes: content }];
    let mut wired = config.wired.clone();
    let program = beside_it(&config, &folder, &mut wired, reading.file, &mut files)?;
    let interface = wired.interface;
    let mut judges = Judges { interface, specification: None, steps: None, suite: None };
    if let Some(program) = program {
        let steps = Synchronous::exact(&program, &judges.interface).map_err(Problem::Message)?;
        judges.steps = Some(steps);
    }
    Ok(Loaded { judges, config: Some(config), folder, files })
}

/// The synchronous program that an interface file names, if it names one; its variables become ports.
fn beside_it(
    config: &Config,
    folder: &Path,
    wired: &mut Wired,
    file: SourceFile,
    files: &mut Vec<Read>,
) -> Result<Option<Program>, Problem> {
    let Some(steps) = &config.steps else { return Ok(None) };
    let path = beside_or_named(folder, &steps.model.text);
    let content = bytes(&path)?;
    let main = steps.main.as_ref().map(|it| it.text.as_str());
    let program = node(&path, &content, main)?;
    files.push(Read { role: "steps", path, bytes: content });
    let diagnostics = steps.add_ports(&program, wired);
    match diagnostics.is_empty() {
        true => Ok(Some(program)),
        false => Err(Problem::File(file, diagnostics)),
    }
}

/// A Lustre program and what is exchanged with a system that should do the same.
fn stepwise(path: &Path, named: Option<&Path>) -> Result<Loaded, Problem> {
    let content = bytes(path)?;
    let program = program(path, &content)?;
    let mut files = vec![Read { role: "model", path: path.to_owned(), bytes: content }];
    let mut folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let (mut config, mut time) = (None, TimeScale { unit_ns: UNIT_NS, resolution: 1 });
    // A synchronous model needs no such file. One beside it counts only if it says what lies between.
    let beside = path.with_file_name(BESIDE);
    let has_platform = || bytes(&beside).is_ok_and(|content| is_in(&content));
    let named = named.or_else(|| has_platform().then_some(&*beside));
    if let Some(named) = named {
        let content = bytes(named)?;
        let name = named.display().to_string();
        let reading = testing::read_alone(Input { name: &name, bytes: &content });
        let Some(found) = reading.value else {
            return Err(Problem::File(reading.file, reading.diagnostics));
        };
        time = found.wired.interface.time;
        config = Some(found);
        folder = named.parent().unwrap_or(Path::new("")).to_owned();
        files.push(Read { role: INTERFACE, path: named.to_owned(), bytes: content });
    }
    let interface = testing::interface_of(&program, time);
    let steps = Synchronous::exact(&program, &interface).map_err(Problem::Message)?;
    let judges = Judges { interface, specification: None, steps: Some(steps), suite: None };
    Ok(Loaded { judges, config, folder, files })
}

/// Where a file is that another one names: relative to its folder, or without folders beside it, as in the
/// folder of a recorded run.
pub(crate) fn beside_or_named(folder: &Path, named: &str) -> PathBuf {
    let path = folder.join(named);
    match Path::new(named).file_name() {
        Some(name) if !path.exists() && folder.join(name).exists() => folder.join(name),
        _ => path,
    }
}

/// Reads a Lustre program.
///
/// # Errors
/// If it is wrong.
pub fn program(path: &Path, content: &[u8]) -> Result<Program, Problem> {
    node(path, content, None)
}

fn node(path: &Path, content: &[u8], main: Option<&str>) -> Result<Program, Problem> {
    let name = path.display().to_string();
    let reading = lustre::read(Input { name: &name, bytes: content }, main);
    reading.value.ok_or(Problem::File(reading.file, reading.diagnostics))
}

/// Reads a network.
///
/// # Errors
/// If it is wrong.
pub fn network(path: &Path, content: &[u8]) -> Result<Network, Problem> {
    let name = path.display().to_string();
    let reading = punctual_lang::read(&name, content);
    match reading.model {
        Some(model) => Ok(model.network),
        None => Err(Problem::File(reading.file, reading.diagnostics)),
    }
}

fn timed(
    path: &Path,
    interface: Option<&Path>,
    environment: Environment,
) -> Result<Loaded, Problem> {
    let content = bytes(path)?;
    let network = network(path, &content)?;
    let interface = interface_path(path, interface)?;
    let interface_bytes = bytes(&interface)?;
    let name = interface.display().to_string();
    let reading = testing::read(&network, Input { name: &name, bytes: &interface_bytes });
    let Some(mut config) = reading.value else {
        return Err(Problem::File(reading.file, reading.diagnostics));
    };
    let named =
        split::Named { environment: config.environment.clone(), system: config.system.clone() };
    let (network, named) = replaced(network, &mut config, named, environment)?;
    let folder = interface.parent().unwrap_or(Path::new("")).to_owned();
    let mut files = vec![
        Read { role: "model", path: path.to_owned(), bytes: content },
        Read { role: INTERFACE, path: interface, bytes: interface_bytes },
    ];
    let mut wired = config.wired.clone();
    let steps = beside_it(&config, &folder, &mut wired, reading.file, &mut files)?;
    let specification = Specification::new(network, wired, &named)
        .map_err(|rejection| Problem::Message(rejection.to_string()))?;
    let mut judges = Judges::timed(specification);
    if let Some(program) = steps {
        let steps = Synchronous::exact(&program, &judges.interface).map_err(Problem::Message)?;
        judges.steps = Some(steps);
    }
    Ok(Loaded { judges, config: Some(config), folder, files })
}

/// Where a record says by how many nanoseconds the system may be later than the model.
pub(crate) const LATENESS: &str = "lateness_ns";

/// The judges of a recorded run: the files that lie beside its record, or others in their place.
///
/// # Errors
/// If a file is missing or wrong.
pub fn beside(
    run: &Run,
    header: &Header,
    model: Option<&Path>,
    interface: Option<&Path>,
) -> Result<Judges, Problem> {
    let copy = |file: &File| {
        run.file_path(file).filter(|path| path.is_file()).ok_or_else(|| {
            let message = format!("`{}` does not lie beside the record any more", file.file);
            Problem::Message(message)
        })
    };
    let with_role = |role: &str| header.files.iter().find(|file| file.role == role);
    let named_model = model.is_some();
    let model = model.map_or_else(|| copy(&header.model), |path| Ok(path.to_owned()))?;
    if let Some(file) = with_role("steering") {
        if named_model || interface.is_some() {
            return Err(Problem::Message(
                "a steered run is judged again by what lies beside its record: `--model` and \
                 `--interface` are for timed models"
                    .to_owned(),
            ));
        }
        let look_ahead = header.strategy.get("look_ahead").and_then(|it| it.as_str());
        let look_ahead = look_ahead.and_then(steering::look_ahead);
        let overrides =
            Overrides { look_ahead, is_live: true, is_recorded: true, ..Overrides::default() };
        let plan = steering::load(&copy(file)?, &overrides)?;
        return steering::judges(&plan, &steering::seen(&plan, header)?);
    }
    // Version 1 does not say what a file is to the run: the first one is the interface.
    let named = with_role(INTERFACE).or(header.files.first().filter(|file| file.role.is_empty()));
    let interface = match (interface, named) {
        (Some(path), _) => Some(path.to_owned()),
        (None, Some(file)) => Some(copy(file)?),
        (None, None) => None,
    };
    let environment = header.strategy.get("environment").and_then(|it| it.as_str());
    let environment = Environment::named(environment.unwrap_or_default());
    let mut loaded = match header.strategy.get("choice").and_then(|it| it.as_str()) {
        Some(stepping::CHOICE) => {
            let main = header.strategy.get("main").and_then(|it| it.as_str());
            let judges = stepping::judges(&node(&model, &bytes(&model)?, main)?)?;
            Loaded { judges, config: None, folder: PathBuf::new(), files: Vec::new() }
        }
        _ => load(&model, interface.as_deref(), environment)?,
    };
    if let Some(file) = with_role("suite") {
        crate::suites::add_suite(&mut loaded, &copy(file)?, header.period_ns)?;
    }
    let mode = header.strategy.get(platform::MODE).and_then(|it| it.as_str());
    let between = match with_role(platform::ROLE) {
        Some(file) => Some(copy(file)?),
        // It stands in the interface file.
        None => interface.filter(|_| mode.is_some()),
    };
    if let Some(path) = between {
        let mode = platform::Mode::named(mode.unwrap_or_default());
        let tries = header.strategy.get(platform::TRIES).and_then(serde_json::Value::as_u64);
        let tries = tries.unwrap_or(1);
        let objectives = header.strategy.get(platform::OBJECTIVES).and_then(|it| it.as_str());
        let objectives = objectives.and_then(Criterion::named);
        let mounting =
            platform::Mounting { mode, tries, objectives, ..platform::Mounting::default() };
        platform::mount(&mut loaded, &path, &mounting)?;
    }
    if let Some(ns) = header.strategy.get(LATENESS).and_then(serde_json::Value::as_u64) {
        loaded.judges.allow_lateness(ns);
    }
    Ok(loaded.judges)
}

/// The network with the environment that is asked for.
fn replaced(
    network: Network,
    config: &mut Config,
    named: split::Named,
    environment: Environment,
) -> Result<(Network, split::Named), Problem> {
    let make: fn(&Network, &Wired, &Split) -> Result<Network, Refusal> = match environment {
        Environment::Model => return Ok((network, named)),
        Environment::Universal => split::universal,
        Environment::Silent => split::silent,
    };
    let refused = |refusal: Refusal| Problem::Message(refusal.to_string());
    let split = split::split(&network, &config.wired, &named).map_err(refused)?;
    let network = make(&network, &config.wired, &split).map_err(refused)?;
    // Processes have other numbers now, and the sides are clear.
    (config.environment, config.system) = (Vec::new(), Vec::new());
    Ok((network, split::Named::default()))
}
