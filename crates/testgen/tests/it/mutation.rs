//! Mutants.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::Id;
use punctual_model::lustre::{Expr, Program, Value};
use punctual_semantics::lustre::{Machine, Reals, Reference};
use punctual_testgen::lustre::{Ranges, random_tests};
use punctual_testgen::mutation::lustre::{Choice, Class, count, mutants};

use crate::{HEATER, program};

/// Each equation uses only inputs and what was computed before it.
fn assert_ordered(program: &Program) {
    let mut known: BTreeSet<_> = program.inputs().collect();
    for equation in &program.equations {
        let mut stack = vec![equation.expr];
        while let Some(id) = stack.pop() {
            match program.exprs[id] {
                Expr::Var(var) => assert!(known.contains(&var), "{}", program.vars[var].name),
                Expr::Unary(_, a) => stack.push(a),
                Expr::Binary(_, a, b) => stack.extend([a, b]),
                Expr::If(a, b, c) => stack.extend([a, b, c]),
                Expr::Constant(_) | Expr::Memory(_) | Expr::First => {}
            }
        }
        known.insert(equation.var);
    }
    // Operands come first.
    for (id, expr) in program.exprs.enumerate() {
        let operands = match *expr {
            Expr::Unary(_, a) => vec![a],
            Expr::Binary(_, a, b) => vec![a, b],
            Expr::If(a, b, c) => vec![a, b, c],
            _ => vec![],
        };
        assert!(operands.iter().all(|it| it.index() < id.index()));
    }
}

#[test]
fn all_mutants_run_and_are_different() {
    let program = program(HEATER);
    let all = mutants(&program, Choice::PerClass(usize::MAX), 0);
    let mut seen = BTreeSet::new();
    let tests = random_tests(&program, 5, 10, &Ranges::default(), 1).unwrap().table.tests;
    for mutant in &all {
        assert_ordered(&mutant.program);
        assert_eq!(mutant.program.inputs().count(), 3);
        assert_ne!(mutant.old, mutant.new);
        assert_ne!(mutant.equation, "unused", "it does not matter");
        assert!(Machine::new(&mutant.program, Reals::Exact).is_ok());
        let mut reference = Reference::new(&mutant.program);
        for step in &tests[0].steps {
            reference.step(step).unwrap_or_else(|failure| panic!("{failure:?} in {mutant:?}"));
        }
        seen.insert(format!("{:?}", mutant.program));
    }
    assert_eq!(seen.len(), all.len(), "no mutant twice");
    let classes: BTreeSet<Class> = all.iter().map(|it| it.class).collect();
    assert_eq!(classes.len(), Class::ALL.len());
    // Only variables can make loops, which are left out.
    let counts = count(&program);
    for class in Class::ALL {
        let n = all.iter().filter(|it| it.class == class).count();
        if class == Class::Variable {
            assert!(n < counts[&class], "some would be loops");
        } else {
            assert_eq!(n, counts[&class], "{}", class.name());
        }
    }
    // Most of them can be told from the program by few tests.
    let told = |mutant: &Program| {
        tests.iter().any(|test| {
            let (mut ours, mut theirs) = (Reference::new(&program), Reference::new(mutant));
            test.steps.iter().any(|step| {
                let (a, b) = (ours.step(step), theirs.step(step));
                a != b || program.outputs().any(|var| ours.value(var) != theirs.value(var))
            })
        })
    };
    let n_told = all.iter().filter(|it| told(&it.program)).count();
    assert!(n_told * 2 > all.len(), "{n_told} of {}", all.len());
}

#[test]
fn changes_are_described() {
    let program = program(
        "node n(a: int; p: bool; q: bool) returns (x: int; y: bool);
         let x = if p and a > 3 then a + 1 else 0; y = not (p or q); tel",
    );
    let mut said: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for it in mutants(&program, Choice::PerClass(100), 7) {
        let text = format!("{}: {} to {}", it.equation, it.old, it.new);
        said.entry(it.class.name()).or_default().push(text);
    }
    assert_eq!(said["arithmetic"], ["x: (a + 1) to (a - 1)", "x: (a + 1) to (a * 1)"]);
    assert_eq!(said["relational"].len(), 5);
    assert!(said["relational"].contains(&"x: (a > 3) to (a >= 3)".to_owned()));
    let operators = [
        "x: (p and (a > 3)) to (p or (a > 3))",
        "x: (p and (a > 3)) to (p xor (a > 3))",
        "y: (p or q) to (p and q)",
        "y: (p or q) to (p xor q)",
    ];
    assert_eq!(said["boolean_op"], operators);
    let negations = [
        "x: (p and (a > 3)) to (not (p and (a > 3)))",
        "x: p to (not p)",
        "x: (a > 3) to (not (a > 3))",
        "y: (not (p or q)) to (p or q)",
        "y: p to (not p)",
        "y: q to (not q)",
    ];
    assert_eq!(said["negation"], negations);
    let constants = ["x: 3 to 4", "x: 3 to 2", "x: 1 to 2", "x: 1 to 0", "x: 0 to 1", "x: 0 to -1"];
    assert_eq!(said["constant"], constants);
    assert!(said["variable"].contains(&"x: p to q".to_owned()));
    assert!(said["variable"].contains(&"x: p to y".to_owned()));
    assert!(!said["variable"].contains(&"x: a to x".to_owned()), "a loop");
    assert!(said["previous_value"].contains(&"x: a to (0 -> (pre a))".to_owned()));
}

/// An equation that uses a later one now comes after it.
#[test]
fn equations_are_put_in_order() {
    let program = program("node n(a: int) returns (x: int; y: int); let x = a; y = a + 1; tel");
    let found = mutants(&program, Choice::PerClass(100), 0);
    let mutant = found.iter().find(|it| it.equation == "x" && it.new == "y").unwrap();
    let mut reference = Reference::new(&mutant.program);
    reference.step(&[Value::Int(4)]).unwrap();
    let x = program.var("x").unwrap();
    assert_eq!(reference.value(x), Ok(Value::Int(5)));
    assert!(!found.iter().any(|it| it.equation == "x" && it.new == "x"));
}

#[test]
fn enumerations_keep_their_values() {
    let program = program(HEATER);
    let found = mutants(&program, Choice::PerClass(1000), 0);
    let names: BTreeSet<(&str, &str)> = found
        .iter()
        .filter(|it| it.class == Class::Constant && it.old == "resting")
        .map(|it| (it.equation.as_str(), it.new.as_str()))
        .collect();
    let expected =
        [("state", "heating"), ("state", "idle"), ("timer", "heating"), ("timer", "idle")];
    assert_eq!(names, BTreeSet::from(expected));
}

#[test]
fn a_seed_chooses() {
    let program = program(HEATER);
    let text = |choice, seed| -> Vec<(Class, String, String)> {
        let all = mutants(&program, choice, seed).into_iter();
        all.map(|it| (it.class, it.equation, it.new)).collect()
    };
    let per_class = text(Choice::PerClass(2), 3);
    assert_eq!(per_class.len(), 14);
    assert_eq!(per_class, text(Choice::PerClass(2), 3));
    assert_ne!(per_class, text(Choice::PerClass(2), 4));
    let in_all = text(Choice::InAll(30), 3);
    assert_eq!(in_all.len(), 30);
    let classes: BTreeSet<Class> = in_all.iter().map(|it| it.0).collect();
    assert_eq!(classes.len(), Class::ALL.len());
    // More than there are: all of them.
    let most = text(Choice::InAll(usize::MAX), 1).len();
    assert_eq!(most, text(Choice::PerClass(usize::MAX), 1).len());
}

/// Two nodes, of which one has three times as many places as the other.
#[test]
fn subsystems_have_mutants_by_their_numbers() {
    let program = program(
        "node Small(a: bool) returns (b: bool); let b = not a; tel
         node Large(a: bool) returns (b: bool); let b = a and (true -> pre a) or not a and not b_was; tel
         node main(x: bool) returns (y, z: bool); let y = Small(x); z = Large(x); tel"
            .replace("b_was", "(false -> pre a)")
            .as_str(),
    );
    let of = |n: usize| {
        let names = mutants(&program, Choice::BySubsystem(n), 1).into_iter().map(|it| {
            let name = it.equation.trim_start_matches("pre ").to_owned();
            name.split_once('~').map_or(String::new(), |(node, _)| node.to_owned())
        });
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        names.for_each(|it| *numbers.entry(it).or_default() += 1);
        numbers
    };
    let all = of(usize::MAX);
    assert_eq!(all.values().sum::<usize>(), mutants(&program, Choice::InAll(usize::MAX), 1).len());
    let some = of(10);
    assert_eq!(some.values().sum::<usize>(), 10, "{some:?}");
    assert!(some["Large"] > 2 * some["Small"], "{some:?} of {all:?}");
}
