//! Folders of use cases: what is read, what is refused, and what is told to be missing.
//!
//! The files of a folder stand in one file of test data, each below a line `=== name`.

mod blocks;
mod limits;
mod print;
mod random;
mod round_trip;
mod sets;

use std::path::Path;

use punctual_lang::{
    Input,
    diagnostic::{Severity, Style, render},
    usecases::{self, Folder},
};
use punctual_model::usecases::UseCases;

/// The files of a folder that is written as one text.
pub(super) fn files(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        match (line.strip_prefix("=== "), found.last_mut()) {
            (Some(name), _) => found.push((name.trim().to_owned(), String::new())),
            (None, Some((_, content))) => content.push_str(line),
            (None, None) => panic!("a folder begins with `=== name`"),
        }
    }
    found
}

pub(super) fn read(text: &str) -> Folder {
    let files = files(text);
    let inputs: Vec<Input<'_>> =
        (files.iter()).map(|(name, content)| Input { name, bytes: content.as_bytes() }).collect();
    usecases::read(&inputs)
}

fn read_file(path: &Path) -> Folder {
    read(&std::fs::read_to_string(path).expect("the file can be read"))
}

/// Everything that is said about a folder.
pub(super) fn messages(folder: &Folder) -> String {
    let rendered = folder.sources.iter().flat_map(|source| {
        let said = source.diagnostics.iter();
        said.map(|it| render(it, &source.file, Style::Plain).trim_end().to_owned())
    });
    rendered.collect::<Vec<_>>().join("\n\n")
}

/// The use cases of a folder that must be accepted.
pub(super) fn accepted_text(text: &str) -> UseCases {
    let folder = read(text);
    let messages = messages(&folder);
    folder.value.unwrap_or_else(|| panic!("{messages}\n{text}"))
}

/// The golden is everything that was understood, then all warnings, then what is open.
#[test]
fn accepted() {
    insta::glob!("../../test_data/usecases", "accepted/*.txt", |path| {
        let folder = read_file(path);
        let messages = messages(&folder);
        let value = folder.value.unwrap_or_else(|| panic!("{messages}"));
        let open = folder.open.iter().map(|it| {
            let place = (&value.files[it.place.file as usize], it.place.line);
            format!(
                "open: {} `{}` ({}:{}, {}x)\n",
                it.kind.word(),
                it.text,
                place.0,
                place.1,
                it.count
            )
        });
        let open: String = open.collect();
        insta::assert_snapshot!(format!("{}\n{open}\n{messages}", print::all(&value)));
    });
}

#[test]
fn rejected() {
    insta::glob!("../../test_data/usecases", "rejected/*.txt", |path| {
        let folder = read_file(path);
        assert!(folder.value.is_none(), "the folder says that it is rejected");
        assert!(folder.count(Severity::Error) > 0, "somebody has to say why");
        insta::assert_snapshot!(messages(&folder));
    });
}

/// At least so many inputs that are rejected were thought of.
#[test]
fn enough_is_rejected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/usecases/rejected");
    assert!(std::fs::read_dir(folder).expect("the folder can be read").count() >= 62);
}

/// A file that was published has these peculiarities; none of them stops anybody.
#[test]
fn peculiarities_are_warnings() {
    let text = include_str!("../../test_data/usecases/accepted/peculiar.txt");
    let folder = read(text);
    let value = folder.value.as_ref().expect("it is accepted");
    let kinds = value.use_cases.iter().flat_map(|it| &it.flows);
    let kinds: Vec<String> = kinds.map(|it| print::kind_word(&it.kind).to_owned()).collect();
    let count = |kind: &str| kinds.iter().filter(|it| *it == kind).count();
    assert_eq!([count("basic"), count("specific"), count("bounded")], [3, 5, 1]);
    let codes = folder.sources.iter().flat_map(|source| &source.diagnostics);
    let codes: Vec<&str> = codes.map(|it| it.code).collect();
    let count = |code: &str| codes.iter().filter(|it| **it == code).count();
    assert_eq!(count("rucm::section"), 1, "a section number is used twice");
    assert_eq!(count("rucm::r24"), 3, "three flows do not say how they end");
    assert_eq!(folder.count(Severity::Error), 0);
}

/// Each lint is off by its name, and only it.
#[test]
fn lints_are_off_by_name() {
    let text = include_str!("../../test_data/usecases/accepted/style.txt");
    let codes = |text: &str| -> Vec<&'static str> {
        let folder = read(text);
        let all = folder.sources.iter().flat_map(|source| &source.diagnostics);
        all.map(|it| it.code).collect()
    };
    let all = codes(text);
    for lint in usecases::LINTS {
        assert!(all.contains(&lint.code), "nothing shows {}", lint.name);
        let without =
            codes(&format!("{text}\n=== usecases.toml\nlints.off = [\"{}\"]\n", lint.name));
        let expected: Vec<&str> = all.iter().copied().filter(|it| *it != lint.code).collect();
        assert_eq!(without, expected, "{} is off", lint.name);
    }
}

/// What is missing can be told as errors, each at its place.
#[test]
fn what_is_open_is_an_error_for_those_who_need_it() {
    let folder = read(include_str!("../../test_data/usecases/accepted/peculiar.txt"));
    let said: Vec<String> = (folder.open.iter().take(3))
        .map(|it| {
            let wrong = it.diagnostic();
            assert!(wrong.is_error());
            render(&wrong, &folder.sources[it.file].file, Style::Plain)
        })
        .collect();
    insta::assert_snapshot!(said.join("\n\n"));
}

/// The automata of a folder come with it, and an error in any file withholds them.
#[test]
fn automata_are_read() {
    let text = include_str!("../../test_data/usecases/accepted/automata.txt");
    let network = read(text).network.expect("they are right");
    let names: Vec<&str> = network.processes.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["MainHeater", "OldHeater", "Unknown", "MainHeatr", "Clockwork"]);
    assert!(read(&text.replace("Boolean", "Bolean")).network.is_none());
    assert!(read(&text.replace("heats?", "heets?")).value.is_none());
}
