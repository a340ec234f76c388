//! Steering, from Lustre text to verdicts.

mod ahead;
mod everything;
mod figures;
mod laws;
mod learn;
mod pacing;
mod pieces;
mod policies;
mod reasons;
pub(crate) mod rows;
mod shown;
mod together;
mod tolerances;
mod trusted;
mod undefined;

use punctual_lang::Input;
use punctual_model::VarId;
use punctual_model::lustre::{Program, Rational, Tolerances, Value};
use punctual_oracle::steering::{
    Distance, Kind, Limits, LookAhead, Observation, Oracle, Outcome, Policy, Setup, Steerer,
    Windows,
};
use punctual_semantics::lustre::Reals;

/// The program of a text.
pub(crate) fn program(text: &str) -> Program {
    let reading =
        punctual_lang::lustre::read(Input { name: "test.lus", bytes: text.as_bytes() }, None);
    let messages: Vec<&str> = reading.diagnostics.iter().map(|it| it.message.as_str()).collect();
    reading.value.unwrap_or_else(|| panic!("{messages:?}\n{text}"))
}

pub(crate) fn whole(it: i128) -> Rational {
    Rational::from_integer(it)
}

/// The conditions of a text.
pub(crate) fn tolerances(program: &Program, text: &str) -> Tolerances {
    let input = Input { name: "tolerances.txt", bytes: text.as_bytes() };
    let reading = punctual_lang::lustre::tolerances(input, program);
    let messages: Vec<&str> = reading.diagnostics.iter().map(|it| it.message.as_str()).collect();
    reading.value.unwrap_or_else(|| panic!("{messages:?}"))
}

/// Windows by name.
pub(crate) fn windows(program: &Program, ranges: &[(&str, i128, i128)]) -> Windows {
    let window = |(name, low, high): &(&str, i128, i128)| {
        (program.var(name).unwrap(), vec![(whole(*low), whole(*high))])
    };
    Windows { ranges: ranges.iter().map(window).collect() }
}

/// Everything is steerable that the tolerances leave; all outputs are compared and observed.
pub(crate) fn setup(program: &Program, tolerances: Tolerances) -> Setup {
    let steerable: Vec<VarId> = program.inputs().collect();
    let outputs: Vec<VarId> = program.outputs().collect();
    Setup {
        metric: Distance::plain(Kind::Manhattan, outputs.len()),
        policy: Policy::plain(steerable.len()),
        compared: outputs.clone(),
        columns: outputs,
        steerable,
        tolerances,
        look_ahead: LookAhead::Steps(0),
        reals: Reals::Exact,
        limits: Limits::default(),
        solver: punctual_solver::Solver::find().map_err(|it| it.to_string()),
        solver_limits: punctual_solver::Limits::default(),
    }
}

/// The outcome of a test.
pub(crate) fn judge(program: &Program, setup: Setup, test: &[Observation]) -> Outcome {
    let oracle = Oracle::new(program, setup).unwrap();
    Steerer::new(&oracle).judge(test)
}

/// A step of a test, with whole numbers and truths.
pub(crate) fn row(inputs: &[Value], system: &[Value]) -> Observation {
    Observation { inputs: inputs.to_vec(), system: system.to_vec() }
}
