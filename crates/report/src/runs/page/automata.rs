//! Automata coloured by what a run covered, and the table of it.

use std::collections::BTreeMap;

use punctual_campaign::store::{Coverage, CutOff, Diagnosis, EdgeCoverage, Side, UseCoverage};

use crate::runs::words;
use crate::svg;
use crate::text::one_line;
use crate::view::{Diagram, End, LabelKind, Mark};

use crate::runs::html::{Html, Row};

/// A drawing, and the processes that it is a drawing of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Automaton {
    /// The drawing, without marks. Its locations are in the order of the locations of the processes.
    pub diagram: Diagram,
    /// The processes, by the names that the record uses. What any of them covered is covered.
    pub processes: Vec<String>,
    /// For each edge of a process, the index of its line in the drawing; empty if they are the same.
    pub edges: Vec<usize>,
}

/// The drawings and the table of what was covered, in a section of its own.
pub(in crate::runs) fn section(
    page: &mut Html,
    (id, title): (&str, &str),
    covered: Option<&Coverage>,
    diagnosis: Option<&Diagnosis>,
    automata: &[Automaton],
) {
    let none = Coverage::default();
    let coverage = covered.unwrap_or(&none);
    // A model without automata has nothing to be covered.
    if automata.is_empty() && coverage.edges.is_empty() && coverage.locations.is_empty() {
        return;
    }
    page.raw(&format!("<section id=\"{id}\">\n")).element("h2", "", title);
    if covered.is_some() {
        let ((taken, edges), (visited, locations)) = coverage.totals();
        page.raw("<div class=\"meters\">\n");
        meter(page, "edges", taken, edges);
        meter(page, "locations", visited, locations);
        let (system, environment) =
            (coverage.edges_of(Side::System), coverage.edges_of(Side::Environment));
        if system.1 > 0 && environment.1 > 0 {
            meter(page, "edges of the system", system.0, system.1);
            meter(page, "edges of the environment", environment.0, environment.1);
        }
        let (used, uses) = coverage.uses_taken();
        if uses > 0 {
            meter(page, "uses of variables", used, uses);
        }
        page.raw("</div>\n");
    }
    if !automata.is_empty() {
        page.raw(concat!(
            "<div class=\"legend\"><span class=\"key covered\">covered</span>",
            "<span class=\"key uncovered\">not covered</span>",
        ));
        if diagnosis.is_some() {
            page.raw("<span class=\"key faulty\">forbids what was seen</span>");
        }
        page.raw("</div>\n<div class=\"automata\">\n");
    }
    let options = svg::Options { legend: false, declarations: false, ..svg::Options::default() };
    for automaton in automata {
        let diagram = marked(automaton, covered, diagnosis);
        page.raw("<figure tabindex=\"0\" aria-label=\"").text(&one_line(&diagram.name));
        page.raw("\">\n").raw(&svg::render_diagram(&diagram, &options));
        let processes = automaton.processes.join(", ");
        if !processes.is_empty() && processes != diagram.name {
            page.element("figcaption", "", &one_line(&processes));
        }
        page.raw("</figure>\n");
    }
    if !automata.is_empty() {
        page.raw("</div>\n");
    }
    if !coverage.edges.is_empty() {
        page.element("h3", "", "Edges, and when in their windows they were taken");
        let head = ["process", "edge", "labels", "taken", "early", "middle", "late", ""];
        page.table("Edges", "numbers edges", head, coverage.edges.iter().map(row));
    }
    if !coverage.uses.is_empty() {
        page.element("h3", "", "Variables: which edge reads what which edge has written");
        let head = ["variable", "written by", "read by", "used", ""];
        let row = |it: &UseCoverage| used(coverage, it);
        page.table("Uses of variables", "numbers uses", head, coverage.uses.iter().map(row));
    }
    let missed: Vec<String> = coverage
        .locations
        .iter()
        .filter(|location| !location.visited)
        .map(|location| match location.name.is_empty() {
            true => format!("{} location {}", location.process, location.location),
            false => format!("{}.{}", location.process, location.name),
        })
        .collect();
    if !missed.is_empty() {
        page.raw("<p><strong>Locations never visited:</strong> ");
        page.text(&one_line(&missed.join(", "))).raw("</p>\n");
    }
    page.raw("</section>\n");
}

fn meter(page: &mut Html, name: &str, part: usize, whole: usize) {
    page.raw(&format!(
        "<label><span>{part} of {whole} {name}</span><progress value=\"{part}\" max=\"{}\"></progress></label>\n",
        whole.max(1)
    ));
}

fn row(edge: &EdgeCoverage) -> Row<8> {
    let path = words::edge(edge, false);
    let how = match (edge.taken(), edge.certain) {
        (0, _) => "never",
        (_, false) => "perhaps",
        (_, true) => "",
    };
    Row {
        class: if edge.taken() == 0 { "missed" } else { "" },
        place: None,
        cells: [
            one_line(&edge.process),
            one_line(&path),
            one_line(&edge.label),
            words::grouped(edge.taken()),
            words::grouped(edge.early),
            words::grouped(edge.middle),
            words::grouped(edge.late),
            how.to_owned(),
        ],
    }
}

/// A use of what an edge, or the start of the run, gave to a variable.
fn used(coverage: &Coverage, it: &UseCoverage) -> Row<5> {
    let how = match (it.taken, it.certain) {
        (0, _) => "never",
        (_, false) => "perhaps",
        (_, true) => "",
    };
    Row {
        class: if it.taken == 0 { "missed" } else { "" },
        place: None,
        cells: [
            one_line(&it.variable),
            words::writer(coverage, it),
            words::reader(coverage, it),
            words::grouped(it.taken),
            how.to_owned(),
        ],
    }
}

/// The drawing with its marks.
fn marked(
    automaton: &Automaton,
    coverage: Option<&Coverage>,
    diagnosis: Option<&Diagnosis>,
) -> Diagram {
    let mut diagram = automaton.diagram.clone();
    let is_mine = |process: &String| automaton.processes.contains(process);
    if let Some(coverage) = coverage {
        let mut lines: BTreeMap<usize, EdgeCoverage> = BTreeMap::new();
        for edge in coverage.edges.iter().filter(|edge| is_mine(&edge.process)) {
            let index = edge.edge as usize;
            let line = match automaton.edges.is_empty() {
                true => Some(index),
                false => automaton.edges.get(index).copied(),
            };
            let Some(line) = line else { continue };
            let all = lines.entry(line).or_default();
            all.early = all.early.saturating_add(edge.early);
            all.middle = all.middle.saturating_add(edge.middle);
            all.late = all.late.saturating_add(edge.late);
        }
        for (line, edge) in lines {
            let Some(drawn) = diagram.edges.get_mut(line) else { continue };
            let taken = edge.taken();
            drawn.mark = Some(if taken > 0 { Mark::Covered } else { Mark::Uncovered });
            drawn.note = Some(match taken {
                0 => "never taken".to_owned(),
                _ => format!(
                    "taken {}: {} early, {} in the middle, {} late",
                    words::count(taken, "time", "times"),
                    edge.early,
                    edge.middle,
                    edge.late
                ),
            });
        }
        for location in coverage.locations.iter().filter(|it| is_mine(&it.process)) {
            let Some(drawn) = diagram.locations.get_mut(location.location as usize) else {
                continue;
            };
            if location.visited || drawn.mark.is_none() {
                let mark = if location.visited { Mark::Covered } else { Mark::Uncovered };
                drawn.mark = Some(mark);
            }
        }
    }
    for cut in diagnosis.iter().flat_map(|diagnosis| &diagnosis.cut_off) {
        if is_mine(&cut.process) {
            mark_cut_off(&mut diagram, cut);
        }
    }
    diagram
}

/// Marks the edge that was cut off, or the location whose invariant ran out.
fn mark_cut_off(diagram: &mut Diagram, cut: &CutOff) {
    let names: Vec<Option<String>> =
        diagram.locations.iter().map(|location| location.name.clone()).collect();
    let is_named = |end: End, name: &str| match end {
        End::Location(index) => names.get(index).is_some_and(|it| it.as_deref() == Some(name)),
        End::Branchpoint(_) => false,
    };
    if cut.target.is_empty() {
        let mut places = diagram.locations.iter_mut();
        if let Some(place) = places.find(|it| it.name.as_deref() == Some(cut.source.as_str())) {
            place.mark = Some(Mark::Faulty);
            place.note = Some(cut.why.clone());
        }
        return;
    }
    for edge in &mut diagram.edges {
        let is_same = is_named(edge.source, &cut.source) && is_named(edge.target, &cut.target);
        let sync = edge.labels.iter().find(|label| label.kind == LabelKind::Synchronisation);
        let has_label = sync.is_none_or(|sync| cut.label.contains(sync.text.trim()));
        if is_same && has_label {
            edge.mark = Some(Mark::Faulty);
            edge.note = Some(cut.why.clone());
        }
    }
}
