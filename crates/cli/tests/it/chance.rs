//! Statistical queries of `punctual check`.

use super::{folder, output, punctual};

/// A fair coin after a uniform delay of at most 10.
const COIN: &str = r#"<nta><declaration>clock x; int n = 0;</declaration>
<template><name>Coin</name>
<location id="a"><name>Air</name><label kind="invariant">x &lt;= 10</label></location>
<location id="h"><name>Heads</name></location>
<location id="t"><name>Tails</name></location>
<branchpoint id="b"/><init ref="a"/>
<transition><source ref="a"/><target ref="b"/></transition>
<transition><source ref="b"/><target ref="h"/><label kind="probability">1</label></transition>
<transition><source ref="b"/><target ref="t"/><label kind="probability">1</label>
<label kind="assignment">n = 1</label></transition>
</template><system>system Coin;</system></nta>"#;

fn asked(name: &str, query: &str, options: &[&str]) -> (Option<i32>, String, String) {
    let path = folder(name).join("coin.xml");
    std::fs::write(&path, COIN).unwrap();
    let mut arguments = vec!["check", path.to_str().unwrap(), "--query", query];
    arguments.extend(options);
    output(&mut punctual(&arguments))
}

#[test]
fn a_probability_comes_with_its_interval() {
    let (code, stdout, stderr) = asked("pr", "Pr[<=20](<> Coin.Heads)", &["--seed", "5"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
    for part in [" <= Pr <= ", "estimate 0.", "95 % confidence", " satisfied)", "seed 5"] {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
    let (_, stdout, _) = asked("pr-json", "Pr[<=20](<> Coin.Heads)", &["--json", "--runs", "2000"]);
    let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let estimate = json[0]["probability"].as_f64().unwrap();
    assert!((0.45..0.55).contains(&estimate), "{stdout}");
    assert_eq!((&json[0]["answer"], &json[0]["runs"]), (&"values".into(), &2000.into()));
    let bounds = [0, 1].map(|side| json[0]["interval"][side].as_f64().unwrap());
    assert!(bounds[0] < estimate && estimate < bounds[1], "{stdout}");
}

#[test]
fn the_answer_depends_on_the_seed_and_not_on_the_threads() {
    let lasting = |options: &[&str]| {
        let (_, stdout, _) = asked("threads", "Pr[<=20](<> Coin.Heads)", options);
        let text = stdout.lines().filter(|line| !line.contains("seed")).collect::<String>();
        (text, stdout)
    };
    let one = lasting(&["--threads", "1"]);
    assert_eq!(one.0, lasting(&["--threads", "2"]).0);
    let more = ["2", "3", "4"].map(|seed| lasting(&["--seed", seed]).0);
    assert!(more.iter().any(|other| *other != one.0), "{}", one.1);
}

#[test]
fn hypotheses_are_satisfied_or_not() {
    for (query, expected) in [
        ("Pr[<=20](<> Coin.Heads) >= 0.4", 0),
        ("Pr[<=20](<> Coin.Heads) >= 0.6", 1),
        ("Pr[<=20](<> Coin.Heads) <= 0.6", 0),
        ("Pr[<=20](<> Coin.Heads) >= Pr[<=2](<> Coin.Heads)", 0),
    ] {
        let (code, stdout, _) = asked("hypothesis", query, &[]);
        assert_eq!(code, Some(expected), "{stdout}");
    }
}

#[test]
fn expectations_and_simulations() {
    let (code, stdout, _) = asked("mean", "E[<=20; 5000](max: n)", &[]);
    assert_eq!(code, Some(0));
    assert!(stdout.contains(" <= mean <= ") && stdout.contains("values of runs from 0 to 1"));
    let (code, stdout, _) = asked("simulate", "simulate[<=20; 3]{n, x}", &["--json"]);
    assert_eq!(code, Some(0));
    let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let recorded = json[0]["trajectories"].as_array().unwrap();
    assert_eq!(recorded.len(), 2);
    assert_eq!(recorded[1]["runs"].as_array().unwrap().len(), 3);
}

#[test]
fn pictures_are_drawn() {
    for name in ["heads.svg", "heads.html"] {
        let path = folder("plot").join(name);
        let options = ["--plot", path.to_str().unwrap()];
        let (code, _, stderr) = asked("plot", "Pr[<=20](<> Coin.Heads)", &options);
        assert_eq!((code, stderr.as_str()), (Some(0), ""));
        assert!(std::fs::read_to_string(&path).unwrap().contains("<svg"));
    }
    let (code, _, stderr) = asked("plot", "Pr[<=20](<> Coin.Heads)", &["--plot", "heads.png"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("use .svg or .html"), "{stderr}");
}

#[test]
fn what_makes_no_sense_is_refused_before_any_run() {
    let (code, stdout, _) = asked("bound", "Pr[<=-5](<> Coin.Heads)", &[]);
    assert_eq!(code, Some(2), "{stdout}");
    assert!(stdout.contains("the bound of the runs is -5, and must be 0 or more"), "{stdout}");
    let (code, _, stderr) = asked("bound", "Pr[<=5](<> Coin.Heads)", &["--runs", "0"]);
    assert_eq!(code, Some(2), "{stderr}");
    let options = ["--plot", "no/such/folder/x.svg"];
    let (code, stdout, stderr) = asked("bound", "Pr[<=5](<> Coin.Heads)", &options);
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("there is no folder `no/such/folder`"), "{stderr}");
}

/// Neither side ever happens: no pair of runs tells which is likelier.
#[test]
fn a_comparison_of_nothing_ends() {
    let query = "Pr[<=1](<> false) >= Pr[<=1](<> false)";
    let (code, stdout, _) = asked("nothing", query, &[]);
    assert_eq!(code, Some(3), "{stdout}");
    assert!(stdout.contains("undecided: 2000000 runs did not decide it"), "{stdout}");
}

#[test]
fn bad_parameters_are_named() {
    for (option, value) in [("--alpha", "0"), ("--epsilon", "1.5"), ("--alpha", "-1")] {
        let option = format!("{option}={value}");
        let (code, stdout, _) = asked("alpha", "Pr[<=20](<> Coin.Heads)", &[&option]);
        assert_eq!(code, Some(2), "{stdout}");
        assert!(stdout.contains("must be between 0 and 1"), "{stdout}");
    }
}

#[test]
fn a_run_that_can_not_go_on_is_an_error_of_the_model() {
    let model = r#"<nta><declaration>clock x;</declaration><template><name>P</name>
<location id="a"><name>A</name><label kind="invariant">x &lt;= 3</label></location><init ref="a"/>
</template><system>system P;</system></nta>"#;
    let path = folder("timelock").join("m.xml");
    std::fs::write(&path, model).unwrap();
    let query = ["--query", "Pr[<=20](<> P.A && x > 5)"];
    let (code, stdout, _) =
        output(&mut punctual(&["check", path.to_str().unwrap(), query[0], query[1]]));
    assert_eq!(code, Some(2), "{stdout}");
    assert!(stdout.contains("a timelock"), "{stdout}");
}
