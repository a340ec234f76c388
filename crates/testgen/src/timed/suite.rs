//! A suite of a model, from what should be covered to its cases.

use std::collections::BTreeSet;
use std::fmt;

use punctual_model::StateExpr;
use punctual_model::testing::suite::{Body, Case, Suite};
use punctual_semantics::estimate::Overflow;
use punctual_smc::Stream;

use super::cover::{self, Covering, Status, cover};
use super::derive::{Deriver, Requirements};
use super::diverse::{Diverse, random};
use super::goal::{Criterion, Goal, covered, goals};
use super::order;
use super::reach::{Found, Limits, Target, extend};
use super::walk::{Run, Wait};
use super::world::World;

/// What a suite is made of.
#[derive(Clone, Debug)]
pub struct Options {
    /// What must be covered.
    pub criteria: Vec<Criterion>,
    /// States that must be reached, each by a case of its own, with a name for it.
    pub purposes: Vec<(String, StateExpr)>,
    /// So many runs by chance.
    pub n_random: usize,
    /// How far searches go, and how long runs get.
    pub limits: Limits,
    /// How long a case waits for what the system decides about.
    pub wait: Wait,
    /// How many runs there may be; none makes no more than what covers.
    pub budget: Option<Budget>,
    /// So many runs are made to replace others and so make the suite more diverse.
    pub iterations: usize,
    /// Where chance starts.
    pub seed: u64,
}

/// How much a suite may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Budget {
    /// So many cases.
    Cases(usize),
    /// So much time on the bench, in nanoseconds, with a reset before each case.
    Time {
        /// The time for all cases together.
        all_ns: u64,
        /// The time that a reset takes.
        reset_ns: u64,
    },
}

/// What is being done while a suite is made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Phase {
    /// Runs that cover goals are looked for.
    Covering(cover::Progress),
    /// Runs replace others.
    Diversifying {
        /// How many were made.
        done: usize,
        /// How many will be made.
        of: usize,
        /// The mean similarity of all pairs, in the numbers of the TAUC paper.
        mean: f64,
    },
}

/// A suite, and what is known of it.
#[derive(Clone, Debug)]
pub struct Made {
    /// The cases.
    pub suite: Suite,
    /// The runs that they were made of, in the same order.
    pub runs: Vec<Run>,
    /// The goals, each with what is known of it. Numbers of runs are those of cases.
    pub goals: Vec<(Goal, Status)>,
    /// The purposes, each with what is known of it.
    pub purposes: Vec<(String, Status)>,
    /// The mean similarity of all pairs before and after the search for more diverse ones, in the numbers of the
    /// TAUC paper.
    pub similarity: (f64, f64),
    /// How many runs replaced others.
    pub n_replaced: usize,
    /// How long all cases take, in nanoseconds.
    pub duration_ns: u64,
}

/// Why no suite was made.
#[derive(Debug)]
pub struct Trouble(Overflow);

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Overflow::States(n) => write!(f, "the system may be in more than {n} states at once"),
            Overflow::Span(n) => {
                write!(f, "a case takes {n} points of time, more than can be followed")
            }
            Overflow::Trouble(trouble) => {
                write!(f, "the model is in error: {}", trouble.fault.kind)
            }
        }
    }
}

impl std::error::Error for Trouble {}

impl From<Overflow> for Trouble {
    fn from(overflow: Overflow) -> Trouble {
        Trouble(overflow)
    }
}

/// Makes a suite. `progress` is asked again and again whether to go on; what is there when it says no is the suite.
///
/// # Errors
/// If the model is in error, or can not be followed.
pub fn make(
    world: &World<'_>,
    options: &Options,
    requirements: &Requirements<'_>,
    progress: &mut dyn FnMut(Phase) -> bool,
) -> Result<Made, Trouble> {
    let goals = goals(world.specification, &options.criteria);
    let Options { limits, wait, .. } = *options;
    let covering = cover(world, &goals, limits, wait, &mut |it| progress(Phase::Covering(it)));
    let Covering { mut runs, goals: known } = covering;
    let mut names: Vec<Option<String>> = vec![None; runs.len()];
    let mut purposes = Vec::new();
    for (name, state) in &options.purposes {
        let start = Run::new(world.start());
        let status = match extend(world, &start, Target::State(state), limits, wait, &mut || false)
        {
            Found::Run(run) => {
                runs.push(run);
                names.push(Some(name.clone()));
                Status::Covered(runs.len() - 1)
            }
            Found::Unreachable => Status::Unreachable,
            Found::Undecided(why) => Status::Undecided(why),
        };
        purposes.push((name.clone(), status));
    }
    let mut chance = Stream::of_run(options.seed, 0);
    for _ in 0..options.n_random {
        runs.extend(random(world, limits.length, wait, &mut chance));
        names.resize(runs.len(), None);
    }
    let covered_goals: BTreeSet<Goal> = (known.iter())
        .filter(|(_, status)| matches!(status, Status::Covered(_)))
        .map(|(goal, _)| *goal)
        .collect();
    let n_named = names.iter().flatten().count();
    let mut similarity = (0.0, 0.0);
    let mut n_replaced = 0;
    if let (Some(budget), 0) = (options.budget, n_named) {
        if runs.is_empty() {
            runs.extend(random(world, limits.length, wait, &mut chance));
        }
        let mut diverse = Diverse::new(world, wait, runs, &covered_goals);
        fill(&mut diverse, world, budget, &mut chance);
        similarity.0 = diverse.mean();
        for done in 0..options.iterations {
            if done % 64 == 0 {
                let (of, mean) = (options.iterations, diverse.mean());
                if !progress(Phase::Diversifying { done, of, mean }) {
                    break;
                }
            }
            n_replaced += usize::from(diverse.improve(&mut chance));
        }
        similarity.1 = diverse.mean();
        runs = diverse.into_runs();
        let order = order::by_gain(world, &runs);
        runs = order.into_iter().map(|at| runs[at].clone()).collect();
        names = vec![None; runs.len()];
    }
    let mut suite = Suite::default();
    let mut deriver = Deriver::new(world, wait)?;
    for (number, (run, name)) in runs.iter().zip(names).enumerate() {
        let (parts, about) = deriver.case(run, requirements)?;
        let name = name.unwrap_or_else(|| format!("case {:03}", number + 1));
        suite.cases.push(Case { name, body: Body::Timed(parts), about });
    }
    let goals = numbered(world, &runs, known);
    let duration_ns = runs.iter().map(|run| world.specification.instants.ns(run.end())).sum();
    Ok(Made { suite, runs, goals, purposes, similarity, n_replaced, duration_ns })
}

/// Adds runs until the budget is used up.
fn fill(diverse: &mut Diverse<'_>, world: &World<'_>, budget: Budget, chance: &mut Stream) {
    let mut failures = 0;
    while failures < 100 {
        let is_full = match budget {
            Budget::Cases(n) => diverse.len() >= n,
            Budget::Time { all_ns, reset_ns } => {
                let instants = world.specification.instants;
                let runs = diverse.runs().map(|run| instants.ns(run.end()) + reset_ns);
                let used: u64 = runs.sum();
                let mean = used / diverse.len().max(1) as u64;
                used.saturating_add(mean) > all_ns
            }
        };
        if is_full {
            return;
        }
        failures = if diverse.grow(chance) { 0 } else { failures + 1 };
    }
}

/// What is known of goals, with the numbers of the runs that cover them now.
fn numbered(world: &World<'_>, runs: &[Run], known: Vec<(Goal, Status)>) -> Vec<(Goal, Status)> {
    let seen: Vec<_> = runs.iter().map(|run| covered(&world.network, run)).collect();
    let status = |(goal, status): (Goal, Status)| {
        let now = seen.iter().position(|seen| seen.has(goal)).map(Status::Covered);
        (goal, now.unwrap_or(status))
    };
    known.into_iter().map(status).collect()
}
