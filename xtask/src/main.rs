//! Automation of the project, in Rust: `cargo run -p xtask -- help`.
//!
//! - `corpus` reads every model of a folder, converts it to every format and compares what comes
//!   back;
//! - `answers` asks the queries of a corpus whose answers are known and prints what differs;
//! - `bench` measures searches beside those of a peer;
//! - `experiment` makes the tables of a paper again;
//! - `generate` writes a large model, for measurements;
//! - `solver` brings the SMT solver, `test` runs all tests after that, and `soak` runs them again and
//!   again with other random cases.
//!
//! The tests of this crate keep the map of the project true.

mod answers;
mod ask;
mod bench;
mod chance;
mod clock;
mod corpus;
mod csv;
mod experiment;
mod generate;
mod soak;
mod solver;

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Automation of the project")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Read all models below a folder, convert each to every format, compare the networks
    Corpus {
        /// The folder
        folder: PathBuf,
        /// Also list models without differences
        #[arg(long)]
        all: bool,
    },
    /// Ask the queries of a corpus whose answers are known, and print what differs
    Answers(answers::Arguments),
    /// Measure searches, beside TChecker's where `tck-reach` is on the path
    Bench(bench::Arguments),
    /// Make the tables of a paper again, ours beside theirs
    Experiment(experiment::Arguments),
    /// Answer one question: what the other commands start
    #[command(hide = true)]
    Ask {
        /// The question, as JSON
        question: String,
    },
    /// Write a large model as UPPAAL XML to standard output
    Generate {
        /// How many templates
        #[arg(long, default_value_t = 200)]
        templates: usize,
        /// How many edges in all
        #[arg(long, default_value_t = 20_000)]
        edges: usize,
    },
    /// Bring the SMT solver into the project's folder, if it is not there
    Solver,
    /// Bring the solver, then run all tests
    Test {
        /// For `cargo test --workspace`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Run all tests again and again, each time with other random cases, until one fails
    Soak(soak::Arguments),
}

fn main() -> ExitCode {
    match Arguments::parse().task {
        Task::Corpus { folder, all } => corpus::run(&folder, all),
        Task::Answers(arguments) => answers::run(&arguments),
        Task::Bench(arguments) => bench::run(&arguments),
        Task::Experiment(arguments) => experiment::run(&arguments),
        Task::Ask { question } => ask::answer(&question),
        Task::Solver => solver::run(),
        Task::Test { arguments } => solver::test(&arguments),
        Task::Soak(arguments) => soak::run(&arguments),
        Task::Generate { templates, edges } => {
            print!("{}", generate::model(templates, edges));
            ExitCode::SUCCESS
        }
    }
}
