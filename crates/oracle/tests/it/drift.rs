//! Systems whose clock is not the tester's.

use punctual_model::Uncertainty;
use punctual_oracle::conformance::Specification;

use crate::load::{UNIT_NS, network, specification, verdict};

/// Answers ten units after it was asked, and tells when a thousand units have passed since the start.
const TEXT: &str = "
    chan ask, answer, tick, late;
    process Env() {
        state A; init A;
        trans A -> A { sync ask!; }, A -> A { sync answer?; }, A -> A { sync tick?; }, A -> A { sync late?; };
    }
    process Sys() {
        clock x, start; state Idle, Asked { x <= 10 }; init Idle;
        trans Idle -> Asked { sync ask?; assign x = 0; }, Asked -> Idle { guard x == 10; sync answer!; },
            Idle -> Idle { guard start < 1000; sync tick!; }, Idle -> Idle { guard start == 1000; sync late!; };
    }
    system Env, Sys;";

fn drifting(ppm: u32) -> Specification {
    let mut specification = specification(network(TEXT), &["ask"], &["answer", "tick", "late"]);
    let uncertainty = &mut specification.wired.interface.uncertainty;
    *uncertainty = Uncertainty { drift_ppb: ppm * 1_000, ..Uncertainty::default() };
    specification
}

/// What counts is the time between two events, not that since the start: after a long silence, an answer is as exact as before it.
#[test]
fn a_delay_is_judged_by_its_own_length() {
    // One percent of ten units is a tenth. The grid is finer or coarser than that.
    let specification = drifting(10_000);
    for asked in ["0", "10000"] {
        for (answer, is_right) in
            [("10", true), ("10.1", true), ("9.91", true), ("12.2", false), ("7.8", false)]
        {
            let said = verdict(&specification, &format!("{asked} ask {answer} answer"));
            assert_eq!(said == "pass", is_right, "asked at {asked}, answer after {answer}: {said}");
        }
    }
}

/// A clock that is exact is judged as before, and one that is wrong by more than was said fails.
#[test]
fn an_exact_clock_may_not_be_wrong() {
    assert_eq!(verdict(&drifting(0), "5 ask 10 answer"), "pass");
    assert!(verdict(&drifting(0), "5 ask 10.1 answer").starts_with("fail"));
}

/// What is less than a point of the grid is not rounded up at each event: a hundred of them add up to what they are.
#[test]
fn many_events_do_not_add_up_to_more() {
    // One percent of a thousand units.
    let specification = drifting(10_000);
    let ticks = "9.5 tick ".repeat(100);
    for (last, is_right) in [("50", true), ("58", true), ("42", true), ("65", false), ("35", false)]
    {
        let said = verdict(&specification, &format!("{ticks} {last} late"));
        assert_eq!(said == "pass", is_right, "after {last}: {said}");
    }
}

/// A system that is silent is late only if it is by its own clock.
#[test]
fn silence_is_judged_by_the_clock_of_the_system() {
    let specification = drifting(100_000 - 1);
    assert_eq!(verdict(&specification, "5 ask 11"), "pass");
    assert!(verdict(&specification, "5 ask 14").starts_with("fail"));
}

/// However long a run is, what clocks are off by can be followed, or it is said that it can not.
#[test]
fn long_silences_are_followed() {
    let specification = drifting(50);
    assert_eq!(verdict(&specification, "20000000 ask 10 answer"), "pass");
    let said = verdict(&specification, "6000000000000 ask 10 answer");
    assert!(!said.starts_with("fail"), "{said}");
}

/// A cluster of events near the start was not widened towards the past, since no instant is before the start: a right system failed.
#[test]
fn clusters_near_the_start_are_widened_as_others() {
    let text = "
        chan o, p;
        process Env() { state S; init S; trans S -> S { sync o?; }, S -> S { sync p?; }; }
        process Sys() {
            clock x; state L { x <= 3 }, M; init L;
            trans L -> L { sync o!; }, L -> M { guard x >= 3; sync p!; };
        }
        system Env, Sys;";
    let mut specification = specification(network(text), &[], &["o", "p"]);
    specification.wired.interface.uncertainty = Uncertainty {
        output_ns: (0, 3 * UNIT_NS),
        drift_ppb: 50_000_000,
        ..Uncertainty::default()
    };
    // At 3.15 by the tester's clock it was 3 by the system's, and it took 3 to arrive.
    for before in ["3.5 o 2.65", "1 o 2.5 o 2.65"] {
        assert_eq!(verdict(&specification, &format!("{before} p 10")), "pass", "{before}");
    }
    assert!(verdict(&specification, "1 o 2.5 o 4 p 10").starts_with("fail"));
}
