//! What of the model a run on a platform exercised, as a table: what is least certain comes first.

use crate::runs::html::{Html, Row};
use crate::text::one_line;
use crate::view::evidence::{Objective, Objectives};

/// More objectives than this are not listed.
const ROWS_MAX: usize = 300;

/// The section with the table; nothing if the model has no objectives.
pub(in crate::runs) fn section(page: &mut Html, objectives: &Objectives) {
    let Objectives { criterion, surely, probably, not, all } = objectives;
    if all.is_empty() {
        return;
    }
    page.raw("<section id=\"objectives\">\n").element("h2", "", "Objectives");
    let words = format!(
        "{surely} of {} {criterion} objectives of the model were surely exercised by this run, {probably} probably, {not} not. Other runs of the suite may have exercised these.",
        all.len()
    );
    page.element("p", " class=\"hint\"", &words);
    let mut sorted: Vec<&Objective> = all.iter().collect();
    sorted.sort_by(|a, b| a.probability.total_cmp(&b.probability));
    let row = |it: &&Objective| Row {
        class: if it.exercised == "surely" { "" } else { "missed" },
        place: None,
        cells: [
            one_line(&it.equation),
            format!("`{}` is {}", one_line(&it.condition), it.outcome),
            it.exercised.to_owned(),
            format!("{:.2}", it.probability),
            it.by.first().map_or("none is bound to show it".to_owned(), |by| by.step.to_string()),
        ],
    };
    let rows: Vec<Row<5>> = sorted.iter().take(ROWS_MAX).map(row).collect();
    let head = ["equation", "objective", "exercised", "probability", "step"];
    page.table("Objectives of the model", "plain", head, rows);
    if all.len() > ROWS_MAX {
        let words = format!(
            "{} further objectives were exercised more certainly than these.",
            all.len() - ROWS_MAX
        );
        page.element("p", " class=\"hint\"", &words);
    }
    page.raw("</section>\n");
}
