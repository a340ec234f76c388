//! Following a test: which states may the model be in, and which of them explains the system best?
//!
//! Looking ahead, all states are kept that explain the steps so far, each with its cheapest
//! explanation. Without (`k = 0`), only the best is kept: the thesis's way.
//!
//! In a step that does not match as it is, every allowed change that makes it match is followed. In
//! one that does match, nothing is changed, unless the model would leave the system within the next
//! `k` steps: then one variable may be changed ahead of time. A number that was changed ahead of
//! time is *held* until the change shows: it is changed in the same direction, and by no less, in
//! each step up to one that would not match otherwise. So needless changes do not add up to an
//! explanation of a fault.
//!
//! A recorded test and a live one are followed by the same code.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;

use punctual_model::lustre::{Rational, Value};
use punctual_semantics::lustre::State;
use rustc_hash::FxHashMap;

use super::exact;
use super::metric::is_match;
use super::oracle::{LookAhead, Oracle};
use super::outcome::{Before, Change, Diagnosis, Effort, Outcome, StepReport, Why};
use super::policy::{self, Cost, Price};
use super::search::{Held, Leaf, Need, Searcher, Wanted};
use crate::Verdict;

/// Explanations are first looked for up to the cost of so many smallest changes, …
const FIRST_CHANGES: i128 = 4;
/// … then up to so many times as much, and so on.
const WIDER: i128 = 8;

/// The working memory of one thread; judges one test after the other.
pub struct Steerer<'o> {
    oracle: &'o Oracle,
    searcher: Searcher<'o>,
}

/// A step of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The inputs of the model, in its order.
    pub inputs: Vec<Value>,
    /// What the system showed, in the order of the columns.
    pub system: Vec<Value>,
}

/// A test that is being followed.
pub struct Follower {
    look_ahead: LookAhead,
    /// Whether only an explanation is of interest, not how near the model comes without one.
    is_draft: bool,
    /// Dearer explanations are not looked for yet.
    bound: Option<Rational>,
    /// Whether there may be some.
    is_cut: bool,
    /// Every way that is still followed, or led to one.
    nodes: Vec<Node>,
    /// Before the first step.
    start: Live,
    /// The states that the model may be in, the best explanation first.
    live: Vec<Live>,
    /// All steps so far, to tell the story in the end.
    history: Vec<Observation>,
    /// How many of them were taken; the others are looked at ahead.
    n_taken: usize,
    /// Since when nothing explains the system.
    stuck: Option<Diagnosis>,
    /// The best state before nothing was allowed any more.
    nearest: Option<Live>,
    /// Why some way could not be followed: it may have led to an explanation.
    lost: Option<Diagnosis>,
    effort: Effort,
}

struct Node {
    /// None before the first step.
    parent: Option<usize>,
    changes: Vec<(usize, Value)>,
}

#[derive(Clone)]
struct Live {
    node: usize,
    state: State,
    cost: Cost,
    n_steered: u32,
    /// By how much each steerable variable was changed last; empty if that costs nothing.
    last: Vec<Option<Rational>>,
    /// What was changed ahead of time, and by how much.
    held: Held,
    /// In which direction each steerable number was changed; empty if that does not matter.
    directions: Vec<Ordering>,
}

#[derive(PartialEq, Eq, Hash)]
struct Key {
    state: State,
    last: Vec<Option<Rational>>,
    held: Held,
    directions: Vec<Ordering>,
    n_steered: u32,
}

impl<'o> Steerer<'o> {
    /// One that knows no test yet.
    #[must_use]
    pub fn new(oracle: &'o Oracle) -> Steerer<'o> {
        Steerer { oracle, searcher: Searcher::new(oracle) }
    }

    /// Judges a recorded test.
    pub fn judge(&mut self, test: &[Observation]) -> Outcome {
        self.searcher.effort = Effort::default();
        let before = match self.before(test) {
            Ok(before) if before.first_mismatch.is_none() => return Outcome::unsteered(before),
            Ok(before) => before,
            Err(diagnosis) => return Outcome::inconclusive(diagnosis),
        };
        let mut follower = self.follow();
        for observation in test {
            self.step(&mut follower, observation.clone());
            if follower.is_decided(self.oracle) {
                break;
            }
        }
        self.catch_up(&mut follower, 0);
        self.decide(follower, before)
    }

    /// The outcome of a test that was followed to its end.
    fn decide(&mut self, follower: Follower, before: Before) -> Outcome {
        if follower.stuck.is_none() || !follower.effort.is_bounded {
            return self.outcome(follower, before);
        }
        // Not everything was tried: what deciding at once explains is explained.
        let look_ahead = LookAhead::Steps(0);
        let mut at_once = Follower { look_ahead, is_draft: true, bound: None, ..self.follow() };
        at_once.history.clone_from(&follower.history);
        self.catch_up(&mut at_once, 0);
        match at_once.stuck {
            None => self.outcome(at_once, before),
            Some(_) => self.outcome(follower, before),
        }
    }

    /// Starts to follow a live test.
    #[must_use]
    pub fn follow(&self) -> Follower {
        let n_steerable = self.oracle.setup.steerable.len();
        let remembers = self.oracle.setup.policy.remembers();
        let start = Live {
            node: 0,
            state: self.oracle.machine.start(),
            cost: Cost::none(),
            n_steered: 0,
            last: if remembers { vec![None; n_steerable] } else { Vec::new() },
            held: None,
            directions: match self.oracle.setup.policy.steady {
                true => vec![Ordering::Equal; n_steerable],
                false => Vec::new(),
            },
        };
        Follower {
            look_ahead: self.oracle.setup.look_ahead,
            is_draft: false,
            bound: self.first_bound(),
            is_cut: false,
            nodes: vec![Node { parent: None, changes: Vec::new() }],
            live: vec![start.clone()],
            start,
            history: Vec::new(),
            n_taken: 0,
            stuck: None,
            nearest: None,
            lost: None,
            effort: Effort::default(),
        }
    }

    /// Ends a live test.
    pub fn finish(&mut self, mut follower: Follower) -> Outcome {
        self.catch_up(&mut follower, 0);
        match self.before(&follower.history) {
            Ok(before) if before.first_mismatch.is_none() => Outcome::unsteered(before),
            Ok(before) => self.decide(follower, before),
            Err(diagnosis) => Outcome::inconclusive(diagnosis),
        }
    }

    /// How the model does without steering.
    fn before(&mut self, test: &[Observation]) -> Result<Before, Diagnosis> {
        let mut state = self.oracle.machine.start();
        let mut before =
            Before { first_mismatch: None, n_mismatches: 0, dissimilarity: exact::zero() };
        for (step, observation) in test.iter().enumerate() {
            self.searcher.begin(&observation.inputs, &observation.system);
            let leaf = self.searcher.unsteered(&state).map_err(|why| Diagnosis { step, why })?;
            if !is_match(leaf.cost.dissimilarity) {
                before.first_mismatch.get_or_insert(step);
                before.n_mismatches += 1;
                before.dissimilarity = exact::sum(before.dissimilarity, leaf.cost.dissimilarity);
            }
            state = leaf.after;
        }
        Ok(before)
    }

    /// Takes a step further, as far as may be looked ahead. Says whether the system is explained so
    /// far.
    pub fn step(&mut self, follower: &mut Follower, observation: Observation) -> bool {
        follower.history.push(observation);
        let ahead = match follower.look_ahead {
            LookAhead::Steps(steps) => steps,
            LookAhead::All => 0,
        };
        self.catch_up(follower, ahead);
        follower.stuck.is_none()
    }

    /// Takes all steps but the last ones.
    fn catch_up(&mut self, follower: &mut Follower, but: usize) {
        while follower.n_taken + but < follower.history.len() && !follower.is_decided(self.oracle) {
            self.take(follower);
            follower.n_taken += 1;
            if follower.stuck.is_some() {
                follower.widen();
            }
        }
        if follower.n_taken == follower.history.len() && but == 0 {
            follower.drop_held();
            if follower.stuck.is_some() && follower.widen() {
                self.catch_up(follower, but);
            }
        }
    }

    /// Up to which cost explanations are looked for first: a few of the smallest changes.
    fn first_bound(&self) -> Option<Rational> {
        let policy = &self.oracle.setup.policy;
        let price = |it: &Price| exact::sum(exact::sum(it.unit, it.fixed), policy.step);
        let least = policy.prices.iter().map(price).filter(|it| *it > exact::zero()).min()?;
        let is_ahead = self.oracle.setup.look_ahead != LookAhead::Steps(0);
        is_ahead.then(|| exact::product(least, Rational::from_integer(FIRST_CHANGES)))
    }

    fn take(&mut self, follower: &mut Follower) {
        let step = follower.n_taken;
        let before = std::mem::take(&mut follower.live);
        let mut next = Next::default();
        // States that were reached in several ways take the same steps.
        let mut known: FxHashMap<Situation, Result<Steps, Why>> = FxHashMap::default();
        self.searcher.is_cut = false;
        self.searcher.effort.is_bounded = false;
        let most = self.searcher.effort.steps.saturating_add(self.oracle.setup.limits.steps);
        for from in &before {
            if self.searcher.effort.steps > most {
                // The dearest states are left out.
                follower.effort.is_bounded = true;
                break;
            }
            let situation = (from.state.clone(), from.held, from.directions.clone());
            let steps = match from.last.is_empty() {
                true => known.entry(situation).or_insert_with(|| self.steps(follower, from)),
                false => &mut self.steps(follower, from),
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
        follower.effort.is_bounded |= self.searcher.effort.is_bounded;
        if !next.has_match
            && !follower.is_draft
            && !(next.is_cut && follower.may_widen())
            && let Some(best) = before.first()
        {
            self.look_again(follower, &mut next, best);
        }
        self.settle(follower, step, before, next);
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
        };
        let is_steady = self.oracle.setup.policy.steady && self.oracle.setup.policy.exact_only;
        if follower.look_ahead != LookAhead::Steps(0) || is_steady {
            let leaves = self.searcher.search(&best.state, need(Wanted::Best)).unwrap_or_default();
            next.best.clear();
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
    fn steps(&mut self, follower: &Follower, from: &Live) -> Result<Steps, Why> {
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
            exact_only: follower.is_draft,
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
            return self.searcher.search(&from.state, need(Wanted::Nearest)).map(free);
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

    /// Tells the story of the best explanation, and checks it step by step.
    fn outcome(&mut self, follower: Follower, before: Before) -> Outcome {
        let best = follower.live.first().or(follower.nearest.as_ref());
        let mut told = Told::default();
        if let Some(best) = best {
            let way = follower.way(best.node);
            if let Err(diagnosis) = self.tell(&follower.history, &way, &mut told) {
                return Outcome { before, ..Outcome::inconclusive(diagnosis) };
            }
        }
        let verdict = match follower.stuck {
            None if is_match(told.remaining) => Verdict::Pass,
            None => Verdict::Inconclusive(Diagnosis { step: 0, why: Why::Contradiction }),
            Some(diagnosis) => match follower.lost {
                None => Verdict::Fail(diagnosis),
                Some(lost) => Verdict::Inconclusive(lost),
            },
        };
        Outcome {
            verdict,
            before,
            steps: told.steps,
            n_steered: told.n_steered,
            cost: best.map_or(exact::zero(), |best| best.cost.change),
            change: told.change,
            remaining: told.remaining,
            effort: self.searcher.effort.plus(follower.effort),
        }
    }

    /// Runs an explanation again, with every condition as it was written.
    fn tell(
        &mut self,
        history: &[Observation],
        way: &[&[(usize, Value)]],
        told: &mut Told,
    ) -> Result<(), Diagnosis> {
        let mut state = self.oracle.machine.start();
        for (step, (observation, changes)) in history.iter().zip(way).enumerate() {
            self.searcher.begin(&observation.inputs, &observation.system);
            let unsteered =
                self.searcher.unsteered(&state).map_err(|why| Diagnosis { step, why })?;
            let before = unsteered.cost.dissimilarity;
            let leaf = match changes.is_empty() {
                true => unsteered,
                false => self
                    .searcher
                    .steered(&state, changes, &[])
                    .ok_or(Diagnosis { step, why: Why::Contradiction })?,
            };
            let after = leaf.cost.dissimilarity;
            told.remaining = exact::sum(told.remaining, after);
            told.change = exact::sum(told.change, leaf.units);
            told.n_steered += u32::from(!changes.is_empty());
            if !changes.is_empty() || !is_match(after) {
                let change = |(at, to): &(usize, Value)| Change {
                    var: self.oracle.setup.steerable[*at],
                    from: observation.inputs[self.oracle.steered_inputs[*at]],
                    to: *to,
                };
                told.steps.push(StepReport {
                    step,
                    before,
                    after,
                    changes: changes.iter().map(change).collect(),
                    differences: self.searcher.differences(),
                });
            }
            state = leaf.after;
        }
        Ok(())
    }
}

impl Follower {
    /// Whether nothing that comes can change the verdict, and nobody wants to know more.
    fn is_decided(&self, oracle: &Oracle) -> bool {
        self.live.is_empty() || (self.stuck.is_some() && !oracle.setup.policy.goes_on)
    }

    /// Whether dearer explanations can be looked for. If there is too much to try already, there is
    /// more then.
    fn may_widen(&self) -> bool {
        self.bound.is_some() && !self.effort.is_bounded
    }

    /// Begins again if there may be dearer explanations.
    fn widen(&mut self) -> bool {
        if !self.is_cut || !self.may_widen() {
            return false;
        }
        self.bound = self.bound.map(|it| exact::product(it, Rational::from_integer(WIDER)));
        self.is_cut = false;
        self.nodes.truncate(1);
        self.live = vec![self.start.clone()];
        self.n_taken = 0;
        self.stuck = None;
        self.nearest = None;
        self.lost = None;
        true
    }

    /// Why nothing explains the system any more.
    #[must_use]
    pub fn stuck(&self) -> Option<&Diagnosis> {
        self.stuck.as_ref()
    }

    /// At the end of a test nothing may be held: it never showed.
    fn drop_held(&mut self) {
        if self.live.iter().any(|it| it.held.is_none()) {
            self.live.retain(|it| it.held.is_none());
        } else if let Some(best) = self.live.first() {
            self.stuck.get_or_insert(Diagnosis {
                step: self.history.len().saturating_sub(1),
                why: Why::Unexplained,
            });
            self.nearest = Some(best.clone());
        }
    }

    /// The changes of all steps that led to a node.
    fn way(&self, node: usize) -> Vec<&[(usize, Value)]> {
        let mut way = Vec::new();
        let mut node = &self.nodes[node];
        while let Some(parent) = node.parent {
            way.push(&node.changes[..]);
            node = &self.nodes[parent];
        }
        way.reverse();
        way
    }
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

#[derive(Default)]
struct Told {
    steps: Vec<StepReport>,
    n_steered: u32,
    change: Rational,
    remaining: Rational,
}

impl Outcome {
    /// Of a test that needs no steering.
    fn unsteered(before: Before) -> Outcome {
        Outcome {
            verdict: Verdict::Pass,
            before,
            steps: Vec::new(),
            n_steered: 0,
            cost: exact::zero(),
            change: exact::zero(),
            remaining: exact::zero(),
            effort: Effort::default(),
        }
    }

    /// Of a test of which nothing can be said.
    fn inconclusive(diagnosis: Diagnosis) -> Outcome {
        let before = Before { first_mismatch: None, n_mismatches: 0, dissimilarity: exact::zero() };
        Outcome { verdict: Verdict::Inconclusive(diagnosis), ..Outcome::unsteered(before) }
    }
}
