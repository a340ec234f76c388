//! The program that serves a tester.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_train-gate-controller");

#[test]
fn it_serves_json_lines() {
    let mut child = Command::new(PROGRAM)
        .args(["--mutant", "M1", "--trains", "3", "--unit-us", "10"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |message: &str| {
        writeln!(stdin, "{message}").unwrap();
        lines.next().unwrap().unwrap()
    };
    ask(r#"{"hello":{"protocol":1,"clock":"virtual"}}"#);
    assert_eq!(ask(r#"{"reset":1}"#), r#"{"ready":1}"#);
    ask(r#"{"input":"appr[1]","values":[],"at":0}"#);
    ask(r#"{"input":"appr[3]","values":[],"at":0}"#);
    let answer = ask(r#"{"wait":1000000}"#);
    assert!(answer.contains(r#""output":"stop[3]""#) && answer.contains(r#""at":60000"#));
    assert_eq!(ask(r#"{"wait":1000000}"#), r#"{"quiet":1000000}"#);
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn it_refuses_what_it_does_not_have() {
    for arguments in [["--mutant", "M7"], ["--trains", "0"]] {
        let output = Command::new(PROGRAM).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
    }
}
