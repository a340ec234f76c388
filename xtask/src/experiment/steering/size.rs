//! How large the models are, and that tests reach all of them. Only tests are here.

use std::collections::BTreeSet;

use punctual_lang::{Input, lustre};
use punctual_model::lustre::{Program, Type, Value};
use punctual_semantics::lustre::{Machine, Reals, Stepper};

use super::suite::tests;

const INFUSION: &str = include_str!("../../../../experiments/steering/infusion/oracle.lus");
const PACING: &str = include_str!("../../../../experiments/steering/pacing/oracle.lus");

fn read(name: &str, text: &str) -> Program {
    lustre::read(Input { name, bytes: text.as_bytes() }, None).value.expect("a program")
}

/// States and transitions of each machine, as its first comment has them: `-- The pump: 23 states, 52
/// transitions.`
fn claimed(text: &str) -> Vec<(usize, usize)> {
    let size = |line: &str| {
        let (_, size) = line.strip_prefix("-- ")?.split_once(": ")?;
        let (states, transitions) = size.split_once(" states, ")?;
        let transitions = transitions.strip_suffix(" transitions.")?;
        Some((states.parse().ok()?, transitions.parse().ok()?))
    };
    text.lines().filter_map(size).collect()
}

/// States of each machine, and lines that lead to one of them.
fn counted(program: &Program, text: &str) -> Vec<(usize, usize)> {
    let targets: Vec<&str> = (text.split("then ").skip(1))
        .filter_map(|rest| rest.split(|it: char| !it.is_alphanumeric() && it != '_').next())
        .collect();
    let machine = |values: &Vec<String>| {
        let is_state = |target: &&&str| values.iter().any(|value| value == **target);
        (values.len(), targets.iter().filter(is_state).count())
    };
    program.enums.enumerate().map(|(_, it)| machine(&it.values)).collect()
}

/// States that no test of a seed ends a step in.
fn missed(system: &str, program: &Program, machines: &[&str], seed: u64) -> Vec<String> {
    let vars: Vec<_> = machines.iter().map(|name| program.var(name).expect("a machine")).collect();
    let machine = Machine::watching(program, Reals::Exact, &vars, &[]).expect("a machine");
    let mut stepper = Stepper::new(&machine);
    let inputs: Vec<_> = program.inputs().collect();
    let mut reached = BTreeSet::new();
    for steps in tests(system, 100, seed) {
        let (mut state, mut after) = (machine.start(), machine.start());
        for values in steps {
            for (var, value) in inputs.iter().zip(values) {
                stepper.set(*var, value);
            }
            stepper.step(&state, &mut after).expect("a step");
            std::mem::swap(&mut state, &mut after);
            for (name, var) in machines.iter().zip(&vars) {
                if let Value::Enum(value) = stepper.value(*var) {
                    reached.insert((*name, value as usize));
                }
            }
        }
    }
    let mut missed = Vec::new();
    for (name, var) in machines.iter().zip(vars) {
        let Type::Enum(id) = program.vars[var].ty else { panic!("`{name}` has no states") };
        let values = program.enums[id].values.iter().enumerate();
        let values = values.filter(|(at, _)| !reached.contains(&(*name, *at)));
        missed.extend(values.map(|(_, value)| value.clone()));
    }
    missed
}

const MACHINES: [&str; 6] = ["mode", "atrium", "ventricle", "atr", "loop", "hysteresis"];

#[test]
fn models_are_as_large_as_they_say() {
    for (name, text, states, transitions) in
        [("infusion", INFUSION, 23, 52), ("pacing", PACING, 48, 112)]
    {
        let program = read(name, text);
        let counted = counted(&program, text);
        assert_eq!(counted, claimed(text), "{name}");
        assert_eq!(counted.iter().map(|it| it.0).sum::<usize>(), states, "{name}");
        assert_eq!(counted.iter().map(|it| it.1).sum::<usize>(), transitions, "{name}");
    }
}

#[test]
fn tests_reach_all_states() {
    for seed in 1..=3 {
        let infusion = missed("infusion", &read("infusion", INFUSION), &["state"], seed);
        assert_eq!(infusion, Vec::<String>::new(), "the pump, seed {seed}");
        let pacing = missed("pacing", &read("pacing", PACING), &MACHINES, seed);
        assert_eq!(pacing, Vec::<String>::new(), "the pacemaker, seed {seed}");
    }
}
