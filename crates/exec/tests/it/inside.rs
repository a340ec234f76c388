//! Systems in Rust inside of the tester, also such that break the rules.

use punctual_exec::{InProcess, Limits, Note, Seen, Source, Sut, SutError, Timekeeping};
use std::sync::Arc;

use punctual_model::{Direction, Reading};
use punctual_sdk::{
    Output, System, Value,
    threads::{Kernel, Threads},
};

use crate::support::*;

pub(crate) fn lamp() -> std::sync::Arc<punctual_model::Interface> {
    interface(&[("touch", Direction::Input, &[]), ("level", Direction::Output, &["brightness"])])
}

/// Does what a function says.
struct Says<F>(F);

impl<F: FnMut(u64) -> Option<Output> + Send> System for Says<F> {
    fn reset(&mut self) {}

    fn input(&mut self, _: u64, _: &str, _: &[Value]) {
        panic!("touched");
    }

    fn advance(&mut self, until_ns: u64) -> Option<Output> {
        self.0(until_ns)
    }
}

fn in_process(system: impl System + 'static) -> InProcess {
    InProcess::new(Box::new(system), lamp(), Timekeeping::Virtual, Limits::default())
}

fn level(at_ns: u64, values: &[i32]) -> Option<Output> {
    Some(Output {
        at_ns,
        name: "level".into(),
        values: values.iter().map(|value| Value::from(*value)).collect(),
    })
}

/// The first error of a system that is waited for.
pub(crate) fn error_of(mut sut: impl Sut) -> String {
    sut.reset().unwrap();
    let error = (0..100_000).find_map(|_| sut.wait(50).err()).unwrap();
    assert_eq!(sut.wait(50), Err(SutError::NotReset));
    error.to_string()
}

#[test]
fn rust_systems() {
    for (system, expected) in [
        (
            Box::new(|_| level(51, &[1])) as Box<dyn FnMut(u64) -> Option<Output> + Send>,
            "`level` came at 51 ns; it had to be from 0 to 50 ns",
        ),
        (
            Box::new({
                let mut at_ns = 30;
                move |_| {
                    at_ns -= 10;
                    level(at_ns, &[1])
                }
            }),
            "`level` came at 10 ns; it had to be from 20 to 50 ns",
        ),
        (Box::new(|_| level(1, &[])), "`level` came with 0 values, but it has 1 (brightness)"),
        (
            Box::new(|_| level(1, &[-1])),
            "came with brightness = -1, but the test interface declares",
        ),
        (Box::new(|_| Some(Output::new(1, "levle"))), "did you mean `level`?"),
        (Box::new(|_| level(7, &[1])), "sent more than 1000 outputs at one instant"),
        (Box::new(|_| panic!("no beans")), "ended (it panicked: no beans) when it had to let time"),
    ] {
        let error = error_of(in_process(Says(system)));
        assert!(error.contains(expected), "{error}");
    }
    let threads = Threads::new(|kernel: &Kernel| {
        kernel.spawn("lamp", |kernel| {
            kernel.sleep(20);
            panic!("too hot");
        });
        Box::new(|_, _| {})
    });
    let error = error_of(in_process(threads));
    assert!(error.contains("it panicked: thread `lamp` panicked: too hot"), "{error}");
}

#[test]
fn a_system_that_panicked_can_be_reset() {
    let mut sut = in_process(Says(|_| None));
    for _ in 0..3 {
        sut.reset().unwrap();
        assert_eq!(sut.wait(10), Ok(Seen::Quiet));
        let touch = action(&lamp(), "touch", &[]);
        assert!(matches!(sut.input(&touch), Err(SutError::Crashed { .. })));
        assert_eq!(sut.input(&touch), Err(SutError::NotReset));
    }
}

/// What the tester itself may not send.
#[test]
fn wrong_inputs_are_refused_and_change_nothing() {
    let mut sut = in_process(Says(|_| None));
    sut.reset().unwrap();
    let output = sut.input(&action(&lamp(), "level", &[1])).unwrap_err().to_string();
    assert_eq!(output, "`level` is an output: it can not be sent to the system");
    let values = sut.input(&action(&lamp(), "touch", &[1])).unwrap_err().to_string();
    assert_eq!(values, "`touch` has 0 values, not 1");
    assert_eq!(sut.wait(10), Ok(Seen::Quiet));
}

/// Ports, and what a system has to say beside them.
struct Counter {
    n: i64,
    notes: Vec<punctual_sdk::Note>,
}

impl System for Counter {
    fn reset(&mut self) {
        self.n = 0;
    }

    fn input(&mut self, _: u64, name: &str, _: &[Value]) {
        self.notes.push(punctual_sdk::Note::Error(format!("no {name}")));
    }

    fn advance(&mut self, _: u64) -> Option<Output> {
        None
    }

    fn set(&mut self, at_ns: u64, name: &str, value: &Value) -> bool {
        self.notes.push(punctual_sdk::Note::Log(format!("{name} at {at_ns}")));
        self.n = value.as_int().unwrap_or(-1);
        name == "n"
    }

    fn step(&mut self, _: u64) -> Option<Vec<(String, Value)>> {
        self.n += 1;
        let outputs = [("even", (self.n % 2 == 0).into()), ("next", Value::Int(self.n))];
        Some(outputs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    fn read(&mut self, _: u64, name: &str) -> Option<Value> {
        (name == "twice").then_some(Value::Int(2 * self.n))
    }

    fn note(&mut self) -> Option<punctual_sdk::Note> {
        (!self.notes.is_empty()).then(|| self.notes.remove(0))
    }
}

#[test]
fn ports_and_notes_of_rust_systems() {
    use punctual_model::{
        Direction::Input,
        PortRole::{Observed, Output},
        Value as V, ValueType,
    };
    let ports = [
        ("n", punctual_model::PortRole::Input, SMALL),
        ("next", Output, SMALL),
        ("even", Output, ValueType::Bool),
        ("twice", Observed, ValueType::INT),
        ("hidden", Observed, ValueType::INT),
    ];
    let interface = Arc::new(with_ports(&[("touch", Input, &[])], &ports));
    let port = |name: &str| interface.port(name).unwrap();
    for timekeeping in [Timekeeping::Virtual, Timekeeping::Real] {
        let counter = Box::new(Counter { n: 0, notes: Vec::new() });
        let mut sut =
            InProcess::new(counter, Arc::clone(&interface), timekeeping, Limits::default());
        sut.reset().unwrap();
        sut.set(&Reading { values: vec![(port("n"), V::Int(4))] }).unwrap();
        let (read, _) = sut.read(&[port("twice")]).unwrap();
        assert_eq!(read.values, [(port("twice"), V::Int(8))]);
        let (outputs, _) = sut.step(&[V::Int(7)]).unwrap();
        assert_eq!(outputs, [V::Int(8), V::Bool(true)]);
        let notes = sut.take_notes();
        assert_eq!(notes.len(), 2);
        if sut.is_virtual() {
            let text = "n at 0".into();
            assert_eq!(notes[0], Note { source: Source::Log, text });
        }
        // 10 + 1 is not in the range of `next`.
        let error = sut.step(&[V::Int(10)]).unwrap_err();
        assert!(error.to_string().starts_with("`a step` came with next = 11, but"), "{error}");
        sut.reset().unwrap();
        let error = sut.read(&[port("hidden")]).unwrap_err();
        assert!(error.to_string().starts_with("this system can not be asked for `hidden`"));
        assert_eq!(error.cause(), None);
        sut.reset().unwrap();
        let error = sut.input(&action(&interface, "touch", &[])).unwrap_err();
        assert_eq!(error, SutError::Reported { text: "no touch".into() });
    }
}
