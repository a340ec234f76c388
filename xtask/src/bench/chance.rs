//! Runs by chance: how many transitions there are per second and core.
//!
//! A machine shared with others changes its speed from second to second, by up to a half. So one
//! thread, two threads, and two that have nothing to do with each other are measured in turns, many
//! times and shortly, and the sums are compared. The last are what the machine has to give.

use std::{fs, path::Path, process::ExitCode};

use punctual_lang::{Input, read_with_queries};
use punctual_smc::{Observer, Options, Progress, check};

use crate::clock::Stopwatch;

/// How often each measurement is repeated.
const ROUNDS: usize = 40;

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
        runs: 24,
    },
    Case {
        name: "train gate, 20 tracks",
        model: "train-gate/model.xml",
        replace: ("const int N = 4;", "const int N = 20;"),
        query: "Pr[<=100000](<> false)",
        runs: 24,
    },
    Case {
        name: "HOD",
        model: "hod/model.xml",
        replace: ("", ""),
        query: "Pr[<=1000000](<> false)",
        runs: 6_000,
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
    println!("| model | 1 thread | 2 threads, each | speed-up | of 2 that share nothing |");
    println!("|---|---:|---:|---:|---:|");
    for case in &CASES {
        match measure(case, quick) {
            Ok(Speeds { one, two, apart }) => println!(
                "| {} | {one:.2} | {:.2} | {:.2} | {:.2} |",
                case.name,
                two / 2.0,
                two / one,
                apart / one
            ),
            Err(why) => {
                eprintln!("{}: {why}", case.name);
                return ExitCode::FAILURE;
            }
        }
    }
    println!("\nMillions of transitions per second and core.");
    ExitCode::SUCCESS
}

/// Millions of transitions per second: of one thread, of two, and of two checks at once of one each.
struct Speeds {
    one: f64,
    two: f64,
    apart: f64,
}

fn measure(case: &Case, quick: bool) -> Result<Speeds, String> {
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
    // The number of transitions.
    let go = |threads, runs| {
        let options = Options { threads, runs: Some(runs), ..Options::default() };
        let outcome = check(&model.network, property, &options, &mut Timed(Stopwatch::start()));
        outcome.map(|it| it.transitions as f64).map_err(|refusal| format!("{refusal:?}"))
    };
    let rounds = if quick { 1 } else { ROUNDS };
    let mut sums = [(0.0, 0.0); 3];
    for _ in 0..rounds {
        let apart = || {
            std::thread::scope(|scope| {
                let other = scope.spawn(|| go(1, case.runs / 2));
                let this = go(1, case.runs / 2)?;
                Ok(this + other.join().map_err(|_| "a thread panicked")??)
            })
        };
        let ways: [&dyn Fn() -> Result<f64, String>; 3] =
            [&|| go(1, case.runs), &|| go(2, case.runs), &apart];
        for (way, (transitions, seconds)) in ways.into_iter().zip(&mut sums) {
            let watch = Stopwatch::start();
            *transitions += way()?;
            *seconds += watch.elapsed().as_secs_f64();
        }
    }
    let [one, two, apart] = sums.map(|(transitions, seconds)| transitions / seconds / 1e6);
    Ok(Speeds { one, two, apart })
}
