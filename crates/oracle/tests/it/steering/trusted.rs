//! What a steered pass is worth: budgets of single variables, variables that could show, tolerances of outputs, locals, samples that
//! were lost, assertions and properties.

use punctual_model::lustre::Value;
use punctual_oracle::steering::{LookAhead, Observation, Outcome, Policy, Scale, Setup, Why};
use punctual_oracle::{Cause, Judgement};

use super::{judge, program, row, setup, tolerances, whole, windows};

const ALARM: &str = "
    node alarm(noise: bool; t: int) returns (on: bool; at: int);
    var since: int;
    let
      since = 0 -> if noise then 0 else pre since + 1;
      on = since > 2;
      at = t;
    tel";

/// Steps of silence in which the alarm should sound after three, and what it did.
fn silence(sounded: &[bool]) -> Vec<Observation> {
    let step = |(number, on): (usize, &bool)| {
        let t = Value::Int(number as i64);
        row(&[Value::Bool(false), t], &[Value::Bool(*on), t])
    };
    sounded.iter().enumerate().map(step).collect()
}

/// An alarm that never sounds is explained by noise again and again, unless noise is limited.
#[test]
fn an_event_may_explain_so_many_steps_of_a_test() {
    let program = program(ALARM);
    let setup = |steps_of: Vec<Option<u32>>, look_ahead| Setup {
        policy: Policy { steps_of, ..Policy::plain(2) },
        look_ahead,
        ..setup(&program, tolerances(&program, "t: locked"))
    };
    let never = silence(&[false; 9]);
    let once = silence(&[false, false, false, false, false, false, true]);
    for look_ahead in [LookAhead::Steps(2), LookAhead::All] {
        let free = judge(&program, setup(Vec::new(), look_ahead), &never);
        assert!(free.verdict.is_pass(), "{free:?}");
        let limited = judge(&program, setup(vec![Some(1), None], look_ahead), &never);
        assert_eq!(limited.verdict.reason().map(|it| it.cause()), Some(Cause::OverBudget));
        assert!(judge(&program, setup(vec![Some(1), None], look_ahead), &once).verdict.is_pass());
        assert!(judge(&program, setup(vec![Some(0), None], look_ahead), &once).verdict.is_fail());
    }
}

#[test]
fn what_could_show_is_told_of_tests_that_pass() {
    let program =
        program("node m(a, b: int; c: bool) returns (x: bool); let x = a > 10 and not c; tel");
    let windows = windows(&program, &[("a", -1, 2), ("b", -1, 2)]).to_conditions(&program);
    let test = |a: i64, x: bool| {
        [row(&[Value::Int(a), Value::Int(0), Value::Bool(false)], &[Value::Bool(x)])]
    };
    let shows = |a, x| {
        let outcome = judge(&program, setup(&program, windows.clone()), &test(a, x));
        let name = |var: &punctual_model::VarId| program.vars[*var].name.clone();
        outcome.shows.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(shows(9, false), ["a"], "with 11 it would be true");
    assert_eq!(shows(8, false), Vec::<String>::new(), "not even 10 would");
    assert_eq!(shows(20, true), ["c"]);
    assert_eq!(shows(12, true), ["c"], "11 is enough");
    assert_eq!(shows(11, true), ["a", "c"]);
    let changed = judge(&program, setup(&program, windows.clone()), &test(9, true));
    let change = changed.steps[0].changes[0];
    assert_eq!((change.low, change.high), (Some(Value::Int(8)), Some(Value::Int(11))));
}

#[test]
fn numbers_may_differ_by_a_tolerance_of_outputs() {
    let program =
        program("node m(a: int) returns (r: real; n: int); let r = real(a) / 3.0; n = 2 * a; tel");
    let seen = |r: (i128, i128), n: i64| {
        let r = Value::Real(punctual_model::lustre::Rational::new(r.0, r.1));
        [row(&[Value::Int(1)], &[r, Value::Int(n)])]
    };
    let with = |numer: i128, denom: i128, n: i128| {
        let within = punctual_model::lustre::Rational::new(numer, denom);
        let scales = vec![
            Scale { within, ..Scale::default() },
            Scale { within: whole(n), ..Scale::default() },
        ];
        let base = setup(&program, windows(&program, &[("a", -1, 1)]).to_conditions(&program));
        let metric = punctual_oracle::steering::Distance { scales, ..base.metric };
        Setup { metric, look_ahead: LookAhead::Steps(2), ..base }
    };
    let near = judge(&program, with(1, 1000, 0), &seen((333, 1000), 2));
    assert!(near.verdict.is_pass() && near.n_steered == 0, "{near:?}");
    assert!(judge(&program, with(1, 10_000, 0), &seen((333, 1000), 2)).verdict.is_fail());
    // Three is within one of two, and of four: nothing needs to change.
    assert_eq!(judge(&program, with(1, 1000, 1), &seen((333, 1000), 3)).n_steered, 0);
    let steered = judge(&program, with(1, 1000, 1), &seen((667, 1000), 5));
    assert!(steered.verdict.is_pass() && steered.n_steered == 1, "{steered:?}");
    assert!(judge(&program, with(1, 1000, 1), &seen((667, 1000), 6)).verdict.is_fail());
}

const COUNTER: &str = "
    node c(go: bool) returns (on: bool; n: int);
    var count: int; held: bool;
    let
      count = 0 -> if go then pre count + 1 else 0;
      held = go and count > 1;
      on = held;
      n = count;
    tel";

fn counted(rows: &[(bool, bool, i64)]) -> Vec<Observation> {
    let step = |(go, on, n): &(bool, bool, i64)| {
        row(&[Value::Bool(*go)], &[Value::Bool(*on), Value::Int(*n)])
    };
    rows.iter().map(step).collect()
}

/// A counter that skips one is explained by changing the local, not any input.
#[test]
fn locals_are_steered() {
    let program = program(COUNTER);
    let count = program.var("count").unwrap();
    let test = counted(&[(false, false, 0), (true, false, 1), (true, true, 3), (true, true, 4)]);
    let base = setup(&program, windows(&program, &[("count", 0, 1)]).to_conditions(&program));
    let of = |look_ahead, test: &[Observation]| -> Outcome {
        let policy = Policy::plain(1);
        let base = setup(&program, base.tolerances.clone());
        judge(&program, Setup { steerable: vec![count], policy, look_ahead, ..base }, test)
    };
    for look_ahead in [LookAhead::Steps(0), LookAhead::Steps(2)] {
        let outcome = of(look_ahead, &test);
        assert!(outcome.verdict.is_pass(), "{outcome:?}");
        let change = outcome.steps[0].changes[0];
        assert_eq!((outcome.steps[0].step, change.var), (2, count));
        assert_eq!((change.from, change.to), (Value::Int(2), Value::Int(3)));
        assert_eq!((change.low, change.high), (Some(Value::Int(2)), Some(Value::Int(3))));
        let two = counted(&[(false, false, 0), (true, true, 3)]);
        let two = of(look_ahead, &two);
        assert!(two.verdict.is_fail(), "by two is not allowed: {two:?}");
    }
    let held = program.var("held").unwrap();
    let flipped = counted(&[(false, false, 0), (true, true, 1)]);
    let base = setup(&program, tolerances(&program, ""));
    let policy = Policy::plain(1);
    let outcome = judge(&program, Setup { steerable: vec![held], policy, ..base }, &flipped);
    assert!(outcome.verdict.is_pass(), "truth flips: {outcome:?}");
}

/// The range of a local is not that of what is added to it.
#[test]
fn locals_of_a_subrange_are_lowered_as_well_as_raised() {
    let program = program(
        "node m(x: int) returns (o: int);
        var w: subrange [0, 10] of int;
        let w = x + 3; o = w; tel",
    );
    let local = program.var("w").unwrap();
    for (shown, passes) in [(5, false), (6, true), (7, true), (9, false)] {
        for look_ahead in [LookAhead::Steps(0), LookAhead::Steps(2)] {
            let base = setup(&program, windows(&program, &[("w", -2, 0)]).to_conditions(&program));
            let setup =
                Setup { steerable: vec![local], policy: Policy::plain(1), look_ahead, ..base };
            let outcome = judge(&program, setup, &[row(&[Value::Int(5)], &[Value::Int(shown)])]);
            assert_eq!(outcome.verdict.is_pass(), passes, "{shown}: {outcome:?}");
        }
    }
}

/// What may be added to a local depends on the inputs that are changed beside it: here the local stays what it was.
#[test]
fn locals_are_steered_beside_the_inputs_that_they_follow() {
    let program = program(
        "node m(a: int) returns (big: bool; s: int); var w, v: int; let v = a; w = v; s = a; big = w > 5; tel",
    );
    let var = |name| program.var(name).unwrap();
    let test = [row(&[Value::Int(5)], &[Value::Bool(false), Value::Int(8)])];
    for look_ahead in [LookAhead::Steps(0), LookAhead::Steps(2), LookAhead::All] {
        let of = |w: i128| {
            let windows = windows(&program, &[("a", -3, 3), ("w", -w, w)]);
            let base = setup(&program, windows.to_conditions(&program));
            let (steerable, policy) = (vec![var("a"), var("w")], Policy::plain(2));
            judge(&program, Setup { steerable, policy, look_ahead, ..base }, &test)
        };
        let outcome = of(0);
        assert!(outcome.verdict.is_pass(), "{outcome:?}");
        assert_eq!(outcome.steps[0].changes[0].to, Value::Int(8));
        let more = Setup {
            steerable: vec![var("a"), var("w")],
            policy: Policy::plain(2),
            look_ahead,
            ..setup(
                &program,
                windows(&program, &[("a", -2, 2), ("w", -9, 9)]).to_conditions(&program),
            )
        };
        assert!(judge(&program, more, &test).verdict.is_fail(), "`a` is not 8");
    }
}

#[test]
fn a_sample_that_was_lost_is_compared_with_nothing() {
    let program = program(COUNTER);
    let mut test = counted(&[(false, false, 0), (true, false, 1), (true, true, 2)]);
    test[1].system.clear();
    let locked =
        |look_ahead| Setup { look_ahead, ..setup(&program, tolerances(&program, "go: locked")) };
    for look_ahead in [LookAhead::Steps(0), LookAhead::Steps(2), LookAhead::All] {
        let outcome = judge(&program, locked(look_ahead), &test);
        assert!(outcome.verdict.is_pass() && outcome.n_steered == 0, "{outcome:?}");
    }
    test[2].system[1] = Value::Int(7);
    assert!(judge(&program, locked(LookAhead::Steps(2)), &test).verdict.is_fail());
}

/// A test that breaks an assertion says nothing from there on; one that fails before does.
#[test]
fn broken_assertions_and_properties_are_told() {
    let program = program(
        "node m(a: int) returns (x: int);
         var small: bool;
         let x = a; small = a < 5; assert a >= 0; --%PROPERTY small;
         tel",
    );
    let test = |rows: &[(i64, i64)]| -> Vec<Observation> {
        rows.iter().map(|(a, x)| row(&[Value::Int(*a)], &[Value::Int(*x)])).collect()
    };
    let of = |rows: &[(i64, i64)]| {
        let window = windows(&program, &[("a", 0, 1)]).to_conditions(&program);
        judge(&program, setup(&program, window), &test(rows))
    };
    for rows in [&[(1, 1), (-1, -1), (2, 2)][..], &[(1, 2), (-1, -1), (2, 2)]] {
        let Judgement::Inconclusive(diagnosis) = of(rows).verdict else { panic!("{rows:?}") };
        assert_eq!((diagnosis.step, &diagnosis.why), (1, &Why::Unassumed));
        assert_eq!(diagnosis.cause(), Cause::OutsideEnvironment);
    }
    assert!(of(&[(1, 9), (-1, -1)]).verdict.is_fail(), "it failed before");
    let big = of(&[(1, 1), (5, 5), (6, 6)]);
    assert!(big.verdict.is_pass());
    assert_eq!(big.violated, [(0, 1)]);
    assert_eq!(of(&[(4, 5)]).violated, [(0, 0)], "with the change that explains it");
}

/// A budget below what the first round looks for: what lies beyond it must not make the verdict doubtful.
#[test]
fn a_small_budget_keeps_a_verdict_certain() {
    let program = program(
        "node m(a, b, c: int) returns (x: bool; y: int);
         let x = a + b + c > 0; y = 0 -> pre (a + 10 * b + 100 * c); tel",
    );
    let free = setup(
        &program,
        windows(&program, &[("a", 0, 9), ("b", 0, 9), ("c", 0, 9)]).to_conditions(&program),
    );
    let zero = [Value::Int(0); 3];
    let test = [
        row(&zero, &[Value::Bool(true), Value::Int(0)]),
        row(&zero, &[Value::Bool(false), Value::Int(7777)]),
    ];
    let limits = punctual_oracle::steering::Limits { candidates: 8, ..Default::default() };
    let policy = Policy { cost_max: Some(whole(1)), ..Policy::plain(3) };
    let setup = Setup { policy, limits, look_ahead: LookAhead::Steps(2), ..free };
    let outcome = judge(&program, setup, &test);
    assert!(outcome.verdict.is_fail(), "three states are within the budget: {outcome:?}");
}

/// A condition on several variables is looked at in the box of a step, so that wide tolerances are searched to their end.
#[test]
fn conditions_on_several_variables_do_not_leave_it_open() {
    let program = program(
        "node m(a, b: int) returns (x: bool; y: bool); let x = a + b > 5; y = false -> pre x; tel",
    );
    let text = "a: [0, 300]\nb: [0, 300]\na + b <= concrete_oracle_a + concrete_oracle_b + 400";
    let zero = [Value::Int(0); 2];
    let both = |x, y| row(&zero, &[Value::Bool(x), Value::Bool(y)]);
    let of = |test: &[Observation]| {
        let solver = Err("there is none here".to_owned());
        let base = setup(&program, tolerances(&program, text));
        judge(&program, Setup { look_ahead: LookAhead::Steps(2), solver, ..base }, test)
    };
    let explained = of(&[both(true, false), both(false, true)]);
    assert!(explained.verdict.is_pass(), "{explained:?}");
    assert_eq!(explained.cost, whole(6));
    let failed = of(&[both(true, false), both(false, false)]);
    assert!(failed.verdict.is_fail(), "{failed:?}");
}

/// A budget is named also if it rejected a way long before the step that is not explained.
#[test]
fn a_budget_is_named_wherever_it_was_in_the_way() {
    let program = program("node m(x: bool) returns (y: bool); let y = false -> pre x; tel");
    let step = |y: bool| row(&[Value::Bool(false)], &[Value::Bool(y)]);
    for look_ahead in [LookAhead::Steps(2), LookAhead::All] {
        let of = |policy: Policy, test: &[Observation]| {
            let base = setup(&program, tolerances(&program, ""));
            let outcome = judge(&program, Setup { policy, look_ahead, ..base }, test);
            outcome.verdict.reason().map(|it| (it.step, it.cause()))
        };
        let plain = || Policy::plain(1);
        let none = || Policy { steps_max: Some(0), ..plain() };
        let of_x = || Policy { steps_of: vec![Some(1)], ..plain() };
        let cost = || Policy { cost_max: Some(whole(1)), ..plain() };
        assert_eq!(of(none(), &[step(false), step(true)]), Some((1, Cause::OverBudget)));
        let twice = [step(false), step(true), step(false), step(true)];
        for policy in [of_x(), cost()] {
            assert_eq!(of(policy, &twice), Some((3, Cause::OverBudget)));
        }
        // No budget explains the first step.
        assert_eq!(of(none(), &[step(true)]), Some((0, Cause::Unexplained)));
        assert_eq!(of(of_x(), &[step(true), step(true)]), Some((0, Cause::Unexplained)));
    }
}
