//! A pacemaker in small, as in Figures 2.1 to 2.3 of the thesis.

use punctual_model::lustre::{Program, Value};
use punctual_oracle::Judgement;
use punctual_oracle::steering::{LookAhead, Observation, Outcome, Setup, Windows};

use super::{judge, program, row, setup, windows};

pub(crate) const PACING: &str = "
    node pacing(sense: bool; timeIn: int) returns (pace: bool; timeOut: int);
    var last: int;
    let
      last = timeIn -> if sense or pace then timeIn else pre last;
      pace = false -> (not sense) and timeIn - pre last > 60;
      timeOut = timeIn;
    tel";

pub(crate) fn test(steps: &[(i64, bool, i64)]) -> Vec<Observation> {
    let step = |&(time, pace, out): &(i64, bool, i64)| {
        row(&[Value::Bool(false), Value::Int(time)], &[Value::Bool(pace), Value::Int(out)])
    };
    steps.iter().map(step).collect()
}

/// Times may be up to 4 late; beats may be sensed that the test did not plan.
pub(crate) fn tolerant(program: &Program) -> Windows {
    windows(program, &[("timeIn", 0, 4), ("sense", 0, 1)])
}

fn steered(steps: &[(i64, bool, i64)], look_ahead: LookAhead) -> Outcome {
    let program = program(PACING);
    let tolerances = tolerant(&program).to_tolerances(&program);
    judge(&program, Setup { look_ahead, ..setup(&program, tolerances) }, &test(steps))
}

/// Each pace is a little late, and the next one counts from there.
pub(crate) const LATE: [(i64, bool, i64); 5] =
    [(0, false, 0), (61, true, 62), (100, false, 100), (122, true, 124), (184, true, 187)];
/// Something was sensed at 110: no pace at 122, but one at 171.
pub(crate) const NOISE: [(i64, bool, i64); 5] =
    [(0, false, 0), (61, true, 61), (110, false, 110), (122, false, 122), (171, true, 171)];

#[test]
fn small_delays_are_explained_and_stay_explained() {
    let outcome = steered(&LATE, LookAhead::Steps(0));
    assert!(outcome.verdict.is_pass(), "{outcome:?}");
    assert_eq!(outcome.before.first_mismatch, Some(1));
    assert_eq!((outcome.n_steered, outcome.change), (3, super::whole(6)));
    assert_eq!(outcome.steps[0].changes[0].to, Value::Int(62));
}

#[test]
fn an_unacceptable_delay_is_not_explained() {
    let outcome = steered(&[(0, false, 0), (61, true, 66)], LookAhead::All);
    let Judgement::Fail(diagnosis) = &outcome.verdict else { panic!("{outcome:?}") };
    assert_eq!(diagnosis.step, 1);
    // The nearest that it could have shown is one off.
    assert_eq!(outcome.remaining, super::whole(1));
}

/// The noise shows only later: deciding at once blames the wrong step (section 6.4).
#[test]
fn noise_is_explained_by_looking_ahead() {
    assert!(steered(&NOISE, LookAhead::Steps(0)).verdict.is_fail());
    for look_ahead in [LookAhead::Steps(1), LookAhead::Steps(9), LookAhead::All] {
        let outcome = steered(&NOISE, look_ahead);
        assert!(outcome.verdict.is_pass(), "{look_ahead:?} {outcome:?}");
        assert_eq!(outcome.n_steered, 1);
        assert_eq!(outcome.steps[0].step, 2);
    }
}

#[test]
fn a_live_test_gets_the_verdict_of_its_recording() {
    use punctual_oracle::steering::{Oracle, Steerer};
    let program = program(PACING);
    for steps in [&LATE[..], &NOISE[..], &[(0, false, 0), (61, true, 66), (62, false, 62)]] {
        for look_ahead in [LookAhead::Steps(0), LookAhead::Steps(2), LookAhead::All] {
            let tolerances = tolerant(&program).to_tolerances(&program);
            let setup = Setup { look_ahead, ..setup(&program, tolerances) };
            let oracle = Oracle::new(&program, setup).unwrap();
            let recorded = Steerer::new(&oracle).judge(&test(steps));
            let mut steerer = Steerer::new(&oracle);
            let mut follower = steerer.follow();
            for observation in test(steps) {
                steerer.step(&mut follower, observation);
            }
            let live = steerer.finish(follower);
            assert_eq!(live.verdict, recorded.verdict);
            assert_eq!(live.steps, recorded.steps);
        }
    }
}
