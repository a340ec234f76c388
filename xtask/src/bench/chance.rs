//! Runs by chance: how many transitions there are per second and core.
//!
//! The best of a few repetitions counts: others only take time away.

use std::{fs, path::Path, process::ExitCode};

use punctual_lang::{Input, read_with_queries};
use punctual_smc::{Observer, Options, Progress, check};

use crate::clock::Stopwatch;

/// How often each measurement is repeated.
const REPETITIONS: usize = 5;

struct Case {
    name: &'static str,
    /// Below `examples`.
    model: &'static str,
    /// Text of the model, and what takes its place.
    replace: (&'static str, &'static str),
    query: &'static str,
    runs: u64,
}

const CASES: [Case; 3] = [
    Case {
        name: "train gate, 6 tracks",
        model: "train-gate/model.xml",
        replace: ("const int N = 4;", "const int N = 6;"),
        query: "Pr[<=100000](<> false)",
        runs: 40,
    },
    Case {
        name: "train gate, 20 tracks",
        model: "train-gate/model.xml",
        replace: ("const int N = 4;", "const int N = 20;"),
        query: "Pr[<=100000](<> false)",
        runs: 40,
    },
    Case {
        name: "HOD",
        model: "hod/model.xml",
        replace: ("", ""),
        query: "Pr[<=1000000](<> false)",
        runs: 20_000,
    },
];

/// Never stops; has a clock.
struct Timed(Stopwatch);

impl Observer for Timed {
    fn elapsed(&mut self) -> std::time::Duration {
        self.0.elapsed()
    }

    fn progress(&mut self, _: &Progress) -> bool {
        true
    }
}

pub(super) fn run(quick: bool) -> ExitCode {
    println!("| model | 1 thread | 2 threads, each | speed-up |");
    println!("|---|---:|---:|---:|");
    for case in &CASES {
        match measure(case, quick) {
            Ok([one, two]) => {
                println!("| {} | {one:.2} | {:.2} | {:.2} |", case.name, two / 2.0, two / one);
            }
            Err(why) => {
                eprintln!("{}: {why}", case.name);
                return ExitCode::FAILURE;
            }
        }
    }
    println!("\nMillions of transitions per second and core.");
    ExitCode::SUCCESS
}

/// Millions of transitions per second, with one thread and with two.
fn measure(case: &Case, quick: bool) -> Result<[f64; 2], String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(case.model);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let text = match case.replace {
        ("", _) => text,
        (from, _) if !text.contains(from) => return Err(format!("no `{from}` in the model")),
        (from, to) => text.replace(from, to),
    };
    let file = Input { name: case.model, bytes: text.as_bytes() };
    let queries = Input { name: "bench.q", bytes: case.query.as_bytes() };
    let model = read_with_queries(file, Some(queries)).model.ok_or("the model is not readable")?;
    let property = model.queries.iter().find(|entry| entry.from_query_file);
    let property = property.and_then(|entry| entry.property.as_ref()).ok_or("no query")?;
    let mut best = [0.0_f64; 2];
    let (runs, repetitions) = match quick {
        true => (case.runs / 20, 1),
        false => (case.runs, REPETITIONS),
    };
    for _ in 0..repetitions {
        for (threads, best) in (1..).zip(&mut best) {
            let options = Options { threads, runs: Some(runs), ..Options::default() };
            let outcome = check(&model.network, property, &options, &mut Timed(Stopwatch::start()));
            let outcome = outcome.map_err(|refusal| format!("{refusal:?}"))?;
            let speed = outcome.transitions as f64 / outcome.elapsed.as_secs_f64() / 1e6;
            *best = best.max(speed);
        }
    }
    Ok(best)
}
