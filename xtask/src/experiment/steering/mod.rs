//! Steering (Gay 2015), chapters 5 and 6: an infusion pump and a pacemaker that may be a little late.
//!
//! - `system.rs` reads the models and how they are steered; `suite.rs` makes tests, faults and labels from
//!   them (`infusion.rs` and `pacing.rs` draw the inputs); `judge.rs` runs all methods. `size.rs` tests that the
//!   models are as large as they say, and that tests reach their states.
//! - `apart.rs` measures verdicts on models, noise and seeds that no rule was made with.
//! - `compare.rs` makes the tables of steering, `learned.rs` those of learned tolerances; `table.rs` puts the
//!   figures of the thesis beside ours.
//!
//! What is written goes to `experiments/steering`: the tables of its README, and `expected/`.

mod apart;
mod compare;
mod draw;
mod infusion;
mod judge;
mod learned;
mod pacing;
#[cfg(test)]
mod size;
mod suite;
mod system;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use suite::Suite;
use system::System;
use table::Table;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only this table of the thesis: 6.5, 6.10, 6.12, 6.14, 6.21, 6.27, 6.28, 6.29 or 6.30
    #[arg(long)]
    table: Vec<String>,
    /// Tests of each system
    #[arg(long, default_value_t = 100)]
    tests: usize,
    /// Mutants of the oracle and of each variant
    #[arg(long, default_value_t = 50)]
    mutants: usize,
    /// The seed of all choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How far to look ahead where steering does
    #[arg(long, default_value_t = 2)]
    look_ahead: usize,
    /// Threads
    #[arg(long)]
    threads: Option<usize>,
    /// Only check that the figures are as good as they should be; write nothing
    #[arg(long)]
    check: bool,
    /// Name the tests whose verdicts are wrong
    #[arg(long)]
    wrong: bool,
    /// Only the measurement on data kept apart from what rules were made with: other models, noise and seeds
    #[arg(long)]
    apart: bool,
    /// Where the models are, and where to write
    #[arg(long, default_value = "experiments/steering")]
    folder: PathBuf,
}

/// The tables, and which system each is about.
const TABLES: [(&str, &str); 9] = [
    ("6.5", "infusion"),
    ("6.12", "infusion"),
    ("6.10", "pacing"),
    ("6.14", "infusion"),
    ("6.21", "pacing"),
    ("6.27", "infusion"),
    ("6.28", "pacing"),
    ("6.29", "pacing"),
    ("6.30", "pacing"),
];

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    match experiment(arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Everything that a table is made with.
struct Bench<'b> {
    arguments: &'b Arguments,
    suite: Suite<'b>,
    n_threads: usize,
}

fn experiment(arguments: &Arguments) -> Result<bool, String> {
    if arguments.apart {
        let problems = apart(arguments)?;
        problems.iter().for_each(|problem| eprintln!("not as it should be: {problem}"));
        return Ok(problems.is_empty());
    }
    for table in &arguments.table {
        if !TABLES.iter().any(|(it, _)| it == table) {
            return Err(format!("there is no table `{table}`"));
        }
    }
    let wanted =
        |table: &str| arguments.table.is_empty() || arguments.table.iter().any(|it| it == table);
    let n_threads = arguments
        .threads
        .or_else(|| std::thread::available_parallelism().ok().map(Into::into))
        .unwrap_or(1);
    let mut problems = Vec::new();
    for name in ["infusion", "pacing"] {
        let tables: Vec<&str> =
            TABLES.iter().filter(|(it, of)| *of == name && wanted(it)).map(|(it, _)| *it).collect();
        if tables.is_empty() {
            continue;
        }
        let system = System::read(&arguments.folder, name)?;
        let suite = Suite::new(&system, arguments.tests, arguments.seed)?;
        let bench = Bench { arguments, suite, n_threads };
        let mut learned = None;
        for number in tables {
            eprintln!("table {number}: {name}");
            let table: Table = match number {
                "6.5" | "6.10" => compare::methods(&bench, number)?,
                "6.12" => {
                    let system = System::read_more(&arguments.folder, name)?;
                    let suite = Suite::new(&system, arguments.tests, arguments.seed)?;
                    compare::more(&Bench { arguments, suite, n_threads })?
                }
                "6.14" | "6.21" => compare::levels(&bench, number)?,
                number => {
                    if learned.is_none() {
                        learned = Some(learned::Learned::new(&bench)?);
                    }
                    learned.as_ref().map(|it| it.table(number)).ok_or("nothing was learned")?
                }
            };
            println!("{}", table.text());
            problems.extend(table.problems());
            if !arguments.check {
                table.write(&arguments.folder)?;
            }
        }
    }
    if arguments.table.is_empty() && !arguments.check {
        problems.extend(apart(arguments)?);
    }
    for problem in &problems {
        eprintln!("not as it should be: {problem}");
    }
    Ok(problems.is_empty())
}

/// Tests and mutants of each system whose verdicts are measured apart.
const APART: (usize, usize) = (40, 20);
/// The seed of these is so much behind that of the tables.
const APART_SEED: u64 = 2026;

/// Measures verdicts on what no rule was made with.
fn apart(arguments: &Arguments) -> Result<Vec<String>, String> {
    let (n_tests, n_mutants) = APART;
    let size = (
        arguments.tests.min(n_tests),
        arguments.mutants.min(n_mutants),
        arguments.seed.wrapping_add(APART_SEED),
    );
    let mut all = Vec::new();
    for name in apart::SYSTEMS {
        eprintln!("apart: {name}");
        all.push(apart::measure(&arguments.folder, name, size)?);
    }
    let text = apart::text(&all);
    println!("{text}");
    if !arguments.check {
        table::write(&arguments.folder, "apart", &text)?;
    }
    Ok(apart::problems(&all))
}
