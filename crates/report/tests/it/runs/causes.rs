//! Whatever the cause is, reports say it in words.

use punctual_campaign::store::{Cause, Diagnosis, Ending, Verdict};
use punctual_campaign::summary::{Digest, Summary};
use punctual_report::runs::{self, Style};

use super::sample::{Sample, coffee, heater};

/// The reports of a run that ended with a diagnosis, for people.
fn reports(sample: &Sample, diagnosis: Diagnosis, is_broken: bool) -> (String, String) {
    let mut record = sample.record();
    let end = record.end.as_mut().unwrap();
    let cause = diagnosis.kind;
    end.verdict = cause.verdict();
    end.ending = is_broken.then(|| Ending { cause, words: String::new() });
    end.diagnosis = Some(diagnosis);
    let digest = Digest::of(sample.run.clone(), &record);
    let style = Style { colour: false, width: Some(120) };
    let mut text = runs::text(&digest, style);
    let headline = runs::headline(&digest);
    text += &runs::table(&Summary::from_digests(vec![digest]), style);
    text += &runs::page(&sample.run, &record, &[]);
    (headline, text)
}

/// One line for each cause: with and without words, for timed runs and for steps.
#[test]
fn every_cause_is_told() {
    let mut out = String::new();
    for cause in Cause::ALL.iter().copied() {
        let bare = Diagnosis { kind: cause, ..Diagnosis::default() };
        let ending = Diagnosis {
            seen: if cause.is_failure() {
                "the system broke down".into()
            } else {
                cause.to_string()
            },
            explanation: "It said so.".into(),
            ..bare.clone()
        };
        let step = Diagnosis { at: "step 3".into(), ..bare.clone() };
        let told = Diagnosis {
            seen: "y = 4".into(),
            at: "step 3".into(),
            explanation: "Step 3: y is 4, the model has 5.".into(),
            ..bare.clone()
        };
        out += &format!("{}\n", cause.name());
        for (sample, diagnosis, is_broken) in [
            (coffee(), bare, false),
            (coffee(), ending, true),
            (heater("0007", 7, false), step, false),
            (heater("0007", 7, false), told, false),
        ] {
            let (headline, text) = reports(&sample, diagnosis, is_broken);
            out += &format!("    {headline}\n");
            // The scripts and the data have their own names.
            let words = text.split("<div id=\"tip\"").next().unwrap();
            let words: String =
                words.split("<style>").enumerate().fold(String::new(), |out, (i, part)| {
                    out + if i == 0 {
                        part
                    } else {
                        part.split_once("</style>").map_or("", |it| it.1)
                    }
                });
            let is_internal = |name: &str| {
                words.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
            };
            assert!(!is_internal(&format!("{cause:?}")) || is_a_word(cause), "{cause:?}");
            assert!(!cause.name().contains('_') || !is_internal(cause.name()), "{}", cause.name());
            assert!(words.contains(cause.verdict().name()));
            let is_missing =
                headline.is_empty() || headline.contains("  ") || headline.contains(" :");
            assert!(!is_missing, "{headline}");
        }
        assert_ne!(cause.verdict(), Verdict::Pass);
    }
    insta::assert_snapshot!(out);
}

/// Whether its name in the source is also a word of other sentences.
fn is_a_word(cause: Cause) -> bool {
    !cause.name().contains('_')
}
