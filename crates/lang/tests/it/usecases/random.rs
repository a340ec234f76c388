//! Small faults in folders, by chance but the same each time: reading does not panic, and what is said points into the files.

use std::path::Path;

use punctual_lang::{
    Input,
    diagnostic::{Diagnostic, Style, render},
    usecases,
};

use super::files;
use crate::random::mutate::{Random, mutate};

#[test]
fn faults_by_chance() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/usecases");
    let mut folders = Vec::new();
    for kind in ["accepted", "rejected"] {
        let entries = std::fs::read_dir(root.join(kind)).expect("the folder can be read");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        for path in paths {
            folders.push(files(&std::fs::read_to_string(path).expect("the file can be read")));
        }
    }
    for case in 0..1_500 {
        let mut random = Random::new(case);
        let folder = &folders[case as usize % folders.len()];
        let other = &folders[random.below(folders.len())];
        let mut contents: Vec<Vec<u8>> =
            folder.iter().map(|(_, content)| content.clone().into_bytes()).collect();
        let at = random.below(contents.len());
        mutate(&mut contents[at], other[random.below(other.len())].1.as_bytes(), &mut random);
        let inputs: Vec<Input<'_>> = (folder.iter().zip(&contents))
            .map(|((name, _), bytes)| Input { name, bytes })
            .collect();
        let found = usecases::read(&inputs);
        let mut is_wrong = false;
        for source in &found.sources {
            for wrong in &source.diagnostics {
                is_wrong |= wrong.is_error();
                for span in wrong.related.iter().map(|(span, _)| span).chain([&wrong.span]) {
                    let text = source.file.text.get(span.range());
                    assert!(text.is_some(), "case {case}: {span:?} of {}", wrong.code);
                }
            }
            let rendered = |it: &Diagnostic| render(it, &source.file, Style::Plain);
            source
                .diagnostics
                .iter()
                .take(5)
                .for_each(|it| assert!(rendered(it).contains(it.code)));
        }
        assert_eq!(found.value.is_none(), is_wrong, "case {case}: either a value or an error");
        for open in &found.open {
            let file = &found.sources[open.file].file;
            assert!(file.text.get(open.span.range()).is_some(), "case {case}: {}", open.text);
        }
    }
}
