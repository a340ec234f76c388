//! Files that nobody wrote for a good reason: an error or an answer, never a crash.

use std::fmt::Write;

use super::{folder, output, punctual};

/// Shows a file that must be rejected, with a message that contains all of these.
fn rejected(test: &str, bytes: &[u8], messages: &[&str]) {
    let path = folder(test).join("hostile.xml");
    std::fs::write(&path, bytes).unwrap();
    let (code, stdout, stderr) = output(&mut punctual(&["show", path.to_str().unwrap()]));
    assert_eq!(code, Some(2), "{stdout}{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
    for message in messages {
        assert!(stderr.contains(message), "{message} is not in: {stderr}");
    }
}

#[test]
fn truncated_files() {
    let path = super::root().join("examples/train-gate/model.xml");
    let whole = std::fs::read(path).unwrap();
    for part in [0, 1, 10, 100, 1000, whole.len() / 2, whole.len() - 3] {
        rejected("truncated", &whole[..part], &[]);
    }
}

#[test]
fn an_entity_bomb() {
    let mut bomb = String::from("<?xml version=\"1.0\"?>\n<!DOCTYPE nta [\n<!ENTITY a0 \"ha\">\n");
    for level in 1..30 {
        let inner = format!("&a{};", level - 1).repeat(10);
        let _ = writeln!(bomb, "<!ENTITY a{level} \"{inner}\">");
    }
    bomb += "]>\n<nta><declaration>&a29;</declaration><system>system P;</system></nta>";
    rejected("bomb", bomb.as_bytes(), &["entit"]);
}

#[test]
fn tags_without_end() {
    rejected("tags", "<nta>".repeat(200_000).as_bytes(), &[]);
}

#[test]
fn parentheses_without_end() {
    let guard = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
    let model =
        format!("process P() {{ state A; init A; trans A -> A {{ guard {guard}; }}; }} system P;");
    rejected("parentheses", model.as_bytes(), &["nest"]);
}

#[test]
fn a_chain_without_end() {
    let guard = vec!["true"; 200_000].join(" || ");
    let model =
        format!("process P() {{ state A; init A; trans A -> A {{ guard {guard}; }}; }} system P;");
    rejected("chain", model.as_bytes(), &[]);
}

#[test]
fn huge_arrays() {
    for declaration in [
        "int a[2147483647];",
        "int a[100000][100000];",
        "typedef int t[60000]; t a[60000];",
        "clock x[100000000];",
        "chan c[int[0,2147483646]];",
        "struct { int a[16000000]; } s[16];",
    ] {
        let model = format!("{declaration} process P() {{ state A; init A; }} system P;");
        rejected("arrays", model.as_bytes(), &["too large"]);
    }
}

#[test]
fn a_million_processes() {
    let model =
        "process P(const int[1,1000] a, const int[1,1000] b) { state A; init A; } system P;";
    rejected("processes", model.as_bytes(), &["1000000 processes"]);
}

#[test]
fn invalid_text() {
    rejected("utf8", b"<nta><declaration>int \xff\xfe;</declaration></nta>", &["UTF-8"]);
    rejected("nul", b"\0\0\0\0\0\0", &[]);
}

#[test]
fn a_loop_in_a_constant() {
    let model = "int f() { while (true) { } return 1; }\nconst int N = f();\n\
                 process P() { state A; init A; } system P;";
    rejected("loop", model.as_bytes(), &["does a loop not end"]);
}
