//! A suite of steps on a platform: who schedules, who judges, and a platform that is simulated.
//!
//! [`mount`] puts a platform between the tester and the system of what was loaded. From then on the tester exchanges monitored
//! and controlled variables instead of inputs and outputs of steps.

pub mod calibrate;
pub mod evidence;
mod mounted;
mod mounting;
pub mod objectives;
mod overtaken;
pub mod plan;
mod requirements;
mod sweep;
mod visible;

use std::path::Path;
use std::sync::Arc;

use punctual_exec::platform::{Hosted, Settings, Simulated};
use punctual_exec::{Limits, PlayedProgram, SutError, Timekeeping};
use punctual_lang::testing;
use punctual_model::lustre::Program;
use punctual_model::testing::platform::{Delay, Outside, Platform};
use punctual_model::testing::suite::{Body, Case, Table};
use punctual_model::{PortRole, TimeScale, VarId};
use punctual_oracle::adjusted::streams;
use punctual_semantics::platform::Steps;
use punctual_testgen::platform::{Impossible, Interactions};

use crate::load::{Environment, Loaded, load};
use crate::problem::Problem;
pub use mounted::{Mounted, Narrow};
pub use mounting::{Between, Mode, Mounting, ROLE};
pub(crate) use mounting::{MODE, OBJECTIVES, TRIES};
use requirements::read;

/// Puts a platform between the tester and the system.
///
/// # Errors
/// If the file is wrong, there is no synchronous model or no suite of steps, or the platform can not have an interaction of a case.
pub fn mount(loaded: &mut Loaded, path: &Path, mounting: &Mounting) -> Result<(), Problem> {
    let message = |text: String| Problem::Message(text);
    let Some(steps) = &loaded.judges.steps else {
        return Err(message("`--platform` is for synchronous models (`.lus`): a platform has a program that takes steps".to_owned()));
    };
    let program = steps.program().clone();
    let time = loaded.judges.interface.time;
    let (told, mut files) = read(&program, path)?;
    let truth = match &mounting.simulated {
        // What is simulated tells all that it is asked for.
        Some(path) => Platform {
            arrived: told.arrived.clone(),
            signal: told.signal.clone(),
            ..read(&program, path)?.0
        },
        None => told.clone(),
    };
    let by_file = Arc::new(told.clone());
    let told = if mounting.mode == Mode::Direct { without_delays(told) } else { told };
    if told.signal.is_none() && Steps::new(&by_file, 0.0).is_none() {
        return Err(message(format!(
            "`{}` names no `signal` that tells when a step is done. Without one steps are told from outputs, and those are sent only when they are new and vary by more than a tenth of a step",
            path.display()
        )));
    }
    if told.signal.is_none() && mounting.mode == Mode::Direct {
        return Err(message(format!(
            "`{}` names no `signal` that tells when a step is done. Without one steps are told from outputs and their delays, and `--direct` does not mind these",
            path.display()
        )));
    }
    let outside = outside(&program, &told, time);
    if self::outside(&program, &truth, time).interface != outside.interface {
        return Err(message(
            "the simulated platform has other variables than `--platform` says".to_owned(),
        ));
    }
    let Some(suite) = &loaded.judges.suite else {
        return Err(message(
            "a platform needs a suite of steps: name a table of inputs, or a suite".to_owned(),
        ));
    };
    let mut n_steps = 0;
    for case in &suite.cases {
        interactions(&program, &told, &outside, case).map_err(message)?;
        // Steps before and after a case are explained, too.
        let watched = if told.signal.is_none() { 16 } else { 0 };
        let around = 8 + watched + (told.longest() / told.step_ns as f64).ceil() as usize;
        n_steps += around + table(case).map_or(0, |table| table.steps.len());
    }
    let automata = requirements::specifications(&told)?;
    let mounted = Mounted {
        mode: mounting.mode,
        tries: mounting.tries.max(1),
        stays: mounting.stays,
        objectives: mounting.objectives,
        n_events: usize::try_from(mounting.tries.max(1))
            .unwrap_or(usize::MAX)
            .saturating_mul(n_steps * (told.inputs.len() + told.outputs.len())),
        streams: streams(&program, &told),
        platform: Arc::new(told),
        told: by_file,
        truth: Arc::new(truth),
        automata,
        outside: Arc::new(outside),
    };
    loaded.judges.interface = mounted.outside.interface.clone();
    if let Some(steps) = &mut loaded.judges.steps {
        steps.mount(mounted);
    }
    // The interface file is kept as such.
    files.retain(|file| !loaded.files.iter().any(|it| it.path == file.path));
    loaded.files.append(&mut files);
    Ok(())
}

/// A program on a simulated platform; `model` says what its variables are.
fn simulated(
    (played, model): (&Program, &Program),
    (platform, outside): (Arc<Platform>, Arc<Outside>),
    limits: Limits,
    settings: Settings,
) -> Result<Simulated<PlayedProgram>, SutError> {
    let interface = Arc::new(testing::interface_of(model, outside.interface.time));
    // The platform says when the program takes steps.
    let controller = PlayedProgram::new(played, interface, Timekeeping::Virtual, limits)?;
    Ok(Simulated::new(controller, model, (platform, outside), settings))
}

/// A platform with a program on it, which a tester reaches from outside.
///
/// # Errors
/// If a file is wrong, or the program can not be played.
pub fn hosted(
    model: &Path,
    path: &Path,
    settings: Settings,
) -> Result<Hosted<PlayedProgram>, Problem> {
    let loaded = load(model, None, Environment::Model)?;
    let Some(steps) = &loaded.judges.steps else {
        return Err(Problem::Message(
            "a platform has a program that takes steps: a synchronous model (`.lus`)".to_owned(),
        ));
    };
    let program = steps.program();
    let (platform, _) = read(program, path)?;
    let outside = outside(program, &platform, loaded.judges.interface.time);
    let interface = Arc::new(outside.interface.clone());
    let both = (Arc::new(platform), Arc::new(outside));
    let simulated = simulated((program, program), both, Limits::default(), settings)
        .map_err(|error| Problem::Message(error.to_string()))?;
    Ok(Hosted::new(simulated, interface))
}

/// A platform whose delays are not minded.
#[must_use]
pub fn without_delays(mut platform: Platform) -> Platform {
    for line in platform.inputs.iter_mut().chain(&mut platform.outputs) {
        line.delay = Delay::NONE;
    }
    platform
}

/// What the tester of a platform exchanges with it.
#[must_use]
pub fn outside(program: &Program, platform: &Platform, time: TimeScale) -> Outside {
    platform.outside(|var| testing::port_of(program, var, PortRole::Observed).ty, time)
}

/// The interactions of a case, as they are set outside; a sentence if the platform can not have one of them.
///
/// # Errors
/// If the platform can not have an interaction.
pub fn interactions(
    program: &Program,
    platform: &Platform,
    outside: &Outside,
    case: &Case,
) -> Result<Interactions, String> {
    let Some(table) = table(case) else {
        return Err(format!("the case `{}` has no steps: a platform needs a table", case.name));
    };
    let inputs: Vec<VarId> = program.inputs().collect();
    let made = Interactions::new(platform, outside, &inputs, table);
    let name = |line: usize| &program.vars[platform.inputs[line].variable].name;
    made.map_err(|why| match why {
        Impossible::NoValue(step, line) => format!(
            "step {step} of the case `{}`: nothing outside stands for the value of `{}`",
            case.name,
            name(line)
        ),
        Impossible::Contradiction(step, [one, other]) => format!(
            "step {step} of the case `{}`: `{}` feeds `{}` and `{}`, which should have different values",
            case.name,
            platform.inputs[other].outside,
            name(one),
            name(other)
        ),
    })
}

/// The steps of a case, if it has some.
pub(crate) fn table(case: &Case) -> Option<&Table> {
    match &case.body {
        Body::Steps(table) => Some(table),
        Body::Timed(_) => None,
    }
}
