//! What the layout has to place: vertices with their extents, and links with their labels.

use crate::svg::{BRANCHPOINT_RADIUS, LOCATION_RADIUS};
use crate::text;
use crate::view::{Diagram, End, Label};

/// Between a circle and the text beside it.
pub(super) const BESIDE: f64 = 5.0;
/// Between a line, which may pass a little off its place, and the text beside it.
pub(super) const BESIDE_LINE: f64 = 8.0;
/// How far a self-loop reaches beyond its circle.
pub(super) const LOOP_REACH: f64 = 30.0;
/// The least height of a self-loop.
pub(super) const LOOP_HEIGHT: f64 = 26.0;

/// How much room something needs around its centre.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Extent {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) up: f64,
    pub(super) down: f64,
}

/// The width and height of a block of text.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// An edge between two different vertices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// The edge in the diagram.
    pub(super) edge: usize,
    pub(super) source: usize,
    pub(super) target: usize,
}

/// A diagram as a graph: locations first, then branchpoints.
pub(super) struct Graph {
    pub(super) extents: Vec<Extent>,
    /// Where to begin, in order: the initial locations.
    pub(super) roots: Vec<usize>,
    pub(super) links: Vec<Link>,
    /// The edges from each vertex to itself.
    pub(super) loops: Vec<Vec<usize>>,
    /// The size of each edge's labels.
    pub(super) labels: Vec<Size>,
}

impl Graph {
    pub(super) fn of(diagram: &Diagram) -> Graph {
        let n_locations = diagram.locations.len();
        let n_vertices = n_locations + diagram.branchpoints.len();
        let vertex = |end: End| match end {
            End::Location(i) => i,
            End::Branchpoint(i) => n_locations + i,
        };
        let labels: Vec<Size> = diagram.edges.iter().map(|edge| size(&edge.labels)).collect();
        let mut links = Vec::new();
        let mut loops = vec![Vec::new(); n_vertices];
        for (i, edge) in diagram.edges.iter().enumerate() {
            if !diagram.has(edge.source) || !diagram.has(edge.target) {
                continue;
            }
            let (source, target) = (vertex(edge.source), vertex(edge.target));
            if source == target {
                loops[source].push(i);
            } else {
                links.push(Link { edge: i, source, target });
            }
        }
        let mut extents = Vec::with_capacity(n_vertices);
        for (i, location) in diagram.locations.iter().enumerate() {
            let mut own = size(&location.labels);
            if let Some(name) = &location.name {
                let name = measure(name);
                own.width = own.width.max(name.width);
                own.height += name.height;
            }
            extents.push(extent(LOCATION_RADIUS, own, &loops[i], &labels));
        }
        for own in &loops[n_locations..] {
            extents.push(extent(BRANCHPOINT_RADIUS, Size::default(), own, &labels));
        }
        let initial = diagram.locations.iter().enumerate().filter(|(_, l)| l.initial);
        let roots = initial.map(|(i, _)| i).collect();
        Graph { extents, roots, links, loops, labels }
    }
}

/// A circle with its texts on the right and its self-loops on the left.
fn extent(radius: f64, own: Size, loops: &[usize], labels: &[Size]) -> Extent {
    let mut extent = Extent { left: radius, right: radius, up: radius, down: radius };
    if own.height > 0.0 {
        extent.right += BESIDE + own.width;
        extent.up = extent.up.max(own.height / 2.0);
        extent.down = extent.up;
    }
    if !loops.is_empty() {
        let widest = loops.iter().map(|edge| labels[*edge].width).fold(0.0, f64::max);
        let height: f64 = loops.iter().map(|edge| loop_height(labels[*edge])).sum();
        extent.left += LOOP_REACH + BESIDE + widest;
        extent.up = extent.up.max(height / 2.0);
        extent.down = extent.up;
    }
    extent
}

/// The height that a self-loop with this label takes.
pub(super) fn loop_height(label: Size) -> f64 {
    LOOP_HEIGHT.max(label.height + 4.0)
}

fn measure(content: &str) -> Size {
    let lines = text::lines(content, text::COLUMNS);
    Size { width: text::widest(&lines), height: lines.len() as f64 * text::LINE }
}

fn size(labels: &[Label]) -> Size {
    let mut sum = Size::default();
    for label in labels {
        let one = measure(&label.text);
        sum.width = sum.width.max(one.width);
        sum.height += one.height;
    }
    sum
}
