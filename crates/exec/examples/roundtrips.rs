//! How long an input and a wait take on the virtual clock, with a coffee machine as a program:
//! `cargo run --release -p punctual-exec --example roundtrips -- PROGRAM 40 20`.

use std::sync::Arc;

use punctual_exec::{Limits, Process, Program, Sut, SutError, Timekeeping};
use punctual_model::{Action, Direction, Interface, Signal, TimeScale};

const N_ROUNDS: u64 = 50_000;
const UNIT_NS: u64 = 1_000_000;

fn main() -> Result<(), SutError> {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().unwrap_or_default().into();
    let program = Program { program, arguments: arguments.collect(), ..Program::default() };
    let mut interface = Interface::new(TimeScale { unit_ns: UNIT_NS, resolution: 1 });
    for (i, name) in ["coin", "req", "weakCoffee", "strongCoffee"].into_iter().enumerate() {
        let direction = if i < 2 { Direction::Input } else { Direction::Output };
        interface.signals.push(Signal { name: name.into(), direction, values: Vec::new() });
    }
    let signal = interface.signal("coin").expect("one of the four");
    let coin = Action { signal, values: Vec::new() };
    let mut sut =
        Process::new(program, Arc::new(interface), Timekeeping::Virtual, Limits::default());
    sut.reset()?;
    #[expect(clippy::disallowed_methods, reason = "a measurement")]
    let start = std::time::Instant::now();
    for round in 0..N_ROUNDS {
        sut.input(&coin)?;
        sut.wait((round + 1) * UNIT_NS)?;
    }
    let took = start.elapsed();
    println!("{:.1} µs for an input and a wait", took.as_secs_f64() * 1e6 / N_ROUNDS as f64);
    Ok(())
}
