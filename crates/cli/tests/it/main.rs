//! The command line as a user meets it: what it prints, and how it ends.

mod chance;
mod check;
mod clusters;
mod convert;
mod devices;
mod examples;
mod exports;
mod extremes;
mod fuzzed;
mod generate;
mod guide;
mod hostile;
mod house;
mod interface;
mod interrupted;
mod json;
mod measured;
mod mutate;
mod oracles;
mod platform;
mod polling;
mod run;
mod score;
mod show;
mod shrunk;
mod signalled;
mod solvers;
mod stalled;
mod steered;
mod steering;
mod stopped;
mod suites;
mod testing;
mod usecases;
mod verdicts;

use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// The command, started in the root of the project, so that paths in its output are the same
/// everywhere.
fn punctual(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
    command.args(arguments).current_dir(root()).env("NO_COLOR", "1");
    command
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A fresh folder for the files of one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// What a run printed: the exit code, standard output, standard error.
fn output(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}
