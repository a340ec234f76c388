//! Many runs as one HTML page that loads nothing: their verdicts, what they covered together, and what
//! steering changed.
//!
//! All of it can be read without a script, which only hides rows that are not looked for.

use std::collections::BTreeMap;

use punctual_campaign::store::{Cause, Run, Verdict};
use punctual_campaign::summary::{Changes, Digest, Summary};

use crate::plot::bins;
use crate::svg::write::escaped;
use crate::text::one_line;
use crate::view::matrix::Matrix;
use crate::view::repeated::Repeated;

use super::html::{Html, Row};
use super::page::{self, Automaton};
use super::{merged, repeated, requirements, steered, summary, words};

/// A histogram has at most so many bars.
const BARS_MAX: usize = 24;
const SCRIPT: &str = include_str!("../../assets/index.js");

/// What a page of many runs needs beside their gists.
pub struct Campaign<'c> {
    /// What the runs are called together.
    pub title: &'c str,
    /// The page of a run, as a file name relative to this page; nothing if it has none.
    pub link: &'c dyn Fn(&Run) -> Option<String>,
    /// The automata of the model of a run, called once for each model.
    pub automata: &'c dyn Fn(&Digest) -> Vec<Automaton>,
    /// The requirements of the suites that the runs are of.
    pub matrices: &'c [Matrix],
    /// Suites that were repeated.
    pub repeated: &'c [Repeated],
}

/// The page.
#[must_use]
pub fn index(summary: &Summary, campaign: &Campaign<'_>) -> String {
    let worst = repeated::worst(summary, campaign.repeated);
    let verdict = words::verdict(worst);
    let mut page = Html::default();
    page.begin(&format!("{verdict}: {}", campaign.title), verdict);
    page.raw("<a class=\"skip\" href=\"#runs\">Skip to the runs</a>\n");
    header(&mut page, summary, worst, campaign.title);
    page.raw("<main>\n");
    for (i, suite) in campaign.repeated.iter().enumerate() {
        repeated::section(&mut page, i, suite);
    }
    runs(&mut page, summary, campaign.link);
    for (i, matrix) in campaign.matrices.iter().enumerate() {
        requirements::section(&mut page, i, matrix);
    }
    steering(&mut page, summary);
    labels(&mut page, summary);
    for (i, model) in merged::models(summary).iter().enumerate() {
        if let (Some(coverage), Some(first)) = (&model.coverage, model.runs.first()) {
            let n_runs = words::count(model.runs.len() as u64, "run", "runs");
            let title = format!("Coverage of {} by {n_runs}", one_line(model.name()));
            let automata = (campaign.automata)(first);
            let id = format!("coverage-{i}");
            page::coverage(&mut page, (&id, &title), Some(coverage), None, &automata);
        }
    }
    page.raw("</main>\n");
    page.finish(&[SCRIPT])
}

/// The verdicts together, and what the runs have in common.
fn header(page: &mut Html, summary: &Summary, worst: Option<Verdict>, title: &str) {
    let totals = summary.totals();
    let verdict = words::verdict(worst);
    let symbol = words::symbol(worst);
    page.raw("<header>\n<div class=\"banner\">\n");
    page.raw(&format!("<span class=\"symbol\" aria-hidden=\"true\">{symbol}</span>\n<div>\n"));
    page.element("h1", " id=\"verdict\"", verdict);
    page.element("p", " class=\"headline\"", title);
    page.element("p", " class=\"where\"", &summary::totals(&totals));
    page.raw("</div>\n</div>\n<div class=\"shares\" aria-hidden=\"true\">");
    let unsure = totals.inconclusive + totals.unfinished + totals.unreadable;
    for (n, class) in [(totals.failed, "fail"), (unsure, "unsure"), (totals.passed, "pass")] {
        if n > 0 {
            page.raw(&format!("<span class=\"{class}\" style=\"flex-grow: {n}\"></span>"));
        }
    }
    page.raw("</div>\n<dl class=\"facts\">\n");
    let all = |of: &dyn Fn(&Digest) -> String| {
        let mut different: Vec<String> = summary.runs.iter().map(of).collect();
        different.sort();
        different.dedup();
        different.retain(|it| !it.trim().is_empty());
        match different.len() {
            0..=3 => different.join(", "),
            n => format!("{}, {} and {} more", different[0], different[1], n - 2),
        }
    };
    let started = |it: &Digest| one_line(&it.header.started).replace('T', " ");
    let mut times: Vec<String> = summary.runs.iter().map(started).collect();
    times.retain(|it| !it.is_empty());
    times.sort();
    let started = match &times[..] {
        [first, .., last] if first != last => format!("{first} to {last}"),
        [first, ..] => first.clone(),
        [] => String::new(),
    };
    let causes = causes(summary);
    let causes: Vec<String> = causes.iter().map(|(cause, n)| format!("{cause} ({n})")).collect();
    let facts = [
        ("Models", all(&|it| it.header.model.file.clone())),
        ("Causes", causes.join(", ")),
        ("Seeds", all(&|it| it.header.seed.to_string())),
        ("Started", started),
        ("Machine", all(&|it| it.header.machine.clone())),
        ("Tool", all(&|it| it.header.tool.clone())),
    ];
    page.facts(&facts);
    page.raw("</dl>\n");
    let command = all(&|it| words::command(&it.header.command));
    if !command.is_empty() {
        page.raw("<p class=\"replay\"><span>Command</span> ");
        page.element("code", "", &command).raw("</p>\n");
    }
    page.raw("</header>\n");
}

/// Why runs did not pass, the most frequent first.
fn causes(summary: &Summary) -> Vec<(Cause, usize)> {
    let mut causes: BTreeMap<Cause, usize> = BTreeMap::new();
    for diagnosis in summary.runs.iter().filter_map(|it| it.end.as_ref()?.diagnosis.as_ref()) {
        *causes.entry(diagnosis.kind).or_default() += 1;
    }
    let mut causes: Vec<(Cause, usize)> = causes.into_iter().collect();
    causes.sort_by_key(|(cause, n)| (std::cmp::Reverse(*n), *cause));
    causes
}

/// The runs, the worst first.
fn runs(page: &mut Html, summary: &Summary, link: &dyn Fn(&Run) -> Option<String>) {
    page.raw("<section id=\"runs\">\n<div class=\"title\">").element("h2", "", "Runs");
    page.raw(concat!(
        "<div class=\"tools\"><label class=\"search\"><span>Search</span>",
        "<input type=\"search\" id=\"search\" placeholder=\"case, seed, too early\"></label>",
    ));
    let totals = summary.totals();
    for (n, verdict) in [
        (totals.failed, "fail"),
        (totals.inconclusive, "inconclusive"),
        (totals.unfinished, "unfinished"),
        (totals.unreadable, "unreadable"),
        (totals.passed, "pass"),
    ] {
        if n > 0 {
            page.raw(&format!(
                "<label><input type=\"checkbox\" data-verdict=\"{verdict}\" checked> {verdict}</label>"
            ));
        }
    }
    page.raw("</div></div>\n<p id=\"found\" class=\"hint\" aria-live=\"polite\"></p>\n");
    let any = |has: &dyn Fn(&Digest) -> bool| summary.runs.iter().any(has);
    let shown = [
        true,
        true,
        any(&|it| !it.header.case.is_empty()),
        true,
        any(&|it| it.label().is_some()),
        true,
        any(&|it| !it.steering.is_empty()),
        true,
    ];
    let head = ["verdict", "run", "case", "seed", "label", "duration", "steered", "what happened"];
    page.raw("<div class=\"scroll tall\" role=\"region\" tabindex=\"0\" aria-label=\"Runs\">\n");
    page.raw("<table class=\"runs\">\n<thead><tr>");
    for (name, _) in head.iter().zip(shown).filter(|(_, shown)| *shown) {
        page.raw("<th scope=\"col\">").text(name).raw("</th>");
    }
    page.raw("</tr></thead>\n<tbody>\n");
    for (run, why) in &summary.unreadable {
        let mut cells: [String; 8] = Default::default();
        (cells[0], cells[1]) = ("unreadable".to_owned(), one_line(&run.name));
        cells[7] = one_line(why);
        row(page, "unreadable", &cells, &shown, None);
    }
    for digest in &summary.runs {
        let verdict = words::verdict(digest.verdict());
        let cells = [
            verdict.to_owned(),
            one_line(&digest.run.name),
            one_line(&digest.header.case),
            digest.header.seed.to_string(),
            one_line(digest.label().unwrap_or_default()),
            words::seconds(digest.duration_ns()),
            match digest.steering.steered {
                0 => String::new(),
                n => words::count(n, "step", "steps"),
            },
            words::headline(digest),
        ];
        row(page, verdict, &cells, &shown, link(&digest.run));
    }
    page.raw("</tbody>\n</table>\n</div>\n</section>\n");
}

fn row(
    page: &mut Html,
    verdict: &str,
    cells: &[String; 8],
    shown: &[bool; 8],
    link: Option<String>,
) {
    page.raw(&format!("<tr data-verdict=\"{verdict}\">"));
    for (i, cell) in cells.iter().enumerate().filter(|(i, _)| shown[*i]) {
        match (i, &link) {
            (0, _) => page.raw(&format!("<td><span class=\"verdict {verdict}\">")),
            (1, Some(link)) => page.raw("<td><a href=\"").text(&file_name(link)).raw("\">"),
            _ => page.raw("<td>"),
        };
        page.text(cell);
        page.raw(match (i, &link) {
            (0, _) => "</span></td>",
            (1, Some(_)) => "</a></td>",
            _ => "</td>",
        });
    }
    page.raw("</tr>\n");
}

/// A relative file name as an address: nothing in it can be a scheme, a query or a fragment.
pub(super) fn file_name(name: &str) -> String {
    let mut out = String::from("./");
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' | b'~' => {
                out.push(char::from(byte));
            }
            other => out += &format!("%{other:02X}"),
        }
    }
    out
}

/// What steering changed, how often, and by how much.
fn steering(page: &mut Html, summary: &Summary) {
    let all = merged::steering(summary);
    let systems = steered::systems(summary);
    if all.is_empty() && systems.is_empty() {
        return;
    }
    page.raw("<section id=\"steering\">\n").element("h2", "", "What steering changed");
    for (fails, words) in steered::findings(&systems) {
        let class = if fails { " class=\"hint fail\"" } else { " class=\"hint unsure\"" };
        let word = steered::verdict_word(fails);
        page.element("p", class, &format!("{word}: systematic changes of {words}"));
    }
    if !systems.is_empty() {
        page.element("p", "", &steered::counted(&systems));
        let rows = steered::rows(&systems).into_iter().map(Row::from);
        page.table("What was changed in tests that pass", "plain numbers", steered::HEAD, rows);
    }
    let n_runs = summary.runs.iter().filter(|it| it.steering.steered > 0).count();
    let mut text = format!(
        "{} in {} of {}.",
        words::count(all.steered, "steered step", "steered steps"),
        words::grouped(n_runs as u64),
        words::count(summary.runs.len() as u64, "run", "runs"),
    );
    if all.unexplained > 0 {
        let steps = words::count(all.unexplained, "step", "steps");
        text += &format!(" In {steps} the outputs differ all the same.");
    }
    page.element("p", " class=\"hint\"", &text);
    page.raw("<div class=\"histograms\">\n");
    for (name, changes) in &all.variables {
        let n_runs =
            summary.runs.iter().filter(|it| it.steering.variables.contains_key(name)).count();
        page.raw("<figure>\n<figcaption><strong>").text(&one_line(name)).raw("</strong> ");
        let times = words::count(changes.n, "time", "times");
        let runs = words::count(n_runs as u64, "run", "runs");
        let by = words::amounts(changes).map_or(String::new(), |by| format!(", {by}"));
        page.text(&format!("{times} in {runs}{by}")).raw("</figcaption>\n");
        if !changes.amounts.is_empty() {
            page.raw(&histogram(name, changes));
        }
        if !changes.pairs.is_empty() {
            let rows = changes.pairs.iter().map(|((from, to), n)| {
                Row::from([one_line(&format!("{from} → {to}")), words::grouped(*n)])
            });
            page.table(&one_line(name), "plain numbers", ["change", "steps"], rows);
        }
        page.raw("</figure>\n");
    }
    page.raw("</div>\n</section>\n");
}

/// How often a number was changed by how much.
fn histogram(name: &str, changes: &Changes) -> String {
    const W: f64 = 320.0;
    const H: f64 = 120.0;
    let bars = bars(changes);
    let most = bars.iter().map(|bar| bar.2).max().unwrap_or(1).max(1);
    let least = bars.first().map_or(0.0, |bar| bar.0);
    let greatest = bars.last().map_or(1.0, |bar| bar.1);
    let x = |value: f64| 8.0 + (value - least) / (greatest - least) * (W - 16.0);
    let mut out = format!("<svg class=\"histogram\" viewBox=\"0 0 {W} {}\" role=\"img\"", H + 36.0);
    out += " aria-label=\"";
    escaped(&mut out, &one_line(&format!("changes of {name}: {}", words::changes(changes))));
    out += "\">";
    for (low, high, n, range) in &bars {
        let tall = (*n as f64 / most as f64 * (H - 20.0)).max(1.5);
        out += &format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{tall:.1}\"><title>{range}: {}</title></rect>",
            x(*low) + 0.5,
            H - tall,
            (x(*high) - x(*low) - 1.0).max(1.0),
            words::count(*n, "step", "steps"),
        );
    }
    out += &format!("<path d=\"M4 {H}H{}\"/>", W - 4.0);
    if least <= 0.0 && greatest >= 0.0 {
        out += &format!("<path class=\"zero\" d=\"M{0:.1} 8V{1}\"/>", x(0.0), H + 4.0);
    }
    let (first, last) = (changes.amounts[0].0, changes.amounts[changes.amounts.len() - 1].0);
    let mut label = |value: f64, anchor: &str, at: f64| {
        out += &format!(
            "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
            H + 18.0,
            words::amount(value)
        );
    };
    match first == last {
        true => label(first, "middle", x(first)),
        false => {
            label(first, "start", 4.0);
            label(last, "end", W - 4.0);
        }
    }
    out += &format!("<text class=\"most\" x=\"4\" y=\"10\">{}</text>", words::grouped(most));
    out + "</svg>\n"
}

/// The bars of a histogram: from where to where, how high, and what they stand for.
fn bars(changes: &Changes) -> Vec<(f64, f64, u64, String)> {
    let amounts = &changes.amounts;
    // Few different amounts have a bar each, so that nobody wonders what is in one.
    if amounts.len() <= BARS_MAX {
        let gaps = amounts.windows(2).map(|pair| pair[1].0 - pair[0].0);
        let gap = gaps.fold(f64::INFINITY, f64::min);
        let span = amounts[amounts.len() - 1].0 - amounts[0].0;
        let half = if gap.is_finite() { gap.max(span / 60.0) * 0.45 } else { 0.5 };
        let bar = |&(by, n): &(f64, u64)| (by - half, by + half, n, words::amount(by));
        let mut bars: Vec<_> = amounts.iter().map(bar).collect();
        // A single bar need not fill the picture.
        if let [(low, high, ..)] = &bars[..] {
            let (low, high) = (*low, *high);
            bars.insert(0, (low - 3.0, low - 3.0, 0, String::new()));
            bars.push((high + 3.0, high + 3.0, 0, String::new()));
        }
        return bars;
    }
    let mut sorted = Vec::new();
    for (amount, n) in amounts {
        // The shape of millions is that of some thousands.
        sorted.extend(std::iter::repeat_n(*amount, usize::try_from(*n).unwrap_or(1).min(10_000)));
    }
    let bins = bins::bins(&sorted, BARS_MAX);
    let bar = |bin: &bins::Bin| {
        let range = format!("{} to {}", words::amount(bin.low), words::amount(bin.high));
        (bin.low, bin.high, bin.count, range)
    };
    bins.iter().map(bar).collect()
}

/// What people say of the cases, against what the oracles say.
fn labels(page: &mut Html, summary: &Summary) {
    let mut counts: BTreeMap<String, [usize; 4]> = BTreeMap::new();
    for digest in &summary.runs {
        let Some(label) = digest.label() else { continue };
        let column = match digest.verdict() {
            Some(Verdict::Pass) => 0,
            Some(Verdict::Fail) => 1,
            Some(Verdict::Inconclusive) => 2,
            None => 3,
        };
        counts.entry(one_line(label)).or_default()[column] += 1;
    }
    if counts.is_empty() {
        return;
    }
    page.raw("<section id=\"labels\">\n").element("h2", "", "Labels against verdicts");
    let rows = counts.iter().map(|(label, counts)| {
        let [pass, fail, inconclusive, unfinished] = counts.map(|n| words::grouped(n as u64));
        let all = words::grouped(counts.iter().sum::<usize>() as u64);
        Row::from([label.clone(), pass, fail, inconclusive, unfinished, all])
    });
    let head = ["label", "pass", "fail", "inconclusive", "unfinished", "all"];
    page.table("Labels", "plain numbers", head, rows);
    page.raw("</section>\n");
}
