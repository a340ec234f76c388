//! Choice that aims at edges which nobody went through yet, and chance where there is nothing to aim at.
//!
//! In this order:
//! 1. A plan that was made is followed, as long as the system does its part.
//! 2. An input that leads to a new edge at once is sent, at the first instant at which it does: zones say when, and each
//!    value is tried in the model, not on the system. The earliest comes first, since it costs least time.
//! 3. On the virtual clock, a way to a new edge is searched through the model ([`Aims`]). It is the nearest of a
//!    process, which process is up to chance.
//! 4. Otherwise chance decides, as [`Random`] does.
//!
//! A plan has the first instants at which it is possible. At those the system often may do something else, too; so every
//! second plan to edges of one process is tried at later instants.
//!
//! What was tried in vain, since the system went elsewhere, is left alone for a while, each time for twice as long. So
//! aiming takes a share of the decisions that becomes ever smaller, and chance keeps the rest: what chance finds, this
//! finds as well.
//!
//! On the real clock nothing is searched, as time would pass meanwhile.

use std::collections::BTreeMap;

use punctual_model::{Direction, Event, Happening, ProcessId};
use punctual_smc::Stream;

use crate::aim::{Aims, Plan};
use crate::lessons::Lessons;
use crate::random::{Random, RandomOptions, below, within};
use crate::situation::{Candidate, Decision, Lead, Situation, Strategy};
use crate::timed::Goal;

/// For how many decisions something is left alone after it was tried in vain for the first time.
const REST: u64 = 8;
/// How often a plan may wait for one output.
const WAITS_MAX: u32 = 2;
/// How many processes are searched for before one decision, at most.
const SEARCHES_MAX: usize = 2;
/// How many plans to edges of one process are made in a row, if none of them leads to a new edge.
const PLANS_MAX: u32 = 4;
/// How often a plan is made anew because the system did its part at another instant, until it counts as one more.
const DETOURS_MAX: u32 = 16;

/// Aims at what is new.
pub struct Guided<'a> {
    /// Decides where there is nothing to aim at.
    otherwise: Random,
    /// For what aiming leaves open. It has chance of its own, so that aiming does not change what chance does later.
    chance: Stream,
    aims: Option<&'a Aims<'a>>,
    lessons: Lessons,
    n_decisions: u64,
    plan: Option<Plan>,
    /// How often the plan has waited for its next output.
    n_waits: u32,
    /// Whether the plan is tried at later instants than it says.
    is_late: bool,
    /// Whether the last decision was a step of the plan, and then whether it was later than the plan says.
    planned: Option<bool>,
    /// The edges that may be new; those that are not are taken out now and then.
    left: Vec<Goal>,
    edges: BTreeMap<Goal, Tried>,
    pursuits: BTreeMap<ProcessId, Pursuit>,
    /// The process of a plan that is void only because something was done at another instant.
    underway: Option<ProcessId>,
}

/// The plans to edges of a process.
#[derive(Clone, Copy, Debug, Default)]
struct Pursuit {
    tried: Tried,
    /// How many edges were left when it was last tried.
    n_left: usize,
    n_plans: u32,
    n_detours: u32,
}

/// What was tried in vain.
#[derive(Clone, Copy, Debug, Default)]
struct Tried {
    /// How often.
    times: u32,
    /// Until which decision it is left alone.
    until: u64,
}

impl Tried {
    fn again(&mut self, now: u64) {
        self.until = now + (REST << self.times.min(40));
        self.times += 1;
    }
}

impl<'a> Guided<'a> {
    /// The choices of one run of a seed, without a model to aim through: only what one input leads to at once.
    #[must_use]
    pub fn new(seed: u64, run: u64) -> Guided<'a> {
        Guided {
            otherwise: Random::new(seed, run, RandomOptions::default()),
            chance: Stream::of_run(seed ^ 0x5EED_0A1A, run),
            aims: None,
            lessons: Lessons::default(),
            n_decisions: 0,
            plan: None,
            n_waits: 0,
            is_late: false,
            planned: None,
            left: Vec::new(),
            edges: BTreeMap::new(),
            pursuits: BTreeMap::new(),
            underway: None,
        }
    }

    /// The same, aiming through a model.
    #[must_use]
    pub fn aiming(mut self, aims: &'a Aims<'a>) -> Guided<'a> {
        let network = &aims.specification().network;
        for (process, it) in network.processes.enumerate() {
            self.left.extend(it.edges.ids().map(|edge| Goal::Edge(process, edge)));
        }
        self.aims = Some(aims);
        self
    }

    /// The same, after other runs: what they covered is not new, and what they did not is tried less often.
    #[must_use]
    pub fn after(mut self, lessons: Lessons) -> Guided<'a> {
        self.lessons = lessons;
        self
    }

    fn is_new(&self, situation: &Situation<'_>, goal: Goal) -> bool {
        let Goal::Edge(process, edge) = goal else { return false };
        situation.covered.seen(process, edge).times == 0 && !self.lessons.has_seen(process, edge)
    }

    fn tried(&self, goal: Goal) -> Tried {
        // Each time that the runs became twice as many, and it was not covered, it was tried in vain.
        let before = (u64::BITS - self.lessons.n_runs().leading_zeros()).saturating_sub(1);
        let until = if before > 0 { REST << before.min(40) } else { 0 };
        self.edges.get(&goal).copied().unwrap_or(Tried { times: before, until })
    }

    /// An input that leads to a new edge at once, the earliest first.
    fn at_hand(&mut self, situation: &Situation<'_>) -> Option<Decision> {
        let mut best: Vec<(usize, i64)> = Vec::new();
        for (number, candidate) in situation.candidates.iter().enumerate() {
            let (from, to) = situation.window(candidate);
            if candidate.from > situation.patience() {
                continue;
            }
            for lead in &candidate.leads {
                let at = lead.from.max(from);
                let first = best.first().map_or(i64::MAX, |(_, at)| *at);
                if at > to.min(lead.to) || at > first || best.last() == Some(&(number, at)) {
                    continue;
                }
                let goal = Goal::Edge(lead.process, lead.edge);
                if !self.is_new(situation, goal) || self.tried(goal).until > self.n_decisions {
                    continue;
                }
                if at < first {
                    best.clear();
                }
                best.push((number, at));
            }
        }
        let &(candidate, at) = best.get(below(&mut self.chance, best.len().max(1)))?;
        for goal in goals_at(&situation.candidates[candidate], at) {
            if self.is_new(situation, goal) {
                let mut tried = self.tried(goal);
                tried.again(self.n_decisions);
                self.edges.insert(goal, tried);
            }
        }
        Some(Decision::Send { candidate, at })
    }

    /// What the plan says to do next; none if it is over, or void.
    fn follow(&mut self, situation: &Situation<'_>) -> Option<Decision> {
        let plan = self.plan.as_ref()?;
        let Some(step) = plan.steps.front() else {
            // What is left happens unseen, in its time.
            let until = plan.until.min(situation.patience());
            return (until > situation.now).then_some(Decision::Wait { until });
        };
        let at = step.at.max(situation.now);
        let Some(values) = &step.values else {
            // The system decides when it sends an output.
            let must_send = situation.deadline.is_some_and(|end| end <= situation.now);
            if must_send || self.n_waits >= WAITS_MAX {
                return None;
            }
            self.n_waits += 1;
            return Some(Decision::Wait { until: situation.patience().max(situation.now + 1) });
        };
        let is_it = |candidate: &Candidate| {
            let (from, to) = situation.window(candidate);
            let same = candidate.action.values.iter().map(|it| it.as_slot());
            candidate.action.signal == step.signal
                && (from..=to).contains(&at)
                && same.eq(values.iter().map(|it| Some(*it)))
        };
        let candidate = situation.candidates.iter().position(is_it)?;
        let (_, to) = situation.window(&situation.candidates[candidate]);
        let later = if self.is_late { within(&mut self.chance, at, to) } else { at };
        self.planned = Some(later > at);
        Some(Decision::Send { candidate, at: later })
    }

    /// Looks for a way to something new.
    fn search(&mut self, situation: &Situation<'_>) {
        let Some(aims) = self.aims else { return };
        let mut left = std::mem::take(&mut self.left);
        left.retain(|goal| self.is_new(situation, *goal));
        self.left = left;
        for _ in 0..SEARCHES_MAX {
            let mut open: Vec<ProcessId> = self.left.iter().map(|goal| goal.process()).collect();
            open.dedup();
            open.retain(|process| !self.rests(*process));
            if open.is_empty() {
                return;
            }
            let any = open[below(&mut self.chance, open.len())];
            let underway = self.underway.take().filter(|process| open.contains(process));
            let process = underway.unwrap_or(any);
            let of = self.left.iter().filter(|goal| goal.process() == process);
            let goals: Vec<Goal> = of.copied().collect();
            if !self.pursue(process, goals.len(), underway.is_some()) {
                continue;
            }
            let from = (situation.stands, situation.now);
            let plan = aims.plan(from, (process, &goals), &mut self.chance);
            self.plan = plan.filter(|plan| !plan.steps.is_empty() || plan.until > situation.now);
            self.n_waits = 0;
            if self.plan.is_some() {
                return;
            }
            self.give_up(process);
        }
    }

    /// Whether a plan to edges of a process is made.
    fn pursue(&mut self, process: ProcessId, n_left: usize, is_detour: bool) -> bool {
        let pursuit = self.pursuits.entry(process).or_default();
        if n_left != pursuit.n_left {
            *pursuit = Pursuit { n_left, ..Pursuit::default() };
        }
        match is_detour && pursuit.n_detours < DETOURS_MAX {
            true => pursuit.n_detours += 1,
            false => (pursuit.n_plans, pursuit.n_detours) = (pursuit.n_plans + 1, 0),
        }
        self.is_late = pursuit.n_plans.is_multiple_of(2);
        if pursuit.n_plans > PLANS_MAX {
            self.give_up(process);
            return false;
        }
        true
    }

    fn rests(&self, process: ProcessId) -> bool {
        self.pursuits.get(&process).is_some_and(|it| it.tried.until > self.n_decisions)
    }

    fn give_up(&mut self, process: ProcessId) {
        let pursuit = self.pursuits.entry(process).or_default();
        pursuit.tried.again(self.n_decisions);
        (pursuit.n_plans, pursuit.n_detours) = (0, 0);
    }
}

/// The edges that a candidate leads through at a point.
fn goals_at(candidate: &Candidate, at: i64) -> impl Iterator<Item = Goal> + '_ {
    let leads = candidate.leads.iter().filter(move |it| (it.from..=it.to).contains(&at));
    leads.map(|it: &Lead| Goal::Edge(it.process, it.edge))
}

impl Strategy for Guided<'_> {
    fn looks_ahead(&self) -> bool {
        self.plan.is_none() && (self.aims.is_none() || !self.left.is_empty())
    }

    fn asks_where(&self) -> bool {
        self.plan.is_none() && self.left.iter().any(|goal| !self.rests(goal.process()))
    }

    fn decide(&mut self, situation: &Situation<'_>) -> Decision {
        self.n_decisions += 1;
        self.planned = None;
        if let Some(decision) = self.follow(situation) {
            return decision;
        }
        self.plan = None;
        if let Some(decision) = self.at_hand(situation) {
            return decision;
        }
        if situation.is_still && !situation.stands.is_empty() {
            self.search(situation);
            if let Some(decision) = self.follow(situation) {
                return decision;
            }
            self.plan = None;
        }
        self.otherwise.decide(situation)
    }

    fn sent(&mut self) {
        match (self.planned.take(), &mut self.plan) {
            (Some(false), Some(plan)) => {
                plan.steps.pop_front();
            }
            // What comes next is another plan's.
            (Some(true), Some(plan)) => {
                self.underway = Some(plan.process);
                self.plan = None;
            }
            _ => {}
        }
    }

    fn heard(&mut self, event: &Event) {
        let Happening::Signal(action) = &event.what else { return };
        let (Some(aims), Some(plan)) = (self.aims, &mut self.plan) else { return };
        let specification = aims.specification();
        if specification.interface().signals[action.signal].direction == Direction::Input {
            return;
        }
        let at = specification.instants.begin(event.from_ns).at;
        let next = plan.steps.front();
        let next = next.filter(|it| it.values.is_none() && it.signal == action.signal);
        match next.map(|it| it.at == at) {
            Some(true) => {
                plan.steps.pop_front();
                self.n_waits = 0;
            }
            // Another one is made from where this has led to.
            Some(false) => self.underway = self.plan.take().map(|plan| plan.process),
            None => self.plan = None,
        }
    }
}
