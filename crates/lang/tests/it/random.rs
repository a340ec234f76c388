//! Small faults in the project's own models, by chance but the same each time: whatever a file
//! says, reading it does not panic, and what is said about it points into it.

pub(crate) mod mutate;

use std::path::{Path, PathBuf};

use mutate::{Random, mutate};
use punctual_lang::{
    Input, Reading, SourceFile,
    diagnostic::{Diagnostic, Style, render},
    read_with_queries,
};

/// Texts that are read, in all.
const N_CASES: u32 = 4000;

/// All files below a folder that a reader may get, in the order of their names.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        match path.extension().and_then(|suffix| suffix.to_str()) {
            _ if path.is_dir() => files(&path, found),
            Some("xml" | "xta" | "tck" | "json" | "q") => found.push(path),
            _ => {}
        }
    }
}

fn check(reading: &Reading) {
    check_diagnostics(&reading.diagnostics, &reading.file);
    assert_eq!(reading.model.is_none(), reading.diagnostics.iter().any(Diagnostic::is_error));
    if let Some(file) = &reading.query_file {
        check_diagnostics(&reading.query_diagnostics, file);
    }
    for query in reading.model.iter().flat_map(|model| &model.queries) {
        let file = if query.from_query_file { reading.query_file.as_ref() } else { None };
        let file = file.unwrap_or(&reading.file);
        assert!(file.text.get(query.span.range()).is_some(), "{:?}", query.span);
        check_diagnostics(&query.diagnostics, file);
    }
}

fn check_diagnostics(diagnostics: &[Diagnostic], file: &SourceFile) {
    for diagnostic in diagnostics {
        let spans = diagnostic.related.iter().map(|(span, _)| span).chain([&diagnostic.span]);
        for span in spans {
            assert!(file.text.get(span.range()).is_some(), "{span:?} of {}", diagnostic.code);
        }
    }
    // To render all of thousands of complaints takes longer than to find them.
    for diagnostic in diagnostics.iter().take(5) {
        assert!(render(diagnostic, file, Style::Plain).contains(diagnostic.code));
    }
}

/// Says which case it was when something panics.
struct Announce<'a>(u32, &'a Path, &'a [u8]);

impl Drop for Announce<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let (case, path, bytes) = (self.0, self.1.display(), self.2.escape_ascii());
            eprintln!("case {case}, from {path}:\n{bytes}");
        }
    }
}

#[test]
fn faults_by_chance() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    files(&root.join("test_data"), &mut paths);
    files(&root.join("../../examples"), &mut paths);
    let texts: Vec<Vec<u8>> =
        paths.iter().map(|path| std::fs::read(path).expect("the file can be read")).collect();
    let model = Input {
        name: "model.xml",
        bytes: include_bytes!("../../../../examples/train-gate/model.xml"),
    };
    for case in 0..N_CASES {
        let mut random = Random::new(case);
        let at = case as usize % paths.len();
        let mut bytes = texts[at].clone();
        mutate(&mut bytes, &texts[random.below(texts.len())], &mut random);
        let _announce = Announce(case, &paths[at], &bytes);
        let name = paths[at].file_name().and_then(|name| name.to_str()).expect("a name");
        let input = Input { name, bytes: &bytes };
        let is_queries = name.ends_with(".q");
        check(&match is_queries {
            true => read_with_queries(model, Some(input)),
            false => read_with_queries(input, None),
        });
    }
}
