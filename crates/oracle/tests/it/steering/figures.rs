//! Figures 3.2 to 3.4 of the thesis: SimplePacing, polled every second, and the step in which it is steered.
//!
//! DIFFERENCE(gay15): Figure 3.4 steers at 120, with the last beat at 0 and the machine in state 2. By Figure 3.2 state 2 does not
//! pace, a pace would have come at 61, and `timeOut` would not be 119 after a poll without an event. We take what the text says:
//! `timeOut` is `timeIn`, and there is a pace when no beat came for more than 60 s. So that there is one at 120, a beat is sensed at 59.

use punctual_model::lustre::Value;
use punctual_oracle::steering::{Distance, Kind, LookAhead, Observation, Setup};

use super::pacing::PACING;
use super::{judge, program, row, setup, windows};

/// A poll: whether a beat is sensed, the time, and what the system showed.
fn poll(sense: bool, time: i64, pace: bool, out: i64) -> Observation {
    row(&[Value::Bool(sense), Value::Int(time)], &[Value::Bool(pace), Value::Int(out)])
}

/// Polls of every second up to 190: a beat at 59, and then none. The pace of 120 comes at 121, so the next one is due at 182, and
/// comes at 183.
fn polls() -> Vec<Observation> {
    let of = |time: i64| match time {
        120 => poll(false, 120, true, 121),
        182 => poll(false, 182, true, 183),
        time => poll(time == 59, time, false, time),
    };
    (0..=190).map(of).collect()
}

/// What the model does by itself: the golden of Figure 3.2.
#[test]
fn figure_3_2_polled_every_second() {
    let program = program(PACING);
    let machine = punctual_semantics::lustre::Machine::new(
        &program,
        punctual_semantics::lustre::Reals::Exact,
    )
    .unwrap();
    let mut stepper = punctual_semantics::lustre::Stepper::new(&machine);
    let (mut state, mut after) = (machine.start(), machine.start());
    let var = |name: &str| program.var(name).unwrap();
    let mut paces = Vec::new();
    for time in 0..=190 {
        stepper.set(var("sense"), Value::Bool(time == 59));
        stepper.set(var("timeIn"), Value::Int(time));
        stepper.step(&state, &mut after).unwrap();
        std::mem::swap(&mut state, &mut after);
        assert_eq!(stepper.value(var("timeOut")), Value::Int(time), "as the text says");
        if stepper.value(var("pace")) == Value::Bool(true) {
            paces.push(time);
        }
    }
    assert_eq!(paces, [120, 181], "61 s after the beat at 59, and 61 s after that");
}

/// The candidates of Figure 3.3, with the scores that Figure 3.4 computes: Manhattan over `pace` and `timeOut`, against 121.
#[test]
fn figure_3_3_scores_of_candidates() {
    let metric = Distance::plain(Kind::Manhattan, 2);
    let system = [Value::Bool(true), Value::Int(121)];
    let score = |time| metric.dissimilarity(&[Value::Bool(true), Value::Int(time)], &system);
    let scores: Vec<i128> = (120..=124).map(|time| score(time).to_integer()).collect();
    assert_eq!(scores, [1, 0, 1, 2, 3]);
    let unpaced = metric.dissimilarity(&[Value::Bool(false), Value::Int(120)], &system);
    assert_eq!(unpaced.to_integer(), 2);
}

/// The step of Figure 3.4, and what follows: the model goes on from 121, so that the next pace is due a second later, too.
#[test]
fn figure_3_4_is_steered_to_121() {
    let program = program(PACING);
    for look_ahead in [LookAhead::Steps(0), LookAhead::Steps(2)] {
        let tolerances = windows(&program, &[("timeIn", 0, 4)]).to_tolerances(&program);
        let outcome =
            judge(&program, Setup { look_ahead, ..setup(&program, tolerances) }, &polls());
        assert!(outcome.verdict.is_pass(), "{outcome:?}");
        let steered: Vec<(usize, Value, Value)> = (outcome.steps.iter())
            .flat_map(|step| step.changes.iter().map(|it| (step.step, it.from, it.to)))
            .collect();
        let expected = [(120, 120, 121), (182, 182, 183)];
        let expected: Vec<_> =
            expected.iter().map(|it| (it.0, Value::Int(it.1), Value::Int(it.2))).collect();
        assert_eq!(steered, expected);
        // Without being steered at 120, the model would pace at 181, where the system does not.
        let change = outcome.steps[0].changes[0];
        assert_eq!((change.low, change.high), (Some(Value::Int(120)), Some(Value::Int(124))));
        assert_eq!(outcome.before.first_mismatch, Some(120));
    }
}
