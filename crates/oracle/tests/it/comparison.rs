//! Exact comparison with a Lustre program.

use punctual_model::VarId;
use punctual_model::lustre::{Program, Value};
use punctual_oracle::synchronous::{Compared, Comparison, Difference};
use punctual_semantics::lustre::{Machine, Reals};

use crate::steering::program;

/// Counts up by `by`, which must not be negative; 10 must not be exceeded; it shows 12 divided by `of`.
const COUNTER: &str = "
    node counter(by: int; of: int) returns (n: int; part: int);
    var small: bool;
    let
      assert by >= 0;
      n = by -> pre n + by;
      part = 12 div of;
      --%PROPERTY small;
      small = n <= 10;
    tel";

fn counter() -> Program {
    program(COUNTER)
}

fn var(program: &Program, name: &str) -> VarId {
    program.var(name).unwrap()
}

/// Takes a step and compares both outputs.
fn step(
    comparison: &mut Comparison<'_>,
    program: &Program,
    (by, of): (i64, i64),
    (n, part): (i64, i64),
) -> Option<Compared> {
    let pair = |names: [&str; 2], values: [i64; 2]| {
        [0, 1].map(|at| (var(program, names[at]), Value::Int(values[at])))
    };
    comparison.step(pair(["by", "of"], [by, of]), pair(["n", "part"], [n, part])).ok().cloned()
}

#[test]
fn each_step_says_what_differs_and_the_program_goes_on_as_it_is() {
    let program = counter();
    let machine = Machine::new(&program, Reals::Exact).unwrap();
    let mut comparison = Comparison::new(&machine);
    let difference = |name, expected, seen| {
        let [expected, seen] = [expected, seen].map(Value::Int);
        Difference { var: var(&program, name), expected, seen }
    };
    let all_well = step(&mut comparison, &program, (1, 3), (1, 4)).unwrap();
    assert!(all_well.is_as_expected(), "{all_well:?}");
    let both = step(&mut comparison, &program, (1, 3), (7, 5)).unwrap();
    assert_eq!(both.differences, [difference("n", 2, 7), difference("part", 4, 5)]);
    assert!(!both.is_as_expected());
    let after = step(&mut comparison, &program, (1, 3), (3, 4)).unwrap();
    assert!(after.is_as_expected(), "it does not follow the system: {after:?}");
    assert_eq!(comparison.value(var(&program, "n")), Value::Int(3));
}

#[test]
fn properties_and_assumptions_are_told_apart_from_differences() {
    let program = counter();
    let machine = Machine::new(&program, Reals::Exact).unwrap();
    let mut comparison = Comparison::new(&machine);
    let large = step(&mut comparison, &program, (11, 3), (11, 4)).unwrap();
    assert_eq!((large.violated.as_slice(), large.is_unassumed), (&[0][..], false));
    let negative = step(&mut comparison, &program, (-1, 3), (10, 4)).unwrap();
    assert_eq!((negative.violated.as_slice(), negative.is_unassumed), (&[][..], true));
    assert!(large.differences.is_empty() && negative.differences.is_empty());
    assert!(!large.is_as_expected() && !negative.is_as_expected());
}

#[test]
fn a_step_without_a_result_says_so_and_a_restart_begins_again() {
    let program = counter();
    let machine = Machine::new(&program, Reals::Exact).unwrap();
    let mut comparison = Comparison::new(&machine);
    assert!(step(&mut comparison, &program, (2, 1), (2, 12)).unwrap().is_as_expected());
    assert_eq!(step(&mut comparison, &program, (2, 0), (4, 12)), None);
    comparison.restart();
    assert!(step(&mut comparison, &program, (2, 1), (2, 12)).unwrap().is_as_expected());
    // Inputs that are not given keep their values; what is not given is not compared.
    let seen = [(var(&program, "n"), Value::Int(4))];
    assert!(comparison.step([], seen).unwrap().is_as_expected());
}
