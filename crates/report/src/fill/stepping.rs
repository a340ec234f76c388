//! Views of tests of synchronous programs: those that were run, made or seeded with faults.

use punctual_campaign::stepping;
use punctual_model::{
    Cause, VarId, Verdict,
    lustre::{Program, Role, Table, Type, Value},
};
use punctual_testgen::{
    lustre::{CoverOptions, Coverage, Obligation, RandomTests, Status},
    mutation::lustre::Mutant,
};

use crate::{
    view::{stepping as view, suite},
    waves::{self, Kind, Sample, Scope, Wave},
};

/// What was found, and how long it took.
#[must_use]
pub fn findings(
    program: &Program,
    findings: &stepping::Findings,
    is_random: bool,
    seconds: f64,
) -> view::Findings {
    let place = |at: stepping::Place| view::Place { test: at.test, step: at.step };
    let count = |it: &stepping::Count| view::Count { steps: it.steps, first: it.first.map(place) };
    let difference = |it: &stepping::Difference| view::Difference {
        variable: program.vars[it.var].name.clone(),
        differs: count(&it.differs),
        expected: it.expected.to_string(),
        got: it.got.to_string(),
    };
    let failure = |(at, reason): &(stepping::Place, String)| view::Failure {
        test: at.test,
        step: at.step,
        reason: reason.clone(),
    };
    let cause = findings.cause(is_random);
    let properties = program.properties.iter().zip(&findings.violated);
    view::Findings {
        node: program.name.clone(),
        tests: findings.tests,
        steps: findings.steps,
        properties: properties
            .map(|((name, _), it)| view::Property { name: name.clone(), violated: count(it) })
            .collect(),
        unassumed: count(&findings.unassumed),
        differences: findings.differences.iter().map(difference).collect(),
        failures: findings.failures.iter().map(failure).collect(),
        verdict: cause.map_or(Verdict::Pass, Cause::verdict).name().to_owned(),
        cause: cause.map(|it| it.name().to_owned()),
        seconds,
        steps_per_second: findings.steps as f64 / seconds.max(1e-9),
        is_random,
    }
}

/// Random tests that were made.
#[must_use]
pub fn random_tests(program: &Program, found: &RandomTests, seed: u64) -> suite::RandomTests {
    suite::RandomTests {
        model: program.name.clone(),
        seed,
        tests: found.table.tests.len(),
        steps: n_steps(&found.table),
        cut: found.n_cut,
        stopped_after: None,
    }
}

/// Covering tests that were made, and what they do not cover.
#[must_use]
pub fn coverage(program: &Program, options: &CoverOptions, coverage: &Coverage) -> suite::Coverage {
    let obligation = |(obligation, status): &(Obligation, Status)| {
        let mut it = suite::Obligation {
            equation: obligation.equation.clone(),
            condition: obligation.text.clone(),
            outcome: obligation.outcome,
            ..suite::Obligation::default()
        };
        match status {
            Status::Covered(test) => (it.status, it.test) = (suite::Status::Covered, Some(*test)),
            Status::Infeasible(steps) => {
                (it.status, it.induction) = (suite::Status::Infeasible, Some(*steps));
            }
            Status::Beyond(bound) => (it.status, it.bound) = (suite::Status::Beyond, Some(*bound)),
            Status::Undecided(reason) => {
                (it.status, it.reason) = (suite::Status::Undecided, Some(reason.clone()));
            }
        }
        it
    };
    suite::Coverage {
        model: program.name.clone(),
        criterion: options.criterion.name().to_owned(),
        bound: options.bound,
        seed: options.seed,
        tests: coverage.table.tests.len(),
        steps: n_steps(&coverage.table),
        obligations: coverage.obligations.iter().map(obligation).collect(),
    }
}

/// Mutants, numbered as their files are: `m01`.
#[must_use]
pub fn mutants(program: &Program, found: &[Mutant], seed: u64) -> suite::Mutants {
    let width = found.len().to_string().len().max(2);
    let mutant = |(at, it): (usize, &Mutant)| suite::Mutant {
        id: format!("m{:0width$}", at + 1),
        class: it.class.name().to_owned(),
        equation: it.equation.clone(),
        old: it.old.clone(),
        new: it.new.clone(),
    };
    let mutants = found.iter().enumerate().map(mutant).collect();
    suite::Mutants { model: program.name.clone(), seed, mutants }
}

fn n_steps(table: &Table) -> usize {
    table.tests.iter().map(|test| test.steps.len()).sum()
}

/// Steps of a program as a value change dump.
#[must_use]
pub fn vcd(program: &Program, record: &Table) -> String {
    let wave = |var: &VarId| {
        let var = &program.vars[*var];
        let scope = match var.role {
            Role::Input => Scope::Inputs,
            Role::Output => Scope::Outputs,
            Role::Local | Role::Free => Scope::Locals,
        };
        let kind = match var.ty {
            Type::Bool => Kind::Truth,
            Type::Int => Kind::Integer,
            Type::Real => Kind::Real,
            Type::Enum(_) => Kind::Text,
        };
        Wave { name: var.name.clone(), scope, kind }
    };
    let sample = |(value, var): (&Value, &VarId)| match (*value, program.vars[*var].ty) {
        (Value::Bool(it), _) => Sample::Truth(it),
        (Value::Int(it), _) => Sample::Integer(it),
        (Value::Real(it), _) => Sample::Real(*it.numer() as f64 / *it.denom() as f64),
        (Value::Enum(at), Type::Enum(id)) => {
            let name = program.enums[id].values.get(at as usize);
            Sample::Text(name.cloned().unwrap_or_else(|| at.to_string()))
        }
        (Value::Enum(at), _) => Sample::Text(at.to_string()),
    };
    let waves: Vec<Wave> = record.columns.iter().map(wave).collect();
    let step = |step: &Vec<Value>| step.iter().zip(&record.columns).map(sample).collect();
    let tests: Vec<Vec<Vec<Sample>>> =
        record.tests.iter().map(|test| test.steps.iter().map(step).collect()).collect();
    waves::vcd(&program.name, &waves, &tests)
}
