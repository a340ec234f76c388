//! Steps of synchronous programs: how many there are per second.

use std::{fs, path::Path, process::ExitCode};

use punctual_lang::{
    Input,
    diagnostic::{Style, render},
    lustre,
};
use punctual_model::lustre::{Program, Type, Value};
use punctual_semantics::lustre::{Machine, Reals, Stepper, random::Draw};

use crate::clock::Stopwatch;

/// What is run if no model is named.
pub(super) const MODEL: &str = "crates/cli/test_data/run/kettle.lus";
/// How many steps a test has.
const STEPS: usize = 30;
/// How many tests are drawn, and then run again and again.
const TESTS: usize = 200;
/// How often the measurement is repeated; the one in the middle counts.
const ROUNDS: usize = 7;

pub(super) fn run(model: &Path, quick: bool) -> ExitCode {
    let measured = fs::read(model).map_err(|error| error.to_string());
    match measured.and_then(|bytes| measure(&model.display().to_string(), &bytes, quick)) {
        Ok(line) => {
            println!("| node | read, ms | compiled, ms | instructions | million steps/s |");
            println!("|---|---:|---:|---:|---:|\n{line}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{}: {why}", model.display());
            ExitCode::from(2)
        }
    }
}

fn measure(name: &str, bytes: &[u8], quick: bool) -> Result<String, String> {
    let clock = Stopwatch::start();
    let reading = lustre::read(Input { name, bytes }, None);
    let read_ms = clock.elapsed().as_secs_f64() * 1e3;
    let shown = |diagnostic| render(diagnostic, &reading.file, Style::Plain);
    let Some(program) = &reading.value else {
        return Err(reading.diagnostics.iter().map(shown).collect::<Vec<_>>().join("\n"));
    };
    let clock = Stopwatch::start();
    let machine = Machine::new(program, Reals::Exact).map_err(|refusal| refusal.to_string())?;
    let compiled_ms = clock.elapsed().as_secs_f64() * 1e3;
    let inputs = inputs(program);
    let repetitions = if quick { 1 } else { 100 };
    let mut speeds: Vec<f64> = (0..ROUNDS).map(|_| steps(&machine, &inputs, repetitions)).collect();
    speeds.sort_by(f64::total_cmp);
    let speed = speeds[ROUNDS / 2] / 1e6;
    let (node, (_, size)) = (&program.name, machine.size());
    Ok(format!("| {node} | {read_ms:.1} | {compiled_ms:.1} | {size} | {speed:.2} |"))
}

/// Random inputs, numbers from their range or from 0 to 10.
fn inputs(program: &Program) -> Vec<Vec<Value>> {
    let draw = &mut Draw::new(1);
    let mut value = |var| {
        let declared = &program.vars[var];
        let range = declared.range.or((declared.ty == Type::Int).then_some((0, 10)));
        draw.value(program, declared.ty, range)
    };
    (0..TESTS * STEPS).map(|_| program.inputs().map(&mut value).collect()).collect()
}

/// Steps per second, failing ones included.
fn steps(machine: &Machine, inputs: &[Vec<Value>], repetitions: usize) -> f64 {
    let vars: Vec<_> = machine.program().inputs().collect();
    let mut stepper = Stepper::new(machine);
    let start = machine.start();
    let (mut before, mut after) = (machine.start(), machine.start());
    let clock = Stopwatch::start();
    for _ in 0..repetitions {
        for test in inputs.chunks(STEPS) {
            before.clone_from(&start);
            for step in test {
                for (var, value) in vars.iter().zip(step) {
                    stepper.set(*var, *value);
                }
                if stepper.step(&before, &mut after).is_err() {
                    break;
                }
                std::mem::swap(&mut before, &mut after);
            }
        }
    }
    (repetitions * inputs.len()) as f64 / clock.elapsed().as_secs_f64()
}
