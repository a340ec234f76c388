//! The order of nodes within their layers: few crossings, by sweeps of barycentres.
//!
//! Small graphs are then improved by swapping neighbours; huge ones get fewer sweeps.

use super::chains::Proper;

/// Sorts the layers of `proper`, and the links of each node by where they lead.
pub(super) fn sort(proper: &mut Proper) {
    first_order(proper);
    let n_nodes = proper.nodes.len();
    let n_sweeps = match n_nodes {
        0..=2_000 => 24,
        2_001..=20_000 => 10,
        _ => 4,
    };
    let mut rank = ranks(proper);
    let mut best = (crossings(proper, &rank), proper.layers.clone());
    for sweep in 0..n_sweeps {
        if best.0 == 0 {
            break;
        }
        let n_layers = proper.layers.len();
        if sweep % 2 == 0 {
            (1..n_layers).for_each(|i| sort_layer(proper, &mut rank, i, true));
        } else {
            (0..n_layers).rev().skip(1).for_each(|i| sort_layer(proper, &mut rank, i, false));
        }
        if n_nodes <= 600 {
            swap_neighbours(proper, &mut rank);
        }
        let n_crossings = crossings(proper, &rank);
        if n_crossings < best.0 {
            best = (n_crossings, proper.layers.clone());
        }
    }
    proper.layers = best.1;
    let rank = ranks(proper);
    for links in proper.above.iter_mut().chain(&mut proper.below) {
        links.sort_by_key(|node| rank[*node]);
    }
}

/// Nodes in the order in which a depth-first walk from the top meets them.
fn first_order(proper: &mut Proper) {
    let starts: Vec<usize> = proper.layers.iter().flatten().copied().collect();
    let mut met = vec![usize::MAX; proper.nodes.len()];
    let mut n_met = 0;
    for start in starts {
        let mut stack = vec![start];
        while let Some(node) = stack.pop() {
            if met[node] != usize::MAX {
                continue;
            }
            met[node] = n_met;
            n_met += 1;
            stack.extend(proper.below[node].iter().rev());
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
fn swap_neighbours(proper: &mut Proper, rank: &mut [usize]) {
    for _ in 0..6 {
        let mut is_better = false;
        for layer in 0..proper.layers.len() {
            for i in 1..proper.layers[layer].len() {
                let (left, right) = (proper.layers[layer][i - 1], proper.layers[layer][i]);
                let between = |a: usize, b: usize| {
                    pair_crossings(&proper.above[a], &proper.above[b], rank)
                        + pair_crossings(&proper.below[a], &proper.below[b], rank)
                };
                if between(right, left) < between(left, right) {
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
