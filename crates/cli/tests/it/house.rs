//! One device, two models: what both oracles say at once, and what systems that break down come to,
//! whatever the oracle.

use serde_json::Value as Json;

use super::{folder, output, punctual};

const MODEL: &str = "examples/oven/model.xml";
const LOOP: &str = "examples/oven/loop.lus";
const TABLE: &str = "examples/oven/loop.csv";

/// What the first run came to: the exit code, the verdict, its cause, and why.
fn judged(arguments: &[&str]) -> (Option<i32>, String, String, String) {
    let all: Vec<&str> = arguments.iter().chain(&["--no-record", "--json"]).copied().collect();
    let (code, stdout, stderr) = output(&mut punctual(&all));
    let runs: Json = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}"));
    let run = &runs["runs"][0];
    let text = |it: &Json| it.as_str().unwrap_or_default().to_owned();
    let why = text(&run["diagnosis"]["explanation"]);
    (code, text(&run["verdict"]), text(&run["cause"]), why)
}

fn oven(fault: &str) -> String {
    match fault {
        "" => "python3 examples/oven/sut/oven.py".to_owned(),
        fault => format!("python3 examples/oven/sut/oven.py --fault {fault}"),
    }
}

/// Each fault is found by the model that speaks of it.
#[test]
fn two_models_judge_one_device() {
    for (fault, verdict, cause, says) in [
        ("", "pass", "", ""),
        ("late", "fail", "too_late", "`alarm` came"),
        ("deaf", "fail", "missing", "`silence`"),
        ("counter", "fail", "wrong_value", "`alarms = 0"),
        ("hot", "fail", "wrong_value", "heating is true, the model has false"),
    ] {
        let found = judged(&["test", MODEL, "--system", &oven(fault)]);
        let code = if verdict == "pass" { Some(0) } else { Some(1) };
        assert_eq!(
            (found.0, found.1.as_str(), found.2.as_str()),
            (code, verdict, cause),
            "{fault}"
        );
        assert!(found.3.contains(says), "{fault}: {}", found.3);
    }
}

/// The same device alone, step by step.
#[test]
fn a_lustre_model_tests_a_device() {
    let test = ["test", LOOP, "--suite", TABLE, "--system"];
    let with = |fault: &str| judged(&[&test[..], &[&oven(fault)]].concat());
    assert_eq!(with("").1, "pass");
    let hot = with("hot");
    assert_eq!((hot.0, hot.2.as_str()), (Some(1), "wrong_value"));
    assert!(hot.3.starts_with("Step 12: heating is true"), "{}", hot.3);
    // The program itself can play the device, too.
    assert_eq!(judged(&["test", LOOP, "--suite", TABLE, "--play", LOOP]).0, Some(0));
}

/// Whatever the oracle, a system that breaks down gives the same cause and exit code.
#[test]
fn systems_that_break_down() {
    let folder = folder("broken_systems");
    let greets = "import sys, json\n\
        say = lambda **it: print(json.dumps(it), flush=True)\n\
        say(ready=0, protocol=2, can=['step', 'set', 'read']); input(); input(); say(ready=1)\n";
    for (name, then, cause) in [
        ("crashes", "input(); sys.exit(3)", "crash"),
        ("talks", "input(); print('hello, world')", "broken_protocol"),
        ("reports", "input(); say(error='no water')", "reported"),
        ("babbles", "input(); print('x' * 10_000_000)", "broken_protocol"),
        (
            "keeps",
            "import subprocess; subprocess.Popen(['sleep', '20']); input(); sys.exit(0)",
            "crash",
        ),
    ] {
        let path = folder.join(format!("{name}.py"));
        std::fs::write(&path, format!("{greets}{then}\n")).unwrap();
        let system = format!("python3 {}", path.display());
        for arguments in [
            vec!["test", MODEL, "--system", &system],
            vec!["test", LOOP, "--suite", TABLE, "--system", &system],
            vec!["steer", "examples/simple-pacing/pacing.toml", "--live", &system],
        ] {
            let (code, verdict, found, why) = judged(&arguments);
            let said = (code, verdict.as_str(), found.as_str());
            assert_eq!(said, (Some(1), "fail", cause), "{arguments:?}: {why}");
        }
    }
    // A system that never got ready says nothing about itself: told once, with exit code 2.
    for system in ["python3 no_such_module.py", "true", "./no-such-program"] {
        for arguments in [
            vec!["test", MODEL, "--runs", "4", "--no-record", "--system", system],
            vec!["steer", "examples/simple-pacing/pacing.toml", "--no-record", "--live", system],
        ] {
            let (code, stdout, stderr) = output(&mut punctual(&arguments));
            assert_eq!((code, stdout.as_str()), (Some(2), ""), "{arguments:?}");
            assert_eq!(stderr.matches("error:").count(), 1, "{stderr}");
        }
    }
}
