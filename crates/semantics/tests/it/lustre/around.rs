//! The box in which a step does the same, against steps with inputs of the box.

use punctual_model::lustre::{Program, Type, Value};
use punctual_semantics::lustre::random::{Draw, program};
use punctual_semantics::lustre::{Around, Machine, Reals, State, Stepper};

/// How much there was to compare.
#[derive(Default, Debug)]
struct Counts {
    steps: usize,
    /// Points of boxes, other than the one that was asked about.
    points: usize,
    /// Values that differ there, as they should.
    sloped: usize,
    /// Points that lead to the same state with other inputs.
    same_states: usize,
}

fn as_cell(value: Value) -> i64 {
    match value {
        Value::Bool(it) => i64::from(it),
        Value::Int(it) => it,
        Value::Enum(it) => i64::from(it),
        Value::Real(_) => 0,
    }
}

/// A random box around inputs.
fn box_around(draw: &mut Draw, program: &Program, inputs: &[Value]) -> Vec<(i64, i64)> {
    let mut ranges = Vec::new();
    for (var, value) in program.inputs().zip(inputs) {
        let cell = as_cell(*value);
        let mut reach = || i64::try_from(draw.below(40)).expect("small");
        ranges.push(match program.vars[var].ty {
            Type::Bool => (0, 1),
            Type::Int => (cell.saturating_sub(reach()), cell.saturating_add(reach())),
            Type::Enum(id) => (0, program.enums[id].values.len() as i64 - 1),
            Type::Real => (0, 0),
        });
    }
    ranges
}

fn set(stepper: &mut Stepper<'_>, program: &Program, inputs: &[Value], cells: &[i64]) {
    for ((var, value), cell) in program.inputs().zip(inputs).zip(cells) {
        match value {
            Value::Real(_) => stepper.set(var, *value),
            _ => stepper.set_cell(var, *cell),
        }
    }
}

fn truths(program: &Program, stepper: &Stepper<'_>) -> Vec<bool> {
    let assertions = (0..program.assertions.len()).map(|it| stepper.assertion(it));
    assertions.chain((0..program.properties.len()).map(|it| stepper.property(it))).collect()
}

fn check(seed: u64, has_reals: bool, counts: &mut Counts) {
    let draw = &mut Draw::new(seed);
    let n_equations = 2 + draw.below(40);
    let program = program(draw, n_equations, has_reals);
    let followed: Vec<_> = program.inputs().collect();
    let machine =
        Machine::watching(&program, Reals::Exact, &[], &followed).expect("nothing is free");
    let mut stepper = Stepper::new(&machine);
    let mut around = Around::default();
    let (mut before, mut after) = (machine.start(), machine.start());
    for _ in 0..8 {
        let inputs = draw.inputs(&program);
        let point: Vec<i64> = inputs.iter().map(|it| as_cell(*it)).collect();
        let ranges = box_around(draw, &program, &inputs);
        set(&mut stepper, &program, &inputs, &point);
        around.start(&ranges);
        if stepper.step_around(&before, &mut after, &mut around).is_err() {
            continue;
        }
        counts.steps += 1;
        for ((inner, outer), cell) in around.ranges().iter().zip(&ranges).zip(&point) {
            assert!(outer.0 <= inner.0 && inner.1 <= outer.1, "{inner:?} of {outer:?}");
            assert!(inner.0 <= *cell && *cell <= inner.1, "{cell} in {inner:?}");
        }
        let values: Vec<Value> = program.outputs().map(|var| stepper.value(var)).collect();
        let slopes: Vec<Vec<(usize, i64)>> =
            program.outputs().map(|var| stepper.slope(&around, var).collect()).collect();
        let truth = truths(&program, &stepper);
        for _ in 0..6 {
            let mut cells = point.clone();
            for (cell, (low, high)) in cells.iter_mut().zip(around.ranges()) {
                let width = usize::try_from(high - low + 1).expect("small");
                *cell = match draw.below(4) {
                    0 => *cell,
                    1 => *low,
                    2 => *high,
                    _ => low + i64::try_from(draw.below(width)).expect("small"),
                };
            }
            if cells == point {
                continue;
            }
            set(&mut stepper, &program, &inputs, &cells);
            let mut other = State::clone(&before);
            if stepper.step(&before, &mut other).is_err() {
                // Products may become too large within a box; they are not its business.
                continue;
            }
            counts.points += 1;
            for ((var, value), slope) in program.outputs().zip(&values).zip(&slopes) {
                let moved: i64 =
                    slope.iter().map(|(input, by)| by * (cells[*input] - point[*input])).sum();
                counts.sloped += usize::from(moved != 0);
                match value {
                    Value::Real(_) => assert_eq!(stepper.value(var), *value),
                    _ => assert_eq!(stepper.cell(var), as_cell(*value) + moved),
                }
            }
            assert_eq!(truths(&program, &stepper), truth);
            if around.remembered().all(|input| cells[input] == point[input]) {
                assert_eq!(other, after);
                counts.same_states += 1;
            }
        }
        std::mem::swap(&mut before, &mut after);
    }
}

#[test]
fn a_step_does_the_same_in_its_box() {
    let mut counts = Counts::default();
    for seed in 0..3000 {
        let outcome = std::panic::catch_unwind(|| {
            let mut counts = Counts::default();
            check(seed, seed % 3 == 0, &mut counts);
            counts
        });
        let one = outcome.unwrap_or_else(|_| panic!("the program of seed {seed} differs"));
        counts.steps += one.steps;
        counts.points += one.points;
        counts.sloped += one.sloped;
        counts.same_states += one.same_states;
    }
    assert!(counts.points > counts.steps, "{counts:?}");
    assert!(counts.sloped * 10 > counts.points, "{counts:?}");
    assert!(counts.same_states * 10 > counts.points, "{counts:?}");
}
