//! Models with faults: the golden is everything that is said about them.

use std::path::Path;

use punctual_lang::diagnostic::{Style, render};

/// Reads a model and renders what is wrong with it and with its queries, in that order.
fn check(path: &Path, faulty: bool) -> String {
    let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
    let bytes = std::fs::read(path).expect("the file can be read");
    let reading = punctual_lang::read(name, &bytes);
    let queries = reading.model.iter().flat_map(|model| &model.queries);
    let diagnostics: Vec<_> =
        reading.diagnostics.iter().chain(queries.flat_map(|query| &query.diagnostics)).collect();
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
    assert!(!diagnostics.is_empty(), "nothing is said about {name}");
    assert_eq!(errors > 0, faulty, "{name}: {diagnostics:#?}");
    assert_eq!(reading.model.is_none(), reading.diagnostics.iter().any(|d| d.is_error()));
    let rendered: Vec<String> = diagnostics
        .into_iter()
        .map(|diagnostic| render(diagnostic, &reading.file, Style::Plain).trim_end().to_owned())
        .collect();
    rendered.join("\n\n")
}

#[test]
fn rejected() {
    insta::glob!("../../test_data/rejected", "*.{xml,xta}", |path| {
        insta::assert_snapshot!(check(path, true));
    });
}

#[test]
fn warned() {
    insta::glob!("../../test_data/warned", "*.xml", |path| {
        insta::assert_snapshot!(check(path, false));
    });
}
