//! What was wrong once.

use punctual_model::Uncertainty;
use punctual_oracle::conformance::Specification;

use crate::load::{UNIT_NS, network, specification, verdict};

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
