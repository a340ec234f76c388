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
    assert_eq!(records.len(), 3, "a line for each test, and one for all");
    for (number, (record, steered)) in records[..2].iter().zip([3, 1]).enumerate() {
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

#[test]
fn a_live_system_with_an_unknown_name_is_told_its_outputs() {
    let folder = folder("steer_live_unknown");
    let text = std::fs::read_to_string(Path::new(&root_of(PACING)).join("device.py")).unwrap();
    let kit = super::root().join("sdk/python").canonicalize().unwrap();
    let text = text.replace("sys.path.insert(0, ", &format!("sys.path.insert(0, {kit:?} or "));
    let text = text.replace("\"timeOut\": now}", "\"timeOut\": now, \"elapsed\": now}");
    let device = format!("python3 {}", write(&folder, "device.py", &text));
    let store = folder.join("runs").display().to_string();
    let arguments = ["steer", PACING, "--live", &device, "--record", &store];
    let (code, stdout, stderr) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(1), "{stdout}{stderr}");
    assert!(stdout.contains("`elapsed`"), "{stdout}");
    assert!(stdout.contains("its outputs are pace, timeOut"), "{stdout}");
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
    let good = "model = \"m.lus\"\ntraces = [\"trace.csv\"]\n[tolerance]\na = [0, 1]\n[policy]\nsteered-steps = 2\n";
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
    write(
        &folder,
        "m.lus",
        "node m(a, b: int) returns (x: int); let x = if a > 1 then b else a + b; tel",
    );
    write(&folder, "trace.csv", "a,b,x\n0,0,9\n");
    let text = "model = \"m.lus\"\ntraces = [\"trace.csv\"]\n[tolerance]\na = [0, 3]\nb = [0, 3]\n\
        [limits]\nenumerate = 1\n";
    let config = write(&folder, "config.toml", text);
    let mut command = punctual(&["steer", &config, "--json"]);
    command.env("PUNCTUAL_SOLVER", "there-is-no-such-solver");
    let (code, stdout, _) = output(&mut command);
    let told: Json = serde_json::from_str(stdout.lines().next().unwrap()).unwrap();
    assert_eq!((code, &told["after"]), (Some(3), &"inconclusive".into()), "{told:?}");
    assert_eq!((&told["before"], &told["cause"]), (&"fail".into(), &"search_limit".into()));
    assert!(told["why"].as_str().unwrap().contains("`enumerate` of `[limits]`"), "{told:?}");
    // A solver proves that there is none: the sum is 4 at most.
    let (code, told) = records(&[&config]);
    assert_eq!((code, &told[0]["after"]), (Some(1), &"fail".into()), "{told:?}");
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

/// What a system without paces is explained by: a beat wherever a pace is missing. The budget of the example finds it, and without one
/// there is a warning.
#[test]
fn a_pacemaker_that_never_paces_does_not_pass() {
    let never = "examples/simple-pacing/sut_never.csv";
    let (code, told) = records(&[PACING, "--trace", never]);
    assert_eq!(code, Some(1));
    for test in &told[..2] {
        assert_eq!((&test["after"], &test["cause"]), (&"fail".into(), &"over_budget".into()));
    }
    let folder = folder("steer_never");
    for name in ["pacing.lus", "tests.csv", "tolerances.txt", "sut_never.csv"] {
        std::fs::copy(Path::new(&root_of(PACING)).join(name), folder.join(name)).unwrap();
    }
    let text = "model = \"pacing.lus\"\ntests = \"tests.csv\"\ntraces = [\"sut_never.csv\"]\n\
        tolerances = \"tolerances.txt\"\n";
    let free = write(&folder, "free.toml", text);
    let (code, stdout, stderr) = output(&mut punctual(&["steer", &free]));
    assert_eq!(code, Some(0), "nothing limits noise: {stdout}");
    assert!(stdout.contains("2 tests pass: 0 without a change, 2 because"), "{stdout}");
    for free in ["`sense` in every step", "`timeIn` within its tolerance in every step"] {
        assert!(stderr.contains(free), "{stderr}");
    }
    assert!(stderr.contains("took no more than `total-cost = 3`, `steered-steps = 3`"), "{stderr}");
    let stated = format!("{text}[policy]\nsteered-steps = \"all\"\n");
    let (_, _, stderr) = output(&mut punctual(&["steer", &write(&folder, "all.toml", &stated)]));
    assert_eq!(stderr, "", "it was said that there is no limit");
}

/// A system that is late in every test, and never by more than the tolerance.
fn always_late(test: &str, policy: &str) -> (String, std::path::PathBuf) {
    let folder = folder(&format!("steer_{test}"));
    write(&folder, "m.lus", MODEL);
    let tests: Vec<String> = (0..40).map(|it| format!("{it},{}\n", it + 1)).collect();
    write(&folder, "sut_late.csv", &format!("a,x\n{}", tests.join("\n")));
    let text = format!(
        "model = \"m.lus\"\ntraces = [\"sut_late.csv\"]\n[tolerance]\na = [-4, 4]\n[policy]\nsteered-steps = 1\n{policy}"
    );
    (write(&folder, "config.toml", &text), folder)
}

#[test]
fn systematic_changes_are_a_warning() {
    let (config, folder) = always_late("systematic", "");
    let (code, stdout, stderr) = output(&mut punctual(&["steer", &config]));
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
    let line = stdout.lines().find(|line| line.starts_with("WARNING")).expect("a warning");
    let said = "`a` was changed in 40 of the 40 tests that pass in which that shows, always upwards, by +1.";
    assert!(line.contains(said) && line.contains("expected = { a = 0.1 }"), "{line}");
    assert!(stdout.contains("25 %"), "the share of the tolerance: {stdout}");
    // The same in JUnit and on the page.
    let store = folder.join("runs").display().to_string();
    let (junit, pages) = (folder.join("junit.xml"), folder.join("pages"));
    assert_eq!(output(&mut punctual(&["steer", &config, "--record", &store])).0, Some(0));
    let (junit_name, pages_name) = (junit.display().to_string(), pages.display().to_string());
    let report = ["report", &store, "--junit", &junit_name, "--html", &pages_name];
    let (code, stdout, stderr) = output(&mut punctual(&report));
    assert_eq!(code, Some(0), "{stderr}");
    let page = std::fs::read_to_string(pages.join("index.html")).unwrap();
    let junit = std::fs::read_to_string(junit).unwrap();
    for text in [stdout, page, junit] {
        assert!(text.contains("was changed in 40 of the 40 tests that pass"), "{text}");
        assert!(text.contains("40 tests pass: 0 without a change, 40 because"), "{text}");
    }
}

#[test]
fn systematic_changes_fail_if_they_were_said_to_be_rare() {
    let (config, folder) = always_late("expected", "expected = { a = 0.1 }\n");
    let (code, told) = records(&[&config]);
    assert_eq!(code, Some(1));
    assert!(told[..40].iter().all(|test| test["after"] == "pass"), "no test fails by itself");
    let all = &told[40];
    assert_eq!(all["verdict"], "fail");
    let found = &all["systems"][0]["systematic"][0];
    assert_eq!((&found["what"], &found["fails"]), (&"often".into(), &true.into()));
    assert!(found["at_most"].as_f64().unwrap() < 1e-6, "{found}");
    let words = found["words"].as_str().unwrap();
    assert!(
        words.contains("The cheapest explanation of a right system changes it in 0.1 of"),
        "{words}"
    );
    // A record has what is expected, so that a report comes to the same.
    let store = folder.join("runs").display().to_string();
    assert_eq!(output(&mut punctual(&["steer", &config, "--record", &store])).0, Some(1));
    let junit = folder.join("junit.xml");
    let report = ["report", &store, "--junit", junit.to_str().unwrap()];
    assert_eq!(output(&mut punctual(&report)).0, Some(1));
    let junit = std::fs::read_to_string(junit).unwrap();
    assert!(junit.contains("tests=\"41\" failures=\"1\""), "{junit}");
    assert!(junit.contains("<failure type=\"systematic\""), "{junit}");
    // Often enough is as it was said.
    let (config, _) = always_late("expected_often", "expected = 1\n");
    assert_eq!(records(&[&config]).0, Some(0));
}

#[test]
fn inputs_of_other_tests_are_an_error_at_their_place() {
    let folder = folder("steer_other_inputs");
    write(&folder, "m.lus", MODEL);
    write(&folder, "tests.csv", "a\n1\n2\n\n3\n4\n");
    write(&folder, "trace.csv", "a,x\n1,1\n2,2\n\n3,3\n5,5\n");
    let text =
        "model = \"m.lus\"\ntests = \"tests.csv\"\ntraces = [\"trace.csv\"]\nsteer = [\"a\"]\n";
    let config = write(&folder, "config.toml", text);
    let (code, _, stderr) = output(&mut punctual(&["steer", &config]));
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("`a` = 5 in step 1 of test 1, and the test 4"), "{stderr}");
    assert!(stderr.contains("trace.csv:6:1"), "{stderr}");
}

#[test]
fn a_table_without_a_test_is_refused() {
    let config = "model = \"m.lus\"\ntraces = [\"trace.csv\"]\n[tolerance]\na = [0, 1]\n";
    let (code, stderr) = said("no_test", config, "a,x\n");
    assert_eq!(code, Some(2));
    assert!(stderr.contains("there is no test in it"), "{stderr}");
}

#[test]
fn locals_and_outputs_have_tolerances() {
    let folder = folder("steer_local");
    let model = "node m(go: bool) returns (n: int; r: real); var count: int;\n\
        let count = 0 -> if go then pre count + 1 else 0; n = count; r = real(count) / 3.0; tel";
    write(&folder, "m.lus", model);
    write(&folder, "trace.csv", "go,n,r\n0,0,0\n1,1,0.333\n1,3,1\n1,4,1.333\n");
    let text = "model = \"m.lus\"\ntraces = [\"trace.csv\"]\nwithin = { r = 0.001 }\n[tolerance]\ncount = [0, 1]\n\
        [policy]\nsteered-steps = 1\n";
    let (code, told) = records(&[&write(&folder, "config.toml", text)]);
    assert_eq!(code, Some(0), "{told:?}");
    let change = &told[0]["steps"][0]["changes"][0];
    assert_eq!(
        (&change["variable"], &change["from"], &change["to"]),
        (&"count".into(), &2.into(), &3.into())
    );
    let exact = text.replace("within = { r = 0.001 }\n", "");
    assert_eq!(records(&[&write(&folder, "exact.toml", &exact)]).0, Some(1));
    let wrong = text.replace("count =", "n =");
    let (code, _, stderr) =
        output(&mut punctual(&["steer", &write(&folder, "wrong.toml", &wrong)]));
    assert_eq!(code, Some(2));
    assert!(stderr.contains("`n` is not an input of the model"), "{stderr}");
}
