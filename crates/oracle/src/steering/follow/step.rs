//! Which steps may be taken.
//!
//! In a step that does not match as it is, every allowed change that makes it match is followed. In
//! one that does match, nothing is changed, unless the model would leave the system within the next
//! `k` steps: then one variable may be changed ahead of time. A number that was changed ahead of
//! time is *held* until the change shows: it is changed in the same direction, and by no less, in
//! each step up to one that would not match otherwise. So needless changes are not tried first.
//!
//! In a step before `free_until`, and with a look-ahead of `all`, every allowed change that matches is followed.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;

use punctual_model::lustre::{Rational, Value};
use punctual_semantics::lustre::State;
use rustc_hash::FxHashMap;

use super::{Draft, Follower, Live, Node, Observation, Steerer};
use crate::steering::doubt::{Doubt, Limit, Obstacle};
use crate::steering::exact;
use crate::steering::metric::is_match;
use crate::steering::oracle::LookAhead;
use crate::steering::outcome::{Diagnosis, Why};
use crate::steering::policy::{self, Cost};
use crate::steering::search::{Held, Leaf, Need, Searched, Wanted};

/// States of equal keys continue alike; only the best way to each is kept.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    state: State,
    last: Vec<Option<Rational>>,
    held: Held,
    directions: Vec<Ordering>,
    n_steered: u32,
    counts: Vec<u32>,
}

/// All that the steps from a state depend on.
type Situation = (State, Held, Vec<Ordering>);

/// How to get to a state.
struct Way {
    /// The node before the step.
    from: usize,
    changes: Vec<(usize, Value)>,
    cost: Cost,
    n_steered: u32,
    /// The position of the first offer of the state, so that ties do not depend on hashing.
    order: usize,
}

/// The steps from a state.
#[derive(Default)]
struct Steps {
    leaves: Vec<Leaf>,
    /// Whether a change of this step shows in it; otherwise it is made ahead of time.
    is_forced: bool,
    /// Whether the step as it is breaks an assertion of the model.
    is_outside: bool,
    /// Why there may be other steps.
    doubt: Doubt,
}

/// The states after a step, while they are collected.
struct Next {
    best: FxHashMap<Key, Way>,
    n_offers: usize,
    /// Whether one of the states explains the step; then only such states are kept.
    has_match: bool,
    /// What is to be said if no state explains the step: the policy may have rejected one that does.
    why: Why,
    /// Why there may be other states.
    doubt: Doubt,
}

impl Next {
    fn new() -> Next {
        Next {
            best: FxHashMap::default(),
            n_offers: 0,
            has_match: false,
            why: Why::Unexplained,
            doubt: Doubt::default(),
        }
    }

    /// The policy rejects a state that explains the step. What only one rule forbids is said rather than what both do, and of these a
    /// budget rather than a direction.
    fn reject(&mut self, why: Why) {
        let rank = |why: &Why| match why {
            Why::OverBudget => 3,
            Why::Unsteady => 2,
            Why::OverBudgetUnsteady => 1,
            _ => 0,
        };
        if rank(&why) > rank(&self.why) {
            self.why = why;
        }
    }
}

impl Steerer<'_> {
    /// Takes the next step from all states.
    pub(super) fn take(&mut self, follower: &mut Follower) {
        let step = follower.n_taken;
        // What comes after a failure does not make it doubtful.
        let doubt_of_failure = follower.stuck.is_some().then(|| follower.doubt.clone());
        let before = std::mem::take(&mut follower.live);
        let mut next = Next::new();
        // States that were reached in several ways take the same steps.
        let mut known: FxHashMap<Situation, Steps> = FxHashMap::default();
        let most = self.searcher.effort.steps.saturating_add(self.oracle.setup.limits.steps);
        for from in &before {
            let steps_max = match follower.look_ahead {
                LookAhead::Steps(0) => u64::MAX,
                _ => most.saturating_sub(self.searcher.effort.steps),
            };
            if steps_max == 0 {
                // The costliest states are left out.
                next.doubt.add(&Doubt::limit(Limit::Steps));
                break;
            }
            let mut search = || {
                self.steps(follower, from, steps_max).unwrap_or_else(|obstacle| Steps {
                    doubt: Doubt::obstacle(step, obstacle),
                    ..Steps::default()
                })
            };
            let situation = (from.state.clone(), from.held, from.directions.clone());
            let steps = match from.last.is_empty() {
                true => known.entry(situation).or_insert_with(search),
                false => &mut search(),
            };
            for leaf in &steps.leaves {
                self.offer(follower, &mut next, from, leaf, steps.is_forced);
            }
            next.doubt.add(&steps.doubt);
            if steps.is_outside && follower.stuck.is_none() {
                follower.outside.get_or_insert(step);
            }
        }
        follower.doubt.add(&next.doubt);
        follower.is_over |= next.why == Why::OverBudget && follower.stuck.is_none();
        if !next.has_match
            && follower.draft == Draft::No
            && !(next.doubt.is_cost_bounded() && follower.may_widen())
            && let Some(best) = before.first()
        {
            self.look_again(follower, &mut next, best);
        }
        self.settle(follower, step, before, next);
        if let Some(doubt) = doubt_of_failure {
            follower.doubt = doubt;
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
            let found = self.searcher.search(&best.state, need(Wanted::Best)).unwrap_or_default();
            if follower.look_ahead != LookAhead::Steps(0) {
                next.best.clear();
            }
            for leaf in &found.leaves {
                self.offer(follower, next, best, leaf, true);
            }
        }
        if next.best.is_empty()
            && let Ok(leaf) = self.searcher.unsteered(&best.state)
        {
            self.offer(follower, next, best, &leaf, true);
        }
    }

    /// The steps that may be taken from a state. Where no further step may be steered, what limits and a solver left out is of no interest:
    /// it only says whether a budget is in the way. That the model has no step as it is matters nevertheless.
    fn steps(
        &mut self,
        follower: &Follower,
        from: &Live,
        steps_max: u64,
    ) -> Result<Steps, Obstacle> {
        let most = self.oracle.setup.policy.steps_max;
        if follower.is_lifted || most.is_none_or(|most| from.n_steered < most) {
            return self.searched_steps(follower, from, steps_max);
        }
        match self.searched_steps(follower, from, steps_max) {
            Ok(steps) => Ok(Steps { doubt: steps.doubt.of_model(), ..steps }),
            Err(Obstacle::Model(failure)) => Err(Obstacle::Model(failure)),
            Err(_) => {
                let leaf = self.searcher.unsteered(&from.state)?;
                let is_outside = leaf.is_unassumed;
                Ok(Steps {
                    leaves: vec![leaf],
                    is_forced: true,
                    is_outside,
                    doubt: Doubt::default(),
                })
            }
        }
    }

    fn searched_steps(
        &mut self,
        follower: &Follower,
        from: &Live,
        steps_max: u64,
    ) -> Result<Steps, Obstacle> {
        let [now, ahead @ ..] = &follower.history[follower.n_taken..] else {
            return Ok(Steps::default());
        };
        self.searcher.begin(&now.inputs, &now.system);
        let step = follower.n_taken;
        let free = |Searched { leaves, mut doubt, is_outside, stopped }: Searched| {
            if let Some(failure) = stopped {
                doubt.add(&Doubt::obstacle(step, Obstacle::Model(failure)));
            }
            Steps { leaves, is_forced: true, is_outside, doubt }
        };
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
            _ if follower.n_taken < follower.free_until => {
                return self.searcher.search(&from.state, need(Wanted::Nearest)).map(free);
            }
            LookAhead::All => {
                return self.searcher.search(&from.state, need(Wanted::Nearest)).map(free);
            }
            LookAhead::Steps(0) => {
                return self.searcher.search(&from.state, need(Wanted::Best)).map(free);
            }
            LookAhead::Steps(lag) => lag,
        };
        let unsteered = self.searcher.unsteered(&from.state);
        let Some(unsteered) = unsteered.ok().filter(|it| is_match(it.cost.dissimilarity)) else {
            let wanted = match follower.draft {
                Draft::OneChange => Wanted::Single,
                Draft::No | Draft::AtOnce => Wanted::Nearest,
            };
            return self.searcher.search(&from.state, need(wanted)).map(free);
        };
        let is_outside = unsteered.is_unassumed;
        let as_it_is =
            |doubt| Steps { leaves: vec![unsteered.clone()], is_forced: false, is_outside, doubt };
        if from.held.is_none() {
            let ahead = &ahead[..lag.min(ahead.len())];
            if !self.leaves_system(&unsteered.after, ahead)? {
                return Ok(as_it_is(Doubt::default()));
            }
            self.searcher.begin(&now.inputs, &now.system);
        }
        Ok(match self.searcher.search(&from.state, need(Wanted::Single)) {
            Ok(Searched { mut leaves, doubt, .. }) => {
                leaves.retain(|leaf| leaf.changes.len() <= 1);
                Steps { leaves, is_forced: false, is_outside, doubt }
            }
            // The step as it is can be taken, whatever else could.
            Err(obstacle) => as_it_is(Doubt::obstacle(follower.n_taken, obstacle)),
        })
    }

    /// Whether the model, left alone, differs from the system in one of these steps, or can not take one.
    pub(super) fn leaves_system(
        &mut self,
        state: &State,
        ahead: &[Observation],
    ) -> Result<bool, Obstacle> {
        let mut state = state.clone();
        for observation in ahead {
            self.searcher.begin(&observation.inputs, &observation.system);
            match self.searcher.unsteered(&state) {
                Ok(leaf) if is_match(leaf.cost.dissimilarity) => state = leaf.after,
                Ok(_) | Err(Obstacle::Model(_)) => return Ok(true),
                Err(obstacle) => return Err(obstacle),
            }
        }
        Ok(false)
    }

    /// The change that must be held after a step that was changed ahead of time; None if nothing must.
    /// Events (truth, enumerations) just happen.
    pub(super) fn held(&self, inputs: &[Value], leaf: &Leaf) -> Held {
        let (at, to) = *leaf.changes.first()?;
        let from = inputs[self.oracle.steered_inputs[at]];
        let is_number = matches!(from, Value::Int(_) | Value::Real(_));
        is_number.then(|| (at, policy::adjustment(from, to)))
    }

    /// Whether a step changes what is held again, in the same direction and by no less.
    pub(super) fn holds(&self, inputs: &[Value], held: Held, leaf: &Leaf) -> bool {
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
        let mut counts = from.counts.clone();
        for (at, _) in leaf.changes.iter().filter(|(at, _)| policy.counts(*at)) {
            counts[*at] += 1;
        }
        let is_allowed = policy.allows(n_steered, cost.change) && policy.allows_each(&counts);
        let is_allowed = is_allowed || follower.is_lifted;
        let (directions, why) = match (self.directions(inputs, from, leaf), is_allowed) {
            (Some(directions), true) => (directions, Why::Unexplained),
            (Some(directions), false) => (directions, Why::OverBudget),
            (None, true) => (Vec::new(), Why::Unsteady),
            (None, false) => (Vec::new(), Why::OverBudgetUnsteady),
        };
        if why != Why::Unexplained {
            if is_match {
                next.reject(why);
            }
            return;
        }
        if follower.bound.is_some_and(|most| cost.change > most) {
            if is_match {
                next.doubt.add(&Doubt::cost_bound());
            }
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
        let n_counted = if policy.steps_max.is_some() { n_steered } else { 0 };
        let state = leaf.after.clone();
        let key = Key { state, last, held, directions, n_steered: n_counted, counts };
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

    /// In which directions numbers were changed up to this step; None if one was changed in both.
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
            follower.doubt.add(&Doubt::limit(Limit::Candidates));
        }
        follower.n_live_max = follower.n_live_max.max(ways.len());
        let mut live = Vec::with_capacity(ways.len());
        for (key, way) in ways {
            follower.nodes.push(Node { parent: Some(way.from), changes: way.changes });
            live.push(Live {
                node: follower.nodes.len() - 1,
                state: key.state,
                cost: way.cost,
                n_steered: way.n_steered,
                counts: key.counts,
                last: key.last,
                held: key.held,
                directions: key.directions,
            });
        }
        follower.doubt.add(&next.doubt);
        if !next.has_match {
            follower.stuck.get_or_insert(Diagnosis { step, why: next.why });
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
