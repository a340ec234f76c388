//! How long a change from one thread to another takes: `cargo run --release --example switches`.

use punctual_sdk::{System, threads::Threads};

fn main() {
    const N_SWITCHES: u64 = 1_000_000;
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
    let took = start.elapsed();
    println!("{:.2} µs per switch", took.as_secs_f64() * 1e6 / N_SWITCHES as f64);
}
