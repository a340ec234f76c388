//! Reaches systems.

use std::sync::Arc;

use punctual_exec::{
    Endpoint, Library, ModelOptions, Played, Policy, Process, Program, Refusal, Sut, SutError, Tcp,
    Timekeeping, Tron,
};
use punctual_lang::testing::{self, UnderTest};

use crate::plan::Plan;

/// The system of a plan, for a run and those after it.
pub(crate) fn connect(plan: &Plan, run: u64) -> Result<Box<dyn Sut>, SutError> {
    let interface = Arc::new(plan.specification.interface.clone());
    let (timekeeping, limits) = (plan.timekeeping, plan.limits.clone());
    let folder = &plan.system.folder;
    Ok(match &plan.system.under_test {
        UnderTest::Command(words) => {
            let Some((program, arguments)) = words.split_first() else {
                return Err(SutError::NotStarted {
                    what: "the system".to_owned(),
                    reason: "its command is empty".to_owned(),
                });
            };
            // A name without a folder is looked up on the path, as shells do.
            let program = match program.contains(['/', '\\']) {
                true => folder.join(program),
                false => program.into(),
            };
            let program = Program {
                program,
                arguments: arguments.to_vec(),
                folder: (!folder.as_os_str().is_empty()).then(|| folder.clone()),
                environment: Vec::new(),
                restart: false,
            };
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
            Box::new(Library::open(&folder.join(path), &[], interface, timekeeping, limits)?)
        }
        UnderTest::Tron(address) => {
            if timekeeping == Timekeeping::Virtual {
                return Err(SutError::Unsupported {
                    what: "adapters of UPPAAL TRON run on the real clock here".to_owned(),
                    help: "use `--clock real`".to_owned(),
                });
            }
            Box::new(Tron::new(Endpoint::listen(address)?, interface, limits))
        }
        UnderTest::Model { policy, .. } => {
            let Some(network) = &plan.system.played else {
                return Err(SutError::NotStarted {
                    what: "the model".to_owned(),
                    reason: "it was not read".to_owned(),
                });
            };
            let policy = match policy {
                testing::Policy::Random => {
                    // Chance of its own: what the tester draws says nothing about the system.
                    Policy::Random { seed: plan.seed ^ 0x9E37_79B9_7F4A_7C15 ^ run.rotate_left(32) }
                }
                testing::Policy::Earliest => Policy::Earliest,
                testing::Policy::Latest => Policy::Latest,
                testing::Policy::Fixed => Policy::Fixed { delay_ns: 0 },
            };
            let options = ModelOptions { policy, refusal: Refusal::Ignore, environment: None };
            Box::new(Played::new(network, interface, options, timekeeping, limits)?)
        }
    })
}
