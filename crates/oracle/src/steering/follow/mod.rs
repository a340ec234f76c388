//! Following a test: which states may the model be in, and which of them explains the system best?
//!
//! Looking ahead, all states are kept that explain the steps so far, each with its cheapest
//! explanation. Without (`k = 0`), only the best is kept: the thesis's way. `step.rs` says which
//! steps may be taken, `tell.rs` what came of it, `rules.rs` which rule of the policy is in the way, `shows.rs` which variables could have mattered.
//!
//! A test is searched in rounds, each with a bound on the cost of explanations. If there is none, but
//! the bound left something out, the next round begins with a larger bound. So wide tolerances do not
//! get in the way of small changes, and the explanation that is found is the cheapest. What was left
//! out for another reason is kept in an account ([`Doubt`]), which decides about the verdict.
//!
//! The look-ahead is where a search begins, not where it ends: it is fast, and finds explanations with few changes. What it
//! can not explain is searched without it, in any step and with any change that is allowed (`free`), and where there are
//! too many states for that, a solver is asked about all steps at once (`whole.rs`). So a fail says that there is no
//! explanation, unless the policy asks for a narrower oracle.
//!
//! A recorded test and a live one are followed by the same code.

mod rules;
mod shows;
mod step;
mod tell;
mod whole;

use std::cmp::Ordering;

use punctual_model::lustre::{Rational, Value};
use punctual_semantics::lustre::State;

use super::doubt::{Doubt, Obstacle};
use super::exact;
use super::oracle::{LookAhead, Oracle};
use super::outcome::{Before, Diagnosis, Effort, Outcome, Why};
use super::policy::{Cost, Unheld};
use super::search::{Held, Searcher};
use crate::synchronous::{Comparison, Difference};

/// The cost bound of the first round is that of so many smallest changes.
const FIRST_CHANGES: i128 = 4;
/// The cost bound of a round is so many times that of the round before.
const WIDER: i128 = 3;

/// The working memory of one thread; judges one test after the other.
pub struct Steerer<'o> {
    oracle: &'o Oracle,
    searcher: Searcher<'o>,
    /// The model without steering.
    comparison: Comparison<'o>,
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
    /// The kind of explanations that are searched.
    draft: Draft,
    /// Steps before this one may be changed in any way that is allowed; later ones as the look-ahead says.
    free_until: usize,
    /// Explanations that cost more than this are not searched in the current round; None searches all.
    bound: Option<Rational>,
    /// Explanations that cost more than this are not allowed; None allows all.
    budget: Option<Rational>,
    /// The first step that has no explanation of the kind that the look-ahead tries first; None if it has one so far.
    unheld: Option<usize>,
    /// Whether more steps may be changed than the policy allows, to see whether only that is in the way.
    is_lifted: bool,
    /// Whether the policy's budget rejected a state that explains the steps up to it.
    is_over: bool,
    /// All ways that are followed, as a tree of the steps that they took.
    nodes: Vec<Node>,
    /// The state before the first step.
    start: Live,
    /// The states that the model may be in, the one with the best explanation first.
    live: Vec<Live>,
    /// All steps that were observed, in order.
    history: Vec<Observation>,
    /// How many steps of the history were taken; later ones are only looked at ahead.
    n_taken: usize,
    /// The first step that has no explanation; None if all steps so far have one.
    stuck: Option<Diagnosis>,
    /// The state with the best explanation before a step that nothing allows; None if there is none.
    nearest: Option<Live>,
    /// The first step in which a state that explains all before would break an assertion of the model with the inputs of the test:
    /// the model says nothing of what the system does from there on.
    outside: Option<usize>,
    /// What the current round left out, up to the first step that has no explanation.
    doubt: Doubt,
    /// The largest number of states that were followed at once.
    n_live_max: usize,
}

/// Which explanations are searched. If a limit kept all of them from being tried, those of a simpler
/// kind still count; how near the model comes without one is of no interest then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Draft {
    /// All explanations.
    No,
    /// Explanations that change at most one variable in a step.
    OneChange,
    /// Explanations that take the best change of each step at once.
    AtOnce,
}

/// A step of a way.
struct Node {
    /// The step before; None before the first step.
    parent: Option<usize>,
    /// Which steerable inputs were changed, by position, and to what.
    changes: Vec<(usize, Value)>,
}

/// A state that the model may be in.
#[derive(Clone)]
struct Live {
    node: usize,
    state: State,
    cost: Cost,
    n_steered: u32,
    /// In how many steps each steerable variable was changed that has a limit, and 0 of others; empty if none has one.
    counts: Vec<u32>,
    /// By how much each steerable variable was changed last; empty if no price depends on it.
    last: Vec<Option<Rational>>,
    /// The variable that was changed ahead of time, and by how much; None if the change shows.
    held: Held,
    /// In which direction each steerable number was changed; empty if both directions are allowed.
    directions: Vec<Ordering>,
}

impl<'o> Steerer<'o> {
    /// One that knows no test yet.
    #[must_use]
    pub fn new(oracle: &'o Oracle) -> Steerer<'o> {
        let comparison = Comparison::new(&oracle.machine);
        Steerer { oracle, searcher: Searcher::new(oracle), comparison }
    }

    /// Judges a recorded test.
    pub fn judge(&mut self, test: &[Observation]) -> Outcome {
        if self.oracle.opened.program.inputs().count() == self.oracle.program().inputs().count() {
            let outcome = self.judged(test);
            return self.seen_through(test, outcome);
        }
        let test: Vec<Observation> = test.iter().map(|it| self.padded(it.clone())).collect();
        let outcome = self.judged(&test);
        self.seen_through(&test, outcome)
    }

    /// The same with the inputs that change locals: a test has none.
    fn padded(&self, mut observation: Observation) -> Observation {
        let n_given = observation.inputs.len();
        let others = self.oracle.inputs.iter().skip(n_given);
        let vars = &self.oracle.opened.program.vars;
        observation.inputs.extend(others.map(|var| Value::zero(vars[*var].ty)));
        observation
    }

    /// The outcome with the variables that could show, if the test passes.
    fn seen_through(&mut self, test: &[Observation], mut outcome: Outcome) -> Outcome {
        if outcome.verdict.is_pass() {
            outcome.shows = self.shows(test);
        }
        outcome
    }

    fn judged(&mut self, test: &[Observation]) -> Outcome {
        self.searcher.effort = Effort::default();
        let before = self.before(test);
        if before.is_match() {
            return Outcome::unsteered(before);
        }
        let mut follower = self.follow();
        follower.history = test.to_vec();
        self.catch_up(&mut follower, 0);
        self.decide(follower, before)
    }

    /// The outcome of a test that was followed to its end.
    fn decide(&mut self, mut follower: Follower, before: Before) -> Outcome {
        self.name_rules(&mut follower);
        if follower.stuck.is_none() || !follower.doubt.has_limits() {
            return self.outcome(follower, before);
        }
        // Not everything was tried. What a simple explanation explains is explained.
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
                simple.doubt.add(&follower.doubt);
                return self.outcome(simple, before);
            }
        }
        if let Some(decided) = self.ask_of_all(&mut follower) {
            return self.outcome(decided, before);
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
            counts: vec![0; self.oracle.setup.policy.steps_of.len()],
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
            free_until: 0,
            bound: self.first_bound(),
            budget: self.oracle.setup.policy.cost_max,
            unheld: None,
            is_lifted: false,
            is_over: false,
            nodes: vec![Node { parent: None, changes: Vec::new() }],
            live: vec![start.clone()],
            start,
            history: Vec::new(),
            n_taken: 0,
            stuck: None,
            nearest: None,
            outside: None,
            doubt: Doubt::default(),
            n_live_max: 0,
        }
    }

    /// Ends a live test.
    pub fn finish(&mut self, mut follower: Follower) -> Outcome {
        self.catch_up(&mut follower, 0);
        let history = follower.history.clone();
        let before = self.before(&history);
        let outcome = match before.is_match() {
            true => Outcome::unsteered(before),
            false => self.decide(follower, before),
        };
        self.searcher.effort = Effort::default();
        self.seen_through(&history, outcome)
    }

    /// How the model does without steering.
    fn before(&mut self, test: &[Observation]) -> Before {
        let (oracle, comparison) = (self.oracle, &mut self.comparison);
        let compared = &oracle.setup.compared;
        let mut before = Before { first_mismatch: None, n_mismatches: 0, ..Before::default() };
        comparison.restart();
        for (step, Observation { inputs, system }) in test.iter().enumerate() {
            let inputs = oracle.inputs.iter().copied().zip(inputs.iter().copied());
            let target = oracle.compared_columns.iter();
            let target = target.filter_map(|column| system.get(*column).copied());
            let taken = comparison.step(inputs, compared.iter().copied().zip(target.clone()));
            let taken = match taken {
                Ok(taken) => taken,
                Err(failure) => {
                    let why = Why::Obstacle(Obstacle::Model(failure));
                    before.stopped = Some(Diagnosis { step, why });
                    break;
                }
            };
            let differs = |it: &Difference| {
                let at = compared.iter().position(|var| *var == it.var).unwrap_or_default();
                !oracle.setup.metric.scales[at].is_equal(it.expected, it.seen)
            };
            let has_differences = taken.differences.iter().any(differs);
            for at in &taken.violated {
                if !before.violated.iter().any(|(known, _)| known == at) {
                    before.violated.push((*at, step));
                }
            }
            // The conditions of tolerances come behind the assertions of the model.
            if taken.is_unassumed && comparison.is_unassumed(oracle.program().assertions.len()) {
                before.unassumed.get_or_insert(step);
            }
            if has_differences {
                let model: Vec<Value> = compared.iter().map(|it| comparison.value(*it)).collect();
                let target: Vec<Value> = target.collect();
                let by = oracle.setup.metric.dissimilarity(&model, &target);
                before.first_mismatch.get_or_insert(step);
                before.n_mismatches += 1;
                before.dissimilarity = exact::sum(before.dissimilarity, by);
            }
        }
        before
    }

    /// Observes a step, and takes those whose look-ahead was observed. Gives false if the system will
    /// fail, whatever it does.
    pub fn step(&mut self, follower: &mut Follower, observation: Observation) -> bool {
        let observation = self.padded(observation);
        follower.history.push(observation);
        let ahead = match follower.look_ahead {
            LookAhead::Steps(steps) => steps,
            LookAhead::All => 0,
        };
        self.catch_up(follower, ahead);
        !follower.doubt.verdict(follower.stuck.clone()).is_fail()
    }

    /// Takes all steps but the last ones.
    fn catch_up(&mut self, follower: &mut Follower, but: usize) {
        while follower.n_taken + but < follower.history.len() && !follower.is_decided(self.oracle) {
            self.take(follower);
            follower.n_taken += 1;
            if follower.stuck.is_some() && !follower.widen() {
                self.free(follower);
            }
        }
        if follower.n_taken == follower.history.len() && but == 0 {
            follower.drop_held();
            if follower.stuck.is_some() && (follower.widen() || self.free(follower)) {
                self.catch_up(follower, but);
            }
        }
    }

    /// Begins again where what was searched first has no explanation, without the rules that only keep changes few: up to the
    /// step that has none, each step may be changed in any way that is allowed. Gives whether it does.
    fn free(&self, follower: &mut Follower) -> bool {
        let Some(stuck) = &follower.stuck else { return false };
        let is_narrow = matches!(follower.look_ahead, LookAhead::Steps(steps) if steps > 0);
        let is_asked = self.oracle.setup.policy.unheld != Unheld::Nothing;
        let may = is_narrow && is_asked && follower.draft == Draft::No;
        if !may || stuck.step < follower.free_until || follower.doubt.has_limits() {
            return false;
        }
        follower.unheld.get_or_insert(stuck.step);
        // A test that goes on to need more is not searched once for each of its steps.
        follower.free_until = (stuck.step + 1).max(2 * follower.free_until);
        follower.bound = self.first_bound();
        follower.restart();
        true
    }

    /// The cost bound of the first round: that of a few of the smallest changes. None if a bound would
    /// save nothing.
    fn first_bound(&self) -> Option<Rational> {
        if !self.oracle.has_pieces() {
            return None;
        }
        let policy = &self.oracle.setup.policy;
        let least = policy.least_change()?;
        let is_ahead = self.oracle.setup.look_ahead != LookAhead::Steps(0);
        let few = exact::product(least, Rational::from_integer(FIRST_CHANGES));
        // What the budget does not allow need not be searched, and must not keep a verdict from being certain.
        is_ahead.then(|| policy.cost_max.map_or(few, |most| few.min(most)))
    }
}

impl Follower {
    /// Whether no further step can change the verdict, and the policy does not ask for more.
    fn is_decided(&self, oracle: &Oracle) -> bool {
        self.live.is_empty() || (self.stuck.is_some() && !oracle.setup.policy.goes_on)
    }

    /// Whether a round with a larger cost bound makes sense: there is a bound, the budget allows more
    /// than it, and no limit was reached (a larger bound would only give more to try).
    fn may_widen(&self) -> bool {
        let is_spent = self.budget.is_some_and(|most| self.bound.is_none_or(|it| it >= most));
        self.bound.is_some() && !is_spent && !self.doubt.has_limits()
    }

    /// Begins the next round, if the cost bound of this one left something out. Gives whether it did.
    fn widen(&mut self) -> bool {
        if !self.doubt.is_cost_bounded() || !self.may_widen() {
            return false;
        }
        self.bound = self.bound.and_then(|it| {
            let wider = exact::product(it, Rational::from_integer(WIDER));
            let wider = self.budget.map_or(wider, |most| wider.min(most));
            (wider > it).then_some(wider)
        });
        self.restart();
        true
    }

    /// Forgets what was found.
    fn restart(&mut self) {
        self.doubt = Doubt::default();
        self.nodes.truncate(1);
        self.live = vec![self.start.clone()];
        self.n_taken = 0;
        self.stuck = None;
        self.nearest = None;
        self.outside = None;
        self.is_over = false;
    }

    /// The first step that has no explanation; None if all steps that were taken have one.
    #[must_use]
    pub fn stuck(&self) -> Option<&Diagnosis> {
        self.stuck.as_ref()
    }

    /// Drops the states in which a change is held at the end of a test: it never showed.
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
