//! Runs: what reports say of them, and that no record makes a report that is not well-formed.

mod causes;
mod formats;
mod hostile;
mod indexes;
mod infusion;
mod pages;
mod platform;
pub(crate) mod sample;

use punctual_campaign::summary::{Digest, Summary};
use punctual_report::runs::{self, Style};

use sample::{Sample, coffee, missing, trains};

/// A record whose end was lost.
pub(crate) fn cut() -> Sample {
    let mut sample = trains("0002", 60);
    sample.bytes.truncate(sample.bytes.len() - 30);
    sample
}

pub(crate) fn summary() -> Summary {
    let samples = [trains("0001", 60), cut(), coffee(), missing(), sample::hostile()];
    let mut summary = Summary::from_digests(samples.iter().map(Sample::digest).collect());
    let run = punctual_campaign::store::Run::at(std::path::Path::new("runs/0009"));
    summary.unreadable.push((run, "runs/0009/record.jsonl is not a record of a run".into()));
    summary
}

fn text(digest: &Digest) -> String {
    runs::text(digest, Style { colour: false, width: Some(90) })
}

#[test]
fn a_failure() {
    insta::assert_snapshot!(text(&coffee().digest()));
}

#[test]
fn something_missing() {
    insta::assert_snapshot!(text(&missing().digest()));
}

#[test]
fn a_pass_and_a_run_that_was_stopped() {
    let (pass, cut) = (trains("0001", 60), cut());
    insta::assert_snapshot!(format!("{}\n{}", text(&pass.digest()), text(&cut.digest())));
}

#[test]
fn colours_are_for_terminals() {
    let text = runs::text(&coffee().digest(), Style { colour: true, width: None });
    assert!(text.starts_with("\u{1b}[1;31mFAIL\u{1b}[0m  weakCoffee!"), "{text}");
}

#[test]
fn many_runs() {
    let table = runs::table(&summary(), Style { colour: false, width: Some(150) });
    insta::assert_snapshot!(table);
    assert_eq!(
        runs::table(&Summary::default(), Style::default()).lines().last(),
        Some("0 runs; 0 inputs, 0 outputs in 0.000 s")
    );
    // Nothing passed where nothing ran.
    assert_eq!(
        runs::outcome(&Summary::default(), Style::default(), false, "0s"),
        "INCONCLUSIVE  nothing was run\n"
    );
}

#[test]
fn a_steered_run_and_one_that_broke_down() {
    let (heater, broken) = (sample::heater("0007", 7, true), sample::broken());
    insta::assert_snapshot!(format!("{}\n{}", text(&heater.digest()), text(&broken.digest())));
    let summary =
        Summary::from_digests(vec![sample::heater("0001", 1, false).digest(), heater.digest()]);
    insta::assert_snapshot!(runs::table(&summary, Style { colour: false, width: Some(150) }));
}

/// Reading only what a digest needs gives the same as reading a whole record.
#[test]
fn digests_are_the_same_from_lines_and_from_records() {
    use punctual_campaign::store::Reader;
    for sample in [coffee(), sample::heater("0007", 7, true), sample::broken()] {
        let reader = Reader::new(&sample.bytes[..], std::path::Path::new("r")).unwrap();
        assert_eq!(Digest::collect(sample.run.clone(), reader).unwrap(), sample.digest());
    }
}

/// All kinds of faults, as the first line says them.
#[test]
fn headlines() {
    use punctual_campaign::store::{Allowed, Cause, CutOff, Verdict};
    let mut out = String::new();
    let allowed = |signal: &str, from: &str, to: Option<&str>, is_open| Allowed {
        signal: signal.into(),
        values: (signal == "level").then(|| vec![3.into()]),
        from: from.into(),
        to: to.map(str::to_owned),
        from_open: is_open,
        to_open: is_open,
    };
    let windows = vec![
        allowed("granted", "2", Some("5"), false),
        allowed("level", "7/3", None, false),
        allowed("other", "2.5", Some("4.25"), true),
        allowed("more", "0", None, true),
    ];
    for (kind, seen, verdict) in [
        (Cause::TooLate, "granted", Verdict::Fail),
        (Cause::TooEarly, "other", Verdict::Fail),
        (Cause::Missing, "", Verdict::Fail),
        (Cause::WrongOutput, "tea", Verdict::Fail),
        (Cause::WrongValue, "level(7)", Verdict::Fail),
        (Cause::UnknownOutput, "smoke", Verdict::Fail),
        (Cause::Crash, "the system ended with code 139", Verdict::Fail),
        (Cause::Hang, "", Verdict::Fail),
        (Cause::TesterLate, "coin? was due", Verdict::Inconclusive),
        (Cause::OutsideEnvironment, "granted", Verdict::Inconclusive),
        (Cause::ModelError, "division by zero", Verdict::Inconclusive),
        (Cause::Other, "", Verdict::Inconclusive),
    ] {
        let mut digest = coffee().digest();
        let end = digest.end.as_mut().unwrap();
        end.verdict = verdict;
        let diagnosis = end.diagnosis.as_mut().unwrap();
        (diagnosis.kind, diagnosis.seen, diagnosis.at) = (kind, seen.into(), "5.012".into());
        diagnosis.allowed = if verdict == Verdict::Fail { windows.clone() } else { vec![] };
        diagnosis.cut_off = vec![CutOff {
            process: "Gate".into(),
            source: "Waiting".into(),
            why: "invariant x <= 5".into(),
            ..CutOff::default()
        }];
        // The explanation is that of another run.
        diagnosis.explanation.clear();
        out += &format!("{kind:?}: {}\n", runs::headline(&digest));
    }
    insta::assert_snapshot!(out);
}

/// Headlines say what is wrong, and when.
#[test]
fn headlines_say_what_is_wrong() {
    use punctual_campaign::store::{Allowed, Cause, CutOff, Diagnosis};
    let told = |output_ns: (u64, u64), n_resets: u64, diagnosis: Diagnosis| {
        let mut digest = coffee().digest();
        (digest.header.unit_ns, digest.n_resets) = (1_000_000, n_resets);
        digest.header.uncertainty.output_ns = output_ns;
        let end = digest.end.as_mut().unwrap();
        (end.verdict, end.ending) = (diagnosis.kind.verdict(), None);
        end.diagnosis = Some(diagnosis);
        let style = Style { colour: false, width: Some(120) };
        (runs::headline(&digest), runs::text(&digest, style))
    };
    let of = |kind, seen: &str, at: &str, explanation: &str| {
        let (seen, at, explanation) = (seen.into(), at.into(), explanation.into());
        let cut_off = vec![CutOff {
            process: "Bar".into(),
            source: "Warned".into(),
            why: "possible in [10, 11]".into(),
            ..CutOff::default()
        }];
        Diagnosis { kind, seen, at, explanation, cut_off, ..Diagnosis::default() }
    };
    let headline = |diagnosis| told((0, 0), 0, diagnosis).0;
    // The place in the model is that of an output, not of the input.
    let wrong = of(Cause::NotSpecified, "gone", "11", "It says nothing.");
    assert_eq!(headline(wrong), "input without specification: gone at 0.011 s");
    let wrong = Diagnosis { cut_off: vec![], ..of(Cause::NotAccepted, "c", "19", "Add an edge.") };
    let expected = "output that the environment model does not accept: c at 0.019 s";
    assert_eq!(headline(wrong), expected);
    let why = "`opened` came with 1 values, but it has 0";
    let wrong = Diagnosis { cut_off: vec![], ..of(Cause::UnknownOutput, "opened", "3", why) };
    assert_eq!(headline(wrong.clone()), format!("opened! at 0.003 s: {why}"));
    assert_eq!(told((0, 0), 0, wrong).1.matches(why).count(), 1, "it is told once");
    let late = "The tester was late: it had to send `a`.";
    let wrong = Diagnosis { cut_off: vec![], ..of(Cause::TesterLate, "", "40", late) };
    assert_eq!(headline(wrong), "tester too late at 0.040 s: it had to send `a`");
    let stuck = "The model is in error: time stops.";
    let wrong = Diagnosis { cut_off: vec![], ..of(Cause::ModelError, "", "4", stuck) };
    assert_eq!(headline(wrong), "error of the model at 0.004 s: time stops");
    // When an output was sent is told beside when it was seen; a window may be one instant.
    let allowed = |from: &str, to: &str| Allowed {
        signal: "opened".into(),
        from: from.into(),
        to: Some(to.into()),
        ..Allowed::default()
    };
    let early = |at, from, to| Diagnosis {
        allowed: vec![allowed(from, to)],
        cut_off: vec![],
        ..of(Cause::TooEarly, "opened", at, "It came.")
    };
    let sent = "opened! between 0.010 s and 0.011 s";
    let window = "allowed from 0.012 s until 0.015 s";
    let found = told((1_000_000, 2_000_000), 0, early("[10, 11]", "12", "15")).0;
    assert_eq!(found, format!("{sent} (seen at 0.012 s); {window}"));
    // A clock that drifts, or a stamp, makes another interval of it.
    let found = told((1_000_000, 5_000_000), 0, early("[10, 11]", "12", "15")).0;
    assert_eq!(found, format!("{sent}; {window}"));
    let found = headline(early("10", "15", "15"));
    assert_eq!(found, "opened! at 0.010 s; allowed at 0.015 s");
    // Time begins anew with each reset.
    let found = told((0, 0), 2, early("10", "15", "15")).0;
    assert_eq!(found, "opened! at 0.010 s after the last reset; allowed at 0.015 s");
}

/// States that look the same are one, and nobody is told of fewer than there are.
#[test]
fn states_are_told_once() {
    use punctual_campaign::store::{Diagnosis, State};
    let state = |n: usize| State { locations: vec![format!("P.L{n}")], ..State::default() };
    let told = |states: Vec<State>| {
        let style = Style { colour: false, width: Some(120) };
        runs::details(&Diagnosis { states, ..Diagnosis::default() }, 1, style)
    };
    let same = told((0..6).map(|n| state(n % 2)).collect());
    assert_eq!(same, "\n      last good states\n        P.L0\n        P.L1\n");
    assert!(told((0..10).map(state).collect()).ends_with("P.L7\n        … and 2 more\n"));
    // More than twenty are not kept.
    assert!(told((0..20).map(state).collect()).ends_with("P.L7\n        … and at least 12 more\n"));
}
