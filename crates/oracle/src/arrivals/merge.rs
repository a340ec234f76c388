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
            let mut marks: Vec<u128> = group.iter().map(|it| mark_of(&it.inputs)).collect();
            for input in 0..self.inputs.len() {
                let first = group[0].inputs[input];
                if group.len() > 1 && group.iter().any(|it| it.inputs[input] != first) {
                    // Without the mark of this input, those that differ in it only have the same.
                    let without = |it: &Hypothesis, all: u128| all ^ mark(input, it.inputs[input]);
                    let marked = group.into_iter().zip(marks);
                    let marked = marked.map(|(it, mark)| (without(&it, mark), it)).collect();
                    let others = grouped(marked, |(mark, _)| *mark);
                    let others = others
                        .into_iter()
                        .map(|it| self.one(it.into_iter().map(|(_, it)| it).collect()));
                    group = others.collect();
                    marks = group.iter().map(|it| mark_of(&it.inputs)).collect();
                }
            }
            found.extend(group);
        }
        found
    }

    /// Hypotheses of the same state become one each. After a step that nothing explains, there are many, and only where the model goes on from counts.
    pub(super) fn mixed(&mut self, all: Vec<Hypothesis>) -> Vec<Hypothesis> {
        let groups = grouped(all, |it| (it.state, it.outputs));
        groups.into_iter().map(|it| self.one(it)).collect()
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
pub(super) fn grouped<T, K: Hash + Eq>(all: Vec<T>, key: impl Fn(&T) -> K) -> Vec<Vec<T>> {
    let mut places: FxHashMap<K, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<T>> = Vec::new();
    for it in all {
        let place = *places.entry(key(&it)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(it),
            None => groups.push(vec![it]),
        }
    }
    groups
}

/// A number that tells what is known of all inputs: the marks of each together, in any order.
pub(super) fn mark_of(inputs: &[u32]) -> u128 {
    inputs.iter().enumerate().fold(0, |sum, (input, known)| sum ^ mark(input, *known))
}

/// A number of many digits for what is known of one input, as good as drawn: two sets of inputs with the same mark are the same.
pub(super) fn mark(input: usize, known: u32) -> u128 {
    let half = |salt: u64| {
        // The finishing of SplitMix64.
        let mut it = ((input as u64) << 32 | u64::from(known)).wrapping_add(salt);
        it = (it ^ (it >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        u128::from(it ^ (it >> 31))
    };
    half(0x9E37_79B9_7F4A_7C15) << 64 | half(0xD1B5_4A32_D192_ED03)
}
