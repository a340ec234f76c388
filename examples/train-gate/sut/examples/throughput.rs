//! How fast the controller is on the virtual clock, among four trains that are always on the move:
//! `cargo run --release -p train-gate-controller --example throughput`.

#[path = "../tests/it/trains.rs"]
mod trains;

use punctual_sdk::threads::stay_on_core;
use train_gate_controller::{Mutant, system};

const UNITS: u64 = 100_000;

fn main() {
    println!("{UNITS} time units each, 4 trains");
    for pinned in [false, true] {
        if pinned && !stay_on_core(0) {
            continue;
        }
        for pause in [20, 200] {
            #[expect(clippy::disallowed_methods, reason = "a measurement")]
            let start = std::time::Instant::now();
            let run = trains::run(&mut system(Mutant::M0, 4, 1), 4, 1, pause, UNITS);
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "{}, trains away for up to {pause}: {} inputs, {} outputs in {:.0} ms; {:.0} inputs/s",
                if pinned { "one core" } else { "any core" },
                run.inputs,
                run.outputs,
                seconds * 1e3,
                run.inputs as f64 / seconds,
            );
            assert_eq!(run.wrong, None);
        }
    }
}
