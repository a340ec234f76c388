//! Lustre: what is read, what is refused, and that what is written is read again.

mod behaviour;
mod limits;
mod random;
mod round_trip;
mod tables;
mod tolerances;

use std::path::Path;

use punctual_lang::{
    Input,
    diagnostic::{Style, render},
    lustre::{self, Reading},
};
use punctual_model::lustre::Program;

/// Everything that is said about a file.
fn messages<T>(reading: &Reading<T>) -> String {
    assert_eq!(reading.value.is_none(), reading.diagnostics.iter().any(|it| it.is_error()));
    let rendered = (reading.diagnostics.iter())
        .map(|it| render(it, &reading.file, Style::Plain).trim_end().to_owned());
    rendered.collect::<Vec<_>>().join("\n\n")
}

fn read(text: &str) -> Program {
    let reading = lustre::read(Input { name: "model.lus", bytes: text.as_bytes() }, None);
    let messages = messages(&reading);
    reading.value.unwrap_or_else(|| panic!("{messages}\n{text}"))
}

fn read_file(path: &Path) -> Reading<Program> {
    let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
    let bytes = std::fs::read(path).expect("the file can be read");
    lustre::read(Input { name, bytes: &bytes }, None)
}

/// The golden is the flat program.
#[test]
fn accepted() {
    insta::glob!("../../test_data/lustre", "accepted/*.lus", |path| {
        let reading = read_file(path);
        let messages = messages(&reading);
        let program = reading.value.unwrap_or_else(|| panic!("{messages}"));
        let written = lustre::write(&program);
        round_trip::same_behaviour(&program, &read(&written), 1);
        insta::assert_snapshot!(written);
    });
}

#[test]
fn rejected() {
    insta::glob!("../../test_data/lustre", "rejected/*.lus", |path| {
        let reading = read_file(path);
        assert!(reading.value.is_none(), "the folder says that it is rejected");
        insta::assert_snapshot!(messages(&reading));
    });
}

#[test]
fn the_main_node_can_be_chosen() {
    let text = "node a() returns (x: int); let x = 1; tel\n\
                node main() returns (x: int); let x = 2; tel\n\
                node c() returns (x: int); let x = 3; tel";
    let name = |main| {
        let reading = lustre::read(Input { name: "m.lus", bytes: text.as_bytes() }, main);
        reading.value.map(|program| program.name)
    };
    assert_eq!(name(None).as_deref(), Some("main"));
    assert_eq!(name(Some("a")).as_deref(), Some("a"));
    assert_eq!(name(Some("d")), None);
}

#[test]
fn warned() {
    insta::glob!("../../test_data/lustre", "warned/*.lus", |path| {
        let reading = read_file(path);
        assert!(reading.value.is_some(), "the folder says that it is accepted");
        assert!(!reading.diagnostics.is_empty(), "something is said");
        insta::assert_snapshot!(messages(&reading));
    });
}
