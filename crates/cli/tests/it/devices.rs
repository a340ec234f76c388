//! Small devices, each with faults: what is said of every fault, and that nothing is said of a device that is right.
//!
//! `test_data/devices` has a folder for each device (its model, its interface, scripts, and models of faults that are played in
//! its place), and `expected.tsv`: device, fault, options, cause, guilty signals, and when what was allowed.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use assert_cmd::Command;
use serde_json::Value;

use super::{folder, output, root};

struct Row {
    device: String,
    fault: String,
    options: Vec<String>,
    expected: Said,
}

/// Cause, guilty signals and windows, each in order.
#[derive(PartialEq, Debug)]
struct Said {
    kind: String,
    guilty: Vec<String>,
    allowed: Vec<String>,
}

fn devices() -> PathBuf {
    root().join("crates/cli/test_data/devices")
}

fn sorted(items: impl Iterator<Item = String>) -> Vec<String> {
    let mut items: Vec<String> = items.filter(|it| !it.is_empty()).collect();
    items.sort_unstable();
    items
}

fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string(devices().join("expected.tsv")).unwrap();
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let &[device, fault, options, kind, guilty, allowed] = &columns[..] else {
            panic!("six columns: {line}")
        };
        let part = |it: &str| it.trim().to_owned();
        Row {
            device: device.to_owned(),
            fault: fault.to_owned(),
            options: options.split_whitespace().map(str::to_owned).collect(),
            expected: Said {
                kind: kind.to_owned(),
                guilty: sorted(guilty.split(',').map(part)),
                allowed: sorted(allowed.split(';').map(part)),
            },
        }
    };
    text.lines().skip(1).map(row).collect()
}

/// A command about a device, in its folder.
fn test(device: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = devices().join(device);
    let model = if folder.join("model.xml").exists() { "model.xml" } else { "model.xta" };
    let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
    command.args(["test", model]).args(arguments).current_dir(folder).env("NO_COLOR", "1");
    output(&mut command)
}

fn window(it: &Value) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let values: Vec<String> = it["values"].as_array().into_iter().flatten().map(text).collect();
    let values = if values.is_empty() { String::new() } else { format!("({})", values.join(",")) };
    let is = |key: &str| it[key].as_bool().unwrap_or(false);
    let (begin, end) =
        (if is("from_open") { '(' } else { '[' }, if is("to_open") { ')' } else { ']' });
    let to = it["to"].as_str().unwrap_or("inf");
    format!("{}{values} {begin}{},{to}{end}", text(&it["signal"]), text(&it["from"]))
}

fn said(diagnosis: &Value) -> Said {
    let all = |key: &str| diagnosis[key].as_array().cloned().unwrap_or_default().into_iter();
    Said {
        kind: diagnosis["kind"].as_str().unwrap_or_default().to_owned(),
        guilty: sorted(all("guilty").map(|it| it.as_str().unwrap_or_default().to_owned())),
        allowed: sorted(all("allowed").map(|it| window(&it))),
    }
}

/// Does something with each item, on a few threads, and gives what was found to be wrong.
fn wrongs<T: Sync>(items: &[T], look: impl Fn(&T) -> Result<(), String> + Sync) -> Vec<String> {
    let (next, wrongs) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(wrong) = look(item) {
                        wrongs.lock().unwrap().push(wrong);
                    }
                }
            });
        }
    });
    wrongs.into_inner().unwrap()
}

#[test]
fn every_fault_is_told_as_it_is() {
    let rows = rows();
    assert!(rows.len() >= 128);
    let wrongs = wrongs(&rows, |row| {
        let name = format!("{}, {}, {:?}", row.device, row.fault, row.options);
        let mut arguments = vec!["--play", &row.fault, "--json", "--no-record"];
        arguments.extend(row.options.iter().map(String::as_str));
        let (code, out, err) = test(&row.device, &arguments);
        let told: Value = serde_json::from_str(&out).map_err(|_| format!("{name}: {err}"))?;
        let diagnosis = &told["runs"][0]["diagnosis"];
        let said = said(diagnosis);
        match code == Some(1) && said == row.expected {
            true => Ok(()),
            false => Err(format!(
                "{name}: exit code {code:?}\n  {said:?}\n  expected {:?}\n  {}",
                row.expected, diagnosis["explanation"]
            )),
        }
    });
    assert!(
        wrongs.is_empty(),
        "{} of {} are wrong:\n{}",
        wrongs.len(),
        rows.len(),
        wrongs.join("\n")
    );
}

/// Whether a run is recorded, and so looked at more closely, changes nothing about its verdict.
#[test]
fn a_right_device_passes_recorded_or_not() {
    let mut devices: Vec<String> = rows().into_iter().map(|row| row.device).collect();
    devices.dedup();
    assert!(devices.len() >= 28);
    let store = folder("right-devices");
    let wrongs = wrongs(&devices, |device| {
        let store = store.join(device).display().to_string();
        for place in [&["--no-record"][..], &["--record", &store]] {
            let arguments = [&["--runs", "4", "--seed", "1", "--quiet"][..], place].concat();
            let (code, out, err) = test(device, &arguments);
            if code != Some(0) {
                return Err(format!("{device}, {place:?}: {out}{err}"));
            }
        }
        Ok(())
    });
    assert!(wrongs.is_empty(), "{}", wrongs.join("\n"));
}

/// A model that is played draws what it does. Short runs were searched with other draws each time: many were not saved, and some
/// passed when they were repeated.
#[test]
fn a_shrunk_run_of_a_played_model_fails_again() {
    let faults =
        [("ferry", "fault-early.xta"), ("barrier", "fault-shut.xta"), ("kettle", "fault-late.xta")];
    let store = folder("shrunk-devices");
    let wrongs = wrongs(&faults, |(device, fault)| {
        let played = ["--play", fault, "--policy", "random", "--json"];
        let place = store.join(device).display().to_string();
        let ways = ["--runs", "10", "--seed", "7", "--shrink", "--record", &place];
        let (_, out, err) = test(device, &[&played[..], &ways].concat());
        let told: Value = serde_json::from_str(&out).map_err(|_| format!("{device}: {err}"))?;
        let shrunk = &told["shrunk"];
        let record = shrunk["folder"].as_str().map(|it| format!("{it}/record.jsonl"));
        let Some(record) = record else { return Err(format!("{device}: not saved, {shrunk}")) };
        let (code, out, err) =
            test(device, &[&played[..], &["--no-record", "--script", &record]].concat());
        let again: Value = serde_json::from_str(&out).map_err(|_| format!("{device}: {err}"))?;
        let again = &again["runs"][0]["diagnosis"];
        match code == Some(1) && again["explanation"] == shrunk["diagnosis"]["explanation"] {
            true => Ok(()),
            false => Err(format!("{device}: {code:?} {again}, and not {}", shrunk["diagnosis"])),
        }
    });
    assert!(wrongs.is_empty(), "{}", wrongs.join("\n"));
}

/// An output with a value that the interface does not know: which, when, and the same when the record is judged again.
#[test]
fn an_unknown_value_names_its_signal() {
    let place = folder("unknown-value");
    let model = std::fs::read_to_string(devices().join("insulin/model.xta")).unwrap();
    let wrong = model.replace("int[0, 4] n = 0;", "int[0, 9] n = 0;").replace("n++", "n = n + 7");
    let fault = place.join("fault.xta").display().to_string();
    std::fs::write(&fault, wrong).unwrap();
    let store = place.join("runs").display().to_string();
    let arguments = [
        "--play",
        &fault,
        "--policy",
        "earliest",
        "--script",
        "script.jsonl",
        "--json",
        "--record",
        &store,
    ];
    let (code, out, err) = test("insulin", &arguments);
    let (again_code, again, _) =
        output(&mut super::punctual(&["replay", &format!("{store}/0001"), "--json"]));
    assert_eq!((code, again_code), (Some(1), Some(1)), "{out}{err}");
    let told: Value = serde_json::from_str(&out).unwrap();
    let again: Value = serde_json::from_str(&again).unwrap();
    for diagnosis in [&told["runs"][0]["diagnosis"], &again["diagnosis"]] {
        assert_eq!(diagnosis["kind"], "unknown_output", "{diagnosis}");
        assert_eq!(said(diagnosis).guilty, ["pulse"], "{diagnosis}");
        assert_eq!((&diagnosis["seen"], &diagnosis["at"]), (&"pulse".into(), &"14".into()));
    }
}
