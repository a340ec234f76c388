//! What was wrong once.

use punctual_model::{Happening, Uncertainty, Verdict};
use punctual_oracle::Oracle;
use punctual_oracle::conformance::{Coverage, Session, Specification};

use crate::load::{UNIT_NS, network, specification, trace, verdict};

fn model(text: &str, inputs: &[&str], outputs: &[&str]) -> Specification {
    specification(network(text), inputs, outputs)
}

/// The analysis of bounds took a value that is sent from outside for one that never changes.
#[test]
fn a_clock_behind_a_value_from_outside_was_not_followed() {
    let text = "
        int[0,3] v; chan set, out;
        process Env() {
            state A; init A;
            trans A -> A { sync set!; assign v = 1; }, A -> A { sync out?; };
        }
        process Sys() {
            clock x; state Idle, Busy; init Idle;
            trans Idle -> Busy { sync set?; assign x = 0; },
                Busy -> Idle { guard v == 1 && x >= 2; sync out!; };
        }
        system Env, Sys;";
    let specification = model(text, &["set(v)"], &["out"]);
    assert_eq!(verdict(&specification, "set(1) 3 out"), "pass");
    assert!(verdict(&specification, "set(1) 1 out").starts_with("fail"));
}

/// A system that looks at a value without receiving the broadcast that brings it was not told.
#[test]
fn the_value_of_a_broadcast_without_receivers_was_not_seen() {
    let text = "
        int[0,3] v; broadcast chan tell; chan out;
        process Env() {
            state A; init A;
            trans A -> A { sync tell!; assign v = 2; }, A -> A { sync out?; };
        }
        process Sys() { state A; init A; trans A -> A { guard v == 2; sync out!; }; }
        system Env, Sys;";
    let specification = model(text, &["tell(v)"], &["out"]);
    assert_eq!(verdict(&specification, "tell(2) 1 out"), "pass");
    assert!(verdict(&specification, "1 out").starts_with("fail"));
}

/// An output at the very instant at which an input arrived may have come first.
#[test]
fn signals_that_touch_in_time_were_not_swapped() {
    let text = "
        chan in, out;
        process Env() {
            state A; init A; trans A -> A { sync in!; }, A -> A { sync out?; };
        }
        process Sys() {
            clock x; state A { x <= 2 }, Done, Cancelled; init A;
            trans A -> Done { guard x == 2; sync out!; }, A -> Cancelled { sync in?; },
                Done -> Done { sync in?; };
        }
        system Env, Sys;";
    let mut specification = model(text, &["in"], &["out"]);
    let always = (UNIT_NS, UNIT_NS);
    specification.wired.interface.uncertainty =
        Uncertainty { input_ns: always, output_ns: always, drift_ppb: 0 };
    assert_eq!(verdict(&specification, "1 in 2 out"), "pass");
    assert!(verdict(&specification, "0.5 in 2.5 out").starts_with("fail"));
    assert!(verdict(&specification, "1 in 2.5 out").starts_with("fail"));
}

/// The system is not to blame for what it does after the environment should have moved, also if
/// nobody looked in between.
#[test]
fn a_system_was_blamed_after_the_environment_was_late() {
    let text = "
        chan in, out;
        process Env() {
            clock y; state A { y <= 5 }; init A;
            trans A -> A { sync in!; assign y = 0; }, A -> A { sync out?; };
        }
        process Sys() {
            clock x; state A; init A;
            trans A -> A { sync in?; assign x = 0; }, A -> A { guard x <= 5; sync out!; };
        }
        system Env, Sys;";
    let specification = model(text, &["in"], &["out"]);
    assert_eq!(verdict(&specification, "5 out 0 in 4 out"), "pass");
    assert!(verdict(&specification, "7 out").starts_with("inconclusive: The tester was late"));
}

/// A hidden loop left a state for each time round, over all of a long delay.
#[test]
fn long_delays_had_too_many_states() {
    let text = "
        chan in, out;
        process Env() {
            state A; init A; trans A -> A { sync in!; }, A -> A { sync out?; };
        }
        process Sys() {
            clock x; state A { x <= 4 }, B; init A;
            trans A -> A { guard x >= 3; assign x = 0; }, A -> B { sync in?; },
                B -> B { sync out!; };
        }
        system Env, Sys;";
    let specification = model(text, &["in"], &["out"]);
    assert_eq!(verdict(&specification, "200000 in 3 out"), "pass");
}

/// Only who uses the ferry keeps `n` in range. Windows were looked for by taking a third car on board, which is an error of
/// the model that nobody had made: runs that were recorded were inconclusive, and diagnoses had no windows.
#[test]
fn an_input_that_nobody_sent_was_an_error_of_the_model() {
    let text = "
        chan board, depart;
        process Ferry() {
            clock x; int[0, 2] n = 0; state Empty, Loading { x <= 20 }; init Empty;
            trans Empty -> Loading { sync board?; assign n = 1, x = 0; },
                Loading -> Loading { sync board?; assign n++; },
                Loading -> Empty { guard x >= 10; sync depart!; assign n = 0; };
        }
        process Quay() { state A; init A; trans A -> A { sync board!; }, A -> A { sync depart?; }; }
        system Ferry, Quay;";
    let ferry = model(text, &["board"], &["depart"]);
    assert_eq!(verdict(&ferry, "board 5 board 10 depart"), "pass");
    assert_eq!(
        verdict(&ferry, "board 5 board 1 depart"),
        "fail: `depart` came at 6, too early. Allowed was `depart` in [10, 20]."
    );
    assert_eq!(
        verdict(&ferry, "board 5 board 25"),
        "fail: An output is missing: the system had to send `depart` in [10, 20]. Nothing came until 30."
    );
    // Who really sends it is told.
    assert_eq!(
        verdict(&ferry, "board 5 board 5 board"),
        "inconclusive: The model is in error at 10: the value 3 is out of range: allowed is 0 to 2"
    );
    // A tester is told the windows, and that a third car had better not come.
    let mut session = Session::new(&ferry, Coverage::new(true)).map_err(|_| ()).unwrap();
    for event in &trace(ferry.interface(), "board 5 board").events {
        session.event(event);
    }
    let Happening::Signal(board) = trace(ferry.interface(), "board").events[0].what.clone() else {
        panic!("an input was sent")
    };
    let environment = session.environment().unwrap();
    assert_eq!(environment.expected().unwrap().len(), 1);
    assert_eq!(environment.accepts(&board).unwrap(), []);
    assert!(environment.preview(&board).unwrap().is_empty());
    assert!(!environment.refuses(&board, 20).is_empty());
}

/// Outputs and hidden steps that are an error of the model lie ahead, and are told when a run gets there.
#[test]
fn an_error_that_lies_ahead_was_told_before() {
    let text = "
        chan go, out, oops;
        process Sys() {
            clock x; int[0, 2] n = 0; state Idle, Busy { x <= 900 }, Gone; init Idle;
            trans Idle -> Busy { sync go?; assign x = 0; },
                Busy -> Gone { guard x >= 600; assign n = n + 3; },
                Busy -> Gone { guard x >= 1; sync oops!; assign n = n - 1; },
                Busy -> Idle { guard x >= 300; sync out!; };
        }
        process Env() {
            state A; init A;
            trans A -> A { sync go!; }, A -> A { sync out?; }, A -> A { sync oops?; };
        }
        system Sys, Env;";
    let system = model(text, &["go"], &["out", "oops"]);
    let looking = |text: &str| -> Verdict {
        let mut session = Session::new(&system, Coverage::new(true)).map_err(|_| ()).unwrap();
        for event in &trace(system.interface(), text).events {
            let environment = session.environment().unwrap();
            environment.look_ahead(event.to_ns + 1_000 * UNIT_NS).unwrap();
            assert!(environment.expected().is_ok() && environment.choices(1_000).is_ok());
            session.event(event);
        }
        session.conclude(trace(system.interface(), text).end_ns).verdict()
    };
    assert_eq!(verdict(&system, "go 400 out"), "pass");
    assert_eq!(looking("go 400 out"), Verdict::Pass);
    for text in ["go 700 out", "go 700", "go 5 oops"] {
        let said = verdict(&system, text);
        assert!(said.starts_with("inconclusive: The model is in error"), "{text}: {said}");
        assert_eq!(looking(text), Verdict::Inconclusive, "{text}");
    }
    let early = "fail: `out` came at 200, too early. Allowed was `out` in [300, 900].";
    assert_eq!(verdict(&system, "go 200 out"), early);
}
