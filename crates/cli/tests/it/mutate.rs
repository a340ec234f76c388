//! `punctual mutate` of networks of timed automata. Those of Lustre programs are in `generate.rs`.

use super::{folder, output, punctual};

const GATE: &str = "examples/train-gate/model.xml";
const COFFEE: &str = "examples/coffee-machine/model.xml";
const HEATER: &str = "docs/guide/heater.lus";

/// How many mutants of a side JSON says that an operator has.
fn count(arguments: &[&str], operator: &str, side: &str) -> u64 {
    let (code, stdout, stderr) = output(&mut punctual(arguments));
    assert_eq!(code, Some(0), "{stderr}");
    let told: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let counts = told["counts"].as_array().unwrap();
    let found = counts.iter().find(|it| it["operator"] == operator).expect("a count");
    let mutants = told["mutants"].as_array().unwrap();
    let listed = mutants.iter().filter(|it| it["operator"] == operator && it["side"] == side);
    assert_eq!(found[side], listed.count());
    found[side].as_u64().unwrap()
}

/// The interface beside the model says who is system; the environment is changed when that is asked for.
#[test]
fn sides_are_counted_apart() {
    assert_eq!(count(&["mutate", GATE, "--json"], "restrict", "system"), 8);
    assert_eq!(count(&["mutate", GATE, "--json"], "restrict", "environment"), 0);
    let both = ["mutate", GATE, "--json", "--environment"];
    assert_eq!(count(&both, "restrict", "system"), 8);
    assert_eq!(count(&both, "restrict", "environment"), 28);
}

#[test]
fn without_an_interface_all_is_system() {
    let arguments = ["mutate", "examples/hod/model.xml", "--operators", "paper", "--offset", "100"];
    let (code, stdout, stderr) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("all processes count as system"), "{stderr}");
    assert!(stdout.contains("x >= 3400 becomes x >= 3500"), "{stdout}");
    assert!(!stdout.contains("reset-dropped"), "{stdout}");
}

/// Each mutant is a model that the interface of the original fits, and a table says what was changed.
#[test]
fn mutants_are_models() {
    let folder = folder("mutate-automata");
    let path = folder.to_str().unwrap();
    let arguments = ["mutate", COFFEE, "--operators", "shift,action", "-o", path];
    let (code, stdout, stderr) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(0), "{stderr}");
    let table = std::fs::read_to_string(folder.join("mutants.csv")).unwrap();
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows[0], "name;operator;side;process;place;change");
    assert_eq!(stdout, format!("wrote {} mutants to {path}\n", rows.len() - 1));
    assert!(rows.len() > 8, "{table}");
    for row in &rows[1..] {
        let cells: Vec<&str> = row.split(';').collect();
        assert_eq!((cells.len(), cells[2]), (6, "system"), "{row}");
        let file = folder.join(format!("{}.xml", cells[0]));
        let interface = "examples/coffee-machine/punctual.toml";
        let show = ["show", file.to_str().unwrap(), "--interface", interface];
        let (code, _, stderr) = output(&mut punctual(&show));
        assert_eq!(code, Some(0), "{row}: {stderr}");
    }
    // They are not replaced by accident.
    let (code, _, stderr) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(2));
    assert!(stderr.contains("--force"), "{stderr}");
}

/// What can not be said in a flat file of UPPAAL is JSON, and that is said.
#[test]
fn other_mutants_are_json() {
    let folder = folder("mutate-json");
    let model = "crates/lang/test_data/accepted/priorities.xml";
    let path = folder.to_str().unwrap();
    let arguments = ["mutate", model, "--operators", "target", "-o", path];
    let (code, _, stderr) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("a priority can not be expressed: written as JSON"), "{stderr}");
    let file = folder.join("target-P-e0.json");
    let (code, _, stderr) = output(&mut punctual(&["show", file.to_str().unwrap()]));
    assert_eq!(code, Some(0), "{stderr}");
}

/// What a file is called does not matter: its content decides.
#[test]
fn standard_input_is_either_kind_of_model() {
    let read = |path: &str| std::fs::read(super::root().join(path)).unwrap();
    let mut command = punctual(&["mutate", "-", "--operators", "negate"]);
    let (code, stdout, stderr) = output(command.write_stdin(read(COFFEE)));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("x >= 10 becomes x < 10"), "{stdout}");
    let folder = folder("mutate-stdin");
    let mut command = punctual(&["mutate", "-", "--count", "1", "-o", folder.to_str().unwrap()]);
    let (code, _, stderr) = output(command.write_stdin(read(HEATER)));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(folder.join("m01.lus").exists());
}

#[test]
fn what_is_wrong_with_arguments_is_said() {
    for (arguments, expected) in [
        (vec![COFFEE, "--operators", "tickle"], "there is no operator `tickle`"),
        (vec![COFFEE, "--offset", "0"], "--offset"),
        (vec![COFFEE, "--count", "3"], "`--count` is for Lustre programs"),
        (vec![COFFEE, "--seed", "3"], "`--seed` is for Lustre programs"),
        (vec![COFFEE, "--interface", "nowhere.toml"], "no such file"),
        (vec![HEATER, "--count", "1", "--offset", "3"], "`--offset` is for networks of automata"),
        (vec![HEATER, "--count", "1", "--environment"], "`--environment` is for networks"),
        (vec![HEATER, "--count", "1"], "`-o FOLDER`"),
        (vec!["nowhere.xml"], "no such file"),
    ] {
        let arguments: Vec<&str> = ["mutate"].into_iter().chain(arguments).collect();
        let (code, _, stderr) = output(&mut punctual(&arguments));
        assert_eq!(code, Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
    }
}
