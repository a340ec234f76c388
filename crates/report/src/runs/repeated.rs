//! Suites that were repeated: what their cases were judged by, and a picture of the evidence of each.
//!
//! A run of such a suite says little by itself: the verdict is that of its case. So where a suite was repeated, its cases stand for its runs in the
//! verdict of all ([`worst`]) and in JUnit XML.

use std::collections::BTreeSet;

use punctual_campaign::store::Verdict;
use punctual_campaign::summary::Summary;

use crate::repeated::shifted;
use crate::svg::write::escaped;
use crate::text::one_line;
use crate::view::repeated::{Case, Evidence, Repeated, Sequence};

use super::html::{Html, Row};
use super::words;

/// More pictures than this are not drawn.
const PICTURES_MAX: usize = 300;
/// A line has at most about so many points.
const POINTS_MAX: usize = 150;

/// The runs that are of none of these suites.
#[must_use]
pub fn rest(summary: &Summary, suites: &[Repeated]) -> Summary {
    let theirs: BTreeSet<&str> =
        suites.iter().flat_map(|it| &it.runs).map(String::as_str).collect();
    let mut rest = summary.clone();
    rest.runs.retain(|it| !theirs.contains(it.run.name.as_str()));
    rest
}

/// The worst verdict of cases that were repeated and of all other runs.
#[must_use]
pub fn worst(summary: &Summary, suites: &[Repeated]) -> Option<Verdict> {
    let of = |it: &Repeated| verdict(&it.verdict);
    suites.iter().map(of).chain(rest(summary, suites).verdict()).max()
}

/// The verdict with this name.
pub(super) fn verdict(name: &str) -> Verdict {
    match name {
        "pass" => Verdict::Pass,
        "fail" => Verdict::Fail,
        _ => Verdict::Inconclusive,
    }
}

/// The section of a suite; `number` tells it from others of the page.
pub(super) fn section(page: &mut Html, number: usize, suite: &Repeated) {
    let name = one_line(&suite.suite);
    page.raw(&format!("<section id=\"repeated-{number}\">\n"));
    page.element("h2", "", &format!("Cases of {name}, repeated"));
    let shift = suite
        .shift_ms
        .map(|ms| format!("All cases together: as if everything came {}.", shifted(ms)));
    let dependence = suite.dependence.as_ref().map(|it| format!("Warning: {it}."));
    let lines = dependence.iter().chain(shift.iter()).chain([&suite.guarantee]);
    for line in lines.chain(&suite.advice) {
        page.element("p", " class=\"hint\"", line);
    }
    let rows = suite.cases.iter().map(|case| {
        let cell = |at: usize| case.sequences.get(at).map(counted).unwrap_or_default();
        let mut why = case.reasons.clone();
        why.dedup();
        why.extend(case.shift_ms.map(|ms| format!("As if everything came {}.", shifted(ms))));
        why.extend(case.dependence.clone());
        let mut row = Row::from([
            case.verdict.clone(),
            one_line(&case.name),
            words::grouped(case.executions),
            cell(0),
            cell(1),
            one_line(&why.join(" ")),
        ]);
        row.class = if case.verdict == "fail" { "failing" } else { "" };
        row
    });
    let head = ["verdict", "case", "executions", "seen / model", "with ending / model", "why"];
    page.table(&format!("Cases of {name}"), "plain", head, rows);
    page.raw("<div class=\"histograms\">\n");
    let pictures = || suite.cases.iter().flat_map(drawn);
    for (case, sequence, at) in pictures().take(PICTURES_MAX) {
        page.raw("<figure>\n<figcaption><strong>").text(&one_line(&case.name)).raw("</strong> ");
        page.text(if at == 0 { "" } else { "with its ending" }).raw("</figcaption>\n");
        page.raw(&picture(case, sequence));
        page.raw("</figure>\n");
    }
    page.raw("</div>\n");
    let n = pictures().count();
    if n > PICTURES_MAX {
        let more = words::count((n - PICTURES_MAX) as u64, "more picture", "more pictures");
        page.element("p", " class=\"hint\"", &format!("… and {more}, which are not drawn."));
    }
    if n > 0 {
        let hint = "The share of executions that showed what is expected, by the number of executions. Dashed: the model's probability. \
                    In the red areas the case fails, in the green ones it passes, else it is executed again.";
        page.element("p", " class=\"hint\"", hint);
    }
    page.raw("</section>\n");
}

/// What is drawn of a case: an ending that was always seen where the case was is the same picture once more.
fn drawn(case: &Case) -> impl Iterator<Item = (&Case, &Sequence, usize)> {
    let first = case.sequences.first();
    let is_new = move |(at, it): &(usize, &Sequence)| {
        !it.evidence.seen.is_empty()
            && (*at == 0 || first.is_none_or(|first| first.evidence != it.evidence))
    };
    case.sequences.iter().enumerate().filter(is_new).map(move |(at, it)| (case, it, at))
}

/// `50 of 102: 0.490 (0.395 to 0.586) / 0.500`.
pub(super) fn counted(it: &Sequence) -> String {
    let [least, greatest] = it.expected;
    let mut model = match least == greatest {
        true => format!("{least:.3}"),
        false => format!("{least:.3} to {greatest:.3}"),
    };
    if let Some([low, high]) = it.tolerated {
        model += &format!(" (tolerated {low:.3} to {high:.3})");
    }
    match (it.executions, it.observed) {
        (n, Some([low, high])) if n > 0 => {
            let share = it.seen as f64 / n as f64;
            format!("{} of {n}: {share:.3} ({low:.3} to {high:.3}) / {model}", it.seen)
        }
        _ => format!("- / {model}"),
    }
}

/// The share that was seen by the number of executions, and where the rule stops.
fn picture(case: &Case, sequence: &Sequence) -> String {
    const W: f64 = 320.0;
    const H: f64 = 140.0;
    let Evidence { seen, bounds } = &sequence.evidence;
    let n = seen.len().max(bounds.len()).max(2);
    let x = |executions: usize| 30.0 + (executions - 1) as f64 / (n - 1) as f64 * (W - 38.0);
    let y = |share: f64| 6.0 + (1.0 - share.clamp(0.0, 1.0)) * (H - 12.0);
    let mut out = format!(
        "<svg class=\"evidence\" viewBox=\"0 0 {W} {}\" role=\"img\" aria-label=\"",
        H + 18.0
    );
    let label = format!("evidence of {}: {}", case.name, counted(sequence));
    escaped(&mut out, &one_line(&label));
    out += "\">";
    let step = n.div_ceil(POINTS_MAX);
    let kept = |at: usize, len: usize| at.is_multiple_of(step) || at + 1 == len;
    // An area between two shares for each number of executions; a gap where there is none.
    let mut area = |class: &str, of: &dyn Fn(f64, usize) -> Option<(f64, f64)>| {
        let mut parts: Vec<Vec<(usize, f64, f64)>> = vec![Vec::new()];
        for at in (0..bounds.len()).filter(|at| kept(*at, bounds.len())) {
            match of((at + 1) as f64, at) {
                Some((low, high)) => {
                    if let Some(part) = parts.last_mut() {
                        part.push((at + 1, low, high));
                    }
                }
                None => parts.push(Vec::new()),
            }
        }
        for part in parts.iter().filter(|part| part.len() > 1) {
            let upper = part.iter().map(|(n, _, high)| format!("{:.1},{:.1}", x(*n), y(*high)));
            let lower = part.iter().rev().map(|(n, low, _)| format!("{:.1},{:.1}", x(*n), y(*low)));
            let points: Vec<String> = upper.chain(lower).collect();
            out += &format!("<polygon class=\"{class}\" points=\"{}\"/>", points.join(" "));
        }
    };
    area("fail", &|n, at| {
        let below = bounds[at].fails_below as f64;
        (below > 0.0).then_some((0.0, (below - 0.5) / n))
    });
    area("fail", &|n, at| {
        let above = bounds[at].fails_above as f64;
        (above < n).then_some(((above + 0.5) / n, 1.0))
    });
    area("pass", &|n, at| {
        let [low, high] = bounds[at].passes?;
        Some(((low as f64 - 0.5) / n, (high as f64 + 0.5) / n))
    });
    for share in [0.0, 0.5, 1.0] {
        out += &format!("<path d=\"M30 {0:.1}H{1}\"/>", y(share), W - 8.0);
        out += &format!(
            "<text x=\"26\" y=\"{:.1}\" text-anchor=\"end\">{share}</text>",
            y(share) + 4.0
        );
    }
    for expected in sequence.expected {
        out += &format!("<path class=\"model\" d=\"M30 {0:.1}H{1}\"/>", y(expected), W - 8.0);
    }
    let points: Vec<String> = (seen.iter().enumerate())
        .filter(|(at, _)| kept(*at, seen.len()))
        .map(|(at, k)| format!("{:.1},{:.1}", x(at + 1), y(*k as f64 / (at + 1) as f64)))
        .collect();
    out += &format!("<polyline class=\"seen\" points=\"{}\"/>", points.join(" "));
    out += &format!("<text x=\"30\" y=\"{}\">1</text>", H + 14.0);
    out += &format!(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
        W - 8.0,
        H + 14.0,
        words::grouped(n as u64)
    );
    out + "</svg>\n"
}
