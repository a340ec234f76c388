//! Suites in the languages of other tools.

use std::path::{Path, PathBuf};

use punctual_lang::{
    Input,
    diagnostic::{Style, render},
    suite::{
        self,
        export::{Error, Format, Mapping, Options, export, mapping, matrix},
    },
    testing,
};
use punctual_model::{Interface, testing::suite::Suite};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/exports")
}

fn interface() -> Interface {
    let bytes = std::fs::read(folder().join("interface.toml")).unwrap();
    let reading = testing::read_declared(Input { name: "interface.toml", bytes: &bytes });
    reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics)).wired.interface
}

fn suite(name: &str) -> Suite {
    let bytes = std::fs::read(folder().join("suites").join(name)).unwrap();
    let mut load = |_: &str| Err("nothing is loaded".to_owned());
    let reading = suite::read(Input { name, bytes: &bytes }, &interface(), None, &mut load);
    reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics))
}

/// The only caller here: all files with their names.
fn exported(name: &str, format: Format, options: &Options) -> Result<String, Error> {
    let files = export(&interface(), &suite(name), format, options)?;
    let text = |(name, text): &(String, String)| format!("──── {name}\n{text}");
    Ok(files.iter().map(text).collect::<Vec<_>>().join("\n"))
}

fn mapped(name: &str) -> Mapping {
    let bytes = std::fs::read(folder().join("mappings/accepted").join(name)).unwrap();
    let reading = mapping::read(Input { name, bytes: &bytes });
    reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics))
}

/// Without what is the same for all suites.
fn without_assets(text: &str) -> String {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/suite/export/assets");
    let mut text = text.to_owned();
    for name in ["case.py", "main.py", "conftest.py", "keywords.py", "runner.h", "rig.py"] {
        let asset = std::fs::read_to_string(assets.join(name)).unwrap();
        for part in asset.split("@HELLO@").map(str::trim) {
            text = text.replace(part, &format!("[{name}]"));
        }
    }
    text
}

#[test]
fn formats() {
    for (name, format) in Format::ALL {
        if format == Format::Template {
            continue;
        }
        let text = exported("all.toml", format, &Options::default()).expect("no mapping is needed");
        insta::assert_snapshot!(format!("all_{name}"), without_assets(&text));
        assert_eq!(Format::named(name), Some(format));
    }
    assert_eq!(Format::of_suffix("a/b.PY"), Some(Format::Pytest));
    assert_eq!(Format::of_suffix("csv"), None);
}

/// From Figure 8-b to Figure 8-c, by Table II.
#[test]
fn the_executable_test_of_the_paper() {
    let plain = exported("bodysense.toml", Format::Text, &Options::default()).unwrap();
    insta::assert_snapshot!(plain, @r"
    ──── suite.txt
    # Timeliness Scenario 2
    Input System.initialized = true
    Input TemperatureSensor.value = 76
    Input Seat.ClassForAirbagControl = Adult
    Check TemperatureError.isDetected = true
    Input CarInfo(Driving, Buckled)
    Wait 4800
    Check TemperatureError.isQualified = true
    ");
    let options = Options { mapping: Some(mapped("table_2.toml")), ..Options::default() };
    let text = exported("bodysense.toml", Format::Text, &options).unwrap();
    insta::assert_snapshot!(text, @r"
    ──── suite.txt
    Reset Time=INIT TIME
    SetBus Pin=TEMPERATURE Value=76
    SetPin Channel=RELAY Capacitance=85
    CheckBus TEMPERATURE_ERROR=01h
    SndMsg MsgID=3Ah D1=1 D2=0
    Wait Value=4800
    CheckBus TEMPERATURE_ERROR=81h
    ");
}

/// An input that the interface tells as assignments has a line for each value, and a mapping sees these lines.
#[test]
fn inputs_that_are_assignments() {
    let said = "[interface]\noutputs = []\ntime-unit = \"1ms\"\nobserve = [\"on: bool\"]\n\
        inputs = [\"S3(System.initialized: bool, TemperatureSensor.value: -40..120)\", \"DMA\", \"S4\"]\n";
    let cases = "[[case]]\nname = \"a\"\nsteps = [{ input = \"S3\", values = [true, 76] }, { input = \"DMA\" }, { wait = 3 },\n\
        { input = \"S4\" }]\n";
    let text = |assignments: &str, options: &Options| {
        let said = format!("{said}assignments = {assignments}\n");
        let reading = testing::read_declared(Input { name: "a.toml", bytes: said.as_bytes() });
        let interface = reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics)).wired;
        let mut load = |_: &str| Err("nothing is loaded".to_owned());
        let input = Input { name: "s.toml", bytes: cases.as_bytes() };
        let suite = suite::read(input, &interface.interface, None, &mut load).value.unwrap();
        export(&interface.interface, &suite, Format::Text, options).unwrap().remove(0).1
    };
    let both = text("[\"S3\", \"S4\"]", &Options::default());
    insta::assert_snapshot!(both, @r"
    # a
    Input System.initialized = true
    Input TemperatureSensor.value = 76
    Input DMA
    Wait 3
    Input S4
    ");
    let none = text("[]", &Options::default());
    assert!(none.contains("Input S3(true, 76)\n"), "{none}");
    let table = "[[map]]\nmatch = \"Input TemperatureSensor.value = (*)\"\nto = \"SetBus $1\"\n[[map]]\nregex = '.*'\nto = []\n";
    let mapping = mapping::read(Input { name: "m.toml", bytes: table.as_bytes() }).value;
    let mapped = text("[\"S3\"]", &Options { mapping, ..Options::default() });
    assert_eq!(mapped, "SetBus 76\n");
}

/// What is set up comes before all messages, once; another value stays where it is needed. A rig was reset between a message and a scenario.
#[test]
fn what_is_set_up_comes_first() {
    let said = "[interface]\noutputs = []\ntime-unit = \"1ms\"\nobserve = [\"on: bool\"]\n\
        inputs = [\"S1(System.on: bool, Sensor.value: 0..99)\", \"S2(System.on: bool, System.mode: A | B)\", \"DMA\"]\n\
        assignments = [\"S1\", \"S2\"]\nsetup = [\"System.on\", \"System.mode\"]\n";
    let cases = "[[case]]\nname = \"a\"\nsteps = [{ input = \"DMA\" }, { wait = 2 }, { input = \"S1\", values = [true, 7] },\n\
        { input = \"S2\", values = [true, \"B\"] }, { wait = 3 }, { input = \"S1\", values = [false, 7] },\n\
        { input = \"S1\", values = [false, 8] }, { input = \"S2\", values = [true, \"B\"] }]\n\
        [[case]]\nname = \"b\"\nsteps = [{ input = \"DMA\" }, { input = \"S1\", values = [false, 1] }]\n";
    let reading = testing::read_declared(Input { name: "a.toml", bytes: said.as_bytes() });
    let wired = reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics)).wired;
    let mut load = |_: &str| Err("nothing is loaded".to_owned());
    let input = Input { name: "s.toml", bytes: cases.as_bytes() };
    let suite = suite::read(input, &wired.interface, None, &mut load).value.unwrap();
    let export = |format: Format| {
        export(&wired.interface, &suite, format, &Options::default()).unwrap().remove(0).1
    };
    insta::assert_snapshot!(export(Format::Text), @r"
    # a
    Input System.mode = B
    Input System.on = true
    Input DMA
    Wait 2
    Input Sensor.value = 7
    Wait 3
    Input System.on = false
    Input Sensor.value = 7
    Input Sensor.value = 8
    Input System.on = true

    # b
    Input System.on = false
    Input DMA
    Input Sensor.value = 1
    ");
    let json: serde_json::Value = serde_json::from_str(&export(Format::Json)).unwrap();
    assert_eq!(json["cases"][0]["setup"].to_string(), r#"{"System.mode":"B","System.on":true}"#);
    // Who sends whole inputs sends them as they are.
    assert_eq!(json["cases"][0]["steps"][1]["values"].to_string(), "[true,7]");
}

/// All lines that can not be mapped are told at once.
#[test]
fn lines_that_nothing_matches() {
    let options = Options { mapping: Some(mapped("table_2.toml")), ..Options::default() };
    let error = exported("all.toml", Format::Text, &options).unwrap_err();
    insta::assert_snapshot!(error);
}

#[test]
fn a_file_for_each_case() {
    let mapping = Some(mapped("around.toml"));
    let options = Options { name: "rig".to_owned(), mapping, ..Options::default() };
    insta::assert_snapshot!(exported("all.toml", Format::Text, &options).unwrap());
}

#[test]
fn mappings_that_are_wrong() {
    insta::glob!("../../test_data/exports/mappings/rejected", "*.toml", |path| {
        let bytes = std::fs::read(path).unwrap();
        let reading = mapping::read(Input { name: "mapping.toml", bytes: &bytes });
        assert!(reading.value.is_none());
        let rendered = reading.diagnostics.iter().map(|it| render(it, &reading.file, Style::Plain));
        insta::assert_snapshot!(rendered.collect::<Vec<_>>().join("\n\n"));
    });
}

#[test]
fn templates() {
    let fill = |text: &str| {
        let template = Some(("script.j2".to_owned(), text.to_owned()));
        exported("all.toml", Format::Template, &Options { template, ..Options::default() })
    };
    let text = std::fs::read_to_string(folder().join("templates/script.j2")).unwrap();
    insta::assert_snapshot!(fill(&text).unwrap());
    // A name that there is not is told with its line, as is what can not be read.
    for wrong in ["x\n{{ cses }}", "{% for case in cases %}", "\n{{ cases[0].nme }}"] {
        let error = fill(wrong).unwrap_err().to_string();
        assert!(error.contains("script.j2:"), "{error}");
    }
    // One that does not come to an end is given up.
    let deep =
        "{% for a in range(9999) %}{% for b in range(9999) %}{{ a }}{% endfor %}{% endfor %}";
    let error = fill(deep).unwrap_err().to_string();
    assert!(error.contains("script.j2:1: the template does not come to an end"), "{error}");
    let missing = exported("all.toml", Format::Template, &Options::default());
    assert_eq!(missing, Err(Error::NoTemplate));
}

/// Every check and every output that is expected is there once.
#[test]
fn the_matrix_has_all_checks() {
    let text = matrix(&suite("all.toml"));
    assert_eq!(text.lines().count(), 1 + 5);
    let first: Vec<&str> = text.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(first, ["requirement", "R1", "R3", "", "", ""]);
}
