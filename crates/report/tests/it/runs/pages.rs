//! Pages: what they say, and what the script is given. How they look is for the browser test.

use punctual_campaign::store::Verdict;
use punctual_report::runs;

use super::sample::{Sample, broken, coffee, heater, hostile, missing, trains};

fn page(sample: &Sample) -> String {
    runs::page(&sample.run, &sample.record(), &sample.automata)
}

/// What stands between two texts.
fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let start = text.find(from).unwrap_or_else(|| panic!("no {from}")) + from.len();
    &text[start..start + text[start..].find(to).unwrap_or_else(|| panic!("no {to}"))]
}

fn data(page: &str) -> serde_json::Value {
    let text = between(page, "<script type=\"application/json\" id=\"data\">", "</script>");
    serde_json::from_str(text).expect("JSON")
}

/// The words of the page, without pictures, style and script.
#[test]
fn a_failure_in_words() {
    let page = page(&coffee());
    let body = between(&page, "<body", "<div id=\"tip\"");
    let mut out = String::new();
    for (i, part) in body.split("<svg").enumerate() {
        out += if i == 0 { part } else { part.split_once("</svg>").expect("an end").1 };
    }
    insta::assert_snapshot!(format!("<body{out}"));
}

#[test]
fn what_the_script_is_given() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&data(&page(&missing()))).unwrap());
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    for sample in [coffee(), trains("0001", 60), hostile(), heater("1", 3, true), broken()] {
        let page = page(&sample);
        for word in ["src=", "@import", "url(", "fetch(", "XMLHttpRequest", "<link", "<iframe"] {
            let is_shown = sample.run.name == "title>" && word == "src=";
            assert!(is_shown || !page.contains(word), "{word}");
        }
        assert!(page.contains("default-src 'none'"));
        let links = page.match_indices("http").filter(|(at, _)| {
            let rest = &page[*at..];
            !rest.starts_with("http-equiv") && !rest.starts_with("http://www.w3.org/2000/svg")
        });
        assert_eq!(links.count(), 0);
    }
}

#[test]
fn windows_end_when_more_is_known() {
    let data = data(&page(&coffee()));
    let windows = &data["windows"];
    let n_windows = windows["from"].as_array().unwrap().len();
    let mut cut_short = 0;
    for i in 0..n_windows {
        let (to, whole) =
            (windows["to"][i].as_u64().unwrap(), windows["whole"][i].as_u64().unwrap());
        assert!(to <= whole && windows["from"][i].as_u64().unwrap() <= to);
        cut_short += usize::from(to < whole);
    }
    // Four cups of strong coffee came within their windows. The first could have been weak, until
    // it was too late for that. The last window was never replaced.
    assert_eq!((cut_short, n_windows), (4, 6), "{windows}");
    assert_eq!(windows["to"][5], windows["whole"][5]);
}

#[test]
fn failures_are_marked() {
    let failing = data(&page(&coffee()));
    let failure = &failing["failure"];
    assert_eq!((failure["event"].as_u64(), failure["lane"].as_u64()), (Some(15), Some(2)));
    assert_eq!(failure["word"], "too early");
    let missing = data(&page(&missing()));
    assert_eq!(missing["failure"]["lane"], 3, "where something should have been");
    assert!(missing["failure"]["event"].is_null());
    assert!(data(&page(&trains("0001", 9)))["failure"].is_null());
    let page = page(&coffee());
    assert_eq!(page.matches("class=\"edge faulty\"").count(), 1, "the edge that was cut off");
    assert!(page.contains("taken 4 times: 1 early, 2 in the middle, 1 late"));
}

#[test]
fn names_are_text() {
    let page = page(&hostile());
    assert_eq!(page.matches("<script").count(), 2, "the data and the script");
    assert_eq!(page.matches("</script").count(), 2);
    for tag in ["<img", "<i>", "<u>", "</title><", "<!--", "<b>"] {
        assert!(!page.contains(tag), "{tag}");
    }
    let data = data(&page);
    assert_eq!(data["lanes"][0]["name"], "</script><script>alert(1)</script>\"'&é\u{1f600}");
}

#[test]
fn ports_are_drawn_as_given_and_as_steered() {
    let page = page(&heater("0007", 3, true));
    let data = data(&page);
    let ports = data["ports"].as_array().unwrap();
    let names: Vec<&str> = ports.iter().map(|port| port["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["temperature", "door", "mode", "heat", "power", "state", "valve"]);
    let temperature = &ports[0];
    assert_eq!(temperature["other"]["from"][0], 1_200_000_000_u64);
    assert_eq!(temperature["other"]["to"][0], 1_300_000_000_u64);
    assert_eq!(temperature["other"]["low"][0], 21.2);
    assert_eq!(temperature["other"]["high"][0], 21.8, "a fraction is a number, too");
    assert!(temperature["other"]["low"][1].is_null(), "not all steps say their tolerance");
    assert_eq!(temperature["tolerances"][0], serde_json::json!([-0.5, 0.5]));
    assert_eq!(ports[4]["other"]["value"][0], 6, "the value of the model");
    assert_eq!(ports[5]["names"][1], "Heating");
    assert_eq!(ports[6]["read"]["at"].as_array().unwrap().len(), 5);
    assert_eq!(data["failure"]["at"], 5_200_000_000_u64, "the step that is not explained");
    // Every deviation can be reached.
    assert_eq!(page.matches("data-from=\"1200000000\" data-to=\"1300000000\"").count(), 1);
    let section = between(&page, "<section id=\"steered\">", "</section>");
    let text = between(section, "step 12</button>", "</tr>");
    assert_eq!(
        text,
        "</td><td>12</td><td>temperature: 21.4 → 21.7 (allowed 21.2 to 218/10)</td><td></td>"
    );
    insta::assert_snapshot!(
        ["steered", "judged", "said"]
            .map(|id| between(&page, &format!("<section id=\"{id}\">"), "</section>").to_owned())
            .join("")
    );
}

/// What steering says is about the steps since the last restart.
#[test]
fn steps_are_counted_from_the_last_restart() {
    use punctual_campaign::store::Line;
    let mut record = heater("0007", 3, true).record();
    let is_step = |line: &Line| matches!(line, Line::Event(event) if event.signal().is_none());
    let tenth =
        record.lines.iter().enumerate().filter(|(_, line)| is_step(line)).nth(10).unwrap().0;
    record.lines.insert(tenth, Line::Restart(900_000_000));
    let data = data(&runs::page(&heater("0007", 3, true).run, &record, &[]));
    let n_before = record.lines[..tenth].iter().filter(|line| {
        matches!(line, Line::Event(event) if matches!(event.what, punctual_campaign::store::What::Step { .. }))
    });
    let first = (12 + n_before.count() as u64) * 100_000_000;
    assert_eq!(data["ports"][0]["other"]["from"][0], first);
}

#[test]
fn an_empty_record_has_a_page() {
    let mut record = coffee().record();
    record.lines.clear();
    record.header.signals.clear();
    record.header.unit_ns = 0;
    (record.coverage, record.end) = (None, None);
    let page = runs::page(&coffee().run, &record, &[]);
    assert!(page.contains("unfinished"));
    record.end = coffee().record().end;
    record.end.as_mut().unwrap().verdict = Verdict::Pass;
    assert!(runs::page(&coffee().run, &record, &[]).contains("<h1 id=\"verdict\">pass</h1>"));
}
