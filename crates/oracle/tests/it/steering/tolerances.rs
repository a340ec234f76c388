//! Conditions that are understood, and conditions that are not.

use punctual_model::lustre::{Rational, Value};
use punctual_oracle::steering::{Limits, LookAhead, Observation, Outcome, Policy, Setup};

use super::{judge, program, row, setup, tolerances, whole, windows};

const MODEL: &str = "
    node m(a: int; b: int; c: bool) returns (x: int);
    var double: int;
    let double = 2 * a; x = double + b + (if c then 100 else 0); tel";

/// Steers inputs 5, 5 and false to an output.
fn steered(conditions: &str, x: i64, limits: Limits) -> Outcome {
    let program = program(MODEL);
    let conditions = tolerances(&program, conditions);
    let inputs = [Value::Int(5), Value::Int(5), Value::Bool(false)];
    let setup = Setup { limits, ..setup(&program, conditions) };
    judge(&program, setup, &[row(&inputs, &[Value::Int(x)])])
}

/// The outputs, near 15, that can be explained; by trying and by a solver alike.
fn reached(conditions: &str) -> Vec<i64> {
    let pass = |x: &i64, enumerated: u64| {
        let limits = Limits { enumerated, ..Limits::default() };
        steered(conditions, *x, limits).verdict.is_pass()
    };
    let tried: Vec<i64> = (5..=25).filter(|x| pass(x, 100_000)).collect();
    let solved: Vec<i64> = (5..=25).filter(|x| pass(x, 0)).collect();
    assert_eq!(tried, solved, "{conditions}");
    tried
}

const LOCKED: &str = "b = concrete_oracle_b\nc = concrete_oracle_c\n";

#[test]
fn windows_of_the_thesis() {
    let conditions = format!(
        "{LOCKED}(real(a) >= concrete_oracle_a - 1.0) and (real(a) <= (concrete_oracle_a + 2.0))"
    );
    assert_eq!(reached(&conditions), [13, 15, 17, 19]);
    let conditions = format!(
        "{LOCKED}((real(a) = concrete_oracle_a) or ((real(a) >= concrete_oracle_a + 2.0) and \
         (real(a) <= concrete_oracle_a + 3.0)))"
    );
    assert_eq!(reached(&conditions), [15, 19, 21]);
}

#[test]
fn conditions_over_two_variables_are_evaluated() {
    // The sum stays the same: what `a` wins, `b` loses.
    let conditions = "a + b = concrete_oracle_a + concrete_oracle_b\n\
        a >= 3 and a <= 7\nb >= 0 and b <= 10\nc = concrete_oracle_c";
    assert_eq!(reached(conditions), [13, 14, 15, 16, 17]);
}

#[test]
fn conditions_may_speak_of_the_system_and_of_what_is_computed() {
    let conditions = format!(
        "{LOCKED}a >= 0 and a <= 10\nif concrete_sut_x > concrete_oracle_x then double <= 14 \
         else a = concrete_oracle_a"
    );
    assert_eq!(reached(&conditions), [15, 17, 19]);
}

#[test]
fn a_condition_on_the_original_output_depends_on_the_state() {
    let conditions = format!(
        "{LOCKED}a >= concrete_oracle_a - (concrete_oracle_x - 13) and a <= concrete_oracle_a"
    );
    assert_eq!(reached(&conditions), [11, 13, 15]);
}

#[test]
fn truth_may_be_gained_and_not_lost() {
    let conditions = "a = concrete_oracle_a\nb = concrete_oracle_b\nconcrete_oracle_c => c";
    let limits = Limits::default();
    assert!(steered(conditions, 115, limits).verdict.is_pass());
    let conditions = "a = concrete_oracle_a\nb = concrete_oracle_b\nc => concrete_oracle_c";
    assert!(steered(conditions, 115, limits).verdict.is_fail());
}

#[test]
fn what_is_not_restricted_is_free() {
    // A condition on two variables together leaves it to the solver.
    for (more, n_solved) in [("", 0), ("(a + b) div 1 > -1000000", 1)] {
        let outcome = steered(&format!("{LOCKED}{more}"), 1_000_005, Limits::default());
        assert!(outcome.verdict.is_pass());
        assert_eq!(outcome.effort.solved, n_solved, "{more}");
        assert_eq!(outcome.steps[0].changes[0].to, Value::Int(500_000));
    }
}

const REAL: &str = "
    node m(a: int; r: real) returns (x: int; y: bool);
    let x = a; y = r <= 0.0 or r >= 10.0; tel";

/// Steers 3 and a real number, given in halves, to what the system shows.
fn with_reals(conditions: &str, look_ahead: LookAhead, seen: &[(i128, i64, bool)]) -> Outcome {
    let program = program(REAL);
    let conditions = tolerances(&program, conditions);
    let policy = Policy { steady: true, ..Policy::plain(2) };
    let setup = Setup { look_ahead, policy, ..setup(&program, conditions) };
    let step = |(r, x, y): &(i128, i64, bool)| {
        let inputs = [Value::Int(3), Value::Real(Rational::new(*r, 2))];
        row(&inputs, &[Value::Int(*x), Value::Bool(*y)])
    };
    judge(&program, setup, &seen.iter().map(step).collect::<Vec<_>>())
}

#[test]
fn a_real_that_is_locked_is_no_obstacle() {
    let locked = "r = concrete_oracle_r";
    for look_ahead in [LookAhead::Steps(0), LookAhead::Steps(2), LookAhead::All] {
        let outcome = with_reals(locked, look_ahead, &[(11, 3, false), (11, 700, false)]);
        assert!(outcome.verdict.is_pass(), "{outcome:?}");
        assert!(outcome.effort.steps < 20 && outcome.effort.solved == 0, "{outcome:?}");
        let never = with_reals(locked, look_ahead, &[(11, 3, true)]);
        assert!(never.verdict.is_fail(), "{never:?}");
    }
}

#[test]
fn a_solver_knows_directions() {
    // First raising is nearer, then lowering; but what was raised is not lowered.
    for look_ahead in [LookAhead::Steps(0), LookAhead::Steps(2), LookAhead::All] {
        let seen = [(19, 3, true), (1, 3, true)];
        let outcome = with_reals("a = concrete_oracle_a", look_ahead, &seen);
        assert!(outcome.verdict.is_pass(), "{look_ahead:?} {outcome:?}");
        let changes = outcome.steps.iter().flat_map(|it| &it.changes);
        let is_raised: Vec<bool> =
            changes.map(|it| it.to.as_rational() > it.from.as_rational()).collect();
        assert_eq!(is_raised.len(), 2, "{outcome:?}");
        assert_eq!(is_raised[0], is_raised[1], "{outcome:?}");
    }
}

/// A real that must be more than a bound has no least value, but many that explain the system.
#[test]
fn a_cost_that_is_only_approached_is_no_obstacle() {
    let text = "node m(x: real) returns (hot: bool; low: real); let hot = x > 5.0; low = 0.0 -> pre low; tel";
    let program = program(text);
    let real = |it: i128| Value::Real(whole(it));
    let test = |hot: &[bool]| -> Vec<Observation> {
        hot.iter().map(|it| row(&[real(5)], &[Value::Bool(*it), real(0)])).collect()
    };
    for look_ahead in [LookAhead::Steps(0), LookAhead::Steps(2), LookAhead::All] {
        let of = |window: (i128, i128), cost_max: Option<i128>, test: &[Observation]| {
            let windows = windows(&program, &[("x", window.0, window.1)]);
            let base = setup(&program, windows.to_conditions(&program));
            let policy = Policy { cost_max: cost_max.map(whole), ..base.policy.clone() };
            judge(&program, Setup { policy, look_ahead, ..base }, test)
        };
        let outcome = of((-1, 1), None, &test(&[false, true, true]));
        assert!(outcome.verdict.is_pass() && outcome.n_steered == 2, "{outcome:?}");
        assert!(outcome.cost > whole(0) && outcome.cost < Rational::new(1, 10), "{outcome:?}");
        assert!(of((-1, 0), None, &test(&[true])).verdict.is_fail(), "5 is not more than 5");
        // Nothing costs nothing, but something cheap enough could have been missed.
        assert!(!of((-1, 1), Some(0), &test(&[true])).verdict.is_pass());
        assert!(of((-1, 1), Some(1), &test(&[true])).verdict.is_pass());
    }
}
