//! Runs as JUnit XML, for servers that show the results of tests.
//!
//! The document keeps to the strict schema of Ant's JUnit task, which all others accept. There is
//! one suite for each model. A run is called after its case, or after its seed and number, so that a
//! server recognises it the next time. A run that failed is a *failure*; one of which nothing can be
//! said is an *error*, since a test that says nothing must not look like one that passed. A run that was shrunk is no test of its own: it stands
//! behind the one that it was shrunk from, unless that is not there. A suite that was repeated has a test for each case,
//! not for each run.

use std::collections::BTreeMap;

use punctual_campaign::store::{Clock, Verdict};
use punctual_campaign::summary::{Digest, Summary};

use crate::answers::Style;
use crate::repeated::shifted;
use crate::svg::write::escaped;
use crate::text::{clean, one_line};
use crate::view::repeated::Repeated;
use crate::view::runs::SteeredSystem;

use super::merged::{self, Model};
use super::repeated::{counted, rest};
use super::{steered, words};

/// All runs, one test suite for each model; `name` is what the runs are called together.
#[must_use]
pub fn junit(summary: &Summary, name: &str) -> String {
    junit_with(summary, &[], name)
}

/// The same, where suites that were repeated are test suites of their cases, in the place of their runs.
#[must_use]
pub fn junit_with(summary: &Summary, suites: &[Repeated], name: &str) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (id, suite) in suites.iter().enumerate() {
        repeated_suite(&mut out, id, name, summary, suite);
    }
    let rest = rest(summary, suites);
    let models = merged::models(&rest);
    for (id, model) in models.iter().enumerate() {
        suite(&mut out, suites.len() + id, name, model, &systems_of(model));
    }
    if !summary.unreadable.is_empty() {
        let n_runs = summary.unreadable.len();
        let id = suites.len() + models.len();
        open_suite(&mut out, id, name, "unreadable records", UNKNOWN, [n_runs, 0, n_runs], 0);
        out += "    <properties/>\n";
        for (run, why) in &summary.unreadable {
            open(&mut out, &run.name, "", 0);
            out += ">\n      <error type=\"unreadable\"";
            attribute(&mut out, "message", why);
            out += "/>\n    </testcase>\n";
        }
        out += "    <system-out/>\n    <system-err/>\n  </testsuite>\n";
    }
    out += "</testsuites>\n";
    out
}

/// What steering did to the runs of a model.
fn systems_of(model: &Model<'_>) -> Vec<SteeredSystem> {
    let runs = model.runs.iter().map(|it| (*it).clone()).collect();
    steered::systems(&Summary::from_digests(runs))
}

fn suite(out: &mut String, id: usize, package: &str, model: &Model<'_>, systems: &[SteeredSystem]) {
    let is_of = |shrunk: &Digest, it: &Digest| it.run.name == shrunk.header.shrunk_from;
    let (shrunk, runs): (Vec<&Digest>, Vec<&Digest>) = model.runs.iter().partition(|shrunk| {
        !shrunk.header.shrunk_from.is_empty() && model.runs.iter().any(|it| is_of(shrunk, it))
    });
    let findings = steered::findings(systems);
    let n_systematic = findings.iter().filter(|(fails, _)| *fails).count();
    let count = |verdict| runs.iter().filter(|it| it.verdict() == verdict).count();
    let n_failures = count(Some(Verdict::Fail));
    let n_errors = count(Some(Verdict::Inconclusive)) + count(None);
    let counts = [runs.len() + n_systematic, n_failures + n_systematic, n_errors];
    let total = runs.iter().fold(0_u64, |total, it| total.saturating_add(it.duration_ns()));
    open_suite(out, id, package, model.name(), &timestamp(model), counts, total);
    properties(out, model);
    let names = names(&runs);
    for (digest, name) in runs.iter().zip(names) {
        let shrunk = shrunk.iter().find(|shrunk| is_of(shrunk, digest));
        case(out, digest, &name, shrunk.copied());
    }
    for (_, words) in findings.iter().filter(|(fails, _)| *fails) {
        let name = words.split_once(": ").map_or(words.as_str(), |it| it.1);
        let name = name.split(" was ").next().unwrap_or(name);
        open(out, &format!("systematic changes of {name}"), model.name(), 0);
        *out += ">\n      <failure type=\"systematic\"";
        attribute(out, "message", words);
        *out += "/>\n    </testcase>\n";
    }
    // The schema has no place for what is to be said of a test that passes.
    let warnings = findings.iter().filter(|(fails, _)| !fails);
    let warnings = warnings.map(|(_, words)| format!("warning: {words}\n"));
    stream(out, "system-out", &steered::steered_text(systems));
    stream(out, "system-err", &warnings.collect::<String>());
    *out += "  </testsuite>\n";
}

/// What a suite said.
fn stream(out: &mut String, element: &str, text: &str) {
    if text.is_empty() {
        *out += &format!("    <{element}/>\n");
        return;
    }
    *out += &format!("    <{element}>");
    escaped(out, &clean(text));
    *out += &format!("</{element}>\n");
}

/// What the runs of a model have in common.
fn properties(out: &mut String, model: &Model<'_>) {
    *out += "    <properties>\n";
    if let Some(first) = model.runs.first() {
        let header = &first.header;
        let clock = match header.clock {
            Clock::Virtual => "virtual",
            Clock::Real => "real",
        };
        for (name, value) in [
            ("tool", header.tool.as_str()),
            ("model", &header.model.file),
            ("model.sha256", &header.model.hash),
            ("command", &words::command(&header.command)),
            ("clock", clock),
            ("machine", &header.machine),
        ] {
            if !value.trim().is_empty() {
                *out += "      <property";
                attribute(out, "name", name);
                attribute(out, "value", value);
                *out += "/>\n";
            }
        }
    }
    *out += "    </properties>\n";
}

/// A suite that was repeated: a test for each case. What is said of all of them is its output.
fn repeated_suite(out: &mut String, id: usize, package: &str, summary: &Summary, suite: &Repeated) {
    let count = |verdict: &str| suite.cases.iter().filter(|it| it.verdict == verdict).count();
    let counts = [suite.cases.len(), count("fail"), count("inconclusive")];
    let total = suite.cases.iter().fold(0_u64, |sum, it| sum.saturating_add(it.duration_ns));
    let theirs = summary.runs.iter().filter(|it| suite.runs.contains(&it.run.name)).collect();
    let model = Model { runs: theirs, coverage: None };
    open_suite(out, id, package, &suite.suite, &timestamp(&model), counts, total);
    properties(out, &model);
    for case in &suite.cases {
        open(out, &case.name, &suite.suite, case.duration_ns);
        let element = match case.verdict.as_str() {
            "pass" => {
                *out += "/>\n";
                continue;
            }
            "fail" => "failure",
            _ => "error",
        };
        *out += &format!(">\n      <{element}");
        attribute(out, "type", &case.verdict);
        let reason = case.reasons.first().map_or("not judged yet", String::as_str);
        attribute(out, "message", reason);
        out.push('>');
        let mut lines = vec![format!("{} executions", case.executions)];
        let names = ["seen / model", "with ending / model"];
        lines.extend(
            case.sequences.iter().zip(names).map(|(it, name)| format!("{name}: {}", counted(it))),
        );
        lines.extend(case.reasons.iter().cloned());
        lines.extend(case.shift_ms.map(|ms| format!("As if everything came {}.", shifted(ms))));
        lines.extend(case.dependence.clone());
        escaped(out, &clean(&lines.join("\n")));
        *out += &format!("</{element}>\n    </testcase>\n");
    }
    *out += "    <system-out>";
    escaped(out, &clean(&crate::repeated::text(suite)));
    *out += "</system-out>\n    <system-err/>\n  </testsuite>\n";
}

/// What runs are called: as little as tells them apart.
fn names(runs: &[&Digest]) -> Vec<String> {
    let number = |it: &Digest| format!("seed {} run {}", it.header.seed, it.header.run);
    let short = |it: &Digest| match one_line(&it.header.case) {
        case if case.is_empty() => number(it),
        case => case,
    };
    let long = |it: &Digest| match one_line(&it.header.case) {
        case if case.is_empty() => number(it),
        case => format!("{case} ({})", number(it)),
    };
    let counted = |name: &dyn Fn(&Digest) -> String| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        runs.iter().for_each(|it| *counts.entry(name(it)).or_default() += 1);
        counts
    };
    let (shorts, longs) = (counted(&short), counted(&long));
    let name = |it: &&Digest| match (shorts[&short(it)], longs[&long(it)]) {
        (1, _) => short(it),
        (_, 1) => long(it),
        _ => format!("{}, record {}", long(it), it.run.name),
    };
    runs.iter().map(name).collect()
}

fn case(out: &mut String, digest: &Digest, name: &str, shrunk: Option<&Digest>) {
    open(out, name, &digest.header.model.file, digest.duration_ns());
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
    let mut text = super::text::text_with(digest, Style::default(), usize::MAX);
    if let Some(shrunk) = shrunk {
        text += &format!("\nThe same, shrunk (run {}):\n", shrunk.run.name);
        text += &super::text::text_with(shrunk, Style::default(), usize::MAX);
    }
    escaped(out, &clean(&text));
    *out += &format!("</{element}>\n    </testcase>\n");
}

fn open_suite(
    out: &mut String,
    id: usize,
    package: &str,
    name: &str,
    timestamp: &str,
    [n_tests, n_failures, n_errors]: [usize; 3],
    duration_ns: u64,
) {
    *out += &format!("  <testsuite id=\"{id}\"");
    attribute(out, "package", package);
    attribute(out, "name", name);
    attribute(out, "timestamp", timestamp);
    attribute(out, "hostname", "localhost");
    attribute(out, "tests", &n_tests.to_string());
    attribute(out, "failures", &n_failures.to_string());
    attribute(out, "errors", &n_errors.to_string());
    attribute(out, "time", &decimal(duration_ns));
    *out += ">\n";
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
    words::decimal_seconds(ns)
}

/// The schema wants a date even where nobody said one.
const UNKNOWN: &str = "1970-01-01T00:00:00";

/// When the first run began: a date and a time of day without a zone, as the schema wants it.
fn timestamp(model: &Model<'_>) -> String {
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
    let started = model.runs.iter().filter_map(|digest| digest.header.started.get(..19));
    started.filter(|text| is_time(text)).min().unwrap_or(UNKNOWN).to_owned()
}
