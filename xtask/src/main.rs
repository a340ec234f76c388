//! Automation of the project, in Rust: `cargo run -p xtask -- help`.
//!
//! - `corpus` reads every model of a folder, converts it to every format and compares what comes
//!   back;
//! - `generate` writes a large model, for measurements.
//!
//! The tests of this crate keep the map of the project true.

mod corpus;
mod generate;

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
    /// Write a large model as UPPAAL XML to standard output
    Generate {
        /// How many templates
        #[arg(long, default_value_t = 200)]
        templates: usize,
        /// How many edges in all
        #[arg(long, default_value_t = 20_000)]
        edges: usize,
    },
}

fn main() -> ExitCode {
    match Arguments::parse().task {
        Task::Corpus { folder, all } => corpus::run(&folder, all),
        Task::Generate { templates, edges } => {
            print!("{}", generate::model(templates, edges));
            ExitCode::SUCCESS
        }
    }
}
