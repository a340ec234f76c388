//! How long a change from one thread to another takes: `cargo run --release --example switches`.

use punctual_sdk::{
    System,
    threads::{Threads, stay_on_core},
};

const N_SWITCHES: u64 = 400_000;

fn main() {
    println!("{:.2} µs per switch on any core", measured_us());
    if stay_on_core(0) {
        println!("{:.2} µs per switch on one core", measured_us());
    }
}

fn measured_us() -> f64 {
    let mut system = Threads::new(|kernel| {
        for name in ["left", "right"] {
            kernel.spawn(name, |kernel| {
                for _ in 0..N_SWITCHES / 2 {
                    kernel.sleep(1);
                }
            });
        }
        Box::new(|_, _| {})
    });
    system.reset();
    #[expect(clippy::disallowed_methods, reason = "a measurement")]
    let start = std::time::Instant::now();
    system.advance(N_SWITCHES);
    start.elapsed().as_secs_f64() * 1e6 / N_SWITCHES as f64
}
