//! Following a test: which states may the model be in, and which of them explains the system best?
//!
//! Looking ahead, all states are kept that explain the steps so far, each with its cheapest
//! explanation. Without (`k = 0`), only the best is kept: the thesis's way. `step.rs` says which
//! steps may be taken, `tell.rs` what came of it.
//!
//! Cheap explanations are looked for first. If there is none, but something was left out since it
//! costs too much, all begins again with more. So wide tolerances do not get in the way of small
//! changes, and the explanation that is found is the cheapest.
//!
//! A recorded test and a live one are followed by the same code.

mod step;
mod tell;

use std::cmp::Ordering;

use punctual_model::lustre::{Rational, Value};
use punctual_semantics::lustre::State;

use super::exact;
use super::metric::is_match;
use super::oracle::{LookAhead, Oracle};
use super::outcome::{Before, Diagnosis, Effort, Outcome, Why};
use super::policy::{Cost, Price};
use super::search::{Held, Searcher};

/// Explanations are first looked for up to the cost of so many smallest changes, …
const FIRST_CHANGES: i128 = 4;
/// … then up to so many times as much, and so on.
const WIDER: i128 = 3;

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
    /// How much is tried.
    draft: Draft,
    /// Dearer explanations are not looked for yet.
    bound: Option<Rational>,
    /// Dearer ones are not allowed.
    budget: Option<Rational>,
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

/// Explanations of a simple kind, where there are too many to try. How near the model comes without
/// one is of no interest then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Draft {
    /// All kinds.
    No,
    /// At most one variable is changed in a step.
    OneChange,
    /// Decisions are made at once.
    AtOnce,
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
        follower.history = test.to_vec();
        self.catch_up(&mut follower, 0);
        self.decide(follower, before)
    }

    /// The outcome of a test that was followed to its end.
    fn decide(&mut self, follower: Follower, before: Before) -> Outcome {
        if follower.stuck.is_none() || !follower.effort.is_bounded {
            return self.outcome(follower, before);
        }
        // Not everything was tried. What less explains is explained.
        for draft in [Draft::OneChange, Draft::AtOnce] {
            let mut simple = Follower { draft, ..self.follow() };
            if draft == Draft::AtOnce {
                simple.look_ahead = LookAhead::Steps(0);
                simple.bound = None;
            }
            simple.history.clone_from(&follower.history);
            self.catch_up(&mut simple, 0);
            if simple.stuck.is_none() {
                // There may be cheaper ones.
                simple.effort.is_bounded = true;
                return self.outcome(simple, before);
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
            held: None,
            directions: match self.oracle.setup.policy.steady {
                true => vec![Ordering::Equal; n_steerable],
                false => Vec::new(),
            },
        };
        Follower {
            look_ahead: self.oracle.setup.look_ahead,
            draft: Draft::No,
            bound: self.first_bound(),
            budget: self.oracle.setup.policy.cost_max,
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
        let outcome = match self.before(&follower.history) {
            Ok(before) if before.first_mismatch.is_none() => Outcome::unsteered(before),
            Ok(before) => self.decide(follower, before),
            Err(diagnosis) => Outcome::inconclusive(diagnosis),
        };
        self.searcher.effort = Effort::default();
        outcome
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

    /// Takes a step further, as far as may be looked ahead. Says whether the system may be explained
    /// so far.
    pub fn step(&mut self, follower: &mut Follower, observation: Observation) -> bool {
        follower.history.push(observation);
        let ahead = match follower.look_ahead {
            LookAhead::Steps(steps) => steps,
            LookAhead::All => 0,
        };
        self.catch_up(follower, ahead);
        follower.stuck.is_none() || follower.effort.is_bounded
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

    /// Up to which cost explanations are looked for first: a few of the smallest changes. Without a
    /// bound if that saves nothing.
    fn first_bound(&self) -> Option<Rational> {
        if !self.oracle.has_pieces() {
            return None;
        }
        let policy = &self.oracle.setup.policy;
        let price = |it: &Price| exact::sum(exact::sum(it.unit, it.fixed), policy.step);
        let least = policy.prices.iter().map(price).filter(|it| *it > exact::zero()).min()?;
        let is_ahead = self.oracle.setup.look_ahead != LookAhead::Steps(0);
        is_ahead.then(|| exact::product(least, Rational::from_integer(FIRST_CHANGES)))
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
        let is_spent = self.budget.is_some_and(|most| self.bound.is_none_or(|it| it >= most));
        self.bound.is_some() && !is_spent && !self.effort.is_bounded
    }

    /// Begins again if there may be dearer explanations.
    fn widen(&mut self) -> bool {
        if !self.is_cut || !self.may_widen() {
            return false;
        }
        self.bound = self.bound.and_then(|it| {
            let wider = exact::product(it, Rational::from_integer(WIDER));
            (wider > it).then_some(wider)
        });
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
