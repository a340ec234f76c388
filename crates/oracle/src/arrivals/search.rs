//! All that a step may have done, the most probable first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use punctual_model::Value;
use punctual_semantics::lustre::{Spot, StateNumber};
use rustc_hash::FxHashMap;

use super::inputs::Next;
use crate::excuses::{self, Accounts};

/// What may have happened.
#[derive(Clone)]
pub(super) struct Hypothesis {
    pub(super) state: StateNumber,
    /// The number of what is known of each input.
    pub(super) inputs: Vec<u32>,
    /// The number of what is known of all lines of outputs.
    pub(super) outputs: u32,
    pub(super) weight: f64,
    /// What was read of inputs whose values were open.
    pub(super) accounts: Accounts,
    /// For each interaction that is over, the share of this hypothesis in which it was exercised as intended.
    pub(super) shares: Vec<f64>,
}

/// A step in which the values of some inputs are decided.
pub(super) struct Partial {
    pub(super) weight: f64,
    /// The number of the hypothesis that it starts from.
    pub(super) hypothesis: usize,
    /// Where the step stands; none before it has begun.
    pub(super) spot: Option<Spot>,
    /// Inputs, and the numbers of their values.
    pub(super) decided: Vec<(usize, usize)>,
}

impl PartialEq for Partial {
    fn eq(&self, other: &Partial) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Partial {}

impl PartialOrd for Partial {
    fn partial_cmp(&self, other: &Partial) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Partial {
    fn cmp(&self, other: &Partial) -> Ordering {
        let by_number =
            || (other.hypothesis, &other.decided).cmp(&(self.hypothesis, &self.decided));
        self.weight.total_cmp(&other.weight).then_with(by_number)
    }
}

/// All that a step may have done, the most probable first.
pub(super) struct Search {
    pub(super) waiting: BinaryHeap<Partial>,
    /// The weight of all that waits.
    pub(super) mass: f64,
    pub(super) n_tried: usize,
    /// For each hypothesis, what its inputs may be.
    pub(super) next: Vec<Option<Rc<Vec<Rc<Next>>>>>,
    pub(super) explained: Merged,
    pub(super) unexplained: Merged,
    /// The first steps that were not followed to their end, since an output that was certain already does not fit.
    pub(super) refuted: Vec<Partial>,
    /// Of what is most probable and not seen: its weight, the line, and the value that it would have.
    pub(super) closest: Option<(f64, usize, Value)>,
}

impl Search {
    pub(super) fn new(from: &[Hypothesis]) -> Search {
        let start = |(hypothesis, it): (usize, &Hypothesis)| Partial {
            weight: it.weight,
            hypothesis,
            spot: None,
            decided: Vec::new(),
        };
        Search {
            waiting: from.iter().enumerate().map(start).collect(),
            mass: from.iter().map(|it| it.weight).sum(),
            n_tried: 0,
            next: from.iter().map(|_| None).collect(),
            explained: Merged::default(),
            unexplained: Merged::default(),
            refuted: Vec::new(),
            closest: None,
        }
    }

    /// Nothing that was seen of a line fits a value that the step writes.
    pub(super) fn misses(&mut self, weight: f64, (line, value): (usize, Value)) {
        if self.closest.is_none_or(|(most, ..)| weight > most) {
            self.closest = Some((weight, line, value));
        }
    }

    pub(super) fn wait(&mut self, partial: Partial) {
        self.mass += partial.weight;
        self.waiting.push(partial);
    }
}

/// Hypotheses, each of them once.
#[derive(Default)]
pub(super) struct Merged {
    pub(super) all: Vec<Hypothesis>,
    pub(super) weight: f64,
    places: FxHashMap<(StateNumber, u32, Vec<u32>), usize>,
}

impl Merged {
    pub(super) fn add(&mut self, hypothesis: Hypothesis) {
        self.weight += hypothesis.weight;
        let key = (hypothesis.state, hypothesis.outputs, hypothesis.inputs.clone());
        match self.places.entry(key) {
            Entry::Vacant(place) => {
                place.insert(self.all.len());
                self.all.push(hypothesis);
            }
            Entry::Occupied(place) => {
                let same = &mut self.all[*place.get()];
                let sum = same.weight + hypothesis.weight;
                if sum > 0.0 {
                    for (share, other) in same.shares.iter_mut().zip(&hypothesis.shares) {
                        *share = (*share * same.weight + other * hypothesis.weight) / sum;
                    }
                    if same.accounts != hypothesis.accounts {
                        let share = hypothesis.weight / sum;
                        same.accounts = excuses::mixed(&same.accounts, &hypothesis.accounts, share);
                    }
                }
                same.weight = sum;
            }
        }
    }
}
