//! Runs as JUnit XML, for servers that show the results of tests.
//!
//! The document keeps to the strict schema of Ant's JUnit task, which all others accept. A run
//! that failed is a *failure*; one of which nothing can be said is an *error*, since a test that
//! says nothing must not look like one that passed.

use punctual_campaign::store::Verdict;
use punctual_campaign::summary::{Digest, Summary};

use crate::answers::Style;
use crate::svg::write::escaped;
use crate::text::{clean, one_line};

use super::words;

/// All runs as one test suite.
#[must_use]
pub fn junit(summary: &Summary, name: &str) -> String {
    let totals = summary.totals();
    let n_errors = totals.inconclusive + totals.unfinished + totals.unreadable;
    let n_tests = totals.passed + totals.failed + n_errors;
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    out += "  <testsuite id=\"0\" package=\"punctual\"";
    attribute(&mut out, "name", name);
    attribute(&mut out, "timestamp", &timestamp(summary));
    attribute(&mut out, "hostname", "localhost");
    attribute(&mut out, "tests", &n_tests.to_string());
    attribute(&mut out, "failures", &totals.failed.to_string());
    attribute(&mut out, "errors", &n_errors.to_string());
    attribute(&mut out, "time", &decimal(totals.duration_ns));
    out += ">\n    <properties>\n";
    if let Some(first) = summary.runs.first() {
        for (name, value) in [
            ("tool", &first.header.tool),
            ("model", &first.header.model.file),
            ("model.sha256", &first.header.model.hash),
            ("command", &first.header.command.join(" ")),
        ] {
            out += "      <property";
            attribute(&mut out, "name", name);
            attribute(&mut out, "value", value);
            out += "/>\n";
        }
    }
    out += "    </properties>\n";
    for digest in &summary.runs {
        case(&mut out, digest);
    }
    for (run, why) in &summary.unreadable {
        open(&mut out, &run.name, "", 0);
        out += ">\n      <error type=\"unreadable\"";
        attribute(&mut out, "message", why);
        out += "/>\n    </testcase>\n";
    }
    out += "    <system-out/>\n    <system-err/>\n  </testsuite>\n</testsuites>\n";
    out
}

fn case(out: &mut String, digest: &Digest) {
    let name =
        format!("{} (seed {}, run {})", digest.run.name, digest.header.seed, digest.header.run);
    open(out, &name, &digest.header.model.file, digest.duration_ns());
    let element = match digest.verdict() {
        Some(Verdict::Pass) => {
            *out += "/>\n";
            return;
        }
        Some(Verdict::Fail) => "failure",
        Some(Verdict::Inconclusive) | None => "error",
    };
    let diagnosis = digest.end.as_ref().and_then(|end| end.diagnosis.as_ref());
    let verdict = || words::verdict(digest.verdict()).to_owned();
    let kind = diagnosis.map_or_else(verdict, |it| it.kind.to_string());
    *out += &format!(">\n      <{element}");
    attribute(out, "type", &kind);
    attribute(out, "message", &words::headline(digest));
    out.push('>');
    escaped(out, &clean(&super::text(digest, Style::default())));
    *out += &format!("</{element}>\n    </testcase>\n");
}

fn open(out: &mut String, name: &str, class: &str, duration_ns: u64) {
    *out += "    <testcase";
    attribute(out, "name", name);
    attribute(out, "classname", if class.is_empty() { "punctual" } else { class });
    attribute(out, "time", &decimal(duration_ns));
}

fn attribute(out: &mut String, name: &str, value: &str) {
    *out += &format!(" {name}=\"");
    // The schema wants names that are not empty.
    let value = one_line(value);
    escaped(out, if value.is_empty() { "-" } else { &value });
    out.push('"');
}

/// Seconds as a decimal number.
fn decimal(ns: u64) -> String {
    words::seconds(ns).trim_end_matches(" s").to_owned()
}

/// When the first run began: a date and a time of day without a zone, as the schema wants it.
fn timestamp(summary: &Summary) -> String {
    // Month, day, hour, minute and second, and their limits.
    const PARTS: [(usize, u32, u32); 5] =
        [(5, 1, 12), (8, 1, 28), (11, 0, 23), (14, 0, 59), (17, 0, 59)];
    let is_time = |text: &str| {
        let is_like = text.bytes().zip(*b"0000-00-00T00:00:00").all(|(byte, like)| match like {
            b'0' => byte.is_ascii_digit(),
            like => byte == like,
        });
        let is_within = |&(at, least, most): &(usize, u32, u32)| {
            let number = text.get(at..at + 2).and_then(|digits| digits.parse::<u32>().ok());
            // Days beyond the 28th are left to whoever wrote them.
            number.is_some_and(|n| (least..=most + 3 * u32::from(at == 8)).contains(&n))
        };
        is_like && PARTS.iter().all(is_within)
    };
    let started = summary.runs.iter().filter_map(|digest| digest.header.started.get(..19));
    started.filter(|text| is_time(text)).min().unwrap_or("1970-01-01T00:00:00").to_owned()
}
