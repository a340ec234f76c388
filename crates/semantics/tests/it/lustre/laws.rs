//! Random programs, compiled and as they are written.

use punctual_model::VarId;
use punctual_model::lustre::{Program, Role, Value};
use punctual_semantics::lustre::random::{Draw, program};
use punctual_semantics::lustre::{Failure, Machine, Reals, Reference, State, Stepper};

/// How much there was to compare.
#[derive(Default, Debug)]
struct Counts {
    steps: usize,
    failures: usize,
    unread: usize,
}

/// A random program and all that is compared of it.
struct Case {
    program: Program,
    watched: Vec<VarId>,
    followed: Vec<VarId>,
}

impl Case {
    fn new(draw: &mut Draw, has_reals: bool) -> Case {
        let n_equations = 2 + draw.below(40);
        let program = program(draw, n_equations, has_reals);
        let followed = program.inputs().collect();
        Case { program, watched: Vec::new(), followed }
    }

    fn machine(&self, reals: Reals) -> Machine {
        Machine::watching(&self.program, reals, &self.watched, &self.followed)
            .expect("nothing is free")
    }
}

fn set(stepper: &mut Stepper<'_>, program: &Program, inputs: &[Value]) {
    for (var, value) in program.inputs().zip(inputs) {
        stepper.set(var, *value);
    }
}

/// Takes a step both ways and compares all there is.
fn compare(
    case: &Case,
    machine: &Machine,
    stepper: &mut Stepper<'_>,
    reference: &mut Reference<'_>,
    inputs: &[Value],
    (before, after): (&State, &mut State),
) -> Result<(), Failure> {
    let program = &case.program;
    set(stepper, program, inputs);
    let result = stepper.step(before, after);
    assert_eq!(result, reference.step(inputs));
    result?;
    for var in program.vars.ids() {
        if program.vars[var].role == Role::Output {
            assert_eq!(Ok(stepper.value(var)), reference.value(var));
        }
    }
    for index in 0..program.assertions.len() {
        assert_eq!(stepper.assertion(index), reference.assertion(index));
    }
    for index in 0..program.properties.len() {
        assert_eq!(stepper.property(index), reference.property(index));
    }
    for memory in program.memory.ids() {
        assert_eq!(machine.memory(after, memory), reference.memory(memory));
    }
    Ok(())
}

/// Outputs, assertions and properties of the last step.
fn seen(program: &Program, stepper: &Stepper<'_>) -> Vec<Value> {
    let mut seen: Vec<Value> = program.outputs().map(|var| stepper.value(var)).collect();
    seen.extend((0..program.assertions.len()).map(|it| Value::Bool(stepper.assertion(it))));
    seen.extend((0..program.properties.len()).map(|it| Value::Bool(stepper.property(it))));
    seen
}

/// Changing inputs that were not read changes nothing.
fn check_reads(
    case: &Case,
    stepper: &mut Stepper<'_>,
    draw: &mut Draw,
    inputs: &[Value],
    (before, after): (&State, &State),
) -> usize {
    let program = &case.program;
    let unread: Vec<bool> =
        (0..inputs.len()).map(|position| !stepper.reads().contains(position)).collect();
    let n_unread = unread.iter().filter(|it| **it).count();
    if n_unread == 0 {
        return 0;
    }
    let expected = seen(program, stepper);
    for _ in 0..3 {
        let mut changed = draw.inputs(program);
        for (position, value) in changed.iter_mut().enumerate() {
            if !unread[position] {
                *value = inputs[position];
            }
        }
        set(stepper, program, &changed);
        let mut other = before.clone();
        assert_eq!(stepper.step(before, &mut other), Ok(()));
        assert_eq!(&other, after);
        assert_eq!(seen(program, stepper), expected);
    }
    n_unread
}

fn check(seed: u64, reals: Reals, has_reals: bool, counts: &mut Counts) {
    let draw = &mut Draw::new(seed);
    let case = Case::new(draw, has_reals);
    let machine = case.machine(reals);
    let mut stepper = Stepper::new(&machine);
    let mut reference = Reference::with(&case.program, reals);
    let mut before = machine.start();
    let mut after = machine.start();
    for _ in 0..12 {
        let inputs = draw.inputs(&case.program);
        let states = (&before, &mut after);
        counts.steps += 1;
        if compare(&case, &machine, &mut stepper, &mut reference, &inputs, states).is_err() {
            counts.failures += 1;
            continue;
        }
        let states = (&before, &after);
        counts.unread += check_reads(&case, &mut stepper, draw, &inputs, states);
        std::mem::swap(&mut before, &mut after);
    }
}

fn check_all(seeds: std::ops::Range<u64>, reals: Reals, has_reals: bool) {
    let mut counts = Counts::default();
    for seed in seeds {
        let outcome = std::panic::catch_unwind(|| {
            let mut counts = Counts::default();
            check(seed, reals, has_reals, &mut counts);
            counts
        });
        let one = outcome.unwrap_or_else(|_| panic!("the program of seed {seed} differs"));
        counts.steps += one.steps;
        counts.failures += one.failures;
        counts.unread += one.unread;
    }
    // The programs do something: most steps succeed, some fail, and some inputs do not matter.
    assert!(counts.failures * 2 < counts.steps, "{counts:?}");
    assert!(counts.failures * 200 > counts.steps, "{counts:?}");
    assert!(counts.unread * 4 > counts.steps, "{counts:?}");
}

#[test]
fn integers_do_what_is_written() {
    check_all(0..2000, Reals::Exact, false);
}

#[test]
fn exact_reals_do_what_is_written() {
    check_all(10_000..12_000, Reals::Exact, true);
}

#[test]
fn doubles_do_what_is_written() {
    check_all(20_000..21_000, Reals::Float, true);
}
