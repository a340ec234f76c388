//! Tables of papers, made again: ours beside theirs.

mod scatter;
mod t_uppaal;

use std::process::ExitCode;

use clap::Subcommand;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    paper: Paper,
}

#[derive(Subcommand)]
enum Paper {
    /// Table 5 and Figures 6 and 7: online testing of the train controller and its mutants
    TUppaal(t_uppaal::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    match &arguments.paper {
        Paper::TUppaal(arguments) => t_uppaal::run(arguments),
    }
}
