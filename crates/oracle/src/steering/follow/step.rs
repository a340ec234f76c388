//! Which steps may be taken.
//!
//! In a step that does not match as it is, every allowed change that makes it match is followed. In
//! one that does match, nothing is changed, unless the model would leave the system within the next
//! `k` steps: then one variable may be changed ahead of time. A number that was changed ahead of
//! time is *held* until the change shows: it is changed in the same direction, and by no less, in
//! each step up to one that would not match otherwise. So needless changes do not add up to an
//! explanation of a fault.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;

use punctual_model::lustre::{Rational, Value};
use punctual_semantics::lustre::State;
use rustc_hash::FxHashMap;

use super::{Draft, Follower, Live, Node, Observation, Steerer};
use crate::steering::exact;
use crate::steering::metric::is_match;
use crate::steering::oracle::LookAhead;
use crate::steering::outcome::{Diagnosis, Why};
use crate::steering::policy::{self, Cost};
use crate::steering::search::{Held, Leaf, Need, Wanted};

#[derive(PartialEq, Eq, Hash)]
struct Key {
    state: State,
    last: Vec<Option<Rational>>,
    held: Held,
    directions: Vec<Ordering>,
    n_steered: u32,
}

/// All that the steps from a state depend on.
type Situation = (State, Held, Vec<Ordering>);

/// How to get to a state.
struct Way {
    from: usize,
    changes: Vec<(usize, Value)>,
    cost: Cost,
    n_steered: u32,
    /// When it was first offered.
    order: usize,
}

/// The steps from a state.
#[derive(Default)]
struct Steps {
    leaves: Vec<Leaf>,
    /// Whether a change would show.
    is_forced: bool,
    /// Why there may be others.
    undecided: Option<Why>,
}

/// The states after a step, while they are collected.
#[derive(Default)]
struct Next {
    best: FxHashMap<Key, Way>,
    n_offers: usize,
    /// Whether one of them explains the step; then only such are kept.
    has_match: bool,
    /// Whether there was an explanation that costs too much.
    beyond_budget: bool,
    /// Whether there was one that changes a number in both directions.
    unsteady: bool,
    /// Whether there was one that is too dear for now.
    is_cut: bool,
    /// Why some search has no answer.
    undecided: Option<Why>,
}

impl Steerer<'_> {
    /// Takes the next step from all states.
    pub(super) fn take(&mut self, follower: &mut Follower) {
        let step = follower.n_taken;
        // What comes after a failure does not make it doubtful.
        let failed = follower
            .stuck
            .is_some()
            .then(|| (follower.effort.is_bounded, follower.is_cut, follower.lost.clone()));
        let before = std::mem::take(&mut follower.live);
        let mut next = Next::default();
        // States that were reached in several ways take the same steps.
        let mut known: FxHashMap<Situation, Result<Steps, Why>> = FxHashMap::default();
        self.searcher.is_cut = false;
        self.searcher.is_bounded = false;
        let most = self.searcher.effort.steps.saturating_add(self.oracle.setup.limits.steps);
        for from in &before {
            let steps_max = match follower.look_ahead {
                LookAhead::Steps(0) => u64::MAX,
                _ => most.saturating_sub(self.searcher.effort.steps),
            };
            if steps_max == 0 {
                // The dearest states are left out.
                follower.effort.is_bounded = true;
                break;
            }
            let situation = (from.state.clone(), from.held, from.directions.clone());
            let steps = match from.last.is_empty() {
                true => {
                    known.entry(situation).or_insert_with(|| self.steps(follower, from, steps_max))
                }
                false => &mut self.steps(follower, from, steps_max),
            };
            match steps {
                Ok(steps) => {
                    for leaf in &steps.leaves {
                        self.offer(follower, &mut next, from, leaf, steps.is_forced);
                    }
                    next.undecided = next.undecided.take().or_else(|| steps.undecided.clone());
                }
                Err(why) => {
                    next.undecided.get_or_insert(why.clone());
                }
            }
        }
        next.is_cut |= self.searcher.is_cut;
        follower.effort.is_bounded |= self.searcher.is_bounded;
        if !next.has_match
            && follower.draft == Draft::No
            && !(next.is_cut && follower.may_widen())
            && let Some(best) = before.first()
        {
            self.look_again(follower, &mut next, best);
        }
        self.settle(follower, step, before, next);
        if let Some((is_bounded, is_cut, lost)) = failed {
            follower.effort.is_bounded = is_bounded;
            follower.is_cut = is_cut;
            follower.lost = lost;
        }
    }

    /// Nothing matches: the best state takes the nearest step, for the record, and if only being
    /// steady is in the way, that is said.
    fn look_again(&mut self, follower: &Follower, next: &mut Next, best: &Live) {
        let now = &follower.history[follower.n_taken];
        self.searcher.begin(&now.inputs, &now.system);
        let need = |wanted| Need {
            wanted,
            last: &best.last,
            held: best.held,
            directions: &[],
            cost_max: None,
            exact_only: false,
            steps_max: u64::MAX,
        };
        let is_steady = self.oracle.setup.policy.steady;
        if follower.look_ahead != LookAhead::Steps(0) || is_steady {
            let leaves = self.searcher.search(&best.state, need(Wanted::Best)).unwrap_or_default();
            if follower.look_ahead != LookAhead::Steps(0) {
                next.best.clear();
            }
            for leaf in &leaves {
                self.offer(follower, next, best, leaf, true);
            }
        }
        if next.best.is_empty()
            && let Ok(leaf) = self.searcher.unsteered(&best.state)
        {
            self.offer(follower, next, best, &leaf, true);
        }
    }

    /// The steps that may be taken from a state.
    fn steps(&mut self, follower: &Follower, from: &Live, steps_max: u64) -> Result<Steps, Why> {
        let [now, ahead @ ..] = &follower.history[follower.n_taken..] else {
            return Ok(Steps::default());
        };
        self.searcher.begin(&now.inputs, &now.system);
        let free = |leaves| Steps { leaves, is_forced: true, undecided: None };
        let need = |wanted| Need {
            wanted,
            last: &from.last,
            held: from.held,
            directions: &from.directions,
            cost_max: follower.bound.map(|most| exact::difference(most, from.cost.change)),
            exact_only: follower.draft != Draft::No,
            steps_max,
        };
        let lag = match follower.look_ahead {
            LookAhead::All => {
                return self.searcher.search(&from.state, need(Wanted::Nearest)).map(free);
            }
            LookAhead::Steps(0) => {
                return self.searcher.search(&from.state, need(Wanted::Best)).map(free);
            }
            LookAhead::Steps(lag) => lag,
        };
        let unsteered = self.searcher.unsteered(&from.state)?;
        if !is_match(unsteered.cost.dissimilarity) {
            let wanted = match follower.draft {
                Draft::OneChange => Wanted::Single,
                Draft::No | Draft::AtOnce => Wanted::Nearest,
            };
            return self.searcher.search(&from.state, need(wanted)).map(free);
        }
        if from.held.is_none() {
            let ahead = &ahead[..lag.min(ahead.len())];
            if !self.leaves_system(&unsteered.after, ahead)? {
                return Ok(Steps { leaves: vec![unsteered], is_forced: false, undecided: None });
            }
            self.searcher.begin(&now.inputs, &now.system);
        }
        match self.searcher.search(&from.state, need(Wanted::Single)) {
            Ok(mut leaves) => {
                leaves.retain(|leaf| leaf.changes.len() <= 1);
                Ok(Steps { leaves, is_forced: false, undecided: None })
            }
            // The step as it is can be taken, whatever else could.
            Err(why) => {
                Ok(Steps { leaves: vec![unsteered], is_forced: false, undecided: Some(why) })
            }
        }
    }

    /// Whether the model, left alone, differs from the system in one of these steps.
    fn leaves_system(&mut self, state: &State, ahead: &[Observation]) -> Result<bool, Why> {
        let mut state = state.clone();
        for observation in ahead {
            self.searcher.begin(&observation.inputs, &observation.system);
            let leaf = self.searcher.unsteered(&state)?;
            if !is_match(leaf.cost.dissimilarity) {
                return Ok(true);
            }
            state = leaf.after;
        }
        Ok(false)
    }

    /// What must be held after a change ahead of time. Events (truth, enumerations) just happen.
    fn held(&self, inputs: &[Value], leaf: &Leaf) -> Held {
        let (at, to) = *leaf.changes.first()?;
        let from = inputs[self.oracle.steered_inputs[at]];
        let is_number = matches!(from, Value::Int(_) | Value::Real(_));
        is_number.then(|| (at, policy::adjustment(from, to)))
    }

    /// Whether a step keeps what is held.
    fn holds(&self, inputs: &[Value], held: Held, leaf: &Leaf) -> bool {
        let Some((at, by)) = held else { return true };
        let change = leaf.changes.iter().find(|(changed, _)| *changed == at);
        let Some((_, to)) = change else { return false };
        let again = policy::adjustment(inputs[self.oracle.steered_inputs[at]], *to);
        if by > exact::zero() { again >= by } else { again <= by }
    }

    /// Adds a step that may be taken.
    fn offer(
        &self,
        follower: &Follower,
        next: &mut Next,
        from: &Live,
        leaf: &Leaf,
        is_forced: bool,
    ) {
        let inputs = &follower.history[follower.n_taken].inputs;
        if !self.holds(inputs, from.held, leaf) {
            return;
        }
        let held = if is_forced { None } else { self.held(inputs, leaf) };
        let policy = &self.oracle.setup.policy;
        let is_match = is_match(leaf.cost.dissimilarity);
        let n_steered = from.n_steered + u32::from(!leaf.changes.is_empty());
        let cost = from.cost.plus(leaf.cost);
        let Some(directions) = self.directions(inputs, from, leaf) else {
            next.unsteady |= is_match;
            return;
        };
        if !policy.allows(n_steered, cost.change) {
            next.beyond_budget |= is_match;
            return;
        }
        if follower.bound.is_some_and(|most| cost.change > most) {
            next.is_cut |= is_match;
            return;
        }
        if next.has_match && !is_match {
            return;
        }
        if is_match && !next.has_match {
            next.has_match = true;
            next.best.clear();
        }
        let mut last = from.last.clone();
        if !last.is_empty() {
            for (at, to) in &leaf.changes {
                let from = inputs[self.oracle.steered_inputs[*at]];
                last[*at] = Some(policy::adjustment(from, *to));
            }
        }
        let counts = policy.steps_max.is_some();
        let n_counted = if counts { n_steered } else { 0 };
        let key = Key { state: leaf.after.clone(), last, held, directions, n_steered: n_counted };
        let way =
            |order| Way { from: from.node, changes: leaf.changes.clone(), cost, n_steered, order };
        match next.best.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(way(next.n_offers));
            }
            Entry::Occupied(mut entry) => {
                let known = entry.get();
                if (cost, n_steered) < (known.cost, known.n_steered) {
                    let order = known.order;
                    entry.insert(way(order));
                }
            }
        }
        next.n_offers += 1;
    }

    /// In which directions variables were changed after a step; none if one was changed in both.
    fn directions(&self, inputs: &[Value], from: &Live, leaf: &Leaf) -> Option<Vec<Ordering>> {
        let mut directions = from.directions.clone();
        if directions.is_empty() {
            return Some(directions);
        }
        for (at, to) in &leaf.changes {
            let original = inputs[self.oracle.steered_inputs[*at]];
            if !matches!(original, Value::Int(_) | Value::Real(_)) {
                continue;
            }
            let direction = policy::adjustment(original, *to).cmp(&exact::zero());
            if directions[*at] == direction.reverse() {
                return None;
            }
            directions[*at] = direction;
        }
        Some(directions)
    }

    /// Goes on with the best states.
    fn settle(&mut self, follower: &mut Follower, step: usize, before: Vec<Live>, next: Next) {
        let mut ways: Vec<(Key, Way)> = next.best.into_iter().collect();
        ways.sort_unstable_by_key(|(_, way)| (way.cost, way.n_steered, way.order));
        let most = self.oracle.setup.limits.candidates.max(1);
        if ways.len() > most {
            ways.truncate(most);
            follower.effort.is_bounded = true;
        }
        follower.effort.candidates = follower.effort.candidates.max(ways.len());
        let mut live = Vec::with_capacity(ways.len());
        for (key, way) in ways {
            follower.nodes.push(Node { parent: Some(way.from), changes: way.changes });
            live.push(Live {
                node: follower.nodes.len() - 1,
                state: key.state,
                cost: way.cost,
                n_steered: way.n_steered,
                last: key.last,
                held: key.held,
                directions: key.directions,
            });
        }
        follower.is_cut |= next.is_cut;
        if let Some(why) = next.undecided {
            follower.lost.get_or_insert(Diagnosis { step, why });
        }
        let why = match next.has_match {
            true => None,
            false if next.beyond_budget => Some(Why::Budget),
            false if next.unsteady => Some(Why::Unsteady),
            false => Some(Why::Unexplained),
        };
        if let Some(why) = why {
            follower.stuck.get_or_insert(Diagnosis { step, why });
        }
        if live.is_empty() {
            // Nothing is allowed, not even the step as it is: the story ends before it.
            follower.nearest = before.into_iter().next();
        }
        if follower.look_ahead == LookAhead::Steps(0) {
            live.truncate(1);
        }
        follower.live = live;
    }
}
