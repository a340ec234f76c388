//! Small faults in the project's own programs, by chance but the same each time.

use std::path::Path;

use punctual_lang::{
    Input,
    diagnostic::{Diagnostic, Style, render},
    lustre,
};

use crate::random::mutate::{Random, mutate};

/// Texts that are read, in all.
const N_CASES: u32 = 1500;

/// Whatever a program says, reading it does not panic, what is said about it points into it, and
/// what is read can be written and read again.
#[test]
fn faults_by_chance() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/lustre");
    let mut texts = Vec::new();
    let mut n_fine = 0;
    for part in ["accepted", "rejected"] {
        let entries = std::fs::read_dir(folder.join(part)).expect("the folder can be read");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        n_fine = texts.len();
        texts.extend(paths.iter().map(|path| std::fs::read(path).expect("it can be read")));
    }
    let mut n_accepted = 0;
    for case in 0..N_CASES {
        let mut random = Random::new(case);
        // Most begin with what is accepted: faults in faults find little.
        let n_bases = if case % 5 == 0 { texts.len() } else { n_fine };
        let mut bytes = texts[random.below(n_bases)].clone();
        mutate(&mut bytes, &texts[random.below(texts.len())], &mut random);
        let shown = bytes.escape_ascii();
        let reading = lustre::read(Input { name: "model.lus", bytes: &bytes }, None);
        let has_errors = reading.diagnostics.iter().any(Diagnostic::is_error);
        assert_eq!(reading.value.is_none(), has_errors, "{shown}");
        for it in &reading.diagnostics {
            for span in it.related.iter().map(|(span, _)| span).chain([&it.span]) {
                assert!(reading.file.text.get(span.range()).is_some(), "{it:?}\n{shown}");
            }
            assert!(render(it, &reading.file, Style::Plain).contains(it.code));
        }
        if let Some(program) = reading.value {
            n_accepted += 1;
            let written = lustre::write(&program);
            let again = lustre::read(Input { name: "again.lus", bytes: written.as_bytes() }, None);
            assert!(again.value.is_some(), "{:?}\n{written}\n{shown}", again.diagnostics);
        }
    }
    assert!(n_accepted > 20, "{n_accepted} of {N_CASES} are accepted");
}
