//! The Platform paper (You et al. 2016), section V: a suite for an infusion pump on platforms with delays.
//!
//! `mutants.rs` looks for faulty pumps, too. `steered.rs` judges runs by steering beside the paper's rule, with the model of `neighbours.rs`.
//!
//! `platforms.rs` makes the 21 configurations and what a calibration finds out about them, `executed.rs` runs the suite on one of them and judges it,
//! `tables.rs` puts the figures of the paper beside ours. What is written goes to `experiments/platform`.

mod executed;
mod mutants;
mod neighbours;
mod platforms;
mod steered;
mod tables;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use punctual_campaign::load::{Environment, load};
use punctual_campaign::suites::suite_of_table;
use punctual_model::lustre::Program;
use punctual_model::testing::suite::{Body, Table};
use punctual_semantics::lustre::{Machine, Reals};
use punctual_smc::parallel::in_order;

use crate::clock::Stopwatch;
use executed::{Executed, Pump};
use platforms::{CONFIGURATIONS, Configuration};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Executions of the suite on each platform
    #[arg(long, default_value_t = 5)]
    executions: u64,
    /// Of these, so many are judged by all that may have happened, which takes minutes where delays vary much
    #[arg(long, value_name = "N", default_value_t = 5)]
    beyond: u64,
    /// Only the platforms with this deviation of delays, in milliseconds; write nothing
    #[arg(long, value_name = "MS")]
    deviation: Option<u32>,
    /// Only the platforms with this largest mean of delays, in milliseconds; write nothing
    #[arg(long, value_name = "MS")]
    mean: Option<u32>,
    /// Only each n-th test; write nothing
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,
    /// A test is run so often at most
    #[arg(long, value_name = "N", default_value_t = 20)]
    tries: usize,
    /// Only each n-th output can be seen; write nothing
    #[arg(long, value_name = "N", default_value_t = 1)]
    visible: usize,
    /// A second platform: delays are even instead of normal, steps come up to 20 ms early or late, and the program takes longer; write nothing
    #[arg(long)]
    second: bool,
    /// The seed of all choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Look for so many faulty pumps instead; 0 for none
    #[arg(long, value_name = "N", default_value_t = 0)]
    mutants: usize,
    /// Judge scheduled runs by steering beside the paper's rule instead, of the right pump and of so many faulty ones; write nothing
    #[arg(long)]
    steering: bool,
    /// Only check that the figures are as they should be, on few platforms and with few tests; write nothing
    #[arg(long)]
    check: bool,
    /// Where to write
    #[arg(long, default_value = "experiments/platform")]
    folder: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    super::ended(experiment(arguments))
}

/// A job: a platform, and the number of the execution.
type Job = (Configuration, u64);

fn experiment(arguments: &Arguments) -> Result<Vec<String>, String> {
    let watch = Stopwatch::start();
    let say = |what: &str| eprintln!("{:6.2} s: {what}", watch.elapsed().as_secs_f64());
    let (program, mut tests) = files(&arguments.folder)?;
    let (mut configurations, mut executions) = (CONFIGURATIONS.to_vec(), arguments.executions);
    if arguments.check {
        tests = tests.into_iter().step_by(24).collect();
        configurations.retain(|it| it.max_mean == 500 && matches!(it.deviation, 50 | 200));
        executions = 1;
    }
    configurations.retain(|it| arguments.deviation.is_none_or(|only| it.deviation == only));
    configurations.retain(|it| arguments.mean.is_none_or(|only| it.max_mean == only));
    tests = tests.into_iter().step_by(arguments.every.max(1)).collect();
    let inputs: Vec<_> = program.inputs().collect();
    let machine = Machine::watching(&program, Reals::Exact, &[], &inputs);
    let machine = machine.map_err(|refusal| refusal.to_string())?;
    let tries = if arguments.check { 2 } else { arguments.tries };
    let (program, machine, tests) = (&program, &machine, &tests[..]);
    let pump = Pump {
        program,
        machine,
        tests,
        seed: arguments.seed,
        tries,
        beyond: arguments.beyond,
        visible: arguments.visible.max(1),
        is_second: arguments.second,
    };
    let n = tests.iter().map(|it| it.steps.len()).sum::<usize>();
    say(&format!("{} tests with {n} interactions", tests.len()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    if arguments.steering {
        println!("{}", steered::answer(&pump, arguments.mutants, threads, &say)?);
        return Ok(Vec::new());
    }
    if arguments.mutants > 0 {
        let n_mutants = arguments.mutants;
        let settings = mutants::Settings { n_mutants, executions, threads };
        let (table, problems) = mutants::answer(&pump, &settings, &say)?;
        println!("{table}");
        return Ok(problems);
    }
    let jobs: Vec<Job> = (configurations.iter())
        .flat_map(|it| (0..executions).map(|execution| (*it, execution)))
        .collect();
    let n_jobs = jobs.len();
    let mut found: Vec<(Configuration, Executed)> = Vec::new();
    let work = |(): &mut (), (configuration, execution): Job| {
        pump.execute(configuration, execution).map(|it| (configuration, it))
    };
    let take = |executed: Result<(Configuration, Executed), String>| match executed {
        Ok((configuration, executed)) => {
            let Configuration { max_mean, deviation } = configuration;
            let (number, failed) = (found.len() + 1, executed.failed);
            say(&format!(
                "{number} of {n_jobs}: {max_mean}/{deviation} is executed, {failed} failed"
            ));
            found.push((configuration, executed));
            ControlFlow::Continue(())
        }
        Err(error) => ControlFlow::Break(error),
    };
    if let Some(error) = in_order(threads, jobs, || (), work, take) {
        return Err(error);
    }
    let answer = tables::answer(&found);
    println!("{}", answer.tables);
    let is_whole = arguments.deviation.is_none()
        && arguments.mean.is_none()
        && arguments.every <= 1
        && arguments.visible <= 1
        && !arguments.second;
    if !arguments.check && is_whole {
        write(&arguments.folder, &answer)?;
    }
    Ok(answer.problems)
}

/// The pump and its suite.
fn files(folder: &Path) -> Result<(Program, Vec<Table>), String> {
    let model = folder.join("pump.lus");
    let mut loaded = load(&model, None, Environment::Model).map_err(|it| it.to_string())?;
    suite_of_table(&mut loaded, &folder.join("suite.csv"), platforms::STEP_NS)
        .map_err(|it| it.to_string())?;
    let steps = loaded.judges.steps.ok_or("no model")?;
    let suite = loaded.judges.suite.ok_or("no suite")?;
    let tables = suite.cases.into_iter().filter_map(|case| match case.body {
        Body::Steps(table) => Some(table),
        Body::Timed(_) => None,
    });
    Ok((steps.program().clone(), tables.collect()))
}

fn write(folder: &Path, answer: &tables::Answer) -> Result<(), String> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    write("expected/table2.csv", &answer.csv)?;
    let readme = folder.join("README.md");
    let text = std::fs::read_to_string(&readme)
        .map_err(|error| format!("{}: {error}", readme.display()))?;
    let begin = "<!-- made by `cargo run --release -p xtask -- experiment platform` -->";
    let end = "<!-- end of what is made -->";
    let (before, rest) = text.split_once(begin).ok_or("the README has no place for the tables")?;
    let (_, after) = rest.split_once(end).ok_or("the tables of the README have no end")?;
    write("README.md", &format!("{before}{begin}\n{}\n{end}{after}", answer.tables))
}
