//! Who is guilty: small devices, each with a fault, and what is said of it.

use punctual_model::Uncertainty;
use punctual_oracle::Oracle;
use punctual_oracle::conformance::{Coverage, Judgement, Session, Specification, judge};

use crate::load::{UNIT_NS, example, network, specification, trace, verdict};

/// A device, and somebody who sends and takes everything.
fn device(system: &str, inputs: &[&str], outputs: &[&str]) -> Specification {
    let sends = inputs.iter().map(|it| format!("A -> A {{ sync {it}!; }}"));
    let takes = outputs.iter().map(|it| format!("A -> A {{ sync {it}?; }}"));
    let edges: Vec<String> = sends.chain(takes).collect();
    let text = format!(
        "chan {};\nprocess Env() {{ state A; init A; trans {}; }}\n{system}",
        [inputs, outputs].concat().join(", "),
        edges.join(", ")
    );
    specification(network(&text), inputs, outputs)
}

/// The signals that are guilty, by name.
fn guilty(specification: &Specification, text: &str) -> Vec<String> {
    let interface = specification.interface();
    match judge(specification, &trace(interface, text), &mut Coverage::new(true)) {
        Judgement::Fail(it) | Judgement::Inconclusive(it) => {
            it.guilty().into_iter().map(|id| interface.signals[id].name.clone()).collect()
        }
        Judgement::Pass => Vec::new(),
    }
}

/// A camera says that it is busy, and sends its picture in the same time.
fn camera() -> Specification {
    let system = "
        int n;
        process Light() {
            clock x; state Off, On { x <= 2 }; init Off;
            trans Off -> On { sync shoot?; assign x = 0, n = 1; }, On -> Off { sync busy!; assign n = 0; };
        }
        process Chip() {
            clock y; state Idle, Reading { y <= 9 }; init Idle;
            trans Idle -> Reading { guard n == 1; sync expose?; assign y = 0; },
                Reading -> Idle { sync frame!; };
        }
        system Env, Light, Chip;";
    device(system, &["shoot", "expose"], &["busy", "frame"])
}

/// The next output was called too late, though it was in time and another one was missing.
#[test]
fn a_forgotten_output_is_named() {
    let camera = camera();
    assert_eq!(verdict(&camera, "shoot 1 expose 1 busy 5 frame"), "pass");
    assert_eq!(
        verdict(&camera, "shoot 1 expose 5 frame"),
        "fail: An output is missing: the system had to send `busy` in [0, 2]. The next that happened was \
         `frame` at 6."
    );
    assert_eq!(guilty(&camera, "shoot 1 expose 5 frame"), ["busy"]);
    // What comes too late itself is not missing.
    assert_eq!(
        verdict(&camera, "shoot 1 expose 5 busy"),
        "fail: `busy` came at 6, too late. Allowed was `busy` in [0, 2], `frame` in [1, 2]."
    );
    // An input that comes next, and silence.
    assert_eq!(guilty(&camera, "shoot 1 expose 7 shoot"), ["busy"]);
    assert_eq!(
        verdict(&camera, "shoot 1 expose 12"),
        "fail: An output is missing: the system had to send `busy` in [0, 2]. Nothing came until 13."
    );
}

/// In the train controller whose `stop[3]` never comes, other trains were blamed.
#[test]
fn trains_are_not_blamed_for_each_other() {
    let inputs = ["appr", "leave"];
    let gate = specification(example("train-gate/model.xml"), &inputs, &["stop", "go"]);
    let said = verdict(&gate, "appr[1] 10 appr[3] 3 appr[4] 4 stop[4]");
    assert_eq!(
        said,
        "fail: An output is missing: the system had to send `stop[3]` in [10, 15]. The next that happened \
         was `stop[4]` at 17."
    );
    assert_eq!(guilty(&gate, "appr[1] 10 appr[3] 3 appr[4] 4 stop[4]"), ["stop[3]"]);
    // Both are missing, then one is late and the other is missing.
    assert_eq!(guilty(&gate, "appr[1] 10 appr[3] appr[4] 9"), ["stop[3]", "stop[4]"]);
    assert_eq!(
        verdict(&gate, "appr[1] 10 appr[3] appr[4] 6 stop[4]"),
        "fail: `stop[4]` came at 16, too late. Allowed was `stop[4]` in [10, 15], `stop[3]` in [10, 15]. By \
         then `stop[3]` had to come, too."
    );
}

/// Two alternatives, of which one had to come.
#[test]
fn alternatives_are_all_named() {
    let system = "
        process Sys() {
            clock x; state Idle, Busy { x <= 8 }; init Idle;
            trans Idle -> Busy { sync ask?; assign x = 0; },
                Busy -> Idle { guard x >= 2 && x <= 5; sync yes!; }, Busy -> Idle { guard x >= 6; sync no!; },
                Busy -> Busy { guard x == 7; sync hm!; };
        }
        system Env, Sys;";
    let clerk = device(system, &["ask"], &["yes", "no", "hm"]);
    assert_eq!(
        verdict(&clerk, "1 ask 9"),
        "fail: An output is missing: the system had to send `yes` in [3, 6], or `no` in [7, 9]. Nothing \
         came until 10."
    );
    // What may come, but does not help, is not due.
    assert_eq!(guilty(&clerk, "1 ask 9 hm"), ["yes", "no"]);
    assert_eq!(
        verdict(&clerk, "1 ask 9 no"),
        "fail: `no` came at 10, too late. Allowed was `no` in [7, 9], `yes` in [3, 6], `hm` at 8."
    );
}

/// Parts that know nothing of each other: the one whose time was over first is to blame.
#[test]
fn the_first_of_several_parts_is_blamed() {
    let lamp = |name: &str, input: &str, output: &str, most: u32| {
        format!(
            "process {name}() {{
                clock t; state Off, On {{ t <= {most} }}; init Off;
                trans Off -> On {{ sync {input}?; assign t = 0; }}, On -> Off {{ sync {output}!; }};
            }}"
        )
    };
    let text = format!(
        "{}\n{}\nsystem Env, One, Two;",
        lamp("One", "a", "x", 9),
        lamp("Two", "b", "y", 4)
    );
    let lamps = device(&text, &["a", "b"], &["x", "y"]);
    assert_eq!(verdict(&lamps, "a b 4 y 5 x"), "pass");
    // `x` is wrong at 12, and `y` was missing long before.
    assert_eq!(guilty(&lamps, "a 1 b 11 x"), ["y"]);
    assert_eq!(guilty(&lamps, "a 1 b 11"), ["y"]);
    assert_eq!(guilty(&lamps, "a 7 b 3 x"), ["x"]);
    assert_eq!(guilty(&lamps, "a 5 b 7"), ["x", "y"]);
    assert_eq!(guilty(&lamps, "b 6 a x x"), ["y"]);
}

/// A specification that stops time itself is told as such, and not as an output that nobody can send.
#[test]
fn time_that_stands_still() {
    let system = "
        process Sys() {
            clock x; state A { x <= 3 }, B; init A;
            trans A -> B { sync in?; }, B -> B { sync out!; };
        }
        system Env, Sys;";
    let stuck = device(system, &["in"], &["out"]);
    assert_eq!(
        verdict(&stuck, "5 out"),
        "inconclusive: The model is in error: the specification lets no time pass after 3, and no output of the system \
         would change that. The next that happened was `out` at 5."
    );
    // What was wrong before is the system's fault; what it might have sent to get nowhere is not.
    let system = "
        process Sys() {
            clock x; state A { x <= 2 }, B { x <= 5 }, C; init A;
            trans A -> B { sync out!; }, A -> C { sync end!; }, B -> C { guard x >= 6; sync end!; };
        }
        system Env, Sys;";
    let trap = device(system, &["in"], &["out", "end"]);
    let guilty_of = |text: &str| (verdict(&trap, text), guilty(&trap, text));
    let (said, names) = guilty_of("1 out 6 end");
    assert!(
        said.starts_with("inconclusive: The model is in error: the specification lets no time"),
        "{said}"
    );
    assert!(names.is_empty());
    let (said, names) = guilty_of("4 out");
    assert!(said.starts_with("fail: "), "{said}");
    assert_eq!(names, ["out"]);
    // Another part may have been late before, or later.
    let both = |bound: u32| {
        let system = format!(
            "process Stops() {{ clock x; state A {{ x <= 3 }}; init A; trans A -> A {{ guard x > 3; sync out!; }}; }}
            process Sends() {{ clock y; state A {{ y <= {bound} }}; init A; trans A -> A {{ sync end!; assign y = 0; }}; }}
            system Env, Stops, Sends;"
        );
        let both = device(&system, &["in"], &["out", "end"]);
        (verdict(&both, "9"), guilty(&both, "9"))
    };
    assert_eq!(both(2).1, ["end"]);
    for bound in [3, 4] {
        let (said, names) = both(bound);
        assert!(said.starts_with("inconclusive: The model is in error"), "{bound}: {said}");
        assert!(names.is_empty());
    }
}

/// Signals that take their time: all orders are tried, and the missing output is named.
#[test]
fn behind_a_slow_connection() {
    let mut camera = camera();
    let delay = (0, UNIT_NS);
    camera.wired.interface.uncertainty =
        Uncertainty { input_ns: delay, output_ns: delay, drift_ppb: 0 };
    assert_eq!(guilty(&camera, "shoot 1 expose 5 frame"), ["busy"]);
    assert_eq!(guilty(&camera, "shoot 1 expose 3 busy 20"), ["frame"]);
}

/// An input that may have come too late for the camera to take it fails nobody; what is wrong in any case does.
#[test]
fn an_input_that_may_not_have_been_taken() {
    let mut camera = camera();
    let delay = (0, UNIT_NS);
    camera.wired.interface.uncertainty =
        Uncertainty { input_ns: delay, output_ns: delay, drift_ppb: 0 };
    assert_eq!(
        verdict(&camera, "shoot 1 expose 2 busy 20"),
        "inconclusive: The input `expose` between 1 and 2 may not have been taken: the system may have been in \
         (Light.Off, Chip.Idle), where the specification does not take it and does not say what follows. If it was \
         taken: An output is missing: the system had to send `frame` in [2, 11]. Nothing came until 22."
    );
    assert_eq!(guilty(&camera, "shoot 1 expose 2 busy 20"), ["expose"]);
    // The light was late before that.
    assert_eq!(guilty(&camera, "shoot 8 expose 20"), ["busy"]);
    // Exact instants: `busy` may come at any time, so that nobody knows whether the chip is exposed.
    let system = "
        int n = 1;
        process Light() { clock x; state On { x <= 5 }, Off; init On; trans On -> Off { guard x >= 3; assign n = 0; }; }
        process Chip() {
            clock y; state Idle, Reading { y <= 9 }; init Idle;
            trans Idle -> Reading { guard n == 1; sync expose?; assign y = 0; }, Reading -> Idle { sync frame!; };
        }
        system Env, Light, Chip;";
    let hidden = device(system, &["expose"], &["frame"]);
    assert_eq!(guilty(&hidden, "2 expose 20"), ["frame"]);
    assert_eq!(guilty(&hidden, "4 expose 20"), ["expose"]);
    assert_eq!(verdict(&hidden, "4 expose 2 frame 20"), "pass");
    assert_eq!(
        verdict(&hidden, "6 expose 20"),
        "inconclusive: The specification does not say what follows the input `expose` at 6, so nothing that \
         came after it can be judged."
    );
}

/// Of several late parts of the environment, the first counts: what the system does later is not judged.
#[test]
fn the_first_late_user_counts() {
    let text = "
        chan a, b, out;
        process Slow() { clock x; state A { x <= 8 }, B; init A; trans A -> B { sync a!; }; }
        process Fast() { clock x; state A { x <= 3 }, B; init A; trans A -> B { sync b!; }; }
        process Sink() { state A; init A; trans A -> A { sync out?; }; }
        process Sys() {
            clock x; state A { x <= 5 }, B; init A;
            trans A -> B { sync out!; }, A -> A { sync a?; }, A -> A { sync b?; }, B -> B { sync a?; }, B -> B { sync b?; };
        }
        system Slow, Fast, Sink, Sys;";
    let users = specification(network(text), &["a", "b"], &["out"]);
    assert_eq!(
        verdict(&users, "9"),
        "inconclusive: The tester was late: the environment had to send `b` in [0, 3], and at 9 it had not."
    );
    assert_eq!(guilty(&users, "3 b 3 a"), ["out"]);
}

/// Whatever is wrong, it is said in words: with windows that have both ends, and in whole sentences.
#[test]
fn every_cause_in_words() {
    let text = "
        chan go, extra, done, level0; int[0,3] n;
        process Env() {
            clock y; state A { y <= 50 }; init A;
            trans A -> A { sync go!; assign y = 0; }, A -> A { sync done?; }, A -> A { guard y >= 1; sync level0?; };
        }
        process Sys() {
            clock x; state Idle, Warm { x <= 10 }, Ready { x <= 12 }, Show { x <= 20 }, Odd; init Idle;
            trans Idle -> Warm { sync go?; assign x = 0; }, Warm -> Ready { guard x >= 10; },
                Ready -> Show { sync done!; }, Show -> Idle { sync level0!; assign n = 2; },
                Idle -> Odd { sync done!; assign n = 3; }, Odd -> Idle { sync level0!; assign n = 3; };
        }
        system Env, Sys;";
    let heater = specification(network(text), &["go"], &["done", "level0(n)"]);
    let said: Vec<String> = [
        "go 5 done",
        "go 13 done",
        "go 13",
        "go 11 done 2 level0(1)",
        "go 3 level0(2)",
        "go 5 go",
        "51 go",
        "done level0(3)",
    ]
    .map(|trace| verdict(&heater, trace))
    .to_vec();
    assert_eq!(
        said,
        [
            "fail: `done` came at 5, too early. Allowed was `done` in [10, 12].",
            "fail: `done` came at 13, too late. Allowed was `done` in [10, 12].",
            "fail: An output is missing: the system had to send `done` in [10, 12]. Nothing came until 13.",
            "fail: `level0(1)` came at 13 with a value that is not allowed. Allowed was `level0(2)` in [11, 20].",
            "fail: `level0(2)` came at 3, and is not allowed there. Allowed was `done` in [10, 12].",
            "inconclusive: The specification does not say what follows the input `go` at 5, so nothing that came \
             after it can be judged.",
            "inconclusive: The tester was late: the environment had to send `go` in [0, 50], and at 51 it had not.",
            "inconclusive: The environment model does not accept the output `level0(3)` at 0, although the system may \
             send it. Add an edge that receives it.",
        ]
    );
}

/// An output in the last third of its window was counted as early, since time had passed when its window was looked at.
#[test]
fn windows_are_covered_early_and_late() {
    let camera = camera();
    let covered = |text: &str| {
        let mut coverage = Coverage::new(true);
        let trace = trace(camera.interface(), text);
        let mut session = Session::new(&camera, coverage).map_err(|_| ()).unwrap();
        for event in &trace.events {
            session.approach(event.from_ns, event.from_ns);
            session.event(event);
        }
        assert!(session.conclude(trace.end_ns).is_pass());
        coverage = session.coverage;
        let of = |name: &str| {
            let process = camera.network.processes.enumerate().find(|(_, it)| it.name == name);
            let all = coverage.edges().filter(|(it, ..)| Some(*it) == process.map(|it| it.0));
            let placed = all.map(|(_, _, it)| [it.early, it.middle, it.late]);
            placed.fold([0; 3], |sum, it| [sum[0] + it[0], sum[1] + it[1], sum[2] + it[2]])
        };
        [of("Light"), of("Chip")]
    };
    assert_eq!(covered("shoot 0.2 expose 0.2 busy 2 frame"), [[1, 0, 0], [1, 0, 0]]);
    assert_eq!(covered("shoot 1 expose busy 3.5 frame"), [[0, 1, 0], [0, 1, 0]]);
    assert_eq!(covered("shoot 1 expose 1 busy 7.5 frame"), [[0, 0, 1], [0, 0, 1]]);
}

/// Of a part that is not guilty, the second window of a signal was left out.
#[test]
fn all_windows_of_others_are_told() {
    let system = "
        process Lamp() {
            clock x; state A { x <= 11 }; init A;
            trans A -> A { guard x >= 9; sync blink!; assign x = 0; };
        }
        process Pane() {
            clock y; state Shut, Choosing, Soon { y <= 12 }, Later { y <= 22 }; commit Choosing; init Shut;
            trans Shut -> Choosing { sync air?; assign y = 0; }, Choosing -> Soon { }, Choosing -> Later { },
                Soon -> Shut { guard y >= 10; sync opened!; }, Later -> Shut { guard y >= 20; sync opened!; };
        }
        system Env, Lamp, Pane;";
    let greenhouse = device(system, &["air"], &["blink", "opened"]);
    assert_eq!(
        verdict(&greenhouse, "3 air 2 blink"),
        "fail: `blink` came at 5, too early. Allowed was `blink` in [9, 11], `opened` in [13, 15] or in [23, 25]."
    );
    // What lies between two windows.
    assert_eq!(
        verdict(&greenhouse, "3 air 6 blink 9 blink 2 opened"),
        "fail: `opened` came at 20, too late for [13, 15] and too early for [23, 25]. Allowed was `opened` in [13, 15] or \
         in [23, 25], `blink` in [27, 29]."
    );
    // Behind a deadline that was missed, nothing is allowed; up to it, what others might send.
    assert_eq!(
        verdict(&greenhouse, "3 air 7 blink 10 blink 8 blink"),
        "fail: An output is missing: the system had to send `opened` in [13, 15] or in [23, 25]. The next that happened \
         was `blink` at 28."
    );
}
