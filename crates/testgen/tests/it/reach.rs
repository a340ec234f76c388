//! Whether a case can reach what a mutant changed.

use punctual_model::testing::suite::{Body, Case, Do};
use punctual_model::{Action, EdgeId, Id, SignalId};
use punctual_semantics::split::Side;
use punctual_testgen::mutation::automata::{Mutant, Operator, Place};
use punctual_testgen::mutation::decide::{Bench, Reached};

use super::decide::{network, specification};

/// Anything can be sent from the third unit on.
const LATER: &str = "process E() { clock t; state e; init e;
    trans e -> e { guard t >= 3; sync a!; }, e -> e { guard t >= 3; sync b!; },
        e -> e { select i : int[0,2]; sync d!; assign k = i; }; }";

/// After `a`, within 5 units, a hidden step; then `b` leads on. Nobody can be in time for `narrow`.
const STEPS: &str =
    "process S() { clock x; state idle, wait { x <= 5 }, seen, shut, narrow { x <= 2 }, last;
    init idle;
    trans idle -> wait { sync a?; assign x = 0; },
        wait -> seen { guard x >= 3; assign v = 1; },
        wait -> narrow { guard x >= 4; assign v = 1; },
        seen -> shut { sync b?; assign v = 2; },
        narrow -> last { guard x >= 1; assign v = 3; }; }";

/// Whether a case that sends signals after waits, and waits at its end, reaches what is replaced.
fn reaches(sent: &[(u64, &str)], end: u64, (from, to): (&str, &str)) -> bool {
    assert_eq!(STEPS.matches(from).count(), 1, "`{from}` is there once");
    let specification = specification(network(STEPS, LATER), 1);
    let mutant = Mutant {
        name: "by hand".to_owned(),
        operator: Operator::Target,
        process: Id::from_index(0),
        side: Side::System,
        place: Place::Edge(EdgeId::from_index(0)),
        change: String::new(),
        network: network(&STEPS.replacen(from, to, 1), LATER),
    };
    let mut parts = Vec::new();
    for (wait, name) in sent {
        let signals = specification.interface().signals.enumerate();
        let (signal, _): (SignalId, _) =
            signals.into_iter().find(|(_, it)| it.name == *name).expect("declared");
        parts.push(Do::Wait(wait * 1000));
        parts.push(Do::Send(Action { signal, values: Vec::new() }));
    }
    parts.push(Do::Wait(end * 1000));
    let case = Case {
        name: "a case".to_owned(),
        body: Body::Timed(parts),
        about: Default::default(),
        chance: None,
    };
    let bench = Bench::new(&specification, mutant.process).expect("a component");
    bench.reached(&case).concerns(&specification.network, &mutant)
}

#[test]
fn what_is_reached_counts_from_the_first_instant() {
    let guard = ("guard x >= 3", "guard x >= 2");
    assert!(!reaches(&[], 100, guard));
    assert!(!reaches(&[(3, "b")], 100, guard));
    assert!(reaches(&[(3, "a")], 0, guard));
    // The first location is there before anything happens.
    assert!(reaches(&[], 0, ("sync a?", "sync b?")));
}

/// `seen` is reached 3 units after `a`, unseen, however the case goes on.
#[test]
fn hidden_steps_are_taken() {
    let behind = ("seen -> shut", "seen -> last");
    assert!(!reaches(&[(3, "a")], 2, behind));
    assert!(reaches(&[(3, "a")], 3, behind));
    assert!(reaches(&[(3, "a")], 300, behind));
    assert!(reaches(&[(3, "a"), (3, "b")], 0, behind));
}

/// An invariant keeps the network out of `narrow`, and not the mutant, whose invariant is wider.
#[test]
fn who_may_enter_counts() {
    let wider = ("narrow { x <= 2 }", "narrow { x <= 9 }");
    assert!(reaches(&[(3, "a")], 100, wider));
    assert!(!reaches(&[(3, "b")], 100, wider));
    // What lies behind it is never reached.
    assert!(!reaches(&[(3, "a"), (6, "b")], 100, ("guard x >= 1", "guard x >= 2")));
}

/// A table of steps is none of the things that a network follows, so nothing is left out.
#[test]
fn what_can_not_be_followed_reaches_everything() {
    let strange = Case {
        name: "a table".to_owned(),
        body: Body::Steps(Default::default()),
        about: Default::default(),
        chance: None,
    };
    let specification = specification(network(STEPS, LATER), 1);
    let bench = Bench::new(&specification, Id::from_index(0)).expect("a component");
    assert_eq!(bench.reached(&strange), Reached::Any);
}
