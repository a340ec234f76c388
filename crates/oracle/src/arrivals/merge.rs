//! Fewer hypotheses after a step: those that become one exactly, those that become one by allowing more, and those that are too improbable.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::search::Hypothesis;
use super::{Arrivals, Limits};
use crate::excuses;

impl Arrivals<'_> {
    /// The most probable hypotheses; their weights become probabilities.
    pub(super) fn pruned(&mut self, all: Vec<Hypothesis>) -> Vec<Hypothesis> {
        let Limits { hypotheses, apart, floor, .. } = self.limits;
        let mut all = self.joined(all);
        if all.len() > apart {
            let groups = grouped(all, |it| (it.state, it.outputs));
            all = groups.into_iter().map(|it| self.one(it)).collect();
        }
        let sum: f64 = all.iter().map(|it| it.weight).sum();
        if sum <= 0.0 {
            return all;
        }
        all.iter_mut().for_each(|it| it.weight /= sum);
        all.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let mut left = 0.0;
        let improbable = all.iter().rev().take_while(|it| {
            left += it.weight;
            left <= floor
        });
        let n_kept = (all.len() - improbable.count()).clamp(1, hypotheses);
        let lost: f64 = all[n_kept..].iter().map(|it| it.weight).sum();
        self.has_left_out |= n_kept < all.len();
        self.effort.cut += usize::from(lost > 1e-3);
        all.truncate(n_kept);
        all
    }

    /// Hypotheses that differ in what is known of one input only become one. That is exact, since inputs are independent of each other. So reading a
    /// value that makes no difference leaves no trace.
    fn joined(&mut self, all: Vec<Hypothesis>) -> Vec<Hypothesis> {
        let mut found = Vec::with_capacity(all.len());
        for mut group in grouped(all, |it| (it.state, it.outputs)) {
            for input in 0..self.inputs.len() {
                let first = group[0].inputs[input];
                if group.len() > 1 && group.iter().any(|it| it.inputs[input] != first) {
                    let others = grouped(group, |it| {
                        let mut inputs = it.inputs.clone();
                        inputs[input] = u32::MAX;
                        inputs
                    });
                    group = others.into_iter().map(|it| self.one(it)).collect();
                }
            }
            found.extend(group);
        }
        found
    }

    /// Hypotheses of the same state become one, in which what is known of inputs is mixed. That allows more than they do, unless they
    /// differ in one input only.
    fn one(&mut self, mut group: Vec<Hypothesis>) -> Hypothesis {
        if group.len() == 1 {
            return group.swap_remove(0);
        }
        let weight: f64 = group.iter().map(|it| it.weight).sum();
        let part = |it: &Hypothesis| if weight > 0.0 { it.weight / weight } else { 0.0 };
        let mut one = group[0].clone();
        one.weight = weight;
        for (at, input) in one.inputs.iter_mut().enumerate() {
            if group.iter().any(|it| it.inputs[at] != *input) {
                let beliefs: Vec<(u32, f64)> =
                    group.iter().map(|it| (it.inputs[at], part(it))).collect();
                *input = self.inputs[at].mixed(&beliefs);
            }
        }
        let mut so_far = group[0].weight;
        for it in &group[1..] {
            so_far += it.weight;
            if so_far > 0.0 && it.accounts != one.accounts {
                one.accounts = excuses::mixed(&one.accounts, &it.accounts, it.weight / so_far);
            }
        }
        for (at, share) in one.shares.iter_mut().enumerate() {
            let share_of = |it: &Hypothesis| part(it) * it.shares.get(at).copied().unwrap_or(0.0);
            *share = group.iter().map(share_of).sum();
        }
        one
    }
}

/// Hypotheses by a key, in the order of their first ones.
fn grouped<K: Hash + Eq>(
    all: Vec<Hypothesis>,
    key: impl Fn(&Hypothesis) -> K,
) -> Vec<Vec<Hypothesis>> {
    let mut places: FxHashMap<K, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<Hypothesis>> = Vec::new();
    for it in all {
        let place = *places.entry(key(&it)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(it),
            None => groups.push(vec![it]),
        }
    }
    groups
}
