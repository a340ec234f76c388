//! The proper graph: links cut into pieces from layer to layer, with a node for every piece.
//!
//! A node is a vertex, a bend of a link that passes a layer, or the place of a link's label.

use super::graph::{BESIDE_LINE, Extent, Graph};
use super::layers::Layering;

/// More bends than this are not made; the longest links then stay without a route.
const BENDS_MAX: usize = 60_000;

/// A thing on a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) extent: Extent,
    /// Whether it is a bend or label of a link.
    pub(super) is_bend: bool,
}

/// A graph whose links join neighbouring layers only.
///
/// The first nodes are the vertices, with the same indices.
pub(super) struct Proper {
    pub(super) nodes: Vec<Node>,
    /// The nodes of each layer, from left to right.
    pub(super) layers: Vec<Vec<usize>>,
    pub(super) above: Vec<Vec<usize>>,
    pub(super) below: Vec<Vec<usize>>,
    /// The bends of each link, from top to bottom; `None` if the link has no route.
    pub(super) chains: Vec<Option<Vec<usize>>>,
    /// Which of the bends of a link, counted from the top, has its label.
    pub(super) label_at: Vec<usize>,
    /// Vertices without links: they are placed apart.
    pub(super) lonely: Vec<usize>,
}

impl Proper {
    pub(super) fn of(graph: &Graph, layering: &Layering) -> Proper {
        let vertex = |extent: &Extent| Node { extent: *extent, is_bend: false };
        let nodes: Vec<Node> = graph.extents.iter().map(vertex).collect();
        let n_vertices = nodes.len();
        let n_layers = layering.layer.iter().max().map_or(0, |last| last + 1);
        let mut is_linked = vec![false; n_vertices];
        for link in &graph.links {
            is_linked[link.source] = true;
            is_linked[link.target] = true;
        }
        let mut proper = Proper {
            above: vec![Vec::new(); n_vertices],
            below: vec![Vec::new(); n_vertices],
            nodes,
            layers: vec![Vec::new(); n_layers],
            chains: vec![None; graph.links.len()],
            label_at: vec![0; graph.links.len()],
            lonely: (0..n_vertices).filter(|v| !is_linked[*v]).collect(),
        };
        for vertex in (0..n_vertices).filter(|v| is_linked[*v]) {
            proper.layers[layering.layer[vertex]].push(vertex);
        }
        // Short links first: if not all can have a route, the many short ones should.
        let span = |i: usize| {
            let link = &graph.links[i];
            layering.layer[link.source].abs_diff(layering.layer[link.target])
        };
        let mut by_span: Vec<usize> = (0..graph.links.len()).collect();
        by_span.sort_by_key(|i| span(*i));
        let mut n_bends = 0;
        for i in by_span {
            // A link within a layer of a huge graph is drawn as a straight line.
            if span(i) == 0 || n_bends + span(i) > BENDS_MAX {
                continue;
            }
            n_bends += span(i);
            proper.add_chain(graph, layering, i);
        }
        proper
    }

    fn add_chain(&mut self, graph: &Graph, layering: &Layering, index: usize) {
        let link = &graph.links[index];
        let ends = [link.source, link.target];
        let is_down = layering.layer[link.source] < layering.layer[link.target];
        let [top, bottom] = if is_down { ends } else { [link.target, link.source] };
        let (first, last) = (layering.layer[top] + 1, layering.layer[bottom]);
        let label = graph.labels[link.edge];
        let label_layer = label_layer(first, last, layering.pitch);
        let mut chain = Vec::with_capacity(last - first);
        let mut previous = top;
        for layer in first..last {
            let mut extent = Extent { left: 6.0, right: 6.0, up: 0.0, down: 0.0 };
            if layer == label_layer && label.height > 0.0 {
                extent.right = BESIDE_LINE + label.width;
                extent.up = label.height / 2.0;
                extent.down = extent.up;
                self.label_at[index] = chain.len();
            }
            let node = self.nodes.len();
            self.nodes.push(Node { extent, is_bend: true });
            self.above.push(Vec::new());
            self.below.push(Vec::new());
            self.layers[layer].push(node);
            self.join(previous, node);
            chain.push(node);
            previous = node;
        }
        self.join(previous, bottom);
        self.chains[index] = Some(chain);
    }

    fn join(&mut self, upper: usize, lower: usize) {
        self.below[upper].push(lower);
        self.above[lower].push(upper);
    }
}

/// The middle layer between `first` and `last` that has labels.
fn label_layer(first: usize, last: usize, pitch: usize) -> usize {
    let middle = first + (last - first) / 2;
    if pitch == 2 && middle.is_multiple_of(2) { middle - 1 } else { middle }
}
