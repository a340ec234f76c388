//! `punctual show --interface`: the split of models, and what is said if there is none.

use std::path::Path;

use super::{folder, output, punctual, root};

/// Shows a model with the interface beside it: everything that is printed, and the exit code.
fn check(model: &Path, code: i32) -> String {
    let shown = |path: &Path| {
        let path = path.canonicalize().unwrap();
        path.strip_prefix(root().canonicalize().unwrap()).unwrap().display().to_string()
    };
    let interface = ["toml", "trn"].map(|suffix| model.with_extension(suffix));
    let interface = interface.iter().find(|path| path.exists()).expect("an interface");
    let (found, stdout, stderr) =
        output(&mut punctual(&["show", &shown(model), "--interface", &shown(interface)]));
    assert_eq!(found, Some(code), "{stderr}");
    assert_eq!(stderr, "");
    stdout
}

#[test]
fn splits() {
    insta::glob!("../../test_data/interface/split", "*.xta", |path| {
        insta::assert_snapshot!(check(path, 0));
    });
}

#[test]
fn conflicts() {
    insta::glob!("../../test_data/interface/conflict", "*.xta", |path| {
        insta::assert_snapshot!(check(path, 2));
    });
}

/// Trains are environment and depend on nobody else; the controller is one piece.
#[test]
fn the_train_gate() {
    let (code, stdout, stderr) = output(&mut punctual(&[
        "show",
        "examples/train-gate/model.xml",
        "--interface",
        "examples/train-gate/punctual.toml",
    ]));
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!(stdout);
}

#[test]
fn the_coffee_machine() {
    for model in ["model", "universal", "silent"] {
        let model = format!("examples/coffee-machine/{model}.xml");
        let interface = "examples/coffee-machine/punctual.toml";
        let (code, stdout, stderr) =
            output(&mut punctual(&["show", &model, "-i", interface, "--json"]));
        assert_eq!((code, stderr.as_str()), (Some(0), ""));
        let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(json["processes"][0]["name"], "Machine");
        assert_eq!(json["processes"][0]["side"], "system");
        assert_eq!(json["processes"][1]["side"], "environment");
        assert_eq!(json["components"].as_array().unwrap().len(), 2);
        assert_eq!(json["time_unit_ns"], 1_000_000);
        assert_eq!(json["signals"].as_array().unwrap().len(), 4);
    }
}

#[test]
fn a_picture_of_the_split() {
    let path = folder("picture_of_the_split").join("split.svg");
    let (code, ..) = output(&mut punctual(&[
        "show",
        "examples/train-gate/model.xml",
        "--interface",
        "examples/train-gate/punctual.toml",
        "--svg",
        path.to_str().unwrap(),
    ]));
    assert_eq!(code, Some(0));
    let picture = std::fs::read_to_string(path).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains("Control(4)"));
}

#[test]
fn a_wrong_interface_is_shown_at_its_place() {
    let path = folder("wrong_interface").join("punctual.toml");
    std::fs::write(&path, "[interface]\ninputs = [\"coins\"]\noutput = []\n").unwrap();
    let (code, stdout, stderr) = output(&mut punctual(&[
        "show",
        "examples/coffee-machine/model.xml",
        "--interface",
        path.to_str().unwrap(),
    ]));
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    for said in
        ["no channel `coins`", "did you mean `coin`?", "did you mean `outputs`?", "time-unit"]
    {
        assert!(stderr.contains(said), "{said}: {stderr}");
    }
}
