//! Drawings of what nobody should draw: the document stays well-formed and of a usable size.

use proptest::prelude::*;
use punctual_report::svg;
use punctual_report::view::{
    Branchpoint, Diagram, Edge, End, Label, LabelKind, Location, Point, Sheet,
};

use crate::sample::{at, draw, lamp, of_class};

/// Asserts that the drawing is XML and returns its width and height.
fn check(drawing: &str) -> (f64, f64) {
    let document = roxmltree::Document::parse(drawing).expect("well-formed XML");
    let bounds = document.root_element().attribute("viewBox").expect("a viewBox");
    let sides: Vec<f64> = bounds.split(' ').map(|side| side.parse().expect("a number")).collect();
    assert!(sides.iter().all(|side| side.is_finite()) && sides[2] > 0.0 && sides[3] > 0.0);
    (sides[2], sides[3])
}

#[test]
fn names_are_escaped_and_cleaned() {
    let name = "a<b>&\"c'\u{0}\u{1b}]]>\u{202e}\u{ffff}<script>";
    let mut diagram = lamp();
    diagram.name = name.into();
    diagram.parameters = name.into();
    diagram.declarations = Some(name.into());
    diagram.locations[0].name = Some(name.into());
    diagram.locations[0].note = Some(name.into());
    diagram.edges[0].labels[0].text = name.into();
    let drawing = svg::render(
        &Sheet { title: name.into(), diagrams: vec![diagram] },
        &svg::Options::default(),
    );
    check(&drawing);
    let document = roxmltree::Document::parse(&drawing).expect("well-formed XML");
    let heading: String = of_class(&document, "heading")
        .flat_map(|text| text.descendants())
        .filter(|node| node.is_text())
        .filter_map(|node| node.text())
        .collect();
    assert_eq!(heading, "a<b>&\"c']]><script>");
    assert!(document.descendants().all(|node| !node.has_tag_name("script")));
}

#[test]
fn edges_that_lead_nowhere_are_left_out_and_counted() {
    let mut diagram = lamp();
    diagram.edges.push(Edge::new(at(0), at(99)));
    diagram.edges.push(Edge::new(End::Branchpoint(0), at(0)));
    assert_eq!(diagram.dangling_edges().collect::<Vec<_>>(), [4, 5]);
    let drawing = draw(vec![diagram.clone()]);
    check(&drawing);
    assert!(drawing.contains("not drawn: 2 edges"));
    diagram.locations[0].position = None;
    assert!(draw(vec![diagram]).contains("not drawn: 2 edges"));
}

#[test]
fn extreme_coordinates_do_not_blow_up_the_picture() {
    let far = [Point::new(i32::MIN, i32::MAX), Point::new(i32::MAX, i32::MIN)];
    let mut nails = lamp();
    nails.edges[2].nails.extend(far);
    nails.edges[0].labels[0].position = Some(far[0]);
    nails.locations[0].name_position = Some(far[1]);
    nails.branchpoints.push(Branchpoint { position: Some(far[0]), ..Branchpoint::default() });
    let mut locations = lamp();
    locations.locations[0].position = Some(far[0]);
    locations.locations[1].position = Some(far[1]);
    let mut corner = lamp();
    corner.locations.truncate(1);
    corner.locations[0].position = Some(far[1]);
    corner.locations[0].name_position = None;
    for diagram in [nails, locations, corner] {
        let (width, height) = check(&draw(vec![diagram]));
        assert!(width < 5_000.0 && height < 5_000.0, "{width} x {height}");
    }
}

#[test]
fn endless_texts_do_not_blow_up_the_picture() {
    let mut diagram = lamp();
    diagram.name = "x".repeat(5_000);
    diagram.parameters = "int a, ".repeat(5_000);
    diagram.declarations = Some("int a;\n".repeat(50_000) + &"y".repeat(100_000));
    diagram.locations[0].name = Some("x".repeat(100_000));
    diagram.edges[0].labels[0].text = "a\n".repeat(100_000);
    diagram.edges[3].labels[0].text = "a && ".repeat(100_000);
    let (width, height) = check(&draw(vec![diagram.clone()]));
    assert!(width < 5_000.0 && height < 5_000.0, "{width} x {height}");
    diagram.locations[0].position = None;
    let (width, height) = check(&draw(vec![diagram]));
    assert!(width < 5_000.0 && height < 9_000.0, "{width} x {height}");
}

#[test]
fn all_declarations_can_be_asked_for() {
    let mut diagram = lamp();
    diagram.declarations = Some("int a;\n".repeat(100) + "int last;");
    let sheet = Sheet { title: String::new(), diagrams: vec![diagram] };
    let options = |n| svg::Options { declaration_lines_max: n, ..svg::Options::default() };
    assert!(svg::render(&sheet, &options(usize::MAX)).contains("int last;"));
    assert!(!svg::render(&sheet, &options(0)).contains("int a;"));
}

#[test]
fn nothing_to_draw() {
    check(&draw(vec![]));
    check(&draw(vec![Diagram::default()]));
    let branchpoints = vec![Branchpoint::default(); 3];
    check(&draw(vec![Diagram { branchpoints, ..Diagram::default() }]));
}

#[test]
fn a_large_sheet() {
    let diagrams = vec![lamp(); 300];
    let drawing = draw(diagrams);
    check(&drawing);
    let document = roxmltree::Document::parse(&drawing).expect("well-formed XML");
    assert_eq!(of_class(&document, "edge").count(), 1_200);
}

fn arb_point() -> impl Strategy<Value = Point> {
    let coordinate = || prop_oneof![4 => -300..300_i32, 1 => any::<i32>()];
    (coordinate(), coordinate()).prop_map(|(x, y)| Point::new(x, y))
}

fn arb_place() -> impl Strategy<Value = Option<Point>> {
    proptest::option::weighted(0.9, arb_point())
}

/// Any characters at all, control characters and line breaks among them.
fn arb_text() -> impl Strategy<Value = String> {
    let char = prop_oneof![any::<char>(), proptest::char::range('\0', '\u{ff}'), Just('\n')];
    proptest::collection::vec(char, 0..30).prop_map(String::from_iter)
}

fn arb_label() -> impl Strategy<Value = Label> {
    let kinds = vec![LabelKind::Name, LabelKind::Invariant, LabelKind::Guard, LabelKind::Comment];
    (proptest::sample::select(kinds), arb_text(), arb_place())
        .prop_map(|(kind, text, position)| Label { kind, text, position })
}

fn arb_end() -> impl Strategy<Value = End> {
    prop_oneof![3 => (0..5_usize).prop_map(End::Location), 1 => (0..3_usize).prop_map(End::Branchpoint)]
}

fn arb_diagram() -> impl Strategy<Value = Diagram> {
    let labels = || proptest::collection::vec(arb_label(), 0..3);
    let name = proptest::option::of(arb_text());
    let location =
        (name, arb_place(), arb_place(), labels()).prop_map(|(name, at, position, labels)| {
            Location { name, name_position: at, position, labels, ..Location::default() }
        });
    let nails = proptest::collection::vec(arb_point(), 0..4);
    let edge =
        (arb_end(), arb_end(), nails, labels()).prop_map(|(source, target, nails, labels)| Edge {
            nails,
            labels,
            ..Edge::new(source, target)
        });
    let branchpoint =
        arb_place().prop_map(|position| Branchpoint { position, ..Branchpoint::default() });
    (
        arb_text(),
        proptest::collection::vec(location, 0..5),
        proptest::collection::vec(branchpoint, 0..3),
        proptest::collection::vec(edge, 0..10),
    )
        .prop_map(|(name, locations, branchpoints, edges)| Diagram {
            name,
            locations,
            branchpoints,
            edges,
            ..Diagram::default()
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn anything_gives_a_document(diagrams in proptest::collection::vec(arb_diagram(), 0..3)) {
        check(&draw(diagrams));
    }
}

#[test]
fn any_interface_can_be_drawn() {
    use punctual_report::view::interface::{Interface, Link, Part, Side, Signal};
    let name = "a<b>&\"\u{0}\u{202e}".repeat(40);
    let sides = [Side::System, Side::Environment, Side::Both, Side::Nobody];
    let part = |side| Part { name: name.clone(), side, ..Part::default() };
    let parts: Vec<Part> = sides.into_iter().cycle().take(300).map(part).collect();
    let link = |item: &str, out| Link { process: name.clone(), item: item.to_owned(), out };
    let interface = Interface {
        model: name.clone(),
        signals: vec![Signal { name: name.clone(), input: true, carries: vec![name.clone()] }],
        processes: parts.clone(),
        channels: parts.clone(),
        variables: parts.clone(),
        clocks: parts,
        links: vec![link(&name, true), link(&name, false), link("nowhere", true)],
        ..Interface::default()
    };
    for interface in [Interface::default(), interface] {
        check(&punctual_report::interface::picture(&interface));
        assert!(!punctual_report::interface::text(&interface, Some(80)).is_empty());
    }
}
