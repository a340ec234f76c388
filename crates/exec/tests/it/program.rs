//! Synchronous programs that are played as implementations.

use std::sync::Arc;

use punctual_exec::{Limits, PlayedProgram, Seen, Sut, Timekeeping};
use punctual_lang::{Input, lustre};
use punctual_model::{PortRole, Rational, Reading, Value, ValueType};

use crate::support::*;

const SUM: &str = "
    node main(x: real; on: bool) returns (sum: real; n: int);
    var before: real;
    let
        before = 0.0 -> pre sum;
        sum = if on then before + x else before;
        n = (0 -> pre n) + 1;
    tel";

fn played(
    ports: &[(&str, PortRole, ValueType)],
    clock: Timekeeping,
) -> Result<PlayedProgram, String> {
    let reading = lustre::read(Input { name: "sum.lus", bytes: SUM.as_bytes() }, None);
    let program = reading.value.unwrap();
    let interface = Arc::new(with_ports(&[], ports));
    let played = PlayedProgram::new(&program, interface, clock, Limits::default());
    played.map_err(|error| error.to_string())
}

fn real(above: i128, below: i128) -> Value {
    Value::Real(Rational::new(above, below))
}

#[test]
fn a_program_takes_steps_when_it_is_told_to() {
    let ports = [
        ("on", PortRole::Input, ValueType::Bool),
        ("x", PortRole::Input, ValueType::Real),
        ("sum", PortRole::Output, ValueType::Real),
        ("n", PortRole::Observed, ValueType::INT),
        ("before", PortRole::Observed, ValueType::Real),
    ];
    let interface = with_ports(&[], &ports);
    let [x, n, before] = ["x", "n", "before"].map(|name| interface.port(name).unwrap());
    for clock in [Timekeeping::Virtual, Timekeeping::Real] {
        let mut sut = played(&ports, clock).unwrap();
        for _ in 0..2 {
            sut.reset().unwrap();
            let (outputs, _) = sut.step(&[Value::Bool(true), real(1, 3)]).unwrap();
            assert_eq!(outputs, [real(1, 3)]);
            assert_eq!(sut.wait(MS), Ok(Seen::Quiet));
            let (outputs, _) = sut.step(&[Value::Bool(false), real(9, 1)]).unwrap();
            assert_eq!(outputs, [real(1, 3)]);
            sut.set(&Reading { values: vec![(x, real(1, 7))] }).unwrap();
            let (read, _) = sut.read(&[x, n, before]).unwrap();
            assert_eq!(read.values, [(x, real(1, 7)), (n, Value::Int(2)), (before, real(1, 3))]);
        }
    }
}

#[test]
fn ports_that_do_not_fit() {
    for (name, role, ty, expected) in [
        ("y", PortRole::Input, ValueType::Real, "has no `y`"),
        ("x", PortRole::Input, ValueType::INT, "`x` is something else"),
        ("sum", PortRole::Input, ValueType::Real, "`sum` is something else"),
        ("n", PortRole::Output, ValueType::Bool, "`n` is something else"),
    ] {
        let error = played(&[(name, role, ty)], Timekeeping::Virtual).err().unwrap();
        assert!(error.contains(expected), "{error}");
    }
}
