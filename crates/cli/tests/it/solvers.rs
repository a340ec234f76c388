//! Solvers that think for long: a signal ends them along with the command, at once.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use super::{folder, interrupted::is_hanging_up_ignored, root};

/// So often something is looked at before it is given up, every 25 ms.
const LOOKS: usize = 400;

#[expect(clippy::disallowed_methods, reason = "waits for another process")]
fn pause() {
    std::thread::sleep(Duration::from_millis(25));
}

/// A solver in a folder that says which process it is, and then sleeps.
fn sleeping(folder: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let program = folder.join("solver");
    let pid = folder.join("pid");
    let script = format!("#!/bin/sh\necho \"$$ \" > '{}'\nexec sleep 60\n", pid.display());
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    program
}

/// Starts a command with such a solver, and waits until that runs; both processes.
fn started(name: &str, arguments: &[&str]) -> (Child, i32) {
    let folder = folder(name);
    let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
    command.args(arguments).arg("--solver").arg(sleeping(&folder)).current_dir(root());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    for _ in 0..LOOKS {
        let text = std::fs::read_to_string(folder.join("pid")).unwrap_or_default();
        if let Some(pid) = text.trim_end().parse().ok().filter(|_| text.ends_with('\n')) {
            return (child, pid);
        }
        pause();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    panic!("the solver did not start");
}

/// How a command ends within a second; none if it goes on.
fn ended(child: &mut Child) -> Option<ExitStatus> {
    for _ in 0..40 {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        pause();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

fn is_gone(pid: i32) -> bool {
    (0..40).any(|_| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let is_over = stat.is_empty() || stat.contains(") Z ");
        if !is_over {
            pause();
        }
        is_over
    })
}

fn signals() -> Vec<&'static str> {
    let hanging_up = (!is_hanging_up_ignored()).then_some("-HUP");
    ["-INT", "-TERM"].into_iter().chain(hanging_up).collect()
}

const USECASES: &[&str] = &["usecases", "examples/bodysense", "--scenarios"];
const GENERATE: &[&str] =
    &["generate", "examples/oven/loop.lus", "--cover", "mcdc", "--first-random", "0"];

fn signal(child: &Child, signal: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
}

/// The command ends with a word, and takes its solver along.
#[test]
fn use_cases_leave_no_solver() {
    for asked in signals() {
        let (mut child, solver) = started(&format!("solver-usecases{asked}"), USECASES);
        signal(&child, asked);
        let status = ended(&mut child);
        assert_eq!(status.and_then(|it| it.code()), Some(3), "{asked}: {status:?}");
        assert!(is_gone(solver), "{asked}: the solver is left");
    }
}

/// Tests that were found are written although the solver did not answer.
#[test]
fn generating_does_not_wait_for_the_solver() {
    for asked in signals() {
        let (mut child, solver) = started(&format!("solver-generate{asked}"), GENERATE);
        signal(&child, asked);
        let status = ended(&mut child);
        assert_eq!(status.and_then(|it| it.code()), Some(3), "{asked}: {status:?}");
        assert!(is_gone(solver), "{asked}: the solver is left");
    }
}

/// Nobody hears this signal, so the solver asks beforehand to end with the command.
#[test]
#[cfg(target_os = "linux")]
fn a_command_that_is_killed_leaves_no_solver() {
    for (name, arguments) in [("usecases", USECASES), ("generate", GENERATE)] {
        let (mut child, solver) = started(&format!("solver-killed-{name}"), arguments);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(is_gone(solver), "{name}: the solver is left");
    }
}
