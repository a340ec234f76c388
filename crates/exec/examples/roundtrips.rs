//! How long an input and a wait take on the virtual clock, with a coffee machine as a program:
//! `cargo run --release -p punctual-exec --example roundtrips -- PROGRAM 40 20`.

use std::sync::Arc;

use punctual_exec::{Limits, Process, Program, Sut, SutError, Timekeeping};
use punctual_model::{
    Action, ChannelId, Direction, Id, IdVec, Interface, Signal, TimeScale, Uncertainty,
};

const N_ROUNDS: u64 = 50_000;
const UNIT_NS: u64 = 1_000_000;

fn main() -> Result<(), SutError> {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().unwrap_or_default().into();
    let program = Program { program, arguments: arguments.collect(), ..Program::default() };
    let mut signals = IdVec::new();
    for (i, name) in ["coin", "req", "weakCoffee", "strongCoffee"].into_iter().enumerate() {
        let direction = if i < 2 { Direction::Input } else { Direction::Output };
        let channel = ChannelId::from_index(i);
        signals.push(Signal { name: name.into(), direction, channel, values: Vec::new() });
    }
    let coin = Action { signal: signals.ids().next().expect("four signals"), values: Vec::new() };
    let time = TimeScale { unit_ns: UNIT_NS, resolution: 1 };
    let interface = Arc::new(Interface { signals, time, uncertainty: Uncertainty::default() });
    let mut sut = Process::new(program, interface, Timekeeping::Virtual, Limits::default());
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
