//! Outputs that nobody has seen when a run ends.

use punctual_model::{Id, Uncertainty, Verdict};
use punctual_oracle::conformance::{Coverage, Specification, judge};

use crate::load::{UNIT_NS, network, observed, trace, verdict};

const USER: &str = "process Env() { state S; init S; trans S -> S { sync o?; }, S -> S { sync q?; }, S -> S { sync a!; }; }";

/// What takes time on its way: inputs from the first to the second, outputs up to the third number of units.
fn slow(text: &str, (least, most, output): (u64, u64, u64), read: &[&str]) -> Specification {
    let network = network(&format!("chan a, o, q; {text}"));
    let mut found =
        observed(network, [&["a"], &["o", "q"], read]).unwrap_or_else(|it| panic!("{it}"));
    found.wired.interface.uncertainty = Uncertainty {
        input_ns: (least * UNIT_NS, most * UNIT_NS),
        output_ns: (0, output * UNIT_NS),
        drift_ppb: 0,
    };
    found
}

/// Sends `o` in [8, 9]; what it takes before and behind that, and what it has beside.
fn sender(before: &str, behind: &str, more: &str) -> String {
    format!(
        "{USER} process Sys() {{ clock x; state L {{ x <= 9 }}, M; init L;
            trans L -> M {{ guard x >= 8; sync o!; {more} }} {before} {behind}; }}
        system Env, Sys;"
    )
}

const TAKES_BEFORE: &str = ", L -> L { sync a?; }";
const TAKES_BEHIND: &str = ", M -> M { sync a?; }";

/// A right system failed if the output on its way led to where the specification says nothing of the input.
#[test]
fn what_is_on_its_way_may_lead_to_what_is_not_specified() {
    let refusing = slow(&sender(TAKES_BEFORE, "", ""), (0, 0, 2), &[]);
    assert!(
        verdict(&refusing, "10 a").starts_with("inconclusive"),
        "{}",
        verdict(&refusing, "10 a")
    );
    assert!(verdict(&refusing, "10 a 1 o").starts_with("inconclusive"));
    // Now it has arrived.
    assert!(verdict(&refusing, "10 a 2.5").starts_with("fail: An output is missing"));
    let wrong = format!(
        "int[0,0] n; {}",
        sender(TAKES_BEFORE, ", M -> M { sync a?; assign n = n + 1; }", "")
    );
    let wrong = slow(&wrong, (0, 0, 2), &[]);
    let said = verdict(&wrong, "10 a");
    assert!(said.starts_with("inconclusive: The model is in error"), "{said}");
}

/// A right system failed if a value was read that an output on its way had written.
#[test]
fn what_is_on_its_way_may_have_written_what_is_read() {
    let text = format!("int[0,1] n; {}", sender(TAKES_BEFORE, TAKES_BEHIND, "assign n = 1;"));
    let writing = slow(&text, (0, 0, 2), &["n"]);
    assert_eq!(verdict(&writing, "9 ?n=1"), "pass");
    assert_eq!(verdict(&writing, "9 ?n=0"), "pass");
    assert!(verdict(&writing, "7 ?n=1").starts_with("fail"));
    assert!(verdict(&writing, "9 ?n=1 5").starts_with("fail"), "it had to be seen by 11");
}

/// A right system failed if an input reached it only after the end, and by then something was due.
#[test]
fn what_is_due_after_the_end_is_not_missing() {
    let late = slow(&sender(TAKES_BEFORE, TAKES_BEHIND, ""), (3, 5, 0), &[]);
    assert_eq!(verdict(&late, "7 a"), "pass");
    assert_eq!(verdict(&late, "5 a"), "pass");
    assert!(verdict(&late, "5 a 5").starts_with("fail: An output is missing"));
    // An output that takes no time is seen at the end itself.
    assert!(verdict(&late, "8.5 a 1").starts_with("fail: An output is missing"));
}

/// Of two parts, one was blamed although it was excused, and the other one was wrong.
#[test]
fn who_is_excused_is_not_blamed_for_another_part() {
    for order in ["Env, Sys, Other", "Env, Other, Sys"] {
        let text = sender(TAKES_BEFORE, TAKES_BEHIND, "").replace(
            "system Env, Sys;",
            &format!(
                "process Other() {{ clock y; state K, J; init K; trans K -> J {{ guard y >= 50; sync q!; }}; }}
                system {order};"
            ),
        );
        let both = slow(&text, (0, 0, 2), &[]);
        let said = verdict(&both, "10 a q");
        assert!(
            said.starts_with("fail: `q` came") && said.contains("too early"),
            "{order}: {said}"
        );
    }
}

/// A system that may send something for ever was searched sequence by sequence, and the input that is not specified was not named.
#[test]
fn what_may_be_sent_for_ever_is_followed_to_its_end() {
    let text = format!(
        "{USER} process Sys() {{ state L, M; init L; trans L -> M {{ sync a?; }}, M -> M {{ sync o!; }}; }}
        system Env, Sys;"
    );
    let endless = slow(&text, (0, 0, 2), &[]);
    let said = verdict(&endless, "1 a 1 a");
    assert!(said.starts_with("inconclusive") && said.contains("`a`"), "{said}");
    assert_eq!(said, verdict(&endless, "1 a 1 a 5").as_str());
    assert_eq!(verdict(&endless, "1 a 1"), "pass");
}

/// An input that some states refuse was forgotten if something else happened before it could be over: a right system failed.
#[test]
fn a_refusal_of_an_input_that_is_cut_short_counts() {
    let text = format!(
        "{USER} process Sys() {{ state L, M, N; init L;
            trans L -> M {{ }}, L -> N {{ sync a?; }}, L -> L {{ sync o!; }}, M -> M {{ sync o!; }}, N -> N {{ sync o!; }}; }}
        system Env, Sys;"
    );
    let refusing = slow(&text, (0, 2, 1), &[]);
    for trace in ["1 a 1 q 10", "1 a 2 q 10"] {
        let said = verdict(&refusing, trace);
        assert!(said.starts_with("inconclusive") && said.contains("`a`"), "{trace}: {said}");
    }
}

/// A right system failed if one part may refuse an input while an output of another one is on its way.
#[test]
fn a_part_that_may_refuse_leaves_others_what_is_on_its_way() {
    let parts = "process A() { state L, M; init L; trans L -> M { }, L -> L { sync a?; }, L -> L { sync o!; }, M -> M { sync o!; }; }
        process B() { clock y; state K { y <= 9 }, J; init K; trans K -> J { guard y >= 8; sync q!; }; }";
    for (times, trace) in [((0, 0, 2), "10 a"), ((3, 5, 0), "7 a")] {
        let said = verdict(&slow(&format!("{USER} {parts} system Env, A, B;"), times, &[]), trace);
        assert!(!said.starts_with("fail"), "{trace}: {said}");
    }
}

/// A part was blamed whose output may be on its way, and not the one that shows a wrong value.
#[test]
fn who_may_have_sent_is_not_blamed() {
    let parts = "int[0,1] n;
        process A() { state L; init L; trans L -> L { sync a?; assign n = 0; }, L -> L { sync o!; }; }
        process B() { clock y; state K { y <= 9 }, J; init K; trans K -> J { guard y >= 8; sync q!; }; }";
    let both = slow(&format!("{USER} {parts} system Env, A, B;"), (0, 0, 2), &["n"]);
    let said = verdict(&both, "10 ?n=1");
    assert!(said.starts_with("fail: `n = 1` was read"), "{said}");
}

/// Windows of what may be sent later were told as windows of what was seen last.
#[test]
fn windows_at_the_end_are_those_of_what_was_seen() {
    let text = format!(
        "{USER} process Sys() {{ clock x; state L {{ x <= 5 }}, M {{ x <= 5 }}; init L;
            trans L -> M {{ guard x >= 3; }}, M -> L {{ guard x >= 4; sync o!; assign x = 0; }}, L -> L {{ sync a?; }}, M -> M {{ sync a?; }},
                L -> L {{ guard x >= 9; sync q!; }}; }}
        system Env, Sys;"
    );
    let sending = slow(&text, (0, 1, 0), &[]);
    let said = verdict(&sending, "4 o 1 q");
    assert!(said.ends_with("Allowed was `o` in [8, 9]."), "{said}");
    assert_eq!(said, verdict(&sending, "4 o 1 q 1"));
}

/// An edge was told to be taken for sure, although an output on its way may have led elsewhere.
#[test]
fn nothing_is_certain_while_something_may_be_on_its_way() {
    let sending = slow(&sender(TAKES_BEFORE, TAKES_BEHIND, ""), (0, 0, 2), &[]);
    let certain = |text: &str| {
        let trace = trace(sending.interface(), text);
        let mut coverage = Coverage::new(true);
        assert_eq!(judge(&sending, &trace, &mut coverage).verdict(), Verdict::Pass);
        let system = sending.network.processes.iter().position(|it| it.name == "Sys");
        let edges = coverage.edges().filter(|(process, ..)| Some(process.index()) == system);
        edges.map(|(_, _, it)| it.certain).sum::<u64>()
    };
    assert_eq!(certain("8.5 a 0.1"), 0);
    assert!(certain("1 a 0.1 2 a 3") > 0);
}
