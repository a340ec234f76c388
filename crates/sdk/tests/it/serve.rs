//! The system's side of the protocol, for simulations and stepwise systems in Rust.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    sync::{Arc, Mutex},
};

use punctual_sdk::{Can, Note, Output, Steps, Stepwise, System, Value, serve};
use serde_json::json;

use crate::support::{Tester, hello};

/// Answers `ping` by `pong` after 5 and the sum of its values; `mumble` makes it log, `break` fail.
#[derive(Default)]
struct Echo {
    due_ns: Option<u64>,
    heard: Vec<Value>,
    note: Option<Note>,
}

impl System for Echo {
    fn can(&self) -> Can {
        Can { read: true, ..Can::default() }
    }

    fn reset(&mut self) {
        self.due_ns = None;
    }

    fn input(&mut self, at_ns: u64, name: &str, values: &[Value]) {
        match name {
            "mumble" => self.note = Some(Note::Log("hm".into())),
            "break" => self.note = Some(Note::Error("no beans".into())),
            _ => {
                let sum: i64 = values.iter().filter_map(Value::as_int).sum();
                self.due_ns = Some(at_ns + 5 + sum as u64);
                self.heard = values.to_vec();
            }
        }
    }

    fn advance(&mut self, until_ns: u64) -> Option<Output> {
        let at_ns = self.due_ns.take_if(|due_ns| *due_ns <= until_ns)?;
        Some(Output { values: std::mem::take(&mut self.heard), ..Output::new(at_ns, "pong") })
    }

    fn read(&mut self, _: u64, name: &str) -> Option<Value> {
        match name {
            "busy" => Some(self.due_ns.is_some().into()),
            "mode" => Some("Idle".into()),
            "nothing" => Some(f64::NAN.into()),
            _ => None,
        }
    }

    fn note(&mut self) -> Option<Note> {
        self.note.take()
    }
}

/// Adds up its input `x`, if `on`.
struct Sum(f64);

impl Stepwise for Sum {
    fn inputs(&self) -> BTreeMap<String, Value> {
        BTreeMap::from([("x".into(), Value::Real(0.0)), ("on".into(), Value::Bool(true))])
    }

    fn reset(&mut self) {
        self.0 = 0.0;
    }

    fn step(&mut self, inputs: &BTreeMap<String, Value>) -> Vec<(String, Value)> {
        if inputs["on"] == Value::Bool(true) {
            self.0 += inputs["x"].as_real().unwrap();
        }
        vec![("sum".into(), self.0.into()), ("big".into(), (self.0 > 10.0).into())]
    }

    fn read(&mut self, name: &str) -> Option<Value> {
        (name == "half").then(|| Value::Real(self.0 / 2.0))
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

/// What a service says to these lines, and how it ends.
fn check(system: impl System, lines: &[&str]) -> (Vec<String>, String) {
    let sink = Sink::default();
    let lines: &'static str = lines.join("\n").leak();
    let end = match serve::run(system, lines.as_bytes(), sink.clone()) {
        Ok(()) => "ok".into(),
        Err(error) => error.to_string(),
    };
    let said = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
    (said.lines().map(str::to_owned).collect(), end)
}

const HELLO_1: &str = r#"{"hello":{"protocol":1,"clock":"virtual","unit_ns":1,"more":true}}"#;

#[test]
fn version_1_on_the_virtual_clock() {
    let (said, end) = check(
        Echo::default(),
        &[
            HELLO_1,
            r#"{"reset":1}"#,
            r#"{"wait":3}"#,
            r#"{"input":"ping","values":[1],"at":3}"#,
            r#"{"wait":8}"#,
            r#"{"wait":20}"#,
            r#"{"stop":"enough"}"#,
            r#"{"wait":30}"#,
        ],
    );
    assert_eq!(end, "ok");
    let expected = [
        r#"{"ready":0}"#,
        r#"{"ready":1}"#,
        r#"{"quiet":3}"#,
        r#"{"done":3}"#,
        r#"{"quiet":8}"#,
        r#"{"at":9,"output":"pong","values":[1]}"#,
    ];
    assert_eq!(said, expected);
}

#[test]
fn version_2_on_the_virtual_clock() {
    let (said, end) = check(
        Echo::default(),
        &[
            &hello("virtual"),
            r#"{"reset":1}"#,
            r#"{"input":"ping","values":[1,true,0.5,"Idle","1/3"],"at":0}"#,
            r#"{"read":["busy","mode"],"at":0}"#,
            r#"{"input":"mumble","at":0}"#,
            r#"{"wait":20}"#,
            r#"{"reset":2}"#,
            r#"{"read":[],"at":0}"#,
        ],
    );
    assert_eq!(end, "ok");
    let expected = [
        r#"{"can":["read"],"protocol":2,"ready":0}"#,
        r#"{"ready":1}"#,
        r#"{"done":0}"#,
        r#"{"at":0,"values":{"busy":true,"mode":"Idle"}}"#,
        r#"{"log":"hm"}"#,
        r#"{"done":0}"#,
        r#"{"at":7,"output":"pong","values":[1,true,0.5,"Idle","1/3"]}"#,
        r#"{"ready":2}"#,
        r#"{"at":0,"values":{}}"#,
    ];
    assert_eq!(said, expected);
}

#[test]
fn steps() {
    let (said, end) = check(
        Steps::new(Sum(0.0)),
        &[
            &hello("virtual"),
            r#"{"reset":1}"#,
            r#"{"step":1,"set":{"x":1.5},"at":0}"#,
            r#"{"set":{"x":"19/2","on":true},"at":4}"#,
            r#"{"wait":10}"#,
            r#"{"step":2,"at":10}"#,
            r#"{"step":3,"set":{"on":false,"x":7},"at":20}"#,
            r#"{"read":["sum","x","half"],"at":20}"#,
            r#"{"reset":2}"#,
            r#"{"step":1,"at":0}"#,
        ],
    );
    assert_eq!(end, "ok");
    let expected = [
        r#"{"can":["step","set","read"],"protocol":2,"ready":0}"#,
        r#"{"ready":1}"#,
        r#"{"at":0,"step":1,"stepped":{"big":false,"sum":1.5}}"#,
        r#"{"done":4}"#,
        r#"{"quiet":10}"#,
        r#"{"at":10,"step":2,"stepped":{"big":true,"sum":11.0}}"#,
        r#"{"at":20,"step":3,"stepped":{"big":true,"sum":11.0}}"#,
        r#"{"at":20,"values":{"half":5.5,"sum":11.0,"x":7}}"#,
        r#"{"ready":2}"#,
        r#"{"at":0,"step":1,"stepped":{"big":false,"sum":0.0}}"#,
    ];
    assert_eq!(said, expected);
}

/// How a conversation in which the last line is wrong ends.
fn refused(system: impl System, lines: &[&str], text: &str) {
    let (said, end) = check(system, lines);
    let said = said.last().map(String::as_str);
    let error = json!({"error": text}).to_string();
    assert_eq!(said, Some(&*error), "{lines:?}");
    assert!(end.ends_with(&format!(": {text}")), "{end}");
}

#[test]
fn testers_that_break_the_rules_are_told() {
    assert_eq!(check(Echo::default(), &[]), (Vec::new(), "ok".into()));
    let known = "only the versions 1 and 2 of the protocol are known here";
    for (lines, text) in [
        (&[r#"{"reset":1}"#][..], "the first message must be hello"),
        (&[r#"{"hello":{"protocol":3,"clock":"real"}}"#], known),
        (&[r#"{"hello":{"protocol":1,"protocols":[3],"clock":"real"}}"#], known),
        (&[r#"{"hello":{"protocol":1,"clock":"sun"}}"#], "`clock` must be `real` or `virtual`"),
        (&[HELLO_1, r#"{"wait":1}"#], "a reset must come first"),
        (&[HELLO_1, r#"{"dance":1}"#], "a message that is not known"),
        (&[HELLO_1, r#"{"reset":-1}"#], "`reset` must be a whole number, not -1"),
        (&[HELLO_1, "[1]"], "a message must be a JSON object"),
        (&[HELLO_1, HELLO_1], "hello came twice"),
    ] {
        refused(Echo::default(), lines, text);
    }
}

#[test]
fn messages_of_version_2_that_are_wrong_are_answered_with_what_was_wrong() {
    for (line, text) in [
        (r#"{"input":7}"#, "`input` must be a name, not 7"),
        (r#"{"input":"ping","values":3}"#, "`values` must be a list, not 3"),
        (
            r#"{"input":"ping","values":[null]}"#,
            "`values` must be a list of numbers, truth values and texts, not [null]",
        ),
        (r#"{"input":"ping"}"#, "`at` is missing, the instant of the virtual clock"),
        (r#"{"input":"ping","at":"now"}"#, "`at` must be a whole number, not \"now\""),
        (r#"{"step":"x","at":0}"#, "`step` must be a whole number, not \"x\""),
        (r#"{"step":1,"set":["x"],"at":0}"#, "`set` must be an object of ports, not [\"x\"]"),
        (r#"{"set":{"x":[]},"at":0}"#, "`x` must be a number, a truth value or a text, not []"),
        (r#"{"set":{"y":1},"at":0}"#, "there is no input port `y`"),
        (r#"{"step":1,"set":{"y":1},"at":0}"#, "there is no input port `y`"),
        (r#"{"read":"x","at":0}"#, "`read` must be a list of names, not \"x\""),
        (r#"{"read":["y"],"at":0}"#, "`y` can not be read"),
        (r#"{"input":"ping","at":0}"#, "there is no input signal `ping`"),
    ] {
        refused(Steps::new(Sum(0.0)), &[&hello("virtual"), r#"{"reset":1}"#, line], text);
    }
    let reset = [&*hello("virtual"), r#"{"reset":1}"#];
    let after_reset = |line| [reset[0], reset[1], line];
    refused(Echo::default(), &after_reset(r#"{"step":1,"at":0}"#), "this system takes no steps");
    refused(Echo::default(), &after_reset(r#"{"input":"break","at":0}"#), "no beans");
    let text = "`nothing` has the value NaN, which is no number";
    refused(Echo::default(), &after_reset(r#"{"read":["nothing"],"at":0}"#), text);
}

#[test]
fn version_1_has_integers_of_32_bits_and_no_ports() {
    for (line, text) in [
        (r#"{"step":1,"at":0}"#, "version 1 of the protocol has no message `step`"),
        (
            r#"{"input":"ping","values":[0.5],"at":0}"#,
            "`values` must be a list of integers of 32 bits, not [0.5]",
        ),
    ] {
        refused(Echo::default(), &[HELLO_1, r#"{"reset":1}"#, line], text);
    }
    // What can be said as an integer is, and the rest is an error.
    struct Shouts(Option<Value>);
    impl System for Shouts {
        fn reset(&mut self) {}
        fn input(&mut self, _: u64, _: &str, _: &[Value]) {}
        fn advance(&mut self, _: u64) -> Option<Output> {
            Some(Output { values: vec![self.0.take()?], ..Output::new(0, "shout") })
        }
    }
    let lines = [HELLO_1, r#"{"reset":1}"#, r#"{"wait":0}"#];
    for (value, said) in [(Value::Bool(true), 1), (Value::Real(-3.0), -3)] {
        let expected = json!({"output": "shout", "values": [said], "at": 0}).to_string();
        assert_eq!(check(Shouts(Some(value)), &lines).0.last(), Some(&expected));
    }
    let text =
        "`shout` has the value 0.5, and version 1 of the protocol has only integers of 32 bits";
    refused(Shouts(Some(Value::Real(0.5))), &lines, text);
}

#[test]
fn real_clock_sends_outputs_by_itself() {
    for (hello, ready, stamped) in [
        (r#"{"hello":{"protocol":1,"clock":"real"}}"#, json!({"ready": 0}), false),
        (&hello("real"), json!({"ready": 0, "protocol": 2, "can": ["read"]}), true),
    ] {
        let (mut tester, service) =
            Tester::of(|reader, writer| serve::run(Echo::default(), reader, writer));
        assert_eq!(tester.ask(hello), ready);
        assert_eq!(tester.ask(r#"{"reset":4}"#), json!({"ready": 4}));
        let pong = tester.ask(r#"{"input":"ping","values":[]}"#);
        assert_eq!((&pong["output"], pong["at"].is_u64()), (&json!("pong"), stamped));
        if stamped {
            let read = tester.ask(r#"{"read":["busy"]}"#);
            assert_eq!(read["values"], json!({"busy": false}));
            assert!(read["at"].as_u64() > pong["at"].as_u64());
        }
        let error = tester.ask(r#"{"wait":4}"#);
        assert_eq!(error, json!({"error": "nobody waits by message on the real clock"}));
        assert!(service.join().unwrap().is_err());
    }
}
