//! A system that runs while it is judged by a steered model: each test of the configuration is a run.

use std::path::Path;

use punctual_exec::online::Budget;
use punctual_exec::{Limits, Timekeeping};
use punctual_lang::testing::{self, UnderTest, interface_of};
use punctual_model::testing::suite::{Body, Case, Suite, Table};
use punctual_model::{Interface, Step, TimeScale};

use super::load::Plan as Steering;
use crate::judges::{Judges, Synchronous};
use crate::load::Read;
use crate::plan::{Choice, Plan, System};
use crate::prepare::Prepared;
use crate::problem::{Problem, bytes};

/// The time between two steps.
const PERIOD_NS: u64 = 1_000_000;

/// Who judges by a steered model: the interface is that of the program.
///
/// # Errors
/// If the model can not be steered so.
pub fn judges(steering: &Steering) -> Result<Judges, Problem> {
    let interface =
        interface_of(&steering.program, TimeScale { unit_ns: PERIOD_NS, resolution: 1 });
    let steps = Synchronous::steered(steering.oracle()?, &steering.columns, &interface);
    let steps = Some(steps.map_err(Problem::Message)?);
    Ok(Judges { interface, specification: None, steps, suite: None })
}

/// The tests of a configuration as runs of a system.
///
/// # Errors
/// If there are no tests, or the model can not be steered so.
pub fn live(
    steering: &Steering,
    config: &Path,
    system: UnderTest,
    library_host: Option<Vec<String>>,
) -> Result<Prepared, Problem> {
    let mut judges = judges(steering)?;
    let Some(tests) = &steering.tests else {
        let message = "a live system needs `tests`: the inputs to send".to_owned();
        return Err(Problem::Message(message));
    };
    let places = steering.inputs(tests).map_err(Problem::Message)?;
    let case = |(number, test): (usize, &punctual_model::lustre::Test)| Case {
        name: format!("test {number}"),
        body: Body::Steps(Table {
            period_ns: PERIOD_NS,
            steps: test.steps.iter().map(|row| step(row, &places)).collect(),
        }),
    };
    let cases: Vec<Case> = tests.tests.iter().enumerate().map(case).collect();
    let n_runs = cases.len() as u64;
    judges.suite = Some(Suite { cases });
    let mut files = Vec::new();
    for (role, path) in steering.files(config) {
        files.push(Read { role, bytes: bytes(&path)?, path });
    }
    let plan = Plan {
        choice: Choice::Suite,
        steps: Table::default(),
        reads: Vec::new(),
        seed: steering.seed,
        timekeeping: Timekeeping::Virtual,
        budget: Budget { time_ns: u64::MAX, events: u64::MAX },
        horizon: 1,
        lateness_ns: 0,
        limits: Limits::default(),
        system: System { library_host, ..System::new(testing::System::new(system)) },
        judges,
    };
    Ok(Prepared::new(plan, n_runs, files))
}

/// Inputs are in the order of the program, which is that of the input ports.
fn step(row: &[punctual_model::Value], places: &[usize]) -> Step {
    Step { inputs: places.iter().map(|at| row[*at]).collect(), outputs: Vec::new() }
}

/// The interface of the systems that a steered model judges.
#[must_use]
pub fn interface(steering: &Steering) -> Interface {
    interface_of(&steering.program, TimeScale { unit_ns: PERIOD_NS, resolution: 1 })
}
