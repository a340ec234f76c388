//! Reaches systems.

use std::path::{Path, PathBuf};

use punctual_exec::{
    Endpoint, Library, ModelOptions, Played, PlayedProgram, Policy, Process, Program, Refusal, Sut,
    SutError, Tcp, Timekeeping, Tron,
};
use punctual_lang::testing::{self, UnderTest};

use crate::plan::Plan;

/// Where TRON's clock service listens by custom.
const TRON_CLOCK: &str = "127.0.0.1:6521";

/// The system of a plan, for a run and those after it.
pub(crate) fn connect(plan: &Plan, run: u64) -> Result<Box<dyn Sut>, SutError> {
    let interface = plan.interface();
    let (timekeeping, limits) = (plan.timekeeping, plan.limits.clone());
    let system = &plan.system;
    if let Some(program) = &system.stepped {
        let steps = plan.judges.steps.as_ref();
        if let Some((model, mounted)) = steps.and_then(|it| Some((it.program(), it.mounted()?))) {
            let seed = seed(plan, run);
            return mounted.simulated(program, model, timekeeping, limits, seed);
        }
        return Ok(Box::new(PlayedProgram::new(program, interface, timekeeping, limits)?));
    }
    let not_started = |what: &str, reason: &str| SutError::NotStarted {
        what: what.to_owned(),
        reason: reason.to_owned(),
    };
    Ok(match &system.reach.under_test {
        UnderTest::Command(words) => {
            let program = program(&system.reach, words)
                .ok_or_else(|| not_started("the system", "its command is empty"))?;
            Box::new(Process::new(program, interface, timekeeping, limits))
        }
        UnderTest::Tcp(address) => {
            let endpoint = Endpoint::Connect(address.clone());
            Box::new(Tcp::new(endpoint, interface, timekeeping, limits))
        }
        UnderTest::Listen(address) => {
            let endpoint = Endpoint::listen(address)?;
            Box::new(Tcp::new(endpoint, interface, timekeeping, limits))
        }
        UnderTest::Library(path) => {
            let path = Path::new(path);
            let Some(host) = &system.library_host else {
                let library =
                    Library::open(path, &system.reach.args, interface, timekeeping, limits);
                return Ok(Box::new(library?));
            };
            let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            let mut words = host.clone();
            words.push(path.to_string_lossy().into_owned());
            let program = program(&system.reach, &words)
                .ok_or_else(|| not_started("the library", "nothing hosts it"))?;
            Box::new(Process::new(program, interface, timekeeping, limits))
        }
        UnderTest::Tron(address) => {
            let tron = Tron::new(Endpoint::listen(address)?, interface, limits);
            match timekeeping {
                Timekeeping::Real => Box::new(tron),
                Timekeeping::Virtual => {
                    let at = system.tron_clock.as_deref().unwrap_or(TRON_CLOCK);
                    let listener = std::net::TcpListener::bind(at).map_err(|error| {
                        not_started(&format!("the clock service at {at}"), &error.to_string())
                    })?;
                    Box::new(tron.with_clock_service(listener)?)
                }
            }
        }
        UnderTest::Model { policy, .. } => {
            let network = system.played.as_ref();
            let network = network.ok_or_else(|| not_started("the model", "it was not read"))?;
            let policy = match policy {
                testing::Policy::Random => Policy::Random { seed: seed(plan, run) },
                testing::Policy::Stochastic => Policy::Stochastic { seed: seed(plan, run) },
                testing::Policy::Earliest => Policy::Earliest,
                testing::Policy::Latest => Policy::Latest,
                testing::Policy::Fixed => Policy::Fixed { delay_ns: 0 },
            };
            let options = ModelOptions { policy, refusal: Refusal::Ignore, environment: None };
            Box::new(Played::new(network, interface, options, timekeeping, limits)?)
        }
    })
}

/// What a system that is played draws from: chance of its own, since what the tester draws says nothing about the system, and another
/// one for each run.
fn seed(plan: &Plan, run: u64) -> u64 {
    same_draws(plan.seed, run) ^ 0x9E37_79B9_7F4A_7C15
}

/// The seed with which the first run of a plan draws what a run of another plan drew.
pub(crate) fn same_draws(seed: u64, run: u64) -> u64 {
    seed ^ run.rotate_left(32)
}

/// What to start; none if there are no words.
fn program(system: &testing::System, words: &[String]) -> Option<Program> {
    let (program, arguments) = words.split_first()?;
    let program = PathBuf::from(program);
    // Where it runs must not change what the path means; a name alone is looked up, as shells do.
    let program = match program.is_relative() && program.components().count() > 1 {
        true => std::path::absolute(&program).unwrap_or(program),
        false => program,
    };
    Some(Program {
        program,
        arguments: arguments.iter().chain(&system.args).cloned().collect(),
        folder: system.cwd.as_ref().map(PathBuf::from),
        environment: system.env.clone(),
        restart: system.restart,
    })
}
