//! The controller as a program of its own, which a tester reaches by the protocol of JSON lines.

use std::{net::TcpListener, process::ExitCode};

use clap::Parser;
use punctual_sdk::serve;
use train_gate_controller::{Controller, Mutant, Settings};

/// The controller of the train gate, as a system under test: speaks the JSON-lines protocol of
/// Punctual, on the virtual and on the real clock.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Without a fault (M0), or with which (M1 to M6)
    #[arg(long, default_value = "M0")]
    mutant: Mutant,
    /// How many tracks there are
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=100))]
    trains: u64,
    /// Where the delays of stop and go come from
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How long a time unit of the model takes, in microseconds
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    unit_us: u64,
    /// Into how many steps a time unit is divided: delays are whole steps
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    steps_per_unit: u64,
    /// Serves testers on this address (such as 127.0.0.1:7000), one after the other, instead of stdin and stdout
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let system = Controller::new(Settings {
        mutant: arguments.mutant,
        trains: usize::try_from(arguments.trains).expect("not more than 100"),
        seed: arguments.seed,
        unit_ns: arguments.unit_us * 1000,
        steps_per_unit: arguments.steps_per_unit,
    });
    let served = match &arguments.listen {
        None => serve::stdio(system),
        Some(address) => listen(address, system),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn listen(address: &str, system: Controller) -> Result<(), serve::ServeError> {
    let listener = TcpListener::bind(address)?;
    eprintln!("listening on {}", listener.local_addr()?);
    serve::listen(system, &listener)
}
