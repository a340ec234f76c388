//! The command `punctual`: arguments to calls, diagnostics to the terminal, answers to exit codes.
//!
//! Not here: logic. A command reads what it is given, calls the crates below, and shows what they
//! say. Exit codes: 0 pass or satisfied, 1 fail or not satisfied, 2 rejected input or usage,
//! 3 inconclusive.

#[macro_use]
mod tell;

mod clock;
mod codes;
mod commands;
mod estimation;
mod export;
mod guard;
mod input;
mod memory;
mod progress;
mod specification;

use std::{
    ffi::OsStr,
    fs::File,
    io::ErrorKind,
    path::{Path, PathBuf},
    process::ExitCode,
};

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
    /// The SMT solver, a z3: otherwise the one that `PUNCTUAL_SOLVER` names, the one that the tool came with, or the one on the path
    #[arg(long, global = true, value_name = "PROGRAM", help_heading = "Solver")]
    solver: Option<PathBuf>,
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
    SolverHost(commands::solver_host::SolverHost),
}

/// So many names are tried for a file that is being written.
const PARTS_MAX: u32 = 100;
/// More threads than this are refused.
const THREADS_MAX: usize = 1024;

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
    if let Some(solver) = arguments.solver {
        punctual_solver::Solver::choose(solver);
    }
    commands::solver_host::bind();
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
        Command::SolverHost(host) => host.run(),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(Stop::Reported) => ExitCode::from(REJECTED),
        Err(Stop::Inconclusive(message)) => {
            tell!("{message}");
            ExitCode::from(INCONCLUSIVE)
        }
        Err(Stop::Message(message)) => {
            tell!("error: {message}");
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

/// The command line, for records. What is no text is told as well as it can be.
fn command_line() -> Vec<String> {
    std::env::args_os().map(|it| it.to_string_lossy().into_owned()).collect()
}

/// A number of threads. Each has a stack, so there is a limit that no machine is hurt by.
fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=THREADS_MAX) => Ok(threads),
        _ => Err(format!("give a number of threads from 1 to {THREADS_MAX}")),
    }
}

/// Why a command did not finish.
enum Stop {
    /// Diagnostics were shown already.
    Reported,
    /// To be shown.
    Message(String),
    /// The user wanted no more before there was an answer; to be shown.
    Inconclusive(String),
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
    let (part, mut file) = progress::unfinished(|| part_file(path, name)).map_err(failed)?;
    let written = std::io::Write::write_all(&mut file, text.as_bytes());
    drop(file);
    let done = written.and_then(|()| std::fs::rename(&part, path)).map_err(|error| {
        let _ = std::fs::remove_file(&part);
        failed(error)
    });
    progress::finished(&part);
    done
}

/// A new file beside another one. It did not exist before: somebody who can guess its name could have put a link there that leads elsewhere.
fn part_file(path: &Path, name: &OsStr) -> std::io::Result<(PathBuf, File)> {
    let mut tried = 0;
    loop {
        let mut part = name.to_owned();
        part.push(format!(".{}.{tried}.part", std::process::id()));
        let part = path.with_file_name(part);
        match File::create_new(&part) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && tried < PARTS_MAX => {
                tried += 1
            }
            Err(error) => return Err(error),
            Ok(file) => return Ok((part, file)),
        }
    }
}

/// Prints to standard output. A reader that goes away (`punctual show … | head`) ends the program
/// quietly, as with any other tool.
fn print(text: &str) -> Result<(), Stop> {
    print_or_end(text, PASS)
}

/// Prints to standard output; ends the program with `code` if the reader went away.
fn print_or_end(text: &str, code: u8) -> Result<(), Stop> {
    print_painted_or_end(&tell::harmless(text), code)
}

/// The same for a text with colours of our own.
fn print_painted_or_end(text: &str, code: u8) -> Result<(), Stop> {
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
