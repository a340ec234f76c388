//! The system's side of the protocol.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use punctual_sdk::{Output, System, serve};

/// Answers `ping` by `pong` after 5.
#[derive(Default)]
struct Echo {
    due_ns: Option<u64>,
}

impl System for Echo {
    fn reset(&mut self) {
        self.due_ns = None;
    }

    fn input(&mut self, at_ns: u64, _: &str, values: &[i32]) {
        self.due_ns = Some(at_ns + 5 + values.iter().map(|v| *v as u64).sum::<u64>());
    }

    fn advance(&mut self, until_ns: u64) -> Option<Output> {
        let at_ns = self.due_ns.take_if(|due_ns| *due_ns <= until_ns)?;
        Some(Output::new(at_ns, "pong"))
    }
}

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What the service says to these lines, and how it ends.
fn check(lines: &'static str) -> (String, String) {
    let sink = Sink::default();
    let end = match serve::run(Echo::default(), lines.as_bytes(), sink.clone()) {
        Ok(()) => "ok".into(),
        Err(error) => error.to_string(),
    };
    let bytes = sink.0.lock().unwrap().clone();
    (String::from_utf8(bytes).unwrap(), end)
}

#[test]
fn virtual_clock() {
    let (said, end) = check(
        r#"{"hello":{"protocol":1,"clock":"virtual","unit_ns":1,"more":true}}
{"reset":1}
{"wait":3}
{"input":"ping","values":[1],"at":3}
{"wait":8}
{"wait":20}
{"stop":"enough"}
{"wait":30}
"#,
    );
    assert_eq!(end, "ok");
    assert_eq!(
        said,
        r#"{"ready":0}
{"ready":1}
{"quiet":3}
{"done":3}
{"quiet":8}
{"at":9,"output":"pong","values":[]}
"#
    );
}

#[test]
fn testers_that_break_the_rules_are_told() {
    let hello = r#"{"hello":{"protocol":1,"clock":"virtual"}}"#;
    assert_eq!(check(""), (String::new(), "ok".into()));
    for (lines, text) in [
        (r#"{"reset":1}"#.to_owned(), "the first message must be hello"),
        (r#"{"hello":{"protocol":2,"clock":"real"}}"#.into(), "only protocol 1 is known here"),
        (format!("{hello}\n{{\"wait\":1}}"), "a reset must come first"),
        (format!("{hello}\n{{\"dance\":1}}"), "a message that is not known"),
        (format!("{hello}\n{hello}"), "a reset must come first"),
        (format!("{hello}\n{{\"reset\":-1}}"), "`reset` must be a number"),
    ] {
        let (said, end) = check(lines.leak());
        assert_eq!(end, format!("the tester broke the protocol: {text}"));
        assert!(said.ends_with(&format!("{{\"error\":\"{text}\"}}\n")), "{said}");
    }
}

#[test]
fn real_clock_sends_outputs_by_itself() {
    let (mut reader, mut writer) = io::pipe().map(|(r, w)| (io::BufReader::new(r), w)).unwrap();
    let (from_tester, mut to_system) = io::pipe().unwrap();
    let service = std::thread::spawn(move || {
        serve::run(Echo::default(), io::BufReader::new(from_tester), &mut writer)
    });
    let mut line = String::new();
    let mut expect = |text: &str| {
        line.clear();
        io::BufRead::read_line(&mut reader, &mut line).unwrap();
        assert_eq!(line.trim(), text);
    };
    writeln!(to_system, r#"{{"hello":{{"protocol":1,"clock":"real"}}}}"#).unwrap();
    expect(r#"{"ready":0}"#);
    writeln!(to_system, r#"{{"reset":4}}"#).unwrap();
    expect(r#"{"ready":4}"#);
    writeln!(to_system, r#"{{"input":"ping","values":[]}}"#).unwrap();
    expect(r#"{"output":"pong","values":[]}"#);
    writeln!(to_system, r#"{{"stop":"enough"}}"#).unwrap();
    service.join().unwrap().unwrap();
}
