//! T-UPPAAL (Larsen, Mikucionis & Nielsen 2004), section 4: the train controller.
//!
//! `runs.rs` makes runs, `compare.rs` compares ways to choose inputs, also on small models (`models.rs`), `table.rs` puts
//! the figures of the paper beside ours. What is written goes to
//! `experiments/t-uppaal`: our figures, the plots, and the tables of its README.

mod compare;
mod models;
mod runs;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use punctual_oracle::conformance::Specification;
use punctual_semantics::split::Named;

use super::scatter::Scatter;
use compare::{Compared, compared};
use runs::{Choice, Row, Scale, Task};

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
    /// Threads
    #[arg(long)]
    threads: Option<usize>,
    /// Only check that all mutants are killed, the right one is not, and inputs are chosen well; write
    /// nothing
    #[arg(long)]
    check: bool,
    /// Only compare ways to choose inputs; write nothing
    #[arg(long)]
    choice: bool,
    /// Where to write
    #[arg(long, default_value = "experiments/t-uppaal")]
    folder: PathBuf,
}

/// How many trains the specification is scaled to.
const TRAINS: [usize; 6] = [4, 6, 8, 12, 16, 20];

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

fn experiment(arguments: &Arguments) -> Result<bool, String> {
    let specification = specification(4)?;
    let n_threads = arguments
        .threads
        .or_else(|| std::thread::available_parallelism().ok().map(Into::into))
        .unwrap_or(1);
    let task = |mutant| Task {
        mutant,
        trains: 4,
        runs: arguments.runs,
        time: arguments.time,
        seed: arguments.seed,
        choice: Choice::Chance,
        until_covered: false,
        n_threads,
    };
    let mut rows: Vec<(usize, Row)> = Vec::new();
    let all = [1, 2, 3, 4, 5, 6, 0];
    for number in all.into_iter().filter(|_| !arguments.choice) {
        eprintln!("M{number}: {} runs of {} time units", arguments.runs, arguments.time);
        rows.push((number, runs::many(&specification, &task(number))));
    }
    // A thousand values take minutes in a build for tests; a test looks at the small models there.
    let folder = models::folder();
    let folder = Some(folder.as_path()).filter(|_| !arguments.check || arguments.choice);
    let compared = compared(&specification, &task(0), &rows, folder)?;
    if arguments.choice {
        println!("{}", compared.tables());
        return Ok(compared.problems().is_empty());
    }
    let mut scale = Vec::new();
    for trains in TRAINS {
        eprintln!("{trains} trains");
        let larger = self::specification(trains)?;
        let runs = arguments.runs.min(20);
        let task = Task { trains, runs, time: arguments.time.min(10_000), n_threads: 1, ..task(0) };
        let row = runs::many(&larger, &task);
        scale.push(Scale { trains, total: row.total });
    }
    let found = Found { rows, compared, scale, runs: arguments.runs, time: arguments.time };
    println!("{}", found.tables());
    let good = found.problems();
    for problem in &good {
        eprintln!("not as it should be: {problem}");
    }
    if !arguments.check {
        found.write(&arguments.folder)?;
    }
    Ok(good.is_empty())
}

/// All that was found.
struct Found {
    rows: Vec<(usize, Row)>,
    compared: Compared,
    scale: Vec<Scale>,
    runs: u64,
    time: u64,
}

impl Found {
    /// What contradicts the paper, or what is promised.
    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (number, row) in &self.rows {
            let (fails, runs) = (row.fails, row.fails + row.passes + row.inconclusive);
            let killed = if *number == 0 { 0 } else { runs };
            if fails != killed || row.inconclusive > 0 {
                let first = row.first.as_deref().unwrap_or_default();
                problems.push(format!("M{number} failed in {fails} of {runs} runs: {first}"));
            }
        }
        problems.extend(self.compared.problems());
        problems
    }

    fn write(&self, folder: &Path) -> Result<(), String> {
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
        };
        write("ours.csv", &self.csv())?;
        let (_, right) =
            self.rows.iter().find(|(number, _)| *number == 0).ok_or("M0 is missing")?;
        write(
            "figure6.svg",
            &right.samples.scatter("After(delay) on the size of the state set").svg(),
        )?;
        for (name, title, samples) in [
            ("figure7a.svg", "After(delay), mean time by size", &right.samples.after_delay),
            ("figure7b.svg", "After(action), mean time by size", &right.samples.after_action),
        ] {
            let points = samples.means();
            let scatter = Scatter { title, x: "symbolic states", y: "microseconds", points };
            write(name, &scatter.svg())?;
        }
        let readme = folder.join("README.md");
        let text = std::fs::read_to_string(&readme)
            .map_err(|error| format!("{}: {error}", readme.display()))?;
        let (before, rest) = text.split_once(table::BEGIN).ok_or("the README has no tables")?;
        let (_, after) =
            rest.split_once(table::END).ok_or("the tables of the README have no end")?;
        let tables = self.tables();
        write("README.md", &format!("{before}{}\n{tables}\n{}{after}", table::BEGIN, table::END))
    }
}

fn specification(trains: usize) -> Result<Specification, String> {
    let network = runs::network(trains);
    let interface = runs::interface(&network);
    Specification::new(network, interface, &Named::default()).map_err(|it| it.to_string())
}
