//! `punctual steer`, on the example and on files that are wrong.

use std::path::Path;

use serde_json::Value as Json;

use super::{folder, output, punctual};

const PACING: &str = "examples/simple-pacing/pacing.toml";
const SLOW: &str = "examples/simple-pacing/sut_slow.csv";

/// The records of a run, and its exit code.
fn records(arguments: &[&str]) -> (Option<i32>, Vec<Json>) {
    let all: Vec<&str> = ["steer"].iter().chain(arguments).chain(&["--json"]).copied().collect();
    let (code, stdout, stderr) = output(&mut punctual(&all));
    assert_eq!(stderr, "");
    (code, stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

#[test]
fn delays_and_noise_are_explained() {
    let (code, records) = records(&[PACING]);
    assert_eq!(code, Some(0));
    assert_eq!(records.len(), 2);
    for (number, (record, steered)) in records.iter().zip([3, 1]).enumerate() {
        assert_eq!(record["system"], "clock");
        assert_eq!(record["test"], number);
        assert_eq!((&record["before"], &record["after"]), (&"fail".into(), &"pass".into()));
        assert_eq!(record["steered_steps"], steered);
        assert_eq!(record["remaining"], 0);
    }
    assert_eq!(records[0]["first_mismatch"], 2);
    let change = &records[1]["steps"][0]["changes"][0];
    assert_eq!((&change["variable"], &change["to"]), (&"sense".into(), &true.into()));
}

#[test]
fn deciding_at_once_does_not_explain_the_noise() {
    let (code, records) = records(&[PACING, "--look-ahead", "0"]);
    assert_eq!(code, Some(1));
    assert_eq!(records[0]["after"], "pass");
    assert_eq!(records[1]["after"], "fail");
    assert_eq!(records[1]["failed_step"], 4);
}

#[test]
fn an_unacceptable_delay_fails() {
    let (code, records) = records(&[PACING, "--trace", SLOW]);
    assert_eq!(code, Some(1));
    assert_eq!((&records[0]["after"], &records[0]["remaining"]), (&"fail".into(), &3.into()));
    assert_eq!((&records[1]["before"], &records[1]["after"]), (&"pass".into(), &"pass".into()));
}

#[test]
fn labels_give_precision_and_recall() {
    let (code, stdout, stderr) =
        output(&mut punctual(&["steer", "examples/simple-pacing/all.toml", "--threads", "2"]));
    assert_eq!((code, stderr.as_str()), (Some(1), ""));
    let line = stdout.lines().find(|line| line.starts_with("steering")).expect("a measure");
    let cells: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(cells, ["steering", "1.000", "1.000", "1.000", "0", "0"]);
}

#[test]
fn a_live_system_is_steered_as_it_runs() {
    let device = "python3 examples/simple-pacing/device.py";
    let store = folder("steer_live").join("runs").display().to_string();
    let arguments = ["steer", PACING, "--live", device, "--record", &store, "--json"];
    let (code, stdout, stderr) = output(&mut punctual(&arguments));
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    let runs: Json = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&runs["verdict"], &runs["totals"]["passed"]), (&"pass".into(), &2.into()));
    assert!(runs["steering"]["steered"].as_u64().unwrap() > 0);
    // A record of a steered run is judged again by the model that lies beside it.
    for run in ["0001", "0002"] {
        let (code, text, _) = output(&mut punctual(&["replay", &format!("{store}/{run}")]));
        assert_eq!(code, Some(0), "{text}");
    }
}

#[test]
fn a_live_system_that_ends_is_told_as_that() {
    let (code, _, stderr) = output(&mut punctual(&["steer", PACING, "--live", "true"]));
    assert_eq!(code, Some(2));
    assert!(stderr.contains("never got ready") && stderr.contains("exit code 0"), "{stderr}");
}

/// Learned from two labelled systems, tolerances explain the right one and not the other.
#[test]
fn tolerances_are_learned_and_can_be_used() {
    let folder = folder("steer_learn");
    let out = folder.join("tolerances.txt");
    let config = "examples/simple-pacing/all.toml";
    let arguments = ["steer", config, "--learn", out.to_str().unwrap(), "--bands", "9"];
    let (code, stdout, stderr) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("tuned: precision"), "{stdout}");
    let learned = std::fs::read_to_string(&out).unwrap();
    assert_eq!(learned.lines().count(), 2, "a condition for each input: {learned}");
    let text = std::fs::read_to_string(Path::new(&root_of(PACING)).join("pacing.toml")).unwrap();
    let example = root_of(PACING);
    let text = text
        .replace("\"pacing.lus\"", &format!("{:?}", format!("{example}/pacing.lus")))
        .replace("\"tests.csv\"", &format!("{:?}", format!("{example}/tests.csv")))
        .replace("\"sut_clock.csv\"", &format!("{:?}", format!("{example}/sut_clock.csv")));
    let config = write(&folder, "learned.toml", &text);
    let (code, _, stderr) = output(&mut punctual(&["steer", &config]));
    assert!(matches!(code, Some(0 | 1)), "the file is read: {stderr}");
}

fn root_of(path: &str) -> String {
    let path = super::root().join(path).canonicalize().unwrap();
    path.parent().unwrap().display().to_string()
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

const MODEL: &str = "node m(a: int) returns (x: int); let x = a; tel";

/// What is said of a configuration.
fn said(test: &str, config: &str, trace: &str) -> (Option<i32>, String) {
    let folder = folder(&format!("steer_{test}"));
    write(&folder, "m.lus", MODEL);
    write(&folder, "trace.csv", trace);
    let config = write(&folder, "config.toml", config);
    let (code, _, stderr) = output(&mut punctual(&["steer", &config]));
    (code, stderr)
}

#[test]
fn wrong_configurations_are_rejected_with_a_reason() {
    let good = "model = \"m.lus\"\ntraces = [\"trace.csv\"]\n[tolerance]\na = [0, 1]\n";
    let trace = "a,x\n0,0\n1,2\n";
    assert_eq!(said("good", good, trace), (Some(0), String::new()));
    for (test, config, reason) in [
        ("syntax", "model = ", "error"),
        ("no_model", "traces = [\"trace.csv\"]", "`model` is missing"),
        ("no_file", "model = \"n.lus\"", "there is no such file"),
        ("unknown_key", &good.replace("traces", "trace"), "did you mean `traces`?"),
        ("unknown_name", &good.replace("a =", "b ="), "the model has no variable `b`"),
        ("not_input", &good.replace("a =", "x ="), "`x` is not an input of the model"),
        ("window", &good.replace("[0, 1]", "[1, 0]"), "the least and the greatest value"),
        (
            "nothing",
            "model = \"m.lus\"\ntraces = \"trace.csv\"",
            "nothing says what may be steered",
        ),
        ("no_trace", "model = \"m.lus\"\nsteer = [\"a\"]", "there are no traces"),
        ("no_fit", &good.replace("trace.csv", "sut_*.csv"), "no file is like"),
    ] {
        let (code, stderr) = said(test, config, trace);
        assert_eq!(code, Some(2), "{test}: {stderr}");
        assert!(stderr.contains(reason), "{test}: {stderr}");
    }
}

/// A delay that varies around what the model says is accepted, unless steadiness is asked for.
#[test]
fn numbers_may_be_changed_in_both_directions_unless_said() {
    let folder = folder("steer_steady");
    write(&folder, "m.lus", MODEL);
    write(&folder, "trace.csv", "a,x\n7,8\n7,7\n7,6\n");
    let text = "model = \"m.lus\"\ntraces = [\"trace.csv\"]\n[tolerance]\na = [-1, 1]\n";
    let (code, told) = records(&[&write(&folder, "plain.toml", text)]);
    assert_eq!((code, &told[0]["after"]), (Some(0), &"pass".into()));
    let text = format!("{text}[policy]\nsteady = true\n");
    let (code, told) = records(&[&write(&folder, "steady.toml", &text)]);
    assert_eq!((code, &told[0]["after"]), (Some(1), &"fail".into()));
    assert_eq!((&told[0]["failed_step"], &told[0]["cause"]), (&2.into(), &"unsteady".into()));
}

#[test]
fn a_limit_that_was_reached_is_inconclusive_and_named() {
    let folder = folder("steer_limits");
    write(&folder, "m.lus", "node m(a, b: int) returns (x: int); let x = a + b; tel");
    write(&folder, "trace.csv", "a,b,x\n0,0,9\n");
    let text = "model = \"m.lus\"\ntraces = [\"trace.csv\"]\n[tolerance]\na = [0, 3]\nb = [0, 3]\n\
        [limits]\nenumerate = 2\n";
    let (code, told) = records(&[&write(&folder, "config.toml", text)]);
    assert_eq!((code, &told[0]["after"]), (Some(3), &"inconclusive".into()), "{told:?}");
    assert_eq!((&told[0]["before"], &told[0]["cause"]), (&"fail".into(), &"search_limit".into()));
    assert!(told[0]["why"].as_str().unwrap().contains("`enumerate` of `[limits]`"), "{told:?}");
}

#[test]
fn wrong_traces_are_rejected_with_a_reason() {
    let config = "model = \"m.lus\"\ntraces = [\"trace.csv\"]\n[tolerance]\na = [0, 1]\n";
    let (code, stderr) = said("no_column", config, "a\n0\n");
    assert_eq!(code, Some(2));
    assert!(stderr.contains("there is no column `x`"), "{stderr}");
    let (code, stderr) = said("no_input", config, "x\n0\n");
    assert_eq!(code, Some(2));
    assert!(stderr.contains("nothing says what the input `a` is"), "{stderr}");
}

#[test]
fn without_a_solver_wide_tolerances_are_inconclusive() {
    let folder = folder("steer_inconclusive");
    write(&folder, "m.lus", MODEL);
    write(&folder, "trace.csv", "a,x\n0,0\n1,5\n");
    // A quotient of an input and an output together: only a solver can tell.
    write(&folder, "tolerances.txt", "(a + x) div 1 > -1000000\n");
    let text = "model = \"m.lus\"\ntraces = [\"trace.csv\"]\ntolerances = \"tolerances.txt\"\n";
    let config = write(&folder, "config.toml", text);
    let mut command = punctual(&["steer", &config]);
    command.env("PUNCTUAL_SOLVER", "there-is-no-such-solver");
    let (code, stdout, _) = output(&mut command);
    assert_eq!(code, Some(3), "{stdout}");
    assert!(
        stdout.contains("INCONCLUSIVE  trace, test 0, step 0: the solver did not decide"),
        "{stdout}"
    );
    assert_eq!(
        output(&mut punctual(&["steer", &config])).0,
        Some(0),
        "with a solver it is explained"
    );
}
