//! Cases that find mutants which a suite does not find.
//!
//! A run is continued by the shortest way to tell one more mutant from the specification, again and again, until it is
//! as long as runs may be; then a new one begins. What a case finds is known exactly
//! ([`Bench::outcome`](super::decide::Bench::outcome)), so a mutant is left only if no case for it was found.

use std::collections::BTreeMap;

use punctual_model::testing::suite::{About, Do};
use punctual_model::{ProcessId, SignalId};
use punctual_semantics::estimate::Estimator;

use super::decide::{Bench, Limits, Outcome, Seen};
use crate::timed::{Deriver, Kind, Requirements, Run, Walk, World};

/// A run is full when so many mutants in turn would make it too long.
const TOO_LONG_MAX: usize = 3;

/// A mutant that is to be found.
pub struct Victim {
    /// The process that is mutated.
    pub process: ProcessId,
    /// Follows the mutant ([`Bench::mutated`]).
    pub mutated: Estimator,
}

/// How far the search is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// How many mutants are found.
    pub n_found: usize,
    /// How many are to be found.
    pub of: usize,
    /// How many runs there are.
    pub n_runs: usize,
}

/// A case, and the run that it was made of.
pub struct Found {
    /// The run.
    pub run: Run,
    /// What the case does.
    pub parts: Vec<Do>,
    /// What it is about.
    pub about: About,
    /// The positions of the victims that it finds and earlier ones do not.
    pub victims: Vec<usize>,
}

/// Makes cases that find mutants.
pub struct Killer<'k, 'w> {
    /// The model.
    pub world: &'w World<'w>,
    /// Makes cases of runs.
    pub deriver: &'k mut Deriver<'w>,
    /// The component of each process.
    pub benches: &'k BTreeMap<ProcessId, Bench<'w>>,
    /// How far one search goes.
    pub limits: Limits,
    /// How many steps a run has, at most.
    pub length: usize,
    /// Says which requirement an edge stands for.
    pub requirements: &'k Requirements<'k>,
}

impl Killer<'_, '_> {
    /// Finds as many victims as possible, with few cases. `progress` is asked again and again whether to go on.
    pub fn kill(
        &mut self,
        victims: &[Victim],
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Vec<Found> {
        let mut left: Vec<usize> = (0..victims.len()).collect();
        let mut found: Vec<Found> = Vec::new();
        loop {
            let before = (victims.len() - left.len(), found.len());
            let mut told = |left: &[usize]| {
                let n_found = victims.len() - left.len();
                progress(Progress { n_found, of: victims.len(), n_runs: before.1 })
            };
            match self.run(victims, &mut left, &mut told) {
                Some(next) => found.push(next),
                None => return found,
            }
        }
    }

    /// One run that finds as many of those that are left as it has room for; none if it finds none.
    fn run(
        &mut self,
        victims: &[Victim],
        left: &mut Vec<usize>,
        progress: &mut dyn FnMut(&[usize]) -> bool,
    ) -> Option<Found> {
        let mut best: Option<Found> = None;
        let mut given: Vec<(i64, SignalId, Vec<i32>)> = Vec::new();
        let mut waiting = left.clone();
        let mut all = Vec::new();
        let mut n_too_long = 0;
        let mut from = 0;
        let mut reads: Vec<(i64, ProcessId)> = Vec::new();
        while let Some(at) = (!waiting.is_empty()).then(|| waiting.remove(0)) {
            if !progress(left) {
                break;
            }
            let victim = &victims[at];
            let Some(bench) = self.benches.get(&victim.process) else { continue };
            let doubled: Vec<_> =
                given.iter().map(|(at, id, it)| (2 * at, *id, it.clone())).collect();
            let Some(evidence) = bench.telling(&victim.mutated, &doubled, 2 * from, self.limits)
            else {
                continue;
            };
            let mut longer = given.clone();
            let up = |half: i64| half.div_euclid(2) + half.rem_euclid(2);
            let mut also = reads.clone();
            let mut end = longer.last().map_or(0, |(at, ..)| *at);
            for step in &evidence.steps {
                end = end.max(up(step.at));
                match &step.what {
                    Seen::Input(signal, values) => {
                        longer.push((up(step.at), *signal, values.clone()))
                    }
                    _ => also.push((up(step.at), victim.process)),
                }
            }
            let Some(run) = follow(self.world, &longer, end + 1) else { continue };
            if run.steps.len() > self.length && best.is_some() {
                n_too_long += 1;
                if n_too_long == TOO_LONG_MAX {
                    break;
                }
                continue;
            }
            let Ok((parts, about)) = self.deriver.case_reading(&run, &also, self.requirements)
            else {
                continue;
            };
            let finds = |it: &usize| {
                let bench = self.benches.get(&victims[*it].process);
                bench.is_some_and(|bench| {
                    bench.outcome_of(&victims[*it].mutated, &parts) >= Outcome::May
                })
            };
            if !finds(&at) {
                continue;
            }
            let (now, rest): (Vec<usize>, Vec<usize>) = left.iter().partition(|it| finds(it));
            all.extend(now);
            *left = rest;
            waiting.retain(|it| left.contains(it));
            (given, reads, from) = (longer, also, end);
            best = Some(Found { run, parts, about, victims: Vec::new() });
        }
        // What an earlier form of the case found is found by its last form, or is left.
        let mut found = best?;
        let finds = |it: &usize| {
            let bench = self.benches.get(&victims[*it].process);
            bench.is_some_and(|bench| {
                bench.outcome_of(&victims[*it].mutated, &found.parts) >= Outcome::May
            })
        };
        let (now, lost): (Vec<usize>, Vec<usize>) = all.into_iter().partition(|it| finds(it));
        left.extend(lost);
        left.sort_unstable();
        found.victims = now;
        (!found.victims.is_empty()).then_some(found)
    }
}

/// The run of the model in which these inputs are sent, and the system does everything as late as it may.
#[must_use]
pub fn follow(world: &World<'_>, inputs: &[(i64, SignalId, Vec<i32>)], end: i64) -> Option<Run> {
    let mut run = Run::new(world.start());
    let mut walk = Walk::new(world, run.last())?;
    let mut late = |run: &mut Run, until: i64| -> Option<()> {
        loop {
            if !walk.restart(run.last(), run.end()) {
                return None;
            }
            match walk.forced(run).filter(|taken| taken.at < until) {
                Some(taken) => run.steps.push(taken),
                None => return Some(()),
            }
        }
    };
    for (at, signal, values) in inputs {
        late(&mut run, *at)?;
        let mut walk = Walk::new(world, run.last())?;
        if !walk.restart(run.last(), run.end()) {
            return None;
        }
        run.steps.push(walk.input(*signal, values, *at)?);
    }
    late(&mut run, end)?;
    debug_assert!(run.steps.iter().all(|step| step.kind != Kind::Environment));
    Some(run)
}
