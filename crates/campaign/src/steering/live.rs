//! Tests that a steered model judges as runs: of a system that runs while it is judged, and of recorded
//! traces.

use std::path::Path;

use punctual_exec::online::Budget;
use punctual_exec::{Limits, Timekeeping};
use punctual_lang::testing::{self, UnderTest, interface_of, port_of};
use punctual_model::testing::suite::{About, Body, Case, Suite, Table};
use punctual_model::{Happening, Interface, PortRole, Step, TimeScale, VarId};

use super::align::Between;
use super::load::Plan as Steering;
use super::run::Judged;
use super::stray::Extra;
use crate::judges::{Judges, Synchronous};
use crate::load::Read;
use crate::plan::{Choice, Plan, System};
use crate::prepare::{Prepared, machine};
use crate::problem::{Problem, bytes};
use crate::run::Recording;
use crate::store::{Clock, Delay, End, Event, Header, Line, Sets, Statistics, StoreError};
use crate::{exchanged, store, told};

/// The time between two steps.
const PERIOD_NS: u64 = 1_000_000;
const TIME: TimeScale = TimeScale { unit_ns: PERIOD_NS, resolution: 1 };

/// Who judges by a steered model. The inputs of the program are set; these variables are seen.
///
/// # Errors
/// If the model can not be steered so.
pub fn judges(steering: &Steering, seen: &[VarId]) -> Result<Judges, Problem> {
    let mut interface = interface_of(&steering.program, TIME);
    let inputs = interface.ports.iter().filter(|port| port.role == PortRole::Input).cloned();
    let shown = seen.iter().map(|var| port_of(&steering.program, *var, PortRole::Output));
    interface.ports = inputs.chain(shown).collect();
    let steps = Synchronous::steered(steering.oracle()?, &steering.columns, &interface);
    let steps = Some(steps.map_err(Problem::Message)?);
    Ok(Judges { interface, specification: None, steps, suite: None })
}

/// What the header of a record says that was seen of a system.
///
/// # Errors
/// If the model lacks one of the outputs.
pub fn seen(steering: &Steering, header: &Header) -> Result<Vec<VarId>, Problem> {
    let outputs = header.ports.iter().filter(|port| port.role == "output");
    let found = outputs.map(|port| {
        let var = steering.program.var(&port.name);
        var.ok_or_else(|| Problem::Message(format!("the model has no `{}`", port.name)))
    });
    found.collect()
}

/// Writes down tests of recorded traces as runs, so that they can be shown and judged again.
///
/// # Errors
/// If a record can not be written.
pub fn record(recording: &Recording, judges: &Judges, judged: &Judged) -> Result<(), StoreError> {
    let mut header = Header { run: judged.test as u64, ..recording.header.clone() };
    header.case = format!("{}, test {}", judged.system.name, judged.test);
    header.strategy["system"] = judged.system.name.clone().into();
    if let Some(label) = judged.label {
        header.strategy["label"] = label.name().into();
    }
    let mut writer = recording.begin_with(&header)?.1;
    writer.hold(1 << 16);
    for (number, observation) in judged.steps.iter().enumerate() {
        let (inputs, outputs) = (observation.inputs.clone(), observation.system.clone());
        let what = exchanged::told(&judges.interface, &Happening::Step(Step { inputs, outputs }));
        let at_ns = number as u64 * PERIOD_NS;
        let (from_ns, to_ns, device_ns, sets) = (at_ns, at_ns, None, Sets::default());
        writer.line(&Line::Event(Event { what, from_ns, to_ns, device_ns, sets }))?;
    }
    for extra in &judged.extra {
        writer.line(&Line::Extra(extra_told(&judges.interface, extra)))?;
    }
    if let Some(steps) = &judges.steps {
        told::steered(steps.program(), &judged.outcome).try_for_each(|line| writer.line(&line))?;
    }
    let n_steps = judged.steps.len() as u64;
    let end_ns = n_steps * PERIOD_NS;
    writer.line(&Line::Delay(Delay { to_ns: end_ns, sets: Sets::default() }))?;
    let verdict = &judged.outcome.verdict;
    let diagnosis = verdict.reason().zip(judged.why.as_deref());
    writer.line(&Line::End(Box::new(End {
        verdict: verdict.verdict(),
        at_ns: end_ns,
        diagnosis: diagnosis.map(|(it, why)| told::unexplained(it, why)),
        ending: None,
        late_ns: None,
        statistics: Statistics { steps: n_steps, duration_ns: end_ns, ..Statistics::default() },
        shows: match &judges.steps {
            Some(steps) => told::shows(steps.program(), &judged.outcome),
            None => Vec::new(),
        },
    })))
}

/// A sample without a step, in the words of a record.
fn extra_told(interface: &Interface, extra: &Extra) -> store::Extra {
    let Between { before, behind, is_open } = extra.between;
    let number = |step: Option<usize>| step.map(|step| step as u64);
    store::Extra {
        extra: exchanged::outputs(interface, &extra.system),
        between: (number(before), number(behind)),
        is_open,
    }
}

/// The same as it was, over the columns of the oracle.
///
/// # Errors
/// What the interface does not have, in words.
pub(crate) fn extra_heard(
    interface: &Interface,
    columns: &[usize],
    told: &store::Extra,
) -> Result<Extra, String> {
    let number = |step: Option<u64>| step.and_then(|step| usize::try_from(step).ok());
    let (before, behind) = told.between;
    let row = exchanged::shown(interface, &told.extra)?;
    Ok(Extra {
        between: Between { before: number(before), behind: number(behind), is_open: told.is_open },
        system: columns.iter().filter_map(|at| row.get(*at).copied()).collect(),
    })
}

/// Where tests of recorded traces are written down.
///
/// # Errors
/// If the folder can not be made, or a file can not be read again.
pub fn recording(
    steering: &Steering,
    judges: &Judges,
    config: &Path,
    folder: &Path,
    command: Vec<String>,
) -> Result<Recording, Problem> {
    let mut header = Header::new(&judges.interface, Clock::Virtual);
    header.command = command;
    header.seed = steering.seed;
    header.machine = machine();
    header.started = punctual_exec::calendar();
    header.tolerances = steering.bands();
    header.strategy = serde_json::json!({
        "choice": "traces",
        "look_ahead": steering.look_ahead_text(),
        "expected": steering.expected().to_json(),
        "steerable": steering.steerable.len(),
    });
    crate::prepare::recording(folder, header, &files(steering, config)?)
}

fn files(steering: &Steering, config: &Path) -> Result<Vec<Read>, Problem> {
    let read = |(role, path): (&'static str, std::path::PathBuf)| {
        Ok(Read { role, bytes: bytes(&path)?, path })
    };
    steering.files(config).into_iter().map(read).collect()
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
    let outputs: Vec<VarId> = steering.program.outputs().collect();
    let mut judges = judges(steering, &outputs)?;
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
        about: About::default(),
        chance: None,
    };
    let cases: Vec<Case> = tests.tests.iter().enumerate().map(case).collect();
    let n_runs = cases.len() as u64;
    judges.suite = Some(Suite { cases, ..Suite::default() });
    let files = files(steering, config)?;
    let plan = Plan {
        choice: Choice::Suite,
        steps: Table::default(),
        reads: Vec::new(),
        seed: steering.seed,
        timekeeping: Timekeeping::Virtual,
        budget: Budget { time_ns: u64::MAX, events: u64::MAX },
        horizon: 1,
        lateness_ns: 0,
        retries: 0,
        limits: Limits::default(),
        system: System { library_host, ..System::new(testing::System::new(system)) },
        judges,
    };
    let mut prepared = Prepared::new(plan, n_runs, files);
    let header = prepared.header_mut();
    header.tolerances = steering.bands();
    header.strategy["look_ahead"] = steering.look_ahead_text().into();
    header.strategy["expected"] = steering.expected().to_json();
    header.strategy["steerable"] = steering.steerable.len().into();
    Ok(prepared)
}

/// Inputs are in the order of the program, which is that of the input ports.
fn step(row: &[punctual_model::Value], places: &[usize]) -> Step {
    Step { inputs: places.iter().map(|at| row[*at]).collect(), outputs: Vec::new() }
}
