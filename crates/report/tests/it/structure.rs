//! What holds for every drawing: lines meet circles, panels keep apart, labels find room.

use proptest::prelude::*;
use punctual_report::view::{Diagram, Edge, End, LabelKind, Location, Point};
use punctual_report::{layout, svg};

use crate::sample::{RADIUS, arb_graph, at, draw, graph, lamp, number, of_class, points, sender};

fn distance(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

/// Centre and radius of what an edge leaves or enters.
fn disc(diagram: &Diagram, end: End) -> ((f64, f64), f64) {
    let (point, radius) = match end {
        End::Location(i) => (diagram.locations[i].position, RADIUS),
        End::Branchpoint(i) => (diagram.branchpoints[i].position, 4.0),
    };
    let point = point.expect("a position");
    ((f64::from(point.x), f64::from(point.y)), radius)
}

/// Asserts that every line begins, and every arrow ends, on the border of the right circle.
fn check_ends(diagram: &Diagram) {
    let diagram = layout::completed(diagram);
    let drawing = draw(vec![diagram.clone().into_owned()]);
    let document = roxmltree::Document::parse(&drawing).expect("well-formed XML");
    let mut n_edges = 0;
    for group in of_class(&document, "edge") {
        let index = number(group, "data-index") as usize;
        let edge = &diagram.edges[index];
        let path = |class| {
            let path = group.children().find(|node| node.attribute("class") == Some(class));
            points(path.expect("a path").attribute("d").expect("path data"))
        };
        let (source, source_radius) = disc(&diagram, edge.source);
        let (target, target_radius) = disc(&diagram, edge.target);
        let (start, tip) = (path("line")[0], path("head")[0]);
        assert!((distance(start, source) - source_radius).abs() < 0.2, "{edge:?} starts {start:?}");
        assert!((distance(tip, target) - target_radius).abs() < 0.2, "{edge:?} ends {tip:?}");
        n_edges += 1;
    }
    assert_eq!(n_edges, diagram.edges.len());
}

#[test]
fn edges_meet_circles() {
    check_ends(&lamp());
    check_ends(&sender());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn edges_meet_circles_after_layout(diagram in arb_graph()) {
        check_ends(&diagram);
    }

    /// Crowded drawings with nails anywhere, even inside the circles.
    #[test]
    fn edges_meet_circles_wherever_the_nails_are(
        mut diagram in arb_graph(),
        places in proptest::collection::vec((0..90_i32, 0..90_i32), 60),
    ) {
        let mut places = places.into_iter().map(|(x, y)| Point::new(x, y)).cycle();
        for location in &mut diagram.locations {
            location.position = places.next();
        }
        for (i, edge) in diagram.edges.iter_mut().enumerate() {
            edge.nails.extend(places.by_ref().take(i % 4));
        }
        check_ends(&diagram);
    }

    #[test]
    fn drawing_twice_gives_the_same(diagram in arb_graph()) {
        prop_assert_eq!(draw(vec![diagram.clone()]), draw(vec![diagram]));
    }
}

#[test]
fn panels_keep_apart_and_contain_their_drawing() {
    let mut wide = graph(9, &[(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (0, 7), (0, 8)]);
    wide.declarations = Some("int a;\n".repeat(100));
    let empty = Diagram::default();
    let diagrams = vec![lamp(), sender(), wide, empty, lamp(), graph(30, &[]), sender()];
    let drawing = draw(diagrams);
    let document = roxmltree::Document::parse(&drawing).expect("well-formed XML");
    let frames: Vec<[f64; 4]> = of_class(&document, "frame")
        .map(|frame| {
            let (x, y) = (number(frame, "x"), number(frame, "y"));
            [x, y, x + number(frame, "width"), y + number(frame, "height")]
        })
        .collect();
    assert_eq!(frames.len(), 7);
    for (i, a) in frames.iter().enumerate() {
        for b in &frames[i + 1..] {
            let is_apart = a[2] < b[0] || b[2] < a[0] || a[3] < b[1] || b[3] < a[1];
            assert!(is_apart, "{a:?} and {b:?}");
        }
    }
    for (panel, frame) in of_class(&document, "panel").zip(&frames) {
        let moved = panel.children().find_map(|node| node.attribute("transform"));
        let shift = moved.and_then(|t| t.strip_prefix("translate(")?.strip_suffix(')'));
        let (dx, dy) = points(shift.expect("a translation"))[0];
        for circle in panel.descendants().filter(|node| node.has_tag_name("circle")) {
            let (x, y) = (number(circle, "cx") + dx, number(circle, "cy") + dy);
            assert!(frame[0] < x && x < frame[2] && frame[1] < y && y < frame[3]);
        }
    }
}

/// The boxes of all labels, with a cautious guess at their widths.
fn label_boxes(drawing: &str) -> Vec<(String, [f64; 4])> {
    let document = roxmltree::Document::parse(drawing).expect("well-formed XML");
    let labels = of_class(&document, "labels");
    labels
        .flat_map(|group| group.descendants().filter(|node| node.has_tag_name("tspan")))
        .map(|line| {
            let text = line.text().unwrap_or_default().to_string();
            let (x, y) = (number(line, "x"), number(line, "y"));
            let width = 5.5 * text.chars().count() as f64;
            (text, [x, y - 9.0, x + width, y + 2.0])
        })
        .collect()
}

fn overlap(a: &[f64; 4], b: &[f64; 4]) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Asserts that no label lies on a circle or on another label.
fn check_labels(diagram: &Diagram) {
    let drawing = draw(vec![diagram.clone()]);
    let boxes = label_boxes(&drawing);
    let document = roxmltree::Document::parse(&drawing).expect("well-formed XML");
    for circle in document.descendants().filter(|node| node.has_tag_name("circle")) {
        let (x, y, r) = (number(circle, "cx"), number(circle, "cy"), number(circle, "r") - 1.0);
        for (text, label) in &boxes {
            assert!(!overlap(label, &[x - r, y - r, x + r, y + r]), "{text} lies on a circle");
        }
    }
    for (i, (text, a)) in boxes.iter().enumerate() {
        for (other, b) in &boxes[i + 1..] {
            assert!(!overlap(a, b), "{text} lies on {other}");
        }
    }
}

#[test]
fn labels_without_a_place_find_a_free_one() {
    let mut square = Diagram::default();
    for (i, (x, y)) in [(0, 0), (220, 0), (220, 180), (0, 180)].into_iter().enumerate() {
        let location = Location::named(format!("place_{i}")).at(x, y);
        square.locations.push(location.with(LabelKind::Invariant, "x <= 10"));
    }
    for (from, to) in [(0, 1), (1, 0), (1, 2), (2, 3), (3, 0), (0, 2), (3, 3), (1, 1), (1, 1)] {
        let edge = Edge::new(at(from), at(to)).with(LabelKind::Guard, "x >= 3 && y < 7");
        square.edges.push(edge.with(LabelKind::Update, "x = 0"));
    }
    check_labels(&square);
}

#[test]
fn layered_drawings_have_room_for_labels() {
    check_labels(&sender());
    check_labels(&graph(
        6,
        &[(0, 1), (1, 2), (2, 0), (0, 3), (3, 4), (4, 5), (5, 0), (4, 4), (4, 4)],
    ));
}

/// The points that the line of each edge passes.
fn lines(diagram: Diagram) -> Vec<Vec<(f64, f64)>> {
    let drawing = draw(vec![diagram]);
    let document = roxmltree::Document::parse(&drawing).expect("well-formed XML");
    of_class(&document, "line").map(|path| points(path.attribute("d").expect("data"))).collect()
}

#[test]
fn parallel_edges_fan_out() {
    let mut diagram = graph(2, &[(0, 1), (1, 0), (0, 1), (1, 0)]);
    diagram.locations[0].position = Some(Point::new(0, 0));
    diagram.locations[1].position = Some(Point::new(200, 0));
    let heights: Vec<f64> = lines(diagram).iter().map(|line| line[1].1).collect();
    for (i, a) in heights.iter().enumerate() {
        for b in &heights[i + 1..] {
            assert!((a - b).abs() > 20.0, "{heights:?}");
        }
    }
}

/// A thousand of them do not make the picture huge either.
#[test]
fn wide_fans_stay_narrow() {
    let mut diagram = graph(2, &[(0, 1); 1_000]);
    diagram.locations[0].position = Some(Point::new(0, 0));
    diagram.locations[1].position = Some(Point::new(200, 0));
    let inside = |point: &(f64, f64)| point.1.abs() < 1_000.0;
    assert!(lines(diagram).iter().flatten().all(inside));
}

#[test]
fn self_loops_without_nails_are_visible_and_differ() {
    let mut diagram = graph(1, &[(0, 0); 20]);
    diagram.locations[0].position = Some(Point::new(0, 0));
    let lines = lines(diagram);
    for (i, line) in lines.iter().enumerate() {
        assert!(line.iter().any(|point| distance(*point, (0.0, 0.0)) > 3.0 * RADIUS));
        assert!(lines[i + 1..].iter().all(|other| other != line), "two loops on each other");
    }
}

#[test]
fn long_labels_are_broken() {
    let clause = "elapsed[id] >= minimal_delay && ";
    let long = format!("{}true", clause.repeat(20));
    let mut diagram = lamp();
    diagram.edges[3].labels[0].text = long.clone();
    let widest = |diagram: &Diagram| {
        let boxes = label_boxes(&draw(vec![diagram.clone()]));
        boxes.iter().map(|(text, _)| text.chars().count()).max().unwrap_or(0)
    };
    assert!(widest(&diagram) <= 60);
    // Nothing is lost: only spaces change.
    let drawing = draw(vec![diagram.clone()]);
    let shown: String = label_boxes(&drawing).into_iter().map(|(text, _)| text).collect();
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    assert!(dense(&shown).contains(&dense(&long)));

    // Where the author saw one line there is one line, unless it is absurdly long.
    diagram.edges[3].labels[0].position = Some(Point::new(0, 140));
    assert!((61..=120).contains(&widest(&diagram)));
}

#[test]
fn options_leave_things_out() {
    let mut diagram = lamp();
    diagram.edges[0].labels.push(punctual_report::view::Label::new(LabelKind::Comment, "why"));
    let all = svg::Options::default();
    let none = svg::Options { legend: false, declarations: false, comments: false, ..all.clone() };
    let sheet = punctual_report::view::Sheet { title: String::new(), diagrams: vec![diagram] };
    let (more, less) = (svg::render(&sheet, &all), svg::render(&sheet, &none));
    for part in ["class=\"legend\"", "clock y;", ">why<"] {
        assert!(more.contains(part), "{part}");
        assert!(!less.contains(part), "{part}");
    }
    let alone = svg::render_diagram(&sheet.diagrams[0], &none);
    assert!(roxmltree::Document::parse(&alone).is_ok());
    assert!(!alone.contains("class=\"frame\""));
}
