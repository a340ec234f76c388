//! `punctual usecases`.

use super::{folder, output, punctual};

const BODYSENSE: &str = "examples/bodysense";

#[test]
fn the_example_is_complete() {
    let (code, stdout, stderr) = output(&mut punctual(&["usecases", BODYSENSE, "--complete"]));
    assert_eq!(stderr, "");
    assert_eq!(code, Some(0));
    insta::assert_snapshot!(stdout);
}

/// A folder with these files.
fn written(test: &str, files: &[(&str, &str)]) -> String {
    let folder = folder(test);
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    folder.to_str().unwrap().to_owned()
}

const TEXT: &str = "## Use Case: Warm\n### Basic Flow\n1. The system REQUESTS level FROM the Sensor.\n\
    2. The system sets MainHeater as on.\nPostcondition: MainHeater is on.\n";

#[test]
fn what_is_missing_is_listed() {
    let folder = written("usecases_open", &[("a.md", TEXT), ("README.md", "# no use case")]);
    let (code, stdout, stderr) = output(&mut punctual(&["usecases", &folder, "--json"]));
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let open = json["open"].as_array().unwrap().iter();
    let open: Vec<String> = open.map(|it| format!("{} {}", it["kind"], it["text"])).collect();
    let expected = [
        "\"entity\" \"Sensor\"",
        "\"entity\" \"level\"",
        "\"entity\" \"MainHeater\"",
        "\"effect\" \"The system sets MainHeater as on\"",
        "\"postcondition\" \"MainHeater is on\"",
    ];
    assert_eq!(open, expected);
    let (code, stdout, stderr) = output(&mut punctual(&["usecases", &folder, "--complete", "-q"]));
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert_eq!(stderr.matches("error[usecases::entity]").count(), 3, "{stderr}");
    assert_eq!(stderr.matches("error[usecases::constraint]").count(), 2, "{stderr}");
}

#[test]
fn errors_of_all_files_are_told_at_once() {
    let files = [
        ("a.md", TEXT),
        (
            "b.md",
            "## Use Case: B\n### Basic Flow\n1. INCLUDE USE CASE Worm.\nPostcondition: None\n",
        ),
        ("c.puml", "class Heater { on: Bolean }\n"),
        ("d.ocl", "context Heatr inv: true\n"),
        ("usecases.toml", "perod = 3\n"),
    ];
    let folder = written("usecases_wrong", &files);
    let (code, stdout, stderr) = output(&mut punctual(&["usecases", &folder]));
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    for code in ["rucm::include", "puml::type", "ocl::name", "toml::unknown_key"] {
        assert!(stderr.contains(&format!("error[{code}]")), "{stderr}");
    }
}

#[test]
fn no_folder_and_no_use_case() {
    let empty = written("usecases_empty", &[("a.puml", "class A\n")]);
    for (folder, message) in [
        ("examples/nobody", "there is no such folder"),
        ("examples/README.md", "it is a file"),
        (&empty, "there is no use case"),
    ] {
        let (code, _, stderr) = output(&mut punctual(&["usecases", folder]));
        assert_eq!(code, Some(2));
        assert!(stderr.contains(message), "{stderr}");
    }
}
