//! Which vertex lies on which layer, and which links are turned around to make that possible.

use std::collections::VecDeque;

use super::graph::Graph;

/// A graph with more vertices and links than this is layered by distance from the start: its
/// longest paths would make it deeper than anyone can read, and cost too much to route.
const EXACT_MAX: usize = 6_000;

/// The layers of all vertices.
pub(super) struct Layering {
    /// The layer of each vertex; zero is on top.
    pub(super) layer: Vec<usize>,
    /// How many layers a link spans at least: two if there are labels, which then have layers
    /// between those of the vertices.
    pub(super) pitch: usize,
}

pub(super) fn assign(graph: &Graph) -> Layering {
    let n_vertices = graph.extents.len();
    let has_labels = graph.links.iter().any(|link| graph.labels[link.edge].height > 0.0);
    let pitch = if has_labels { 2 } else { 1 };
    let layer = if n_vertices + graph.links.len() > EXACT_MAX {
        by_distance(graph)
    } else {
        by_longest_path(graph)
    };
    Layering { layer: layer.into_iter().map(|depth| depth * pitch).collect(), pitch }
}

/// The links of each vertex, as successors.
fn successors(graph: &Graph) -> Vec<Vec<usize>> {
    let mut successors = vec![Vec::new(); graph.extents.len()];
    for link in &graph.links {
        successors[link.source].push(link.target);
    }
    successors
}

/// The initial locations, then everything else.
fn starts(graph: &Graph) -> impl Iterator<Item = usize> + '_ {
    graph.roots.iter().copied().chain(0..graph.extents.len())
}

fn by_distance(graph: &Graph) -> Vec<usize> {
    let successors = successors(graph);
    let mut depth: Vec<Option<usize>> = vec![None; graph.extents.len()];
    let mut queue = VecDeque::new();
    for start in starts(graph) {
        if depth[start].is_none() {
            depth[start] = Some(0);
            queue.push_back((start, 0));
        }
        while let Some((vertex, d)) = queue.pop_front() {
            for next in &successors[vertex] {
                if depth[*next].is_none() {
                    depth[*next] = Some(d + 1);
                    queue.push_back((*next, d + 1));
                }
            }
        }
    }
    depth.into_iter().map(Option::unwrap_or_default).collect()
}

fn by_longest_path(graph: &Graph) -> Vec<usize> {
    let forward = forward_links(graph);
    let n_vertices = graph.extents.len();
    let mut below = vec![Vec::new(); n_vertices];
    let mut n_above = vec![0_usize; n_vertices];
    for (from, to) in forward {
        below[from].push(to);
        n_above[to] += 1;
    }
    let is_source: Vec<bool> = n_above.iter().map(|n| *n == 0).collect();
    let mut depth = vec![0_usize; n_vertices];
    let mut ready: VecDeque<usize> = (0..n_vertices).filter(|v| is_source[*v]).collect();
    while let Some(vertex) = ready.pop_front() {
        for next in &below[vertex] {
            depth[*next] = depth[*next].max(depth[vertex] + 1);
            n_above[*next] -= 1;
            if n_above[*next] == 0 {
                ready.push_back(*next);
            }
        }
    }
    // What nothing leads to goes just above what it leads to, unless it is where all begins.
    for vertex in (0..n_vertices).filter(|v| is_source[*v] && !graph.roots.contains(v)) {
        if let Some(nearest) = below[vertex].iter().map(|next| depth[*next]).min() {
            depth[vertex] = nearest.saturating_sub(1);
        }
    }
    depth
}

/// The links, turned around where a depth-first walk from the start finds that they lead back.
fn forward_links(graph: &Graph) -> Vec<(usize, usize)> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        Not,
        Open,
        Done,
    }
    let n_vertices = graph.extents.len();
    let mut links_of = vec![Vec::new(); n_vertices];
    for (i, link) in graph.links.iter().enumerate() {
        links_of[link.source].push(i);
    }
    let mut visit = vec![Visit::Not; n_vertices];
    let mut is_back = vec![false; graph.links.len()];
    for start in starts(graph) {
        if visit[start] != Visit::Not {
            continue;
        }
        visit[start] = Visit::Open;
        let mut stack = vec![(start, 0_usize)];
        while let Some((vertex, next)) = stack.last_mut() {
            let Some(link) = links_of[*vertex].get(*next).copied() else {
                visit[*vertex] = Visit::Done;
                stack.pop();
                continue;
            };
            *next += 1;
            let target = graph.links[link].target;
            match visit[target] {
                Visit::Open => is_back[link] = true,
                Visit::Done => {}
                Visit::Not => {
                    visit[target] = Visit::Open;
                    stack.push((target, 0));
                }
            }
        }
    }
    // The first initial location stays on top: nothing else can lie on a cycle through it then.
    let top = graph.roots.first().copied();
    let turned = |(i, link): (usize, &super::graph::Link)| {
        if is_back[i] || Some(link.target) == top {
            (link.target, link.source)
        } else {
            (link.source, link.target)
        }
    };
    graph.links.iter().enumerate().map(turned).collect()
}
