//! Learning the tolerance of a system that is late, from labelled tests.

use punctual_model::lustre::Value;
use punctual_oracle::steering::learn::{Example, Options, examples, learn, tune};
use punctual_oracle::steering::{
    Distance, Kind, Label, LookAhead, Measure, Observation, Oracle, Setup, Steerer, Windows,
};

use super::pacing::{LATE, NOISE, PACING, test, tolerant};
use super::{judge, program, row, setup, whole};

/// A pace after 61, that the system reports so much later.
fn late(by: i64) -> Vec<Observation> {
    let step = |time: i64, pace: bool, out: i64| {
        row(&[Value::Bool(false), Value::Int(time)], &[Value::Bool(pace), Value::Int(out)])
    };
    vec![step(0, false, 0), step(30, false, 30), step(61, true, 61 + by)]
}

/// Up to 4 is acceptable.
fn label(by: i64) -> Label {
    match by {
        0 => Label::Pass,
        1..=4 => Label::TimingWithinTolerance,
        _ => Label::TimingNotInTolerance,
    }
}

fn setup_with(windows: Option<&Windows>) -> Oracle {
    let program = program(PACING);
    let tolerances = match windows {
        Some(windows) => windows.to_tolerances(&program),
        // Anything goes.
        None => Default::default(),
    };
    let setup = setup(&program, tolerances);
    Oracle::new(&program, Setup { ..setup }).unwrap()
}

fn measured(windows: &Windows) -> Measure {
    let oracle = setup_with(Some(windows));
    let mut steerer = Steerer::new(&oracle);
    let mut measure = Measure::default();
    for by in 0..12 {
        measure.add(label(by), steerer.judge(&late(by)).verdict.is_pass());
    }
    measure
}

#[test]
fn the_variable_that_is_late_is_learned_and_its_window_tuned() {
    let program = program(PACING);
    let oracle = setup_with(None);
    let steerable = oracle.setup().steerable.clone();
    let mut steerer = Steerer::new(&oracle);
    let mut data = Vec::new();
    // People looked at a few tests only.
    for by in [2, 2, 2, 3, 3, 3, 6, 7, 8, 9, 10, 11] {
        let outcome = steerer.judge(&late(by));
        assert!(outcome.verdict.is_pass(), "anything can be explained without tolerances");
        data.extend(examples(&steerable, 3, &outcome, label(by)));
    }
    let learned = learn(&steerable, &data, &Options::default());
    let time = program.var("timeIn").unwrap();
    let [(var, ranges)] = &learned.windows.ranges[..] else { panic!("{learned:?}") };
    assert_eq!(*var, time, "the other input is locked");
    assert_eq!(ranges[..], [(whole(2), whole(3))]);
    // Tests that nobody looked at are late by 1 and 4.
    let tuned = tune(&program, &learned.windows, 10, |it| Some(measured(it))).unwrap();
    assert!(tuned.measure.f_measure() >= measured(&learned.windows).f_measure());
    assert!(tuned.measure.f_measure() > 0.9, "{ranges:?} {tuned:?}");
}

#[test]
fn tuning_widens_or_shrinks_as_long_as_it_helps() {
    let program = program(PACING);
    let time = program.var("timeIn").unwrap();
    let window = |low, high| Windows { ranges: vec![(time, vec![(whole(low), whole(high))])] };
    let tuned = |it: Windows| tune(&program, &it, 20, |it| Some(measured(it))).unwrap();
    let narrow = tuned(window(2, 2));
    assert_eq!((narrow.by, narrow.measure.f_measure()), (2, 1.0));
    assert_eq!(narrow.windows, window(0, 4));
    let wide = tuned(window(-3, 7));
    assert_eq!((wide.by, wide.measure.f_measure()), (-3, 1.0));
    assert_eq!(tuned(window(0, 4)).by, 0);
}

/// What is learned from tests that should pass.
fn lessons(look_ahead: LookAhead, kind: Kind) -> Vec<Example> {
    let program = program(PACING);
    let mut data = Vec::new();
    for steps in [&LATE[..], &NOISE[..]] {
        let setup = setup(&program, tolerant(&program).to_tolerances(&program));
        let metric = Distance::plain(kind, setup.compared.len());
        let steerable = setup.steerable.clone();
        let outcome = judge(&program, Setup { look_ahead, metric, ..setup }, &test(steps));
        data.extend(examples(&steerable, steps.len(), &outcome, Label::TimingWithinTolerance));
    }
    data
}

/// Noise is sensed before it shows; in the step in which it is, nothing differs.
#[test]
fn an_event_ahead_of_time_is_learned() {
    let program = program(PACING);
    let steerable: Vec<_> = program.inputs().collect();
    let learned = |look_ahead| {
        learn(&steerable, &lessons(look_ahead, Kind::Manhattan), &Options::default()).windows
    };
    let late = (program.var("timeIn").unwrap(), vec![(whole(1), whole(3))]);
    let sensed = (program.var("sense").unwrap(), vec![(whole(1), whole(1))]);
    assert_eq!(learned(LookAhead::Steps(2)).ranges, [sensed, late.clone()]);
    assert_eq!(learned(LookAhead::Steps(0)).ranges, [late], "noise is not explained");
}

/// All steps of a test that teaches something match, and that does not depend on the metric.
#[test]
fn examples_are_the_same_for_all_metrics() {
    for look_ahead in [LookAhead::Steps(0), LookAhead::Steps(2)] {
        let [one, other] =
            [Kind::Manhattan, Kind::SquaredEuclidean].map(|it| lessons(look_ahead, it));
        assert!(!one.is_empty());
        assert_eq!(one, other);
    }
}
