//! Tests of a program as runs on disk: the program is the system, and is judged by what its table
//! expects and by its own properties.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use punctual_lang::lustre::traces::write_csv;
use punctual_lang::testing::interface_of;
use punctual_lang::{Input, suite};
use punctual_model::lustre::{Program, Role, Table, Test};
use punctual_model::{Event, Happening, Step, TimeScale};
use punctual_oracle::{Ending, Referee};
use serde_json::json;

use super::Findings;
use crate::judges::{Judges, Synchronous};
use crate::prepare::machine;
use crate::problem::Problem;
use crate::store::{
    self, Cause, Clock, Delay, End, Given, Header, Line, Sets, Statistics, Store, StoreError,
};
use crate::{exchanged, told};

/// What the header of such a record says about where inputs came from.
pub(crate) const CHOICE: &str = "run";

/// The time between two steps.
const PERIOD_NS: u64 = 1_000_000;

/// Who judges runs of a program: the program itself, with its properties.
///
/// # Errors
/// If it can not be run.
pub(crate) fn judges(program: &Program) -> Result<Judges, Problem> {
    let interface = interface_of(program, TimeScale { unit_ns: PERIOD_NS, resolution: 1 });
    let steps = Synchronous::exact(program, &interface).map_err(Problem::Message)?;
    let steps = Some(steps.with_properties());
    Ok(Judges { interface, specification: None, steps, suite: None })
}

/// Where tests of a program are recorded.
pub struct Folder {
    store: Store,
    judges: Judges,
    header: Header,
    model: (PathBuf, Vec<u8>),
}

impl Folder {
    /// A folder for tests of a program, which a file has: its node `main`, if that is said. Random inputs
    /// came from a seed.
    ///
    /// # Errors
    /// If the folder can not be made, or the program can not be run.
    pub fn create(
        folder: &Path,
        (file, bytes): (&Path, Vec<u8>),
        program: &Program,
        main: Option<&str>,
        seed: Option<u64>,
        command: Vec<String>,
    ) -> Result<Folder, Problem> {
        let judges = judges(program)?;
        let mut header = Header::new(&judges.interface, Clock::Virtual);
        header.command = command;
        header.seed = seed.unwrap_or_default();
        header.machine = machine();
        header.period_ns = PERIOD_NS;
        header.strategy = json!({ "choice": CHOICE, "main": main });
        let store = Store::create(folder).map_err(failed)?;
        Ok(Folder { store, judges, header, model: (file.to_owned(), bytes) })
    }

    /// Records all tests of a table: what is expected, and what was computed and found. The columns of
    /// what was computed begin with all inputs and all outputs of the program. With `stop`, the record that is being written ends as a run
    /// that was stopped, and no other begins. Gives how many there are.
    ///
    /// # Errors
    /// If something can not be written, or the table expects values of what is no output.
    pub fn record(
        &mut self,
        program: &Program,
        expected: &Table,
        computed: &Table,
        findings: &Findings,
        stop: &AtomicBool,
    ) -> Result<usize, Problem> {
        let is_local = |var: &&punctual_model::VarId| program.vars[**var].role == Role::Local;
        if let Some(var) = expected.columns.iter().find(is_local) {
            let name = &program.vars[*var].name;
            return Err(Problem::Message(format!(
                "a record has inputs and outputs, and `{name}` is neither: leave out its column, or `--record`"
            )));
        }
        let has_outputs =
            expected.columns.iter().any(|var| program.vars[*var].role == Role::Output);
        for (number, test) in computed.tests.iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                return Ok(number);
            }
            let told =
                has_outputs.then(|| merged(program, expected, &expected.tests[number], test));
            let failure = findings.failures.iter().find(|(at, _)| at.test == number);
            let failure = failure.map(|(_, reason)| reason.as_str());
            self.test((number, test), told, failure, stop)?;
        }
        Ok(computed.tests.len())
    }

    fn test(
        &mut self,
        (number, test): (usize, &Test),
        expected: Option<String>,
        failure: Option<&str>,
        stop: &AtomicBool,
    ) -> Result<(), Problem> {
        let name = PathBuf::from(format!("test-{number}.csv"));
        self.judges.suite = None;
        if let Some(text) = &expected {
            let name = name.display().to_string();
            let input = Input { name: &name, bytes: text.as_bytes() };
            let mut none = |_: &str| Err("a table names no files".to_owned());
            let reading = suite::read(input, &self.judges.interface, Some(PERIOD_NS), &mut none);
            let suite = reading.value.ok_or(Problem::File(reading.file, reading.diagnostics))?;
            self.judges.suite = Some(suite).filter(|it| !it.cases.is_empty());
        }
        let case = self.judges.case(0);
        let mut header = Header { run: number as u64, ..self.header.clone() };
        header.started = punctual_exec::calendar();
        header.case = case.map_or_else(|| format!("test {number}"), |case| case.name.clone());
        let text = expected.unwrap_or_default();
        let suite = Given { role: "suite", path: &name, bytes: text.as_bytes() };
        let model = Given { role: "model", path: &self.model.0, bytes: &self.model.1 };
        let files = if case.is_some() { vec![suite] } else { Vec::new() };
        let (_, mut writer) = self.store.begin(&header, model, &files).map_err(failed)?;
        writer.hold(1 << 16);
        let mut oracle = self.judges.oracle(case).map_err(Problem::Message)?;
        let mut referee = Referee::new(&mut *oracle, 0, false);
        let n_inputs = self.judges.interface.ports_with(punctual_model::PortRole::Input).count();
        let n_outputs = self.judges.interface.ports_with(punctual_model::PortRole::Output).count();
        let mut n_steps = 0;
        for (at, row) in test.steps.iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            n_steps += 1;
            let (inputs, rest) = row.split_at(n_inputs);
            let step = Step { inputs: inputs.to_vec(), outputs: rest[..n_outputs].to_vec() };
            let event = Event::at(Happening::Step(step), at as u64 * PERIOD_NS);
            let line = Line::Event(store::Event {
                what: exchanged::told(&self.judges.interface, &event.what),
                from_ns: event.from_ns,
                to_ns: event.to_ns,
                device_ns: None,
                sets: Sets::default(),
            });
            writer.line(&line).map_err(failed)?;
            referee.approach(&event);
            referee.event(&event);
        }
        let end_ns = n_steps * PERIOD_NS;
        writer
            .line(&Line::Delay(Delay { to_ns: end_ns, sets: Sets::default() }))
            .map_err(failed)?;
        referee.quiet(end_ns);
        let ending = match failure {
            _ if n_steps < test.steps.len() as u64 => Ending::Stopped,
            None => Ending::Complete,
            Some(reason) => {
                Ending::Broken(Cause::Reported, format!("Step {n_steps} has no result: {reason}."))
            }
        };
        let (judged, _) = referee.finish(&ending, None);
        let interactions = oracle.interactions();
        for it in interactions.iter().filter(|it| it.verdict != store::Verdict::Pass) {
            writer.line(&told::interaction(it)).map_err(failed)?;
        }
        let end = End {
            verdict: judged.judgement.verdict(),
            at_ns: end_ns,
            diagnosis: told::judged(&self.judges, &judged, None),
            ending: match ending {
                Ending::Broken(cause, words) => Some(store::Ending::new(cause, &words)),
                Ending::Stopped => Some(store::Ending::new(Cause::Stopped, "")),
                _ => None,
            },
            late_ns: None,
            statistics: Statistics { steps: n_steps, duration_ns: end_ns, ..Statistics::default() },
            shows: Vec::new(),
        };
        writer.line(&Line::End(Box::new(end))).map_err(failed)
    }
}

fn failed(error: StoreError) -> Problem {
    Problem::Message(error.to_string())
}

/// The steps that were taken, with what is expected of their outputs. Where nothing is expected, what was
/// computed is right.
fn merged(program: &Program, expected: &Table, test: &Test, computed: &Test) -> String {
    let columns: Vec<_> = program.inputs().chain(program.outputs()).collect();
    let at: Vec<Option<usize>> =
        columns.iter().map(|var| expected.columns.iter().position(|it| it == var)).collect();
    let row = |(wanted, got): (&Vec<_>, &Vec<_>)| {
        let cell = |(at, got): (&Option<usize>, &_)| at.map_or(*got, |at| wanted[at]);
        at.iter().zip(got).map(cell).collect()
    };
    let steps = test.steps.iter().zip(&computed.steps).map(row).collect();
    write_csv(program, &Table { columns, tests: vec![Test { steps }] })
}
