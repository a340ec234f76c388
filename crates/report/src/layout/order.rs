//! The order of nodes within their layers: few crossings, by sweeps of barycentres.
//!
//! Small graphs are then improved by swapping neighbours; huge ones get fewer sweeps.

use super::chains::Proper;

/// Graphs up to this many nodes, and twice as many links, get the more expensive treatment.
const SMALL: usize = 600;

/// Sorts the layers of `proper`, and the links of each node by where they lead.
pub(super) fn sort(proper: &mut Proper) {
    let n_nodes = proper.nodes.len();
    let n_sweeps = match n_nodes {
        0..=2_000 => 24,
        2_001..=20_000 => 10,
        _ => 4,
    };
    // The outcome depends on the start, so a small graph is sorted from several.
    let n_links: usize = proper.below.iter().map(Vec::len).sum();
    let is_small = n_nodes <= SMALL && n_links <= 2 * SMALL;
    let n_starts = if is_small { 4 } else { 1 };
    let mut best: Option<(usize, Vec<Vec<usize>>)> = None;
    for start in 0..n_starts {
        first_order(proper, start >= 2, start % 2 == 1);
        let mut rank = ranks(proper);
        for sweep in 0..=n_sweeps {
            let n_crossings = crossings(proper, &rank);
            if best.as_ref().is_none_or(|(least, _)| n_crossings < *least) {
                best = Some((n_crossings, proper.layers.clone()));
            }
            if n_crossings == 0 {
                break;
            }
            let n_layers = proper.layers.len();
            if sweep % 2 == 0 {
                (1..n_layers).for_each(|i| sort_layer(proper, &mut rank, i, true));
            } else {
                (0..n_layers).rev().skip(1).for_each(|i| sort_layer(proper, &mut rank, i, false));
            }
            if is_small {
                // Now and then a swap that changes nothing lets the next sweep get further.
                swap_neighbours(proper, &mut rank, sweep % 4 >= 2);
            }
        }
    }
    if let Some((_, layers)) = best {
        proper.layers = layers;
    }
    let rank = ranks(proper);
    for links in proper.above.iter_mut().chain(&mut proper.below) {
        links.sort_by_key(|node| rank[*node]);
    }
}

/// Nodes in the order in which a depth-first walk from the top or the bottom meets them.
fn first_order(proper: &mut Proper, from_bottom: bool, last_link_first: bool) {
    let mut starts = proper.layers.clone();
    // Not the order that an earlier start left behind.
    starts.iter_mut().for_each(|layer| layer.sort_unstable());
    let links = if from_bottom {
        starts.reverse();
        &proper.above
    } else {
        &proper.below
    };
    let mut met = vec![usize::MAX; proper.nodes.len()];
    let mut n_met = 0;
    for start in starts.into_iter().flatten() {
        let mut stack = vec![start];
        while let Some(node) = stack.pop() {
            if met[node] != usize::MAX {
                continue;
            }
            met[node] = n_met;
            n_met += 1;
            if last_link_first {
                stack.extend(&links[node]);
            } else {
                stack.extend(links[node].iter().rev());
            }
        }
    }
    proper.layers.iter_mut().for_each(|layer| layer.sort_by_key(|node| met[*node]));
}

/// The place of each node within its layer.
pub(super) fn ranks(proper: &Proper) -> Vec<usize> {
    let mut rank = vec![0; proper.nodes.len()];
    for layer in &proper.layers {
        layer.iter().enumerate().for_each(|(i, node)| rank[*node] = i);
    }
    rank
}

/// Orders one layer by the mean place of its neighbours in the layer above or below.
fn sort_layer(proper: &mut Proper, rank: &mut [usize], index: usize, from_above: bool) {
    let neighbours = if from_above { &proper.above } else { &proper.below };
    let mean = |node: usize| {
        let places = neighbours[node].iter().map(|other| rank[*other] as f64);
        match neighbours[node].len() {
            0 => rank[node] as f64,
            n => places.sum::<f64>() / n as f64,
        }
    };
    let mut keyed: Vec<(f64, usize)> =
        proper.layers[index].iter().map(|node| (mean(*node), *node)).collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (i, (_, node)) in keyed.iter().enumerate() {
        rank[*node] = i;
    }
    proper.layers[index] = keyed.into_iter().map(|(_, node)| node).collect();
}

/// Swaps neighbours in a layer as long as that removes crossings.
fn swap_neighbours(proper: &mut Proper, rank: &mut [usize], swap_equal: bool) {
    for round in 0..6 {
        let mut is_better = false;
        for layer in 0..proper.layers.len() {
            for i in 1..proper.layers[layer].len() {
                let (left, right) = (proper.layers[layer][i - 1], proper.layers[layer][i]);
                let between = |a: usize, b: usize| {
                    pair_crossings(&proper.above[a], &proper.above[b], rank)
                        + pair_crossings(&proper.below[a], &proper.below[b], rank)
                };
                let (swapped, kept) = (between(right, left), between(left, right));
                if swapped < kept || (swap_equal && round == 0 && swapped == kept && kept > 0) {
                    proper.layers[layer].swap(i - 1, i);
                    rank[left] = i;
                    rank[right] = i - 1;
                    is_better = true;
                }
            }
        }
        if !is_better {
            break;
        }
    }
}

/// The crossings between the links of two nodes, the first left of the second.
fn pair_crossings(left: &[usize], right: &[usize], rank: &[usize]) -> usize {
    let crossed = |a: &usize| right.iter().filter(|b| rank[**b] < rank[*a]).count();
    left.iter().map(crossed).sum()
}

/// All crossings of links, counted in n log n with a tree of partial sums.
fn crossings(proper: &Proper, rank: &[usize]) -> usize {
    let mut n_crossings = 0;
    for pair in proper.layers.windows(2) {
        let (upper, lower) = (&pair[0], &pair[1]);
        let mut sums = vec![0_usize; lower.len() + 1];
        let mut n_links = 0;
        for node in upper {
            let mut places: Vec<usize> =
                proper.below[*node].iter().map(|other| rank[*other]).collect();
            places.sort_unstable();
            for place in &places {
                let (mut i, mut n_not_right) = (*place + 1, 0);
                while i > 0 {
                    n_not_right += sums[i];
                    i &= i - 1;
                }
                n_crossings += n_links - n_not_right;
            }
            for place in places {
                let mut i = place + 1;
                while i < sums.len() {
                    sums[i] += 1;
                    i += i & i.wrapping_neg();
                }
                n_links += 1;
            }
        }
    }
    n_crossings
}
