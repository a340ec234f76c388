//! What programs do, step by step.

use punctual_model::lustre::{Program, Value};
use punctual_semantics::lustre::Reference;

use super::read;

fn value(text: &str) -> Value {
    match text {
        "t" => Value::Bool(true),
        "f" => Value::Bool(false),
        number => Value::Int(number.parse().expect("a number")),
    }
}

/// Runs a program on inputs (steps between `;`) and shows one output of each step.
fn run(program: &Program, output: &str, inputs: &str) -> String {
    let output = program.var(output).expect("the output exists");
    let mut run = Reference::new(program);
    let shown = inputs.split(';').map(|step| {
        let step: Vec<Value> = step.split_whitespace().map(value).collect();
        run.step(&step).expect("the step has a result");
        match run.value(output).expect("the output has a value") {
            Value::Bool(it) => (if it { "t" } else { "f" }).to_owned(),
            other => other.to_string(),
        }
    });
    shown.collect::<Vec<_>>().join(" ")
}

const SUM: &str = "node sum(x: int) returns (s: int); let s = x -> pre s + x; tel\n";

fn check(equation: &str, inputs: &str, expected: &str) {
    let text = format!(
        "{SUM} node main(c: bool; x: int) returns (y: int);
         var k: int when c; n: int when not c; seen: bool;
         let k = x when c; n = x when not c; seen = c or (false -> pre seen); {equation} tel"
    );
    assert_eq!(run(&read(&text), "y", inputs), expected, "{equation}");
}

#[test]
fn memory() {
    check("y = 0 -> pre x;", "t 1; t 2; t 3", "0 1 2");
    check("y = 5 fby x;", "t 1; t 2; t 3", "5 1 2");
    check("y = 1 -> 2 -> pre x;", "t 1; t 2; t 3", "1 1 2");
    check("y = 0 fby (1 fby x);", "t 7; t 8; t 9", "0 1 7");
    check("y = if (true -> false) then 9 else pre x;", "t 1; t 2; t 3", "9 1 2");
}

/// A call that is not activated keeps its state and its outputs.
#[test]
fn activation() {
    let steps = "f 1; t 2; f 3; t 4; t 5";
    check("y = condact(c, sum(x), -1);", steps, "-1 2 2 6 11");
    check("y = (activate sum every c initial default x)(x);", steps, "1 2 2 6 11");
    check("y = if seen then (activate sum every c)(x) else 0;", steps, "0 2 2 6 11");
}

#[test]
fn restart() {
    check("y = (restart sum every c)(x);", "f 1; f 2; t 3; f 4; t 5", "1 3 3 7 5");
    // Only the steps in which the call is active can restart it.
    check(
        "y = (activate sum every x > 0 initial default 0 restart every c)(x);",
        "f 1; f 2; t 0; f 4; t 5; f 6",
        "1 3 3 7 5 11",
    );
}

/// `pre` counts the steps of its clock.
#[test]
fn clocks() {
    let steps = "f 1; t 2; f 3; t 4; t 5";
    check("y = if seen then current(k) else 0;", steps, "0 2 2 4 5");
    check("y = if seen then current(9 -> pre k) else 0;", steps, "0 9 9 2 4");
    check("y = if seen then current((0 -> pre x) when c) else 0;", steps, "0 1 1 3 4");
    check("y = merge c (true -> k) (false -> -n);", steps, "-1 2 -3 4 5");
    check("y = merge c (true -> 0 -> pre k) (false -> 0 -> pre n);", steps, "0 0 1 2 4");
    check("y = merge c (true -> sum(k)) (false -> sum(n));", steps, "1 2 4 6 11");
}

/// Nothing is divided on the branch that is not taken.
#[test]
fn laziness() {
    check("y = if x = 0 then 0 else 10 div x;", "t 2; t 0; t -3", "5 0 -3");
    check("y = if x <> 0 and 10 div x > 1 then 1 else 0;", "t 2; t 0", "1 0");
}

#[test]
fn arrays_with_dynamic_indices() {
    check("y = [10, 20, 30][x];", "t 0; t 1; t 2; t 7", "10 20 30 30");
    check("y = ([1, 2, 3][x := 9])[1];", "t 0; t 1; t 2; t 7", "2 9 2 2");
}

#[test]
fn machine_integers_wrap() {
    check("y = int(int8(x) + int8 1);", "t 126; t 127; t 128", "127 -128 -127");
    check("y = int(-uint8(x));", "t 0; t 1; t 255", "0 255 1");
}

/// Properties and assertions of a call hold when it is active.
#[test]
fn claims_of_calls() {
    let text = "node positive(x: int) returns (y: int);
                let y = x; --%PROPERTY x > 0; assert x > -5; tel
                node main(c: bool; x: int) returns (y: int);
                let y = condact(c, positive(x), 0); tel";
    let program = read(text);
    assert_eq!(program.properties.len(), 1);
    assert_eq!(program.properties[0].0, "positive~1.x > 0");
    assert_eq!(program.assertions.len(), 1);
}
