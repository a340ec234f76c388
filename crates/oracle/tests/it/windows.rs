//! Windows of outputs and of what is read: whole, whatever happened unseen or was observed in between.

use punctual_model::Id;
use punctual_oracle::conformance::{Coverage, Monitor, Specification, interval_text, judge};

use punctual_semantics::estimate::Interval;

use crate::load::{UNIT_NS, network, observed, trace, verdict};

/// Warms up unseen before it is done. Somebody may ask for its state at any time.
const HEATER: &str = "
    chan go, ping, pong, done;
    process Env() {
        state A; init A;
        trans A -> A { sync go!; }, A -> A { sync ping!; }, A -> A { sync done?; }, A -> A { sync pong?; };
    }
    process Sys() {
        clock x; state Idle, Warm { x <= 10 }, Ready { x <= 12 }, Done { x <= LAST }; init Idle;
        trans Idle -> Warm { sync go?; assign x = 0; },
            Warm -> Ready { guard x >= 10; },
            Ready -> Done { sync done!; },
            Done -> Idle { sync pong!; },
            Idle -> Idle { sync ping?; }, Warm -> Warm { sync ping?; }, Ready -> Ready { sync ping?; },
            Done -> Done { sync ping?; };
    }
    system Env, Sys;";

fn heater(last: &str) -> Specification {
    let text = HEATER.replace("LAST", last);
    let names: [&[&str]; 3] = [&["go", "ping"], &["done", "pong"], &["Sys.location"]];
    observed(network(&text), names).unwrap_or_else(|it| panic!("{it}"))
}

#[test]
fn behind_a_hidden_step() {
    let heater = heater("20");
    let early = "fail: `done` came at 5, too early. Allowed was `done` in [10, 12].";
    assert_eq!(verdict(&heater, "go 5 done"), early);
    // Nothing was looked at before the output came, or all of it, or something else was seen.
    assert_eq!(verdict(&heater, "go 2 ping 3 done"), early);
    let late = "fail: `done` came at 13, too late. Allowed was `done` in [10, 12].";
    assert_eq!(verdict(&heater, "go 13 done"), late);
    assert_eq!(
        verdict(&heater, "go 13"),
        "fail: An output is missing: the system had to send `done` in [10, 12]. Nothing came until 13."
    );
}

/// What was observed in between does not cut a window, unless it closes it.
#[test]
fn from_the_first_instant_on() {
    let heater = heater("20");
    for text in ["go 11 ping 2 done", "go 10.5 ping 1 ping 1.5 done", "go 11 ping 1 ping 1 done"] {
        let late = "fail: `done` came at 13, too late. Allowed was `done` in [10, 12].";
        assert_eq!(verdict(&heater, text), late, "{text}");
    }
    assert_eq!(
        verdict(&heater, "go 11 done ping 10 pong"),
        "fail: `pong` came at 21, too late. Allowed was `pong` in [11, 20]."
    );
    let text = verdict(&heater, "go 11 done 1 done");
    assert!(text.ends_with("Allowed was `pong` in [11, 20]."), "{text}");
}

#[test]
fn of_what_is_read() {
    let heater = heater("20");
    assert_eq!(
        verdict(&heater, "go 5 ?Sys.location=Ready"),
        "fail: `Sys.location = Ready` was read at 5, and can not be. Possible was `Sys.location = Warm` in \
         [0, 10], `Sys.location = Ready` in [10, 12]."
    );
    // Between 10 and 12 something else was seen, which tells nothing about the location.
    assert_eq!(
        verdict(&heater, "go 9 ping 2 ?Sys.location=Idle"),
        "fail: `Sys.location = Idle` was read at 11, and can not be. Possible was \
         `Sys.location = Ready` in [10, 12]."
    );
}

/// A window that is open for more observations than are remembered begins at one of them.
#[test]
fn as_far_as_observations_are_remembered() {
    let heater = heater("5000");
    let pings = |n: usize| format!("go 10 done {} 4600 pong", "1 ping ".repeat(n));
    let text = verdict(&heater, &pings(60));
    assert!(text.starts_with("pass"), "{text}");
    let begin = |n: usize| -> i64 {
        let text = verdict(&heater, &pings(n).replace("4600", "5000"));
        let text = text.strip_suffix(", 5000].").unwrap_or_else(|| panic!("{text}"));
        text.rsplit('[').next().and_then(|it| it.parse().ok()).unwrap_or_else(|| panic!("{text}"))
    };
    assert_eq!(begin(60), 10);
    for n in [200, 231, 300] {
        let last = 10 + n as i64;
        assert!((last - 128..=last - 64).contains(&begin(n)), "{n}: {}", begin(n));
    }
}

/// What a run is told while it goes on.
#[test]
fn while_a_run_goes_on() {
    let heater = heater("20");
    let mut coverage = Coverage::new(false);
    let mut monitor = Monitor::new(&heater).unwrap();
    let expected = |monitor: &mut Monitor<'_>| -> Vec<String> {
        let scale = heater.interface().time;
        let allowed = monitor.expected().unwrap();
        allowed.iter().map(|it| interval_text(it.interval, scale)).collect()
    };
    assert!(expected(&mut monitor).is_empty());
    let trace = trace(heater.interface(), "go 11 ping");
    monitor.event(&trace.events[0], &mut coverage).unwrap();
    assert_eq!(expected(&mut monitor), ["[10, 12]"]);
    monitor.quiet(11 * UNIT_NS, &mut coverage).unwrap();
    assert_eq!(expected(&mut monitor), ["[10, 12]"]);
    monitor.event(&trace.events[1], &mut coverage).unwrap();
    assert_eq!(expected(&mut monitor), ["[10, 12]"]);
    monitor.restart().unwrap();
    assert!(expected(&mut monitor).is_empty());
}

/// A coin is answered at once, from a place where time stands still. The window of what was allowed all the time was cut there.
#[test]
fn across_an_answer_that_takes_no_time() {
    let text = "
        chan coin, show, over;
        process Meter() {
            clock x; state Idle, Paid { x <= 30 }, Shows; commit Shows; init Idle;
            trans Idle -> Paid { sync coin?; assign x = 0; },
                Paid -> Shows { sync coin?; },
                Shows -> Paid { sync show!; },
                Paid -> Idle { guard x >= 20; sync over!; };
        }
        process Env() {
            state A; init A;
            trans A -> A { sync coin!; }, A -> A { sync show?; }, A -> A { sync over?; };
        }
        system Meter, Env;";
    let meter = observed(network(text), [&["coin"], &["show", "over"], &[]]).unwrap();
    assert_eq!(verdict(&meter, "coin 25 coin show 3 over"), "pass");
    assert_eq!(
        verdict(&meter, "coin 25 coin show 10 over"),
        "fail: `over` came at 35, too late. Allowed was `over` in [20, 30]."
    );
}

/// A device that is started, and does what a system says.
fn started(system: &str) -> Specification {
    let text = format!(
        "chan go, done;
        const int minutes[2] = {{40, 60}};
        process Env() {{ state A; init A; trans A -> A {{ sync go!; }}, A -> A {{ sync done?; }}; }}
        process Sys() {{ {system} }}
        system Env, Sys;"
    );
    observed(network(&text), [&["go"], &["done"], &[]]).unwrap()
}

/// Bounds that come from tables and variables, and what lies behind many hidden steps, was not looked at.
#[test]
fn far_ahead() {
    let cooker = started(
        "clock x; int[0, 1] d = 1; state Idle, Cooking { x <= minutes[d] }, Ready { x <= 3 }; init Idle;
        trans Idle -> Cooking { sync go?; assign x = 0, d = 1 - d; },
            Cooking -> Ready { guard x >= minutes[d]; assign x = 0; }, Ready -> Idle { sync done!; };",
    );
    assert_eq!(
        verdict(&cooker, "go 5 done"),
        "fail: `done` came at 5, too early. Allowed was `done` in [40, 43]."
    );
    let ticks = |n: u32| {
        started(&format!(
            "clock x; int[0, {n}] n = 0; state Idle, Running {{ x <= 1 }}; init Idle;
            trans Idle -> Running {{ sync go?; assign n = 0, x = 0; }},
                Running -> Running {{ guard x >= 1 && n < {n}; assign n++, x = 0; }},
                Running -> Idle {{ guard x >= 1 && n == {n}; sync done!; }};"
        ))
    };
    assert_eq!(
        verdict(&ticks(29), "go 5 done"),
        "fail: `done` came at 5, too early. Allowed was `done` at 30."
    );
    assert_eq!(
        verdict(&ticks(2_000), "go 5 done"),
        "fail: `done` came at 5, too early. Allowed was `done` at 2001."
    );
    // Who ticks for ever is not followed for ever.
    let clock = started(
        "clock x; state Idle, Running { x <= 1 }; init Idle;
        trans Idle -> Running { sync go?; assign x = 0; },
            Running -> Running { guard x >= 1; assign x = 0; }, Idle -> Idle { sync done!; };",
    );
    assert_eq!(
        verdict(&clock, "go 5 done"),
        "fail: `done` came at 5, and is not allowed there. Allowed was no output at all. What comes after 7 was not looked \
         at."
    );
    // Where nothing can happen unseen any more, there is nothing to look at.
    let quiet = started(
        "clock x; state Idle, Warm { x <= 9 }, Out; init Idle;
        trans Idle -> Warm { sync go?; assign x = 0; }, Warm -> Out { guard x >= 8; }, Idle -> Idle { sync done!; };",
    );
    assert_eq!(
        verdict(&quiet, "go 5 done"),
        "fail: `done` came at 5, and is not allowed there. Allowed was no output at all."
    );
}

/// States were told with values of clocks that their invariants forbid.
#[test]
fn states_keep_their_invariants() {
    let system = started(
        "clock x; state Idle, Choosing, Busy { x <= 4 }; commit Choosing; init Idle;
        trans Idle -> Choosing { sync go?; assign x = 0; }, Choosing -> Busy { }, Busy -> Idle { sync done!; };",
    );
    let trace = trace(system.interface(), "3 go go");
    let judged = judge(&system, &trace, &mut Coverage::new(true));
    let diagnosis = judged.reason().expect("nobody takes it twice");
    let busy =
        diagnosis.states.iter().filter(|it| it.locations.iter().any(|(_, at)| at.index() == 2));
    let clocks: Vec<Interval> = busy.flat_map(|it| &it.clocks).map(|(_, it)| *it).collect();
    assert!(!clocks.is_empty(), "{diagnosis:?}");
    assert!(clocks.iter().all(|it| it.to.is_some_and(|to| to.at <= 4)), "{clocks:?}");
}

/// A clock that only has to reach something forgets what it is above: the last good state said that it may be anywhere from 0 to 5.
#[test]
fn states_have_the_values_that_clocks_really_have() {
    let system = started(
        "clock x, y; state Idle, Busy { y <= 9 }; init Idle;
        trans Idle -> Busy { sync go?; assign x = 0, y = 0; }, Busy -> Busy { guard x >= 3; sync done!; assign y = 0; };",
    );
    let trace = trace(system.interface(), "3 go 4 done 1 go");
    let judged = judge(&system, &trace, &mut Coverage::new(true));
    let diagnosis = judged.reason().expect("nobody takes it twice");
    let clocks: Vec<(i64, Option<i64>)> = diagnosis
        .states
        .iter()
        .flat_map(|it| &it.clocks)
        .map(|(_, it)| (it.from.at, it.to.map(|to| to.at)))
        .collect();
    assert_eq!(clocks, [(5, Some(5)), (1, Some(1))]);
}

/// A window that reached beyond the instants that were looked at first was told as far as these, though the signal was known.
#[test]
fn windows_that_go_on_are_told_to_their_end() {
    let toaster = started(
        "clock x; state I, A { x <= 2 }, B { x <= 2 }, C { x <= 2 }, D { x <= 2 }; init I;
        trans I -> A { sync go?; assign x = 0; }, A -> B { guard x >= 1; assign x = 0; },
            B -> C { guard x >= 1; assign x = 0; }, C -> D { guard x >= 1; assign x = 0; }, D -> I { guard x >= 1; sync done!; };",
    );
    for (text, at) in [("go done", 0), ("go 1 done", 1), ("go 3 done", 3)] {
        let early = format!("fail: `done` came at {at}, too early. Allowed was `done` in [4, 8].");
        assert_eq!(verdict(&toaster, text), early);
    }
}
