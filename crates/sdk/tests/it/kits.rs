//! The kits for Python and C: what they say to testers, also to such that break the rules.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value as Json, json};

use crate::support::{Tester, hello, root};

/// The coffee machine in Python.
fn python() -> Command {
    let mut command = Command::new("python3");
    command.arg("-B").arg(root().join("examples/coffee-machine/sut/machine.py")).args(["40", "20"]);
    command
}

/// A program in C, compiled with the kit.
fn compiled(source: &str) -> PathBuf {
    static N_COMPILED: AtomicUsize = AtomicUsize::new(0);
    let number = N_COMPILED.fetch_add(1, Ordering::Relaxed);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("system_{number}"));
    let mut command = Command::new("cc");
    command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-pthread", "-I"]);
    command.arg(root().join("sdk/c")).arg("-o").arg(&target);
    command.args([source, "sdk/c/punctual.c"].map(|source| root().join(source)));
    let output = command.output();
    let output = output.expect("this test needs a C compiler with the name `cc` in PATH");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{source} does not compile:\n{errors}");
    target
}

/// The coffee machine by version 1, and the rules that are broken in any version.
fn check_machine(mut start: impl FnMut() -> Command) {
    let mut tester = Tester::start(&mut start());
    let first =
        r#"{"hello":{"clock":"virtual","inputs":[{"name":"a","values":["]}"]}],"protocol":1}}"#;
    assert_eq!(tester.ask(first), json!({"ready": 0}));
    let reset = r#"{ "reset" : 7, "more" : [ { "reset" : 8 } , "\"" ] }"#;
    assert_eq!(tester.ask(reset), json!({"ready": 7}));
    assert_eq!(tester.ask(r#"{"values":[],"input":"coin","at":0}"#), json!({"done": 0}));
    let done = json!({"done": 3_000_000});
    assert_eq!(tester.ask(r#"{"input":"req","values":[],"at":3000000}"#), done);
    let coffee = json!({"output": "weakCoffee", "values": [], "at": 23_000_000});
    assert_eq!(tester.ask(r#"{"wait":90000000}"#), coffee);
    assert_eq!(tester.ask(r#"{"wait":90000000}"#), json!({"quiet": 90_000_000}));
    tester.say(r#"{"stop":"enough"}"#);
    assert_eq!(tester.hear(), None);
    assert!(tester.ended_well());
    // The tester is gone.
    assert!(Tester::start(&mut start()).ended_well());
    let mut tester = Tester::start(&mut start());
    assert_eq!(tester.greet("virtual"), json!({"ready": 0, "protocol": 2, "can": []}));
    assert!(tester.ended_well());

    let known = "only the versions 1 and 2 of the protocol are known here";
    let hello = hello("virtual");
    for (lines, error) in [
        (&[r#"{"reset":1}"#][..], "the first message must be hello"),
        (&[r#"{"hello":{"clock":"real","protocol":3}}"#], known),
        (&[r#"{"hello":{"clock":"real","protocol":1,"protocols":[3]}}"#], known),
        (&[r#"{"hello":{"clock":"sun","protocol":1}}"#], "`clock` must be `real` or `virtual`"),
        (&[first, r#"{"wait":1}"#], "a reset must come first"),
        (&[first, "[1]"], "a message must be a JSON object"),
        (&[first, r#"{"reset":"x"}"#], "`reset` must be a whole number, not \"x\""),
        (&[first, first], "hello came twice"),
        (&[first, r#"{"reset":1}"#, r#"{"dance":1}"#], "a message that is not known"),
        (&[&hello, r#"{"reset":1}"#, r#"{"step":1,"at":0}"#], "this system takes no steps"),
        (&[&hello, r#"{"reset":1}"#, r#"{"set":{"x":1},"at":0}"#], "there is no input port `x`"),
        (&[&hello, r#"{"reset":1}"#, r#"{"read":["x"],"at":0}"#], "`x` can not be read"),
    ] {
        refused(&mut start(), lines, error);
    }
}

/// The last line is refused, and the program ends badly.
fn refused(command: &mut Command, lines: &[&str], error: &str) {
    let mut tester = Tester::start(command);
    let answers: Vec<Json> = lines.iter().map(|line| tester.ask(line)).collect();
    assert_eq!(answers.last(), Some(&json!({"error": error})), "{lines:?}");
    assert_eq!(tester.hear(), None);
    assert!(!tester.ended_well());
}

#[test]
fn the_coffee_machine_in_python() {
    check_machine(python);
}

#[test]
fn the_coffee_machine_in_c() {
    let program = compiled("examples/coffee-machine/sut/machine.c");
    check_machine(|| {
        let mut command = Command::new(&program);
        command.args(["40", "20"]);
        command
    });
}

#[test]
fn typed_values_and_steps_in_c() {
    let program = compiled("crates/sdk/test_data/typed.c");
    let mut tester = Tester::start(&mut Command::new(&program));
    let ready = json!({"ready": 0, "protocol": 2, "can": ["step", "set", "read"]});
    assert_eq!(tester.greet("virtual"), ready);
    for number in [1, 2] {
        assert_eq!(tester.ask(&json!({"reset": number}).to_string()), json!({"ready": number}));
        let values = json!([true, -7, 0.1, 1e300, "Idle", "1/3", 9_007_199_254_740_993_i64, 1e-9]);
        let say = json!({"input": "say", "values": values, "at": 3});
        assert_eq!(tester.ask(&say.to_string()), json!({"done": 3}));
        let said = json!({"output": "said", "values": values, "at": 8});
        assert_eq!(tester.ask(r#"{"wait":9}"#), said);
        for (n, (set, sum, mode)) in [
            (json!({"x": 1.5, "on": true}), 1.5, "Idle"),
            (json!({"x": "19/2", "mode": "Running"}), 11.0, "Running"),
            (json!({}), 20.5, "Running"),
            (json!({"on": false, "x": 3}), 20.5, "Running"),
        ]
        .into_iter()
        .enumerate()
        {
            let stepped = tester.ask(&json!({"step": n, "set": set, "at": 10 + n}).to_string());
            assert_eq!(stepped["stepped"]["sum"].as_f64(), Some(sum));
            assert_eq!(stepped["stepped"]["big"], json!(sum > 10.0));
            assert_eq!(stepped["stepped"]["mode"], mode);
            assert_eq!((&stepped["step"], &stepped["at"]), (&json!(n), &json!(10 + n)));
        }
        assert_eq!(tester.ask(r#"{"set":{"x":4.0},"at":20}"#), json!({"done": 20}));
        let read = tester.ask(r#"{"read":["x","whole"],"at":20}"#);
        assert_eq!(read["values"]["whole"], 4);
        assert_eq!(read["values"]["x"].as_f64(), Some(4.0));
        assert_eq!(tester.ask(r#"{ "read" : [ ] , "at" : 9 }"#), json!({"values": {}, "at": 9}));
    }
    tester.say(r#"{"stop":"enough"}"#);
    assert!(tester.ended_well());
    for (line, error) in [
        (r#"{"input":7,"at":0}"#, "`input` must be a name, not 7"),
        (r#"{"input":"say","values":3,"at":0}"#, "`values` must be a list, not 3"),
        (
            r#"{"input":"say","values":[null],"at":0}"#,
            "`values` must be a list of at most 32 numbers, truth values and texts, not [null]",
        ),
        (r#"{"input":"say"}"#, "`at` is missing, the instant of the virtual clock"),
        (r#"{"input":"say","at":"now"}"#, "`at` must be a whole number, not \"now\""),
        (r#"{"input":"go","at":0}"#, "there is no input signal `go`"),
        (r#"{"input":"break","at":0}"#, "taking an input failed: no \"beans\""),
        (r#"{"step":"x","at":0}"#, "`step` must be a whole number, not \"x\""),
        (r#"{"step":1.5,"at":0}"#, "`step` must be a whole number, not 1.5"),
        (r#"{"step":1,"set":["x"],"at":0}"#, "`set` must be an object of ports, not [\"x\"]"),
        (r#"{"set":{"x":[1]},"at":0}"#, "`x` must be a number, a truth value or a text, not [1]"),
        (r#"{"set":{"y":1},"at":0}"#, "there is no input port `y`"),
        (r#"{"read":"x","at":0}"#, "`read` must be a list of names, not \"x\""),
        (
            r#"{"read":["nothing"],"at":0}"#,
            "`nothing` has a value that can not be sent in version 2 of the protocol",
        ),
    ] {
        refused(&mut Command::new(&program), &[&hello("virtual"), r#"{"reset":1}"#, line], error);
    }
    // Version 1 has integers of 32 bits.
    let first = r#"{"hello":{"clock":"virtual","protocol":1}}"#;
    let mut tester = Tester::start(&mut Command::new(&program));
    tester.ask(first);
    tester.ask(r#"{"reset":1}"#);
    tester.ask(r#"{"input":"say","values":[3],"at":0}"#);
    assert_eq!(tester.ask(r#"{"wait":9}"#)["values"], json!([3]));
    let error = "`values` must be a list of integers of 32 bits, not [0.5]";
    let say = r#"{"input":"say","values":[0.5],"at":0}"#;
    refused(&mut Command::new(&program), &[first, r#"{"reset":1}"#, say], error);
}

#[test]
fn the_real_clock_in_c() {
    let program = compiled("crates/sdk/test_data/typed.c");
    let mut tester = Tester::start(&mut Command::new(program));
    tester.greet("real");
    tester.ask(r#"{"reset":1}"#);
    let said = tester.ask(r#"{"input":"say","values":["A"]}"#);
    assert_eq!((&said["output"], &said["values"]), (&json!("said"), &json!(["A"])));
    tester.say(r#"{"set":{"x":2}}"#);
    let stepped = tester.ask(r#"{"step":1}"#);
    assert_eq!(stepped["stepped"]["sum"].as_f64(), Some(2.0));
    assert!(stepped["at"].as_u64() > said["at"].as_u64());
    let error = json!({"error": "nobody waits by message on the real clock"});
    assert_eq!(tester.ask(r#"{"wait":1}"#), error);
}

#[test]
fn a_device_in_c() {
    let program = compiled("crates/sdk/test_data/lamp.c");
    let error = "this is a device, which knows the real clock only";
    refused(&mut Command::new(&program), &[&hello("virtual")], error);
    let mut tester = Tester::start(&mut Command::new(&program));
    assert_eq!(tester.greet("real"), json!({"ready": 0, "protocol": 2, "can": ["set"]}));
    for number in [1, 2] {
        assert_eq!(tester.ask(&json!({"reset": number}).to_string()), json!({"ready": number}));
        tester.say(r#"{"set":{"level":"High"}}"#);
        let on = tester.ask(r#"{"input":"press"}"#);
        assert_eq!((&on["output"], &on["values"]), (&json!("on"), &json!(["High"])));
        let off = tester.hear().unwrap();
        assert_eq!(off["output"], "off");
        let (on_ns, off_ns) = (on["at"].as_u64().unwrap(), off["at"].as_u64().unwrap());
        assert!(off_ns >= on_ns + 49_000_000, "{on_ns} {off_ns}");
        let stepped = tester.hear().unwrap();
        assert_eq!(stepped["stepped"], json!({"light": false}));
        assert_eq!(stepped["inputs"], json!({"level": "High"}));
        assert_eq!(tester.hear(), Some(json!({"log": "a \"lamp\"\n"})));
    }
    tester.say(r#"{"stop":"enough"}"#);
    assert!(tester.ended_well());
}

/// The systems of the guide do what it says.
#[test]
fn the_guide() {
    let guide = std::fs::read_to_string(root().join("docs/guide/adapters.md")).unwrap();
    let blocks = guide.split("```python\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut testers = blocks.map(|block| {
        let mut command = Command::new("python3");
        let command = command.args(["-B", "-c", block]);
        Tester::start(command.env("PYTHONPATH", root().join("sdk/python")))
    });
    let mut counter = testers.next().unwrap();
    assert_eq!(counter.greet("virtual")["can"], json!(["step", "set", "read"]));
    counter.ask(r#"{"reset":1}"#);
    counter.ask(r#"{"step":1,"set":{"by":5},"at":0}"#);
    let stepped = json!({"stepped": {"count": 4}, "step": 2, "at": 1});
    assert_eq!(counter.ask(r#"{"step":2,"set":{"up":false,"by":1},"at":1}"#), stepped);
    assert!(counter.ended_well());
    let mut lamp = testers.next().unwrap();
    assert_eq!(lamp.greet("real")["can"], json!(["read"]));
    lamp.ask(r#"{"reset":1}"#);
    assert_eq!(lamp.ask(r#"{"read":["on"]}"#)["values"], json!({"on": false}));
    assert_eq!(lamp.ask(r#"{"input":"press"}"#)["values"], json!([true]));
    assert_eq!(lamp.hear().unwrap()["output"], "off");
    assert!(lamp.ended_well());
    assert!(testers.next().is_none(), "a system of the guide that is not tested");
}
