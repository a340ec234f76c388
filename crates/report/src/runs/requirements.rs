//! The requirements of a suite, the cases that check them, and what came of each check.

use crate::text::one_line;
use crate::view::matrix::{Check, Matrix, Outcome, Row};

use super::html::{self, Html};
use super::index::file_name;
use super::words;

/// More rows than this are counted, not shown.
const ROWS_MAX: usize = 1000;

/// The section of a suite; `number` tells it from others of the page.
pub(super) fn section(page: &mut Html, number: usize, matrix: &Matrix) {
    let suite = one_line(&matrix.suite);
    page.raw(&format!("<section id=\"requirements-{number}\" class=\"requirements\">\n"));
    page.element("h2", "", &format!("Requirements of {suite}"));
    totals(page, matrix, &suite);
    let hint = Outcome::ALL.map(|it| format!("{} {}", symbol(it), it.name())).join(", ");
    page.element("p", " class=\"hint\"", &format!("Each check with its number: {hint}."));
    page.raw("<div class=\"scroll tall\" role=\"region\" tabindex=\"0\" aria-label=\"");
    page.text(&format!("Checks of {suite}")).raw("\">\n<table class=\"matrix\">\n<thead><tr>");
    for name in ["requirement", "case", "run", "checks"] {
        page.raw("<th scope=\"col\">").text(name).raw("</th>");
    }
    page.raw("</tr></thead>\n<tbody>\n");
    let rows = matrix.requirements.iter().flat_map(|requirement| {
        requirement.rows.iter().map(move |row| (requirement.name.as_str(), row))
    });
    let n_rows = rows.clone().count();
    rows.take(ROWS_MAX).for_each(|(name, it)| row(page, name, it, matrix.unit_ns));
    page.raw("</tbody>\n</table>\n</div>\n");
    if n_rows > ROWS_MAX {
        let more = words::count((n_rows - ROWS_MAX) as u64, "more row", "more rows");
        page.element("p", " class=\"hint\"", &format!("… and {more}."));
    }
    page.raw("</section>\n");
}

/// How many checks of each requirement came to what.
fn totals(page: &mut Html, matrix: &Matrix, suite: &str) {
    let rows = matrix.requirements.iter().map(|requirement| {
        let all: Vec<&Check> = requirement.rows.iter().flat_map(|row| &row.checks).collect();
        let count = |result: Outcome| all.iter().filter(|it| it.result == result).count();
        let counts = Outcome::ALL.map(|it| words::grouped(count(it) as u64));
        let [passed, failed, inconclusive, not_reached, not_known] = counts;
        let mut row = html::Row::from([
            shown(&requirement.name),
            passed,
            failed,
            inconclusive,
            not_reached,
            not_known,
        ]);
        row.class = if count(Outcome::Failed) > 0 { "failing" } else { "" };
        row
    });
    let head = ["requirement", "passed", "failed", "inconclusive", "not reached", "not known"];
    page.table(&format!("Requirements of {suite}"), "plain numbers", head, rows);
}

fn row(page: &mut Html, requirement: &str, row: &Row, unit_ns: u64) {
    page.raw("<tr><td>").text(&shown(requirement));
    page.raw("</td><td>").text(&one_line(&row.case)).raw("</td><td>");
    match &row.run {
        None => page.text("not run"),
        Some((name, None)) => page.text(&one_line(name)),
        Some((name, Some(link))) => page
            .raw("<a href=\"")
            .text(&file_name(link))
            .raw("\">")
            .text(&one_line(name))
            .raw("</a>"),
    };
    page.raw("</td><td>");
    for it in &row.checks {
        let at = words::units(it.at_ns, unit_ns);
        let words = format!("{} at {at}: {}", one_line(&it.name), it.result.name());
        let words = match it.reason.is_empty() {
            true => words,
            false => format!("{words}. {}", one_line(&it.reason)),
        };
        let class = class(it.result);
        page.raw(&format!("<span class=\"mark {class}\" role=\"img\" title=\"")).text(&words);
        page.raw("\" aria-label=\"").text(&words).raw("\">");
        page.text(&format!("{} {}", symbol(it.result), one_line(&it.name))).raw("</span> ");
    }
    page.raw("</td></tr>\n");
}

fn shown(requirement: &str) -> String {
    if requirement.is_empty() { "none named".to_owned() } else { one_line(requirement) }
}

fn symbol(result: Outcome) -> &'static str {
    match result {
        Outcome::Passed => "✓",
        Outcome::Failed => "✕",
        Outcome::Inconclusive => "?",
        Outcome::NotReached => "–",
        Outcome::NotKnown => "…",
    }
}

fn class(result: Outcome) -> &'static str {
    match result {
        Outcome::Passed => "pass",
        Outcome::Failed => "fail",
        Outcome::Inconclusive => "inconclusive",
        Outcome::NotReached | Outcome::NotKnown => "unfinished",
    }
}
