//! In which order cases are run, so that the first ones find most.
//!
//! A fault sits at an edge and shows in what follows. So the next case is the one with most pairs of edges of a process
//! that no earlier case had, by the time that it takes.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::goal::{Goal, covered};
use super::walk::Run;
use super::world::World;

/// The positions of runs, in the order in which their cases should be run.
#[must_use]
pub(super) fn by_gain(world: &World<'_>, runs: &[Run]) -> Vec<usize> {
    let covers: Vec<BTreeSet<Goal>> = (runs.iter())
        .map(|run| covered(&world.network, run).goals().filter(|it| is_step(*it)).collect())
        .collect();
    let mut seen: BTreeSet<Goal> = BTreeSet::new();
    let gain = |at: usize, seen: &BTreeSet<Goal>| {
        let new = covers[at].iter().filter(|goal| !seen.contains(goal)).count() as i128;
        new * 1_000_000 / i128::from(runs[at].end().max(1))
    };
    // What a run gains never rises, so the one at the top is the next if its gain is still the same.
    let mut left: BinaryHeap<(i128, Reverse<usize>)> =
        (0..runs.len()).map(|at| (gain(at, &seen), Reverse(at))).collect();
    let mut order = Vec::new();
    while let Some((known, Reverse(at))) = left.pop() {
        let now = gain(at, &seen);
        if now < known {
            left.push((now, Reverse(at)));
            continue;
        }
        seen.extend(covers[at].iter().copied());
        order.push(at);
    }
    order
}

fn is_step(goal: Goal) -> bool {
    matches!(goal, Goal::Edge(..) | Goal::Pair(..))
}
