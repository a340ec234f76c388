//! How long signals take on the real clock: it is asked for, and measured.

use super::shrunk::{bell, test};

#[test]
fn delays_are_asked_for_and_measured() {
    let folder = bell("measured");
    let path = folder.join("punctual.toml");
    let text = std::fs::read_to_string(&path).unwrap().replace("\"1s\"", "\"1ms\"");
    // The bell is an hour late by this clock, so that nothing but the warning counts.
    std::fs::write(&path, &text).unwrap();
    let short = ["--time", "300ms", "--no-record"];
    let (_, said) = test(&folder, &[&["--clock", "real"][..], &short].concat());
    assert!(said.contains("warning: nothing says how long signals take"), "{said}");
    let (code, said) = test(&folder, &["--measure", "--time", "300ms"]);
    assert_eq!(code, Some(0), "{said}");
    let line =
        said.lines().find(|it| it.starts_with("output = ")).unwrap_or_else(|| panic!("{said}"));
    // What it says can be put into the file, and then nothing is asked for.
    std::fs::write(&path, format!("{text}\n[uncertainty]\n{line}\n")).unwrap();
    let (_, said) = test(&folder, &[&["--clock", "real"][..], &short].concat());
    assert!(!said.contains("nothing says how long"), "{said}");
    let (code, json) = test(&folder, &["--measure", "--time", "300ms", "--json"]);
    assert!(code == Some(0) && json.contains("\"output_ns\""), "{json}");
}
