//! What a solver says of all steps of a test at once is what a search would say of them.

use punctual_model::lustre::Value;
use punctual_oracle::Cause;
use punctual_oracle::steering::{Limits, LookAhead, Observation, Outcome, Policy, Setup};

use super::{judge, program, row, setup, tolerances};

/// The outcome of a test that has more states than are followed; None if there is no solver.
fn asked(
    text: &str,
    conditions: &str,
    change: impl Fn(&mut Setup),
    test: &[Observation],
) -> Option<Outcome> {
    let program = program(text);
    let limits = Limits { candidates: 1, steps: 5, ..Limits::default() };
    let plain = setup(&program, tolerances(&program, conditions));
    let mut setup = Setup { look_ahead: LookAhead::DEFAULT, limits, ..plain };
    change(&mut setup);
    let has_solver = setup.solver.is_ok();
    let outcome = judge(&program, setup, test);
    has_solver.then_some(outcome)
}

/// What is wrong: the step, and the cause. A fail has a mark.
fn told(outcome: &Outcome) -> Option<(usize, Cause, bool)> {
    let is_fail = outcome.verdict.is_fail();
    outcome.verdict.reason().map(|it| (it.step, it.cause(), is_fail))
}

/// Only numbers have a direction: values of an enumeration are numbers for a solver, too.
#[test]
fn steady_numbers_leave_enumerations_alone() {
    let text = "type mode = enum { A, B, C };
        node m(e: mode; x: int) returns (o: mode; p: bool);
        var s: int;
        let o = e; s = x + (0 -> pre s); p = s > 1000; tel";
    let seen = |o, p| row(&[Value::Enum(1), Value::Int(0)], &[Value::Enum(o), Value::Bool(p)]);
    let test = [seen(2, false), seen(0, false), seen(2, false), seen(0, true)];
    for steady in [false, true] {
        let change = |setup: &mut Setup| setup.policy.steady = steady;
        let Some(outcome) = asked(text, "x: [0, 300]", change, &test) else { return };
        assert!(outcome.verdict.is_pass(), "{steady}: {outcome:?}");
    }
    // A number keeps its direction nevertheless.
    let text = "node m(e: int; x: int) returns (o: int; p: bool);
        var s: int;
        let o = e; s = x + (0 -> pre s); p = s > 1000; tel";
    let seen = |o, p| row(&[Value::Int(1), Value::Int(0)], &[Value::Int(o), Value::Bool(p)]);
    let test = [seen(2, false), seen(0, false), seen(2, false), seen(0, true)];
    for (steady, passes) in [(false, true), (true, false)] {
        let change = |setup: &mut Setup| setup.policy.steady = steady;
        let Some(outcome) = asked(text, "x: [0, 300]", change, &test) else { return };
        assert_eq!(outcome.verdict.is_pass(), passes, "{steady}: {outcome:?}");
    }
}

/// What a test gives is as it is, also where it is not in the range of its type.
#[test]
fn given_inputs_out_of_range_forbid_no_change() {
    for (number, zero) in
        [("int", Value::Int(0)), ("real", Value::zero(punctual_model::lustre::Type::Real))]
    {
        let none = if number == "int" { "0" } else { "0.0" };
        let limit = if number == "int" { "1000" } else { "1000.0" };
        let text = format!(
            "node m(y: subrange [0, 3] of int; x: {number}) returns (o: int; p: bool);
             var s: {number};
             let o = y; s = x + ({none} -> pre s); p = s > {limit}; tel"
        );
        let seen = |p| row(&[Value::Int(5), zero], &[Value::Int(5), Value::Bool(p)]);
        let test = [seen(false), seen(false), seen(false), seen(true)];
        let only_x = |setup: &mut Setup| {
            setup.steerable.remove(0);
            setup.policy = Policy::plain(1);
        };
        let Some(outcome) = asked(&text, "x: [0, 300]", only_x, &test) else { return };
        assert!(outcome.verdict.is_pass(), "{number}: {outcome:?}");
    }
    // One step by a solver.
    let text = "node m(y: subrange [0, 3] of int; x: real) returns (o: int; p: bool);
        let o = y; p = x > 100.0; tel";
    let zero = Value::zero(punctual_model::lustre::Type::Real);
    let test = [row(&[Value::Int(5), zero], &[Value::Int(5), Value::Bool(true)])];
    let only_x = |setup: &mut Setup| {
        setup.steerable.remove(0);
        setup.policy = Policy::plain(1);
        setup.limits = Limits::default();
    };
    let Some(outcome) = asked(text, "x: [0, 300]", only_x, &test) else { return };
    assert!(outcome.verdict.is_pass(), "{outcome:?}");
}

/// Where an explanation of what comes before leaves what the model speaks of, what the system does behind it is no fault.
#[test]
fn nothing_is_refuted_behind_a_step_of_which_the_model_says_nothing() {
    let assertion = "node m(x: int; q: bool) returns (o: bool);
        var s: int;
        let s = x + (0 -> pre s); o = s < 0; assert not (q and s > 400); tel";
    let quotient = "node m(x: int; q: bool) returns (o: bool);
        var s: int;
        let s = x + (0 -> pre s); o = (if q then 6 div (450 - s) else s) < -9; tel";
    let step = |at: usize| row(&[Value::Int(0), Value::Bool(at == 5)], &[Value::Bool(at == 6)]);
    let test: Vec<Observation> = (0..7).map(step).collect();
    for (text, cause) in [(assertion, Cause::OutsideEnvironment), (quotient, Cause::ModelError)] {
        for (most, expected) in [(100, (5, cause, false)), (60, (6, Cause::Unexplained, true))] {
            let conditions = format!("x: [0, {most}]\nq: locked");
            let Some(outcome) = asked(text, &conditions, |_| (), &test) else { return };
            assert_eq!(told(&outcome), Some(expected), "{most} {text}");
        }
    }
    // What was wrong before is a fault.
    let wrong: Vec<Observation> = (0..7)
        .map(|at| row(&[Value::Int(0), Value::Bool(at == 5)], &[Value::Bool(at == 4)]))
        .collect();
    let Some(outcome) = asked(assertion, "x: [0, 100]\nq: locked", |_| (), &wrong) else { return };
    assert_eq!(told(&outcome), Some((4, Cause::Unexplained, true)));
}
