//! `punctual score`: what a suite finds, and whether playing the mutants confirms it.

use serde_json::Value;

use super::{folder, output, punctual};

const MODEL: &str = "experiments/tauc/small.xml";
const SUITE: &str = "experiments/tauc/suite.toml";
const WIDENED: [&str; 9] = [
    "score",
    MODEL,
    SUITE,
    "-i",
    "experiments/tauc/small.toml",
    "--operators",
    "widen",
    "--offset",
    "100",
];

fn told(more: &[&str]) -> Value {
    let arguments: Vec<&str> = WIDENED.iter().chain(more).copied().collect();
    let (code, stdout, stderr) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

/// Runs are counted for each mutant and case, and are the same on any number of threads.
#[test]
fn plays_are_told() {
    let folder = folder("score-plays");
    let path = folder.join("table.csv").display().to_string();
    let told_alone = told(&["--json", "--play", "--runs", "3", "--threads", "1", "--table", &path]);
    let others = told(&["--json", "--play", "--runs", "3", "--threads", "3"]);
    assert_eq!(told_alone, others);
    let played = &told_alone["played"];
    assert_eq!((played["random"].as_u64(), played["seed"].as_u64()), (Some(3), Some(1)));
    assert_eq!(played["contradictions"], Value::Array(Vec::new()));
    assert_eq!((&played["open"], &played["must"]["pairs"]), (&0.into(), &0.into()));
    let sum = |of: &str, what: &str| played[of][what].as_u64().unwrap();
    assert!(sum("may", "failed") > 0 && sum("can not", "failed") == 0, "{played}");
    let mut rows = std::fs::read_to_string(&path).unwrap();
    rows = rows
        .split_once('\n')
        .map(|(head, rows)| {
            assert_eq!(head, "name;operator;decision;outcome;cases;change;failed;passed;stuck");
            rows.to_owned()
        })
        .unwrap();
    let (mut pairs, mut failed) = (0, 0);
    for (mutant, row) in told_alone["mutants"].as_array().unwrap().iter().zip(rows.lines()) {
        let plays = mutant["plays"].as_array().unwrap();
        let sum = |what: &str| plays.iter().map(|it| it[what].as_u64().unwrap()).sum::<u64>();
        let counts = [sum("failed"), sum("passed"), sum("stuck")];
        assert_eq!(counts.iter().sum::<u64>(), 5 * plays.len() as u64);
        let expected = counts.map(|it| it.to_string()).join(";");
        assert!(row.starts_with(mutant["name"].as_str().unwrap()), "{row}");
        assert!(row.ends_with(&format!(";{expected}")), "{row}: {expected}");
        pairs += plays.len() as u64;
        failed += counts[0];
    }
    assert_eq!(pairs, sum("may", "pairs") + sum("can not", "pairs"));
    assert_eq!(failed, sum("may", "failed"));
}

/// Without `--play` nothing is said of runs, and their options are refused.
#[test]
fn plays_are_asked_for() {
    let told = told(&["--json"]);
    assert_eq!((told.get("played"), told["mutants"][0].get("plays")), (None, None));
    for option in ["--runs", "--seed"] {
        let arguments: Vec<&str> = WIDENED.iter().copied().chain([option, "3"]).collect();
        let (code, _, stderr) = output(&mut punctual(&arguments));
        assert_eq!(code, Some(2), "{stderr}");
        assert!(stderr.contains("--play"), "{stderr}");
    }
}
