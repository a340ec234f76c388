//! Synchronous models that step beside a system.

use proptest::prelude::*;
use punctual_model::lustre::{Program, Value};
use punctual_model::{
    Event, Happening, Interface, Port, PortRole, Step, TimeScale, ValueType, Verdict,
};
use punctual_oracle::synchronous::{Beside, Streams, explain};
use punctual_oracle::{Cause, Finding, Judgement, Oracle};
use punctual_semantics::lustre::{Machine, Reals, Reference};

use crate::steering::program;
use crate::steering::rows::{arb_story, arb_text, told, values};

/// An interface with these inputs and outputs.
fn interface(inputs: &[&str], outputs: &[&str]) -> Interface {
    let mut interface = Interface::new(TimeScale { unit_ns: 1, resolution: 1 });
    for (names, role) in [(inputs, PortRole::Input), (outputs, PortRole::Output)] {
        for name in names {
            let (name, ty) = ((*name).to_owned(), ValueType::INT);
            interface.ports.push(Port { name, ty, role });
        }
    }
    interface
}

/// What is said of steps that do not pass, and of the run, with the sentence of its reason.
fn judged(
    program: &Program,
    interface: &Interface,
    steps: &[(Vec<Value>, Vec<Value>)],
) -> (Vec<(usize, Verdict)>, Judgement<Finding>, String) {
    let machine = Machine::new(program, Reals::Exact).unwrap();
    let streams = Streams::by_name(program, interface).unwrap();
    let mut oracle = Beside::new(&machine, &streams);
    let mut said = Vec::new();
    // The same again after a restart.
    for _ in 0..2 {
        oracle.restart();
        for (i, (inputs, outputs)) in steps.iter().enumerate() {
            let step = Step { inputs: inputs.clone(), outputs: outputs.clone() };
            oracle.event(&Event::at(Happening::Step(step), i as u64));
        }
        let told = oracle.interactions();
        let words: Vec<(usize, Verdict)> = told.iter().map(|it| (it.number, it.verdict)).collect();
        let decided = oracle.decided();
        let verdict = oracle.finish(steps.len() as u64);
        assert!(decided.is_none_or(|it| it <= verdict.verdict()), "it may become worse only");
        said.push((words, verdict));
    }
    assert_eq!(said[0], said[1]);
    let (words, verdict) = said.swap_remove(0);
    let text = match verdict.reason() {
        Some(Finding::Step(mismatch)) => explain(program, mismatch),
        _ => String::new(),
    };
    (words, verdict, text)
}

fn ints(values: &[i64]) -> Vec<Value> {
    values.iter().copied().map(Value::Int).collect()
}

const COUNTER: &str = "node m(a: int; b: int) returns (s: int; q: int);
    let s = a + (0 -> pre s); q = 12 div b; tel";

#[test]
fn a_mismatch_is_told_and_the_run_goes_on() {
    let program = program(COUNTER);
    // The ports are not in the order of the program.
    let interface = interface(&["b", "a"], &["q", "s"]);
    let steps = [
        (ints(&[3, 1]), ints(&[4, 1])),
        (ints(&[3, 1]), ints(&[4, 3])),
        (ints(&[2, 1]), ints(&[6, 3])),
    ];
    let (words, verdict, text) = judged(&program, &interface, &steps);
    assert_eq!(words, [(1, Verdict::Fail)]);
    assert!(verdict.is_fail());
    assert_eq!(verdict.reason().unwrap().cause(), Cause::WrongValue);
    assert_eq!(text, "Step 1: s is 3, the model has 2.");
    assert_eq!(judged(&program, &interface, &steps[..1]).1, Judgement::Pass);
}

#[test]
fn a_model_without_a_step_says_nothing_more() {
    let program = program(COUNTER);
    let interface = interface(&["a", "b"], &["s", "q"]);
    let stuck = (ints(&[1, 0]), ints(&[1, 0]));
    let (words, verdict, text) =
        judged(&program, &interface, &[stuck.clone(), (ints(&[1, 1]), ints(&[99, 99]))]);
    assert_eq!(
        (words, verdict.verdict()),
        (vec![(0, Verdict::Inconclusive)], Verdict::Inconclusive)
    );
    assert_eq!(verdict.reason().unwrap().cause(), Cause::ModelError);
    assert_eq!(text, "Step 0: the model has no step: division by zero.");
    // What was wrong before stays wrong.
    let (words, verdict, text) =
        judged(&program, &interface, &[(ints(&[1, 1]), ints(&[2, 12])), stuck]);
    assert_eq!(
        (words, verdict.verdict()),
        (vec![(0, Verdict::Fail), (1, Verdict::Inconclusive)], Verdict::Fail)
    );
    assert_eq!(text, "Step 0: s is 2, the model has 1.");
}

#[test]
fn ports_that_can_not_be_tied_are_named() {
    let program = program(COUNTER);
    let tied =
        |inputs: &[&str], outputs: &[&str]| Streams::by_name(&program, &interface(inputs, outputs));
    assert_eq!(tied(&["a"], &["s"]).unwrap_err(), "b");
    // Nothing would be compared.
    assert_eq!(tied(&["a", "b"], &["other"]).unwrap_err(), "s");
    // A system may show less than the model has, and more.
    let streams = tied(&["other", "a", "b"], &["other", "q"]).unwrap();
    let positions: Vec<usize> = streams.inputs.iter().map(|it| it.1).collect();
    assert_eq!((positions, streams.outputs[0].1), (vec![1, 2], 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Steps are right just if they are those of the reference.
    #[test]
    fn steps_are_those_of_the_reference(text in arb_text(), story in arb_story(6)) {
        let program = program(&text);
        let interface = interface(&["a", "b", "c"], &["x", "y"]);
        let test = told(&program, &story);
        let mut reference = Reference::new(&program);
        let mut expected = Vec::new();
        for (step, (inputs, _)) in test.iter().zip(&story) {
            reference.step(&values(*inputs)).unwrap();
            let outputs: Vec<Value> =
                program.outputs().map(|var| reference.value(var).unwrap()).collect();
            expected.push(if outputs == step.system { Verdict::Pass } else { Verdict::Fail });
        }
        let steps: Vec<_> = test.into_iter().map(|it| (it.inputs, it.system)).collect();
        let (words, verdict, _) = judged(&program, &interface, &steps);
        prop_assert_eq!(verdict.verdict(), expected.iter().copied().max().unwrap());
        let wrong: Vec<_> =
            expected.into_iter().enumerate().filter(|(_, it)| *it != Verdict::Pass).collect();
        prop_assert_eq!(words, wrong);
    }
}
