//! Random small programs, tests of them, and what systems could have shown.

use proptest::prelude::*;
use punctual_model::lustre::{Program, Value};
use punctual_oracle::steering::Observation;
use punctual_semantics::lustre::Reference;

/// An expression of whole numbers over the inputs, and the memory if `deep`.
fn number() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        Just("a".to_owned()),
        Just("b".to_owned()),
        Just("(0 -> pre s)".to_owned()),
        (0..4_i64).prop_map(|it| it.to_string()),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(l, r)| format!("({l} + {r})")),
            (inner.clone(), inner.clone()).prop_map(|(l, r)| format!("({l} - {r})")),
            (inner.clone(), inner.clone(), inner.clone(), inner)
                .prop_map(|(l, r, yes, no)| { format!("(if {l} > {r} then {yes} else {no})") }),
        ]
    })
    .boxed()
}

/// A condition.
fn truth() -> BoxedStrategy<String> {
    prop_oneof![
        Just("c".to_owned()),
        Just("(false -> pre t)".to_owned()),
        (number(), number()).prop_map(|(l, r)| format!("({l} < {r})")),
        (number(), number()).prop_map(|(l, r)| format!("(c and {l} = {r})")),
        (number(), number()).prop_map(|(l, r)| format!("(not c or {l} >= {r})")),
    ]
    .boxed()
}

/// The text of a program with two numbers and a truth as inputs.
pub(crate) fn arb_text() -> impl Strategy<Value = String> {
    (number(), number(), truth(), truth()).prop_map(|(s, x, t, y)| {
        format!(
            "node m(a: int; b: int; c: bool) returns (x: int; y: bool);
             var s: int; t: bool;
             let s = {s}; t = {t}; x = {x}; y = {y}; tel"
        )
    })
}

/// Inputs of a test, and what was changed in each step before the system saw them.
pub(crate) type Story = Vec<((i64, i64, bool), (i64, i64, bool))>;

pub(crate) fn arb_story(n_steps: usize) -> impl Strategy<Value = Story> {
    let inputs = (0..4_i64, 0..4_i64, any::<bool>());
    // Mostly within reach, sometimes not.
    let change = prop_oneof![
        4 => (-1..=1_i64, 0..=1_i64, any::<bool>()),
        1 => (-3..=3_i64, -2..=2_i64, any::<bool>()),
    ];
    prop::collection::vec((inputs, change), n_steps)
}

/// Inputs as values.
pub(crate) fn values((a, b, c): (i64, i64, bool)) -> Vec<Value> {
    vec![Value::Int(a), Value::Int(b), Value::Bool(c)]
}

/// The test of a story: the system is the model with changed inputs.
pub(crate) fn told(program: &Program, story: &Story) -> Vec<Observation> {
    let mut system = Reference::new(program);
    let mut test = Vec::new();
    for ((a, b, c), (by_a, by_b, flips)) in story {
        system.step(&values((a + by_a, b + by_b, c ^ flips))).unwrap();
        let outputs: Vec<Value> = program.outputs().map(|var| system.value(var).unwrap()).collect();
        test.push(Observation { inputs: values((*a, *b, *c)), system: outputs });
    }
    test
}
