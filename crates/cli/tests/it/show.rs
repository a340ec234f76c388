//! `punctual show`.

use super::{folder, output, punctual};

/// Shows an example; it must be accepted without a word on standard error.
fn shown(arguments: &[&str]) -> String {
    let (code, stdout, stderr) = output(&mut punctual(arguments));
    assert_eq!(stderr, "");
    assert_eq!(code, Some(0));
    stdout
}

#[test]
fn summary_of_the_train_gate() {
    insta::assert_snapshot!(shown(&["show", "examples/train-gate/model.xml"]));
}

#[test]
fn summary_of_the_hod_model() {
    insta::assert_snapshot!(shown(&["show", "examples/hod/model.xml"]));
}

#[test]
fn detail_of_a_process() {
    insta::assert_snapshot!(shown(&[
        "show",
        "examples/train-gate/model.xml",
        "--process",
        "Queue",
        "--process",
        "Train(2)",
    ]));
}

#[test]
fn json_has_the_totals() {
    let text = shown(&["show", "examples/train-gate/model.xml", "--json", "-p", "Train"]);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["totals"]["processes"], 9);
    assert_eq!(json["totals"]["clocks"], 8);
    assert_eq!(json["processes"][0]["name"], "Train(1)");
    assert_eq!(json["processes"][0]["detail"]["edges"].as_array().unwrap().len(), 6);
    assert!(json["processes"][8].get("detail").is_none());
    assert_eq!(json["queries"].as_array().unwrap().len(), 9);
}

#[test]
fn queries_of_a_file_join_those_of_the_model() {
    let model = "examples/coffee-machine/model.xml";
    let alone: serde_json::Value =
        serde_json::from_str(&shown(&["show", model, "--json"])).unwrap();
    let text = shown(&["show", model, "--json", "-q", "examples/coffee-machine/queries.q"]);
    let both: serde_json::Value = serde_json::from_str(&text).unwrap();
    let count = |json: &serde_json::Value| json["queries"].as_array().unwrap().len();
    assert_eq!(count(&both), 2 * count(&alone));
    assert!(both["queries"].as_array().unwrap().iter().all(|query| query["problem"].is_null()));
}

#[test]
fn standard_input_is_a_model_too() {
    let mut command = punctual(&["show", "-"]);
    command.write_stdin("clock x;\nprocess P() { state A {x <= 5}; init A; }\nsystem P;\n");
    let (code, stdout, stderr) = output(&mut command);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    assert!(
        stdout.starts_with("<stdin>: UPPAAL XTA\n1 template, 1 process, 1 location"),
        "{stdout}"
    );
}

#[test]
fn svg_is_written_beside_the_summary() {
    let path = folder("svg").join("gate.svg");
    shown(&["show", "examples/train-gate/model.xml", "--svg", path.to_str().unwrap()]);
    let picture = std::fs::read_to_string(path).unwrap();
    assert!(picture.starts_with("<svg"));
    for name in ["Train", "Control", "Queue", "Starting", "list[len] = e, len++"] {
        assert!(picture.contains(name), "{name} is not in the picture");
    }
}

#[test]
fn a_broken_model_is_told_from_a_broken_query() {
    let folder = folder("broken_model");
    let model = |guard: &str, formula: &str| {
        format!(
            "<nta><declaration>clock x;</declaration><template><name>P</name>\
             <location id=\"a\"><name>A</name></location><init ref=\"a\"/><transition>\
             <source ref=\"a\"/><target ref=\"a\"/><label kind=\"guard\">{guard}</label>\
             </transition></template><system>system P;</system><queries><query>\
             <formula>{formula}</formula><comment/></query></queries></nta>"
        )
    };
    let path = folder.join("model.xml");
    let name = path.to_str().unwrap();

    std::fs::write(&path, model("y &gt; 3", "E&lt;&gt; P.A")).unwrap();
    let (code, stdout, stderr) = output(&mut punctual(&["show", name]));
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("there is no variable `y`"), "{stderr}");
    assert!(stderr.contains("template P, edge A → A, guard"), "{stderr}");

    std::fs::write(&path, model("x &gt; 3", "E&lt;&gt; Q.A")).unwrap();
    let (code, stdout, _) = output(&mut punctual(&["show", name]));
    assert_eq!(code, Some(0));
    assert!(stdout.contains("not usable: there is no process `Q`"), "{stdout}");
}

#[test]
fn wrong_usage_ends_with_code_two() {
    for (arguments, message) in [
        (vec!["show"], "required"),
        (vec!["show", "no-such-file.xml"], "there is no such file"),
        (vec!["show", "examples"], "it is a folder"),
        (vec!["show", "rustfmt.toml"], "this is not a model"),
        (vec!["show", "examples/hod/model.xml", "-p", "Temprature"], "did you mean `Temperature`?"),
        (vec!["show", "examples/hod/model.xml", "-q", "no.q"], "there is no such file"),
        (vec!["show", "examples/hod/model.xml", "--svg", "/no/such/folder/x.svg"], "can not write"),
        (vec!["shwo", "examples/hod/model.xml"], "show"),
    ] {
        let (code, stdout, stderr) = output(&mut punctual(&arguments));
        assert_eq!(code, Some(2), "{arguments:?}");
        assert_eq!(stdout, "", "{arguments:?}");
        assert!(stderr.contains(message), "{arguments:?}: {stderr}");
    }
}

const COUNTER: &str = "crates/lang/test_data/lustre/accepted/counter.lus";

#[test]
fn summary_of_a_lustre_program() {
    insta::assert_snapshot!(shown(&["show", COUNTER]));
    let json: serde_json::Value =
        serde_json::from_str(&shown(&["show", COUNTER, "--json"])).unwrap();
    assert_eq!(json["totals"]["equations"], 3);
    assert_eq!(json["outputs"][0]["range"], serde_json::json!([0, 10]));
}

#[test]
fn options_of_other_models_are_refused_for_lustre() {
    for option in [["--svg", "a.svg"], ["--process", "P"], ["--main", "nobody"]] {
        let (code, _, stderr) = output(&mut punctual(&["show", COUNTER, option[0], option[1]]));
        assert_eq!(code, Some(2), "{stderr}");
    }
    let automata = ["show", "examples/train-gate/model.xml", "--main", "main"];
    let (code, _, stderr) = output(&mut punctual(&automata));
    assert_eq!(code, Some(2), "{stderr}");
}
