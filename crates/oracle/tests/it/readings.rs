//! Conformance to what was read: locations and variables of the system at an instant.

use punctual_model::{Event, Happening, Uncertainty};
use punctual_oracle::conformance::{Coverage, Judgement, Session, Specification, explain, judge};
use punctual_oracle::{Cause, Oracle};

use crate::load::{UNIT_NS, network, observed, reading, trace, verdict};

/// Works for 3 to 5 units, and rests, unseen, for 2 units before it is idle again.
const WORKER: &str = "
    chan go, done; int[0,3] n; int[0,3] sent;
    process Env() {
        int[0,3] own;
        state A; init A;
        trans A -> A { sync go!; assign own = 1; }, A -> A { sync done?; };
    }
    process Sys() {
        clock x; state Idle, Busy { x <= 5 }, Rest { x <= 2 }; init Idle;
        trans Idle -> Busy { sync go?; assign x = 0, n = (n + 1) % 4; },
            Busy -> Rest { guard x >= 3; sync done!; assign x = 0; },
            Rest -> Idle { guard x >= 1; };
    }
    system Env, Sys;";

fn worker() -> Specification {
    let names: [&[&str]; 3] = [&["go"], &["done"], &["n", "Sys.location"]];
    observed(network(WORKER), names).unwrap_or_else(|it| panic!("{it}"))
}

#[test]
fn what_is_possible_passes() {
    let worker = worker();
    for text in [
        "?Sys.location=Idle,n=0 go ?Sys.location=Busy,n=1 3 ?Sys.location=Busy done ?Sys.location=Rest",
        // Between 1 and 2 units after `done` nobody knows; a reading tells.
        "go 4 done 1.5 ?Sys.location=Rest 0.5 ?Sys.location=Rest ?Sys.location=Idle",
        "go 4 done 1.5 ?Sys.location=Idle 0 go ?n=2 4 done",
        "go 4 done 1 ?Sys.location=Rest ?Sys.location=Idle ?Sys.location=Idle go 3 done",
        "go 5 ?Sys.location=Busy done ?Sys.location=Rest",
    ] {
        assert_eq!(verdict(&worker, text), "pass", "{text}");
    }
}

#[test]
fn a_wrong_value_names_the_possible_ones() {
    let worker = worker();
    assert_eq!(
        verdict(&worker, "go 2 ?n=2"),
        "fail: `n = 2` was read at 2, and can not be. Possible was `n = 1` in [0, 5]."
    );
    assert_eq!(
        verdict(&worker, "go 4 done 1.5 ?Sys.location=Busy,n=1"),
        "fail: `n = 1, Sys.location = Busy` was read between 5 and 6, and can not be. Possible was \
         `n = 1, Sys.location = Idle` from 5 on, `n = 1, Sys.location = Rest` in [4, 6]."
    );
    // What was read decides what is possible later.
    let text = verdict(&worker, "go 4 done 1.5 ?Sys.location=Idle 0.1 ?Sys.location=Rest");
    assert_eq!(
        text,
        "fail: `Sys.location = Rest` was read between 5 and 6, and can not be. Possible was \
         `Sys.location = Idle` from 5 on."
    );
    let text = verdict(&worker, "go 4 done 1.5 ?Sys.location=Rest 0 go");
    assert!(text.starts_with("pass"), "at the same instant it may be idle already: {text}");
    let text = verdict(&worker, "go 4 done 0.5 ?Sys.location=Idle");
    assert!(text.contains("Possible was `Sys.location = Rest` in [4, 6], "), "{text}");
}

/// The state had to be left before.
#[test]
fn a_reading_that_comes_too_late_for_its_value_fails() {
    let worker = worker();
    let text = verdict(&worker, "go 4 done 2.5 ?Sys.location=Rest");
    assert!(text.starts_with("fail: `Sys.location = Rest` was read between 6 and 7"), "{text}");
    // The system owes an output: whatever is read.
    for value in ["Busy", "Idle", "Rest"] {
        let text = verdict(&worker, &format!("go 6 ?Sys.location={value}"));
        assert!(
            text.starts_with("fail: An output is missing: the system had to send `done` in [3, 5]"),
            "{text}"
        );
        assert!(text.contains(&format!("was `Sys.location = {value}`")), "{text}");
    }
}

/// Live runs look ahead. What they find there is not possible yet, and is told with its instants.
#[test]
fn what_is_possible_later_was_named_as_possible() {
    let worker = worker();
    let mut session = Session::new(&worker, Coverage::new(false)).unwrap();
    let trace = trace(worker.interface(), "go 4 done 0.5 ?Sys.location=Idle");
    for event in &trace.events[..2] {
        session.event(event);
    }
    session.environment().unwrap().look_ahead(20 * UNIT_NS).unwrap();
    session.event(&trace.events[2]);
    let Judgement::Fail(diagnosis) = session.conclude(trace.end_ns) else { panic!("a fail") };
    let text = explain(&worker, &diagnosis);
    let possible = "Possible was `Sys.location = Rest` in [4, 6], `Sys.location = Idle` from 5 on.";
    assert!(text.ends_with(possible), "{text}");
    assert_eq!(diagnosis.states.len(), 1);
}

/// What may have happened during the reading is possible.
#[test]
fn readings_take_time() {
    let worker = worker();
    let at = |from: u64, to: u64, value: &str| {
        let mut trace = trace(worker.interface(), "go 4 done");
        let what = Happening::Reading(reading(worker.interface(), value));
        trace.events.push(Event {
            what,
            from_ns: from * UNIT_NS,
            to_ns: to * UNIT_NS,
            device_ns: None,
        });
        trace.end_ns = to * UNIT_NS;
        judge(&worker, &trace, &mut Coverage::new(false)).is_pass()
    };
    assert!(at(4, 5, "Sys.location=Idle") && at(4, 8, "Sys.location=Rest"));
    assert!(at(5, 8, "Sys.location=Idle") && at(6, 8, "Sys.location=Rest"));
    assert!(!at(7, 8, "Sys.location=Rest") && !at(4, 4, "Sys.location=Idle"));
    assert!(!at(3, 8, "Sys.location=Busy"));
}

/// An input on its way may reach the system before or after it is read; what the system sends comes in
/// the order of the answers.
#[test]
fn inputs_on_their_way_may_be_overtaken_by_readings() {
    let mut worker = worker();
    let text = ["go 1 ?Sys.location=Idle 3 done", "go 1 ?Sys.location=Busy 3 done"];
    assert!(verdict(&worker, text[0]).starts_with("fail"));
    let (input_ns, output_ns) = ((0, 2 * UNIT_NS), (0, 0));
    worker.wired.interface.uncertainty = Uncertainty { input_ns, output_ns, drift_ppb: 0 };
    assert_eq!(text.map(|it| verdict(&worker, it)), ["pass", "pass"]);
    // It was idle at 1, so it works until 4 at least.
    assert!(verdict(&worker, "go 1 ?Sys.location=Idle 2.5 done").starts_with("fail"));
    assert_eq!(verdict(&worker, "go 1 ?Sys.location=Busy 2.5 done"), "pass");
    assert!(verdict(&worker, "go 3 ?Sys.location=Idle").starts_with("fail"));
}

#[test]
fn what_is_not_of_the_system_can_not_be_observed() {
    for name in ["Env.location", "Env.own", "sent"] {
        let names: [&[&str]; 3] = [&["go"], &["done"], &[name]];
        let text = observed(network(WORKER), names).err().expect("not of the system").to_string();
        assert!(text.starts_with(&format!("`{name}` can not be observed")), "{text}");
    }
}

/// A reading does not blame the system for what the environment did.
#[test]
fn readings_after_inputs_without_specification_say_nothing() {
    let worker = worker();
    let text = "go 1 go 1 ?n=3";
    let trace = trace(worker.interface(), text);
    match judge(&worker, &trace, &mut Coverage::new(false)) {
        Judgement::Inconclusive(it) => assert_eq!(it.cause, Cause::NotSpecified),
        other => panic!("{other:?}"),
    }
}

/// What the environment writes unseen is not what the system knows.
#[test]
fn what_the_environment_changes_unseen_can_not_be_observed() {
    let text = "
        chan go; int[0,3] n;
        process Env() { state A; init A; trans A -> A { sync go!; assign n = 3; }; }
        process Sys() {
            state A, B; init A;
            trans A -> B { sync go?; }, B -> A { assign n = 1; };
        }
        system Env, Sys;";
    let rejected = |inputs: &[&str]| observed(network(text), [inputs, &[], &["n"]]).err();
    let text = rejected(&["go"]).expect("nobody tells the system").to_string();
    assert!(text.starts_with("`Env` passes `n` to `the tester`, and no signal shows it"), "{text}");
    assert_eq!(rejected(&["go(n)"]), None);
}
