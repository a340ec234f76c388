//! What drawings look like, as text: a change here should be looked at as a picture too.

use punctual_report::layout;
use punctual_report::view::{Colour, Diagram, Edge, LabelKind, Location, Mark};

use crate::sample::{at, draw, lamp, sender};

#[test]
fn an_authors_layout_is_kept() {
    insta::assert_snapshot!(draw(vec![lamp()]));
}

#[test]
fn marks_notes_and_colours() {
    let mut done = Location { committed: true, ..Location::named("done").at(120, 0) };
    done.colour = Colour::parse("#203040");
    done.mark = Some(Mark::Uncovered);
    let mut step = Edge::new(at(0), at(1)).with(LabelKind::Select, "i : int[0,3]");
    step.mark = Some(Mark::Covered);
    step.note = Some("taken 12 times".into());
    let start = Location { mark: Some(Mark::Covered), ..Location::named("start").at(0, 0) };
    let diagram = Diagram { locations: vec![start, done], edges: vec![step], ..Diagram::default() };
    insta::assert_snapshot!(draw(vec![diagram]));
}

/// Positions only: the picture itself follows from them.
#[test]
fn a_layered_layout() {
    let mut diagram = sender();
    layout::arrange(&mut diagram);
    let mut places = String::new();
    for location in &diagram.locations {
        let name = location.name.as_deref().unwrap_or("(no name)");
        let point = location.position.expect("a position");
        places += &format!("{name} at {},{}\n", point.x, point.y);
    }
    for edge in &diagram.edges {
        let nails: Vec<String> = edge.nails.iter().map(|n| format!("{},{}", n.x, n.y)).collect();
        places += &format!("{:?} -> {:?} via [{}]", edge.source, edge.target, nails.join(" "));
        for label in &edge.labels {
            let point = label.position.expect("a position");
            places += &format!("  {:?} at {},{}", label.text, point.x, point.y);
        }
        places += "\n";
    }
    insta::assert_snapshot!(places);
}
