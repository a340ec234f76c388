//! TAUC (Wang, Pastore & Briand 2017), section X: Table III, which faults of BodySense suites of several sizes find.
//!
//! `subject.rs` has the model, its mutants and what they are; `suites.rs` makes the suites, `table.rs` puts the figures
//! of the paper beside ours. `usecases.rs` compares the model with the one that is derived from use cases. What is written goes to
//! `experiments/tauc`.

mod subject;
mod suites;
mod table;
mod usecases;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use punctual_testgen::mutation::decide::Outcome;

use subject::Subject;
use suites::{Kind, Made};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Suites of each size
    #[arg(long, default_value_t = 10)]
    suites: u64,
    /// New cases that are tried to make a suite more diverse
    #[arg(long, default_value_t = 1000)]
    iterations: usize,
    /// Numbers of cases
    #[arg(long, value_delimiter = ',', default_values_t = [25, 50, 75, 100, 122])]
    sizes: Vec<usize>,
    /// How far clock bounds are moved, in milliseconds
    #[arg(long, value_delimiter = ',', default_values_t = [100, 1000, 2000])]
    offsets: Vec<i32>,
    /// Only mutants of so many errors, for a quick look
    #[arg(long)]
    errors: Option<usize>,
    /// Threads
    #[arg(long)]
    threads: Option<usize>,
    /// Only check that all is as it should be; write nothing
    #[arg(long)]
    check: bool,
    /// Only score one suite on the model and on the one that is derived from the use cases, and say which mutants differ
    #[arg(long, conflicts_with_all = ["suites", "iterations", "sizes", "offsets", "errors"])]
    use_cases: bool,
    /// Where the model is, and where to write
    #[arg(long, default_value = "experiments/tauc")]
    folder: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    super::ended(experiment(arguments))
}

/// What suites find of the mutants with one offset.
struct Found {
    offset: i32,
    /// How many mutants of each operator are wrong, narrower, and something else.
    operators: Vec<(&'static str, [usize; 3])>,
    /// For each kind of suite, whether locations are read, and each size: what each suite finds.
    rows: Vec<Row>,
    /// How many cases find all wrong mutants, how many of them they find, and the steps of the longest case.
    killed: (usize, usize, usize),
    survivors: Vec<String>,
    /// Mutants that some suite of another kind finds and some suite of TAUC with most cases does not.
    missed: usize,
}

/// What the suites of a kind and a size find.
struct Row {
    kind: Kind,
    locations: bool,
    size: usize,
    /// For each suite: mutants that may fail, that must fail, and wrong mutants that may fail.
    suites: Vec<[usize; 3]>,
}

fn experiment(arguments: &Arguments) -> Result<Vec<String>, String> {
    let threads = arguments
        .threads
        .or_else(|| std::thread::available_parallelism().ok().map(Into::into))
        .unwrap_or(1);
    if arguments.use_cases {
        return usecases::compare(&arguments.folder, threads);
    }
    let seen = subject::specification(&arguments.folder, "punctual.toml")?;
    let all = subject::specification(&arguments.folder, "locations.toml")?;
    let made = suites::make(&seen, &all, arguments, threads)?;
    let mut found = Vec::new();
    for offset in &arguments.offsets {
        eprintln!("offset {offset}: deciding mutants");
        let subject = Subject::new(&seen, &all, *offset, arguments.errors, threads);
        eprintln!("offset {offset}: scoring {} suites", made.len());
        found.push(score(&subject, &made, threads)?);
    }
    let text = table::tables(&found);
    println!("{text}");
    if !arguments.check {
        write(&arguments.folder, &found, &text)?;
    }
    Ok(found.iter().flat_map(problems).collect())
}

fn score(subject: &Subject<'_>, made: &[Made], threads: usize) -> Result<Found, String> {
    let mut rows: Vec<Row> = Vec::new();
    let wrong = subject.wrong();
    let (mut ours, mut others) = (Vec::new(), vec![false; subject.mutants.len()]);
    let largest = made.iter().filter(|it| it.kind == Kind::Tauc).map(|it| it.size).max();
    for suite in made {
        for locations in [false, true] {
            let outcomes = subject.outcomes(suite, locations, threads);
            let at_least = |least: Outcome| outcomes.iter().filter(|it| **it >= least).count();
            let found = outcomes.iter().zip(&wrong).filter(|(it, is)| **it >= Outcome::May && **is);
            let counts = [at_least(Outcome::May), at_least(Outcome::Must), found.count()];
            let (kind, size) = (suite.kind, suite.size);
            let same =
                |row: &&mut Row| (row.kind, row.locations, row.size) == (kind, locations, size);
            match rows.iter_mut().find(same) {
                Some(row) => row.suites.push(counts),
                None => rows.push(Row { kind, locations, size, suites: vec![counts] }),
            }
            let finds: Vec<bool> = outcomes.iter().map(|it| *it >= Outcome::May).collect();
            if !locations && kind == Kind::Tauc && Some(size) == largest {
                ours.push(finds);
            } else if !locations && kind != Kind::Tauc && kind != Kind::PaperWaits {
                others.iter_mut().zip(finds).for_each(|(any, it)| *any |= it);
            }
        }
    }
    let is_missed = |at: &usize| others[*at] && ours.iter().any(|finds| !finds[*at]);
    let missed = (0..others.len()).filter(is_missed).count();
    let survives = |at: &usize| wrong[*at] && ours.iter().any(|finds| !finds[*at]);
    let survivors = (0..wrong.len()).filter(survives).map(|at| subject.explain(at)).collect();
    let killed = subject.kill()?;
    let operators = subject.operators();
    Ok(Found { offset: subject.offset, operators, rows, killed, survivors, missed })
}

/// What contradicts what is promised.
fn problems(found: &Found) -> Vec<String> {
    let mut problems = Vec::new();
    let n_wrong: usize = found.operators.iter().map(|(_, [wrong, ..])| wrong).sum();
    let offset = found.offset;
    for row in &found.rows {
        for [may, _, of_wrong] in &row.suites {
            if may != of_wrong {
                problems.push(format!("offset {offset}: a suite fails a mutant that is not wrong"));
            }
        }
    }
    let tauc = found.rows.iter().filter(|row| row.kind == Kind::Tauc && !row.locations);
    if let Some(row) = tauc.max_by_key(|row| row.size) {
        let found: usize = row.suites.iter().map(|[_, _, found]| found).sum();
        let share = 100.0 * found as f64 / (row.suites.len() * n_wrong).max(1) as f64;
        if share < 97.0 {
            problems.push(format!("offset {offset}: {} cases find {share:.1} % only", row.size));
        }
    }
    let (n_cases, n_killed, _) = found.killed;
    if n_killed < n_wrong || n_cases > 12 {
        problems.push(format!("offset {offset}: {n_cases} cases find {n_killed} of {n_wrong}"));
    }
    problems
}

fn write(folder: &Path, found: &[Found], tables: &str) -> Result<(), String> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    write("ours.csv", &table::csv(found))?;
    let readme = folder.join("README.md");
    let text = std::fs::read_to_string(&readme)
        .map_err(|error| format!("{}: {error}", readme.display()))?;
    let (before, rest) = text.split_once(table::BEGIN).ok_or("the README has no tables")?;
    let (_, after) = rest.split_once(table::END).ok_or("the tables of the README have no end")?;
    write("README.md", &format!("{before}{}\n{tables}\n{}{after}", table::BEGIN, table::END))
}
