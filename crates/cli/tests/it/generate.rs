//! `punctual generate` and `punctual mutate`.

use super::{folder, output, punctual};

const HEATER: &str = "docs/guide/heater.lus";

#[test]
fn random_tests_have_the_inputs_as_columns() {
    let (code, stdout, stderr) =
        output(&mut punctual(&["generate", HEATER, "--random", "3", "--steps", "4"]));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.starts_with("on,warmth\n"), "{stdout}");
    assert_eq!(stdout.lines().filter(|line| line.is_empty()).count(), 2, "{stdout}");
    assert_eq!(stdout.lines().count(), 1 + 3 * 4 + 2);
    assert_eq!(stderr, "wrote 3 tests with 12 steps\n");
}

#[test]
fn covering_tests_and_what_is_infeasible() {
    let folder = folder("generate-cover");
    let tests = folder.join("tests.csv");
    let tests = tests.to_str().unwrap();
    for criterion in ["branch", "condition", "mcdc"] {
        let arguments =
            ["generate", HEATER, "--cover", criterion, "--outputs", "-o", tests, "--json"];
        let (code, stdout, stderr) = output(&mut punctual(&arguments));
        assert_eq!(code, Some(0), "{stdout}{stderr}");
        let told: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        let obligations = told["obligations"].as_array().unwrap();
        let infeasible: Vec<_> =
            obligations.iter().filter(|it| it["status"] == "infeasible").collect();
        assert!(!infeasible.is_empty(), "{stdout}");
        let text = std::fs::read_to_string(tests).unwrap();
        assert!(text.starts_with("on,warmth,state,power\n"), "{text}");
        // Power 3 would need a timer below zero.
        assert!(!text.lines().any(|line| line.ends_with(",3")), "{text}");
    }
}

/// Without a solver nothing is taken for covered or infeasible that is not.
#[test]
fn a_missing_solver_is_said_and_leaves_things_undecided() {
    let tests = folder("generate-missing").join("tests.csv");
    let tests = tests.to_str().unwrap();
    let arguments = ["generate", HEATER, "--cover", "branch", "--first-random", "0", "-o", tests];
    let mut command = punctual(&arguments);
    let (code, stdout, stderr) = output(command.env("PUNCTUAL_SOLVER", "/nowhere/z3"));
    assert_eq!(code, Some(3), "{stdout}{stderr}");
    let said = format!("{stdout}{stderr}");
    assert_eq!(said.matches("PUNCTUAL_SOLVER names `/nowhere/z3`").count(), 1, "once: {said}");
    assert!(stdout.contains("undecided") && !stdout.contains("infeasible"), "{stdout}");
}

#[test]
fn what_is_wrong_with_arguments_is_said() {
    for (arguments, expected) in [
        (vec!["generate", HEATER, "--random", "1", "--range", "warmth=9..1"], "the range is empty"),
        (vec!["generate", HEATER, "--random", "1", "--range", "heat=0..1"], "there is no `heat`"),
        (vec!["generate", HEATER, "--random", "1", "--range", "warmth"], "write it as `x=0..10`"),
        (vec!["generate", HEATER], "--random"),
        (vec!["generate", "nowhere.lus", "--random", "1"], "no such file"),
        (vec!["mutate", HEATER, "-o", "nowhere"], "--count"),
    ] {
        let (code, _, stderr) = output(&mut punctual(&arguments));
        assert_eq!(code, Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
    }
}

/// Each mutant is a program that is read again, and a table says what was changed.
#[test]
fn mutants_are_programs() {
    let folder = folder("mutate");
    let path = folder.to_str().unwrap();
    let arguments = ["mutate", HEATER, "--per-class", "2", "--seed", "5", "-o", path];
    let (code, stdout, stderr) = output(&mut punctual(&arguments));
    assert_eq!((code, stdout), (Some(0), format!("wrote 14 mutants to {path}\n")), "{stderr}");
    let table = std::fs::read_to_string(folder.join("mutants.csv")).unwrap();
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows[0], "id;class;equation;old;new");
    assert_eq!(rows.len(), 15);
    for row in &rows[1..] {
        let cells: Vec<&str> = row.split(';').collect();
        assert_eq!(cells.len(), 5, "{row}");
        assert_ne!(cells[3], cells[4], "{row}");
        let file = folder.join(format!("{}.lus", cells[0]));
        let file = file.to_str().unwrap();
        let (code, _, stderr) =
            output(&mut punctual(&["generate", file, "--random", "1", "--steps", "5"]));
        assert_eq!(code, Some(0), "{row}: {stderr}");
    }
    // They are not replaced by accident.
    let (code, _, stderr) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(2));
    assert!(stderr.contains("--force"), "{stderr}");
}

const LAMP: &str = "docs/guide/lamp.xml";

/// A model without an interface: what it says to its locations and edges is written along a covering run.
#[test]
fn test_code_along_a_run() {
    let folder = folder("generate-code");
    let path = folder.to_str().unwrap();
    let arguments = ["generate", LAMP, "--test-code", path, "--cover", "edges,locations", "--json"];
    let (code, stdout, stderr) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(0), "{stderr}");
    let told: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let all = serde_json::json!({ "edges": { "covered": 5, "of": 5 }, "locations": { "covered": 3, "of": 3 } });
    assert_eq!(told["covered"], all);
    assert_eq!(told["test_code"]["folder"], path);
    assert_eq!(told["test_code"]["files"][0]["file"], "test_lamp_0.py");
    let text = std::fs::read_to_string(folder.join("test_lamp_0.py")).unwrap();
    insta::assert_snapshot!(text);
}

/// Ten steps up lead to the top, and no fewer; going down is covered with one run more.
#[test]
fn a_purpose_takes_the_shortest_way() {
    let folder = folder("generate-purpose");
    let model = folder.join("ramp.xml");
    let edge = |from: &str, to: &str, guard: &str, update: &str, code: &str| {
        format!(
            "<transition><source ref=\"{from}\"/><target ref=\"{to}\"/><label kind=\"guard\">{guard}</label>\
             <label kind=\"assignment\">{update}</label><label kind=\"testcode\">{code}</label></transition>"
        )
    };
    let edges = [
        edge("low", "low", "n &lt; 9", "n++", "up"),
        edge("low", "top", "n == 9", "n++", "up"),
        edge("top", "low", "", "n--", "down from $(n)"),
        edge("low", "low", "n &gt; 0", "n--", "down from $(n)"),
    ];
    let text = format!(
        "<nta><declaration>int[0,10] n;</declaration><template><name>Ramp</name>\
         <location id=\"low\"><name>Low</name></location><location id=\"top\"><name>Top</name>\
         <label kind=\"testcodeEnter\">at the top</label></location><init ref=\"low\"/>{}</template>\
         <system>system Ramp;</system></nta>",
        edges.concat()
    );
    std::fs::write(&model, text).unwrap();
    let (model, path) = (model.to_str().unwrap(), folder.to_str().unwrap());
    let arguments = ["generate", model, "--test-code", path, "--purpose", "E<> Ramp.Top"];
    let (code, stdout, stderr) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(
        stdout.contains("testcase0.code  10 steps, 2 of 2 locations, 2 of 4 edges"),
        "{stdout}"
    );
    let text = std::fs::read_to_string(folder.join("testcase0.code")).unwrap();
    assert_eq!(text, "up\n".repeat(10) + "at the top\n");
    let arguments = ["generate", model, "--test-code", path, "--cover", "edges", "--steps", "20"];
    let (code, stdout, _) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(0));
    assert!(stdout.contains("2 of 2 locations, 4 of 4 edges covered"), "{stdout}");
}

#[test]
fn what_is_wrong_with_test_code_is_said() {
    let gate = "examples/train-gate/model.xml";
    for (arguments, expected) in [
        (vec!["generate", gate, "--test-code", "nowhere", "--cover", "edges"], "has no test code"),
        (vec!["generate", LAMP, "--test-code", "nowhere"], "say what to make"),
        (vec!["generate", LAMP, "--cover", "edges"], "there is no `docs/guide/punctual.toml`"),
        (vec!["generate", LAMP, "--cover", "edges", "--json"], "`--json` needs a file"),
        (vec!["generate", HEATER, "--random", "1", "--as-model", "x"], "is for timed automata"),
    ] {
        let (code, _, stderr) = output(&mut punctual(&arguments));
        assert_eq!(code, Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
    }
}

/// A case is a process beside the lamp; the checker says that the lamp passes it.
#[test]
fn cases_as_models() {
    let folder = folder("generate-models");
    let suite = folder.join("suite.toml");
    let (suite, path) = (suite.to_str().unwrap(), folder.to_str().unwrap());
    let interface = "docs/guide/lamp.toml";
    let arguments =
        ["generate", LAMP, "-i", interface, "--cover", "edges", "-o", suite, "--as-model", path];
    let (code, stdout, stderr) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.ends_with(&format!("wrote 1 case as a model to {path}\n")), "{stdout}");
    let case = folder.join("case001.xml");
    let (_, stdout, _) = output(&mut punctual(&["check", case.to_str().unwrap()]));
    let answers: Vec<&str> =
        stdout.lines().filter(|it| it.ends_with("satisfied")).map(str::trim).collect();
    assert_eq!(answers[..3], ["not satisfied", "satisfied", "satisfied"], "{stdout}");
}
