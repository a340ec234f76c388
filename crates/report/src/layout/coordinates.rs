//! Horizontal coordinates: long links straight, vertices near the middle of their neighbours.
//!
//! Four extreme assignments (aligned with upper or lower neighbours, packed to the left or to the
//! right) are computed and their two middle values averaged, which keeps order and distances.
//! Follows Brandes & Köpf 2001.
//! DIFFERENCE(brandes01): blocks are packed by longest paths in the graph of neighbouring blocks
//! instead of by classes and shifts, because the published shifts can make blocks overlap.
//! Test: it::layout::nothing_lies_on_top_of_each_other.

use std::collections::HashSet;

use super::chains::Proper;
use super::order::ranks;

/// The least distance between the boxes of two nodes of a layer.
const GAP: f64 = 18.0;

/// The x coordinate of every node.
pub(super) fn horizontal(proper: &Proper) -> Vec<f64> {
    let rank = ranks(proper);
    let conflicts = conflicts(proper, &rank);
    let mut assignments = Vec::with_capacity(4);
    for is_upward in [false, true] {
        for is_mirrored in [false, true] {
            let view = View { proper, rank: &rank, conflicts: &conflicts, is_upward, is_mirrored };
            let mut xs = view.compact(&view.blocks());
            if is_mirrored {
                xs.iter_mut().for_each(|x| *x = -*x);
            }
            assignments.push((is_mirrored, xs));
        }
    }
    average(proper, assignments)
}

/// Moves the four assignments over each other and takes the mean of the two middle values.
fn average(proper: &Proper, mut assignments: Vec<(bool, Vec<f64>)>) -> Vec<f64> {
    let placed: Vec<usize> = proper.layers.iter().flatten().copied().collect();
    let range = |xs: &[f64]| {
        let left = |n: &usize| xs[*n] - proper.nodes[*n].extent.left;
        let right = |n: &usize| xs[*n] + proper.nodes[*n].extent.right;
        let low = placed.iter().map(left).fold(f64::INFINITY, f64::min);
        let high = placed.iter().map(right).fold(f64::NEG_INFINITY, f64::max);
        (low, high)
    };
    if placed.is_empty() {
        return vec![0.0; proper.nodes.len()];
    }
    let ranges: Vec<(f64, f64)> = assignments.iter().map(|(_, xs)| range(xs)).collect();
    let narrowest = ranges.iter().copied().min_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)));
    let (low, high) = narrowest.unwrap_or_default();
    for ((is_mirrored, xs), own) in assignments.iter_mut().zip(&ranges) {
        let shift = if *is_mirrored { high - own.1 } else { low - own.0 };
        xs.iter_mut().for_each(|x| *x += shift);
    }
    let middle = |node: usize| {
        let mut four: Vec<f64> = assignments.iter().map(|(_, xs)| xs[node]).collect();
        four.sort_by(f64::total_cmp);
        (four[1] + four[2]) / 2.0
    };
    (0..proper.nodes.len()).map(middle).collect()
}

/// Links that must not be straight because they cross a piece between two bends, which has to be.
fn conflicts(proper: &Proper, rank: &[usize]) -> HashSet<(usize, usize)> {
    let mut conflicts = HashSet::new();
    let inner_above = |node: usize| {
        let is_bend = |n: &usize| proper.nodes[*n].is_bend;
        if !is_bend(&node) {
            return None;
        }
        proper.above[node].first().copied().filter(is_bend)
    };
    for pair in proper.layers.windows(2) {
        let (upper, lower) = (&pair[0], &pair[1]);
        let (mut low, mut from) = (0, 0);
        for (i, node) in lower.iter().enumerate() {
            let inner = inner_above(*node);
            if inner.is_none() && i + 1 < lower.len() {
                continue;
            }
            let high = inner.map_or(upper.len(), |other| rank[other]);
            for seen in &lower[from..=i] {
                for other in &proper.above[*seen] {
                    let is_crossing = rank[*other] < low || rank[*other] > high;
                    if is_crossing && inner_above(*seen) != Some(*other) {
                        conflicts.insert((*other, *seen));
                    }
                }
            }
            from = i + 1;
            low = high;
        }
    }
    conflicts
}

/// The layers as seen from below or in a mirror, so that one algorithm serves four times.
struct View<'a> {
    proper: &'a Proper,
    rank: &'a [usize],
    conflicts: &'a HashSet<(usize, usize)>,
    is_upward: bool,
    is_mirrored: bool,
}

impl View<'_> {
    fn layers(&self) -> Vec<Vec<usize>> {
        let mut layers = self.proper.layers.clone();
        if self.is_upward {
            layers.reverse();
        }
        if self.is_mirrored {
            layers.iter_mut().for_each(|layer| layer.reverse());
        }
        layers
    }

    /// The distance that the centres of two neighbours need, the first left of the second.
    fn separation(&self, left: usize, right: usize) -> f64 {
        let (a, b) = (&self.proper.nodes[left].extent, &self.proper.nodes[right].extent);
        let boxes = if self.is_mirrored { a.left + b.right } else { a.right + b.left };
        boxes + GAP
    }

    /// Aligns nodes with a middle neighbour in the previous layer; the result maps each node to
    /// the first of its block.
    fn blocks(&self) -> Vec<usize> {
        let n_nodes = self.proper.nodes.len();
        let mut root: Vec<usize> = (0..n_nodes).collect();
        let mut is_used = vec![false; n_nodes];
        for layer in self.layers() {
            let mut last: Option<usize> = None;
            for node in &layer {
                let links = if self.is_upward { &self.proper.below } else { &self.proper.above };
                let n_links = links[*node].len();
                if n_links == 0 {
                    continue;
                }
                let mut middles = [(n_links - 1) / 2, n_links / 2];
                if self.is_mirrored {
                    middles.reverse();
                }
                for middle in middles {
                    let other = links[*node][middle];
                    let (upper, lower) =
                        if self.is_upward { (*node, other) } else { (other, *node) };
                    let place = self.place(other);
                    let is_free = last.is_none_or(|last| last < place) && !is_used[other];
                    if is_free && !self.conflicts.contains(&(upper, lower)) {
                        root[*node] = root[other];
                        is_used[other] = true;
                        last = Some(place);
                        break;
                    }
                }
            }
        }
        root
    }

    /// The place of a node in its layer, increasing from left to right in this view.
    fn place(&self, node: usize) -> usize {
        if self.is_mirrored { usize::MAX - self.rank[node] } else { self.rank[node] }
    }

    /// Packs blocks to the left, then pulls each to the right as far as that costs nothing.
    fn compact(&self, root: &[usize]) -> Vec<f64> {
        let n_nodes = root.len();
        let mut after: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n_nodes];
        let mut n_before = vec![0_usize; n_nodes];
        for layer in self.layers() {
            for pair in layer.windows(2) {
                let (left, right) = (root[pair[0]], root[pair[1]]);
                after[left].push((right, self.separation(pair[0], pair[1])));
                n_before[right] += 1;
            }
        }
        let mut xs = vec![0.0_f64; n_nodes];
        let mut sorted: Vec<usize> =
            (0..n_nodes).filter(|node| root[*node] == *node && n_before[*node] == 0).collect();
        let mut next = 0;
        while let Some(block) = sorted.get(next).copied() {
            next += 1;
            for (other, separation) in &after[block] {
                xs[*other] = xs[*other].max(xs[block] + separation);
                n_before[*other] -= 1;
                if n_before[*other] == 0 {
                    sorted.push(*other);
                }
            }
        }
        for block in sorted.iter().rev() {
            let room = after[*block].iter().map(|(other, separation)| xs[*other] - separation);
            let nearest = room.fold(f64::INFINITY, f64::min);
            if nearest.is_finite() {
                xs[*block] = xs[*block].max(nearest);
            }
        }
        (0..n_nodes).map(|node| xs[root[node]]).collect()
    }
}
