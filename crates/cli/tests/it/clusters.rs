//! Verdicts where delays leave open in which order inputs and outputs happened.

use super::{folder, output, punctual};

/// Judges a trace (milliseconds and signals) by a model with these signals, whose delays are 0 to so many milliseconds: the exit code, and
/// what is said.
fn judged(name: &str, model: &str, delay: u32, trace: &[(f64, &str)]) -> (Option<i32>, String) {
    let delay = format!("0..{delay}ms");
    judged_within(name, model, [&delay, &delay], trace)
}

/// The same, with delays of inputs and of outputs. A row without a signal ends the trace.
fn judged_within(
    name: &str,
    model: &str,
    [input, output_delay]: [&str; 2],
    trace: &[(f64, &str)],
) -> (Option<i32>, String) {
    let folder = folder(name);
    let path = |name: &str| folder.join(name).display().to_string();
    let interface = format!(
        "[interface]\ninputs = [\"a\", \"b\"]\noutputs = [\"o\", \"p\"]\ntime-unit = \"1ms\"\n\
         [uncertainty]\ninput = \"{input}\"\noutput = \"{output_delay}\"\n"
    );
    std::fs::write(path("punctual.toml"), interface).unwrap();
    let user = "process User() { state S; init S;
        trans S -> S { sync a!; }, S -> S { sync b!; }, S -> S { sync o?; }, S -> S { sync p?; }; }";
    std::fs::write(
        path("model.xta"),
        format!("chan a, b, o, p;\n{model}\n{user}\nsystem A, B, User;\n"),
    )
    .unwrap();
    let rows: String = trace.iter().map(|(at, signal)| format!("{at},{signal}\n")).collect();
    std::fs::write(path("trace.csv"), format!("time,signal\n{rows}")).unwrap();
    let arguments = ["judge", &path("model.xta"), &path("trace.csv"), "--unit", "ms"];
    let (code, stdout, stderr) = output(&mut punctual(&arguments));
    (code, stdout + &stderr)
}

/// Answers an input within 10.
const ANSWERS: &str = "process A() { clock x; state I, W { x <= 10 }; init I;
    trans I -> W { sync a?; assign x = 0; }, W -> I { sync o!; }; }
process B() { state S, T; init S; trans T -> T { sync p!; }; }";

/// A forbidden output that could not be explained before the next event was told was forgotten, and the run passed.
#[test]
fn a_wrong_output_fails_whatever_follows() {
    for trace in [
        &[(10.0, "p"), (20.0, "a")][..],
        &[(10.0, "a"), (15.0, "p"), (20.0, "o")],
        &[(10.0, "a"), (11.0, "p"), (20.0, "o"), (30.0, "a")],
    ] {
        let (code, text) = judged("clusters_forbidden", ANSWERS, 2, trace);
        assert_eq!(code, Some(1), "{trace:?}: {text}");
        assert!(text.contains("`p` came"), "{trace:?}: {text}");
    }
    let (code, text) = judged("clusters_allowed", ANSWERS, 2, &[(10.0, "a"), (15.0, "o")]);
    assert_eq!(code, Some(0), "{text}");
}

/// One part may refuse the input; another one may have sent its output before it, and is not late.
#[test]
fn an_output_before_a_refused_input_is_in_time() {
    let model = "process A() { state A0, A1, A2; init A0;
    trans A0 -> A1 { }, A0 -> A2 { sync a?; }, A2 -> A2 { sync a?; }, A2 -> A2 { sync p!; }; }
process B() { clock x; state B0 { x <= 3 }, B1; init B0; trans B0 -> B1 { sync o!; }; }";
    let (code, text) = judged("clusters_before", model, 10, &[(5.0, "a"), (10.0, "o")]);
    assert_eq!(code, Some(0), "{text}");
}

/// The answer was there before the next request was sent, so that the request was taken, and its answer is missing.
#[test]
fn a_request_after_an_answer_is_not_refused() {
    let trace = [(10.0, "a"), (11.0, "o"), (11.5, "a"), (90.0, "o")];
    let (code, text) = judged("clusters_after", ANSWERS, 2, &trace);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("missing") || text.contains("too late"), "{text}");
}

/// What one part did before the first input for sure is not excused by another part that need not take the input, or takes it never.
#[test]
fn what_came_before_a_refused_input_is_not_excused() {
    let early =
        "process A() { clock x; state S; init S; trans S -> S { guard x >= 5; sync o!; }; }";
    let refuses =
        "process B() { state S, T; init S; trans S -> S { sync a?; }, S -> T { sync p!; }; }";
    let model = format!("{early}\n{refuses}");
    // At the end, as a chain in the middle of a run, and where the input is not taken for sure.
    for (at, trace) in [
        ("end", &[(2.0, "o"), (3.0, "a")][..]),
        ("chain", &[(2.0, "o"), (3.0, "p"), (3.0, "a"), (20.0, "o")]),
        ("never", &[(1.0, "p"), (2.0, "o"), (3.0, "a")]),
    ] {
        let (code, text) = judged(&format!("clusters_excuse_{at}"), &model, 1, trace);
        assert_eq!(code, Some(1), "{at}: {text}");
        assert!(text.contains("`o` came"), "{at}: {text}");
    }
    // What may have come behind it is.
    let late = judged("clusters_excuse_late", &model, 2, &[(3.0, "a"), (4.0, "o"), (4.5, "p")]);
    assert_eq!(late.0, Some(3), "{}", late.1);
}

/// Outputs that follow each other within their delay are explained in time that grows with their number, beside a few inputs, too.
#[test]
fn a_long_chain_of_outputs_is_followed() {
    let model = "process A() { state S; init S; trans S -> S { sync o!; }, S -> S { sync a?; }; }
process B() { state S, T; init S; trans T -> T { sync p!; }; }";
    let outputs = (0..2000).map(|at| (f64::from(at) * 0.5, "o"));
    let mut trace: Vec<(f64, &str)> = outputs.collect();
    trace.extend((0..40).map(|at| (f64::from(at) * 25.0, "a")));
    trace.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (code, text) = judged("clusters_chain", model, 1, &trace);
    assert_eq!(code, Some(0), "{text}");
}

/// A run that ends at a deadline is right, also if an input is on its way that takes longer than that: a system that waited until the deadline failed.
#[test]
fn an_input_on_its_way_does_not_end_a_deadline() {
    let model = "process A() { clock x; state L { x <= 5 }, M; init L;
    trans L -> L { sync a?; }, L -> M { guard x >= 4; sync o!; }, M -> M { sync a?; }; }
process B() { state S; init S; }";
    let delays = ["1ms..1ms", "0ms..0ms"];
    for (name, trace, code) in [
        ("with", &[(5.0, "a"), (5.0, "")][..], 0),
        ("without", &[(5.0, "")], 0),
        ("later", &[(5.0, "a"), (5.5, "")], 1),
    ] {
        let (found, text) = judged_within(&format!("clusters_end_{name}"), model, delays, trace);
        assert_eq!(found, Some(code), "{name}: {text}");
    }
}

/// What one part had to do before an input can have come is not excused by another part that may refuse the input. Signals of other parts meanwhile
/// made it inconclusive.
#[test]
fn a_deadline_before_a_refused_input_is_missed() {
    let model = "process A() { clock x; state L { x <= 2 }, M; init L; trans L -> M { sync o!; }; }
process B() { state L, M; init L;
    trans L -> M { }, L -> L { sync b?; }, L -> L { sync p!; }, M -> M { sync p!; }; }";
    for (name, trace) in [
        ("quiet", &[(0.0, "b"), (4.0, "p"), (14.0, "")][..]),
        ("busy", &[(0.0, "b"), (1.0, "p"), (4.0, "p"), (14.0, "")]),
        ("ended", &[(0.0, "b"), (1.0, "p"), (3.5, "")]),
    ] {
        let name = format!("clusters_deadline_{name}");
        let (code, text) = judged_within(&name, model, ["3ms..5ms", "0ms..0ms"], trace);
        assert_eq!(code, Some(1), "{name}: {text}");
        assert!(text.contains("had to send `o`"), "{name}: {text}");
    }
}

/// The same if the specification says nothing of the input, whatever the order of the parts, and however many inputs came before it.
#[test]
fn what_came_before_an_unknown_input_is_not_excused() {
    let once = "{ state L, M; init L; trans L -> M { sync a?; }, L -> L { sync o!; }, M -> M { sync o!; }; }";
    let due = "{ clock y; state K { y <= 4 }, J; init K;
    trans K -> J { guard y >= 3; sync p!; }, K -> K { sync b?; }, J -> J { sync b?; }; }";
    let trace = [(1.0, "a"), (6.0, "a"), (6.0, "b"), (12.0, "")];
    for (name, [a, b]) in [("first", [once, due]), ("second", [due, once])] {
        let model = format!("process A() {a}\nprocess B() {b}");
        let name = format!("clusters_unknown_{name}");
        let (code, text) = judged_within(&name, &model, ["0ms..2ms", "0ms..0ms"], &trace);
        assert_eq!(code, Some(1), "{name}: {text}");
        assert!(text.contains("had to send `p`"), "{name}: {text}");
    }
    let early = "{ clock y; state K, J; init K;
    trans K -> J { guard y >= 3 && y <= 4; sync p!; }, K -> K { sync b?; }, J -> J { sync b?; }; }";
    let model = format!("process A() {once}\nprocess B() {early}");
    let mut chain: Vec<(f64, &str)> = (1..=30).map(|at| (f64::from(at), "b")).collect();
    chain.extend([(10.0, "p"), (28.0, "a"), (29.0, "a"), (40.0, "")]);
    chain.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (code, text) =
        judged_within("clusters_unknown_chain", &model, ["0ms..2ms", "0ms..0ms"], &chain);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("`p` came"), "{text}");
}

/// What another part does may have come before the input that is not taken, or after it: only if it can not have come before is that part blamed.
#[test]
fn what_may_have_come_in_time_blames_nobody() {
    let model = "process A() { state L, M; init L; trans L -> M { sync a?; }; }
process B() { clock y; state K { y <= 4 }, J; init K; trans K -> J { sync p!; }, K -> K { sync b?; }, J -> J { sync b?; }; }";
    for at in [4.5, 5.0, 6.0, 7.0] {
        // Sent by 4 and seen up to 3 later, or not.
        let trace = [(1.0, "a"), (2.0, "b"), (4.5, "a"), (at, "p"), (12.0, "")];
        let name = format!("clusters_in_time_{at}");
        let (code, text) = judged_within(&name, model, ["0ms..2ms", "0ms..3ms"], &trace);
        assert_eq!(code, Some(3), "{at}: {text}");
    }
    let trace = [(1.0, "a"), (2.0, "b"), (4.5, "a"), (7.5, "p"), (12.0, "")];
    let (code, text) = judged_within("clusters_too_late", model, ["0ms..2ms", "0ms..3ms"], &trace);
    assert_eq!(code, Some(1), "{text}");
}

/// Requests whose answers overtake the next requests are one chain. Looking through it for each of them anew took time with the cube of its length:
/// 15 s for 4,000 events of a release build.
#[test]
fn a_long_chain_of_answers_is_followed() {
    let model = "process A() { clock x; state L, M { x <= 3 }; init L;
    trans L -> M { sync a?; assign x = 0; }, M -> L { guard x >= 1; sync o!; }, M -> M { sync a?; }; }
process B() { state S; init S; }";
    let answered = |n: i32| [(4.0 * f64::from(n), "a"), (4.0 * f64::from(n) + 2.0, "o")];
    let mut trace: Vec<(f64, &str)> = (0..2_000).flat_map(answered).collect();
    trace.push((8_010.0, ""));
    let (code, text) = judged("clusters_answers", model, 3, &trace);
    assert_eq!(code, Some(0), "{text}");
}
