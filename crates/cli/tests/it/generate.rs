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
    assert!(stderr.contains("PUNCTUAL_SOLVER names `/nowhere/z3`"), "{stderr}");
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
