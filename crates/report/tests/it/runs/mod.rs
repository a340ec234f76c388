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
