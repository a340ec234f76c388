//! Ctrl-C while what was seen is being explained.

#![cfg(unix)]

use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{folder, root, write};

#[expect(clippy::disallowed_methods, reason = "waits for another process")]
fn pause() {
    std::thread::sleep(Duration::from_millis(50));
}

#[expect(clippy::disallowed_methods, reason = "another process takes real time")]
fn now() -> Instant {
    Instant::now()
}

/// Fourteen inputs that may all be early or late, and outputs that tell little of them: to explain a run takes minutes. Nobody tells of steps, so everything
/// is explained when the run is over. It ends soon after Ctrl-C all the same, is inconclusive, and its record is complete.
#[test]
fn a_run_that_is_being_explained_is_stopped() {
    const N: usize = 14;
    let place = folder("platform-interrupted");
    let names: Vec<String> = (0..N).map(|at| format!("i{at}")).collect();
    let terms = names.iter().enumerate();
    let terms: Vec<String> = terms.map(|(at, it)| format!("(if {it} then {at} else 0)")).collect();
    let model = format!(
        "node m({}: bool) returns (y: int);\nvar s: int;\nlet\n  s = {} + (0 -> pre s) mod 3;\n  y = s mod 7;\ntel\n",
        names.join(", "),
        terms.join(" + ")
    );
    let model = write(&place, "m.lus", &model);
    let mut rows = names.join(",");
    for row in 1..12 {
        let values: Vec<String> =
            (0..N).map(|at| ((row * (at + 3) + at * row * row) % 2).to_string()).collect();
        let _ = write!(rows, "\n{}", values.join(","));
    }
    let suite =
        format!("model = \"m.lus\"\n[[case]]\nname = \"all\"\nrows = \"\"\"\n{rows}\n\"\"\"\n");
    let suite = write(&place, "t.toml", &suite);
    let text = "step = \"500ms\"\n[delays]\ninputs = { mean = \"600ms\", deviation = \"250ms\" }\n\
        outputs = { mean = \"300ms\", deviation = \"30ms\" }\n";
    let platform = write(&place, "p.toml", text);
    let runs = place.join("runs");
    let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
    command.args([
        "test",
        &suite,
        "--platform",
        &platform,
        "--play",
        &model,
        "--objectives",
        "none",
    ]);
    command.arg("--record").arg(&runs).current_dir(root());
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    // The run itself takes no time: once it is recorded for some seconds, it is being explained.
    let record = runs.join("0001/record.jsonl");
    while !record.is_file() {
        pause();
    }
    (0..60).for_each(|_| pause());
    let id = child.id().to_string();
    assert!(child.try_wait().expect("a child").is_none(), "it is still being explained");
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill").success());
    let begun = now();
    while child.try_wait().expect("a child").is_none() {
        if begun.elapsed() > Duration::from_secs(30) {
            child.kill().expect("it can be ended");
            panic!("it is still being explained");
        }
        pause();
    }
    assert_eq!(child.wait().expect("a child").code(), Some(3));
    let text = std::fs::read_to_string(record).expect("a record");
    let end = text.lines().last().unwrap_or_default();
    let end: serde_json::Value = serde_json::from_str(end).expect("JSON");
    assert_eq!(
        (&end["verdict"], &end["ending"]["cause"]),
        (&"inconclusive".into(), &"stopped".into())
    );
    assert!(text.lines().count() > 50, "what was sent and seen is there");
}
