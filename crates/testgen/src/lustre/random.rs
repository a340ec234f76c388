//! Inputs by chance.

use std::collections::BTreeMap;

use punctual_model::VarId;
use punctual_model::lustre::{Expr, Program, Rational, Table, Test, Type, Value};
use punctual_semantics::lustre::{Machine, Reals, Reference, Refusal, Stepper};
use punctual_semantics::program::Chance;
use punctual_smc::Stream;

use crate::random::{below, within};

/// How often inputs are drawn anew for a step that assertions or the program do not allow.
const DRAWS_MAX: usize = 100;
/// So many steps are made before it is asked whether to go on.
const STEPS_BETWEEN: usize = 64;
/// Of so many draws, one is a constant of the program, or next to one.
const INTERESTING: usize = 4;
/// Real numbers are drawn in steps of this part of one.
const PARTS: i64 = 4;

/// What inputs can be, beyond what their types say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranges {
    /// The least and the greatest value of numbers; whole ones for integers.
    pub of: BTreeMap<VarId, (Rational, Rational)>,
    /// Where numbers are drawn from of which nothing else is known.
    pub otherwise: (i64, i64),
}

impl Default for Ranges {
    fn default() -> Self {
        Ranges { of: BTreeMap::new(), otherwise: (-10, 100) }
    }
}

impl Ranges {
    /// The range of a number: what was said, else that of its type.
    #[must_use]
    pub fn known(&self, program: &Program, var: VarId) -> Option<(Rational, Rational)> {
        let declared = || program.vars[var].range.map(|(low, high)| (whole(low), whole(high)));
        self.of.get(&var).copied().or_else(declared)
    }
}

fn whole(value: i64) -> Rational {
    Rational::from_integer(value.into())
}

/// Draws values for the inputs of a program.
struct Draw<'p> {
    program: &'p Program,
    columns: Vec<VarId>,
    ranges: &'p Ranges,
    /// Whole numbers of the program, and those next to them.
    interesting: Vec<i64>,
}

/// Tests that were drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomTests {
    /// The tests, with a column for each input.
    pub table: Table,
    /// How many tests end early, because nothing that was drawn was allowed.
    pub n_cut: usize,
}

/// Tests of so many steps, whether the program allows them or not.
#[must_use]
pub fn random_inputs(
    program: &Program,
    (n_tests, n_steps): (usize, usize),
    ranges: &Ranges,
    seed: u64,
) -> Table {
    let draw = Draw::new(program, ranges);
    let test = |number: usize| {
        let mut chance = Stream::of_run(seed, number as u64);
        Test { steps: (0..n_steps).map(|_| draw.step(&mut chance)).collect() }
    };
    let tests = (0..n_tests).map(test).collect();
    Table { columns: draw.columns, tests }
}

/// Tests of so many steps. Each step keeps to the assertions and has a result.
///
/// # Errors
/// If the program can not be run.
pub fn random_tests(
    program: &Program,
    n_tests: usize,
    n_steps: usize,
    ranges: &Ranges,
    seed: u64,
) -> Result<RandomTests, Refusal> {
    let columns = program.inputs().collect();
    let mut made = RandomTests { table: Table { columns, tests: Vec::new() }, n_cut: 0 };
    each_random_test(program, (n_tests, n_steps), ranges, seed, &mut || true, &mut |test| {
        made.n_cut += usize::from(test.steps.len() < n_steps);
        made.table.tests.push(test);
        true
    })?;
    Ok(made)
}

/// Hands on such tests, one after the other, until `take` says no. `go_on` is asked now and then, also inside of a test; when it says no, the test that is
/// under way is dropped, and no more are made.
///
/// # Errors
/// If the program can not be run.
pub fn each_random_test(
    program: &Program,
    (n_tests, n_steps): (usize, usize),
    ranges: &Ranges,
    seed: u64,
    go_on: &mut dyn FnMut() -> bool,
    take: &mut dyn FnMut(Test) -> bool,
) -> Result<(), Refusal> {
    let machine = Machine::new(program, Reals::Exact)?;
    let mut stepper = Stepper::new(&machine);
    let draw = Draw::new(program, ranges);
    for number in 0..n_tests {
        let mut chance = Stream::of_run(seed, number as u64);
        let mut test = Test::default();
        let (mut before, mut after) = (machine.start(), machine.start());
        while test.steps.len() < n_steps {
            if test.steps.len().is_multiple_of(STEPS_BETWEEN) && !go_on() {
                return Ok(());
            }
            let step = (0..DRAWS_MAX).find_map(|_| {
                let inputs = draw.step(&mut chance);
                for (var, value) in draw.columns.iter().zip(&inputs) {
                    stepper.set(*var, *value);
                }
                let allowed = stepper.step(&before, &mut after).is_ok() && stepper.is_assumed();
                allowed.then_some(inputs)
            });
            let Some(inputs) = step else { break };
            test.steps.push(inputs);
            std::mem::swap(&mut before, &mut after);
        }
        if !take(test) {
            return Ok(());
        }
    }
    Ok(())
}

/// The tests with the outputs that the program gives.
#[must_use]
pub fn with_outputs(program: &Program, table: &Table) -> Table {
    let outputs: Vec<VarId> = program.outputs().collect();
    let mut added = table.clone();
    added.columns.extend(&outputs);
    for test in &mut added.tests {
        let mut reference = Reference::new(program);
        for step in &mut test.steps {
            // Each step has a result: the tests were run before.
            let done = reference.step(step).is_ok();
            step.extend(outputs.iter().map(|var| match reference.value(*var) {
                Ok(value) if done => value,
                _ => Value::zero(program.vars[*var].ty),
            }));
        }
    }
    added
}

impl<'p> Draw<'p> {
    fn new(program: &'p Program, ranges: &'p Ranges) -> Self {
        let mut interesting = Vec::new();
        for expr in program.exprs.iter() {
            if let Expr::Constant(Value::Int(it)) = expr {
                let near = [it.checked_sub(1), Some(*it), it.checked_add(1)];
                interesting.extend(near.into_iter().flatten());
            }
        }
        interesting.sort_unstable();
        interesting.dedup();
        Draw { program, columns: program.inputs().collect(), ranges, interesting }
    }

    /// A value for each input.
    fn step(&self, chance: &mut Stream) -> Vec<Value> {
        self.columns.iter().map(|var| self.value(*var, chance)).collect()
    }

    fn value(&self, var: VarId, chance: &mut Stream) -> Value {
        let Draw { program, ranges, interesting, .. } = self;
        let (low, high) = ranges
            .known(program, var)
            .unwrap_or((whole(ranges.otherwise.0), whole(ranges.otherwise.1)));
        match program.vars[var].ty {
            Type::Bool => Value::Bool(chance.bits() >> 63 == 1),
            Type::Int => {
                let fitting = |it: Rational| i64::try_from(it.to_integer()).unwrap_or(0);
                let (low, high) = (fitting(low), fitting(high));
                let from = interesting.partition_point(|it| *it < low);
                let to = interesting.partition_point(|it| *it <= high);
                if from < to && below(chance, INTERESTING) == 0 {
                    return Value::Int(interesting[from + below(chance, to - from)]);
                }
                Value::Int(within(chance, low, high))
            }
            Type::Real => {
                // Steps of a part of one, or of the whole range if that is narrower.
                let span = high - low;
                let steps = i64::try_from(span.to_integer()).unwrap_or(i64::MAX);
                let start = low + whole(within(chance, 0, steps));
                let part = Rational::new(within(chance, 0, PARTS - 1).into(), PARTS.into());
                let sum = start + part * span.min(whole(1));
                Value::Real(if sum > high { start } else { sum })
            }
            Type::Enum(id) => {
                let n_values = program.enums.get(id).map_or(1, |it| it.values.len().max(1));
                Value::Enum(u32::try_from(below(chance, n_values)).unwrap_or(0))
            }
        }
    }
}
