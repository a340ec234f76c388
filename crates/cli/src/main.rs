//! The command `punctual`: arguments to calls, diagnostics to the terminal, answers to exit codes.
//!
//! Not here: logic. A command reads what it is given, calls the crates below, and shows what they
//! say. Exit codes: 0 pass or satisfied, 1 fail or not satisfied, 2 rejected input or usage,
//! 3 inconclusive.

mod clock;
mod codes;
mod commands;
mod estimation;
mod export;
mod input;
mod memory;
mod progress;
mod specification;

use std::{path::Path, process::ExitCode};

use clap::{Parser, Subcommand};

/// Tests whether real-time systems do the right thing at the right time.
#[derive(Parser)]
#[command(
    name = "punctual",
    version,
    after_help = "Exit codes: 0 pass or satisfied, 1 fail or not satisfied, \
                  2 rejected input or wrong usage, 3 inconclusive."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Show(commands::show::Show),
    Convert(commands::convert::Convert),
    Check(Box<commands::check::Check>),
    Run(Box<commands::run::Run>),
    Test(Box<commands::test::Test>),
    Judge(commands::judge::Judge),
    Steer(commands::steer::Steer),
    Generate(Box<commands::generate::Generate>),
    Mutate(commands::mutate::Mutate),
    Score(commands::score::Score),
    Oracles(commands::oracles::Oracles),
    Replay(commands::replay::Replay),
    Report(commands::report::Report),
    Calibrate(Box<commands::calibrate::Calibrate>),
    Usecases(commands::usecases::Usecases),
    PlatformHost(commands::platform_host::PlatformHost),
    LibraryHost(commands::library_host::LibraryHost),
}

/// All is well.
const PASS: u8 = 0;
/// A property is not satisfied.
const FAIL: u8 = 1;
/// The input was rejected, or the command was used wrongly.
const REJECTED: u8 = 2;
/// Nothing definite can be said.
const INCONCLUSIVE: u8 = 3;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.command {
        Command::Show(show) => show.run().map(|()| PASS),
        Command::Convert(convert) => convert.run().map(|()| PASS),
        Command::Check(check) => check.run(),
        Command::Run(run) => run.run(),
        Command::Test(test) => test.run(),
        Command::Judge(judge) => judge.run(),
        Command::Steer(steer) => steer.run(),
        Command::Generate(generate) => generate.run(),
        Command::Mutate(mutate) => mutate.run(),
        Command::Score(score) => score.run(),
        Command::Oracles(oracles) => oracles.run(),
        Command::Replay(replay) => replay.run(),
        Command::Report(report) => report.run(),
        Command::Calibrate(calibrate) => calibrate.run(),
        Command::Usecases(usecases) => usecases.run(),
        Command::PlatformHost(host) => host.run(),
        Command::LibraryHost(host) => host.run(),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(Stop::Reported) => ExitCode::from(REJECTED),
        Err(Stop::Message(message)) => {
            eprintln!("error: {message}");
            ExitCode::from(REJECTED)
        }
    }
}

impl From<punctual_campaign::problem::Problem> for Stop {
    /// What is wrong with a file is shown at its place.
    fn from(problem: punctual_campaign::problem::Problem) -> Stop {
        match problem {
            punctual_campaign::problem::Problem::File(file, diagnostics) => {
                input::show(&diagnostics, &file);
                Stop::Reported
            }
            punctual_campaign::problem::Problem::Message(message) => Stop::Message(message),
        }
    }
}

/// Why a command did not finish.
enum Stop {
    /// Diagnostics were shown already.
    Reported,
    /// To be shown.
    Message(String),
}

/// Writes a file whole or not at all: an interrupted command leaves what was there before.
fn write_file(path: &Path, text: &str) -> Result<(), Stop> {
    let failed = |error: std::io::Error| {
        Stop::Message(format!("can not write `{}`: {error}", path.display()))
    };
    // A device or a pipe can not be replaced.
    let special = std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
    let Some(name) = path.file_name().filter(|_| !special) else {
        return std::fs::write(path, text).map_err(failed);
    };
    let mut part = name.to_owned();
    part.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(part);
    std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, path)).map_err(|error| {
        let _ = std::fs::remove_file(&part);
        failed(error)
    })
}

/// Prints to standard output. A reader that goes away (`punctual show … | head`) ends the program
/// quietly, as with any other tool.
fn print(text: &str) -> Result<(), Stop> {
    print_or_end(text, PASS)
}

/// Prints to standard output; ends the program with `code` if the reader went away.
fn print_or_end(text: &str, code: u8) -> Result<(), Stop> {
    use std::io::Write;
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            std::process::exit(code.into())
        }
        Err(error) => Err(Stop::Message(format!("can not write the output: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// The width of the terminal; none in a pipe, where lines stay whole.
fn terminal_width() -> Option<u16> {
    terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0)
}
