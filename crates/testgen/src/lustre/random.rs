//! Inputs by chance.

use std::collections::BTreeMap;

use punctual_model::VarId;
use punctual_model::lustre::{Expr, Program, Rational, Table, Test, Type, Value};
use punctual_semantics::lustre::{Machine, Reals, Refusal, Stepper};
use punctual_semantics::program::Chance;
use punctual_smc::Stream;

use crate::random::{below, within};

/// How often inputs are drawn anew for a step that assertions or the program do not allow.
const DRAWS_MAX: usize = 100;
/// Of so many draws, one is a constant of the program, or next to one.
const INTERESTING: usize = 4;
/// Real numbers are drawn in steps of this part of one.
const PARTS: i64 = 4;

/// What inputs can be, beyond what their types say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    /// The least and the greatest value of numbers.
    pub of: BTreeMap<VarId, (i64, i64)>,
}

impl Ranges {
    /// Where numbers lie of which nothing else is known.
    const DEFAULT: (i64, i64) = (-10, 100);

    /// The range of a number: what was said, else that of its type.
    #[must_use]
    pub fn known(&self, program: &Program, var: VarId) -> Option<(i64, i64)> {
        self.of.get(&var).copied().or(program.vars[var].range)
    }
}

/// Random tests of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomTests {
    /// The tests, with a column for each input.
    pub table: Table,
    /// How many tests end early, because nothing that was drawn was allowed.
    pub n_cut: usize,
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
    let machine = Machine::new(program, Reals::Exact)?;
    let mut stepper = Stepper::new(&machine);
    let columns: Vec<VarId> = program.inputs().collect();
    let interesting = interesting(program);
    let mut found = RandomTests { table: Table { columns, tests: Vec::new() }, n_cut: 0 };
    for number in 0..n_tests {
        let mut chance = Stream::of_run(seed, number as u64);
        let mut test = Test::default();
        let (mut before, mut after) = (machine.start(), machine.start());
        while test.steps.len() < n_steps {
            let step = (0..DRAWS_MAX).find_map(|_| {
                let inputs: Vec<Value> = found
                    .table
                    .columns
                    .iter()
                    .map(|var| draw(program, *var, ranges, &interesting, &mut chance))
                    .collect();
                for (var, value) in found.table.columns.iter().zip(&inputs) {
                    stepper.set(*var, *value);
                }
                let allowed = stepper.step(&before, &mut after).is_ok() && stepper.is_assumed();
                allowed.then_some(inputs)
            });
            match step {
                Some(inputs) => {
                    test.steps.push(inputs);
                    std::mem::swap(&mut before, &mut after);
                }
                None => {
                    found.n_cut += 1;
                    break;
                }
            }
        }
        found.table.tests.push(test);
    }
    Ok(found)
}

/// Whole numbers of the program, and those next to them.
fn interesting(program: &Program) -> Vec<i64> {
    let mut all = Vec::new();
    for expr in program.exprs.iter() {
        if let Expr::Constant(Value::Int(it)) = expr {
            all.extend([it.checked_sub(1), Some(*it), it.checked_add(1)].into_iter().flatten());
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn draw(
    program: &Program,
    var: VarId,
    ranges: &Ranges,
    interesting: &[i64],
    chance: &mut Stream,
) -> Value {
    let (low, high) = ranges.known(program, var).unwrap_or(Ranges::DEFAULT);
    match program.vars[var].ty {
        Type::Bool => Value::Bool(chance.bits() >> 63 == 1),
        Type::Int => {
            let from = interesting.partition_point(|it| *it < low);
            let to = interesting.partition_point(|it| *it <= high);
            if from < to && below(chance, INTERESTING) == 0 {
                return Value::Int(interesting[from + below(chance, to - from)]);
            }
            Value::Int(within(chance, low, high))
        }
        Type::Real => {
            let whole = Rational::from_integer(within(chance, low, high).into());
            let part = Rational::new(within(chance, 0, PARTS - 1).into(), PARTS.into());
            let sum = whole + part;
            Value::Real(if sum > Rational::from_integer(high.into()) { whole } else { sum })
        }
        Type::Enum(id) => {
            let n_values = program.enums.get(id).map_or(1, |it| it.values.len().max(1));
            Value::Enum(u32::try_from(below(chance, n_values)).unwrap_or(0))
        }
    }
}
