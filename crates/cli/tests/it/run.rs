//! `punctual run`.

use super::{folder, output, punctual};

const MODEL: &str = "crates/cli/test_data/run/kettle.lus";
const TESTS: &str = "crates/cli/test_data/run/kettle.csv";

/// What is printed, without how fast it was.
fn said(arguments: &[&str]) -> (Option<i32>, String) {
    let (code, stdout, stderr) = output(&mut punctual(arguments));
    assert_eq!(stderr, "");
    let (first, rest) = stdout.split_once('\n').unwrap();
    let first = first.split(" (").next().unwrap();
    (code, format!("{first}\n{rest}"))
}

#[test]
fn violated_properties_are_told_with_their_first_step() {
    let (code, text) = said(&["run", MODEL, TESTS]);
    let expected = "2 tests, 10 steps\n\
        VIOLATED  short: 1 step, first in test 1, step 3\n\
        holds     warm\n";
    assert_eq!((code, text.as_str()), (Some(1), expected));
}

#[test]
fn records_are_read_again_and_compared() {
    let folder = folder("run-records");
    for name in ["trace.csv", "trace.jsonl"] {
        let path = folder.join(name);
        let path = path.to_str().unwrap();
        let (code, _) = said(&["run", MODEL, TESTS, "--out", path, "--watch", "before"]);
        assert_eq!(code, Some(1));
        let (_, again) = said(&["run", MODEL, path]);
        assert!(!again.contains("DIFFERS"), "{again}");
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains("Heating") || text.contains('1'), "{text}");
        // One second too much in the last step but one of the first test.
        let changed = match name {
            "trace.csv" => text.replacen("0,0,60,Heating,1,2,", "0,0,60,Heating,1,3,", 1),
            _ => text.replacen("\"seconds\":2", "\"seconds\":3", 1),
        };
        assert_ne!(changed, text, "{text}");
        std::fs::write(path, changed).unwrap();
        let (code, wrong) = said(&["run", MODEL, path]);
        let line = "DIFFERS   seconds: 1 step, first in test 0, step 2: 3 expected, 2 computed\n";
        assert!(wrong.contains(line), "{wrong}");
        assert_eq!(code, Some(1));
    }
}

#[test]
fn waves_are_written() {
    let path = folder("run-waves").join("trace.vcd");
    let (code, _) = said(&["run", MODEL, TESTS, "--out", path.to_str().unwrap()]);
    assert_eq!(code, Some(1));
    let dump = std::fs::read_to_string(path).unwrap();
    assert!(dump.contains("$scope module inputs $end"), "{dump}");
    assert!(dump.contains("sHeating "), "{dump}");
    assert!(dump.trim_end().ends_with("#10"), "{dump}");
}

/// Inputs that break an assertion end a random test, and are no finding.
#[test]
fn random_tests_depend_on_the_seed_alone() {
    let run = |seed: &str| {
        let (_, stdout, stderr) = output(&mut punctual(&[
            "run", MODEL, "--random", "200", "--steps", "30", "--seed", seed, "--json",
        ]));
        assert_eq!(stderr, "");
        let mut json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        let object = json.as_object_mut().unwrap();
        for key in ["seconds", "steps_per_second"] {
            assert!(object.remove(key).is_some());
        }
        json
    };
    let (one, two) = (run("1"), run("2"));
    assert_eq!(one, run("1"));
    assert_ne!(one, two);
    assert_eq!(one["tests"], 200);
    assert!(one["unassumed"]["steps"].as_u64().unwrap() > 100);
    // Heating takes longer than three steps unless it happens to boil.
    assert!(one["properties"][0]["violated"]["first"]["step"].as_u64().unwrap() >= 3);
    assert_eq!((&one["verdict"], &one["cause"]), (&"fail".into(), &"violated".into()));
}

#[test]
fn a_stated_range_is_kept() {
    let arguments = ["run", MODEL, "--random", "50", "--range", "temperature=101..105"];
    let (code, text) = said(&arguments);
    assert!(text.contains("holds     short") && text.contains("holds     warm"), "{text}");
    assert_eq!((code, text.contains("cut")), (Some(0), false));
}

#[test]
fn assertions_that_tests_break_are_told() {
    let path = folder("run-assertions").join("hot.csv");
    std::fs::write(&path, "start,cancel,temperature\n0,0,20\n0,0,106\n").unwrap();
    let (code, text) = said(&["run", MODEL, path.to_str().unwrap()]);
    assert!(text.contains("ASSERTION broken in 1 step, first in test 0, step 1\n"), "{text}");
    assert_eq!(code, Some(3));
}

#[test]
fn steps_without_a_result_name_the_variable() {
    let folder = folder("run-failures");
    let (model, tests) = (folder.join("ratio.lus"), folder.join("tests.csv"));
    let text = "node ratio(a, b: int) returns (r: int);\nlet\n  r = a div b;\ntel\n";
    std::fs::write(&model, text).unwrap();
    std::fs::write(&tests, "a,b\n1,1\n1,0\n1,1\n").unwrap();
    let (code, text) = said(&["run", model.to_str().unwrap(), tests.to_str().unwrap()]);
    let expected = "1 test, 1 step\nFAILED    test 0, step 1: division by zero in `r`\n";
    assert_eq!((code, text.as_str()), (Some(1), expected));
}

#[test]
fn wrong_usage_is_rejected_before_anything_is_run() {
    for (arguments, why) in [
        (vec!["run", MODEL, TESTS, "--out", "trace.xml"], "ends in .csv, .jsonl or .vcd"),
        (vec!["run", MODEL, "--random", "1", "--range", "temperatur=0..1"], "`temperature`?"),
        (vec!["run", MODEL, "--random", "1", "--range", "temperature=9..1"], "is empty"),
        (vec!["run", MODEL, "--random", "1", "--range", "start=0..1"], "inputs that are numbers"),
        (vec!["run", MODEL, TESTS, "--watch", "x", "--out", "x.csv"], "no variable `x`"),
        (vec!["run", MODEL], "required"),
    ] {
        let (code, stdout, stderr) = output(&mut punctual(&arguments));
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(stderr.contains(why), "{arguments:?}: {stderr}");
    }
}

/// Each test is a run: its record is replayed with the verdict that was found, and the worst of them is
/// what `run` says.
#[test]
fn tests_leave_records() {
    let folder = folder("run-recorded");
    let model = folder.join("ratio.lus");
    let text = "node other(a: int) returns (r: int);\nlet r = a; tel\n\
        node ratio(a, b: int) returns (r: int; s: int);\nlet\n  r = a div b;\n  s = a + (0 -> pre s);\n  \
        assert a >= 0;\n  --%PROPERTY s < 10;\ntel\n\
        node last(a: int) returns (r: int);\nlet r = a; tel\n";
    std::fs::write(&model, text).unwrap();
    let model = model.to_str().unwrap();
    let judged = |name: &str, arguments: &[&str], codes: &[i32]| {
        let runs = folder.join(name);
        let runs_path = runs.to_str().unwrap();
        let main = ["--main", "ratio", "--record", runs_path];
        let all = [&["run", model], arguments, main.as_slice()].concat();
        let (code, ..) = said(&all);
        let replayed: Vec<i32> = (1..=codes.len())
            .map(|run| {
                let run = runs.join(format!("{run:04}"));
                let (code, stdout, stderr) =
                    output(&mut punctual(&["replay", run.to_str().unwrap()]));
                assert!(!stdout.contains("the record says"), "another verdict: {stdout}{stderr}");
                code.unwrap()
            })
            .collect();
        assert_eq!(replayed, codes, "{name}");
        let (reported, ..) = output(&mut punctual(&["report", runs_path]));
        // A fail counts more than what is inconclusive.
        let worst = if codes.contains(&1) { 1 } else { codes.iter().copied().max().unwrap() };
        assert_eq!((code, reported), (Some(worst), Some(worst)), "{name}");
    };
    let table = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    // A pass, no result (at once, and later), an assertion that is broken, with a sum that is too great
    // after it, and one before it.
    let inputs = "a,b\n1,1\n\n1,0\n\n1,1\n1,0\n\n1,1\n-1,1\n20,1\n\n20,1\n-1,1\n";
    judged("inputs", &[&table("inputs.csv", inputs)], &[0, 1, 1, 3, 1]);
    judged("assertion", &[&table("assertion.csv", "a,b\n1,1\n-1,1\n20,1\n")], &[3]);
    // The sum is expected: right, wrong, and wrong where an assertion is broken.
    let outputs = "s,a,b\n1,1,1\n3,2,1\n\n1,1,1\n2,2,1\n\n-1,-1,1\n5,2,1\n\n0,3,0\n";
    judged("outputs", &[&table("outputs.csv", outputs)], &[0, 1, 1, 1]);
    let ranges = ["--random", "3", "--steps", "4", "--range", "a=-1..2", "--range", "b=1..2"];
    judged("random", &ranges, &[0, 0, 0]);
    let refused = |more: &[&str]| {
        let runs = folder.join("refused");
        let all = [&["run"], more, &["--record", runs.to_str().unwrap()]].concat();
        output(&mut punctual(&all)).2
    };
    let tests = table("few.csv", "a,b\n1,1\n");
    assert!(refused(&[model, "--main", "ratio", &tests, "--reals", "float"]).contains("exactly"));
}
