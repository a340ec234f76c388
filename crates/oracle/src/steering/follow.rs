//! Following a test: which states may the model be in, and which of them explains the system best?
//!
//! All states are kept that explain the steps so far, each with its cheapest explanation. With a
//! look-ahead of `k`, the changes of a step are decided `k` steps later, by what is best then, and
//! states that were reached otherwise are dropped. `k = 0` is the thesis's way: decide at once.
//!
//! A recorded test and a live one are followed by the same code.

use std::collections::hash_map::Entry;

use punctual_model::lustre::{Rational, Value};
use punctual_semantics::lustre::State;
use rustc_hash::FxHashMap;

use super::exact;
use super::metric::is_match;
use super::oracle::{LookAhead, Oracle};
use super::outcome::{Before, Change, Diagnosis, Effort, Outcome, StepReport, Why};
use super::policy::{self, Cost};
use super::search::{Leaf, Searcher, Wanted};
use crate::Verdict;

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
    /// Every way that is still followed, or led to one.
    nodes: Vec<Node>,
    /// The states that the model may be in, the best explanation first.
    live: Vec<Live>,
    /// All steps so far, to tell the story in the end.
    history: Vec<Observation>,
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
}

#[derive(PartialEq, Eq, Hash)]
struct Key {
    state: State,
    last: Vec<Option<Rational>>,
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
        self.outcome(follower, before)
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
        };
        Follower {
            nodes: vec![Node { parent: None, changes: Vec::new() }],
            live: vec![start],
            history: Vec::new(),
            stuck: None,
            nearest: None,
            lost: None,
            effort: Effort::default(),
        }
    }

    /// Ends a live test.
    pub fn finish(&mut self, follower: Follower) -> Outcome {
        match self.before(&follower.history) {
            Ok(before) if before.first_mismatch.is_none() => Outcome::unsteered(before),
            Ok(before) => self.outcome(follower, before),
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

    /// Takes a step further. Says whether the system is explained so far.
    pub fn step(&mut self, follower: &mut Follower, observation: Observation) -> bool {
        let step = follower.history.len();
        self.searcher.begin(&observation.inputs, &observation.system);
        follower.history.push(observation);
        if follower.is_decided(self.oracle) {
            return false;
        }
        let wanted = match self.oracle.setup.look_ahead {
            LookAhead::Steps(0) => Wanted::Best,
            _ => Wanted::Nearest,
        };
        let before = std::mem::take(&mut follower.live);
        let mut next = Next::default();
        for from in &before {
            match self.searcher.search(&from.state, &from.last, wanted) {
                Ok(leaves) => {
                    for leaf in leaves {
                        self.offer(follower, &mut next, from, leaf);
                    }
                }
                Err(why) => {
                    next.undecided.get_or_insert(why);
                }
            }
        }
        self.settle(follower, step, before, next)
    }

    /// Adds a step that may be taken.
    fn offer(&self, follower: &mut Follower, next: &mut Next, from: &Live, leaf: Leaf) {
        let policy = &self.oracle.setup.policy;
        let is_match = is_match(leaf.cost.dissimilarity);
        let n_steered = from.n_steered + u32::from(!leaf.changes.is_empty());
        let cost = from.cost.plus(leaf.cost);
        if !policy.allows(n_steered, cost.change) {
            next.beyond_budget |= is_match;
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
                let input = self.oracle.steered_inputs[*at];
                let from = follower.history.last().map(|it| it.inputs[input]);
                last[*at] = from.map(|from| policy::adjustment(from, *to));
            }
        }
        let counts = policy.steps_max.is_some();
        let key = Key { state: leaf.after, last, n_steered: if counts { n_steered } else { 0 } };
        let way = Way { from: from.node, changes: leaf.changes, cost, n_steered };
        match next.best.entry(key) {
            Entry::Vacant(entry) => {
                let order = next.n_offers;
                entry.insert((way, order));
            }
            Entry::Occupied(mut entry) => {
                let (known, _) = entry.get();
                if (way.cost, way.n_steered) < (known.cost, known.n_steered) {
                    let order = entry.get().1;
                    entry.insert((way, order));
                }
            }
        }
        next.n_offers += 1;
    }

    /// Goes on with the best states.
    fn settle(
        &mut self,
        follower: &mut Follower,
        step: usize,
        before: Vec<Live>,
        next: Next,
    ) -> bool {
        let mut ways: Vec<(Key, Way, usize)> =
            next.best.into_iter().map(|(key, (way, order))| (key, way, order)).collect();
        ways.sort_unstable_by_key(|(_, way, order)| (way.cost, way.n_steered, *order));
        let most = self.oracle.setup.limits.candidates.max(1);
        if ways.len() > most {
            ways.truncate(most);
            follower.effort.is_bounded = true;
        }
        follower.effort.candidates = follower.effort.candidates.max(ways.len());
        let mut live = Vec::with_capacity(ways.len());
        for (key, way, _) in ways {
            follower.nodes.push(Node { parent: Some(way.from), changes: way.changes });
            live.push(Live {
                node: follower.nodes.len() - 1,
                state: key.state,
                cost: way.cost,
                n_steered: way.n_steered,
                last: key.last,
            });
        }
        if let Some(why) = next.undecided {
            follower.lost.get_or_insert(Diagnosis { step, why });
        }
        let why = match next.has_match {
            true => None,
            false if next.beyond_budget => Some(Why::Budget),
            false => Some(Why::Unexplained),
        };
        let explained = why.is_none();
        if let Some(why) = why {
            follower.stuck.get_or_insert(Diagnosis { step, why });
        }
        if live.is_empty() {
            // Nothing is allowed, not even the step as it is: the story ends before it.
            follower.nearest = before.into_iter().next();
        }
        follower.live = live;
        self.commit(follower, step);
        explained
    }

    /// Decides what happened `k` steps ago.
    fn commit(&self, follower: &mut Follower, step: usize) {
        let LookAhead::Steps(lag) = self.oracle.setup.look_ahead else { return };
        if lag > step {
            return;
        }
        let Some(best) = follower.live.first() else { return };
        let decided = follower.ancestor(best.node, lag);
        let nodes = &follower.nodes;
        follower.live.retain(|it| ancestor(nodes, it.node, lag) == decided);
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

    /// Why nothing explains the system any more.
    #[must_use]
    pub fn stuck(&self) -> Option<&Diagnosis> {
        self.stuck.as_ref()
    }

    fn ancestor(&self, node: usize, generations: usize) -> usize {
        ancestor(&self.nodes, node, generations)
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

fn ancestor(nodes: &[Node], node: usize, generations: usize) -> usize {
    let mut node = node;
    for _ in 0..generations {
        node = nodes[node].parent.unwrap_or(node);
    }
    node
}

/// How to get to a state.
struct Way {
    from: usize,
    changes: Vec<(usize, Value)>,
    cost: Cost,
    n_steered: u32,
}

/// The states after a step, while they are collected.
#[derive(Default)]
struct Next {
    best: FxHashMap<Key, (Way, usize)>,
    n_offers: usize,
    /// Whether one of them explains the step; then only such are kept.
    has_match: bool,
    /// Whether there was an explanation that costs too much.
    beyond_budget: bool,
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
