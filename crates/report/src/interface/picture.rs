//! Who has to do with what, as a picture: the environment on the left, the system on the right,
//! and between them what they exchange.
//!
//! Processes are round, variables are boxes, channels are hexagons, signals have a double line.
//! Blue is system, green is environment, grey is nobody's, red would be both.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::{
    geometry::Pt,
    svg::{document, write},
    text,
    view::interface::{Interface, Part, Side},
};

/// More than this many things in a column are counted, not drawn.
const ROWS_MAX: usize = 60;
const ROW: f64 = 40.0;
const HEIGHT: f64 = 26.0;
const WIDTH_MAX: f64 = 220.0;
const GAP: f64 = 70.0;
const MARGIN: f64 = 20.0;
const TOP: f64 = 64.0;

/// The columns, from left to right.
const TITLES: [&str; 5] = ["", "Environment", "Signals", "System", ""];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Process,
    Variable,
    Channel,
    Signal,
}

struct Node<'v> {
    name: &'v str,
    shape: Shape,
    side: Side,
    column: usize,
    hint: String,
}

/// Draws who has to do with what. Clocks are left out, unless they are in the way.
pub fn picture(interface: &Interface) -> String {
    let mut columns: [Vec<Node<'_>>; 5] = Default::default();
    for node in nodes(interface) {
        columns[node.column].push(node);
    }
    let rows = |nodes: &Vec<Node<'_>>| nodes.len().min(ROWS_MAX + 1);
    let most = columns.iter().map(rows).max().unwrap_or(0);
    let mut left = MARGIN;
    let mut places: BTreeMap<(&str, bool), (Pt, f64)> = BTreeMap::new();
    let (mut shapes, mut height) = (String::new(), TOP);
    for (title, nodes) in TITLES.iter().zip(&columns) {
        if nodes.is_empty() {
            continue;
        }
        let widths = nodes.iter().map(|node| text::width(node.name, text::SIZE) + 28.0);
        let width = widths.fold(text::width(title, 14.0), f64::max).clamp(60.0, WIDTH_MAX);
        words(&mut shapes, title, Pt::new(left + width / 2.0, 48.0), 14.0, "#666666");
        // Short columns stand in the middle, so that lines cross less.
        let top = TOP + ROW * (most - rows(nodes)) as f64 / 2.0;
        for (row, node) in nodes.iter().take(ROWS_MAX).enumerate() {
            let centre = Pt::new(left + width / 2.0, top + ROW * (row as f64 + 0.5));
            let key = (node.name, node.shape == Shape::Process);
            places.entry(key).or_insert((centre, width));
            draw(&mut shapes, node, centre, width);
            height = height.max(centre.y + ROW);
        }
        let hidden = nodes.len().saturating_sub(ROWS_MAX);
        if hidden > 0 {
            let centre = Pt::new(left + width / 2.0, top + ROW * (ROWS_MAX as f64 + 0.5));
            words(&mut shapes, &format!("… and {hidden} more"), centre, text::SIZE, "#666666");
            height = height.max(centre.y + ROW);
        }
        left += width + GAP;
    }
    let mut body = String::new();
    for link in &interface.links {
        let process = places.get(&(link.process.as_str(), true));
        let item = places.get(&(link.item.as_str(), false));
        if let (Some(process), Some(item)) = (process, item) {
            let (from, to) = if link.out { (process, item) } else { (item, process) };
            line(&mut body, *from, *to);
        }
    }
    body.push_str(&shapes);
    let title = text::one_line(&format!("{} with {}", interface.model, interface.file));
    let mut heading = String::new();
    write::text(
        &mut heading,
        " font-size=\"16\" fill=\"#333333\"",
        Pt::new(MARGIN, 8.0),
        20.0,
        &[title],
    );
    document((left - GAP + MARGIN).max(320.0), height, &(heading + &body))
}

/// Everything that is drawn, in the order of its column.
fn nodes(interface: &Interface) -> Vec<Node<'_>> {
    let mut nodes = Vec::new();
    for part in &interface.processes {
        let column = match part.side {
            Side::Environment => 1,
            Side::System | Side::Nobody => 3,
            Side::Both => 2,
        };
        nodes.push(node(part, Shape::Process, column));
    }
    for signal in &interface.signals {
        let direction = if signal.input { "input" } else { "output" };
        let (shape, side) = (Shape::Signal, Side::Nobody);
        let hint = format!("{direction} {}", signal.carries.join(", "));
        nodes.push(Node { name: &signal.name, shape, side, column: 2, hint });
    }
    let used = |part: &&Part| interface.links.iter().any(|link| link.item == part.name);
    let channels = interface.channels.iter().map(|part| (part, Shape::Channel));
    let variables = interface.variables.iter().map(|part| (part, Shape::Variable));
    let clocks = interface.clocks.iter().filter(|clock| clock.side == Side::Both);
    let clocks = clocks.map(|part| (part, Shape::Variable));
    for (part, shape) in channels.chain(variables).chain(clocks).filter(|(part, _)| used(part)) {
        let column = match part.side {
            Side::Environment => 0,
            Side::System => 4,
            Side::Nobody | Side::Both => 2,
        };
        nodes.push(node(part, shape, column));
    }
    nodes
}

fn node(part: &Part, shape: Shape, column: usize) -> Node<'_> {
    Node { name: &part.name, shape, side: part.side, column, hint: part.reason.clone() }
}

/// Fill and line of a side.
fn ink(side: Side) -> (&'static str, &'static str) {
    match side {
        Side::System => ("#dbe9fb", "#2f6fb7"),
        Side::Environment => ("#dcf3de", "#2f8a3b"),
        Side::Both => ("#fbdcdc", "#c62828"),
        Side::Nobody => ("#eeeeee", "#777777"),
    }
}

fn draw(out: &mut String, node: &Node<'_>, centre: Pt, width: f64) {
    let (fill, stroke) = ink(node.side);
    out.push_str("<g><title>");
    write::escaped(out, &text::one_line(&node.hint));
    out.push_str("</title>");
    let (half, up) = (width / 2.0, HEIGHT / 2.0);
    let paint = format!(" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"1.4\"/>");
    match node.shape {
        Shape::Process => {
            out.push_str("<ellipse");
            for (name, value) in [("cx", centre.x), ("cy", centre.y), ("rx", half), ("ry", up)] {
                write::attribute(out, name, value);
            }
            out.push_str(&paint);
        }
        Shape::Variable => {
            out.push_str("<rect");
            let corner = centre.minus(Pt::new(half, up));
            for (name, value) in
                [("x", corner.x), ("y", corner.y), ("width", width), ("height", HEIGHT)]
            {
                write::attribute(out, name, value);
            }
            out.push_str(&paint);
        }
        Shape::Channel => hexagon(out, centre, half, up, &paint),
        Shape::Signal => {
            hexagon(out, centre, half, up, &paint);
            hexagon(out, centre, half - 4.0, up - 3.0, &paint);
        }
    }
    words(out, node.name, centre, text::SIZE, "#222222");
    out.push_str("</g>\n");
}

fn hexagon(out: &mut String, centre: Pt, half: f64, up: f64, paint: &str) {
    let inner = half - 10.0;
    let corners =
        [(-half, 0.0), (-inner, -up), (inner, -up), (half, 0.0), (inner, up), (-inner, up)];
    out.push_str("<polygon points=\"");
    write::pairs(out, &corners.map(|(x, y)| centre.plus(Pt::new(x, y))));
    out.push('"');
    out.push_str(paint);
}

/// A text around a point, cut to what fits.
fn words(out: &mut String, words: &str, centre: Pt, size: f64, fill: &str) {
    let words = text::shortened(&text::one_line(words), size, WIDTH_MAX - 24.0);
    out.push_str("<text text-anchor=\"middle\"");
    write::attribute(out, "x", centre.x);
    write::attribute(out, "y", centre.y + size * 0.35);
    let _ = write!(out, " font-size=\"{size}\" fill=\"{fill}\">");
    write::escaped(out, &words);
    out.push_str("</text>\n");
}

/// A line between two things, with an arrow head where it ends.
fn line(out: &mut String, (from, from_width): (Pt, f64), (to, to_width): (Pt, f64)) {
    // Between columns it leaves and enters at the sides; within one it bends to the right.
    let (leave, enter) = match from.x.total_cmp(&to.x) {
        std::cmp::Ordering::Less => (1.0, -1.0),
        std::cmp::Ordering::Greater => (-1.0, 1.0),
        std::cmp::Ordering::Equal => (1.0, 1.0),
    };
    let start = from.plus(Pt::new(leave * from_width / 2.0, 0.0));
    let tip = to.plus(Pt::new(enter * to_width / 2.0, 0.0));
    let end = tip.plus(Pt::new(enter * 7.0, 0.0));
    let (c1, c2) = (start.plus(Pt::new(leave * 32.0, 0.0)), end.plus(Pt::new(enter * 32.0, 0.0)));
    out.push_str("<path fill=\"none\" stroke=\"#999999\" d=\"");
    write::move_to(out, start);
    out.push('C');
    write::pairs(out, &[c1, c2, end]);
    out.push_str("\"/><path fill=\"#999999\" d=\"");
    write::move_to(out, tip);
    out.push('L');
    write::pairs(out, &[end.plus(Pt::new(0.0, 3.0)), end.minus(Pt::new(0.0, 3.0))]);
    out.push_str("Z\"/>\n");
}
