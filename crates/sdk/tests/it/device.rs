//! Devices: programs on the machine's clock.

use std::{
    sync::mpsc,
    thread::{self, JoinHandle},
};

use punctual_sdk::{
    Can, Value,
    device::{self, Device, Handler, Timer},
    serve::ServeError,
};
use serde_json::{Value as Json, json};

use crate::support::Tester;

const MS: u64 = 1_000_000;

/// A lamp that lights up by a thread of its own, goes out by a timer, and counts.
#[derive(Default)]
struct Lamp {
    worker: Option<(mpsc::Sender<i64>, JoinHandle<()>)>,
    count: i64,
    off: Option<Timer>,
    blinking: Option<Timer>,
    level: i64,
}

impl Handler for Lamp {
    fn can(&self) -> Can {
        Can { step: true, set: true, read: true }
    }

    fn reset(&mut self, device: &Device<Self>) {
        assert_eq!(device.now_ns(), 0);
        if let Some((levels, thread)) = self.worker.take() {
            // The worker emits a last time: that belongs to the run before.
            levels.send(-1).unwrap();
            drop(levels);
            thread.join().unwrap();
        }
        (self.count, self.off) = (0, None);
        let (sender, levels) = mpsc::channel();
        let handle = device.clone();
        let thread = thread::spawn(move || {
            for level in levels {
                handle.emit("on", &[Value::Int(level)]);
            }
        });
        self.worker = Some((sender, thread));
        device.emit("hello", &[]);
    }

    fn input(&mut self, device: &Device<Self>, name: &str, values: &[Value]) {
        match name {
            "press" => {
                let level = values.first().and_then(Value::as_int).unwrap_or(self.level);
                self.worker.as_ref().unwrap().0.send(level).unwrap();
                self.off = Some(device.after(200 * MS, |_, device| device.emit("off", &[])));
            }
            "hold" => device.cancel(self.off.take().unwrap()),
            "blink" => {
                let mut left = 3;
                self.blinking = Some(device.every(5 * MS, move |lamp, device| {
                    left -= 1;
                    lamp.count += 1;
                    device.emit("blink", &[lamp.count.into(), f64::from(left).into()]);
                    if left == 0 {
                        device.stepped(&[("level", 4.into())], &[("x", "A".into())]);
                        device.log("blinked");
                        device.cancel(lamp.blinking.take().unwrap());
                    }
                }));
            }
            "nan" => device.emit("on", &[f64::NAN.into()]),
            _ => device.fail("no such key"),
        }
    }

    fn set(&mut self, _: &Device<Self>, name: &str, value: &Value) -> bool {
        self.level = value.as_int().unwrap();
        name == "level"
    }

    fn step(&mut self, device: &Device<Self>) -> Option<Vec<(String, Value)>> {
        device.emit("click", &[]);
        Some(vec![("light".into(), (self.level * 2).into())])
    }

    fn read(&mut self, _: &Device<Self>, name: &str) -> Option<Value> {
        (name == "count").then(|| self.count.into())
    }
}

fn lamp() -> (Tester, JoinHandle<Result<(), ServeError>>) {
    Tester::of(|reader, writer| device::run(&mut Lamp::default(), reader, writer))
}

/// The same without its time stamp, and the stamp.
fn stamped(mut message: Json) -> (Json, u64) {
    let at_ns = message.as_object_mut().unwrap().remove("at").expect("a time stamp");
    (message, at_ns.as_u64().unwrap())
}

#[test]
fn a_conversation() {
    let (mut tester, service) = lamp();
    let ready = json!({"ready": 0, "protocol": 2, "can": ["step", "set", "read"]});
    assert_eq!(tester.greet("real"), ready);
    for number in [1, 2] {
        assert_eq!(tester.ask(&json!({"reset": number}).to_string()), json!({"ready": number}));
        // It was emitted by the reset, and comes when the tester listens.
        assert_eq!(stamped(tester.hear().unwrap()).0, json!({"output": "hello", "values": []}));
        let (on, on_ns) = stamped(tester.ask(r#"{"input":"press","values":[3]}"#));
        assert_eq!(on, json!({"output": "on", "values": [3]}));
        let (off, off_ns) = stamped(tester.hear().unwrap());
        assert_eq!(off["output"], "off");
        assert!((50 * MS..5000 * MS).contains(&(off_ns - on_ns)), "{}", off_ns - on_ns);
        tester.say(r#"{"set":{"level":5}}"#);
        assert_eq!(stamped(tester.ask(r#"{"input":"press"}"#)).0["values"], json!([5]));
        tester.say(r#"{"input":"hold"}"#);
        assert_eq!(stamped(tester.ask(r#"{"step":1,"set":{"level":7}}"#)).0["output"], "click");
        let stepped = json!({"stepped": {"light": 14}, "step": 1});
        assert_eq!(stamped(tester.hear().unwrap()).0, stepped);
        tester.say(r#"{"input":"blink"}"#);
        let mut before_ns = 0;
        for (count, left) in [(1, 2.0), (2, 1.0), (3, 0.0)] {
            let (blink, at_ns) = stamped(tester.hear().unwrap());
            assert_eq!(blink, json!({"output": "blink", "values": [count, left]}));
            assert!(at_ns > before_ns);
            before_ns = at_ns;
        }
        let (stepped, _) = stamped(tester.hear().unwrap());
        assert_eq!(stepped, json!({"stepped": {"level": 4}, "inputs": {"x": "A"}}));
        assert_eq!(tester.hear(), Some(json!({"log": "blinked"})));
        let read = stamped(tester.ask(r#"{"read":["count"],"at":99}"#)).0;
        assert_eq!(read["values"], json!({"count": 3}));
        // A lamp that is on while it is reset does not go out in the next run.
        tester.ask(r#"{"input":"press","values":[1]}"#);
    }
    tester.say(r#"{"stop":"enough"}"#);
    service.join().unwrap().unwrap();
}

#[test]
fn what_it_refuses() {
    let clock = "this is a device, which knows the real clock only";
    for (hello, line, text) in [
        ("virtual", "", clock),
        ("real", r#"{"input":"press"}"#, "a reset must come first"),
        ("real", r#"{"reset":[]}"#, "`reset` must be a whole number, not []"),
    ] {
        let (mut tester, service) = lamp();
        let answer = tester.greet(hello);
        let answer = if line.is_empty() { answer } else { tester.ask(line) };
        assert_eq!(answer, json!({"error": text}));
        assert!(matches!(service.join().unwrap(), Err(ServeError::Protocol(_))));
    }
    for (line, text) in [
        (r#"{"wait":7}"#, "nobody waits by message on the real clock"),
        (r#"{"set":{"x":7}}"#, "there is no input port `x`"),
        (r#"{"read":["level"]}"#, "`level` can not be read"),
        (r#"{"input":"kick"}"#, "no such key"),
        (r#"{"input":"nan"}"#, "`on` has the value NaN, which is no number"),
    ] {
        let (mut tester, service) = lamp();
        tester.greet("real");
        tester.ask(r#"{"reset":1}"#);
        tester.hear();
        assert_eq!(tester.ask(line), json!({"error": text}));
        assert_eq!(tester.hear(), None);
        assert!(service.join().unwrap().is_err());
    }
}

/// Version 1 has no time stamps on the real clock.
#[test]
fn version_1() {
    let (mut tester, service) = lamp();
    assert_eq!(tester.ask(r#"{"hello":{"protocol":1,"clock":"real"}}"#), json!({"ready": 0}));
    tester.ask(r#"{"reset":1}"#);
    assert_eq!(tester.hear(), Some(json!({"output": "hello", "values": []})));
    let on = json!({"output": "on", "values": [2]});
    assert_eq!(tester.ask(r#"{"input":"press","values":[2],"at":5}"#), on);
    drop(tester);
    service.join().unwrap().unwrap();
}

/// Nothing of a run before is told after the reset, however busy the threads are.
#[test]
fn a_reset_ends_a_run() {
    struct Busy {
        threads: Vec<(mpsc::Sender<()>, JoinHandle<()>)>,
        run: i64,
    }
    impl Handler for Busy {
        fn reset(&mut self, device: &Device<Self>) {
            for (stop, thread) in self.threads.drain(..) {
                drop(stop);
                thread.join().unwrap();
            }
            self.run += 1;
            for _ in 0..3 {
                let (stop, stopped) = mpsc::channel();
                let (device, run) = (device.clone(), self.run);
                let thread = thread::spawn(move || {
                    while stopped.try_recv() == Err(mpsc::TryRecvError::Empty) {
                        device.emit("busy", &[run.into()]);
                        thread::yield_now();
                    }
                });
                self.threads.push((stop, thread));
            }
        }

        fn input(&mut self, _: &Device<Self>, _: &str, _: &[Value]) {}
    }
    let (mut tester, service) = Tester::of(|reader, writer| {
        device::run(&mut Busy { threads: Vec::new(), run: 0 }, reader, writer)
    });
    tester.greet("real");
    for run in 1..20 {
        tester.say(&json!({"reset": run}).to_string());
        let ready = json!({"ready": run});
        // What was sent before belongs to the run before.
        while tester.hear().unwrap() != ready {}
        for _ in 0..20 {
            assert_eq!(tester.hear().unwrap()["values"], json!([run]));
        }
    }
    drop(tester);
    // The tester may be gone while a thread still writes.
    let _ = service.join().unwrap();
}

#[test]
fn a_reset_ends_timers() {
    struct Clock(i64);
    impl Handler for Clock {
        fn reset(&mut self, device: &Device<Self>) {
            self.0 += 1;
            let run = self.0;
            device.every(MS, move |_, device| device.emit("tick", &[run.into()]));
        }

        fn input(&mut self, _: &Device<Self>, _: &str, _: &[Value]) {}
    }
    let (mut tester, service) =
        Tester::of(|reader, writer| device::run(&mut Clock(0), reader, writer));
    tester.greet("real");
    for run in 1..5 {
        tester.say(&json!({"reset": run}).to_string());
        let ready = json!({"ready": run});
        while tester.hear().unwrap() != ready {}
        // Longer than the run before: the instants at which its timer was to go off come, too.
        for _ in 0..run * 20 {
            assert_eq!(tester.hear().unwrap()["values"], json!([run]));
        }
    }
    drop(tester);
    let _ = service.join().unwrap();
}
