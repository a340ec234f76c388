//! Models as diagrams: what `report` draws, from a document or from a flat network.

use punctual_lang::{
    Model,
    convert::print::Printer,
    document::{self, Document, LabelKind},
};
use punctual_model::{Id, LocationKind, Process, ProcessId};

use crate::{layout, view};

/// The templates of a model, or its processes where it has no templates.
#[must_use]
pub fn sheet(model: &Model, title: String) -> view::Sheet {
    let diagrams = match &model.document {
        Some(document) => templates(document),
        None => {
            let network = &model.network;
            network
                .processes
                .enumerate()
                .map(|(id, process)| flat(&Printer::within(network, id), id, process))
                .collect()
        }
    };
    view::Sheet { title, diagrams }
}

/// Gives every location, edge and label of a document a place, whatever places they had.
pub fn arrange(document: &mut Document) {
    for it in &mut document.templates {
        let mut diagram = template(it);
        layout::arrange(&mut diagram);
        for (location, shown) in it.locations.iter_mut().zip(&diagram.locations) {
            location.at = shown.position.map(placed);
            location.name_at = shown.name_position.map(placed);
            place_labels(&mut location.labels, &shown.labels);
        }
        for (branchpoint, shown) in it.branchpoints.iter_mut().zip(&diagram.branchpoints) {
            branchpoint.at = shown.position.map(placed);
        }
        for (edge, shown) in it.edges.iter_mut().zip(&diagram.edges) {
            edge.nails = shown.nails.iter().copied().map(placed).collect();
            place_labels(&mut edge.labels, &shown.labels);
        }
    }
}

/// Labels that are drawn, in the order of the document: their places, and their lines.
fn place_labels(labels: &mut [document::Label], shown: &[view::Label]) {
    let drawn = labels.iter_mut().filter(|it| !it.text.is_blank() && kind(&it.kind).is_some());
    for (label, shown) in drawn.zip(shown) {
        label.at = shown.position.map(placed);
        label.text.text.clone_from(&shown.text);
    }
}

fn placed(point: view::Point) -> document::Point {
    document::Point { x: point.x, y: point.y }
}

fn templates(document: &Document) -> Vec<view::Diagram> {
    document.templates.iter().map(template).collect()
}

fn template(template: &document::Template) -> view::Diagram {
    let declarations = template.declarations.text.trim();
    let end = |id: &str| {
        let location = template.locations.iter().position(|location| location.id == id);
        let branchpoint = || template.branchpoints.iter().position(|point| point.id == id);
        location
            .map(view::End::Location)
            .or_else(|| branchpoint().map(view::End::Branchpoint))
            .unwrap_or(view::End::Location(usize::MAX))
    };
    let initial = template.init.as_ref().map(|(id, _)| id.as_str());
    view::Diagram {
        name: template.name.text.trim().to_owned(),
        parameters: template.parameters.text.trim().to_owned(),
        declarations: (!declarations.is_empty()).then(|| declarations.to_owned()),
        locations: template
            .locations
            .iter()
            .map(|location| view::Location {
                name: Some(location.name.text.trim().to_owned()).filter(|name| !name.is_empty()),
                name_position: location.name_at.map(point),
                position: location.at.map(point),
                initial: initial == Some(location.id.as_str()),
                committed: location.committed,
                urgent: location.urgent,
                labels: labels(&location.labels),
                colour: colour(location.colour.as_deref()),
                ..view::Location::default()
            })
            .collect(),
        branchpoints: template
            .branchpoints
            .iter()
            .map(|branchpoint| view::Branchpoint {
                position: branchpoint.at.map(point),
                ..view::Branchpoint::default()
            })
            .collect(),
        edges: template
            .edges
            .iter()
            .map(|edge| view::Edge {
                nails: edge.nails.iter().copied().map(point).collect(),
                labels: labels(&edge.labels),
                colour: colour(edge.colour.as_deref()),
                controllable: edge.controllable,
                ..view::Edge::new(end(&edge.source.0), end(&edge.target.0))
            })
            .collect(),
    }
}

fn point(point: document::Point) -> view::Point {
    view::Point { x: point.x, y: point.y }
}

fn colour(text: Option<&str>) -> Option<view::Colour> {
    text.and_then(view::Colour::parse)
}

/// What a label means in a picture; none for code of generated tests, which is not part of it.
fn kind(kind: &LabelKind) -> Option<view::LabelKind> {
    Some(match kind {
        LabelKind::Invariant => view::LabelKind::Invariant,
        LabelKind::ExponentialRate => view::LabelKind::Rate,
        LabelKind::Select => view::LabelKind::Select,
        LabelKind::Guard => view::LabelKind::Guard,
        LabelKind::Synchronisation => view::LabelKind::Synchronisation,
        LabelKind::Assignment => view::LabelKind::Update,
        LabelKind::Probability => view::LabelKind::Probability,
        LabelKind::Comments => view::LabelKind::Comment,
        _ => return None,
    })
}

fn labels(labels: &[document::Label]) -> Vec<view::Label> {
    let written = labels.iter().filter(|label| !label.text.is_blank());
    let shown = written.filter_map(|label| {
        let text = label.text.text.trim().to_owned();
        Some(view::Label { kind: kind(&label.kind)?, text, position: label.at.map(point) })
    });
    shown.collect()
}

/// A process of a network without templates.
fn flat(printer: &Printer<'_>, id: ProcessId, process: &Process) -> view::Diagram {
    let mut diagram =
        view::Diagram { name: printer.process(id).to_owned(), ..view::Diagram::default() };
    for (location_id, location) in process.locations.enumerate() {
        let mut shown = view::Location {
            initial: process.initial.contains(&location_id),
            committed: location.kind == LocationKind::Committed,
            urgent: location.kind == LocationKind::Urgent,
            ..view::Location::named(location.name.clone())
        };
        let invariant = printer.invariant(location);
        if !invariant.is_empty() {
            shown = shown.with(view::LabelKind::Invariant, invariant);
        }
        if !location.labels.is_empty() {
            shown = shown.with(view::LabelKind::Comment, location.labels.join(", "));
        }
        diagram.locations.push(shown);
    }
    for edge in &process.edges {
        let printer = printer.for_edge(edge);
        for branch in &edge.branches {
            let mut shown = view::Edge::new(
                view::End::Location(edge.source.index()),
                view::End::Location(branch.target.index()),
            );
            for (kind, text) in [
                (view::LabelKind::Select, printer.selects(edge)),
                (view::LabelKind::Guard, printer.condition(&edge.guard)),
                (view::LabelKind::Synchronisation, printer.sync(&edge.sync)),
                (view::LabelKind::Update, printer.update(&edge.update)),
            ] {
                if !text.is_empty() {
                    shown = shown.with(kind, text);
                }
            }
            diagram.edges.push(shown);
        }
    }
    diagram
}
