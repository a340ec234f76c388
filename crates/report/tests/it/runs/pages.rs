//! Pages: what they say, and what the script is given. How they look is for the browser test.

use punctual_campaign::store::Verdict;
use punctual_report::runs;

use super::sample::{Sample, coffee, hostile, missing, trains};

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
    for sample in [coffee(), trains("0001", 60), hostile()] {
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
