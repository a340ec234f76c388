//! What was derived of use cases, as one HTML page that loads nothing.

use super::derived::{dispatched, never};
use crate::{
    runs::html::{Html, Row},
    text::one_line,
    view::scenarios::{Chain, Derived, Scenario},
};

/// More rows of the chain than this are counted, not shown: the table as a file has all of them.
const ROWS_MAX: usize = 2000;

/// The page.
#[must_use]
pub fn html(derived: &Derived) -> String {
    let is_whole = derived.uncovered.is_empty()
        && derived.events.iter().all(|it| !it.scenarios.is_empty())
        && derived.scenarios.iter().all(|it| it.open.is_empty());
    let verdict = if is_whole { "pass" } else { "inconclusive" };
    let mut page = Html::default();
    page.begin(&format!("Scenarios of {}", derived.folder), verdict);
    page.raw("<header>\n").element("h1", "", "Scenarios of use cases");
    page.element("p", " class=\"headline\"", &derived.folder);
    let linked = derived.events.iter().filter(|it| !it.scenarios.is_empty()).count();
    page.raw("<dl class=\"facts\">\n");
    page.facts(&[
        ("scenarios", derived.scenarios.len().to_string()),
        ("flows and branches not covered", derived.uncovered.len().to_string()),
        (
            "edges linked to scenarios",
            match derived.events.len() {
                0 => String::new(),
                n => format!("{linked} of {n}"),
            },
        ),
    ]);
    page.raw("</dl>\n</header>\n<main>\n");
    uncovered(&mut page, derived);
    events(&mut page, derived);
    for it in &derived.scenarios {
        scenario(&mut page, it, derived.unreached.contains(&it.name));
    }
    chain(&mut page, &derived.chain);
    drawing(&mut page, derived);
    page.raw("</main>\n");
    page.finish(&[])
}

fn uncovered(page: &mut Html, derived: &Derived) {
    if derived.uncovered.is_empty() {
        return;
    }
    page.raw("<section id=\"uncovered\">\n").element("h2", "", "What no scenario covers");
    for it in &derived.uncovered {
        page.element("h3", "", &format!("{} ({}:{})", it.what, it.file, it.line));
        page.element("p", "", &it.why);
        if !it.contradiction.is_empty() {
            let rows = it.contradiction.iter().map(|claim| {
                let place = match claim.file.is_empty() {
                    true => String::new(),
                    false => format!("{}:{}", claim.file, claim.line),
                };
                let holds = if claim.holds { "holds" } else { "does not hold" };
                Row::from([claim.text.clone(), holds.to_owned(), place])
            });
            page.table("What contradicts", "plain", ["sentence", "on this path", "place"], rows);
        }
    }
    page.raw("</section>\n");
}

fn events(page: &mut Html, derived: &Derived) {
    if derived.events.is_empty() {
        return;
    }
    page.raw("<section id=\"events\">\n").element("h2", "", "Edges that wait for a scenario");
    let rows = derived.events.iter().map(|it| {
        let by = dispatched(it);
        let mut row = Row::from([it.edge.clone(), it.event.clone(), it.updates.join(", "), by]);
        row.class = if it.scenarios.is_empty() { "missed" } else { "" };
        row
    });
    let head = ["edge", "event", "what it changes", "scenarios"];
    page.table("Edges that wait for a scenario", "plain", head, rows);
    for note in &derived.notes {
        page.element("p", " class=\"hint\"", note);
    }
    page.raw("</section>\n");
}

fn scenario(page: &mut Html, it: &Scenario, is_lost: bool) {
    page.raw("<section id=\"").text(&it.name).raw("\">\n");
    page.element("h2", "", &format!("{}: {}", it.name, it.use_case));
    page.element("p", " class=\"hint\"", &it.flows.join(" · "));
    if !it.covers.is_empty() {
        page.element("p", " class=\"hint\"", &format!("Found for {}.", it.covers.join("; ")));
    }
    if is_lost {
        let never = format!("In the model, {}.", never(it));
        page.element("p", " class=\"warning\"", &never);
    }
    if !it.open.is_empty() {
        let open = format!("Nobody wrote yet what this means: {}.", it.open.join("; "));
        page.element("p", " class=\"warning\"", &open);
    }
    page.raw("<div class=\"columns\">\n<div>\n").element("h3", "", "Steps");
    let rows = it.steps.iter().map(|step| {
        let indent = "\u{2003}".repeat(step.depth as usize);
        let outcome = if step.outcome == "done" { "" } else { &step.outcome };
        Row::from([
            format!("{indent}{}, step {}", step.flow, step.number),
            step.text.clone(),
            outcome.to_owned(),
            format!("{}:{}", step.file, step.line),
        ])
    });
    page.table("Steps", "plain", ["flow", "what happens", "", "place"], rows);
    page.raw("</div>\n<div>\n");
    values(page, it);
    page.raw("</div>\n</div>\n");
    objects(page, it);
    page.raw("</section>\n");
}

fn values(page: &mut Html, it: &Scenario) {
    page.element("h3", "", "Values");
    let all = it.inputs.iter().chain(&it.state).chain(&it.outputs);
    let rows = all.map(|it| {
        Row::from([
            it.kind.clone(),
            format!("{} = {}", it.name, it.value),
            one_line(&it.because.join("; ")),
        ])
    });
    page.table("Values", "plain", ["kind", "value", "because of"], rows);
    if !it.needs.is_empty() {
        page.element("h3", "", "Can be taken when");
        let rows = it.needs.iter().map(|it| Row::from([it.condition.clone(), it.because.clone()]));
        page.table("Needs", "plain", ["condition", "because of"], rows);
    }
}

/// Boxes as object diagrams have them.
fn objects(page: &mut Html, it: &Scenario) {
    if it.objects.is_empty() {
        return;
    }
    page.element("h3", "", "Objects").raw("<div class=\"objects\">\n");
    for object in &it.objects {
        let title = match object.name == object.class {
            true => format!(": {}", object.class),
            false => format!("{} : {}", object.name, object.class),
        };
        page.raw("<div class=\"object\">").element("b", "", &title);
        for value in &object.values {
            page.element("code", "", value);
        }
        page.raw("</div>\n");
    }
    page.raw("</div>\n");
    if !it.links.is_empty() {
        page.element("p", " class=\"hint\"", &it.links.join(" · "));
    }
}

fn chain(page: &mut Html, chain: &[Chain]) {
    if chain.is_empty() {
        return;
    }
    page.raw("<section id=\"chain\">\n");
    page.element("h2", "", "From sentences to checks");
    let rows = chain.iter().take(ROWS_MAX).map(|it| {
        let mut row = Row::from([
            format!("{}:{}", it.file, it.line),
            it.sentence.clone(),
            it.scenario.clone(),
            it.edge.clone(),
            it.case.clone(),
            it.check.clone(),
        ]);
        row.class = if it.scenario.is_empty() { "missed" } else { "" };
        row
    });
    let head = ["place", "sentence", "scenario", "edge", "case", "check"];
    page.table("From sentences to checks", "plain", head, rows);
    if chain.len() > ROWS_MAX {
        let more =
            format!("… and {} more rows: `--chain` writes all of them.", chain.len() - ROWS_MAX);
        page.element("p", " class=\"hint\"", &more);
    }
    page.raw("</section>\n");
}

fn drawing(page: &mut Html, derived: &Derived) {
    let Some(drawing) = &derived.drawing else { return };
    page.raw("<section id=\"drawing\">\n").element("h2", "", "How much drawing it saves");
    let row = |name: &str, it: &crate::view::scenarios::Count| {
        let counts = [it.automata, it.locations, it.edges, it.guards].map(|it| it.to_string());
        let [automata, locations, edges, guards] = counts;
        Row::from([name.to_owned(), automata, locations, edges, guards])
    };
    let rows = [row("drawn by hand", &drawing.by_hand), row("derived model", &drawing.derived)];
    let head = ["", "automata", "locations", "edges", "guards"];
    page.table("Drawing", "plain numbers", head, rows);
    page.raw("</section>\n");
}
