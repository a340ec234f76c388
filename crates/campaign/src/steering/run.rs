//! All tests of all traces, on several threads.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;

use punctual_lang::diagnostic::Diagnostic;
use punctual_lang::{SourceFile, Span};
use punctual_model::VarId;
use punctual_model::lustre::{Role, Value};
use punctual_oracle::steering::{Diagnosis, Filter, Label, Observation, Oracle, Outcome, Steerer};
use punctual_smc::parallel::in_order;

use super::align::{Clock, Tied};
use super::load::{Plan, system, table};
use super::stray::{self, Extra};
use crate::problem::{Problem, bytes};

/// Tests that wait for a thread.
const WAITING_MAX: usize = 64;

/// A system, as its trace shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// The name of its file, without `sut_` before it and what is behind the dot.
    pub name: String,
    /// How many tests it was given.
    pub n_tests: usize,
}

/// A test that was judged.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The system.
    pub system: Arc<System>,
    /// The number of the test, from 0.
    pub test: usize,
    /// Its steps: inputs of the model, and what the system showed.
    pub steps: Vec<Observation>,
    /// What steering made of it. A sample without a step may fail it, however it is steered.
    pub outcome: Outcome,
    /// What is wrong, in words; None if it passes.
    pub why: Option<String>,
    /// What people say of it.
    pub label: Option<Label>,
    /// Whether the filter lets it pass, if there is one.
    pub filtered: Option<bool>,
    /// The samples that belong to no step.
    pub extra: Vec<Extra>,
}

/// A test as it was read.
struct Read {
    steps: Vec<Observation>,
    /// What samples without a step showed.
    extra: Vec<Extra>,
}

/// A test that waits for a thread.
struct Job {
    system: Arc<System>,
    test: usize,
    read: Read,
}

/// Judges all tests. They are handed on in order, until `hand_on` breaks; `stop` ends it early. Gives whether all tests were judged and handed on.
///
/// A test that was under way when the user wanted no more is not judged, unless it has failed by then.
///
/// # Errors
/// If a trace can not be read or does not fit to the tests.
pub fn run(
    plan: &Plan,
    oracle: &Oracle,
    filter: Option<&Filter>,
    n_threads: usize,
    stop: &AtomicBool,
    mut hand_on: impl FnMut(Judged) -> ControlFlow<()>,
) -> Result<bool, Problem> {
    let (give, jobs) = sync_channel::<Job>(WAITING_MAX);
    let is_stopped = || stop.load(Ordering::Relaxed);
    let judge = |steerer: &mut Steerer<'_>, job: Job| {
        if is_stopped() {
            return None;
        }
        let Read { steps, extra } = job.read;
        let mut outcome = steerer.judge(&steps);
        let mut why = outcome.verdict.reason().map(Diagnosis::explain);
        let seen: Vec<&[Value]> = steps.iter().map(|it| &it.system[..]).collect();
        let stray = stray::found(oracle, &seen, &extra);
        if let Some(stray) = stray
            && stray.overrules(&outcome.verdict)
        {
            outcome.verdict = stray.judgement();
            outcome.shows.clear();
            why = Some(stray.explain());
        }
        let is_tied = stray.is_none();
        // Its solver may have been ended before it answered.
        if is_stopped() && !outcome.verdict.is_fail() {
            return None;
        }
        Some(Judged {
            outcome,
            why,
            label: plan.labels.of(&job.system.name, job.test),
            filtered: filter.map(|it| is_tied && matches!(it.first_failure(&steps), Ok(None))),
            test: job.test,
            system: job.system,
            steps,
            extra,
        })
    };
    std::thread::scope(|scope| {
        let flow = |judged: Option<Judged>, hand_on: &mut dyn FnMut(Judged) -> ControlFlow<()>| {
            judged.map_or(ControlFlow::Break(()), hand_on)
        };
        let read = move || {
            read_all(plan, stop, |job| match give.send(job) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            })
        };
        let Ok(reader) = std::thread::Builder::new().spawn_scoped(scope, read) else {
            // The machine gives no more threads: this one does all of it.
            let mut steerer = Steerer::new(oracle);
            return read_all(plan, stop, |job| flow(judge(&mut steerer, job), &mut hand_on));
        };
        let broken = in_order(
            n_threads,
            jobs,
            || Steerer::new(oracle),
            judge,
            |judged| flow(judged, &mut hand_on),
        );
        let read = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok(read? && broken.is_none())
    })
}

/// Gives all tests to whoever judges them, unless that breaks; whether that was done.
fn read_all(
    plan: &Plan,
    stop: &AtomicBool,
    mut give: impl FnMut(Job) -> ControlFlow<()>,
) -> Result<bool, Problem> {
    for path in &plan.traces {
        let tests = observations(plan, path)?;
        plan.labels.check_tests(system(path), tests.len())?;
        let system = Arc::new(System { name: system(path).to_owned(), n_tests: tests.len() });
        for (test, read) in tests.into_iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            let job = Job { system: Arc::clone(&system), test, read };
            if give(job).is_break() {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The tests of a trace: inputs of the model, and what the system showed.
fn observations(plan: &Plan, path: &Path) -> Result<Vec<Read>, Problem> {
    let shown = path.display();
    let wrong = |message: String| Problem::Message(format!("{shown}: {message}"));
    // The time of a sample need not be a variable of the model.
    let clock = plan.align().map(|align| Clock::new(plan, align)).transpose().map_err(wrong)?;
    let program = clock.as_ref().map_or(&plan.program, |clock| &clock.program);
    let trace = table(path, program)?;
    let place = |var| {
        let found = trace.columns.iter().position(|it| *it == var);
        found.ok_or_else(|| wrong(format!("there is no column `{}`", program.vars[var].name)))
    };
    let columns: Result<Vec<usize>, _> = plan.columns.iter().map(|var| place(*var)).collect();
    let columns = columns?;
    let inputs = plan.inputs(&trace).map_err(wrong)?;
    let source = plan.tests.as_ref().unwrap_or(&trace);
    if source.tests.len() != trace.tests.len() {
        let (given, seen) = (source.tests.len(), trace.tests.len());
        return Err(wrong(format!("it has {seen} tests, and there are {given}")));
    }
    // Inputs that both have must be the same: otherwise it is a trace of other tests.
    let is_input = |var: &VarId| program.vars[*var].role == Role::Input;
    let in_tests = |var: &VarId| source.columns.iter().position(|it| it == var);
    let is_timed = |var: &VarId| clock.as_ref().is_some_and(|it| it.column == *var);
    let both: Vec<(VarId, usize, usize)> = (trace.columns.iter().enumerate())
        .filter(|(_, var)| plan.tests.is_some() && is_input(var) && !is_timed(var))
        .filter_map(|(at, var)| Some((*var, in_tests(var)?, at)))
        .collect();
    let mut before = 0;
    let mut tests = Vec::with_capacity(trace.tests.len());
    for (number, (given, seen)) in source.tests.iter().zip(&trace.tests).enumerate() {
        let tied = match &clock {
            Some(clock) if plan.tests.is_some() => {
                clock.tied(plan, source, given, &trace, seen).map_err(|(sample, message)| {
                    let message = format!("test {number}: {message}");
                    match sample {
                        Some(at) => at_row(path, before + at, "steer::unordered", message, ORDER),
                        None => wrong(message),
                    }
                })?
            }
            _ => {
                if given.steps.len() != seen.steps.len() {
                    let (given, seen) = (given.steps.len(), seen.steps.len());
                    let help = "`[align]` ties samples to steps if some are lost";
                    let message =
                        format!("test {number} has {seen} steps, and should have {given}");
                    return Err(wrong(format!("{message} ({help})")));
                }
                Tied { pairs: (0..given.steps.len()).map(Some).collect(), extra: Vec::new() }
            }
        };
        let pick = |row: &[Value], at: &[usize]| at.iter().map(|at| row[*at]).collect();
        let mut steps = Vec::with_capacity(given.steps.len());
        for (step, (given, sample)) in given.steps.iter().zip(&tied.pairs).enumerate() {
            let seen = sample.map(|at| &seen.steps[at]);
            for (var, mine, theirs) in both.iter().filter(|_| seen.is_some()) {
                let (given, seen) = (given[*mine], seen.map_or(given[*mine], |row| row[*theirs]));
                if given != seen {
                    let text = |value| program.value_text(*var, value);
                    let at = before + sample.unwrap_or(step);
                    return Err(at_row(
                        path,
                        at,
                        "steer::other_inputs",
                        format!(
                            "the trace has `{}` = {} in step {step} of test {number}, and the test {}",
                            program.vars[*var].name,
                            text(seen),
                            text(given),
                        ),
                        "this is what the system did in another test",
                    ));
                }
            }
            let system = seen.map_or(Vec::new(), |row| pick(row, &columns));
            steps.push(Observation { inputs: pick(given, &inputs), system });
        }
        let extra = tied.extra.iter().map(|at| Extra {
            between: tied.between(*at),
            system: pick(&seen.steps[*at], &columns),
        });
        before += seen.steps.len();
        tests.push(Read { steps, extra: extra.collect() });
    }
    Ok(tests)
}

/// What helps if samples are not in order.
const ORDER: &str = "sort them, if the clock of the system did not go backwards";

/// An error at a row of a trace, which is so many rows behind the first one.
fn at_row(path: &Path, row: usize, code: &'static str, message: String, help: &str) -> Problem {
    let text = String::from_utf8_lossy(&bytes(path).unwrap_or_default())
        .trim_start_matches('\u{feff}')
        .to_owned();
    let is_json = path.extension().is_some_and(|it| it == "jsonl" || it == "json");
    let header = text.lines().find(|it| !it.trim().is_empty()).unwrap_or_default().to_owned();
    let is_row = |line: &str| !line.trim().is_empty() && (is_json || line != header);
    let mut start = 0;
    let mut span = None;
    let mut n_rows = 0;
    for line in text.split_inclusive('\n') {
        if is_row(line.trim_end_matches(['\n', '\r'])) {
            if n_rows == row {
                span = Some(Span::new(start, start + line.trim_end().len()));
                break;
            }
            n_rows += 1;
        }
        start += line.len();
    }
    let file = SourceFile { name: path.display().to_string(), text };
    let error = Diagnostic::error(code, span.unwrap_or_default(), message);
    Problem::File(file, vec![error.help(help)])
}

impl Plan {
    /// In which columns of the tests (or of a trace, if there are none) the inputs are.
    pub(super) fn inputs(
        &self,
        trace: &punctual_model::lustre::Table,
    ) -> Result<Vec<usize>, String> {
        let source = self.tests.as_ref().unwrap_or(trace);
        let mut places = Vec::new();
        for var in self.program.inputs() {
            let found = source.columns.iter().position(|it| *it == var);
            let name = &self.program.vars[var].name;
            places.push(found.ok_or_else(|| format!("nothing says what the input `{name}` is"))?);
        }
        Ok(places)
    }
}
