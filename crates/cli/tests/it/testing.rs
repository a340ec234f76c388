//! `test`, `judge`, `replay` and `report`, from models to exit codes.

use std::path::Path;

use super::{folder, output, punctual, root};

/// The implementation of the coffee machine that takes so long for strong and for weak coffee.
fn implementation(folder: &Path, times: &str) -> String {
    let path = root().join("examples/coffee-machine/implementation.xml");
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains("Implementation(40, 20)"));
    let path = folder.join("implementation.xml");
    std::fs::write(
        &path,
        text.replace("Implementation(40, 20)", &format!("Implementation({times})")),
    )
    .unwrap();
    path.display().to_string()
}

/// Tests an implementation under a user; gives the exit code and what was printed.
fn coffee(times: &str, user: &str, more: &[&str]) -> (Option<i32>, String) {
    let folder = folder(&format!("coffee-{}-{user}", times.replace(", ", "-")));
    let played = implementation(&folder, times);
    let model = format!("examples/coffee-machine/{user}.xml");
    let mut arguments = vec!["test", &model, "--play", &played, "--policy", "fixed", "--no-record"];
    arguments.extend(more);
    let (code, stdout, stderr) = output(&mut punctual(&arguments));
    assert_eq!(stderr, "");
    (code, stdout)
}

#[test]
fn machines_of_the_paper() {
    let (code, text) = coffee("40, 20", "universal", &["--time", "100000"]);
    assert!(code == Some(0) && text.starts_with("PASS"), "{text}");
    assert_eq!(coffee("40, 20", "model", &[]).0, Some(0));
    assert_eq!(coffee("40, 5", "model", &[]).0, Some(0));
    let (code, text) = coffee("40, 5", "universal", &["--shrink"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("shrunk to coin · req · 5 · weakCoffee\n"), "{text}");
    assert!(text.contains("came at 5, too early. Allowed was `weakCoffee` in [10, 30]."), "{text}");
}

#[test]
fn a_machine_that_is_wrong_for_two_reasons() {
    let last = |seed: u32| {
        let seed = seed.to_string();
        let (code, text) =
            coffee("70, 5", "universal", &["--shrink", "--delays", "eager", "--seed", &seed]);
        assert_eq!(code, Some(1), "{text}");
        let shrunk = text.lines().find(|line| line.contains("shrunk to")).unwrap();
        shrunk.rsplit(" · ").next().unwrap().to_owned()
    };
    // Where an input comes in between, the missing cup of strong coffee is noticed before it comes.
    let reasons: Vec<String> = (1..=8).map(last).collect();
    for reason in ["strongCoffee", "weakCoffee"] {
        assert!(reasons.iter().any(|it| it == reason), "{reasons:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_runs() {
    let runs = |seed: &str, threads: &str| {
        let model = "examples/coffee-machine/universal.xml";
        let arguments = [
            "test",
            model,
            "--no-record",
            "--json",
            "--runs",
            "6",
            "--seed",
            seed,
            "--threads",
            threads,
        ];
        // What judging took is a measurement.
        let text = output(&mut punctual(&arguments)).1;
        text.lines().filter(|line| !line.contains("_us\"")).collect::<String>()
    };
    assert_eq!(runs("7", "1"), runs("7", "2"));
    assert_ne!(runs("7", "1"), runs("8", "1"));
}

#[test]
fn records_are_replayed_reported_and_judged() {
    let folder = folder("recorded");
    let played = implementation(&folder, "40, 5");
    let store = folder.join("runs").display().to_string();
    let model = "examples/coffee-machine/universal.xml";
    let arguments = ["test", model, "--play", &played, "--policy", "fixed", "--record", &store];
    let (code, text, _) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(1));
    assert!(text.starts_with("FAIL  weakCoffee! at ") && text.contains("guard x >= 10"), "{text}");
    let run = format!("{store}/0001");
    let (code, text, _) = output(&mut punctual(&["replay", &run]));
    assert_eq!(code, Some(1));
    assert!(text.contains("too early") && !text.contains("the record says"), "{text}");
    // Judged by a model that allows it, the same run passes.
    let path = root().join(model);
    let lenient = std::fs::read_to_string(path).unwrap().replace("x &gt;= 10", "x &gt;= 5");
    let other = folder.join("lenient.xml");
    std::fs::write(&other, lenient).unwrap();
    let (_, text, stderr) =
        output(&mut punctual(&["replay", &run, "--model", &other.display().to_string()]));
    assert!(text.starts_with("PASS") && text.contains("the record says FAIL"), "{text}{stderr}");
    let record = format!("{run}/record.jsonl");
    assert_eq!(output(&mut punctual(&["judge", model, &record])).0, Some(1));
    // The same inputs give the same fault again, and none in a machine that is right.
    let again =
        ["test", model, "--play", &played, "--policy", "fixed", "--no-record", "--script", &record];
    let (code, text, stderr) = output(&mut punctual(&again));
    assert!(code == Some(1) && text.contains("too early"), "{text}{stderr}");
    let right = ["test", model, "--no-record", "--script", &record];
    assert_eq!(output(&mut punctual(&right)).0, Some(0));
    let file = |name: &str| folder.join(name).display().to_string();
    let (html, vcd, junit) = (file("run.html"), file("run.vcd"), file("runs.xml"));
    let arguments = ["report", &run, "--html", &html, "--vcd", &vcd, "--junit", &junit];
    assert_eq!(output(&mut punctual(&arguments)).0, Some(1));
    for (file, part) in [(html, "weakCoffee"), (vcd, "$timescale"), (junit, "<failure")] {
        assert!(std::fs::read_to_string(&file).unwrap().contains(part), "{file}");
    }
    assert_eq!(output(&mut punctual(&["report", &store, "--json"])).0, Some(1));
}

/// A dump of a run with resets is judged as the run was. Time began anew after each reset, so that what came before and after
/// it was mixed up.
#[test]
fn a_dump_of_a_run_with_resets_is_its_run() {
    let folder = super::folder("resets");
    let file = |name: &str| folder.join(name).display().to_string();
    let (store, vcd) = (file("runs"), file("run.vcd"));
    let model = "examples/coffee-machine/model.xml";
    let record = ["--restart", "0.1", "--time", "3000", "--seed", "3", "--record", &store];
    let (code, text, _) = output(&mut punctual(&[&["test", model][..], &record].concat()));
    assert_eq!(code, Some(0), "{text}");
    let run = format!("{store}/0001");
    assert_eq!(output(&mut punctual(&["report", &run, "--vcd", &vcd])).0, Some(0));
    let (code, text, _) = output(&mut punctual(&["judge", model, &vcd]));
    assert_eq!(code, Some(0), "{text}");
    let record = std::fs::read_to_string(format!("{run}/record.jsonl")).unwrap();
    let n_restarts = record.matches("{\"restart\":").count();
    assert!(n_restarts > 2 && text.lines().count() == n_restarts + 1, "{n_restarts}: {text}");
}

#[test]
fn traces_of_others() {
    let folder = folder("traces");
    let judge = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        let model = "examples/coffee-machine/universal.xml";
        let (code, stdout, stderr) =
            output(&mut punctual(&["judge", model, &path.display().to_string()]));
        (code, stdout + &stderr)
    };
    let (code, text) = judge("good.csv", "time_ms,signal\n10,coin\n40,req\n55,weakCoffee\n");
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = judge("bad.csv", "time_ms,signal\n10,coin\n40,req\n45,weakCoffee\n");
    assert!(code == Some(1) && text.contains("too early"), "{text}");
    // It is told as elsewhere, and nothing lies beside a trace by which it could be judged again.
    assert!(text.contains("last good states\n        Machine.Weak"), "{text}");
    assert!(text.contains("weakCoffee!    [50, 70] units  0.050 s to 0.070 s"), "{text}");
    let path = folder.join("bad.csv").display().to_string();
    let model = "examples/coffee-machine/universal.xml";
    let (_, json, _) = output(&mut punctual(&["judge", model, &path, "--json"]));
    assert!(json.contains("\"replay\": \"\""), "{json}");
    let (code, text) = judge("wrong.csv", "time_ms,signal\n10,tea\n");
    assert!(code == Some(2) && text.contains("wrong.csv:2"), "{text}");
}

#[test]
fn what_is_missing_is_said() {
    let folder = folder("missing");
    let copy = folder.join("model.xml");
    std::fs::copy(root().join("examples/coffee-machine/model.xml"), &copy).unwrap();
    let copy = copy.display().to_string();
    let (code, _, stderr) = output(&mut punctual(&["test", &copy]));
    assert!(code == Some(2) && stderr.contains("--interface FILE"), "{stderr}");
    let interface = "examples/coffee-machine/punctual.toml";
    let refused = |more: &[&str]| {
        let mut arguments = vec!["test", &copy, "--interface", interface, "--no-record"];
        arguments.extend(more);
        let (code, _, stderr) = output(&mut punctual(&arguments));
        assert_eq!(code, Some(2), "{more:?}: {stderr}");
        stderr
    };
    assert!(refused(&["--system", "./no-such-program"]).contains("no such program"));
    assert!(refused(&["--time", "soon"]).contains("write a number of time units"));
    assert!(refused(&["--delays", "quick"]).contains("`eager`"));
    let (code, _, stderr) = output(&mut punctual(&["report", &folder.display().to_string()]));
    assert!(code == Some(2) && stderr.contains("there is no run in"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn systems_that_break_down_fail() {
    let run = |script: &str| {
        let folder = folder("broken");
        let path = folder.join("system.sh");
        std::fs::write(&path, script).unwrap();
        let command = format!("sh {}", path.display());
        let model = "examples/coffee-machine/universal.xml";
        let (code, stdout, stderr) =
            output(&mut punctual(&["test", model, "--no-record", "--system", &command]));
        (code, stdout + &stderr)
    };
    let ready = "read hello; echo '{\"ready\":0}'; read reset; echo '{\"ready\":1}'\n";
    let (code, text) = run(&format!("{ready} echo oops >&2; exit 3"));
    assert!(code == Some(1) && text.contains('3') && text.contains("oops"), "{text}");
    let (code, text) = run(&format!("{ready} read line; echo nonsense; sleep 5"));
    assert!(code == Some(1) && text.contains("nonsense"), "{text}");
}

/// A script that never reads, such as a path through the model, says nothing about reading: observed ports are read as ever. One
/// that reads does so when it did before.
#[test]
fn scripts_without_readings_read_after_each_input() {
    let folder = folder("scripts-without-readings");
    let store = folder.join("runs").display().to_string();
    let model = "examples/oven/model.xml";
    let wrong = "python3 examples/oven/sut/oven.py --fault counter";
    let right = "python3 examples/oven/sut/oven.py";
    let recorded = ["test", model, "--record", &store, "--seed", "4", "--system", wrong];
    assert_eq!(output(&mut punctual(&recorded)).0, Some(1));
    let record = std::fs::read_to_string(folder.join("runs/0001/record.jsonl")).unwrap();
    let is_reading = |line: &&str| line.starts_with(r#"{"reading""#);
    assert!(record.lines().any(|line| is_reading(&line)));
    let stripped: Vec<&str> = record.lines().filter(|line| !is_reading(line)).collect();
    let script = folder.join("stripped.jsonl");
    std::fs::write(&script, stripped.join("\n") + "\n").unwrap();
    let script = script.display().to_string();
    for (system, code) in [(wrong, 1), (right, 0)] {
        let again = ["test", model, "--no-record", "--script", &script, "--system", system];
        let (found, text, stderr) = output(&mut punctual(&again));
        assert_eq!(found, Some(code), "{system}: {text}{stderr}");
    }
}
