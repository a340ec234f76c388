//! Exported suites: they run, and say of a system what `punctual test` says.

use std::path::Path;
use std::process::Command;

use super::{folder, output, punctual, root};

/// Passes lines on, those of the system 85 ms late.
const DELAY: &str = r#"
import subprocess, sys, threading, time
system = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def forward():
    for line in sys.stdin.buffer:
        system.stdin.write(line); system.stdin.flush()
    system.stdin.close()
threading.Thread(target=forward, daemon=True).start()
write = threading.Lock()
def late(line, due):
    time.sleep(max(0, due - time.monotonic()))
    with write:
        sys.stdout.buffer.write(line); sys.stdout.buffer.flush()
threads = []
for line in system.stdout:
    threads.append(threading.Thread(target=late, args=(line, time.monotonic() + 0.085)))
    threads[-1].start()
for thread in threads:
    thread.join()
"#;

const INTERFACE: &str = r#"
[interface]
inputs = ["open", "close"]
outputs = ["alarm", "silence"]
observe = ["alarms: 0..100", "Door.location: Closed | Open | Alarming | Silencing"]
time-unit = "1ms"
"#;

/// All is waited for as long as it may take.
const SUITE: &str = r#"
interface = "punctual.toml"

[[case]]
name = "alarm"
steps = [
    { wait = 10 },
    { input = "open" },
    { output = "alarm", within = [30, 34], requirement = "R1" },
    { wait = 150 },
    { check = { alarms = 1, Door.location = "Alarming" }, requirement = "R2" },
    { input = "close" },
    { output = "silence", within = [0, 4] },
]

[[case]]
name = "short visit"
steps = [
    { input = "open" },
    { wait = 10 },
    { input = "close" },
    { wait = 60 },
    { check = {}, allowed = [{ alarms = 0 }] },
]
"#;

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn convert(arguments: &[&str]) -> (Option<i32>, String, String) {
    output(&mut punctual(&[&["convert"], arguments].concat()))
}

/// What the exported tests say of an oven behind 85 ms of delay: the exit code and what is printed.
fn python(folder: &Path, test: &str, fault: &str) -> (Option<i32>, String) {
    let oven = root().join("examples/oven/sut/oven.py");
    let delay = write(folder, "delay.py", DELAY);
    let fault = if fault.is_empty() { String::new() } else { format!(" --fault {fault}") };
    let command = format!("python3 {delay} python3 {}{fault}", oven.display());
    let run = Command::new("python3").arg(test).env("RIG_COMMAND", command).output().unwrap();
    (run.status.code(), String::from_utf8_lossy(&run.stdout).into_owned())
}

#[cfg(unix)]
#[test]
fn pytest_exports_run_and_judge() {
    let folder = folder("export_pytest");
    let stated = "[uncertainty]\ninput = \"0..5ms\"\noutput = \"0..120ms\"\n";
    write(&folder, "punctual.toml", &format!("{INTERFACE}{stated}"));
    let suite = write(&folder, "suite.toml", SUITE);
    let test = folder.join("test_oven.py").display().to_string();
    let (code, stdout, stderr) = convert(&[&suite, "-o", &test]);
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (Some(0), "", ""));
    // The clock is real: a machine that is busy may be late itself, so there are several tries.
    let mut tries = (0..5).map(|_| python(&folder, &test, ""));
    let right = (Some(0), "PASS  alarm\nPASS  short visit\n".to_owned());
    assert!(tries.any(|it| it == right), "{:?}", python(&folder, &test, ""));
    for (fault, says) in
        [("deaf", "output 1: silence was expected"), ("counter", "check 0 (R2) at 0.16 s: one of")]
    {
        let (code, text) = python(&folder, &test, fault);
        assert!(code == Some(1) && text.contains(says), "{fault}: {text}");
    }
    // What the user may have changed is kept, and nothing is replaced by accident.
    std::fs::write(folder.join("rig.py"), "# mine\n").unwrap();
    let (code, _, stderr) = convert(&[&suite, "-o", &test]);
    assert!(code == Some(2) && stderr.contains("`--force` replaces it"), "{stderr}");
    let (code, _, stderr) = convert(&[&suite, "-o", &test, "--force"]);
    assert!(code == Some(0) && stderr.contains("kept"), "{stderr}");
    assert_eq!(std::fs::read_to_string(folder.join("rig.py")).unwrap(), "# mine\n");
}

/// If nobody says that outputs are late, they are too late.
#[cfg(unix)]
#[test]
fn windows_of_exports_are_as_wide_as_the_interface_says() {
    let folder = folder("export_narrow");
    write(&folder, "punctual.toml", INTERFACE);
    let suite = write(&folder, "suite.toml", SUITE);
    let test = folder.join("test_oven.py").display().to_string();
    assert_eq!(convert(&[&suite, &test, "--to", "pytest"]).0, Some(0));
    // A tester that is late itself widens a window by that, never by what nobody stated (120 ms above).
    // One that is later than the alarm has seen nothing wrong, so there are several tries.
    let mut tries = (0..5).map(|_| python(&folder, &test, ""));
    let is_narrow = |(code, text): (_, String)| {
        let end = text.split_once("alarm was expected from 0.04 to ");
        let end = end.and_then(|(_, it)| it.split(' ').next()?.parse::<f64>().ok());
        code == Some(1) && end.is_some_and(|it| it < 0.12)
    };
    assert!(tries.any(is_narrow), "{:?}", python(&folder, &test, ""));
}

/// An oven in C, on a clock of its own, that runs the exported header.
const OVEN: &str = r#"
#include "suite.h"
static int64_t now, due = -1, came_at[8];
static int n_came, n_told, alarms, is_open, fault;
static const char *came[8], *next_name;
static void pass(int64_t ns) {
    if (due >= 0 && due <= ns) {
        came_at[n_came] = due;
        came[n_came++] = next_name;
        if (next_name[0] == 'a') alarms++;
        due = -1;
    }
    now = ns;
}
static void reset(void *c) { (void)c; now = 0; due = -1; n_came = n_told = alarms = is_open = 0; }
static void wait_until(void *c, int64_t ns) { (void)c; if (ns > now) pass(ns); }
static void send(void *c, const char *name, const char *const *v, int n) {
    (void)c; (void)v; (void)n;
    if (name[0] == 'o') { is_open = 1; due = now + (fault ? 40 : 32) * 1000000LL; next_name = "alarm"; }
    else { due = alarms && is_open ? now + 2000000LL : -1; next_name = "silence"; is_open = 0; }
}
static int read_port(void *c, const char *port, char *value, size_t size) {
    (void)c;
    if (port[0] == 'a') snprintf(value, size, "%d", alarms);
    else snprintf(value, size, "%s", alarms ? "Alarming" : is_open ? "Open" : "Closed");
    return 1;
}
static int next_output(void *c, int64_t *at, char *name, char *values, size_t size) {
    (void)c;
    if (n_told == n_came) return 0;
    *at = came_at[n_told];
    snprintf(name, size, "%s", came[n_told++]);
    values[0] = 0;
    return 1;
}
int main(int n, char **arguments) {
    punctual_rig rig = {0, reset, wait_until, send, read_port, next_output, 0};
    (void)arguments;
    fault = n > 1;
    return punctual_run(&rig, punctual_cases, punctual_n_cases);
}
"#;

#[cfg(unix)]
#[test]
fn c_exports_run_and_judge() {
    let folder = folder("export_c");
    write(&folder, "punctual.toml", INTERFACE);
    let suite = write(&folder, "suite.toml", SUITE);
    let header = folder.join("suite.h").display().to_string();
    assert_eq!(convert(&[&suite, &header]).0, Some(0));
    let source = write(&folder, "oven.c", OVEN);
    let program = folder.join("oven").display().to_string();
    let strict =
        ["-std=c99", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror", "-pedantic"];
    let built = Command::new("cc").args(strict).args([&source, "-o", &program]).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let run = |arguments: &[&str]| {
        let run = Command::new(&program).args(arguments).output().unwrap();
        (run.status.code(), String::from_utf8_lossy(&run.stdout).into_owned())
    };
    assert_eq!(run(&[]), (Some(0), "PASS  alarm\nPASS  short visit\n".to_owned()));
    let (code, text) = run(&["late"]);
    assert!(
        code == Some(1) && text.contains("alarm was expected") && text.contains("FAIL  alarm"),
        "{text}"
    );
}

/// Compilers accept cases whose names they do not like.
#[cfg(unix)]
#[test]
fn names_that_no_language_likes() {
    let folder = folder("export_names");
    let suite = "crates/lang/test_data/exports/suites/all.toml";
    let (test, header) = (folder.join("test_all.py"), folder.join("all.h"));
    for path in [&test, &header] {
        let (code, _, stderr) = convert(&[suite, &path.display().to_string()]);
        assert_eq!(code, Some(0), "{stderr}");
    }
    let compile = "import sys; [compile(open(it).read(), it, 'exec') for it in sys.argv[1:]]";
    let rig = folder.join("rig.py");
    let python =
        Command::new("python3").args(["-c", compile]).args([&test, &rig]).output().unwrap();
    assert!(python.status.success(), "{}", String::from_utf8_lossy(&python.stderr));
    let main = "#include \"all.h\"\nint main(void) { return punctual_run(0, punctual_cases, punctual_n_cases); }";
    let source = write(&folder, "all.c", main);
    let built = Command::new("cc")
        .args(["-std=c99", "-fsyntax-only", "-pedantic-errors", &source])
        .output();
    let built = built.unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

#[test]
fn what_can_not_be_written_is_said() {
    let folder = folder("export_refused");
    write(&folder, "punctual.toml", INTERFACE);
    let suite = write(&folder, "suite.toml", SUITE);
    let map = write(&folder, "map.toml", "[[map]]\nmatch = \"Wait (*)\"\nto = \"W $1\"\n");
    let template = write(&folder, "script.j2", "{% for case in cases %}{{ case.nme }}{% endfor %}");
    for (arguments, says) in [
        (vec![suite.as_str(), "-", "--to", "xml"], "this is a format of models"),
        (vec![&suite, "out.xyz"], "does not tell a format of suites"),
        (vec![&suite, "-", "--map", &map], "`Input open` in the case `alarm`"),
        (vec![&suite, "-", "--template", &template], "script.j2:1"),
        (vec!["examples/oven/model.xml", "-", "--to", "pytest"], "this is a format of suites"),
        (vec!["examples/oven/model.xml", "-", "--to", "xta", "--map", &map], "are for suites"),
        (vec![&suite], "OUTPUT"),
    ] {
        let (code, stdout, stderr) = convert(&arguments);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains(says), "{arguments:?}: {stderr}");
    }
}
