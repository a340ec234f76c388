//! STUIOS (Wang, Pastore & Briand 2018), section 7: its questions, one by one.
//!
//! `timing.rs` answers RQ1, `detection/` RQ2 and RQ3, `accuracy/` RQ4. `narrower.rs` goes beyond: versions that no single
//! execution shows. `confirmed/` confirms probabilities and endings by other means. What is written goes to
//! `experiments/stuios`: the tables of its README, and `expected/`.

mod accuracy;
mod confirmed;
mod detection;
mod narrower;
mod timing;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::clock::Stopwatch;
use accuracy::Scale;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The research question of the paper: 1 to 4; 5 and 6 are ours, versions that do only what the model allows, and confirmed probabilities and endings
    #[arg(long, default_value_t = 4, value_parser = parse_question)]
    question: u8,
    /// Simulated suites
    #[arg(long, default_value_t = 10_000)]
    suites: u32,
    /// The seed of all choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only check that the figures are as they should be, with fewer probabilities and prices; write nothing
    #[arg(long)]
    check: bool,
    /// Where to write
    #[arg(long, default_value = "experiments/stuios")]
    folder: PathBuf,
}

fn parse_question(text: &str) -> Result<u8, String> {
    match text {
        "1" => Ok(1),
        "2" | "3" => Ok(2),
        "4" => Ok(4),
        "5" => Ok(5),
        "6" => Ok(6),
        _ => Err("the questions are 1 to 6; 2 and 3 have one answer".to_owned()),
    }
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    super::ended(experiment(arguments))
}

/// What a question gives.
struct Answer {
    tables: String,
    /// Names of files below `expected`, and their text.
    files: Vec<(&'static str, String)>,
    /// What contradicts the paper as we read it, or what is promised.
    problems: Vec<String>,
}

fn experiment(arguments: &Arguments) -> Result<Vec<String>, String> {
    let scale = if arguments.check { Scale::SMALL } else { Scale::FULL };
    let scale = Scale { suites: arguments.suites, seed: arguments.seed, ..scale };
    let watch = Stopwatch::start();
    let say = |what: &str| eprintln!("{:6.2} s: {what}", watch.elapsed().as_secs_f64());
    let answer = match arguments.question {
        1 => timing::answer(&arguments.folder, say)?,
        6 => {
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            let is_small = arguments.check;
            let (small, iterations, runs) = match is_small {
                true => (Some((20, 1)), 20, 5_000),
                false => (None, 200, 1_000_000),
            };
            let size = detection::Size { suites: 1, iterations, threads, small };
            let amount = confirmed::Amount { size, runs, seed: arguments.seed, is_small };
            confirmed::answer(&arguments.folder, amount, say)?
        }
        5 => narrower::answer(&arguments.folder, arguments.check, say)?,
        2 => {
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            let small = arguments.check.then_some((20, 10));
            let (suites, iterations) = if arguments.check { (1, 20) } else { (10, 200) };
            let size = detection::Size { suites, iterations, threads, small };
            detection::answer(&arguments.folder, size, say)?
        }
        _ => accuracy::answer(scale, |what| say(what)).map_err(|error| error.to_string())?,
    };
    println!("{}", answer.tables);
    if !arguments.check {
        write(&arguments.folder, arguments.question, &answer)?;
    }
    Ok(answer.problems)
}

fn write(folder: &Path, question: u8, answer: &Answer) -> Result<(), String> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    for (name, text) in &answer.files {
        write(&format!("expected/{name}"), text)?;
    }
    let readme = folder.join("README.md");
    let text = std::fs::read_to_string(&readme)
        .map_err(|error| format!("{}: {error}", readme.display()))?;
    let begin = format!(
        "<!-- question {question}: made by `cargo run --release -p xtask -- experiment stuios --question {question}` -->"
    );
    let end = format!("<!-- end of question {question} -->");
    let (before, rest) = text.split_once(&begin).ok_or("the README has no place for the tables")?;
    let (_, after) = rest.split_once(&end).ok_or("the tables of the README have no end")?;
    write("README.md", &format!("{before}{begin}\n{}\n{end}{after}", answer.tables))
}
