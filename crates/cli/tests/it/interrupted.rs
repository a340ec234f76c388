//! Ctrl-C: what was begun says nothing about the system, and nothing is left behind.

#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::{folder, output, punctual, root};

/// A system that answers, and then waits for what never comes.
const PATIENT: &str = "import json, os, sys, time
say = lambda **it: print(json.dumps(it), flush=True)
sys.stdin.readline(); say(ready=0, protocol=2, can=[])
print('pid', os.getpid(), file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if 'reset' in message: say(ready=message['reset'])
    else: open(__file__ + '.pid', 'w').write(f'{os.getpid()} ')
while True: time.sleep(1)
";

/// Starts a test on the real clock that would take an hour, and waits until the system runs.
fn started(name: &str) -> (Child, String) {
    started_on(name, "real")
}

fn started_on(name: &str, clock: &str) -> (Child, String) {
    let folder = folder(name);
    let system = folder.join("patient.py");
    std::fs::write(&system, PATIENT).unwrap();
    let store = folder.join("runs").display().to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
    command.args(["test", "examples/coffee-machine/model.xml", "--clock", clock, "--time", "1h"]);
    command.args(["--system", &format!("python3 {}", system.display()), "--record", &store]);
    command.current_dir(root()).stdout(Stdio::piped()).stderr(Stdio::piped());
    (command.spawn().unwrap(), store)
}

/// The folder of a test, by that of its runs.
fn folder_of(store: &str) -> PathBuf {
    Path::new(store).parent().unwrap().to_owned()
}

/// Waits until the record says that the system runs; its process.
fn pid(store: &str) -> i32 {
    let path = format!("{store}/0001/record.jsonl");
    for _ in 0..400 {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let said = text.lines().find_map(|line| line.split("pid ").nth(1));
        if let Some(pid) = said.and_then(|it| it.split('"').next()?.trim().parse().ok()) {
            return pid;
        }
        pause();
    }
    panic!("the system did not start");
}

#[expect(clippy::disallowed_methods, reason = "waits for another process")]
fn pause() {
    std::thread::sleep(Duration::from_millis(25));
}

fn interrupt(child: &Child) {
    signal(child, "-INT");
}

fn signal(child: &Child, signal: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
}

fn is_alive(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

/// A system that owes an answer and hangs was waited for, for ten seconds, although the user wanted no more.
#[test]
fn a_system_that_hangs_is_let_go_at_once() {
    let (mut child, store) = started_on("hanging", "virtual");
    // It says so when it was asked for something.
    let path = folder_of(&store).join("patient.py.pid");
    let pid = (0..400).find_map(|_| {
        pause();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        text.strip_suffix(' ').and_then(|it| it.parse().ok())
    });
    let pid: i32 = pid.expect("the system did not start");
    interrupt(&child);
    let is_over = (0..160).any(|_| {
        pause();
        child.try_wait().unwrap().is_some()
    });
    if !is_over {
        child.kill().unwrap();
    }
    assert!(is_over, "the system is waited for");
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert!(!is_alive(pid), "the system is left behind");
    let record = std::fs::read_to_string(format!("{store}/0001/record.jsonl")).unwrap();
    assert!(record.contains("\"cause\":\"stopped\""), "{record}");
}

/// Whoever does not want to wait for scenarios is told so, and nothing is left behind.
#[test]
fn use_cases_are_stopped_with_a_word() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("usecases-stopped");
    let solver = folder.join("solver.sh");
    let asked = folder.join("asked");
    std::fs::write(&solver, format!("#!/bin/sh\n: > '{}'\nexec sleep 60\n", asked.display()))
        .unwrap();
    std::fs::set_permissions(&solver, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
    command.args(["usecases", "examples/bodysense", "--scenarios"]);
    command.env("PUNCTUAL_SOLVER", &solver).current_dir(root());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!((0..400).any(|_| {
        pause();
        asked.exists()
    }));
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert_eq!(stderr.trim(), "stopped");
}

#[test]
fn a_run_that_is_stopped_is_inconclusive() {
    is_inconclusive("-INT");
    is_inconclusive("-TERM");
    if !is_hanging_up_ignored() {
        is_inconclusive("-HUP");
    }
}

/// Somebody who starts the tests by `nohup` wants hanging up to be ignored, also by what the tests start.
pub(super) fn is_hanging_up_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored
        .is_some_and(|it| u64::from_str_radix(it.trim(), 16).is_ok_and(|signals| signals & 1 == 1))
}

fn is_inconclusive(asked: &str) {
    let (mut child, store) = started(&format!("interrupted{asked}"));
    let pid = pid(&store);
    signal(&child, asked);
    let status = child.wait().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let first = stdout.lines().next().unwrap().unwrap();
    assert_eq!(status.code(), Some(3), "{first}");
    assert!(first.starts_with("INCONCLUSIVE") && !first.contains("PASS"), "{first}");
    assert!(!is_alive(pid), "the system ends with its test");
    let (code, text, _) = output(&mut punctual(&["replay", &format!("{store}/0001")]));
    assert_eq!(code, Some(3), "{text}");
    assert!(text.starts_with("INCONCLUSIVE") && !text.contains("the record says"), "{text}");
}

#[test]
fn a_second_time_ends_everything_at_once() {
    let (mut child, store) = started("interrupted_twice");
    let pid = pid(&store);
    interrupt(&child);
    interrupt(&child);
    let code = child.wait().unwrap().code();
    assert!(matches!(code, Some(3 | 130)), "{code:?}");
    for _ in 0..40 {
        if !is_alive(pid) {
            return;
        }
        pause();
    }
    panic!("the system is still there");
}

/// Nothing happens for a minute: the user is heard all the same.
#[test]
fn a_long_wait_hears_the_user() {
    let folder = folder("long_wait");
    let model = "chan go, done; clock x; clock y;
        process Env() { state A; init A; trans A -> A { guard y >= 60; sync go!; assign y = 0; }, A -> A { sync done?; }; }
        process Sys() { state B, C { x <= 90 }; init B; trans B -> C { sync go?; assign x = 0; }, C -> B { guard x >= 60; sync done!; }; }
        system Env, Sys;";
    std::fs::write(folder.join("slow.xta"), model).unwrap();
    let interface = "[interface]\ninputs = [\"go\"]\noutputs = [\"done\"]\ntime-unit = \"1s\"\n";
    std::fs::write(folder.join("punctual.toml"), interface).unwrap();
    std::fs::write(folder.join("patient.py"), PATIENT).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
    command.args(["test", "slow.xta", "--clock", "real", "--time", "1h", "--record", "runs"]);
    command.args(["--system", "python3 patient.py"]);
    command.current_dir(&folder).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    pid(&folder.join("runs").display().to_string());
    interrupt(&child);
    for _ in 0..120 {
        if let Some(status) = child.try_wait().unwrap() {
            assert_eq!(status.code(), Some(3));
            return;
        }
        pause();
    }
    let _ = child.kill();
    panic!("it went on waiting for three seconds");
}

/// The first Ctrl-C is seen while one state is expanded and while one run is made.
#[test]
fn a_search_is_stopped_inside_of_one_state() {
    let folder = folder("inside");
    let select = "int n; clock x; process P() { state A { x <= 1 }; init A; trans A -> A { select i : int[0,2147483647], \
        j : int[0,2147483647]; guard i + j < 0 && x >= 1; assign x = 0; }, A -> A { guard x >= 1; assign x = 0; }; } system P;";
    std::fs::write(folder.join("select.xta"), select).unwrap();
    let model = folder.join("select.xta").display().to_string();
    for query in ["E<> n == 1", "Pr[<=10](<> n == 1)"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
        command.args(["check", &model, "--query", query]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        (0..16).for_each(|_| pause());
        interrupt(&child);
        let done = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        assert_eq!(done.status.code(), Some(3), "{query}: {text}");
        assert!(text.contains("stopped by the user"), "{text}");
    }
}

/// A suite that takes long is what there is when the user wants no more.
#[test]
fn generating_is_stopped_between_runs() {
    let suite = folder("stopped-suite").join("suite.toml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
    command.args(["generate", "experiments/tauc/small.xml", "-i", "experiments/tauc/small.toml"]);
    command.args(["--cover", "locations", "--budget", "20000", "-o"]).arg(&suite);
    let child = command.current_dir(root()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.unwrap();
    (0..20).for_each(|_| pause());
    interrupt(&child);
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    assert!(std::fs::read_to_string(&suite).unwrap().contains("[[case]]"));
}

/// Mutants that nobody decided are no result.
#[test]
fn decisions_about_mutants_that_are_stopped_are_inconclusive() {
    let folder = folder("stopped-decisions");
    let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
    command.args(["mutate", "examples/oven/model.xml", "--decide", "-o"]).arg(folder.join("made"));
    let child = command.current_dir(root()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.unwrap();
    (0..16).for_each(|_| pause());
    interrupt(&child);
    let done = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    assert!(text.contains("stopped: "), "{text}");
    assert!(text.contains(" mutants were decided"), "{text}");
}

/// A signal while a file is written leaves nothing but whole files, also where a command has nothing to stop.
#[test]
fn no_part_of_a_file_is_left() {
    let folder = folder("parts");
    for at in 0..24 {
        let made = folder.join(format!("made{at}"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
        command.args(["mutate", "examples/oven/model.xml", "-o"]).arg(&made).current_dir(root());
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Many files are written one after the other: some signals come while one is open.
        for _ in 0..4000 {
            if std::fs::read_dir(&made).is_ok_and(|files| files.count() > at) {
                break;
            }
            std::thread::yield_now();
        }
        signal(&child, "-TERM");
        child.wait_with_output().unwrap();
        for file in std::fs::read_dir(&made).into_iter().flatten() {
            let path = file.unwrap().path();
            assert!(path.extension().is_none_or(|it| it != "part"), "{}", path.display());
        }
    }
}

/// Tests that are drawn by chance, and cases that are made diverse, were made to their end, however many there were.
#[test]
fn generating_by_chance_hears_the_user() {
    let folder = folder("deaf");
    // Two outcomes never come, so that random tests are tried without end.
    let program = "node never(x: int) returns (y: bool);\nlet y = x > 5 and x < 3; tel\n";
    std::fs::write(folder.join("never.lus"), program).unwrap();
    let never = folder.join("never.lus").display().to_string();
    let commands: [&[&str]; 3] = [
        &[&never, "--cover", "mcdc", "--first-random", "1000000000"],
        &[&never, "--random", "5", "--steps", "2000000"],
        &["experiments/tauc/small.xml", "--cover", "locations", "--budget", "20000"],
    ];
    for (number, arguments) in commands.into_iter().enumerate() {
        let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
        command.arg("generate").args(arguments).current_dir(root());
        if number == 2 {
            command.args(["-i", "experiments/tauc/small.toml"]);
        }
        command.arg("-o").arg(folder.join("made")).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        (0..60).for_each(|_| pause());
        interrupt(&child);
        let is_over = (0..120).any(|_| {
            pause();
            child.try_wait().unwrap().is_some()
        });
        if !is_over {
            child.kill().unwrap();
        }
        assert!(is_over, "{arguments:?}");
        assert_eq!(child.wait().unwrap().code(), Some(3), "{arguments:?}");
    }
}

/// All runs were made when the signal came, and only the system did not want to end: that is a pass.
#[test]
fn a_signal_while_a_system_ends_changes_nothing() {
    let folder = folder("stubborn");
    let over = folder.join("over");
    let machine = root().canonicalize().unwrap().join("examples/coffee-machine/sut/machine.py");
    let script =
        format!("python3 '{}' 40 20; touch '{}'; sleep 60", machine.display(), over.display());
    std::fs::write(folder.join("stubborn.sh"), script).unwrap();
    let system = format!("sh {}", folder.join("stubborn.sh").display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
    command.args(["test", "examples/coffee-machine/model.xml", "--clock", "virtual"]);
    command.args(["--time", "1s", "--no-record", "--system", &system]).current_dir(root());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let is_over = (0..400).any(|_| {
        pause();
        over.exists()
    });
    assert!(is_over, "the system did not end");
    interrupt(&child);
    let done = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    assert!(text.starts_with("PASS") && !text.contains("stopped before"), "{text}");
}
