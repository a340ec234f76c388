//! The kits for Python and C: what they say to testers that break the rules.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use crate::support::*;

/// What a program says to these lines, and whether it ends well.
fn said(program: &punctual_exec::Program, lines: &str) -> (String, bool) {
    let mut child = Command::new(&program.program)
        .args(&program.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // It may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
    let output = child.wait_with_output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.success())
}

fn check(program: &punctual_exec::Program) {
    let hello =
        r#"{"hello":{"clock":"virtual","inputs":[{"name":"a","values":["]}"]}],"protocol":1}}"#;
    let talk = [
        hello,
        r#"{ "reset" : 7, "more" : [ { "reset" : 8 } , "\"" ] }"#,
        r#"{"values":[],"input":"coin","at":0}"#,
        r#"{"input":"req","values":[],"at":3000000}"#,
        r#"{"wait":90000000}"#,
        r#"{"wait":90000000}"#,
        r#"{"stop":"enough"}"#,
    ];
    let answers = "{\"ready\":0}\n{\"ready\":7}\n{\"done\":0}\n{\"done\":3000000}\n\
        {\"output\":\"weakCoffee\",\"values\":[],\"at\":23000000}\n{\"quiet\":90000000}\n";
    assert_eq!(said(program, &(talk.join("\n") + "\n")), (answers.into(), true));
    // The tester is gone.
    assert_eq!(said(program, ""), (String::new(), true));
    assert_eq!(said(program, &format!("{hello}\n")), ("{\"ready\":0}\n".into(), true));
    for (lines, error) in [
        (r#"{"reset":1}"#.to_owned(), "the first message must be hello"),
        (r#"{"hello":{"clock":"real","protocol":2}}"#.into(), "only protocol 1 is known here"),
        (format!("{hello}\n{{\"wait\":1}}"), "a reset must come first"),
        (format!("{hello}\n{{\"reset\":1}}\n{{\"dance\":1}}"), "a message that is not known"),
    ] {
        let (said, well) = said(program, &format!("{lines}\n"));
        assert!(said.ends_with(&format!("{{\"error\":\"{error}\"}}\n")), "{lines}: {said}");
        assert!(!well);
    }
}

#[test]
fn python() {
    check(&crate::support::python("examples/coffee-machine/sut/machine.py", &["40", "20"]));
}

#[test]
fn c() {
    let arguments = vec!["40".into(), "20".into()];
    let program = compiled().0.clone();
    check(&punctual_exec::Program { program, arguments, ..Default::default() });
}
