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
    end.ending = is_broken.then(|| Ending::new(cause, ""));
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
            // A name of one word may be a word of a sentence.
            if cause.name().contains('_') {
                assert!(!is_internal(&format!("{cause:?}")), "{cause:?}");
                assert!(!is_internal(cause.name()), "{}", cause.name());
            }
            assert!(words.contains(cause.verdict().name()));
            let is_missing =
                headline.is_empty() || headline.contains("  ") || headline.contains(" :");
            assert!(!is_missing, "{headline}");
        }
        assert_ne!(cause.verdict(), Verdict::Pass);
    }
    insta::assert_snapshot!(out);
}

/// The guide lists all causes, all kinds of lines, and all keys of a run.
#[test]
fn the_guide_knows_all_words() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide");
    let page = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let guide = page("records.md") + &page("json.md");
    for cause in Cause::ALL {
        assert!(guide.contains(&format!("`{}`", cause.name())), "{}", cause.name());
    }
    for sample in [coffee(), heater("0007", 7, true), super::sample::broken()] {
        for line in sample.bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let text = String::from_utf8_lossy(line);
            let kind = &text[..text[2..].find('"').unwrap() + 3];
            assert!(guide.contains(&format!("`{kind}:")), "{kind}");
        }
    }
    let summary = Summary::from_digests(vec![heater("0007", 7, true).digest()]);
    let json: serde_json::Value = serde_json::from_str(&runs::json(&summary)).unwrap();
    let header = &coffee().record().header;
    let header = serde_json::to_value(header).unwrap();
    for object in [&json, &json["totals"], &json["runs"][0], &json["steering"], &header] {
        for key in object.as_object().unwrap().keys() {
            assert!(guide.contains(&format!("`{key}`")), "{key}");
        }
    }
}
