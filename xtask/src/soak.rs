//! Tests with random cases, run for as long as one likes.
//!
//! `cargo test` tries the same few random cases every time, so that it is fast and fails for everybody
//! or for nobody. Here each round has cases of its own: property tests get another seed of their
//! generator, tests of random networks another first seed. The number of a round decides them, so a
//! round that failed can be run again.

use std::process::{Command, ExitCode};

use crate::solver;

/// How far apart the first seeds of neighbouring rounds are: more than a test uses.
const SEEDS_PER_ROUND: u64 = 1_000_000;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many rounds
    #[arg(long, default_value_t = 10)]
    rounds: u64,
    /// The number of the first round; round 0 has the cases of `cargo test`
    #[arg(long, default_value_t = 1)]
    first: u64,
    /// For `cargo test`, such as `--profile quick --package punctual-mc`; all tests if there are none
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Makes the rounds, and says of the one that failed how to run it again.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let brought = solver::run();
    if brought != ExitCode::SUCCESS {
        return brought;
    }
    for round in arguments.first..arguments.first.saturating_add(arguments.rounds) {
        println!("round {round}");
        let mut command = solver::cargo();
        command.arg("test").args(&arguments.arguments);
        if arguments.arguments.is_empty() {
            command.arg("--workspace");
        }
        let tested = solver::succeeds(with_cases_of(round, &mut command));
        if tested != ExitCode::SUCCESS {
            let more: String = arguments.arguments.iter().map(|it| format!(" {it}")).collect();
            let more = if more.is_empty() { more } else { format!(" --{more}") };
            eprintln!("again: cargo xtask soak --rounds 1 --first {round}{more}");
            return tested;
        }
    }
    ExitCode::SUCCESS
}

/// The environment that a round gives to tests.
fn with_cases_of(round: u64, command: &mut Command) -> &mut Command {
    match round {
        0 => command,
        _ => command
            .env("PROPTEST_RNG_SEED", round.to_string())
            .env("PUNCTUAL_SEED", round.saturating_mul(SEEDS_PER_ROUND).to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_have_cases_of_their_own() {
        let cases = |round| {
            let mut command = Command::new("cargo");
            with_cases_of(round, &mut command);
            let cases: Vec<String> =
                command.get_envs().map(|(name, value)| format!("{name:?} {value:?}")).collect();
            cases
        };
        assert!(cases(0).is_empty());
        assert_eq!(cases(2).len(), 2);
        assert_ne!(cases(2), cases(3));
    }
}
