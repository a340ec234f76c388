//! What was derived of use cases, as text: scenarios, links, what is not covered.

use super::plural;
use crate::{
    outline::{Rows, section},
    view::scenarios::{Assigned, Derived, Event, Scenario},
};

/// The scenarios of a folder. Lines are broken at `width` columns, if given.
#[must_use]
pub fn text(derived: &Derived, width: Option<u16>) -> String {
    let mut out = String::new();
    let rows = derived.scenarios.iter().map(|it| {
        let begins = it.flows.first().map(String::as_str).unwrap_or_default();
        let rest = it.flows.iter().skip(1).cloned().collect::<Vec<_>>().join(", ");
        let by = if rest.is_empty() { begins.to_owned() } else { format!("{begins}; {rest}") };
        let steps = plural(it.steps.len(), "step");
        vec![it.name.clone(), it.use_case.clone(), steps, by]
    });
    let title = plural(derived.scenarios.len(), "scenario");
    out.push_str(&format!("{}: {title}", derived.folder));
    let uncovered = derived.uncovered.len();
    match uncovered {
        0 => out.push_str("; every flow and every branch is covered\n"),
        1 => out.push_str("; 1 flow or branch is not covered\n"),
        n => out.push_str(&format!("; {n} flows and branches are not covered\n")),
    }
    out += &unreached(derived);
    section(&mut out, "Scenarios", &Rows::plain(rows.collect()), width);
    for it in &derived.scenarios {
        section(&mut out, &it.name, &Rows::plain(values(it)), width);
    }
    let rows = derived
        .events
        .iter()
        .map(|it| vec![it.edge.clone(), it.event.clone(), it.updates.join(", "), dispatched(it)]);
    section(&mut out, "Edges that wait for a scenario", &Rows::plain(rows.collect()), width);
    let rows = derived.notes.iter().map(|it| vec![it.clone()]);
    section(&mut out, "In the model", &Rows::plain(rows.collect()), width);
    let mut rows = Vec::new();
    for it in &derived.uncovered {
        let place = format!("{}:{}", it.file, it.line);
        rows.push(vec![place, it.what.clone(), it.why.clone()]);
        for claim in &it.contradiction {
            let place = match claim.file.is_empty() {
                true => String::new(),
                false => format!("{}:{}", claim.file, claim.line),
            };
            let holds = if claim.holds { "holds" } else { "does not hold" };
            rows.push(vec![String::new(), format!("  {}: {holds}", claim.text), place]);
        }
    }
    section(&mut out, "Not covered", &Rows::plain(rows), width);
    if let Some(drawing) = &derived.drawing {
        let row = |name: &str, it: &crate::view::scenarios::Count| {
            let automata = if it.automata == 1 { "automaton" } else { "automata" };
            let cells = [
                format!("{} {automata}", it.automata),
                plural(it.locations, "location"),
                plural(it.edges, "edge"),
                plural(it.guards, "guard"),
            ];
            std::iter::once(name.to_owned()).chain(cells).collect()
        };
        let rows = vec![row("by hand", &drawing.by_hand), row("derived", &drawing.derived)];
        section(&mut out, "Drawing", &Rows::plain(rows), width);
    }
    out
}

/// How a model came about: a line for each edge that waits for a scenario, and for each note.
#[must_use]
pub fn links(derived: &Derived) -> String {
    let edges = derived.events.iter();
    let edges = edges.map(|it| format!("  {} ({}): {}\n", it.edge, it.event, dispatched(it)));
    let notes = derived.notes.iter().map(|it| format!("  {it}\n"));
    edges.chain(notes).chain([unreached(derived)]).collect()
}

/// Scenarios that can not happen, a line each, with what they need.
fn unreached(derived: &Derived) -> String {
    let lost = derived.scenarios.iter().filter(|it| derived.unreached.contains(&it.name));
    lost.map(|it| format!("  {}: {}\n", it.name, never(it))).collect()
}

/// Why a scenario can not happen.
pub(super) fn never(scenario: &Scenario) -> String {
    let needs: Vec<&str> = scenario.needs.iter().map(|it| it.condition.as_str()).collect();
    format!("it can not happen, since no state leads to what it needs ({})", needs.join("; "))
}

/// Who dispatches an event, or why nobody does.
pub(super) fn dispatched(it: &Event) -> String {
    match it.scenarios.is_empty() {
        true => format!("not linked, {}", it.why),
        false => format!("by {}", it.scenarios.join(", ")),
    }
}

/// What the tester gives, what must be so before, and what is so afterwards.
fn values(it: &Scenario) -> Vec<Vec<String>> {
    let assigned = |it: &Assigned| {
        let because = it.because.join("; ");
        vec![it.kind.clone(), format!("{} = {}", it.name, it.value), because]
    };
    let mut rows: Vec<Vec<String>> = it.inputs.iter().map(assigned).collect();
    rows.extend(it.state.iter().map(assigned));
    let needs = it.needs.iter();
    rows.extend(needs.map(|it| vec!["needs".to_owned(), it.condition.clone(), it.because.clone()]));
    rows.extend(it.outputs.iter().map(assigned));
    rows.extend(it.open.iter().map(|it| vec!["open".to_owned(), it.clone(), String::new()]));
    rows
}
