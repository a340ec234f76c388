//! All changes of a step, by taking it with each of them.
//!
//! A step says which inputs it read. Changing others would not change what it did, and costs; so
//! the search branches only on inputs that were read, one at a time, and takes the step again for
//! each value. A step that fails says nothing about what it read: then everything is tried.

use punctual_model::lustre::{Rational, Value};
use punctual_semantics::lustre::State;

use super::{Leaf, Need, Room, Searcher, Wanted, from_cell, observed, type_of};
use crate::steering::exact;
use crate::steering::metric::is_match;
use crate::steering::tolerance::Views;

/// The best steps that a search found so far.
pub(super) struct Found {
    pub(super) wanted: Wanted,
    /// The step as it is; None if the model can not take it.
    pub(super) unsteered: Option<Leaf>,
    /// The steerable inputs as they were.
    original: Vec<Value>,
    /// The steps, all equally near to the system; only one if the best is wanted.
    leaves: Vec<Leaf>,
}

impl Found {
    pub(super) fn new(wanted: Wanted, unsteered: Option<Leaf>, original: Vec<Value>) -> Found {
        Found { wanted, leaves: unsteered.iter().cloned().collect(), unsteered, original }
    }

    pub(super) fn add(&mut self, leaf: Leaf) {
        let Some(best) = self.leaves.first() else { return self.leaves.push(leaf) };
        match self.wanted {
            Wanted::Best => {
                if leaf.rank(best, &self.original).is_lt() {
                    self.leaves[0] = leaf;
                }
            }
            Wanted::Nearest | Wanted::Single => {
                match leaf.cost.dissimilarity.cmp(&best.cost.dissimilarity) {
                    std::cmp::Ordering::Less => self.leaves = vec![leaf],
                    std::cmp::Ordering::Equal => self.leaves.push(leaf),
                    std::cmp::Ordering::Greater => {}
                }
            }
        }
    }

    /// How many changes make the step match.
    pub(super) fn n_matches(&self) -> usize {
        let is_one = |it: &&Leaf| !it.changes.is_empty() && is_match(it.cost.dissimilarity);
        self.leaves.iter().filter(is_one).count()
    }

    /// Whether the best step is wanted and known, given that all other steps cost at least this.
    pub(super) fn is_settled(&self, price: Rational, units: Rational) -> bool {
        let is_better = |best: &Leaf| {
            is_match(best.cost.dissimilarity) && (best.cost.change, best.units) < (price, units)
        };
        self.wanted == Wanted::Best && self.leaves.first().is_some_and(is_better)
    }

    /// Whether no step of at least this cost can be of use.
    fn is_beyond(&self, price: Rational) -> bool {
        self.wanted == Wanted::Best
            && self
                .leaves
                .first()
                .is_some_and(|best| is_match(best.cost.dissimilarity) && price > best.cost.change)
    }

    /// The steps that were found; with `exact_only` the unsteered step instead of steps that do not match.
    pub(super) fn into_leaves(self, exact_only: bool) -> Vec<Leaf> {
        match self.leaves.first() {
            Some(best) if exact_only && !is_match(best.cost.dissimilarity) => {
                self.unsteered.into_iter().collect()
            }
            _ => self.leaves,
        }
    }
}

/// The position of an enumeration.
struct Walk<'w> {
    state: &'w State,
    need: Need<'w>,
    room: &'w Room,
    /// Whether the value of each steerable input is chosen.
    is_fixed: Vec<bool>,
    /// The present values of all steerable inputs.
    now: Vec<Value>,
    n_steps: u64,
    /// Whether the enumeration was given up, since there is too much to try.
    is_too_large: bool,
}

impl Searcher<'_> {
    /// Adds all allowed steps. Gives false if there are too many to try.
    pub(super) fn enumerate(
        &mut self,
        state: &State,
        need: Need<'_>,
        room: &Room,
        found: &mut Found,
    ) -> bool {
        self.restore();
        let steerable = &self.oracle.opened.steered;
        for (var, value) in steerable.iter().zip(&room.base) {
            self.stepper.set(*var, *value);
        }
        let mut walk = Walk {
            state,
            need,
            room,
            is_fixed: vec![false; steerable.len()],
            now: room.base.clone(),
            n_steps: 0,
            is_too_large: false,
        };
        let price = self.price(&walk);
        self.walk(&mut walk, price, None, found);
        self.effort.steps += walk.n_steps;
        !walk.is_too_large
    }

    /// The cost of the present values.
    fn price(&self, walk: &Walk<'_>) -> Rational {
        let mut price = exact::zero();
        for (at, to) in walk.now.iter().enumerate() {
            price = exact::sum(price, self.price_of(walk, at, *to));
        }
        price
    }

    fn price_of(&self, walk: &Walk<'_>, at: usize, to: Value) -> Rational {
        let from = self.inputs[self.oracle.steered_inputs[at]];
        let last = walk.need.last.get(at).copied().flatten();
        self.oracle.setup.policy.price(at, from, to, last)
    }

    /// Goes on from the present values, which cost `price`. `taken` says whether the step was taken
    /// with them already, and succeeded.
    fn walk(
        &mut self,
        walk: &mut Walk<'_>,
        price: Rational,
        taken: Option<bool>,
        found: &mut Found,
    ) {
        if walk.is_too_large || found.is_beyond(price) {
            return;
        }
        let succeeded = taken.unwrap_or_else(|| {
            walk.n_steps += 1;
            self.stepper.step(walk.state, &mut self.after).is_ok()
        });
        if walk.n_steps > self.oracle.setup.limits.enumerated {
            walk.is_too_large = true;
            return;
        }
        let entangled = self.oracle.rules.entangled();
        let next = (0..walk.now.len()).find(|at| {
            let is_open = walk.room.cells[*at].as_ref().is_none_or(|cells| cells.len() > 1);
            let matters =
                !succeeded || self.stepper.reads().contains(*at) || entangled.contains(at);
            !walk.is_fixed[*at] && is_open && matters
        });
        let Some(at) = next else {
            if succeeded {
                self.arrive(walk, found);
            }
            return;
        };
        let Some(cells) = &walk.room.cells[at] else {
            walk.is_too_large = true;
            return;
        };
        walk.is_fixed[at] = true;
        let (var, ty) = (self.oracle.opened.steered[at], type_of(self.oracle, at));
        let base = walk.now[at];
        let rest = exact::difference(price, self.price_of(walk, at, base));
        let original = |at: usize| self.inputs[self.oracle.steered_inputs[at]];
        let is_spent = found.wanted == Wanted::Single
            && (0..walk.now.len()).any(|other| other != at && walk.now[other] != original(other));
        let own = original(at);
        for (i, cell) in cells.iter().enumerate() {
            let value = from_cell(ty, *cell);
            if is_spent && value != own {
                continue;
            }
            let price = exact::sum(rest, self.price_of(walk, at, value));
            // The first value is the one with which the step was just taken.
            let taken = (i == 0 && value == base).then_some(succeeded);
            walk.now[at] = value;
            self.stepper.set(var, value);
            self.walk(walk, price, taken, found);
        }
        walk.now[at] = base;
        self.stepper.set(var, base);
        walk.is_fixed[at] = false;
    }

    /// Adds the step that was just taken, if it is allowed.
    fn arrive(&mut self, walk: &Walk<'_>, found: &mut Found) {
        let original = |at: usize| self.inputs[self.oracle.steered_inputs[at]];
        let changed = walk.now.iter().enumerate().filter(|(at, now)| **now != original(*at));
        let changes: Vec<(usize, Value)> = changed.map(|(at, now)| (at, *now)).collect();
        // The unsteered step needs no permission, and is known.
        if changes.is_empty() || !self.stepper.is_assumed() || !self.keeps(walk.need, &changes) {
            return;
        }
        let system = observed(self.oracle, &self.system);
        let views = Views {
            new: &|var| self.stepper.value(var),
            original: &|var| {
                self.originals[punctual_model::Id::index(var)].unwrap_or(Value::Bool(false))
            },
            system: &system,
        };
        if self.bench.accepts(views) {
            found.add(self.leaf(changes, walk.need.last));
        }
    }
}
