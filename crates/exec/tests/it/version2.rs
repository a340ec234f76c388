//! Version 2 of the protocol, spoken with systems that are written out here, line by line.

use std::{sync::Arc, time::Duration};

use punctual_exec::{Handover, Limits, Note, Process, Program, Seen, Source, Sut, Timekeeping};
use punctual_model::{
    Action, Direction, Interface, PortId, PortRole, Rational, Reading, Signal, Step, Value,
    ValueType,
};

use crate::support::*;

/// What all systems here begin with.
const BEGIN: &str = r#"
import json, os, sys, time
def say(message):
    sys.stdout.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    sys.stdout.flush()
def hear():
    line = sys.stdin.readline()
    if not line:
        sys.exit()
    return json.loads(line)
hello = hear()["hello"]
is_virtual = hello["clock"] == "virtual"
def start(ready={"ready": 0, "protocol": 2, "can": ["set", "step", "read"]}):
    say(ready)
    say({"ready": hear()["reset"]})
"#;

/// A system in Python: this, after the beginning.
pub(crate) fn system(body: &str, interface: Interface, timekeeping: Timekeeping) -> Process {
    limited(body, interface, timekeeping, limits())
}

pub(crate) fn limited(
    body: &str,
    interface: Interface,
    timekeeping: Timekeeping,
    limits: Limits,
) -> Process {
    let script = format!("{BEGIN}{body}");
    let program = Program {
        program: "python3".into(),
        arguments: vec!["-c".into(), script],
        ..Program::default()
    };
    let limits = Limits { start: Duration::from_secs(20), ..limits };
    Process::new(program, Arc::new(interface), timekeeping, limits)
}

/// One signal each way with a value of each type, and ports of each type and role.
fn typed() -> Interface {
    let mode = || ValueType::Enum(vec!["Idle".into(), "Busy".into()]);
    let mut interface = with_ports(
        &[],
        &[
            ("x", PortRole::Input, ValueType::Real),
            ("on", PortRole::Input, ValueType::Bool),
            ("n", PortRole::Input, ValueType::Int { least: 3, greatest: i64::MAX }),
            ("y", PortRole::Output, ValueType::Real),
            ("mode", PortRole::Output, mode()),
            ("seen", PortRole::Observed, ValueType::Bool),
            ("count", PortRole::Observed, ValueType::INT),
        ],
    );
    for (name, direction) in [("say", Direction::Input), ("said", Direction::Output)] {
        let types = [ValueType::Bool, ValueType::INT, ValueType::Real, mode()];
        let values = types.into_iter().zip(["b", "i", "r", "m"]);
        let values = values.map(|(ty, name)| punctual_model::Carried { name: name.into(), ty });
        interface.signals.push(Signal { name: name.into(), direction, values: values.collect() });
    }
    interface
}

fn real(above: i128, below: i128) -> Value {
    Value::Real(Rational::new(above, below))
}

fn port(interface: &Interface, name: &str) -> PortId {
    interface.port(name).unwrap()
}

fn reading(interface: &Interface, values: &[(&str, Value)]) -> Reading {
    let values = values.iter().map(|(name, value)| (port(interface, name), *value));
    Reading { values: values.collect() }
}

const CLOCKS: [Timekeeping; 2] = [Timekeeping::Virtual, Timekeeping::Real];

/// What the system logged, in order.
fn logs(sut: &mut dyn Sut) -> Vec<String> {
    let notes = sut.take_notes().into_iter();
    notes.filter(|note| note.source == Source::Log).map(|note| note.text).collect()
}

/// The next thing that is not quiet, on either clock.
fn next(sut: &mut dyn Sut) -> Seen {
    let until_ns = sut.now_ns() + 10_000 * MS;
    sut.wait(until_ns).unwrap()
}

/// Echoes signals, and tells which lines it got.
const ECHO: &str = r#"
start()
while True:
    message = hear()
    say({"log": json.dumps({key: value for key, value in message.items() if key != "at"})})
    if "input" in message:
        if is_virtual:
            say({"done": message["at"]})
            wait = hear()["wait"]
        say({"output": "said", "values": message["values"], "at": message["at"]})
    elif "set" in message and "step" not in message:
        if is_virtual:
            say({"done": message["at"]})
    elif "step" in message:
        ports = message["set"]
        say({"stepped": {"y": ports["x"], "mode": "Busy"}, "step": message["step"], "at": message["at"]})
    elif "read" in message:
        values = {"seen": True, "count": 2**60}
        say({"values": {name: values[name] for name in message["read"]}, "at": message["at"]})
    elif "stop" in message:
        sys.exit()
"#;

#[test]
fn values_of_all_types_go_both_ways() {
    let interface = typed();
    for timekeeping in CLOCKS {
        let mut sut = system(ECHO, interface.clone(), timekeeping);
        sut.reset().unwrap();
        for values in [
            vec![Value::Bool(true), Value::Int(i64::MAX), real(1, 10), Value::Enum(1)],
            vec![Value::Bool(false), Value::Int(i64::MIN), real(-22, 7), Value::Enum(0)],
            vec![Value::Bool(false), Value::Int(0), real(3, 1), Value::Enum(0)],
        ] {
            let action = Action { signal: interface.signal("say").unwrap(), values };
            sut.input(&action).unwrap();
            let Seen::Output { action: said, device_ns, .. } = next(&mut sut) else {
                panic!("nothing came back")
            };
            assert_eq!(said.values, action.values);
            assert_eq!(device_ns.is_some(), timekeeping == Timekeeping::Real);
        }
    }
}

/// Any number of ports goes in one message.
#[test]
fn ports_are_set_stepped_and_read() {
    let interface = typed();
    let all = [("x", real(1, 3)), ("on", Value::Bool(true)), ("n", Value::Int(7))];
    for timekeeping in CLOCKS {
        let mut sut = system(ECHO, interface.clone(), timekeeping);
        sut.reset().unwrap();
        sut.set(&reading(&interface, &all)).unwrap();
        let inputs = [real(5, 2), Value::Bool(false), Value::Int(3)];
        for _ in 0..2 {
            let (outputs, Handover { from_ns, to_ns }) = sut.step(&inputs).unwrap();
            assert_eq!(outputs, [real(5, 2), Value::Enum(1)]);
            assert!(from_ns <= to_ns && (from_ns == to_ns) == sut.is_virtual());
        }
        let asked = [port(&interface, "count"), port(&interface, "seen")];
        let (read, _) = sut.read(&asked).unwrap();
        let expected = [("count", Value::Int(1 << 60)), ("seen", Value::Bool(true))];
        assert_eq!(read, reading(&interface, &expected));
        assert_eq!(
            logs(&mut sut),
            [
                r#"{"set": {"n": 7, "on": true, "x": "1/3"}}"#,
                r#"{"set": {"n": 3, "on": false, "x": 2.5}, "step": 1}"#,
                r#"{"set": {"n": 3, "on": false, "x": 2.5}, "step": 2}"#,
                r#"{"read": ["count", "seen"]}"#,
            ]
        );
    }
}

/// What the tester itself may not send is refused before anything is sent.
#[test]
fn wrong_ports_are_refused_and_change_nothing() {
    let interface = typed();
    let mut sut = system(ECHO, interface.clone(), Timekeeping::Virtual);
    sut.reset().unwrap();
    let set = |name: &str, value| reading(&interface, &[(name, value)]);
    for (result, expected) in [
        (sut.set(&set("y", real(1, 1))).err(), "`y` is no input: it can not be set"),
        (
            sut.set(&set("n", Value::Int(2))).err(),
            "n = 2 can not be sent: the test interface declares n as a whole number from 3 to \
             9223372036854775807",
        ),
        (sut.step(&[real(1, 1)]).err(), "a step has 3 inputs, not 1"),
    ] {
        let error = result.unwrap();
        assert_eq!((error.to_string().as_str(), error.cause()), (expected, None));
    }
    assert_eq!(logs(&mut sut), Vec::<String>::new());
    sut.set(&set("n", Value::Int(3))).unwrap();
}

/// A device that steps itself: inputs that it does not tell are as they were set, or told before.
const STEPPING: &str = r#"
start()
at = hear()["at"]
if is_virtual:
    say({"done": at})
    hear()
say({"stepped": {"y": 1.5, "mode": "Idle"}, "at": 1000})
if is_virtual:
    hear()
say({"stepped": {"mode": "Busy", "y": "1/3"}, "inputs": {"n": 9}, "at": 2000})
if is_virtual:
    hear()
say({"stepped": {"mode": "Busy", "y": 0}, "inputs": {}, "at": 2000})
hear()
"#;

#[test]
fn devices_tell_of_their_own_steps() {
    let interface = typed();
    for timekeeping in CLOCKS {
        let mut sut = system(STEPPING, interface.clone(), timekeeping);
        sut.reset().unwrap();
        sut.set(&reading(&interface, &[("on", Value::Bool(true))])).unwrap();
        let mut last_ns = 0;
        for (n, outputs, device_ns) in [
            (3, [real(3, 2), Value::Enum(0)], 1000),
            (9, [real(1, 3), Value::Enum(1)], 2000),
            (9, [real(0, 1), Value::Enum(1)], 2000),
        ] {
            let inputs = vec![real(0, 1), Value::Bool(true), Value::Int(n)];
            let seen = next(&mut sut);
            let Seen::Step { step, at_ns, device_ns: told_ns } = seen else { panic!("{seen:?}") };
            assert_eq!(step, Step { inputs, outputs: outputs.to_vec() });
            match timekeeping {
                Timekeeping::Virtual => assert_eq!((at_ns, told_ns), (device_ns, None)),
                Timekeeping::Real => {
                    assert!(at_ns >= last_ns);
                    assert_eq!(told_ns, Some(device_ns));
                }
            }
            last_ns = at_ns;
        }
    }
}

/// On the real clock, outputs may come between a question and its answer. They are told before it.
#[test]
fn answers_between_outputs() {
    let body = r#"
start()
hear()
say({"output": "said", "values": [True, 1, 0.5, "Idle"], "at": 7})
say({"log": "in between"})
say({"stepped": {"y": 2, "mode": "Idle"}, "at": 8})
say({"values": {"seen": False}})
say({"output": "said", "values": [True, 2, 0.5, "Idle"]})
hear()
"#;
    let interface = typed();
    let mut sut = system(body, interface.clone(), Timekeeping::Real);
    sut.reset().unwrap();
    let (read, handover) = sut.read(&[port(&interface, "seen")]).unwrap();
    assert_eq!(read, reading(&interface, &[("seen", Value::Bool(false))]));
    let Some(Seen::Output { action, at_ns, device_ns: Some(7) }) = sut.earlier() else {
        panic!("no output before the answer")
    };
    assert_eq!(action.values[1], Value::Int(1));
    assert!(handover.from_ns <= at_ns && at_ns <= handover.to_ns);
    assert!(matches!(sut.earlier(), Some(Seen::Step { device_ns: Some(8), .. })));
    assert_eq!(sut.earlier(), None);
    assert_eq!(logs(&mut sut), ["in between"]);
    let Seen::Output { action, at_ns, device_ns: None } = next(&mut sut) else {
        panic!("no output after the answer")
    };
    assert_eq!(action.values[1], Value::Int(2));
    assert!(at_ns >= handover.from_ns);
}

/// Who does not ask for what came before an answer gets it from waiting.
#[test]
fn what_came_before_an_answer_is_not_lost() {
    let body = r#"
start()
for i in range(2):
    say({"output": "said", "values": [True, i, 0.5, "Idle"]})
hear()
say({"values": {"seen": False}})
hear()
"#;
    let interface = typed();
    let mut sut = system(body, interface.clone(), Timekeeping::Real);
    sut.reset().unwrap();
    sut.read(&[port(&interface, "seen")]).unwrap();
    for i in 0..2 {
        let seen = next(&mut sut);
        assert!(
            matches!(&seen, Seen::Output { action, .. } if action.values[1] == Value::Int(i)),
            "{seen:?}"
        );
    }
}

/// An output that came in time is not hidden by a line for people that came before it, however late the
/// tester looks.
#[test]
fn log_lines_hide_no_outputs() {
    let body = r#"
start()
hear()
say({"log": "one"})
say({"log": "two"})
say({"output": "off"})
hear()
"#;
    let interface = interface(&[("touch", Direction::Input, &[]), ("off", Direction::Output, &[])]);
    let mut sut = system(body, (*interface).clone(), Timekeeping::Real);
    sut.reset().unwrap();
    sut.input(&action(&interface, "touch", &[])).unwrap();
    // The tester is busy with something else.
    let until_ns = sut.now_ns() + 1_000 * MS;
    let mut clock = punctual_exec::Clock::start(Timekeeping::Real);
    clock.sleep_until(1_200 * MS);
    let seen = sut.wait(until_ns).unwrap();
    assert!(matches!(seen, Seen::Output { at_ns, .. } if at_ns < until_ns), "{seen:?}");
}

#[test]
fn lines_for_people_are_notes() {
    let body = r#"
sys.stderr.write("warming up\n")
start()
while True:
    wait = hear()["wait"]
    say({"log": "x" * 5000})
    sys.stderr.write("y" * 3000 + "\n\n")
    sys.stderr.flush()
    time.sleep(0.2)
    say({"quiet": wait})
"#;
    let mut sut = system(body, typed(), Timekeeping::Virtual);
    sut.reset().unwrap();
    assert_eq!(sut.wait(5), Ok(Seen::Quiet));
    let notes = sut.take_notes();
    let note = |source, text: String| Note { source, text };
    assert_eq!(
        notes,
        [
            note(Source::Log, format!("{}…", "x".repeat(1000))),
            note(Source::Stderr, "warming up".into()),
            note(Source::Stderr, format!("{}…", "y".repeat(1000))),
            note(Source::Stderr, String::new()),
        ]
    );
    assert_eq!(sut.take_notes(), []);
}

/// What was said before a crash is there after it.
#[test]
fn notes_outlive_a_crash() {
    let body = r#"
start()
hear()
say({"log": "good bye"})
sys.stderr.write("no beans\n")
sys.exit(3)
"#;
    for timekeeping in CLOCKS {
        let mut sut = system(body, typed(), timekeeping);
        sut.reset().unwrap();
        // The real clock does not ask.
        let action = Action {
            signal: typed().signal("say").unwrap(),
            values: vec![Value::Bool(true), Value::Int(1), real(1, 2), Value::Enum(0)],
        };
        let gone = sut.input(&action).and_then(|_| sut.wait(20_000 * MS)).unwrap_err().to_string();
        assert!(gone.contains("ended (exit code 3)") && gone.ends_with("  no beans"), "{gone}");
        let notes = sut.take_notes();
        assert!(notes.contains(&Note { source: Source::Log, text: "good bye".into() }));
        assert!(notes.contains(&Note { source: Source::Stderr, text: "no beans".into() }));
    }
}

/// Integers only, truth is 0 or 1, and neither ports nor time stamps.
#[test]
fn version_one_is_still_spoken() {
    let body = r#"
assert hello["protocol"] == 1 and 2 in hello["protocols"]
start({"ready": 0})
message = hear()
say({"log": json.dumps(message["values"])})
if is_virtual:
    say({"done": message["at"]})
    hear()
say({"output": "said", "values": [1, -5, 2, 1], "at": message["at"]})
hear()
"#;
    let interface = typed();
    let input = |r: Value| Action {
        signal: interface.signal("say").unwrap(),
        values: vec![Value::Bool(true), Value::Int(-7), r, Value::Enum(1)],
    };
    for timekeeping in CLOCKS {
        let mut sut = system(body, interface.clone(), timekeeping);
        sut.reset().unwrap();
        sut.input(&input(real(4, 1))).unwrap();
        let Seen::Output { action, .. } = next(&mut sut) else { panic!("nothing came") };
        let expected = [Value::Bool(true), Value::Int(-5), real(2, 1), Value::Enum(1)];
        assert_eq!(action.values, expected);
        assert_eq!(logs(&mut sut), ["[1, -7, 4, 1]"]);
        sut.reset().expect_err("it takes one reset");
        sut.reset().unwrap();
        let error = sut.input(&input(real(1, 2))).unwrap_err();
        assert_eq!(error.cause(), None);
        assert!(error.to_string().contains("it speaks version 1 of the protocol"), "{error}");
    }
}

/// Who can not do something is refused by name, and that is no verdict.
#[test]
fn systems_that_can_not_are_refused() {
    let interface = typed();
    for ready in [
        r#"{"ready": 0}"#,
        r#"{"ready": 0, "protocol": 1, "can": ["read"]}"#,
        r#"{"ready": 0, "protocol": 2}"#,
        r#"{"ready": 0, "protocol": 2, "can": ["fly"]}"#,
    ] {
        let body = format!("start({ready})\nhear()\n");
        for timekeeping in CLOCKS {
            let mut sut = system(&body, interface.clone(), timekeeping);
            let inputs = [real(1, 1), Value::Bool(true), Value::Int(3)];
            for what in ["be read", "be stepped", "set ports without a step"] {
                sut.reset().unwrap();
                let error = match what {
                    "be read" => sut.read(&[port(&interface, "seen")]).unwrap_err(),
                    "be stepped" => sut.step(&inputs).unwrap_err(),
                    _ => sut.set(&reading(&interface, &[("n", Value::Int(3))])).unwrap_err(),
                };
                let expected = format!("this system can not {what}; use an adapter that can: ");
                assert!(error.to_string().starts_with(&expected), "{error}");
                assert_eq!(error.cause(), None);
            }
        }
    }
}
