//! What was wrong once.

use punctual_model::{Happening, Uncertainty, Verdict};
use punctual_oracle::Oracle;
use punctual_oracle::conformance::{Coverage, Session, Specification, judge};

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

/// A right system failed if its run ended while an output was on its way, and an input had come meanwhile.
#[test]
fn outputs_on_their_way_at_the_end_were_missing() {
    let text = "
        chan a, o;
        process Env() { state S; init S; trans S -> S { sync o?; }, S -> S { sync a!; }; }
        process Sys() {
            clock x; state L { x <= 9 }, M; init L;
            trans L -> M { guard x >= 8; sync o!; }, L -> L { sync a?; }, M -> M { sync a?; };
        }
        system Env, Sys;";
    let mut late = model(text, &["a"], &["o"]);
    late.wired.interface.uncertainty =
        Uncertainty { output_ns: (0, 2 * UNIT_NS), ..Uncertainty::default() };
    assert_eq!(verdict(&late, "10 a 1 o"), "pass");
    assert_eq!(verdict(&late, "10 a"), "pass");
    assert_eq!(verdict(&late, "10 a 1"), "pass");
    // Now it must have been seen.
    assert!(verdict(&late, "10 a 1.5").starts_with("fail: An output is missing"));
    assert!(verdict(&late, "7 o 3 a").starts_with("fail: `o`"));
    // What is wrong before is not mended by what is on its way.
    assert!(verdict(&late, "12 a").starts_with("fail: An output is missing"));
}

/// A wrong output was excused by an input that came after it for sure.
#[test]
fn a_later_input_hid_a_wrong_output() {
    let text = "
        chan a, b, o;
        process Env() { state S; init S; trans S -> S { sync o?; }, S -> S { sync a!; }, S -> S { sync b!; }; }
        process Sys() {
            state L0, L1; init L0;
            trans L0 -> L0 { sync a?; }, L1 -> L1 { sync b?; }, L1 -> L1 { sync o!; };
        }
        system Env, Sys;";
    let mut slow = model(text, &["a", "b"], &["o"]);
    let delay = (2 * UNIT_NS, 3 * UNIT_NS);
    slow.wired.interface.uncertainty =
        Uncertainty { input_ns: delay, output_ns: delay, drift_ppb: 0 };
    assert!(verdict(&slow, "3 b 1 o 16").starts_with("fail: `o`"));
    let mut chained = model(text, &["a", "b"], &["o"]);
    chained.wired.interface.uncertainty =
        Uncertainty { input_ns: (0, 2 * UNIT_NS), output_ns: (0, UNIT_NS), drift_ppb: 0 };
    assert!(verdict(&chained, "a 1 o 1 a 1 b 6").starts_with("fail: `o`"));
}

/// A specification that stops time whatever is sent was a fail if something could be sent for ever, and five outputs that had to come
/// together were called nothing.
#[test]
fn sets_of_missing_outputs_were_cut_short() {
    let device = |states: &str, edges: &str| {
        let text = format!(
            "chan o;
            process Env() {{ state S; init S; trans S -> S {{ sync o?; }}; }}
            process Sys() {{ clock x; state {states} trans {edges}; }}
            system Env, Sys;"
        );
        model(&text, &[], &["o"])
    };
    let stuck = device("L { x <= 2 }; init L;", "L -> L { sync o!; }");
    assert!(verdict(&stuck, "5").starts_with("inconclusive"), "{}", verdict(&stuck, "5"));
    let burst = device(
        "A { x <= 2 }, B, C, D, F, G; commit B, C, D, F; init A;",
        "A -> B { guard x >= 1; sync o!; }, B -> C { sync o!; }, C -> D { sync o!; },
        D -> F { sync o!; }, F -> G { sync o!; }",
    );
    assert_eq!(verdict(&burst, "2 o o o o o 5"), "pass");
    let told = verdict(&burst, "5");
    let all = ["`o` in [1, 2]"; 5].join(" and ");
    let expected = format!("fail: Outputs are missing: the system had to send {all}.");
    assert!(told.starts_with(&expected), "{told}");
}

/// What was seen before the environment was late was forgotten, so that a right system failed and a wrong one did not. The instant of the last event
/// is not known exactly.
#[test]
fn what_came_before_a_late_environment_was_forgotten() {
    let said = |text: &str, input: (u64, u64), before: &str, last: &str| {
        let mut late = model(text, &["a"], &["o"]);
        let input_ns = (input.0 * UNIT_NS / 2, input.1 * UNIT_NS / 2);
        late.wired.interface.uncertainty =
            Uncertainty { input_ns, output_ns: (0, 0), drift_ppb: 0 };
        let mut whole = trace(late.interface(), &format!("{before} {last}"));
        let event = whole.events.last_mut().expect("an event");
        event.to_ns += UNIT_NS / 2;
        whole.end_ns = event.to_ns;
        judge(&late, &whole, &mut Coverage::new(false))
    };
    let unspecified = "
        chan a, o;
        process A() { clock x; state S0, S1 { x <= 5 }, S2; init S0; trans S0 -> S1 { sync a?; }, S1 -> S2 { sync o!; }; }
        process Env() {
            clock y; state E0, E1, E2 { y <= 3 }, E3; init E0;
            trans E0 -> E1 { sync a!; }, E1 -> E2 { sync a!; assign y = 0; }, E2 -> E3 { sync a!; }, E3 -> E3 { sync o?; }, E2 -> E2 { sync o?; };
        }
        system Env, A;";
    for last in ["o", "a"] {
        let said = said(unspecified, (1, 4), "a 2 a 8", last);
        assert_eq!(said.verdict(), Verdict::Inconclusive, "{last}");
    }
    let early = "
        chan a, o;
        process A() { clock x; state S0, S1; init S0; trans S0 -> S1 { guard x >= 8; sync o!; }, S0 -> S0 { sync a?; }, S1 -> S1 { sync a?; }; }
        process Env() {
            clock y; state E0 { y <= 5 }, E1; init E0;
            trans E0 -> E1 { sync a!; }, E0 -> E0 { sync o?; }, E1 -> E1 { sync o?; }, E1 -> E1 { sync a!; };
        }
        system Env, A;";
    assert_eq!(said(early, (0, 4), "2 o 8", "a").verdict(), Verdict::Fail);
}
