//! The coffee machine I(DS, DW) of the T-UPPAAL paper, section 2.3, on stdin and stdout.
//!
//! Asked up to 40 time units after the coin it makes weak coffee, later strong coffee; weak coffee
//! takes DW time units, strong coffee DS. What means nothing at the moment is swallowed.
//!
//! `cargo run --example coffee_machine -- DS DW`, with `connect HOST:PORT` for TCP.

use std::{env, process::ExitCode};

use punctual_sdk::{Output, System, Value, serve};

/// One time unit is a millisecond.
const UNIT_NS: u64 = 1_000_000;

/// The machine.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    strong_ns: u64,
    weak_ns: u64,
    /// When the coin came.
    paid_ns: Option<u64>,
    /// When which coffee comes.
    cup: Option<(u64, &'static str)>,
}

impl Machine {
    /// I(DS, DW), in time units.
    #[must_use]
    pub fn new(strong: u64, weak: u64) -> Self {
        let (strong_ns, weak_ns) = (strong * UNIT_NS, weak * UNIT_NS);
        Self { strong_ns, weak_ns, paid_ns: None, cup: None }
    }
}

impl System for Machine {
    fn reset(&mut self) {
        (self.paid_ns, self.cup) = (None, None);
    }

    fn input(&mut self, at_ns: u64, name: &str, _: &[Value]) {
        match (name, self.paid_ns) {
            ("coin", None) if self.cup.is_none() => self.paid_ns = Some(at_ns),
            ("req", Some(paid_ns)) => {
                self.cup = Some(match (at_ns - paid_ns) / UNIT_NS <= 40 {
                    true => (at_ns + self.weak_ns, "weakCoffee"),
                    false => (at_ns + self.strong_ns, "strongCoffee"),
                });
                self.paid_ns = None;
            }
            _ => {}
        }
    }

    fn advance(&mut self, until_ns: u64) -> Option<Output> {
        let (at_ns, name) = self.cup.take_if(|(at_ns, _)| *at_ns <= until_ns)?;
        Some(Output::new(at_ns, name))
    }

    fn next_ns(&self) -> Option<u64> {
        self.cup.map(|(at_ns, _)| at_ns)
    }
}

#[allow(dead_code, reason = "the file is also a module of tests")]
fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let machine =
        |strong: &str, weak: &str| Some(Machine::new(strong.parse().ok()?, weak.parse().ok()?));
    let served = match *arguments {
        [strong, weak] => machine(strong, weak).map(serve::stdio),
        [strong, weak, "connect", address] => {
            machine(strong, weak).map(|machine| serve::connect(machine, address, serve::PATIENCE))
        }
        _ => None,
    };
    match served {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
        None => {
            eprintln!("usage: coffee_machine DS DW [connect HOST:PORT]");
            ExitCode::from(2)
        }
    }
}
