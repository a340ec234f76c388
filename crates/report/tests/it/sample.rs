//! Small automata, and a reader for the drawings made of them.

use proptest::prelude::*;
use punctual_report::svg;
use punctual_report::view::{Branchpoint, Diagram, Edge, End, Label, LabelKind, Location, Sheet};

pub(crate) const RADIUS: f64 = 10.0;

pub(crate) fn at(location: usize) -> End {
    End::Location(location)
}

/// The only caller of the renderer here.
pub(crate) fn draw(diagrams: Vec<Diagram>) -> String {
    svg::render(&Sheet { title: "Sample".into(), diagrams }, &svg::Options::default())
}

/// A lamp as its author laid it out, with nails and placed labels.
pub(crate) fn lamp() -> Diagram {
    let off = Location {
        name_position: Some(punctual_report::view::Point::new(-40, -30)),
        initial: true,
        ..Location::named("off").at(0, 0)
    };
    let mut low = Location::named("low").at(160, 0);
    low.labels.push(Label::new(LabelKind::Invariant, "y <= 300").at(176, -8));
    let bright = Location { urgent: true, ..Location::named("bright").at(160, 120) };
    let mut press = Edge::new(at(0), at(1));
    press.labels.push(Label::new(LabelKind::Synchronisation, "press?").at(50, -34));
    press.labels.push(Label::new(LabelKind::Update, "y = 0").at(50, -17));
    let mut again = Edge::new(at(1), at(2));
    again.labels.push(Label::new(LabelKind::Guard, "y < 5").at(168, 40));
    again.labels.push(Label::new(LabelKind::Synchronisation, "press?").at(168, 57));
    let mut timeout = Edge::new(at(1), at(0)).via(160, 60).via(0, 60);
    timeout.controllable = false;
    timeout.labels.push(Label::new(LabelKind::Guard, "y == 300").at(50, 42));
    let back = Edge::new(at(2), at(0)).via(0, 120).with(LabelKind::Synchronisation, "press?");
    Diagram {
        name: "Lamp".into(),
        parameters: "chan &press".into(),
        declarations: Some("clock y;".into()),
        locations: vec![off, low, bright],
        branchpoints: vec![],
        edges: vec![press, again, timeout, back],
    }
}

/// A sender that retries, without any coordinates.
pub(crate) fn sender() -> Diagram {
    let idle = Location { initial: true, ..Location::named("idle") };
    let waiting = Location::named("waiting").with(LabelKind::Invariant, "x <= TIMEOUT");
    let choice = Location { committed: true, ..Location::default() };
    let branch = End::Branchpoint(0);
    let edges = vec![
        Edge::new(at(0), branch).with(LabelKind::Synchronisation, "send?"),
        Edge::new(branch, at(1)).with(LabelKind::Probability, "9").with(LabelKind::Update, "x = 0"),
        Edge::new(branch, at(2)).with(LabelKind::Probability, "1"),
        Edge::new(at(1), at(0)).with(LabelKind::Synchronisation, "ack?"),
        Edge::new(at(1), at(2)).with(LabelKind::Guard, "x == TIMEOUT"),
        Edge::new(at(2), at(1))
            .with(LabelKind::Guard, "n < MAX")
            .with(LabelKind::Update, "n++,\nx = 0"),
        Edge::new(at(2), at(0)).with(LabelKind::Guard, "n == MAX").with(LabelKind::Update, "n = 0"),
        Edge::new(at(1), at(1)).with(LabelKind::Synchronisation, "noise?"),
    ];
    Diagram {
        name: "Sender".into(),
        locations: vec![idle, waiting, choice],
        branchpoints: vec![Branchpoint::default()],
        edges,
        ..Diagram::default()
    }
}

/// A graph with `n_locations` named locations and the given labelled edges, without coordinates.
pub(crate) fn graph(n_locations: usize, ends: &[(usize, usize)]) -> Diagram {
    let mut locations: Vec<Location> =
        (0..n_locations).map(|i| Location::named(format!("L{i}"))).collect();
    if let Some(first) = locations.first_mut() {
        first.initial = true;
    }
    let edge = |(i, (from, to)): (usize, &(usize, usize))| {
        let edge = Edge::new(at(*from), at(*to));
        if i % 3 == 0 { edge } else { edge.with(LabelKind::Guard, format!("x >= {i}")) }
    };
    let edges = ends.iter().enumerate().map(edge).collect();
    Diagram { name: "G".into(), locations, edges, ..Diagram::default() }
}

/// Graphs of up to 14 locations.
pub(crate) fn arb_graph() -> impl Strategy<Value = Diagram> {
    (1_usize..15).prop_flat_map(|n| {
        proptest::collection::vec((0..n, 0..n), 0..40).prop_map(move |ends| graph(n, &ends))
    })
}

/// The numbers in a piece of path data, as points.
pub(crate) fn points(data: &str) -> Vec<(f64, f64)> {
    let numbers: Vec<f64> = data
        .split(|c: char| c.is_ascii_alphabetic() || c == ' ')
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().expect("a number"))
        .collect();
    numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect()
}

pub(crate) fn number(node: roxmltree::Node, name: &str) -> f64 {
    let value = node.attribute(name).unwrap_or_else(|| panic!("no {name} in {node:?}"));
    value.parse().expect("a number")
}

/// All elements with the given class.
pub(crate) fn of_class<'a>(
    document: &'a roxmltree::Document,
    class: &'a str,
) -> impl Iterator<Item = roxmltree::Node<'a, 'a>> {
    document.descendants().filter(move |node| {
        let classes = node.attribute("class").unwrap_or_default();
        classes.split(' ').any(|one| one == class)
    })
}
