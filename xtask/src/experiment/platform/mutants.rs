//! Faulty pumps on platforms with delays: are faults that fail without delays still found?
//!
//! Mutants are divided among the subsystems by how many each could have, as in the paper. What a mutant does wrong without delays is computed by
//! stepping it beside the model. By the paper's rule, each of these interactions should fail on a platform, too. By ours, the mutant
//! should be found, by an interaction that nothing explains or by excuses that are used too often.
//!
//! Only tests that fail without delays are run: the others can not tell a mutant from the pump when everything arrives as intended.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::sync::Arc;

use punctual_campaign::platform::evidence::{Evidence, SURE};
use punctual_model::lustre::Program;
use punctual_model::testing::platform::Platform;
use punctual_model::testing::suite::Table;
use punctual_model::{Value, VarId, Verdict};
use punctual_semantics::lustre::{Machine, Reals, Stepper};
use punctual_semantics::platform::Timetable;
use punctual_smc::parallel::in_order;
use punctual_testgen::mutation::lustre::{Choice, Mutant, mutants};
use punctual_testgen::platform::timetable;

use super::executed::Pump;
use super::platforms::{Configuration, calibrated};

/// The deviations at which mutants are looked for, in milliseconds.
pub(super) const DEVIATIONS: [u32; 3] = [50, 100, 200];

/// How many mutants there are, and in how many executions of the suite they may be found.
pub(super) struct Settings {
    pub(super) n_mutants: usize,
    pub(super) executions: u64,
    pub(super) threads: usize,
}

/// What became of a mutant.
struct Fate {
    /// Its number, its equation and its change, in words.
    name: String,
    /// Interactions that fail without delays; the same at 500/50 by the paper's rule, and those that do not.
    without: usize,
    scheduled: usize,
    exceptions: Vec<String>,
    /// For each deviation, what each execution found, up to the first that found it.
    found: [Vec<Found>; 3],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    ByStep,
    ByExcuses,
    Not,
}

pub(super) fn answer(
    pump: &Pump<'_>,
    settings: &Settings,
    say: &dyn Fn(&str),
) -> Result<(String, Vec<String>), String> {
    let all = mutants(pump.program, Choice::BySubsystem(settings.n_mutants), pump.seed);
    say(&format!("{} mutants", all.len()));
    let mut fates: Vec<Fate> = Vec::new();
    let jobs: Vec<(usize, &Mutant)> = all.iter().enumerate().collect();
    let work =
        |(): &mut (), (number, mutant): (usize, &Mutant)| fate(pump, settings, number, mutant);
    let take = |fate| match fate {
        Ok(fate) => {
            fates.push(fate);
            if fates.len().is_multiple_of(10) {
                say(&format!("{} of {} mutants", fates.len(), all.len()));
            }
            ControlFlow::Continue(())
        }
        Err(error) => ControlFlow::Break(error),
    };
    match in_order(settings.threads, jobs, || (), work, take) {
        Some(error) => Err(error),
        None => Ok(table(&fates, settings)),
    }
}

fn table(fates: &[Fate], settings: &Settings) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut problems = Vec::new();
    let dead: Vec<&Fate> = fates.iter().filter(|it| it.without > 0).collect();
    let without: usize = dead.iter().map(|it| it.without).sum();
    let scheduled: usize = dead.iter().map(|it| it.scheduled).sum();
    let _ = writeln!(
        text,
        "Of {} mutants {} fail without delays, in {without} interactions. At 500/50, scheduled and by the paper's rule, {scheduled} of these fail, too ({:.3} %).\n",
        fates.len(),
        dead.len(),
        100.0 * scheduled as f64 / without.max(1) as f64
    );
    for exception in dead.iter().flat_map(|it| &it.exceptions) {
        let _ = writeln!(text, "- {exception}");
    }
    let _ = writeln!(
        text,
        "\n| deviation | found in the first execution, % | in one of {}, % | by excuses alone | not found |\n|---:|---:|---:|---:|---|",
        settings.executions
    );
    for (at, deviation) in DEVIATIONS.iter().enumerate() {
        let of = |it: &Fate| it.found[at].clone();
        let is_found = |it: &Found| *it != Found::Not;
        let n = dead.len().max(1) as f64;
        let first = dead.iter().filter(|it| of(it).first().is_some_and(is_found)).count();
        let once = dead.iter().filter(|it| of(it).iter().any(is_found)).count();
        let excuses = dead
            .iter()
            .filter(|it| of(it).contains(&Found::ByExcuses) && !of(it).contains(&Found::ByStep));
        let missed: Vec<&str> = (dead.iter())
            .filter(|it| !of(it).iter().any(is_found))
            .map(|it| it.name.as_str())
            .collect();
        let _ = writeln!(
            text,
            "| {deviation} | {:.2} | {:.2} | {} | {} |",
            100.0 * first as f64 / n,
            100.0 * once as f64 / n,
            excuses.count(),
            missed.join("; ")
        );
        let least = [0.99, 0.97, 0.90][at];
        if (once as f64) < least * n {
            problems
                .push(format!("at a deviation of {deviation}, {once} of {n} mutants are found"));
        }
    }
    if (scheduled as f64) < 0.9999 * without as f64 {
        problems.push(format!("{scheduled} of {without} failing interactions fail at 500/50"));
    }
    (text, problems)
}

fn fate(
    pump: &Pump<'_>,
    settings: &Settings,
    number: usize,
    mutant: &Mutant,
) -> Result<Fate, String> {
    let name = format!("{number}, `{}`: `{}` is `{}`", mutant.equation, mutant.old, mutant.new);
    let mut fate =
        Fate { name, without: 0, scheduled: 0, exceptions: Vec::new(), found: Default::default() };
    let machine = Machine::new(&mutant.program, Reals::Exact).map_err(|it| it.to_string())?;
    let configuration = Configuration { max_mean: 500, deviation: 50 };
    let truth = Arc::new(configuration.platform(pump.program, pump.seed));
    let known = pump.view(calibrated(&truth, pump.seed));
    let idle = first_step(Timetable::new(truth.step_ns as f64, known.platform.longest()));
    let failing = failing(pump, &machine, idle);
    if !failing.is_empty() {
        let mut sut = pump.simulated(&mutant.program, &truth, &known, pump.seed)?;
        for (test, wrong) in &failing {
            let told = pump.adjusted(&mut sut, &known, &pump.tests[*test])?;
            fate.without += wrong.len();
            for it in wrong {
                match told.iter().any(|told| told.number == *it) {
                    true => fate.scheduled += 1,
                    false => {
                        let why = why(&pump.tests[*test], sut.happened(), idle, *it);
                        let at = format!("mutant {}, test {test}, interaction {it}", fate.name);
                        fate.exceptions.push(format!("{at}: {why}"));
                    }
                }
            }
        }
    }
    for (at, deviation) in DEVIATIONS.iter().enumerate() {
        let configuration = Configuration { max_mean: 500, deviation: *deviation };
        let truth = Arc::new(configuration.platform(pump.program, pump.seed));
        for execution in 0..settings.executions {
            let found = find(pump, mutant, &machine, &truth, execution)?;
            fate.found[at].push(found);
            if found != Found::Not {
                break;
            }
        }
    }
    Ok(fate)
}

/// Why an interaction does not fail on the platform: an input was not what it should be, there or before.
fn why(table: &Table, happened: &[Vec<Value>], idle: usize, wrong: usize) -> String {
    let rows = happened.iter().skip(idle).zip(&table.steps).take(wrong + 1);
    let missed = rows.enumerate().find(|(_, (row, step))| **row != step.inputs);
    match missed {
        Some((number, (row, step))) => {
            let input = row.iter().zip(&step.inputs).position(|(a, b)| a != b).unwrap_or(0);
            format!("input {input} was not there in interaction {number}")
        }
        None => "everything was there".to_owned(),
    }
}

pub(super) fn first_step(mut timetable: Timetable) -> usize {
    timetable.stepped(0);
    timetable.planned(0).map_or(0, |it| it.step)
}

/// The tests in which the mutant writes something else than the model when everything arrives as intended, and the interactions where it does.
pub(super) fn failing(pump: &Pump<'_>, mutant: &Machine, idle: usize) -> Vec<(usize, Vec<usize>)> {
    let initial = Configuration::initial(pump.program);
    let written = |machine: &Machine, table: &Table| -> Vec<Option<Vec<Value>>> {
        let program: &Program = machine.program();
        let inputs: Vec<VarId> = program.inputs().collect();
        let mut stepper = Stepper::new(machine);
        let (mut state, mut after) = (machine.start(), machine.start());
        let rows =
            std::iter::repeat_n(&initial, idle).chain(table.steps.iter().map(|it| &it.inputs));
        let mut found = Vec::new();
        for row in rows {
            inputs.iter().zip(row).for_each(|(var, value)| stepper.set(*var, *value));
            let done = stepper.step(&state, &mut after).is_ok();
            std::mem::swap(&mut state, &mut after);
            found.push(done.then(|| program.outputs().map(|var| stepper.value(var)).collect()));
        }
        found
    };
    let of = |(test, table): (usize, &Table)| {
        let both = written(pump.machine, table).into_iter().zip(written(mutant, table));
        let wrong = both.skip(idle).enumerate().filter(|(_, (a, b))| a != b).map(|(at, _)| at);
        (test, wrong.collect::<Vec<usize>>())
    };
    pump.tests.iter().enumerate().map(of).filter(|(_, wrong)| !wrong.is_empty()).collect()
}

/// Whether an execution of the suite finds a mutant.
fn find(
    pump: &Pump<'_>,
    mutant: &Mutant,
    machine: &Machine,
    truth: &Arc<Platform>,
    execution: u64,
) -> Result<Found, String> {
    let known = pump.view(calibrated(truth, pump.seed + execution));
    let failing = failing(pump, machine, first_step(timetable(&known.platform)));
    let seed = pump.seed ^ execution.rotate_left(20) ^ 0x3A7A_0000;
    let mut sut = pump.simulated(&mutant.program, truth, &known, seed)?;
    let mut evidence = Evidence::default();
    for (test, _) in &failing {
        let table = &pump.tests[*test];
        let mut oracle = pump.arrivals(&known, table, pump.n_events());
        let mut missed = vec![1.0_f64; table.steps.len()];
        for number in 0..pump.tries {
            let tried = pump.explained(&mut sut, &known, &mut oracle, table, number as u64)?;
            if tried.interactions.iter().any(|it| it.verdict == Verdict::Fail) {
                return Ok(Found::ByStep);
            }
            evidence.explain(&tried.excuses);
            if pump.is_worn(&known, &evidence) {
                return Ok(Found::ByExcuses);
            }
            for (missed, now) in missed.iter_mut().zip(&tried.exercised) {
                *missed *= 1.0 - now;
            }
            if missed.iter().all(|it| 1.0 - it >= SURE) {
                break;
            }
        }
    }
    Ok(Found::Not)
}
