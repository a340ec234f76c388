//! Suites that cover goals.
//!
//! A run is continued to the nearest goal that is left, process by process, until it is as long as runs may be; then a
//! new one begins. In the end, runs whose goals others cover are dropped.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::ProcessId;

use super::goal::{Goal, Seen, covered};
use super::reach::{Found, Limits, Target, extend};
use super::refused::Refused;
use super::walk::{Run, Wait};
use super::world::World;
use crate::smallest::smallest;

/// What is known of a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// Some run of the suite covers it: the first one with this number.
    Covered(usize),
    /// No run of the model covers it.
    Unreachable,
    /// Nothing is known, for this reason.
    Undecided(String),
}

impl Status {
    /// What is known of a goal that a run goes to only behind an input that the system may refuse.
    pub(super) fn unsure() -> Status {
        let why = "a case goes there, but behind an input that the system may not take then";
        Status::Undecided(why.to_owned())
    }
}

/// How far the search for a covering suite is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// How many goals are covered.
    pub n_covered: usize,
    /// How many goals there are.
    pub n_goals: usize,
    /// How many runs there are.
    pub n_runs: usize,
}

/// Runs that cover goals, and what is known of each goal.
#[derive(Clone, Debug)]
pub struct Covering {
    /// The runs.
    pub runs: Vec<Run>,
    /// The goals, each with what is known of it.
    pub goals: Vec<(Goal, Status)>,
}

/// Covers goals.
pub fn cover(
    world: &World<'_>,
    goals: &[Goal],
    limits: Limits,
    wait: Wait,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Covering {
    let mut left: BTreeMap<ProcessId, Vec<Goal>> = BTreeMap::new();
    for goal in goals {
        left.entry(goal.process()).or_default().push(*goal);
    }
    let mut covering = Search {
        world,
        limits,
        wait,
        left,
        one_by_one: BTreeSet::new(),
        n_goals: goals.len(),
        runs: Vec::new(),
        unreached: BTreeMap::new(),
        refused: Refused::of(world),
        unsure: BTreeSet::new(),
        is_stopped: false,
    };
    covering.search(progress);
    covering.finish(goals)
}

struct Search<'c> {
    world: &'c World<'c>,
    limits: Limits,
    wait: Wait,
    /// The goals that are not covered yet and may be.
    left: BTreeMap<ProcessId, Vec<Goal>>,
    /// The processes whose goals are looked for one by one.
    one_by_one: BTreeSet<ProcessId>,
    n_goals: usize,
    runs: Vec<Run>,
    /// The goals that are not covered, and why.
    unreached: BTreeMap<Goal, Status>,
    /// Notices inputs that a right system may refuse; none if nothing is ever refused.
    refused: Option<Refused<'c>>,
    /// The goals that are covered behind such an input.
    unsure: BTreeSet<Goal>,
    is_stopped: bool,
}

impl Search<'_> {
    fn search(&mut self, progress: &mut dyn FnMut(Progress) -> bool) {
        let mut run = Run::new(self.world.start());
        self.see(&run, &[]);
        while let Some((process, goals)) = self.next() {
            let n_covered = self.n_goals - self.left.values().map(Vec::len).sum::<usize>();
            let told = Progress { n_covered, n_goals: self.n_goals, n_runs: self.runs.len() };
            if self.is_stopped || !progress(told) {
                self.give_up("the user stopped the search");
                break;
            }
            let mut stops = || !progress(told);
            let (limits, wait) = (self.limits, self.wait);
            let target = Target::Goals(&goals);
            match extend(self.world, &run, target, limits, wait, &mut stops) {
                Found::Run(longer)
                    if longer.steps.len() <= limits.length || run.steps.is_empty() =>
                {
                    run = longer;
                    let n_left = self.left.get(&process).map(Vec::len);
                    let is_sure = self.see(&run, &goals);
                    if self.left.get(&process).map(Vec::len) == n_left {
                        self.part(process, &goals, "takes the path of a slice at other instants");
                    }
                    // Nothing can be checked behind an input that may be refused, so other goals are looked for in other runs.
                    if !is_sure {
                        self.end(&mut run);
                    }
                }
                // It would be too long, or can not be reached from here: it is looked for from the start.
                _ if !run.steps.is_empty() => self.end(&mut run),
                Found::Run(_) => unreachable!("a run that was continued is taken, or ends"),
                Found::Unreachable => self.close(process, &goals, &Status::Unreachable),
                Found::Undecided(why) => self.close(process, &goals, &Status::Undecided(why)),
                Found::Astray => self.part(process, &goals, "can not follow the path of a slice"),
            }
        }
        // What holds at the start is covered by any run, if there is one.
        if !run.steps.is_empty() || self.runs.is_empty() {
            self.runs.push(run);
        }
    }

    /// The goals of the next process that has any, or one of them if they are looked for one by one.
    fn next(&self) -> Option<(ProcessId, Vec<Goal>)> {
        let mut left = self.left.iter().filter(|(_, goals)| !goals.is_empty());
        let (process, goals) = left.next()?;
        let n = if self.one_by_one.contains(process) { 1 } else { goals.len() };
        Some((*process, goals[..n].to_vec()))
    }

    /// The path to the nearest goal is of no use in the whole model. The goals of the process are looked for one by one from
    /// now on: another one may be reached.
    fn part(&mut self, process: ProcessId, goals: &[Goal], why: &str) {
        if let [_] = goals {
            let status = Status::Undecided(format!("the whole model {why}"));
            return self.close(process, goals, &status);
        }
        self.one_by_one.insert(process);
    }

    /// Takes out what a run covers. False if it has an input that a right system may refuse; those that it was looked for and covers behind
    /// that are noted, and not looked for any more, since the next search would find the same.
    fn see(&mut self, run: &Run, targets: &[Goal]) -> bool {
        let (sure, all) = self.covered(run);
        let unsure = &mut self.unsure;
        for goals in self.left.values_mut() {
            goals.retain(|goal| {
                let is_target = !sure.has(*goal) && targets.contains(goal);
                let is_unsure = is_target && all.as_ref().is_some_and(|it| it.has(*goal));
                unsure.extend(is_unsure.then_some(*goal));
                !sure.has(*goal) && !is_unsure
            });
        }
        all.is_none()
    }

    /// What a run covers before an input that may be refused, and what it covers at all if it has one.
    fn covered(&mut self, run: &Run) -> (Seen, Option<Seen>) {
        let network = &self.world.network;
        let sure = match &mut self.refused {
            Some(refused) => refused.sure(run),
            None => return (covered(network, run), None),
        };
        let all = (sure.steps.len() < run.steps.len()).then(|| covered(network, run));
        (covered(network, &sure), all)
    }

    fn end(&mut self, run: &mut Run) {
        let start = Run::new(self.world.start());
        self.runs.push(std::mem::replace(run, start));
    }

    fn close(&mut self, process: ProcessId, goals: &[Goal], status: &Status) {
        if let Some(left) = self.left.get_mut(&process) {
            left.retain(|goal| !goals.contains(goal));
        }
        self.unreached.extend(goals.iter().map(|goal| (*goal, status.clone())));
    }

    fn give_up(&mut self, why: &str) {
        for (process, goals) in self.left.clone() {
            self.close(process, &goals, &Status::Undecided(why.to_owned()));
        }
    }

    fn finish(mut self, goals: &[Goal]) -> Covering {
        let runs = std::mem::take(&mut self.runs);
        let seen: Vec<_> = runs.iter().map(|run| self.covered(run)).collect();
        let is_sure = |goal: Goal| seen.iter().any(|(sure, _)| sure.has(goal));
        let covers: Vec<Vec<usize>> = (seen.iter())
            .map(|(sure, all)| {
                let may = |goal| all.as_ref().is_some_and(|it| it.has(goal)) && !is_sure(goal);
                let has = |at: &usize| sure.has(goals[*at]) || may(goals[*at]);
                (0..goals.len()).filter(has).collect()
            })
            .collect();
        let kept = smallest(&covers, goals.len());
        let status = |(at, goal): (usize, &Goal)| {
            let run = kept.iter().position(|run| covers[*run].contains(&at));
            let run = run.filter(|_| is_sure(*goal));
            let unsure = || self.unsure.contains(goal).then(Status::unsure);
            let unreached = || self.unreached.get(goal).cloned();
            let status = run.map(Status::Covered).or_else(unsure).or_else(unreached);
            // A run that can not be followed again, because the user wants no more, is not known to cover what it was made for.
            let stopped = || Status::Undecided("the search was stopped".to_owned());
            (*goal, status.unwrap_or_else(stopped))
        };
        let goals = goals.iter().enumerate().map(status).collect();
        let kept = |(at, run)| kept.contains(&at).then_some(run);
        Covering { runs: runs.into_iter().enumerate().filter_map(kept).collect(), goals }
    }
}
