//! The commands that measure, on inputs that take no time.

use std::{fs, path::Path, process::Command};

fn xtask(arguments: &[&str]) -> (String, bool) {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.success())
}

/// Answers agree with the peer's, and no more states are stored.
#[test]
fn tiny_benchmarks_count_as_recorded() {
    let (printed, good) = xtask(&["bench", "--quick"]);
    assert!(good, "{printed}");
    assert!(printed.contains("| fischer 4 | - | bfs | NOT satisfied | 220 | 220 | 552 | 552 |"));
}

/// A corpus with one row of each kind.
fn corpus(folder: &Path, expected: &str) {
    let model = "clock x;\nprocess P() { state a { x <= 5 }, b; init a;\n\
                 trans a -> b { guard x >= 3; }; }\nsystem P;\n";
    fs::create_dir_all(folder.join("uppaal")).unwrap();
    fs::write(folder.join("uppaal/m.xta"), model).unwrap();
    let answers = format!(
        "model,query,expected\nm.xta,E<> P.b,satisfied\nm.xta,E<> P.b and x < 3,{expected}\n\
         m.xta,Pr[<=4](<> P.b),0.5\nm.xta,E<> P.c,must be reported as an error\n"
    );
    fs::write(folder.join("answers.csv"), answers).unwrap();
}

#[test]
fn a_corpus_is_compared_with_its_answers() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("corpus");
    let path = folder.to_str().unwrap();
    corpus(&folder, "NOT satisfied");
    let (printed, good) = xtask(&["answers", path]);
    assert!(good, "{printed}");
    assert!(printed.contains("4  same\n"), "{printed}");

    corpus(&folder, "satisfied");
    let (printed, good) = xtask(&["answers", path]);
    assert!(!good, "{printed}");
    assert!(printed.contains("expected satisfied; said NOT satisfied (bfs)"), "{printed}");
}
