//! What holds for every layout: nothing on top of each other, nothing lost, at any size.

use proptest::prelude::*;
use punctual_report::layout;
use punctual_report::view::{Branchpoint, Diagram, Edge, End, Location, Point};

use crate::sample::{RADIUS, arb_graph, at, graph, lamp, sender};

fn arranged(mut diagram: Diagram) -> Diagram {
    layout::arrange(&mut diagram);
    diagram
}

/// Asserts that circles keep a distance.
fn check_apart(diagram: &Diagram) {
    let locations = diagram.locations.iter().map(|location| location.position);
    let branchpoints = diagram.branchpoints.iter().map(|branchpoint| branchpoint.position);
    let mut places: Vec<Point> =
        locations.chain(branchpoints).map(|place| place.expect("a position")).collect();
    places.sort();
    let room = 2 * RADIUS as i32 + 5;
    for (i, a) in places.iter().enumerate() {
        for b in places[i + 1..].iter().take_while(|b| b.x - a.x < room) {
            assert!((b.y - a.y).abs() >= room, "{a:?} and {b:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Fails if blocks are packed without regard to one of their rows.
    #[test]
    fn nothing_lies_on_top_of_each_other(diagram in arb_graph()) {
        check_apart(&arranged(diagram));
    }

    #[test]
    fn the_first_initial_location_is_on_top(diagram in arb_graph()) {
        let is_linked = diagram.edges.iter().any(|edge| {
            edge.source != edge.target && (edge.source == at(0) || edge.target == at(0))
        });
        let diagram = arranged(diagram);
        let height = |location: &Location| location.position.expect("a position").y;
        let top = diagram.locations.iter().map(height).min();
        if is_linked {
            prop_assert_eq!(Some(height(&diagram.locations[0])), top);
        }
    }

    #[test]
    fn arranging_is_deterministic(diagram in arb_graph()) {
        prop_assert_eq!(arranged(diagram.clone()), arranged(diagram));
    }
}

#[test]
fn edges_point_down_where_there_is_no_cycle() {
    let ends = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (0, 4)];
    let diagram = arranged(graph(5, &ends));
    for (from, to) in ends {
        let y = |i: usize| diagram.locations[i].position.expect("a position").y;
        assert!(y(from) < y(to), "{from} -> {to}");
    }
}

#[test]
fn complete_coordinates_are_kept() {
    assert!(!layout::is_missing(&lamp()));
    assert_eq!(*layout::completed(&lamp()), lamp());
}

#[test]
fn one_missing_coordinate_lays_out_everything() {
    let mut diagram = lamp();
    diagram.locations[1].position = None;
    assert!(layout::is_missing(&diagram));
    check_apart(&layout::completed(&diagram));
}

#[test]
fn coinciding_coordinates_count_as_missing() {
    let mut diagram = sender();
    for location in &mut diagram.locations {
        location.position = Some(Point::new(0, 0));
    }
    assert!(layout::is_missing(&diagram));
    check_apart(&layout::completed(&diagram));
}

#[test]
fn a_branchpoint_without_a_place_goes_between_its_neighbours() {
    let mut diagram = lamp();
    diagram.branchpoints.push(Branchpoint::default());
    diagram.edges.push(Edge::new(at(1), End::Branchpoint(0)));
    diagram.edges.push(Edge::new(End::Branchpoint(0), at(2)));
    let completed = layout::completed(&diagram);
    assert_eq!(completed.branchpoints[0].position, Some(Point::new(160, 60)));
    assert_eq!(completed.locations, lamp().locations);
}

#[test]
fn lonely_locations_form_rows() {
    let diagram = arranged(graph(100, &[(0, 1)]));
    check_apart(&diagram);
    let xs = diagram.locations.iter().map(|l| l.position.expect("a position").x);
    let (least, most) = (xs.clone().min(), xs.max());
    assert!(most.zip(least).is_some_and(|(most, least)| most - least < 2_000));
}

/// Each location leads on and back to the start: without a limit, bends would be quadratic.
#[test]
fn a_long_chain_with_many_ways_back() {
    let n = 3_000;
    let ends: Vec<(usize, usize)> = (1..n).flat_map(|i| [(i - 1, i), (i, 0)]).collect();
    check_apart(&arranged(graph(n, &ends)));
}

#[test]
fn a_huge_graph() {
    let n = 2_000_usize;
    let ends: Vec<(usize, usize)> = (0..8_000_usize).map(|i| (i * 7_919 % n, i * i % n)).collect();
    check_apart(&arranged(graph(n, &ends)));
}

/// A document that is laid out anew means the same, and everything in it has a place; long labels go on in the next line.
#[test]
fn documents_are_laid_out() {
    use punctual_lang::{convert::to_document, read, uppaal::xml};
    let text = "chan a; bool longNameOfAVariable, anotherLongNameOfAVariable, thirdLongNameOfAVariable; clock x;
        process P() { state A, B { x <= 3 }, C; init A;
        trans A -> B { sync a?; assign longNameOfAVariable = true, anotherLongNameOfAVariable = true, thirdLongNameOfAVariable = false; },
        B -> C { guard x >= 1; }, C -> C { sync a!; }, B -> A { }; } system P;";
    let network = |name: &str, text: &str| {
        let reading = read(name, text.as_bytes());
        reading.model.unwrap_or_else(|| panic!("{:?}", reading.diagnostics)).network
    };
    let before = network("p.xta", text);
    let mut document = to_document(&before).expect("it can be written");
    punctual_report::fill::diagram::arrange(&mut document);
    let template = &document.templates[0];
    let places: std::collections::BTreeSet<(i32, i32)> =
        template.locations.iter().filter_map(|it| it.at).map(|at| (at.x, at.y)).collect();
    assert_eq!(places.len(), 3);
    let labels = template.edges.iter().flat_map(|it| &it.labels);
    assert!(labels.clone().all(|it| it.at.is_some()));
    assert!(labels.clone().any(|it| it.text.text.contains('\n')), "a long label is broken");
    assert_eq!(network("p.xml", &xml::write(&document)), before);
}
