//! Each policy, on a model of two counters.

use punctual_model::lustre::{Program, Value};
use punctual_oracle::steering::{
    Diagnosis, Distance, Filter, Kind, Limit, Limits, LookAhead, Observation, Obstacle, Oracle,
    Outcome, Policy, Price, Setup, SetupError, Why,
};
use punctual_oracle::{Cause, Judgement};
use punctual_semantics::lustre::Reals;

use super::{judge, program, row, setup, tolerances, whole, windows};

/// The sum of `a` and `b`, and nothing else.
const SUM: &str = "
    node sum(a: int; b: int) returns (x: int);
    let x = a + b; tel";

fn model() -> Program {
    program(SUM)
}

/// Inputs are zero; the system shows these sums.
fn test(sums: &[i64]) -> Vec<Observation> {
    let step = |sum: &i64| row(&[Value::Int(0), Value::Int(0)], &[Value::Int(*sum)]);
    sums.iter().map(step).collect()
}

fn steered(policy: Policy, sums: &[i64]) -> Outcome {
    let program = model();
    let tolerances = windows(&program, &[("a", -2, 2), ("b", -2, 2)]).to_tolerances(&program);
    judge(&program, Setup { policy, ..setup(&program, tolerances) }, &test(sums))
}

fn priced(prices: [Price; 2]) -> Policy {
    Policy { prices: prices.to_vec(), ..Policy::default() }
}

/// What `a` and `b` became in each steered step.
fn moves(outcome: &Outcome) -> Vec<Vec<(usize, i64)>> {
    let program = model();
    let inputs: Vec<_> = program.inputs().collect();
    let of = |change: &punctual_oracle::steering::Change| {
        let at = inputs.iter().position(|it| *it == change.var).unwrap();
        let Value::Int(to) = change.to else { panic!() };
        (at, to)
    };
    outcome.steps.iter().map(|step| step.changes.iter().map(of).collect()).collect()
}

#[test]
fn the_smallest_change_wins_and_of_equal_ones_the_lesser_inputs() {
    let outcome = steered(Policy::plain(2), &[1, 3, -2]);
    assert!(outcome.verdict.is_pass());
    assert_eq!(moves(&outcome), [vec![(1, 1)], vec![(0, 1), (1, 2)], vec![(0, -2)]]);
}

#[test]
fn dear_variables_are_changed_last() {
    let price = |unit| Price { unit: whole(unit), ..Price::default() };
    let outcome = steered(priced([price(5), price(1)]), &[1, 3]);
    assert_eq!(moves(&outcome), [vec![(1, 1)], vec![(0, 1), (1, 2)]]);
    assert_eq!(outcome.cost, whole(1 + 5 + 2));
}

#[test]
fn a_fee_prefers_one_large_change_to_two_small_ones() {
    let fee = Price { fixed: whole(10), ..Price::default() };
    let dear = Price { unit: whole(3), ..fee };
    // By units alone, `b` would take its share.
    let outcome = steered(priced([dear, fee]), &[2]);
    assert_eq!(moves(&outcome), [vec![(1, 2)]]);
    assert_eq!(outcome.cost, whole(12));
}

#[test]
fn hysteresis_keeps_to_the_adjustment_before() {
    let sticky = Price { renewal: whole(10), ..Price::default() };
    let free = Price { unit: whole(2), ..sticky };
    // At first `b` is cheaper. Then `a` would be, were it not new.
    let outcome = steered(priced([free, sticky]), &[1, 1, 0, 1]);
    assert_eq!(moves(&outcome), [vec![(1, 1)], vec![(1, 1)], vec![(1, 1)]]);
    assert_eq!(outcome.cost, whole(11 + 1 + 1));
}

#[test]
fn a_test_beyond_its_budget_of_steps_fails() {
    let policy = |most| Policy { steps_max: Some(most), ..Policy::plain(2) };
    assert!(steered(policy(2), &[1, 0, 1]).verdict.is_pass());
    let outcome = steered(policy(1), &[1, 0, 1]);
    let Judgement::Fail(diagnosis) = &outcome.verdict else { panic!("{outcome:?}") };
    assert_eq!((diagnosis.step, &diagnosis.why), (2, &Why::OverBudget));
}

#[test]
fn a_test_beyond_its_budget_of_cost_fails() {
    let policy = |most| Policy { cost_max: Some(whole(most)), ..Policy::plain(2) };
    assert!(steered(policy(4), &[1, 3]).verdict.is_pass());
    let outcome = steered(policy(3), &[1, 3]);
    let Judgement::Fail(diagnosis) = &outcome.verdict else { panic!("{outcome:?}") };
    assert_eq!((diagnosis.step, &diagnosis.why), (1, &Why::OverBudget));
}

#[test]
fn exact_only_leaves_the_model_alone_where_nothing_matches() {
    let nearest = steered(Policy::plain(2), &[7]);
    assert!(nearest.verdict.is_fail());
    assert_eq!((nearest.remaining, nearest.n_steered), (whole(3), 1));
    let exact = steered(Policy { exact_only: true, ..Policy::plain(2) }, &[7]);
    assert!(exact.verdict.is_fail());
    assert_eq!((exact.remaining, exact.n_steered), (whole(7), 0));
}

#[test]
fn a_failed_test_is_followed_to_its_end_if_wanted() {
    assert_eq!(steered(Policy::plain(2), &[5, 1, 6]).remaining, whole(1));
    let policy = Policy { goes_on: true, ..Policy::plain(2) };
    let outcome = steered(policy, &[5, 1, 6]);
    assert!(outcome.verdict.is_fail());
    assert_eq!(outcome.remaining, whole(1 + 2));
    assert_eq!(outcome.steps.len(), 3);
}

#[test]
fn steering_a_step_can_cost_as_such() {
    let policy = Policy { step: whole(7), ..Policy::plain(2) };
    assert_eq!(steered(policy, &[1, 3]).cost, whole(7 + 1 + 7 + 3));
}

#[test]
fn the_metric_says_what_is_near() {
    let text = "
        node pair(a: int) returns (x: int; y: int);
        let x = a; y = 0 - 3 * a; tel";
    let program = program(text);
    let test = [row(&[Value::Int(0)], &[Value::Int(8), Value::Int(0)])];
    let steered = |kind, weight: i128| {
        let tolerances = windows(&program, &[("a", 0, 9)]).to_tolerances(&program);
        let mut metric = Distance::plain(kind, 2);
        metric.scales[0].weight = whole(weight);
        judge(&program, Setup { metric, ..setup(&program, tolerances) }, &test).remaining
    };
    assert_eq!(steered(Kind::Manhattan, 1), whole(8), "each unit of `x` costs three of `y`");
    assert_eq!(steered(Kind::Manhattan, 4), whole(24), "unless `x` matters more");
    assert_eq!(steered(Kind::SquaredEuclidean, 1), whole(49 + 9));
}

#[test]
fn a_filter_never_changes_the_model() {
    let program = model();
    let x = program.var("x").unwrap();
    // Off by one is acceptable.
    let mut near = punctual_model::lustre::Tolerances::default();
    use punctual_model::lustre::{BinaryOp, Expr, Seen};
    let system = near.seen.push(Seen::System(x));
    let original = near.seen.push(Seen::Original(x));
    let system = near.exprs.push(Expr::Var(system));
    let original = near.exprs.push(Expr::Var(original));
    let one = near.exprs.push(Expr::Constant(Value::Int(1)));
    let above = near.exprs.push(Expr::Binary(BinaryOp::Add, original, one));
    let condition = near.exprs.push(Expr::Binary(BinaryOp::Eq, system, above));
    near.conditions.push(condition);
    let filter = Filter::new(&program, Reals::Exact, &[x], &[x], &near).unwrap();
    assert_eq!(filter.first_failure(&test(&[0, 1, 0])), Ok(None));
    assert_eq!(filter.first_failure(&test(&[0, 1, 2])), Ok(Some(2)));
}

#[test]
fn without_a_solver_wide_tolerances_are_inconclusive() {
    let program = model();
    let free = tolerances(&program, "(a + b) div 1 > -1000000");
    for look_ahead in [LookAhead::Steps(0), LookAhead::All] {
        let solver = Err("there is no solver here".to_owned());
        let setup = Setup { look_ahead, solver, ..setup(&program, free.clone()) };
        let outcome = judge(&program, setup, &test(&[0, 4]));
        let Judgement::Inconclusive(diagnosis) = &outcome.verdict else { panic!("{outcome:?}") };
        let reason = "there is no solver here".to_owned();
        assert_eq!(diagnosis.why, Why::Obstacle(Obstacle::Solver(reason)));
        assert_eq!(diagnosis.cause(), Cause::Solver);
    }
}

#[test]
fn the_limit_that_left_something_out_is_said() {
    let program = program(SUM);
    let test = test(&[0, 4, 9]);
    let told = |limits: Limits, room: &str| {
        let tolerances = tolerances(&program, room);
        let setup = Setup { limits, look_ahead: LookAhead::All, ..setup(&program, tolerances) };
        let solver = Err("there is no solver here".to_owned());
        let outcome = judge(&program, Setup { solver, ..setup }, &test);
        let Judgement::Inconclusive(diagnosis) = &outcome.verdict else { panic!("{outcome:?}") };
        assert_eq!(diagnosis.cause(), Cause::SearchLimit);
        assert!(outcome.doubt.has_limits());
        diagnosis.why.clone()
    };
    let room = "a - concrete_oracle_a >= 0 and a - concrete_oracle_a <= 3
        b - concrete_oracle_b >= 0 and b - concrete_oracle_b <= 3";
    let why = told(Limits { enumerated: 2, ..Limits::default() }, room);
    assert_eq!(why, Why::Limits(vec![Limit::Enumerated]));
    let why = told(Limits { steps: 2, ..Limits::default() }, room);
    assert_eq!(why, Why::Limits(vec![Limit::Steps]));
}

#[test]
fn causes_say_who_is_to_blame() {
    let cause = |why| Diagnosis { step: 0, why }.cause();
    for why in
        [Why::Unexplained, Why::Unnamed, Why::OverBudget, Why::Unsteady, Why::OverBudgetUnsteady]
    {
        assert!(cause(why.clone()).is_failure(), "{why:?}");
    }
    let solver = Obstacle::Solver("gone".to_owned());
    for why in [
        Why::Limits(vec![Limit::Steps]),
        Why::Obstacle(solver),
        Why::Obstacle(Obstacle::Contradiction),
    ] {
        assert!(!cause(why.clone()).is_failure(), "{why:?}");
    }
}

#[test]
fn a_metric_of_fewer_variables_is_rejected() {
    let program = model();
    let metric = Distance::plain(Kind::Manhattan, 0);
    let setup = Setup { metric, ..setup(&program, Default::default()) };
    assert_eq!(Oracle::new(&program, setup).unwrap_err(), SetupError::Mismatch);
}
