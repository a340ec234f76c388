//! What `--json` prints is what the guide lists.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{folder, output, punctual, root};

/// Objects whose keys are names of the model.
const BY_NAME: [&str; 4] = ["locations", "variables", "clocks", "selected"];

fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| keys(item, found)),
        Value::Object(fields) => {
            for (key, value) in fields {
                found.insert(key.clone());
                match value {
                    Value::Object(named) if BY_NAME.contains(&key.as_str()) => {
                        named.values().for_each(|value| keys(value, found));
                    }
                    value => keys(value, found),
                }
            }
        }
        _ => {}
    }
}

/// Each key that commands print stands in the section of the guide, and each name that the first
/// column of a table in the section has is printed by one of the commands.
fn is_listed(section: &str, commands: &[&[&str]]) {
    let guide = std::fs::read_to_string(root().join("docs/guide/json.md")).unwrap();
    let (_, rest) = guide.split_once(&format!("## `{section}`\n")).expect("a section");
    let section = rest.split("\n## ").next().unwrap();
    let mut printed = BTreeSet::new();
    for arguments in commands {
        let (_, stdout, stderr) = output(&mut punctual(arguments));
        let value = serde_json::from_str(&stdout);
        keys(
            &value.unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{stderr}")),
            &mut printed,
        );
    }
    for key in &printed {
        let listed =
            section.contains(&format!("`{key}`")) || section.contains(&format!("\"{key}\""));
        assert!(listed, "`{key}` of {commands:?} is not in the guide");
    }
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let names = rows.filter_map(|row| row.split(" | ").next());
    for name in names.flat_map(|cell| cell.split(", ")) {
        let name = name.trim_matches('`');
        let is_value = ["covered", "infeasible", "beyond", "undecided"].contains(&name);
        assert!(is_value || printed.contains(name), "`{name}` is listed, and nobody prints it");
    }
}

#[test]
fn of_show() {
    let gate = "examples/train-gate/model.xml";
    is_listed(
        "punctual show MODEL",
        &[
            &["show", gate, "--process", "Queue", "--json"],
            &["show", "examples/cooling/model.xml", "--json"],
        ],
    );
    let interface = "examples/train-gate/punctual.toml";
    is_listed(
        "punctual show MODEL --interface FILE",
        &[
            &["show", gate, "--interface", interface, "--json"],
            &["show", "docs/guide/peek.xta", "--interface", "docs/guide/peek.toml", "--json"],
        ],
    );
    is_listed("punctual show MODEL.lus", &[&["show", "docs/guide/heater.lus", "--json"]]);
}

#[test]
fn of_usecases() {
    let folder = folder("json_usecases");
    let text = "## Use Case: A\n### Basic Flow\n1. The system sets x.\nPostcondition: None\n";
    std::fs::write(folder.join("a.md"), text).unwrap();
    let open = ["usecases", folder.to_str().unwrap(), "--json"];
    let complete = ["usecases", "examples/bodysense", "--json"];
    // The lift has flows that nothing covers; BodySense has automata.
    let uncovered = ["usecases", "examples/lift", "--scenarios", "--json"];
    let derived = ["usecases", "examples/bodysense", "--scenarios", "--json"];
    is_listed("punctual usecases", &[&complete, &open, &uncovered, &derived]);
}

#[test]
fn of_check() {
    let (gate, cooling) = ("examples/train-gate/model.xml", "examples/cooling/model.xml");
    let query = |model: &'static str, text: &'static str| {
        ["check", model, "--query", text, "--trace", "any", "--threads", "1", "--json"]
    };
    is_listed(
        "punctual check",
        &[
            &["check", gate, "--trace", "any", "--threads", "1", "--json"],
            &query(gate, "bounds: Queue.len"),
            &query(gate, "E<> Queue.Occ and nothing"),
            &query("docs/guide/overflow.xta", "A[] not deadlock"),
            &query(cooling, "Pr[<=10](<> true)"),
            &query(cooling, "E[<=10; 5](max: 1)"),
            &query(cooling, "simulate[<=10; 1]{1}"),
        ],
    );
}

#[test]
fn of_run_generate_and_mutate() {
    let folder = folder("json");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (tests, wrong, ratio, mutants) =
        (path("tests.csv"), path("wrong.csv"), path("ratio.lus"), path("mutants"));
    let text =
        "node ratio(a, b: int) returns (r: int);\nlet\n  r = a div b;\n  --%PROPERTY r > 0;\ntel\n";
    std::fs::write(&ratio, text).unwrap();
    std::fs::write(&wrong, "a,b,r\n1,1,2\n1,2,0\n1,0,0\n").unwrap();
    is_listed("punctual run", &[&["run", &ratio, &wrong, "--json"]]);
    let cover = |bound: &'static str, random: &'static str| {
        let heater = "docs/guide/heater.lus";
        let first = "--first-random";
        [
            "generate", heater, "--cover", "mcdc", "--bound", bound, first, random, "-o", &tests,
            "--json",
        ]
    };
    is_listed(
        "punctual generate",
        &[&["generate", &ratio, "--random", "2", "-o", &tests, "--json"], &cover("2", "0")],
    );
    let (lamp, purpose) = ("docs/guide/lamp.xml", "E<> Lamp.On");
    let timed = ["generate", lamp, "--purpose", purpose, "--test-code", &mutants, "--json"];
    let mutate = ["mutate", "docs/guide/heater.lus", "--count", "2", "-o", &mutants, "--json"];
    let cover =
        ["generate", lamp, "--cover", "edges", "--states", "1", "--test-code", &mutants, "--json"];
    is_listed("punctual generate MODEL", &[&timed, &cover]);
    is_listed("punctual mutate MODEL.lus", &[&mutate]);
    let automata = ["mutate", "examples/coffee-machine/model.xml", "--json"];
    is_listed("punctual mutate MODEL", &[&automata]);
}

#[test]
fn of_runs() {
    let folder = folder("json_runs");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (runs, first, broken, crashes) =
        (path("runs"), path("runs/0001"), path("runs/0009"), path("crashes.py"));
    let oven = |fault: &str| format!("python3 examples/oven/sut/oven.py --fault {fault}");
    let (late, hot) = (oven("late"), oven("hot"));
    let text = "import sys\nprint('{\"ready\":0,\"protocol\":2,\"can\":[\"step\"]}', flush=True)\n\
        input(); input(); print('{\"ready\":1}', flush=True); input(); sys.exit(3)\n";
    std::fs::write(&crashes, text).unwrap();
    let crashes = format!("python3 {crashes}");
    let device = "python3 examples/simple-pacing/device.py";
    let steer =
        ["steer", "examples/simple-pacing/pacing.toml", "--live", device, "--record", &runs];
    assert_eq!(output(&mut punctual(&steer)).0, Some(0));
    std::fs::create_dir(&broken).unwrap();
    std::fs::write(format!("{broken}/record.jsonl"), "no record\n").unwrap();
    let timed =
        ["test", "examples/oven/model.xml", "--no-record", "--json", "--shrink", "--system"];
    let stepped = [
        "test",
        "examples/oven/loop.lus",
        "--suite",
        "examples/oven/loop.csv",
        "--no-record",
        "--json",
        "--system",
    ];
    is_listed(
        "punctual test`, `punctual judge`, `punctual report`, `punctual replay",
        &[
            &[&timed[..], &[&late]].concat(),
            &[&stepped[..], &[&hot]].concat(),
            &[&stepped[..], &[&crashes]].concat(),
            &["report", &runs, "--json"],
            &["replay", &first, "--json"],
            &[&ON_PLATFORM[..], &["--no-record"]].concat(),
        ],
    );
}

/// A suite on a platform whose sensor is late sometimes.
const ON_PLATFORM: [&str; 7] = [
    "test",
    "examples/infusion/tests.toml",
    "--platform",
    "examples/infusion/wide.toml",
    "--play",
    "examples/infusion/pump.lus",
    "--json",
];

#[test]
fn of_platforms() {
    is_listed("punctual test --plan", &[&[&ON_PLATFORM[..], &["--plan"]].concat()]);
    let (pump, guess) = ("examples/infusion/pump.lus", "examples/infusion/guess.toml");
    let calibrate = ["calibrate", pump, "--platform", guess, "--play", pump, "--json"];
    is_listed("punctual calibrate", &[&calibrate]);
}

#[test]
fn of_oracles() {
    let folder = folder("json_oracles");
    let file = folder.join("stochastic.toml").display().to_string();
    let at = "examples/overheating";
    let (model, suite) = (format!("{at}/model.xml"), format!("{at}/suite.toml"));
    let arguments = ["oracles", &model, &suite, "-o", &file, "--json"];
    is_listed("punctual oracles MODEL SUITE", &[&arguments]);
    let lazy = format!("{at}/lazy.xml");
    let test = ["test", &file, "--no-record", "--json"];
    let lazy = [&test[..], &["--play", &lazy, "--policy", "stochastic"]].concat();
    let guide = std::fs::read_to_string(root().join("docs/guide/json.md")).unwrap();
    let (_, section) =
        guide.split_once("## `punctual test` of a suite with probabilities\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let mut printed = BTreeSet::new();
    for arguments in [&test[..], &lazy] {
        let (_, stdout, stderr) = output(&mut punctual(arguments));
        let value = serde_json::from_str(&stdout);
        keys(&value.unwrap_or_else(|error| panic!("{error}\n{stderr}")), &mut printed);
    }
    for key in printed {
        assert!(section.contains(&format!("`{key}`")), "`{key}` is not in the guide");
    }
}
