//! The parts that are written in Python pass their own tests.

use std::{
    path::Path,
    process::{Command, Stdio},
};

/// Runs the tests of a folder. Where there is no Python, there is nothing to be run.
fn unittest(folder: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the workspace");
    let version = Command::new("python3").arg("--version").stdout(Stdio::null()).status();
    if !version.is_ok_and(|status| status.success()) {
        eprintln!("no Python here: the tests in {folder} were left out");
        return;
    }
    let output = Command::new("python3")
        .args(["-B", "-W", "error", "-m", "unittest", "discover", folder])
        .current_dir(root)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}");
    assert!(!printed.contains("Ran 0 tests"), "{folder} has no tests");
}

#[test]
fn cooling() {
    unittest("examples/cooling/sut");
}

#[test]
fn smart_lamp() {
    unittest("examples/smart-lamp/sut");
}

#[test]
fn kit() {
    unittest("sdk/python");
}
