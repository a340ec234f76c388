//! Models that are suspicious: the golden is what lints say of them. And models of which they say nothing.

use std::path::Path;

use punctual_lang::diagnostic::{Style, render};
use punctual_lang::lints::lints;

/// Reads a model and renders what lints say of it, if somebody asks about the clock `z`.
fn check(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
    let reading = punctual_lang::read(name, &std::fs::read(path).expect("the file can be read"));
    let model = reading.model.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    let told = lints(&model, &["A[] z <= 3"]);
    let told: Vec<String> = told
        .iter()
        .map(|it| render(it, &reading.file, Style::Plain).trim_end().to_owned())
        .collect();
    told.join("\n\n")
}

#[test]
fn told() {
    insta::glob!("../../test_data/linted/told", "*.xta", |path| {
        let told = check(path);
        let stem = path.file_stem().and_then(|it| it.to_str()).expect("a name");
        let code = stem.split('-').next().unwrap_or(stem);
        assert!(told.contains(&format!("lint::{code}]")), "{told}");
        insta::assert_snapshot!(told);
    });
}

#[test]
fn silent() {
    insta::glob!("../../test_data/linted/silent", "*.xta", |path| {
        assert_eq!(check(path), "", "{}", path.display());
    });
}
