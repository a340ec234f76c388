//! The page of many runs.

use punctual_campaign::summary::Summary;
use punctual_report::runs::{self, Campaign};

use super::sample::{Sample, coffee, heater, missing, trains};

fn page(samples: &[Sample]) -> String {
    let mut summary = Summary::from_digests(samples.iter().map(Sample::digest).collect());
    let run = punctual_campaign::store::Run::at(std::path::Path::new("runs/0099"));
    summary.unreadable.push((run, "runs/0099/record.jsonl is not a record of a run".into()));
    let automata = |digest: &punctual_campaign::summary::Digest| {
        let same = samples.iter().find(|it| it.record().header.model == digest.header.model);
        same.map(|it| it.automata.clone()).unwrap_or_default()
    };
    let link = |run: &punctual_campaign::store::Run| Some(format!("{}.html", run.name));
    runs::index(&summary, &Campaign { title: "nightly & more", link: &link, automata: &automata })
}

/// The words of the page, without pictures, style and script.
fn words(page: &str) -> String {
    let body = page[page.find("<body").unwrap()..].split("<script>").next().unwrap();
    let mut out = String::new();
    for (i, part) in body.split("<svg").enumerate() {
        out += if i == 0 { part } else { part.split_once("</svg>").expect("an end").1 };
    }
    out
}

#[test]
fn runs_of_several_models() {
    let mut samples: Vec<Sample> = (1..=6).map(|n| heater(&format!("{n:04}"), n, n == 4)).collect();
    samples.extend([coffee(), missing(), trains("0050", 40)]);
    let page = page(&samples);
    insta::assert_snapshot!(words(&page));
    // What is drawn: how often and by how much each number was changed.
    assert_eq!(page.matches("<svg class=\"histogram\"").count(), 1);
    assert!(page.contains("role=\"img\" aria-label=\"changes of temperature: "));
    assert_eq!(page.matches("<svg").count(), 1 + 1 + 3, "the automata of each model, once");
}

/// A link is a file beside the page, whatever its name is.
#[test]
fn links_do_not_lead_elsewhere() {
    let sample = heater("0001", 1, false);
    let summary = Summary::from_digests(vec![sample.digest()]);
    let link =
        |_: &punctual_campaign::store::Run| Some("javascript:alert(1)?a#b \"c\".html".into());
    let campaign = Campaign { title: "x", link: &link, automata: &|_| Vec::new() };
    let page = runs::index(&summary, &campaign);
    assert!(page.contains("href=\"./javascript%3Aalert%281%29%3Fa%23b%20%22c%22.html\""));
    assert!(runs::index(&Summary::default(), &campaign).contains("0 runs"));
}
