//! Verdicts where delays leave open in which order inputs and outputs happened.

use super::{folder, output, punctual};

/// Judges a trace (milliseconds and signals) by a model with these signals, whose delays are 0 to so many milliseconds: the exit code, and
/// what is said.
fn judged(name: &str, model: &str, delay: u32, trace: &[(f64, &str)]) -> (Option<i32>, String) {
    let folder = folder(name);
    let path = |name: &str| folder.join(name).display().to_string();
    let interface = format!(
        "[interface]\ninputs = [\"a\"]\noutputs = [\"o\", \"p\"]\ntime-unit = \"1ms\"\n\
         [uncertainty]\ninput = \"0..{delay}ms\"\noutput = \"0..{delay}ms\"\n"
    );
    std::fs::write(path("punctual.toml"), interface).unwrap();
    let user = "process User() { state S; init S; trans S -> S { sync a!; }, S -> S { sync o?; }, S -> S { sync p?; }; }";
    std::fs::write(
        path("model.xta"),
        format!("chan a, o, p;\n{model}\n{user}\nsystem A, B, User;\n"),
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
