//! Tables of papers, made again: ours beside theirs.

mod platform;
mod scatter;
mod steering;
mod stuios;
mod t_uppaal;
mod tauc;

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
    /// Table II: a suite for an infusion pump on platforms with delays, scheduled and direct
    Platform(platform::Arguments),
    /// Tables 6.5 to 6.30: steered oracles of an infusion pump and a pacemaker
    Steering(steering::Arguments),
    /// RQ1 and RQ4: which faults of timing repeated cases find, how accurate their verdicts are, and how many executions they take
    Stuios(stuios::Arguments),
    /// Table III: which faults of BodySense suites of several sizes find
    Tauc(tauc::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    match &arguments.paper {
        Paper::TUppaal(arguments) => t_uppaal::run(arguments),
        Paper::Platform(arguments) => platform::run(arguments),
        Paper::Steering(arguments) => steering::run(arguments),
        Paper::Stuios(arguments) => stuios::run(arguments),
        Paper::Tauc(arguments) => tauc::run(arguments),
    }
}

/// The end of an experiment: what is not as it should be, or why it could not be made.
fn ended(experiment: Result<Vec<String>, String>) -> ExitCode {
    match experiment {
        Ok(problems) if problems.is_empty() => ExitCode::SUCCESS,
        Ok(problems) => {
            problems.iter().for_each(|it| eprintln!("not as it should be: {it}"));
            ExitCode::from(1)
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
