//! T-UPPAAL (Larsen, Mikucionis & Nielsen 2004), section 4: the train controller.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use punctual_exec::online::{self, Budget, Options, Statistics};
use punctual_exec::{InProcess, Limits, Timekeeping};
use punctual_model::{Direction, IdVec, Interface, Network, Signal, TimeScale, Uncertainty};
use punctual_oracle::conformance::{Coverage, Session, Specification, Verdict, explain};
use punctual_semantics::split::Named;
use punctual_testgen::{Guided, Random, RandomOptions, Strategy};
use train_gate_controller::{Controller, Mutant, Settings};

const UNIT_NS: u64 = 1_000_000;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Runs of each mutant
    #[arg(long, default_value_t = 1100)]
    runs: u64,
    /// The time of a run, in model time units
    #[arg(long, default_value_t = 100_000)]
    time: u64,
    /// The seed of all choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Prefer what was not covered yet
    #[arg(long)]
    guided: bool,
    /// Trains
    #[arg(long, default_value_t = 4)]
    trains: usize,
    /// Only these mutants, such as 0,6
    #[arg(long, value_delimiter = ',')]
    mutants: Vec<usize>,
    /// Threads
    #[arg(long)]
    threads: Option<usize>,
    /// Show the diagnosis of the first fail of each mutant
    #[arg(long)]
    explain: bool,
}

/// What came of the runs of one mutant.
#[derive(Default)]
struct Row {
    fails: u64,
    passes: u64,
    inconclusive: u64,
    inputs: Range,
    time: Range,
    total: Statistics,
    first: Option<String>,
}

#[derive(Default)]
struct Range {
    n: u64,
    sum: f64,
    min: f64,
    max: f64,
}

impl Range {
    fn add(&mut self, value: f64) {
        self.min = if self.n == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.sum += value;
        self.n += 1;
    }

    fn mean(&self) -> f64 {
        self.sum / self.n.max(1) as f64
    }
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let network = network(arguments.trains);
    let interface = interface(&network);
    let specification = match Specification::new(network, interface, &Named::default()) {
        Ok(specification) => specification,
        Err(rejection) => {
            eprintln!("error: {rejection}");
            return ExitCode::from(2);
        }
    };
    println!(
        "| mutant | killed | inputs min/avg/max | time min/avg/max | states after delay avg/max | after action | us after delay avg/max | after action |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for number in [1, 2, 3, 4, 5, 6, 0] {
        if !arguments.mutants.is_empty() && !arguments.mutants.contains(&number) {
            continue;
        }
        let row = mutant(&specification, number, arguments);
        let Statistics { after_action, after_delay, .. } = row.total;
        println!(
            "| M{number} | {}/{} ({} inconclusive) | {}/{:.1}/{} | {}/{:.1}/{} | {:.1}/{} | {:.1}/{} | {:.1}/{:.0} | {:.1}/{:.0} |",
            row.fails,
            row.fails + row.passes,
            row.inconclusive,
            row.inputs.min,
            row.inputs.mean(),
            row.inputs.max,
            row.time.min,
            row.time.mean(),
            row.time.max,
            after_delay.mean_states(),
            after_delay.states_max,
            after_action.mean_states(),
            after_action.states_max,
            after_delay.mean_us(),
            after_delay.ns_max as f64 / 1000.0,
            after_action.mean_us(),
            after_action.ns_max as f64 / 1000.0,
        );
        if let (true, Some(first)) = (arguments.explain, &row.first) {
            println!("  M{number}: {first}");
        }
    }
    ExitCode::SUCCESS
}

fn mutant(specification: &Specification, number: usize, arguments: &Arguments) -> Row {
    let row = Mutex::new(Row::default());
    let next = AtomicU64::new(0);
    let n_threads = arguments
        .threads
        .or_else(|| std::thread::available_parallelism().ok().map(Into::into))
        .unwrap_or(1);
    std::thread::scope(|scope| {
        for _ in 0..n_threads {
            scope.spawn(|| {
                loop {
                    let run = next.fetch_add(1, Ordering::Relaxed);
                    if run >= arguments.runs {
                        return;
                    }
                    one(specification, number, run, arguments, &row);
                }
            });
        }
    });
    row.into_inner().expect("no thread has panicked")
}

fn one(
    specification: &Specification,
    number: usize,
    run: u64,
    arguments: &Arguments,
    row: &Mutex<Row>,
) {
    let mutant = Mutant::ALL[number];
    let seed = arguments.seed.wrapping_mul(1_000_003).wrapping_add(run);
    let controller = Controller::new(Settings::new(mutant, arguments.trains, seed));
    let interface = Arc::new(specification.interface.clone());
    let mut sut =
        InProcess::new(Box::new(controller), interface, Timekeeping::Virtual, Limits::default());
    let mut strategy: Box<dyn Strategy> = match arguments.guided {
        true => Box::new(Guided::new(arguments.seed, run)),
        false => Box::new(Random::new(arguments.seed, run, RandomOptions::default())),
    };
    let coverage = Coverage::new(arguments.guided);
    let mut session = match Session::new(specification, coverage) {
        Ok(session) => session,
        Err(diagnosis) => panic!("{}", explain(specification, &diagnosis)),
    };
    let options = Options {
        budget: Budget { time_ns: arguments.time * UNIT_NS, events: u64::MAX },
        horizon: 2 * specification.largest_constant(),
        lateness_ns: 0,
        windows: false,
    };
    let done = online::run(&mut session, &mut sut, &mut *strategy, &options, &mut ());
    let mut row = row.lock().expect("no thread has panicked");
    let text = match &done.verdict {
        Verdict::Pass => {
            row.passes += 1;
            None
        }
        Verdict::Fail(diagnosis) => {
            row.fails += 1;
            Some(explain(specification, diagnosis))
        }
        Verdict::Inconclusive(diagnosis) => {
            row.inconclusive += 1;
            Some(explain(specification, diagnosis))
        }
    };
    if row.first.is_none() {
        row.first = text.map(|text| format!("run {run}, {:?}: {text}", done.ending));
    }
    row.inputs.add(done.statistics.inputs as f64);
    row.time.add(done.statistics.duration_ns as f64 / UNIT_NS as f64);
    row.total.after_action.merge(&done.statistics.after_action);
    row.total.after_delay.merge(&done.statistics.after_delay);
}

/// The specification of the examples, with so many trains.
fn network(trains: usize) -> Network {
    let model = include_str!("../../../examples/train-gate/model.xml");
    let model = model.replace("const int N = 4;", &format!("const int N = {trains};"));
    let reading = punctual_lang::read("model.xml", model.as_bytes());
    reading.model.expect("the example is a model").network
}

fn interface(network: &Network) -> Interface {
    let mut signals = IdVec::new();
    for (channel, it) in network.channels.enumerate() {
        let direction = match it.name.split('[').next() {
            Some("appr" | "leave") => Direction::Input,
            Some("stop" | "go") => Direction::Output,
            _ => continue,
        };
        signals.push(Signal { name: it.name.clone(), direction, channel, values: Vec::new() });
    }
    Interface {
        signals,
        time: TimeScale { unit_ns: UNIT_NS, resolution: 1 },
        uncertainty: Uncertainty::default(),
    }
}
