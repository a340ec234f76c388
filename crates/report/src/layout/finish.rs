//! From places on layers to a diagram's positions, nails and labels.

use crate::geometry::Pt;
use crate::text;
use crate::view::{Diagram, Edge, Label, LabelKind, Point};

use super::chains::Proper;
use super::graph::{BESIDE, BESIDE_LINE, Graph, LOOP_REACH, Link, loop_height};

/// Between the boxes of two layers, at least.
const LAYER_GAP: f64 = 26.0;
/// Between two layers where links go far to the side, at most.
const LAYER_GAP_MAX: f64 = 110.0;
/// How far texts move away from links; less than a gap, so they stay clear of other layers.
const DODGE: f64 = 9.0;
/// How far from its place a line may pass, so as to have fewer nails.
const SLACK: f64 = 5.0;
/// Between lonely locations.
const LONELY_GAP: f64 = 30.0;

/// The vertical range of one layer.
#[derive(Clone, Copy, Default)]
struct Band {
    top: f64,
    centre: f64,
    bottom: f64,
}

/// Writes the result into `diagram`.
pub(super) fn place(diagram: &mut Diagram, graph: &Graph, proper: &Proper, xs: &[f64]) {
    let bands = bands(proper, xs);
    let mut layer_of = vec![0_usize; proper.nodes.len()];
    for (i, layer) in proper.layers.iter().enumerate() {
        layer.iter().for_each(|node| layer_of[*node] = i);
    }
    let n_vertices = graph.extents.len();
    let band_of = |node: usize| bands.get(layer_of[node]).copied().unwrap_or_default();
    let places: Vec<Pt> =
        (0..proper.nodes.len()).map(|node| Pt::new(xs[node], band_of(node).centre)).collect();
    let mut centres = places[..n_vertices].to_vec();
    place_lonely(graph, proper, &bands, &mut centres);

    let n_locations = diagram.locations.len();
    for (i, centre) in centres.iter().enumerate() {
        match i.checked_sub(n_locations) {
            None => place_location(diagram, i, *centre, dodge(proper, &places, i)),
            Some(branchpoint) => {
                diagram.branchpoints[branchpoint].position = Some(rounded(*centre));
            }
        }
        place_loops(diagram, graph, i, *centre);
    }
    for (i, link) in graph.links.iter().enumerate() {
        let edge = &mut diagram.edges[link.edge];
        edge.nails.clear();
        edge.labels.iter_mut().for_each(|label| label.position = None);
        if let Some(chain) = &proper.chains[i] {
            let at = |node: usize| (xs[node], band_of(node));
            let label_node = chain.get(proper.label_at[i]).copied();
            route(edge, link, chain.iter().map(|node| at(*node)), &centres);
            if let Some(node) = label_node {
                let (x, band) = at(node);
                let height = graph.labels[link.edge].height;
                stack(&mut edge.labels, Pt::new(x + BESIDE_LINE, band.centre - height / 2.0));
            }
        }
    }
}

fn rounded(point: Pt) -> Point {
    // A cast saturates, and a layout of that size is beyond reading anyway.
    Point::new(point.x.round() as i32, point.y.round() as i32)
}

/// Layers from top to bottom, further apart where links have to go far to the side.
fn bands(proper: &Proper, xs: &[f64]) -> Vec<Band> {
    let mut bands = Vec::with_capacity(proper.layers.len());
    let mut top = 0.0;
    for layer in &proper.layers {
        let extents = || layer.iter().map(|node| &proper.nodes[*node].extent);
        let up = extents().map(|extent| extent.up).fold(0.0, f64::max);
        let down = extents().map(|extent| extent.down).fold(0.0, f64::max);
        let centre = top + up;
        let bottom = centre + down;
        bands.push(Band { top, centre, bottom });
        let shift = |node: &usize| {
            let far = proper.below[*node].iter().map(|other| (xs[*other] - xs[*node]).abs());
            far.fold(0.0, f64::max)
        };
        let farthest = layer.iter().map(shift).fold(0.0, f64::max);
        top = bottom + (farthest / 5.0).clamp(LAYER_GAP, LAYER_GAP_MAX);
    }
    bands
}

/// Rows of locations without links, below everything else.
fn place_lonely(graph: &Graph, proper: &Proper, bands: &[Band], centres: &mut [Pt]) {
    let placed = || proper.layers.iter().flatten().filter(|node| **node < centres.len());
    let left = placed().map(|v| centres[*v].x - graph.extents[*v].left).fold(f64::NAN, f64::min);
    let right = placed().map(|v| centres[*v].x + graph.extents[*v].right).fold(f64::NAN, f64::max);
    let area = |v: &usize| {
        let extent = &graph.extents[*v];
        (extent.left + extent.right + LONELY_GAP) * (extent.up + extent.down + LONELY_GAP)
    };
    let total: f64 = proper.lonely.iter().map(area).sum();
    let start = if left.is_nan() { 0.0 } else { left };
    let row_width = (2.0 * total).sqrt().max(if right.is_nan() { 0.0 } else { right - start });

    let mut y = bands.last().map_or(0.0, |band| band.bottom + 2.0 * LONELY_GAP);
    let mut row: Vec<usize> = Vec::new();
    let mut x = start;
    let mut finish_row = |row: &mut Vec<usize>, y: &mut f64| {
        let up = row.iter().map(|v| graph.extents[*v].up).fold(0.0, f64::max);
        let down = row.iter().map(|v| graph.extents[*v].down).fold(0.0, f64::max);
        row.drain(..).for_each(|v| centres[v].y = *y + up);
        *y += up + down + LONELY_GAP;
    };
    let mut columns = Vec::with_capacity(proper.lonely.len());
    for vertex in &proper.lonely {
        let extent = &graph.extents[*vertex];
        let width = extent.left + extent.right;
        if !row.is_empty() && x + width > start + row_width {
            finish_row(&mut row, &mut y);
            x = start;
        }
        columns.push((*vertex, x + extent.left));
        row.push(*vertex);
        x += width + LONELY_GAP;
    }
    finish_row(&mut row, &mut y);
    columns.into_iter().for_each(|(vertex, x)| centres[vertex].x = x);
}

/// How far the texts of a vertex should move down to make way for links that leave to the right;
/// `None` if there are some both above and below, so that there is no good place on that side.
fn dodge(proper: &Proper, places: &[Pt], vertex: usize) -> Option<f64> {
    let from = places[vertex];
    let is_flat = |to: Pt| to.x - from.x > (to.y - from.y).abs().max(20.0);
    let leans = |links: &[usize]| links.iter().any(|other| is_flat(places[*other]));
    match (leans(&proper.above[vertex]), leans(&proper.below[vertex])) {
        (true, false) => Some(DODGE),
        (false, true) => Some(-DODGE),
        (false, false) => Some(0.0),
        (true, true) => None,
    }
}

/// Name and labels on the right of the circle, `dodge` lower than its middle; without that, the
/// renderer will find a place that it draws no lines through.
fn place_location(diagram: &mut Diagram, index: usize, centre: Pt, dodge: Option<f64>) {
    let location = &mut diagram.locations[index];
    location.position = Some(rounded(centre));
    let Some(dodge) = dodge else {
        location.name_position = None;
        location.labels.iter_mut().for_each(|label| label.position = None);
        return;
    };
    let mut labels = std::mem::take(&mut location.labels);
    if let Some(name) = location.name.take() {
        labels.insert(0, Label::new(LabelKind::Name, name));
    }
    let n_lines: usize =
        labels.iter().map(|label| text::lines(&label.text, text::COLUMNS).len()).sum();
    let height = n_lines as f64 * text::LINE;
    let right = crate::svg::LOCATION_RADIUS + BESIDE;
    stack(&mut labels, Pt::new(centre.x + right, centre.y - height / 2.0 + dodge));
    if labels.first().is_some_and(|label| label.kind == LabelKind::Name) {
        let name = labels.remove(0);
        location.name = Some(name.text);
        location.name_position = name.position;
    }
    location.labels = labels;
}

/// Self-loops on the left of the circle, one above the other, each with its labels beside it.
fn place_loops(diagram: &mut Diagram, graph: &Graph, vertex: usize, centre: Pt) {
    let loops = &graph.loops[vertex];
    let total: f64 = loops.iter().map(|edge| loop_height(graph.labels[*edge])).sum();
    let mut top = centre.y - total / 2.0;
    for index in loops {
        let label = graph.labels[*index];
        let height = loop_height(label);
        let x = centre.x - crate::svg::LOCATION_RADIUS - LOOP_REACH;
        let edge = &mut diagram.edges[*index];
        let middle = top + height / 2.0;
        let half = (height / 2.0 - 4.0).min(14.0);
        edge.nails = vec![rounded(Pt::new(x, middle + half)), rounded(Pt::new(x, middle - half))];
        let corner = Pt::new(x - BESIDE - label.width, middle - label.height / 2.0);
        stack(&mut edge.labels, corner);
        top += height;
    }
}

/// Nails where a chain of bends turns.
fn route(edge: &mut Edge, link: &Link, bends: impl Iterator<Item = (f64, Band)>, centres: &[Pt]) {
    let is_down = centres[link.source].y <= centres[link.target].y;
    let (source, target) = (centres[link.source], centres[link.target]);
    let (upper, lower) = if is_down { (source, target) } else { (target, source) };
    let mut points = vec![upper];
    for (x, band) in bends {
        points.push(Pt::new(x, band.top));
        if band.bottom - band.top > 8.0 {
            points.push(Pt::new(x, band.bottom));
        }
    }
    points.push(lower);
    let mut nails = corners(&points);
    if !is_down {
        nails.reverse();
    }
    edge.nails = nails;
}

/// The inner points without which the line would be elsewhere by more than [`SLACK`].
///
/// Follows Ramer 1972 and Douglas & Peucker 1973.
fn corners(points: &[Pt]) -> Vec<Point> {
    let mut is_kept = vec![false; points.len()];
    let mut ranges = vec![(0, points.len() - 1)];
    while let Some((first, last)) = ranges.pop() {
        let inner = (first + 1..last).map(|i| (offset(points[first], points[i], points[last]), i));
        let farthest = inner.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        if let Some((offset, i)) = farthest
            && offset > SLACK
        {
            is_kept[i] = true;
            ranges.push((first, i));
            ranges.push((i, last));
        }
    }
    points.iter().zip(is_kept).filter(|(_, keep)| *keep).map(|(point, _)| rounded(*point)).collect()
}

/// How far `point` is from the line through `a` and `b`.
fn offset(a: Pt, point: Pt, b: Pt) -> f64 {
    let from = point.minus(a);
    let Some(direction) = b.minus(a).unit() else { return from.length() };
    (direction.x * from.y - direction.y * from.x).abs()
}

/// Stacks labels below `corner`, broken into the lines that space was kept for.
fn stack(labels: &mut [Label], mut corner: Pt) {
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by_key(|i| labels[*i].kind);
    for i in order {
        let lines = text::lines(&labels[i].text, text::COLUMNS);
        labels[i].position = None;
        if !lines.is_empty() {
            labels[i].position = Some(rounded(corner));
            corner.y += lines.len() as f64 * text::LINE;
            labels[i].text = lines.join("\n");
        }
    }
}
