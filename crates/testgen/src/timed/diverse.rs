//! Suites that are as diverse as a budget allows (section VIII of the TAUC paper).
//!
//! A new run is made of one that is there: cut at a point, and completed with steps that are possible, by chance, to
//! its old length. It replaces the run whose replacement gives the lowest mean similarity of all pairs, if that is lower
//! than it is now and nothing that is to be covered is lost.
//!
//! **Invariant:** the mean similarity never rises, and coverage never falls.

use std::collections::{BTreeMap, BTreeSet};

use punctual_smc::Stream;

use super::goal::{Goal, covered};
use super::lanes::{Lanes, Workspace};
use super::refused::Refused;
use super::similarity::{Sequence, Similarity};
use super::walk::{Run, Wait, Walk};
use super::world::World;
use crate::random::below;

/// A suite while it gets more diverse.
pub struct Diverse<'w> {
    world: &'w World<'w>,
    wait: Wait,
    similarity: Similarity,
    members: Vec<Member>,
    /// The sequences of the members, in their order.
    lanes: Lanes,
    /// The similarity of each member with each of those before it.
    pairs: Vec<Vec<i32>>,
    /// The sum of the similarities of each member with all others.
    sums: Vec<i64>,
    /// The sum over all pairs, each once.
    total: i64,
    /// What must stay covered, and by how many members it is.
    counts: BTreeMap<Goal, usize>,
    /// The time that the members may take together; none if it does not matter.
    room: Option<Room>,
    /// The time that they take, in points of the grid.
    duration: i64,
    walk: Option<Walk<'w>>,
    refused: Option<Refused<'w>>,
    work: Workspace,
}

/// The time that runs may take together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// The time of all runs and their resets, in points of the grid.
    pub all: i64,
    /// The time of a reset before each run, in points of the grid.
    pub reset: i64,
}

struct Member {
    run: Run,
    covers: BTreeSet<Goal>,
}

impl<'w> Diverse<'w> {
    /// A suite of these runs, whose coverage of some goals must not get lost.
    #[must_use]
    pub fn new(
        world: &'w World<'w>,
        wait: Wait,
        runs: Vec<Run>,
        goals: &BTreeSet<Goal>,
        room: Option<Room>,
    ) -> Diverse<'w> {
        let mut suite = Diverse {
            world,
            wait,
            similarity: Similarity::new(world),
            members: Vec::new(),
            lanes: Lanes::default(),
            pairs: Vec::new(),
            sums: Vec::new(),
            total: 0,
            counts: goals.iter().map(|goal| (*goal, 0)).collect(),
            room,
            duration: 0,
            walk: None,
            refused: Refused::of(world),
            work: Workspace::default(),
        };
        for run in runs {
            let (member, sequence) = suite.member(run);
            suite.add(member, sequence);
        }
        suite
    }

    /// How many runs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are no runs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The runs.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        self.members.iter().map(|member| &member.run)
    }

    /// The runs, when nothing more is to be done with them.
    #[must_use]
    pub fn into_runs(self) -> Vec<Run> {
        self.members.into_iter().map(|member| member.run).collect()
    }

    /// The mean similarity of all pairs, in the numbers of the paper; 0 if there is no pair.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let n = self.members.len();
        let n_pairs = n * n.saturating_sub(1) / 2;
        if n_pairs == 0 { 0.0 } else { self.similarity.score(self.total) / n_pairs as f64 }
    }

    /// Adds a run that is made of another one; false if none was found.
    pub fn grow(&mut self, chance: &mut Stream) -> bool {
        match self.mutated(chance) {
            Some((member, sequence)) if self.fits(1, member.run.end()) => {
                self.add(member, sequence);
                true
            }
            _ => false,
        }
    }

    /// Makes a new run, and lets it replace another one if that makes the suite more diverse. Says whether it did.
    pub fn improve(&mut self, chance: &mut Stream) -> bool {
        let Some((new, sequence)) = self.mutated(chance) else { return false };
        let similar = self.lanes.similar(&self.similarity, &sequence, &mut self.work);
        let all: i64 = similar.iter().map(|it| i64::from(*it)).sum();
        let change = |at: usize| all - i64::from(similar[at]) - self.sums[at];
        let keeps = |at: usize| {
            if !self.fits(0, new.run.end() - self.members[at].run.end()) {
                return false;
            }
            let lost = |goal: &Goal| self.counts[goal] == 1 && !new.covers.contains(goal);
            !self.members[at].covers.iter().any(lost)
        };
        let best = (0..self.members.len()).filter(|at| keeps(*at)).min_by_key(|at| change(*at));
        let Some(at) = best.filter(|at| change(*at) < 0) else { return false };
        self.total += change(at);
        self.sums[at] = all - i64::from(similar[at]);
        for (other, similar) in similar.iter().enumerate().filter(|(other, _)| *other != at) {
            let pair = &mut self.pairs[at.max(other)][at.min(other)];
            self.sums[other] += i64::from(*similar) - i64::from(*pair);
            *pair = *similar;
        }
        for goal in &new.covers {
            *self.counts.entry(*goal).or_default() += 1;
        }
        for goal in &self.members[at].covers {
            *self.counts.entry(*goal).or_default() -= 1;
        }
        self.duration += new.run.end() - self.members[at].run.end();
        self.members[at] = new;
        self.lanes.set(at, sequence);
        true
    }

    /// Whether there is room for so many more runs that take so much longer.
    fn fits(&self, n_more: usize, longer: i64) -> bool {
        let n = (self.members.len() + n_more) as i64;
        // What covers may need more than there is room for; it need not get worse.
        longer <= 0 && n_more == 0
            || self.room.is_none_or(|room| self.duration + longer + n * room.reset <= room.all)
    }

    /// A run that begins as another one and goes on by chance.
    fn mutated(&mut self, chance: &mut Stream) -> Option<(Member, Sequence)> {
        let parent = &self.members.get(below(chance, self.members.len().max(1)))?.run;
        let length = parent.steps.len();
        let cut = below(chance, length.max(1));
        let mut run = Run { start: parent.start.clone(), steps: parent.steps[..cut].to_vec() };
        let walk = match &mut self.walk {
            Some(walk) => walk,
            none => none.insert(Walk::new(self.world, run.last())?),
        };
        extend(walk, &mut run, length, self.wait, chance);
        // Nothing can be checked behind an input that may be refused.
        if let Some(refused) = &mut self.refused {
            run = refused.sure(&run);
        }
        Some(self.member(run))
    }

    fn member(&mut self, run: Run) -> (Member, Sequence) {
        let sequence = self.similarity.sequence(self.world, &run);
        let seen = covered(&self.world.network, &run);
        let covers = seen.goals().filter(|goal| self.counts.contains_key(goal)).collect();
        (Member { run, covers }, sequence)
    }

    fn add(&mut self, member: Member, sequence: Sequence) {
        let similar = self.lanes.similar(&self.similarity, &sequence, &mut self.work);
        self.lanes.push(sequence);
        let sum = similar.iter().map(|it| i64::from(*it)).sum();
        self.total += sum;
        for (others, similar) in self.sums.iter_mut().zip(&similar) {
            *others += i64::from(*similar);
        }
        self.sums.push(sum);
        self.pairs.push(similar);
        for goal in &member.covers {
            *self.counts.entry(*goal).or_default() += 1;
        }
        self.duration += member.run.end();
        self.members.push(member);
    }
}

/// Continues a run by chance until it has so many steps, or nothing more can happen at whole instants.
fn extend(walk: &mut Walk<'_>, run: &mut Run, length: usize, wait: Wait, chance: &mut Stream) {
    while run.steps.len() < length && walk.restart(run.last(), run.end()) {
        let Some(taken) = walk.wander(run, wait, chance) else { break };
        run.steps.push(taken);
    }
}

/// A run from the start of the model, by chance.
#[must_use]
pub fn random(world: &World<'_>, length: usize, wait: Wait, chance: &mut Stream) -> Option<Run> {
    let mut run = Run::new(world.start());
    let mut walk = Walk::new(world, run.last())?;
    extend(&mut walk, &mut run, length, wait, chance);
    match Refused::of(world) {
        Some(mut refused) => Some(refused.sure(&run)),
        None => Some(run),
    }
}
