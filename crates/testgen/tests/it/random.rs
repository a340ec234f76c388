//! Random tests.

use punctual_model::lustre::{Rational, Table, Value};
use punctual_semantics::lustre::Reference;
use punctual_testgen::lustre::{Ranges, random_inputs, random_tests};

use crate::{HEATER, program};

#[test]
fn values_keep_to_ranges_and_types() {
    let program = program(HEATER);
    let mut ranges = Ranges::default();
    let cold = program.var("cold").unwrap();
    ranges.of.insert(cold, (Rational::from_integer(7), Rational::from_integer(8)));
    let tests = random_tests(&program, 20, 15, &ranges, 1).unwrap();
    assert_eq!(tests.n_cut, 0);
    let Table { columns, tests } = tests.table;
    assert_eq!(columns, program.inputs().collect::<Vec<_>>());
    assert_eq!(tests.len(), 20);
    let steps: Vec<_> = tests.iter().flat_map(|test| &test.steps).collect();
    assert_eq!(steps.len(), 20 * 15);
    for step in &steps {
        let [Value::Bool(_), Value::Int(7..=8), Value::Int(0..=9)] = step.as_slice() else {
            panic!("{step:?}")
        };
    }
    // All of them come up.
    for limit in 0..=9 {
        assert!(steps.iter().any(|step| step[2] == Value::Int(limit)), "{limit}");
    }
}

#[test]
fn the_same_seed_gives_the_same_tests() {
    let program = program(HEATER);
    let draw = |seed| random_tests(&program, 3, 5, &Ranges::default(), seed).unwrap();
    assert_eq!(draw(4), draw(4));
    assert_ne!(draw(4), draw(5));
}

#[test]
fn steps_keep_to_assertions_and_have_results() {
    let program = program(
        "node n(a: int; b: int) returns (sum: int);
         let sum = (0 -> pre sum) + a div b; assert a > 0 and sum < 100; tel",
    );
    let tests = random_tests(&program, 30, 10, &Ranges::default(), 2).unwrap();
    assert!(tests.table.tests.iter().any(|test| test.steps.len() == 10));
    for test in &tests.table.tests {
        let mut reference = Reference::new(&program);
        for step in &test.steps {
            reference.step(step).unwrap();
            assert!(reference.assertion(0));
        }
    }
}

#[test]
fn a_test_ends_where_nothing_is_allowed() {
    let program =
        program("node n(a: bool) returns (n: int); let n = 1 -> pre n + 1; assert n < 4; tel");
    let tests = random_tests(&program, 2, 10, &Ranges::default(), 2).unwrap();
    assert_eq!(tests.n_cut, 2);
    assert_eq!(tests.table.tests[1].steps.len(), 3);
}

#[test]
fn reals_keep_to_ranges_that_are_no_whole_numbers() {
    let program =
        program("node n(wide, narrow: real) returns (sum: real); let sum = wide + narrow; tel");
    let mut ranges = Ranges::default();
    let inputs: Vec<_> = program.inputs().collect();
    let bounds = |low, high| (Rational::new(low, 10), Rational::new(high, 10));
    ranges.of.insert(inputs[0], bounds(-15, 23));
    ranges.of.insert(inputs[1], bounds(1, 3));
    let table = random_inputs(&program, (10, 50), &ranges, 3);
    let steps: Vec<_> = table.tests.iter().flat_map(|test| &test.steps).collect();
    assert_eq!((table.columns, steps.len()), (inputs, 500));
    for (column, (low, high)) in [bounds(-15, 23), bounds(1, 3)].into_iter().enumerate() {
        let values: Vec<Rational> = steps.iter().map(|step| step[column].as_rational()).collect();
        assert!(values.iter().all(|it| low <= *it && *it <= high));
        // Not always the same.
        assert!(values.contains(&low) && values.iter().any(|it| *it > (low + high) / 2));
    }
}
