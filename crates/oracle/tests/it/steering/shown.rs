//! Which tests count where a right system states how often it needs a change.

use proptest::prelude::*;
use punctual_model::lustre::Value;
use punctual_oracle::steering::systematic::Systematic;
use punctual_oracle::steering::{LookAhead, Observation, Oracle, Setup, Steerer};
use punctual_semantics::lustre::Reference;
use punctual_semantics::program::Chance;
use punctual_smc::Stream;

use super::rows::{arb_story, arb_text, told};
use super::{program, setup, windows};

/// It is on when pressed, and off when 50 are over. Only differences of instants matter.
const TIMER: &str = "
    node timer(press: bool; now: int) returns (light: bool);
    var since: int;
    let
      light = press -> if press then true else (pre light and now - pre since < 50);
      since = now -> if press then now else pre since;
    tel";

/// A test of a right system that reads each instant up to 2 too early or too late.
fn jittered(stream: &mut Stream) -> Vec<Observation> {
    let program = program(TIMER);
    let mut system = Reference::new(&program);
    let mut draw = |n: u64| (stream.unit() * n as f64) as i64;
    let mut now = 0;
    let mut test = Vec::new();
    for step in 0..8 {
        let press = Value::Bool(step == 1);
        let noise = draw(5) - 2;
        system.step(&[press, Value::Int(now + noise)]).unwrap();
        let light = system.value(program.var("light").unwrap()).unwrap();
        test.push(super::row(&[press, Value::Int(now)], &[light]));
        now += 8 + draw(5);
    }
    test
}

/// The guarantee of `expected`: where what is stated is true, a right system is called wrong with the stated risk at most.
#[test]
fn a_right_system_is_rarely_called_wrong() {
    let program = program(TIMER);
    let tolerances = windows(&program, &[("now", -2, 2), ("press", 0, 0)]).to_tolerances(&program);
    let setup = Setup { look_ahead: LookAhead::DEFAULT, ..setup(&program, tolerances) };
    let now = program.var("now").unwrap();
    let oracle = Oracle::new(&program, setup).unwrap();
    let mut steerer = Steerer::new(&oracle);
    let mut stream = Stream::of_run(11, 0);
    let mut tests = Vec::new();
    for _ in 0..1_500 {
        let outcome = steerer.judge(&jittered(&mut stream));
        assert!(outcome.verdict.is_pass(), "the system is right: {outcome:?}");
        let is_changed = outcome.steps.iter().flat_map(|it| &it.changes).any(|it| it.var == now);
        tests.push((is_changed, outcome.shows.contains(&now)));
    }
    // What is true of it, from all tests in which it shows, changed or not.
    let shown: Vec<bool> = tests.iter().filter(|it| it.1).map(|it| it.0).collect();
    let changed = shown.iter().filter(|it| **it).count();
    let expected = changed as f64 / shown.len() as f64;
    assert!(changed > 50 && expected < 0.5, "{changed} of {}", shown.len());
    let mut blamed = 0;
    for suite in tests.chunks(50) {
        let mut account = Systematic::new(Some(expected));
        blamed += usize::from(suite.iter().any(|(is_changed, shows)| {
            if *shows {
                account.add(*is_changed, None);
            }
            account.found(1, 0.15).is_some_and(|it| it.is_failure)
        }));
    }
    // One of three questions: 0.05 of 30 suites, and some luck.
    assert!(blamed <= 5, "{blamed} of 30");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// What does not show could not: no changes of that variable alone, in however many steps, change an output.
    #[test]
    fn what_does_not_show_is_never_seen(
        text in arb_text(),
        story in arb_story(4),
        changes in prop::collection::vec((-1..=1_i64, 0..=1_i64, any::<bool>()), 4),
    ) {
        let program = program(&text);
        let test: Vec<Observation> = {
            let right = story.iter().map(|(inputs, _)| (*inputs, (0, 0, false))).collect();
            told(&program, &right)
        };
        let room = [("a", -1, 1), ("b", 0, 1), ("c", 0, 1)];
        let plain = setup(&program, windows(&program, &room).to_tolerances(&program));
        let shows = super::judge(&program, plain, &test).shows;
        for (at, var) in program.inputs().enumerate().filter(|(_, var)| !shows.contains(var)) {
            let mut system = Reference::new(&program);
            for (observation, (a, b, c)) in test.iter().zip(&changes) {
                let mut inputs = observation.inputs.clone();
                inputs[at] = match (at, inputs[at]) {
                    (0, Value::Int(it)) => Value::Int(it + a),
                    (1, Value::Int(it)) => Value::Int(it + b),
                    (_, Value::Bool(it)) => Value::Bool(it || *c),
                    (_, other) => other,
                };
                system.step(&inputs).unwrap();
                for (output, seen) in program.outputs().zip(&observation.system) {
                    let now = system.value(output).unwrap();
                    prop_assert_eq!(now, *seen, "{} {}", program.vars[var].name, text);
                }
            }
        }
    }
}
