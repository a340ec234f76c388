//! Exact probabilities against closed forms and figures of the STUIOS paper.

use punctual_lang::{Input, testing};
use punctual_model::SignalId;
use punctual_semantics::specification::Specification;
use punctual_semantics::split::{Named, Side};
use punctual_smc::exact::{Event, Inexact, Phase, Ratio, Share, follow};

/// Figure 2: an error is qualified and disqualified 3400 to 5100 ms after it came and went.
const ERROR: &str = "broadcast chan out, in; bool isQualified; int[0,9] qc;
    process Error() { clock x;
        state Absent, Present { x <= 5100 }, PresentQualified, AbsentQualified { x <= 5100 };
        init Absent;
        trans Absent -> Present { sync out?; assign x = 0; },
            Present -> Absent { sync in?; },
            Present -> PresentQualified { guard x >= 3400; assign isQualified = true, qc = qc + 1; },
            PresentQualified -> AbsentQualified { sync in?; assign x = 0; },
            AbsentQualified -> PresentQualified { sync out?; },
            AbsentQualified -> Absent { guard x >= 3400; assign isQualified = false; };
    }
    process User() { state u; init u; trans u -> u { sync out!; }, u -> u { sync in!; }; }
    system Error, User;";

/// Figure 10: the loop itself.
const LOOP: &str = "broadcast chan out, in, detect, qualify; bool isQualified; int[0,9] qc; bool te;
    process Loop() { clock x; state Detect, Qualify, Idle { x <= 1700 }; commit Detect, Qualify; init Idle;
        trans Detect -> Qualify { sync detect!; }, Qualify -> Idle { sync qualify!; },
            Idle -> Detect { guard x >= 1700; assign x = 0; }; }
    process Sensor() { state s; init s; trans s -> s { sync out?; assign te = true; },
            s -> s { sync in?; assign te = false; }; }
    process Error() { int[0,2] q;
        state NN, DN, DQ, NQ; init NN;
        trans NN -> DN { guard te; sync detect?; assign q = 0; },
            DN -> NN { guard !te; sync detect?; },
            DN -> DN { guard te; sync detect?; assign q = q + 1; },
            DN -> DQ { guard q == 2; sync qualify?; assign isQualified = true, qc = qc + 1, q = 0; },
            DQ -> NQ { guard !te; sync detect?; assign q = 0; },
            NQ -> DQ { guard te; sync detect?; },
            NQ -> NQ { guard !te; sync detect?; assign q = q + 1; },
            NQ -> NN { guard q == 2; sync qualify?; assign isQualified = false; }; }
    process User() { state u; init u; trans u -> u { sync out!; }, u -> u { sync in!; }; }
    system Loop, Sensor, Error, User;";

const SEEN: &str = "[interface]\ninputs = [\"out\", \"in\"]\noutputs = []\nobserve = [\"isQualified\", \"qc\"]\n\
    time-unit = \"1ms\"\n";

fn specification(model: &str, interface: &str) -> Specification {
    let reading = punctual_lang::read("model.xta", model.as_bytes());
    let network = reading.model.unwrap_or_else(|| panic!("{:?}", reading.diagnostics)).network;
    let input = Input { name: "punctual.toml", bytes: interface.as_bytes() };
    let reading = testing::read(&network, input);
    let config = reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    Specification::new(network, config.wired, &Named::default()).expect("it can be tested against")
}

/// What a step of a script is: an input by its name, or readings of the ports in order.
enum Do {
    Out,
    In,
    See(i32, i32),
    Mark,
}

/// The shares at the marks of a script for the only component of the system.
fn shares(
    specification: &Specification,
    script: &[(i64, Do)],
    phase: Phase,
) -> Result<Vec<Vec<Share>>, Inexact> {
    let interface = specification.interface();
    let signal = |name: &str| -> SignalId {
        interface.signals.enumerate().find(|(_, it)| it.name == name).expect("a signal").0
    };
    let ports: Vec<u32> =
        interface.ports.ids().map(|port| specification.readers(port)[0].1).collect();
    let events = script.iter().map(|(at, it)| {
        let event = match it {
            Do::Out => Event::Input(signal("out"), vec![]),
            Do::In => Event::Input(signal("in"), vec![]),
            Do::See(a, b) => Event::Read(vec![vec![(ports[0], *a), (ports[1], *b)]]),
            Do::Mark => Event::Mark,
        };
        (*at, event)
    });
    let events: Vec<_> = events.collect();
    let mut parts = specification.side(Side::System);
    let (_, part) = parts.next().expect("a component");
    assert!(parts.next().is_none(), "one component");
    follow(&part.estimator, &events, phase)
}

fn ratio(numerator: i64, denominator: i64) -> Ratio {
    Ratio::new(numerator.into(), denominator.into())
}

/// The probability at the last mark.
fn last(model: &str, script: &[(i64, Do)], phase: Phase) -> Ratio {
    let shares = shares(&specification(model, SEEN), script, phase).expect("it is exact");
    shares.last().expect("a mark").iter().map(|share| share.probability.clone()).sum()
}

/// Figures 3 and 5 of the paper: certain, and a half; with the sequence behind it, a half still.
#[test]
fn figures_of_the_paper() {
    let figure_3 = [(0, Do::Out), (0, Do::See(0, 0)), (5100, Do::See(1, 1)), (5100, Do::Mark)];
    assert_eq!(last(ERROR, &figure_3, Phase::None), ratio(1, 1));
    let figure_5 = [(0, Do::Out), (4250, Do::See(1, 1)), (4250, Do::In), (4250, Do::Mark)];
    assert_eq!(last(ERROR, &figure_5, Phase::None), ratio(1, 2));
    let joined = [
        (0, Do::Out),
        (4250, Do::See(1, 1)),
        (4250, Do::In),
        (9350, Do::See(0, 1)),
        (9350, Do::Mark),
    ];
    assert_eq!(last(ERROR, &joined, Phase::None), ratio(1, 2));
}

/// Two windows one after the other are independent, and their product is exact.
#[test]
fn windows_multiply() {
    let mut script = Vec::new();
    let mut expected = ratio(1, 1);
    for round in 0..8 {
        let start = 20_000 * round;
        script.extend([(start, Do::Out), (start + 3517, Do::See(1, round as i32 + 1))]);
        script.extend([(start + 3517, Do::In), (start + 19_000, Do::See(0, round as i32 + 1))]);
        expected *= ratio(117, 1700);
    }
    script.push((200_000, Do::Mark));
    assert_eq!(last(ERROR, &script, Phase::None), expected);
}

/// An input that takes an error back before it is qualified.
#[test]
fn what_is_taken_back_is_not_drawn_again() {
    let script = [
        (0, Do::Out),
        (4250, Do::In),
        (4250, Do::See(0, 0)),
        (30_000, Do::See(0, 0)),
        (30_000, Do::Mark),
    ];
    assert_eq!(last(ERROR, &script, Phase::None), ratio(1, 2));
}

/// Figure 11, on the loop itself: nothing is random without a phase, a half with it. Figure 1's three phases.
#[test]
fn a_loop_is_random_by_its_phase_only() {
    let figure_11 = |at: i64| [(0, Do::Out), (at, Do::See(1, 1)), (at, Do::Mark)];
    assert_eq!(last(LOOP, &figure_11(4250), Phase::OfScript(1700)), ratio(1, 2));
    assert_eq!(last(LOOP, &figure_11(3400), Phase::OfScript(1700)), ratio(0, 1));
    assert_eq!(last(LOOP, &figure_11(5100), Phase::OfScript(1700)), ratio(1, 1));
    let with_sequence = [
        (0, Do::Out),
        (4250, Do::See(1, 1)),
        (4250, Do::In),
        (5950, Do::See(1, 1)),
        (7650, Do::See(1, 1)),
        (9350, Do::See(0, 1)),
        (9350, Do::Mark),
    ];
    assert_eq!(last(LOOP, &with_sequence, Phase::OfScript(1700)), ratio(1, 2));
    // An error just before a poll is qualified by the third poll; just behind it, by the fourth.
    for (begun, seen) in [(1699, 5101), (1701, 6801), (850, 5101)] {
        let script = |at: i64, seen| [(begun, Do::Out), (at, Do::See(seen, seen)), (at, Do::Mark)];
        assert_eq!(last(LOOP, &script(seen, 1), Phase::None), ratio(1, 1), "{begun}");
        assert_eq!(last(LOOP, &script(seen - 2, 0), Phase::None), ratio(1, 1), "{begun}");
    }
}

/// Qualified by 4250 and disqualified by 4250 after: a quarter if each window is drawn on its own, never in one loop.
#[test]
fn windows_that_share_a_loop() {
    let script = [
        (0, Do::Out),
        (4250, Do::See(1, 1)),
        (4250, Do::In),
        (8500, Do::See(0, 1)),
        (8500, Do::Mark),
    ];
    assert_eq!(last(ERROR, &script, Phase::None), ratio(1, 4));
    assert_eq!(last(ERROR, &script, Phase::OfLoop(1700)), ratio(0, 1));
    assert_eq!(last(LOOP, &script, Phase::OfScript(1700)), ratio(0, 1));
}

/// Delays that follow delays: three of them, each even on a unit, are over by 1 with 1/6, by 2 with 5/6.
#[test]
fn delays_that_follow_delays() {
    let chain = "broadcast chan out, in; bool isQualified; int[0,9] qc;
        process Chain() { clock x;
            state Rest, A { x <= 10 }, B { x <= 10 }, C { x <= 10 }, Done; init Rest;
            trans Rest -> A { sync out?; assign x = 0; }, A -> B { assign x = 0; }, B -> C { assign x = 0; },
                C -> Done { assign isQualified = true, qc = 0; }, Done -> Rest { sync in?; assign isQualified = false; }; }
        process User() { state u; init u; trans u -> u { sync out!; }, u -> u { sync in!; }; }
        system Chain, User;";
    for (at, expected) in [(10, (1, 6)), (20, (5, 6)), (30, (1, 1)), (5, (1, 48)), (15, (1, 2))] {
        let script = [(0, Do::Out), (at, Do::See(1, 0)), (at, Do::Mark)];
        assert_eq!(last(chain, &script, Phase::None), ratio(expected.0, expected.1), "{at}");
    }
    // And again, after it was seen: the product.
    let script = [
        (0, Do::Out),
        (10, Do::See(1, 0)),
        (10, Do::In),
        (20, Do::Out),
        (40, Do::See(1, 0)),
        (40, Do::Mark),
    ];
    assert_eq!(last(chain, &script, Phase::None), ratio(5, 36));
}

/// What can not be computed is said.
#[test]
fn what_is_not_exact_is_said() {
    let tie = [(1700, Do::See(0, 0)), (1700, Do::Mark)];
    assert_eq!(shares(&specification(LOOP, SEEN), &tie, Phase::None), Err(Inexact::Tie));
    let endless = ERROR.replace("Present { x <= 5100 }", "Present");
    let script = [(0, Do::Out), (4000, Do::Mark)];
    let specification = specification(&endless, SEEN);
    assert_eq!(shares(&specification, &script, Phase::None), Err(Inexact::Endless));
}

/// A system with this text of its process or processes, which set `isQualified` and `qc`.
fn system(processes: &str, list: &str) -> String {
    format!(
        "broadcast chan out, in; chan h; bool isQualified; int[0,9] qc;
        {processes}
        process User() {{ state u; init u; trans u -> u {{ sync out!; }}, u -> u {{ sync in!; }}; }}
        system {list}, User;"
    )
}

/// Two stages under one clock that is not set back: the second delay is even between the first and the last instant of all.
#[test]
fn stages_under_one_clock_are_refused() {
    let text = system(
        "process P() { clock x; state R, A { x <= 10 }, B { x <= 20 }, C; init R;
            trans R -> A { sync out?; assign x = 0, qc = 0; }, A -> B { }, B -> C { assign isQualified = true; },
                C -> R { sync in?; assign isQualified = false; }; }",
        "P",
    );
    let script = [(0, Do::Out), (12, Do::See(1, 0)), (12, Do::Mark)];
    let found = shares(&specification(&text, SEEN), &script, Phase::None);
    assert_eq!(found, Err(Inexact::TwoDelays));
}

/// A process first chooses what it does, and then who goes along: an offer with two partners is no more likely.
#[test]
fn an_offer_is_chosen_before_its_partner() {
    let text = system(
        "process P() { clock x; state R, A { x <= 5 }, B; init R;
            trans R -> A { sync out?; assign x = 0; }, A -> B { guard x >= 5; sync h!; },
                A -> B { guard x >= 5; assign qc = 3; }, B -> R { sync in?; assign isQualified = false; }; }
        process Q() { state s; init s; trans s -> s { sync h?; assign qc = 1; }, s -> s { sync h?; assign qc = 2; }; }",
        "P, Q",
    );
    for (seen, expected) in [(3, (1, 2)), (1, (1, 4)), (2, (1, 4))] {
        let script = [(0, Do::Out), (6, Do::See(0, seen)), (6, Do::Mark)];
        assert_eq!(last(&text, &script, Phase::None), ratio(expected.0, expected.1), "{seen}");
    }
    // A choice beside a phase is not counted by the values of the phase.
    let script = [(0, Do::Out), (6, Do::See(0, 3)), (6, Do::Mark)];
    let found = shares(&specification(&text, SEEN), &script, Phase::OfScript(10));
    assert_eq!(found, Err(Inexact::Choice));
}

/// Whoever lets no time pass goes before those who could act at that instant.
#[test]
fn urgent_locations_go_first() {
    let text = system(
        "int[0,1] w;
        process P() { clock x; state R, A { x <= 5 }, U, B; urgent U; init R;
            trans R -> A { sync out?; assign x = 0; }, A -> U { guard x >= 5; assign w = 1; }, U -> B { assign w = 0; },
                B -> R { sync in?; assign isQualified = false; }; }
        process Q() { clock y; state R, A { y <= 10 }, B; init R;
            trans R -> A { sync out?; assign y = 0; }, A -> B { guard y >= 5; assign qc = 1 + w; },
                B -> R { sync in?; }; }",
        "P, Q",
    );
    let script = [(0, Do::Out), (11, Do::See(0, 2)), (11, Do::Mark)];
    assert_eq!(last(&text, &script, Phase::None), ratio(0, 1));
}
