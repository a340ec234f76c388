//! What is said to be in the way of an explanation is in the way.

use punctual_model::lustre::{Rational, Type, Value};
use punctual_oracle::steering::{
    Limits, LookAhead, Observation, Outcome, Policy, Setup, Unheld, Why,
};
use punctual_oracle::{Cause, Judgement};

use super::{judge, program, row, setup, tolerances, whole};

fn numbers(rows: &[(&[i64], &[i64])]) -> Vec<Observation> {
    let values = |all: &[i64]| all.iter().map(|it| Value::Int(*it)).collect::<Vec<_>>();
    rows.iter().map(|(inputs, shown)| row(&values(inputs), &values(shown))).collect()
}

/// The outcome of a test with a look-ahead of two.
fn judged(
    text: &str,
    conditions: &str,
    change: impl Fn(&mut Setup),
    test: &[Observation],
) -> Outcome {
    let program = program(text);
    let plain = setup(&program, tolerances(&program, conditions));
    let mut setup = Setup { look_ahead: LookAhead::DEFAULT, ..plain };
    change(&mut setup);
    judge(&program, setup, test)
}

/// The step of a fail, and why it has no explanation.
fn failed(outcome: &Outcome) -> Option<(usize, Why)> {
    match &outcome.verdict {
        Judgement::Fail(diagnosis) => Some((diagnosis.step, diagnosis.why.clone())),
        _ => None,
    }
}

/// Who decides each step at once can not say that only the budget is in the way: other changes of earlier steps would leave enough of it.
#[test]
fn a_budget_that_was_spent_at_once_is_not_the_only_reason() {
    let remembered = "node m(x, y: int) returns (o: int); let o = (x + y) -> pre x + y; tel";
    let plain = "node m(x, y: int) returns (o: int); let o = x + y; tel";
    for (text, is_once) in [(remembered, true), (plain, false)] {
        let of = |look_ahead: LookAhead| {
            let change = |setup: &mut Setup| {
                setup.look_ahead = look_ahead;
                match is_once {
                    true => setup.policy.steps_max = Some(1),
                    false => setup.policy.steps_of = vec![Some(1), Some(1)],
                }
            };
            let test = numbers(&[(&[0, 0], &[1]), (&[0, 0], &[1])]);
            judged(text, "x: [0, 1]\ny: [0, 1]", change, &test)
        };
        let greedy = LookAhead::Steps(0);
        assert_eq!(failed(&of(greedy)), Some((1, Why::Narrow(greedy))), "{text}");
        assert!(of(LookAhead::DEFAULT).verdict.is_pass(), "{text}");
    }
}

/// Each rule is said only if it alone forbids what explains the test.
#[test]
fn rules_that_forbid_together_are_told_together() {
    let text = "node m(x: int) returns (o: int); let o = x; tel";
    let test = numbers(&[(&[1], &[2]), (&[1], &[0])]);
    let of = |steady: bool, most: Option<u32>| {
        let change = |setup: &mut Setup| {
            setup.policy.steady = steady;
            setup.policy.steps_max = most;
        };
        failed(&judged(text, "x: [-1, 1]", change, &test))
    };
    assert_eq!(of(false, None), None);
    assert_eq!(of(false, Some(1)), Some((1, Why::OverBudget)));
    assert_eq!(of(true, None), Some((1, Why::Unsteady)));
    assert_eq!(of(true, Some(1)), Some((1, Why::OverBudgetUnsteady)));
    // The same by a solver.
    let text = "node m(e: int; x: int) returns (o: int; p: bool);
        var s: int;
        let o = e; s = x + (0 -> pre s); p = s > 1000; tel";
    let seen = |o, p| row(&[Value::Int(1), Value::Int(0)], &[Value::Int(o), Value::Bool(p)]);
    let test = [seen(2, false), seen(0, false), seen(2, false), seen(0, true)];
    let change = |setup: &mut Setup| {
        setup.policy.steady = true;
        setup.policy.steps_max = Some(1);
        setup.limits = Limits { candidates: 1, steps: 5, ..Limits::default() };
        setup.look_ahead = LookAhead::All;
    };
    let outcome = judged(text, "x: [0, 300]\ne: [-1, 1]", change, &test);
    assert_eq!(failed(&outcome), Some((1, Why::OverBudgetUnsteady)));
}

/// A change that only the budget forbids is found, however far it is and however small the budget.
#[test]
fn a_budget_is_named_if_only_it_is_in_the_way() {
    let text = "node m(x: int) returns (o: int); let o = 0 -> pre x; tel";
    let test = numbers(&[(&[1000], &[0]), (&[0], &[8500])]);
    let none = |setup: &mut Setup| setup.policy.steps_max = Some(0);
    let outcome = judged(text, "x: [0, 9000]", none, &test);
    if setup(&program(text), Default::default()).solver.is_ok() {
        assert_eq!(failed(&outcome), Some((1, Why::OverBudget)));
    }
    let far = numbers(&[(&[1000], &[0]), (&[0], &[10_500])]);
    let outcome = judged(text, "x: [0, 9000]", none, &far);
    assert_eq!(outcome.verdict.reason().map(|it| it.cause()), Some(Cause::Unexplained));
    // Three times nothing is nothing.
    let nothing = |setup: &mut Setup| setup.policy.cost_max = Some(whole(0));
    let test = numbers(&[(&[7], &[0]), (&[0], &[8])]);
    let outcome = judged(text, "x: [0, 1]", nothing, &test);
    assert_eq!(failed(&outcome), Some((1, Why::OverBudget)));
    // A real number that may be anything.
    let text = "node m(x: real) returns (o: real); let o = 0.0 -> pre x; tel";
    let seen = |x: i128, o: (i128, i128)| {
        row(&[Value::Real(whole(x))], &[Value::Real(Rational::new(o.0, o.1))])
    };
    let test = [seen(1, (0, 1)), seen(0, (3, 2))];
    let outcome = judged(text, "x: [0, 1]", none, &test);
    if setup(&program(text), Default::default()).solver.is_ok() {
        assert_eq!(failed(&outcome), Some((1, Why::OverBudget)));
    }
}

/// What was raised and must be lowered need not be changed in the step that is not explained.
#[test]
fn steadiness_is_named_if_only_it_is_in_the_way() {
    let text = "node m(x: int; q: bool) returns (o: int);
        let o = if q then (x -> pre x) else 0; tel";
    let seen = |q, o| row(&[Value::Int(5), Value::Bool(q)], &[Value::Int(o)]);
    let test = [seen(true, 6), seen(false, 0), seen(true, 4)];
    let of = |steady: bool, most: Option<u32>| {
        let change = |setup: &mut Setup| {
            setup.policy.steady = steady;
            setup.policy.steps_max = most;
        };
        failed(&judged(text, "x: [-1, 1]\nq: locked", change, &test))
    };
    assert_eq!(of(false, None), None);
    assert_eq!(of(true, None), Some((2, Why::Unsteady)));
    assert_eq!(of(true, Some(2)), Some((2, Why::Unsteady)));
    assert_eq!(of(true, Some(1)), Some((2, Why::OverBudgetUnsteady)));
}

/// An explanation that a solver found is not said to break a rule that it keeps.
#[test]
fn what_is_held_is_not_said_not_to_be() {
    let text = "node m(x: int) returns (p: bool);
        var s: int;
        let s = x + (0 -> pre s); p = s > 800; tel";
    let zero = Value::zero(Type::Int);
    let test: Vec<Observation> = (0..4).map(|at| row(&[zero], &[Value::Bool(at == 3)])).collect();
    let open =
        |setup: &mut Setup| setup.policy = Policy { unheld: Unheld::Open, ..Policy::plain(1) };
    let outcome = judged(text, "x: [0, 300]", open, &test);
    let cause = outcome.verdict.reason().map(|it| it.cause());
    assert!(matches!(cause, None | Some(Cause::SearchLimit)), "{outcome:?}");
}
