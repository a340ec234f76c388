//! `[platform]` in the `punctual.toml` beside the model.

use std::path::PathBuf;

use super::{PLATFORM, PUMP, TESTS, WIDE, folder, json, output, punctual, read};

/// The folder of a pump whose `punctual.toml` has the platform, with another text in the place of one.
pub(super) fn configured(name: &str, from: &str, to: &str) -> PathBuf {
    let place = folder(name);
    let mut text = "[system]\nmodel = \"pump.lus\"\n\n[platform]\n".to_owned();
    for line in read(PLATFORM).lines() {
        let line = line.strip_prefix('[').map_or(line.to_owned(), |it| format!("[platform.{it}"));
        text.push_str(&(line + "\n"));
    }
    let text = text.replace(from, to);
    for (name, text) in
        [("punctual.toml", text), ("tests.toml", read(TESTS)), ("pump.lus", read(PUMP))]
    {
        std::fs::write(place.join(name), text).expect("it can be written");
    }
    place
}

/// `[platform]` beside the model is used, recorded and used again, unless somebody says otherwise.
#[test]
fn a_platform_stands_in_punctual_toml() {
    let place = configured("platform-configured", "", "");
    let path = |name: &str| place.join(name).to_str().expect("a name").to_owned();
    let (suite, runs) = (path("tests.toml"), path("runs"));
    let by_file = ["test", TESTS, "--platform", PLATFORM, "--play", PUMP, "--no-record", "--json"];
    let (_, by_file, _) = output(&mut punctual(&by_file));
    let by_file: serde_json::Value = serde_json::from_str(&by_file).expect("JSON");
    let (code, found) = json(&["test", &suite, "--record", &runs]);
    assert_eq!(code, Some(0), "{found}");
    assert_eq!(found["evidence"], by_file["evidence"]);
    assert_eq!(found["evidence"]["exercised"], 11);
    let names: Vec<_> = std::fs::read_dir(place.join("runs/0001")).expect("a run").collect();
    assert_eq!(names.len(), 4, "model, interface, suite and record: {names:?}");
    // Without its delays in mind a right pump fails, live and replayed.
    let direct = path("direct");
    let (code, printed, errors) =
        output(&mut punctual(&["test", &suite, "--direct", "--record", &direct]));
    assert_eq!(code, Some(1), "{printed}{errors}");
    for (runs, code) in [(&runs, 0), (&direct, 1)] {
        let run = format!("{runs}/0001");
        let (found, printed, errors) = output(&mut punctual(&["replay", &run]));
        assert_eq!(found, Some(code), "{printed}{errors}");
    }
    // Another file wins, and so does none at all: then steps are taken as the tester says.
    let (_, found) = json(&["test", &suite, "--platform", WIDE, "--no-record"]);
    assert_ne!(found["evidence"], by_file["evidence"]);
    let plain = path("plain");
    let (code, found) = json(&["test", &suite, "--no-platform", "--record", &plain]);
    assert_eq!((code, &found["evidence"]), (Some(0), &serde_json::Value::Null), "{found}");
    let (code, printed, errors) = output(&mut punctual(&["replay", &format!("{plain}/0001")]));
    assert_eq!(code, Some(0), "{printed}{errors}");
    // Nothing is started for a plan.
    let (code, plan) = json(&["test", &suite, "--plan"]);
    assert_eq!((code, &plan["steps"]), (Some(0), &11.into()), "{plan}");
}

/// What is wrong with a platform in `punctual.toml` is said at its place, and options for platforms need one.
#[test]
fn wrong_platforms_in_punctual_toml() {
    let place = configured("platform-misconfigured", "step = \"500ms\"", "step = \"0ms\"");
    let suite = place.join("tests.toml").to_str().expect("a name").to_owned();
    let (code, printed, errors) = output(&mut punctual(&["test", &suite, "--no-record"]));
    assert_eq!(code, Some(2), "{printed}");
    assert!(errors.contains("`step` must not be zero"), "{errors}");
    assert!(errors.contains("punctual.toml:6:"), "{errors}");
    let (code, printed, errors) =
        output(&mut punctual(&["test", &suite, "--no-platform", "--no-record"]));
    assert_eq!(code, Some(0), "{printed}{errors}");
    for option in [&["--scheduled"][..], &["--direct"], &["--tries", "3"], &["--strict"]] {
        let plain = [&["test", TESTS, "--play", PUMP, "--no-record"], option].concat();
        let (code, printed, errors) = output(&mut punctual(&plain));
        assert_eq!(code, Some(2), "{option:?}: {printed}");
        assert!(errors.contains("is for platforms"), "{errors}");
        let none = [&["test", &suite, "--no-platform", "--no-record"], option].concat();
        assert_eq!(output(&mut punctual(&none)).0, Some(2), "{option:?}");
    }
}
