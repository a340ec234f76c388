//! What is said of single steps and checks, and what the system said itself: lists in words.
//!
//! A click on a row shows its part of the timeline.

use punctual_campaign::store::{Judged, Line, Record, Said};

use crate::runs::ports::{Ports, Told};
use crate::runs::words;
use crate::text::one_line;

use crate::runs::html::{Html, Row};

/// More rows than this are counted, not shown.
const ROWS_MAX: usize = 2_000;

/// The steps in which the model was steered: deviations of the system that are within the tolerances,
/// and those that are not.
pub(super) fn steered(page: &mut Html, ports: &Ports<'_>, unit_ns: u64) {
    let all = &ports.steered;
    if all.is_empty() {
        return;
    }
    page.raw("<section id=\"steered\">\n").element("h2", "", "Steered steps");
    let n_masked = all.iter().filter(|it| it.step.differences.is_empty()).count();
    let n_left = all.len() - n_masked;
    let mut text = format!(
        "In {} the outputs of the system are those of the model only with other inputs.",
        words::count(n_masked as u64, "step", "steps")
    );
    if n_left > 0 {
        let left = words::count(n_left as u64, "step differs", "steps differ");
        text += &format!(" {left} all the same.");
    }
    page.element("p", " class=\"hint\"", &text);
    let row = |it: &Told<'_>| {
        let join = |list: Vec<String>| list.join("; ");
        Row {
            class: if it.step.differences.is_empty() { "" } else { "failing" },
            place: Some((it.from_ns, it.to_ns)),
            cells: [
                format!("step {}", it.step.steered),
                words::units(it.from_ns, unit_ns),
                join(it.step.changes.iter().map(words::changed).collect()),
                join(it.step.differences.iter().map(words::differs).collect()),
            ],
        }
    };
    let head = ["step", "units", "what was changed", "what still differs"];
    page.table("Steered steps", "places", head, all.iter().take(ROWS_MAX).map(row));
    more(page, all.len());
    page.raw("</section>\n");
}

/// Steps and checks that did not pass.
pub(super) fn judged(page: &mut Html, record: &Record, ports: &Ports<'_>) {
    let all: Vec<&Judged> = record
        .lines
        .iter()
        .filter_map(|line| match line {
            Line::Judged(judged) => Some(judged),
            _ => None,
        })
        .collect();
    if all.is_empty() {
        return;
    }
    page.raw("<section id=\"judged\">\n");
    page.element("h2", "", "Steps and checks that did not pass");
    let row = |it: &&Judged| {
        let (from, to) = ports.judged(it);
        let word = match it.kind.as_str() {
            "" if to > from => "step",
            "" => "check",
            kind => kind,
        };
        Row {
            class: if it.verdict == punctual_campaign::store::Verdict::Fail {
                "failing"
            } else {
                ""
            },
            place: Some((from, to)),
            cells: [
                one_line(&format!("{word} {}", it.judged)),
                words::units(it.at_ns, record.header.unit_ns),
                it.verdict.name().to_owned(),
                one_line(&it.reason),
            ],
        }
    };
    let head = ["which", "units", "verdict", "why"];
    page.table("Steps and checks", "places", head, all.iter().take(ROWS_MAX).map(row));
    more(page, all.len());
    page.raw("</section>\n");
}

/// What the system said for people. The last lines matter most.
pub(super) fn said(page: &mut Html, record: &Record) {
    let all: Vec<&Said> = record
        .lines
        .iter()
        .filter_map(|line| match line {
            Line::Said(said) => Some(said),
            _ => None,
        })
        .collect();
    if all.is_empty() {
        return;
    }
    page.raw("<section id=\"said\">\n").element("h2", "", "What the system said");
    let n_skipped = all.len().saturating_sub(ROWS_MAX);
    if n_skipped > 0 {
        let text =
            format!("The first {} are left out.", words::count(n_skipped as u64, "line", "lines"));
        page.element("p", " class=\"hint\"", &text);
    }
    let row = |it: &&Said| {
        let source = match it.source.as_str() {
            "stderr" => "standard error".to_owned(),
            source => one_line(source),
        };
        Row {
            class: "",
            place: Some((it.at_ns, it.at_ns)),
            cells: [words::units(it.at_ns, record.header.unit_ns), source, one_line(&it.said)],
        }
    };
    let rows = all.iter().skip(n_skipped).map(row);
    page.table("What the system said", "places said", ["units", "where", "what"], rows);
    page.raw("</section>\n");
}

fn more(page: &mut Html, n_all: usize) {
    if n_all > ROWS_MAX {
        let more = words::grouped((n_all - ROWS_MAX) as u64);
        page.element(
            "p",
            " class=\"hint\"",
            &format!("… and {more} more; the record has them all."),
        );
    }
}
