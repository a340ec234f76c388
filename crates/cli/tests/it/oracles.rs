//! Cases that are left to chance: how often they should show what they expect, and how they are judged.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::{folder, output, punctual};

/// Figure 2 of the STUIOS paper, and the same with windows that end later.
fn model(last: u32) -> String {
    format!(
        "broadcast chan out, in; bool isQualified; int[0,9] qc;
process Error() {{ clock x;
    state Absent, Present {{ x <= {last} }}, PresentQualified, AbsentQualified {{ x <= {last} }};
    init Absent;
    trans Absent -> Present {{ sync out?; assign x = 0; }},
        Present -> Absent {{ sync in?; }},
        Present -> PresentQualified {{ guard x >= {first}; assign isQualified = true, qc = qc + 1; }},
        PresentQualified -> AbsentQualified {{ sync in?; assign x = 0; }},
        AbsentQualified -> PresentQualified {{ sync out?; }},
        AbsentQualified -> Absent {{ guard x >= {first}; assign isQualified = false; }};
}}
process User() {{ state u; init u; trans u -> u {{ sync out!; }}, u -> u {{ sync in!; }}; }}
system Error, User;
",
        first = last - 1700
    )
}

const INTERFACE: &str = r#"
[interface]
inputs = ["out", "in"]
outputs = []
observe = ["isQualified", "qc"]
time-unit = "1ms"
[system]
model = "model.xta"
policy = "stochastic"
"#;

/// Figures 3 and 5 of the paper.
const SUITE: &str = r#"
[[case]]
name = "long error"
ends = ["Error.PresentQualified"]
steps = [
    { input = "out" }, { check = { isQualified = false, qc = 0 } },
    { wait = "5100ms" }, { check = { isQualified = true, qc = 1 } },
]
[[case]]
name = "short error"
ends = ["Error.AbsentQualified"]
steps = [
    { input = "out" },
    { wait = "4250ms" }, { check = { isQualified = true, qc = 1 }, allowed = [{ isQualified = false, qc = 0 }] },
    { input = "in" }, { check = { isQualified = true, qc = 1 }, allowed = [{ isQualified = false, qc = 0 }] },
]
"#;

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// A folder with the model, a suite and the suite with chances, and what was printed.
fn prepared(name: &str) -> (PathBuf, String) {
    let folder = folder(name);
    let model = write(&folder, "model.xta", &model(5100));
    write(&folder, "punctual.toml", INTERFACE);
    write(&folder, "later.xta", &self::model(5800));
    let suite = write(&folder, "suite.toml", SUITE);
    let stochastic = folder.join("stochastic.toml");
    let arguments = [Path::new("oracles"), &model, &suite, Path::new("-o"), &stochastic];
    let arguments: Vec<&str> = arguments.iter().map(|it| it.to_str().unwrap()).collect();
    let (code, stdout, stderr) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    (folder, stdout)
}

#[test]
fn chances_and_endings() {
    let (folder, told) = prepared("oracles_chances");
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[0].starts_with("long error   1; "), "{told}");
    assert!(lines[0].ends_with("prove Error.PresentQualified, together 1"), "{told}");
    assert_eq!(
        lines[1],
        "short error  1/2 = 0.5000; 1 step proves Error.AbsentQualified, together 1/2 = 0.5000"
    );
    assert_eq!(lines[2], "2 cases: 1 left to chance, 2 prove where they end");
    let text = std::fs::read_to_string(folder.join("stochastic.toml")).unwrap();
    assert!(text.starts_with("model = \"model.xta\"\n"), "{text}");
}

fn test(folder: &Path, more: &[&str]) -> (Option<i32>, Json) {
    let suite = folder.join("stochastic.toml");
    let first = ["test", suite.to_str().unwrap(), "--no-record", "--json"];
    let (code, stdout, stderr) = output(&mut punctual(&[&first, more].concat()));
    let json = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}"));
    (code, json)
}

/// A right system passes; one whose windows begin and end 700 ms later fails by how often, and the same seed says the same with any
/// number of threads. At 5100 ms, where the window ends, a system that is not qualified yet is not illegal: the model may be there, with probability 0.
#[test]
fn right_and_wrong_systems() {
    let (folder, _) = prepared("oracles_systems");
    let (code, json) = test(&folder, &["--seed", "3", "--threads", "1"]);
    assert_eq!((code, json["verdict"].as_str()), (Some(0), Some("pass")), "{json}");
    assert!(json["cases"][0]["executions"].as_u64() >= Some(59), "{json}");
    let (_, again) = test(&folder, &["--seed", "3", "--threads", "2"]);
    assert_eq!(json, again);
    let later = folder.join("later.xta");
    let later = ["--play", later.to_str().unwrap(), "--policy", "stochastic"];
    let (code, json) = test(&folder, &later);
    assert_eq!((code, json["verdict"].as_str()), (Some(1), Some("fail")), "{json}");
    let verdicts: Vec<&str> = json["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(verdicts, ["fail", "fail"], "{json}");
    let reason = json["cases"][0]["reasons"][0].as_str().unwrap();
    assert!(reason.contains("too few for 1 ± 0.05"), "{reason}");
    // By the paper's rule, too.
    let (code, json) = test(&folder, &[&later[..], &["--rule", "paper"]].concat());
    assert_eq!(code, Some(1), "{json}");
}

/// What is wrong is said at its place, or by its name.
#[test]
fn what_is_wrong_is_said() {
    let folder = folder("oracles_wrong");
    let model = write(&folder, "model.xta", &model(5100));
    write(&folder, "punctual.toml", INTERFACE);
    let wrong = SUITE.replace("Error.PresentQualified", "Error.Absent");
    let suite = write(&folder, "suite.toml", &wrong);
    let run = |more: &[&str]| {
        let first = ["oracles", model.to_str().unwrap(), suite.to_str().unwrap()];
        output(&mut punctual(&[&first, more].concat()))
    };
    let (code, _, stderr) = run(&[]);
    assert_eq!(code, Some(2));
    assert!(
        stderr.contains("suite.toml:3:9") && stderr.contains("ends in `Error.Absent`"),
        "{stderr}"
    );
    // One bad case is left out on demand.
    let (code, stdout, stderr) = run(&["--skip"]);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("warning[suite::chance]"), "{stderr}");
    assert!(stdout.contains("short error") && !stdout.contains("long error"), "{stdout}");
    let (code, _, stderr) = run(&["--phase", "soon"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("`--phase soon`"), "{stderr}");
    std::fs::write(&suite, SUITE).unwrap();
    let (code, stdout, _) = run(&["--location", "Error.PresentQualified"]);
    assert_eq!(code, Some(2), "{stdout}");
    // Tolerances and rates out of range.
    let (ready, _) = prepared("oracles_range");
    let ready = ready.join("stochastic.toml");
    for option in [["--tolerance", "1.5"], ["--alpha", "0"], ["--executions", "0"]] {
        let first = ["test", ready.to_str().unwrap(), "--no-record"];
        let (code, _, stderr) = output(&mut punctual(&[&first[..], &option].concat()));
        assert_eq!(code, Some(2), "{option:?}: {stderr}");
    }
}

/// Faults of the paper: an edge that leads back to where it starts passes Figure 3 alone and fails with its ending (3.3); a system that
/// takes up to 6000 ms (4.2); one that qualifies and does not count (Figure 9).
#[test]
fn faults_of_the_paper() {
    let (folder, _) = prepared("oracles_faults");
    let right = model(5100);
    let qualifies =
        "Present -> PresentQualified { guard x >= 3400; assign isQualified = true, qc = qc + 1; }";
    assert!(right.contains(qualifies));
    let again =
        "Present -> Present { guard x >= 3400; assign isQualified = true, qc = qc + 1, x = 0; }";
    let uncounted =
        "Present -> PresentQualified { guard x >= 3400; assign isQualified = true, qc = 0; }";
    let faults = [
        ("loop.xta", right.replace(qualifies, again)),
        ("slow.xta", right.replace("Present { x <= 5100 }", "Present { x <= 6000 }")),
        ("uncounted.xta", right.replace(qualifies, uncounted)),
    ];
    for (name, text) in faults {
        let path = write(&folder, name, &text);
        let play = ["--play", path.to_str().unwrap(), "--policy", "stochastic"];
        let (code, json) = test(&folder, &play);
        assert_eq!(code, Some(1), "{name}: {json}");
        assert_eq!(json["cases"][0]["verdict"], "fail", "{name}: {json}");
        // The plain suite runs each case once. It is blind for the edge that leads back.
        if name == "loop.xta" {
            let suite = folder.join("plain.toml");
            let plain = SUITE.split("[[case]]").nth(1).expect("a case");
            let heading = "model = \"model.xta\"\ninterface = \"punctual.toml\"\n[[case]]";
            std::fs::write(&suite, format!("{heading}{plain}")).unwrap();
            let first = ["test", suite.to_str().unwrap(), "--no-record", "--runs", "20"];
            let (code, stdout, _) = output(&mut punctual(&[&first[..], &play].concat()));
            assert_eq!(code, Some(0), "{stdout}");
        }
    }
}

/// What a tolerance in time becomes, and how failures are told: systems that show everything later or earlier.
#[test]
fn tolerances_in_time() {
    let (folder, _) = prepared("oracles_time");
    let system = |name: &str, last: u32| {
        let path = write(&folder, name, &model(last)).to_str().unwrap().to_owned();
        ["--play".to_owned(), path, "--policy".to_owned(), "stochastic".to_owned()]
    };
    let run = |name: &str, last: u32, more: &[&str]| {
        let system = system(name, last);
        let system = system.iter().map(String::as_str);
        test(&folder, &system.chain(more.iter().copied()).collect::<Vec<_>>())
    };
    // What is later by the tolerance at most is right, also where the model alone would call it illegal.
    let (code, json) = run("late.xta", 5160, &["--tolerance", "85ms"]);
    assert_eq!(code, Some(0), "{json}");
    let close = |it: &Json, wanted: f64| (it.as_f64().unwrap() - wanted).abs() < 1e-9;
    let tolerated = &json["cases"][1]["sequences"][0]["tolerated"];
    assert!(close(&tolerated[0], 0.45) && close(&tolerated[1], 0.55), "{json}");
    let tolerated = &json["cases"][0]["sequences"][0]["tolerated"];
    assert!(close(&tolerated[0], 0.95) && close(&tolerated[1], 1.0), "{json}");
    let (code, json) = run("late.xta", 5160, &["--tolerance", "0.05"]);
    assert_eq!(code, Some(1), "{json}");
    // Beyond it fails, and both cases say by how much.
    let (code, json) = run("later.xta", 5500, &["--tolerance", "85ms", "--seed", "1"]);
    assert_eq!(code, Some(1), "{json}");
    let shift = json["cases"][1]["shift_ms"].as_f64().unwrap();
    assert!((200.0..600.0).contains(&shift), "{json}");
    let (code, json) = run("earlier.xta", 4700, &["--tolerance", "85ms", "--seed", "1"]);
    assert_eq!(code, Some(1), "{json}");
    let shift = json["cases"][1]["shift_ms"].as_f64().unwrap();
    assert!((-600.0..-200.0).contains(&shift), "{json}");
    let (code, plan) = test(&folder, &["--plan", "--tolerance", "85ms", "--reset", "2s"]);
    assert_eq!(code, Some(0), "{plan}");
    for case in plan["cases"].as_array().unwrap() {
        assert!((85.0..400.0).contains(&case["least_shift_ms"].as_f64().unwrap()), "{plan}");
        assert!(case["least_deviation"].as_f64().is_some(), "{plan}");
    }
    // What may show anything is not executed, and no pass.
    let (code, json) = test(&folder, &["--tolerance", "3s"]);
    assert_eq!(code, Some(3), "{json}");
    assert_eq!(json["cases"][0]["executions"], 0, "{json}");
    let reason = json["cases"][0]["reasons"][0].as_str().unwrap();
    assert!(reason.contains("always or never"), "{reason}");
    // What can not be converted, and what makes no sense.
    let suite = folder.join("stochastic.toml");
    let refused = |more: &[&str], why: &str| {
        let first = ["test", suite.to_str().unwrap(), "--no-record"];
        let (code, _, stderr) = output(&mut punctual(&[&first, more].concat()));
        assert_eq!(code, Some(2), "{stderr}");
        assert!(stderr.contains(why), "{stderr}");
    };
    refused(&["--tolerance", "soon"], "neither a probability nor a time");
    refused(&["--tolerance", "100us"], "a higher `resolution` helps");
    refused(&["--tolerance", "85ms", "--rule", "paper"], "knows no tolerance in time");
    let sampled = std::fs::read_to_string(&suite).unwrap().replace("\"1/2\"", "[0.48, 0.52]");
    std::fs::write(&suite, &sampled).unwrap();
    // By runs: what is stated, and what 85 ms change.
    let (code, plan) = test(&folder, &["--plan", "--tolerance", "85ms"]);
    assert_eq!(code, Some(0), "{plan}");
    let tolerated = &plan["cases"][1]["tolerated"][0];
    let close = |it: &Json, wanted: f64| (it.as_f64().unwrap() - wanted).abs() < 0.02;
    assert!(close(&tolerated[0], 0.43) && close(&tolerated[1], 0.57), "{plan}");
    // A loop that the model does not have can not be run.
    std::fs::write(&suite, format!("loop = \"1700ms\"\n{sampled}")).unwrap();
    refused(&["--tolerance", "85ms"], "can not be run for other instants");
}

/// The paper's rule: its confidence, and its advice where many cases are not reliable.
#[test]
fn confidence_and_advice() {
    let (folder, _) = prepared("oracles_confidence");
    let (code, json) = test(&folder, &["--rule", "paper", "--seed", "1", "--parallel", "2"]);
    assert_eq!(code, Some(3), "{json}");
    let advice = json["advice"].as_str().unwrap();
    assert!(advice.starts_with("1 of 2 cases are not reliable."), "{advice}");
    let advised = ["--rule", "paper", "--seed", "1", "--confidence", "0.9", "--executions", "300"];
    let (code, json) = test(&folder, &advised);
    assert_eq!((code, json.get("advice")), (Some(0), None), "{json}");
    let guarantee = json["guarantee"].as_str().unwrap();
    assert!(guarantee.contains("90 % confidence") && guarantee.contains("0.200 wide"), "{json}");
    let suite = folder.join("stochastic.toml");
    let first = ["test", suite.to_str().unwrap(), "--no-record"];
    for more in [&["--confidence", "0.9"][..], &["--rule", "paper", "--confidence", "1.2"]] {
        let (code, _, stderr) = output(&mut punctual(&[&first[..], more].concat()));
        assert_eq!(code, Some(2), "{stderr}");
        assert!(stderr.contains("confidence"), "{stderr}");
    }
}

/// The phase of a loop as a range, which begins with 0.
#[test]
fn phases_as_ranges() {
    let (folder, _) = prepared("oracles_phase");
    let suite = folder.join("suite.toml");
    let model = folder.join("model.xta");
    let run = |phase: &str| {
        let first = ["oracles", model.to_str().unwrap(), suite.to_str().unwrap()];
        output(&mut punctual(&[&first[..], &["--runs", "3000", "--phase", phase]].concat()))
    };
    let (_, _, stderr) = run("100ms..1700ms");
    assert!(stderr.contains("does not begin with 0"), "{stderr}");
    let (_, _, stderr) = run("0..soon");
    assert!(stderr.contains("`--phase 0..soon`"), "{stderr}");
    // The windows of the model are random beside the phase, so probabilities are sampled; all ways to write the phase say the same.
    let mut all = Vec::new();
    for phase in ["1700ms", "1700", "0..1700", "0ms..1700ms", "0..1700ms"] {
        let (code, stdout, stderr) = run(phase);
        assert_eq!(code, Some(0), "{phase}: {stderr}");
        assert!(stdout.contains("phase = \"1700ms\""), "{phase}: {stdout}");
        assert!(stdout.contains("sampled: two random delays matter at once"), "{phase}: {stdout}");
        all.push(stdout);
    }
    assert!(all.iter().all(|it| *it == all[0]), "{all:?}");
    let half = all[0].lines().filter(|line| line.starts_with("probability = [0.4"));
    assert_eq!(half.count(), 1, "{}", all[0]);
}

/// A system that can not be reset is refused before anything runs, unless it is started anew for each execution.
#[cfg(unix)]
#[test]
fn systems_that_can_not_be_reset() {
    let (folder, _) = prepared("oracles_reset");
    let program = "while read -r line; do case \"$line\" in
        *hello*) echo '{\"ready\":0}';;
        *reset*) if [ -n \"$once\" ]; then exit 3; fi; once=1; echo '{\"ready\":1}';;
    esac; done\n";
    let program = write(&folder, "once.sh", program);
    let command = format!("sh {}", program.to_str().unwrap());
    let (suite, runs) = (folder.join("stochastic.toml"), folder.join("runs"));
    let arguments = ["test", suite.to_str().unwrap(), "--system", &command, "--record"];
    let arguments = [&arguments[..], &[runs.to_str().unwrap()]].concat();
    let (code, stdout, stderr) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(2), "{stdout}{stderr}");
    assert!(stderr.contains("the system can not be reset"), "{stderr}");
    assert_eq!(std::fs::read_dir(&runs).map_or(0, Iterator::count), 0, "nothing ran");
}

/// A suite whose records are cut off in the middle goes on from there.
#[test]
fn suites_that_are_resumed() {
    let (folder, _) = prepared("oracles_resume");
    let suite = folder.join("stochastic.toml");
    let (whole, part) = (folder.join("whole"), folder.join("part"));
    let run = |runs: &Path, more: &[&str]| {
        let first = ["test", suite.to_str().unwrap(), "--json", "--record", runs.to_str().unwrap()];
        output(&mut punctual(&[&first[..], more].concat()))
    };
    let (code, all, _) = run(&whole, &[]);
    assert_eq!(code, Some(0), "{all}");
    for number in 1..=41 {
        let name = format!("{number:04}");
        std::fs::create_dir_all(part.join(&name)).unwrap();
        for file in std::fs::read_dir(whole.join(&name)).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), part.join(&name).join(file.file_name())).unwrap();
        }
    }
    let record = part.join("0041/record.jsonl");
    let text = std::fs::read(&record).unwrap();
    std::fs::write(&record, &text[..text.len() - 300]).unwrap();
    // One that the user stopped says nothing either.
    let record = part.join("0038/record.jsonl");
    let text = std::fs::read_to_string(&record).unwrap();
    let ending = "\"ending\":{\"cause\":\"stopped\"},\"statistics\":";
    assert!(text.contains("\"statistics\":"), "{text}");
    let stopped = text.replace("\"statistics\":", ending);
    std::fs::write(&record, stopped).unwrap();
    let (code, resumed, _) = run(&part, &["--resume"]);
    assert_eq!((code, &resumed), (Some(0), &all));
    let n_runs = |folder: &Path| std::fs::read_dir(folder).unwrap().count();
    assert_eq!(n_runs(&part), n_runs(&whole) + 2, "only what was cut is made again");
    let (code, _, stderr) = run(&part, &["--resume", "--no-record"]);
    assert_eq!(code, Some(2), "{stderr}");
}

/// Reports of a suite that was repeated say what the test said, from its records alone.
#[test]
fn reports_of_suites() {
    let (folder, _) = prepared("oracles_report");
    let later = write(&folder, "later.xta", &model(5500));
    let (suite, runs, pages) =
        (folder.join("stochastic.toml"), folder.join("runs"), folder.join("pages"));
    let [suite, runs] = [&suite, &runs].map(|it| it.to_str().unwrap());
    let system = ["--play", later.to_str().unwrap(), "--policy", "stochastic"];
    let told = ["test", suite, "--json", "--tolerance", "85ms", "--record", runs];
    let (code, told, _) = output(&mut punctual(&[&told[..], &system].concat()));
    assert_eq!(code, Some(1), "{told}");
    // The folder of the suite is not needed any more.
    std::fs::remove_file(folder.join("model.xta")).unwrap();
    let (code, stdout, stderr) = output(&mut punctual(&["report", runs, "--json"]));
    assert_eq!(code, Some(1), "{stderr}");
    let json = |text: &str| serde_json::from_str::<Json>(text).unwrap();
    let (told, reported) = (json(&told), json(&stdout));
    assert_eq!(reported["repeated"][0]["cases"], told["cases"]);
    assert_eq!(reported["repeated"][0]["verdict"], "fail");
    assert_eq!(reported["repeated"][0]["suite"], "stochastic.toml");
    let (xml, html) = (folder.join("results.xml"), pages.to_str().unwrap());
    let arguments = ["report", runs, "--junit", xml.to_str().unwrap(), "--html", html];
    let (code, stdout, _) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(1), "{stdout}");
    assert!(stdout.contains("As if everything came "), "{stdout}");
    let xml = std::fs::read_to_string(xml).unwrap();
    assert_eq!(xml.matches("<testcase ").count(), 2, "{xml}");
    assert!(xml.contains("tolerated 0.450 to 0.550") && xml.contains("executions"), "{xml}");
    let page = std::fs::read_to_string(pages.join("index.html")).unwrap();
    let has = |part: &str| assert!(page.contains(part), "{part}");
    for part in
        ["<svg class=\"evidence\"", "class=\"seen\" points=\"30.0,", "class=\"fail\" points"]
    {
        has(part);
    }
    has("Cases of stochastic.toml, repeated");
    // A right suite passes, although single runs do not show what is expected.
    let right = folder.join("right");
    let right = right.to_str().unwrap();
    let (folder, _) = prepared("oracles_report");
    let suite = folder.join("stochastic.toml");
    let arguments = ["test", suite.to_str().unwrap(), "--record", right];
    assert_eq!(output(&mut punctual(&arguments)).0, Some(0));
    let (code, stdout, _) = output(&mut punctual(&["report", right]));
    assert_eq!(code, Some(0), "{stdout}");
    assert!(stdout.contains("PASS  2 passed, 0 failed, 0 inconclusive"), "{stdout}");
}
