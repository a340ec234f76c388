//! The page of many runs.

use punctual_campaign::summary::Summary;
use punctual_report::runs::{self, Campaign};

use super::sample::{Sample, coffee, heater, missing, requirements, trains};

fn page(samples: &[Sample]) -> String {
    let mut summary = Summary::from_digests(samples.iter().map(Sample::digest).collect());
    let run = punctual_campaign::store::Run::at(std::path::Path::new("runs/0099"));
    summary.unreadable.push((run, "runs/0099/record.jsonl is not a record of a run".into()));
    let automata = |digest: &punctual_campaign::summary::Digest| {
        let same = samples.iter().find(|it| it.record().header.model == digest.header.model);
        same.map(|it| it.automata.clone()).unwrap_or_default()
    };
    let link = |run: &punctual_campaign::store::Run| Some(format!("{}.html", run.name));
    let campaign = Campaign {
        title: "nightly & more",
        link: &link,
        automata: &automata,
        matrices: &[],
        repeated: &[],
    };
    runs::index(&summary, &campaign)
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
    let campaign = Campaign {
        title: "x",
        link: &link,
        automata: &|_| Vec::new(),
        matrices: &[],
        repeated: &[],
    };
    let page = runs::index(&summary, &campaign);
    assert!(page.contains("href=\"./javascript%3Aalert%281%29%3Fa%23b%20%22c%22.html\""));
    assert!(runs::index(&Summary::default(), &campaign).contains("0 runs"));
}

/// Each requirement with all of its checks, in the cases that make them, and what came of them.
#[test]
fn requirements_of_a_suite() {
    let campaign = Campaign {
        title: "x",
        link: &|_| None,
        automata: &|_| Vec::new(),
        matrices: &[requirements()],
        repeated: &[],
    };
    let page = runs::index(&Summary::default(), &campaign);
    let (_, section) = page.split_once("<section id=\"requirements-0\"").expect("a section");
    let (section, _) = section.split_once("</section>").expect("an end");
    insta::assert_snapshot!(section);
    // More rows than a browser likes are counted.
    let mut many = requirements();
    let row = many.requirements[0].rows[0].clone();
    many.requirements[0].rows = vec![row; 1200];
    let page = runs::index(&Summary::default(), &Campaign { matrices: &[many], ..campaign });
    assert!(page.contains("… and 202 more rows."), "1200 and 2 rows, of which 1000 are shown");
}
