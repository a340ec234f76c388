//! Suites on platforms with delays (`examples/infusion`).

mod calibration;
mod configured;
mod drift;
mod evidence;
mod interrupted;
mod requirements;
mod running;
mod steps;

use std::path::Path;

use super::{folder, output, punctual, root};

const TESTS: &str = "examples/infusion/tests.toml";
const PLATFORM: &str = "examples/infusion/platform.toml";
const WIDE: &str = "examples/infusion/wide.toml";
const PUMP: &str = "examples/infusion/pump.lus";
const FAULTY: &str = "examples/infusion/faulty.lus";
const LATE: &str = "examples/infusion/late.lus";

/// What a command prints with `--json`, and its exit code.
fn json(arguments: &[&str]) -> (Option<i32>, serde_json::Value) {
    let (code, printed, errors) = output(&mut punctual(&[arguments, &["--json"]].concat()));
    let value = serde_json::from_str(&printed);
    (code, value.unwrap_or_else(|why| panic!("{why}: {printed}{errors}")))
}

/// A file of the project.
fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).expect("a file")
}

/// Writes a file; its path.
fn write(place: &Path, name: &str, text: &str) -> String {
    let path = place.join(name);
    std::fs::write(&path, text).expect("it can be written");
    path.to_str().expect("a name").to_owned()
}
