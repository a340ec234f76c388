//! Changes ahead of time: held until they show, and only in one direction.

use punctual_model::lustre::Value;
use punctual_oracle::Judgement;
use punctual_oracle::steering::{LookAhead, Observation, Outcome, Policy, Setup, Unheld, Why};

use super::{judge, program, row, setup, windows};

fn outcome(text: &str, look_ahead: LookAhead, steady: bool, test: &[Observation]) -> Outcome {
    let program = program(text);
    let tolerances = windows(&program, &[("limit", -1, 2)]).to_tolerances(&program);
    let plain = setup(&program, tolerances);
    let policy = Policy { steady, ..Policy::plain(plain.steerable.len()) };
    judge(&program, Setup { look_ahead, policy, ..plain }, test)
}

/// The same, where a change that was made ahead must be held.
fn held(text: &str, look_ahead: LookAhead, test: &[Observation]) -> Outcome {
    let program = program(text);
    let tolerances = windows(&program, &[("limit", -1, 2)]).to_tolerances(&program);
    let plain = setup(&program, tolerances);
    let policy = Policy { unheld: Unheld::Nothing, ..Policy::plain(plain.steerable.len()) };
    judge(&program, Setup { look_ahead, policy, ..plain }, test)
}

/// It stops for good when the limit is reached, but shows that only when somebody looks.
const STOP: &str = "
    node stop(limit: int; look: bool) returns (seen: bool);
    var n: int; stopped: bool;
    let
      n = 0 -> pre n + 1;
      stopped = (n >= limit) -> pre stopped or n >= limit;
      seen = stopped and look;
    tel";

/// The limit is 2; somebody looks from step 3 on; the system stops at this step.
fn stops_at(at: i64) -> Vec<Observation> {
    let step =
        |n: i64| row(&[Value::Int(2), Value::Bool(n >= 3)], &[Value::Bool(n >= 3 && n >= at)]);
    (0..6).map(step).collect()
}

#[test]
fn a_change_may_begin_before_it_shows() {
    for (at, passes) in [(2, true), (4, true), (5, false)] {
        for look_ahead in [LookAhead::Steps(1), LookAhead::Steps(2), LookAhead::All] {
            let outcome = outcome(STOP, look_ahead, true, &stops_at(at));
            assert_eq!(outcome.verdict.is_pass(), passes, "{at} {look_ahead:?} {outcome:?}");
        }
    }
    let greedy = outcome(STOP, LookAhead::Steps(0), false, &stops_at(4));
    assert!(greedy.verdict.is_fail(), "in step 3 it is too late: it stopped unseen in step 2");
    let ahead = outcome(STOP, LookAhead::Steps(1), true, &stops_at(4));
    let steps: Vec<usize> = ahead.steps.iter().map(|it| it.step).collect();
    assert_eq!(steps, [2, 3]);
}

/// What shows is the limit of the step before.
const BEFORE: &str = "
    node before(limit: int) returns (seen: int);
    let seen = 0 -> pre limit; tel";

#[test]
fn a_change_that_is_not_held_until_it_shows_explains_nothing_if_that_is_asked_for() {
    let step = |seen: i64| row(&[Value::Int(7)], &[Value::Int(seen)]);
    let test: Vec<Observation> = [0, 7, 8, 7, 7].map(step).to_vec();
    for look_ahead in [LookAhead::Steps(1), LookAhead::Steps(2), LookAhead::All] {
        let outcome = outcome(BEFORE, look_ahead, false, &test);
        assert!(outcome.verdict.is_pass(), "{look_ahead:?}");
        assert_eq!(outcome.n_steered, 1);
    }
    // A limit that was late for a moment, and is no more when it shows, is no delay.
    let Judgement::Fail(why) = held(BEFORE, LookAhead::Steps(2), &test).verdict else { panic!() };
    assert_eq!(why.why, Why::Narrow(LookAhead::Steps(2)));
    assert!(why.explain().contains("`held = true`"), "{}", why.explain());
    let Judgement::Fail(why) = outcome(BEFORE, LookAhead::Steps(0), false, &test).verdict else {
        panic!()
    };
    assert!(why.explain().contains("`look-ahead = 0`"), "{}", why.explain());
}

/// A timer that counts from an instant that is remembered.
const TIMER: &str = "
    node timer(limit: int; start: bool) returns (fired: bool);
    var since: int;
    let
      since = limit -> if start then limit else pre since;
      fired = false -> limit - pre since >= 10;
    tel";

/// The instants are 0, 10, 20, ..; it starts at the first one, and fires if the time in between is read as long enough.
#[test]
fn a_number_that_is_remembered_is_changed_for_one_step() {
    let step =
        |now: i64, fired: bool| row(&[Value::Int(now), Value::Bool(false)], &[Value::Bool(fired)]);
    // At 9 ms it has fired: it was started one early.
    let test = [step(0, false), step(1, false), step(5, false), step(9, true), step(30, true)];
    let explained = outcome(TIMER, LookAhead::Steps(2), false, &test);
    assert!(explained.verdict.is_pass(), "{explained:?}");
    let test = [step(0, false), step(1, false), step(5, false), step(6, true), step(30, true)];
    let Judgement::Fail(why) = outcome(TIMER, LookAhead::Steps(2), false, &test).verdict else {
        panic!()
    };
    assert_eq!((why.step, why.why), (3, Why::Unexplained));
}

/// What shows is the limit.
const NOW: &str = "
    node now(limit: int) returns (seen: int);
    let seen = limit; tel";

#[test]
fn what_is_late_is_not_early_later() {
    let step = |seen: i64| row(&[Value::Int(7)], &[Value::Int(seen)]);
    let wavering: Vec<Observation> = [8, 7, 6].map(step).to_vec();
    for look_ahead in [LookAhead::Steps(0), LookAhead::Steps(2), LookAhead::All] {
        assert!(outcome(NOW, look_ahead, false, &wavering).verdict.is_pass());
        let Judgement::Fail(diagnosis) = outcome(NOW, look_ahead, true, &wavering).verdict else {
            panic!("{look_ahead:?}")
        };
        assert_eq!((diagnosis.step, diagnosis.why), (2, Why::Unsteady));
        let late: Vec<Observation> = [8, 7, 9].map(step).to_vec();
        assert!(outcome(NOW, look_ahead, true, &late).verdict.is_pass());
    }
}
