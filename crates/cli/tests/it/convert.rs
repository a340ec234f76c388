//! `punctual convert`.

use super::{folder, output, punctual, root};

/// The JSON of the network behind a file: the same for the same network.
fn network(path: &str) -> String {
    let (code, stdout, stderr) = output(&mut punctual(&["convert", path, "-", "--to", "json"]));
    assert_eq!(code, Some(0), "{path}: {stderr}");
    stdout
}

/// All models of the examples.
fn examples() -> Vec<String> {
    let mut found = Vec::new();
    for folder in std::fs::read_dir(root().join("examples")).unwrap() {
        let folder = folder.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|suffix| suffix == "xml") {
                found.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    assert!(found.len() >= 5, "the examples were not found");
    found
}

#[test]
fn examples_survive_a_tour_through_xta_and_back() {
    let folder = folder("tour");
    for path in examples() {
        let (xta, xml) = (folder.join("model.xta"), folder.join("model.xml"));
        let (xta, xml) = (xta.to_str().unwrap(), xml.to_str().unwrap());
        let (code, _, stderr) = output(&mut punctual(&["convert", &path, xta, "--force"]));
        assert_eq!(code, Some(0), "{stderr}");
        assert!(stderr.contains("coordinates"), "the loss is told: {stderr}");
        let (code, _, stderr) = output(&mut punctual(&["convert", xta, xml, "--force"]));
        assert_eq!((code, stderr.as_str()), (Some(0), ""));
        assert_eq!(network(&path), network(xta), "{path}");
        assert_eq!(network(&path), network(xml), "{path}");
    }
}

#[test]
fn examples_survive_json() {
    let folder = folder("survive_json");
    for path in examples() {
        let json = folder.join("model.json");
        let before = network(&path);
        std::fs::write(&json, &before).unwrap();
        assert_eq!(network(json.to_str().unwrap()), before, "{path}");
    }
}

#[test]
fn a_file_is_only_replaced_on_request() {
    let path = folder("replace").join("model.xta");
    std::fs::write(&path, "precious").unwrap();
    let path = path.to_str().unwrap();
    let model = "examples/train-gate/model.xml";
    let (code, _, stderr) = output(&mut punctual(&["convert", model, path]));
    assert_eq!(code, Some(2));
    assert!(stderr.contains("--force"), "{stderr}");
    assert_eq!(std::fs::read_to_string(path).unwrap(), "precious");
    let (code, _, _) = output(&mut punctual(&["convert", model, path, "--force"]));
    assert_eq!(code, Some(0));
    assert_ne!(std::fs::read_to_string(path).unwrap(), "precious");
}

#[test]
fn a_rejected_model_writes_nothing() {
    let folder = folder("nothing");
    let (input, target) = (folder.join("in.xta"), folder.join("out.xml"));
    std::fs::write(&input, "system P;").unwrap();
    let (code, _, stderr) =
        output(&mut punctual(&["convert", input.to_str().unwrap(), target.to_str().unwrap()]));
    assert_eq!(code, Some(2));
    assert!(stderr.contains("the file defines no process"), "{stderr}");
    assert!(!target.exists());
}

#[test]
fn what_a_format_can_not_say_is_named() {
    let folder = folder("refused");
    let target = folder.join("out.tck");
    let (code, _, stderr) = output(&mut punctual(&[
        "convert",
        "examples/train-gate/model.xml",
        target.to_str().unwrap(),
    ]));
    assert_eq!(code, Some(2));
    assert!(stderr.contains("can not be written as TChecker"), "{stderr}");
    assert!(stderr.contains("urgent channel"), "{stderr}");
    assert!(!target.exists());
}

#[test]
fn the_suffix_must_tell_a_format() {
    let model = "examples/train-gate/model.xml";
    for target in ["out", "out.pdf", "out.q", "-"] {
        let (code, _, stderr) = output(&mut punctual(&["convert", model, target]));
        assert_eq!(code, Some(2), "{target}");
        assert!(stderr.contains("--to"), "{stderr}");
    }
}

/// A write that fails half-way must not cost the file that was there, nor leave litter.
#[test]
fn a_write_leaves_nothing_but_the_file() {
    let folder = folder("litter");
    let path = folder.join("model.xta");
    let model = "examples/train-gate/model.xml";
    let (code, _, _) = output(&mut punctual(&["convert", model, path.to_str().unwrap()]));
    assert_eq!(code, Some(0));
    let names: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["model.xta"]);
    let (code, _, stderr) =
        output(&mut punctual(&["convert", model, "/dev/full", "--to", "xta", "-f"]));
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("can not write `/dev/full`"), "{stderr}");
}
