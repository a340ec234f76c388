//! A suite of a model, from what should be covered to its cases.

use std::collections::BTreeSet;
use std::fmt;

use punctual_model::StateExpr;
use punctual_model::testing::suite::{Body, Case, Suite};
use punctual_semantics::estimate::Overflow;
use punctual_smc::Stream;

use super::cover::{self, Covering, Status, cover};
use super::derive::{Deriver, Requirements};
use super::diverse::{Diverse, Room, random};
use super::first::assignments_first;
use super::goal::{Criterion, Goal, Seen, covered, goals};
use super::order;
use super::reach::{Found, Limits, Target, extend};
use super::refused::Refused;
use super::walk::{Run, Wait};
use super::world::World;

/// A suite that is made diverse has at most so many cases: each of them is compared with all others, and what comes out is kept.
pub const DIVERSE_MAX: usize = 20_000;

/// A budget is used up when so many new runs in turn do not fit into it.
const FAILURES_MAX: usize = 100;

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
    /// States that purposes name are looked for.
    Reaching {
        /// How many were looked for.
        done: usize,
        /// How many will be looked for.
        of: usize,
    },
    /// Runs are made by chance.
    Random {
        /// How many were made.
        done: usize,
        /// How many will be made.
        of: usize,
    },
    /// Cases are derived of runs.
    Deriving {
        /// How many were derived.
        done: usize,
        /// How many will be derived.
        of: usize,
    },
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
    /// The same up to the first input that a right system may refuse: what a suite covers for sure.
    pub sure: Vec<Run>,
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
            Overflow::Spent => f.write_str("stopped, or out of memory"),
        }
    }
}

impl std::error::Error for Trouble {}

impl Trouble {
    /// Whether the model is not in error: the user wants no more, or there is no memory left.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        matches!(self.0, Overflow::Spent)
    }
}

impl From<Overflow> for Trouble {
    fn from(overflow: Overflow) -> Trouble {
        Trouble(overflow)
    }
}

/// So many cases are derived although the user wants no more.
const KEPT_MAX: usize = 200;

/// Makes a suite. `progress` is asked again and again whether to go on; what is there when it says no is the suite. Who spends the budget of
/// the specification does not want to wait for the end of a case, either: the cases that are derived by then are the suite.
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
    let mut refused = Refused::of(world);
    let mut named: Vec<(String, Run)> = Vec::new();
    let mut purposes: Vec<(String, Status)> = Vec::new();
    for (name, state) in &options.purposes {
        if purposes.iter().any(|(earlier, _)| earlier == name) {
            continue;
        }
        let (start, target) = (Run::new(world.start()), Target::State(state));
        let (done, of) = (purposes.len(), options.purposes.len());
        let mut stops = || !progress(Phase::Reaching { done, of });
        let status = match extend(world, &start, target, limits, wait, &mut stops) {
            Found::Run(run) => {
                let sure = refused.as_mut().map(|it| it.sure(&run).steps.len());
                let is_sure = sure.is_none_or(|sure| sure == run.steps.len());
                named.push((name.clone(), run));
                if is_sure { Status::Covered(named.len() - 1) } else { Status::unsure() }
            }
            Found::Unreachable => Status::Unreachable,
            Found::Undecided(why) => Status::Undecided(why),
            Found::Astray => {
                let why = "the whole model can not follow the path of a slice";
                Status::Undecided(why.to_owned())
            }
        };
        purposes.push((name.clone(), status));
    }
    let mut chance = Stream::of_run(options.seed, 1);
    let of = options.n_random;
    for done in 0..of {
        if !progress(Phase::Random { done, of }) {
            break;
        }
        runs.extend(random(world, limits.length, wait, &mut chance));
    }
    let mut diversified = Diversified { runs, similarity: (0.0, 0.0), n_replaced: 0 };
    if let Some(budget) = options.budget {
        // What reaches a state stays as it is, and counts.
        let budget = budget.without(world, named.iter().map(|(_, run)| run));
        diversified = diversify(world, options, budget, diversified.runs, &known, progress);
    }
    let Diversified { mut runs, similarity, n_replaced } = diversified;
    // Cases that reach states come behind the others.
    let n_others = runs.len();
    for (_, status) in &mut purposes {
        if let Status::Covered(at) = status {
            *at += n_others;
        }
    }
    let mut names: Vec<String> = (1..=n_others).map(|number| format!("case {number:03}")).collect();
    for (name, run) in named {
        names.push(name);
        runs.push(run);
    }
    let mut suite = Suite::default();
    let mut deriver = match Deriver::new(world, wait) {
        Err(Overflow::Spent) => None,
        deriver => Some(deriver?),
    };
    let of = runs.len();
    // Numbers of runs are those of cases.
    let mut derived = Vec::new();
    for (run, name) in runs.into_iter().zip(names) {
        // Once the user wants no more, what is covered is derived still: it is what was asked for. Hurrying would make wrong cases.
        let done = derived.len();
        if !progress(Phase::Deriving { done, of }) && done >= KEPT_MAX {
            break;
        }
        let Some(deriver) = &mut deriver else { break };
        let run = assignments_first(world, run);
        let (parts, about) = match deriver.case(&run, requirements) {
            Err(Overflow::Spent) => break,
            made => made?,
        };
        suite.cases.push(Case { name, body: Body::Timed(parts), about, chance: None });
        derived.push(run);
    }
    let runs = derived;
    for (_, status) in &mut purposes {
        if matches!(status, Status::Covered(at) if *at >= runs.len()) {
            *status = Status::Undecided("the user stopped it".to_owned());
        }
    }
    let sure = |run: &Run| refused.as_mut().map_or_else(|| run.clone(), |it| it.sure(run));
    let sure: Vec<Run> = runs.iter().map(sure).collect();
    let goals = numbered(world, &runs, &sure, known);
    let duration_ns = suite.cases.iter().map(Case::duration_ns).sum();
    Ok(Made { suite, runs, sure, goals, purposes, similarity, n_replaced, duration_ns })
}

/// Runs that were made diverse.
struct Diversified {
    runs: Vec<Run>,
    similarity: (f64, f64),
    n_replaced: usize,
}

/// Fills runs up to a budget and makes them more diverse. What is covered stays covered.
fn diversify(
    world: &World<'_>,
    options: &Options,
    budget: Budget,
    mut runs: Vec<Run>,
    known: &[(Goal, Status)],
    progress: &mut dyn FnMut(Phase) -> bool,
) -> Diversified {
    let mut chance = Stream::of_run(options.seed, 0);
    if runs.is_empty() {
        runs.extend(random(world, options.limits.length, options.wait, &mut chance));
    }
    let covered = known.iter().filter(|(_, status)| matches!(status, Status::Covered(_)));
    let goals: BTreeSet<Goal> = covered.map(|(goal, _)| *goal).collect();
    let mut diverse = Diverse::new(world, options.wait, runs, &goals, budget.room(world));
    let mut failures = 0;
    let n_max = match budget {
        Budget::Cases(n) => n.min(DIVERSE_MAX),
        Budget::Time { .. } => DIVERSE_MAX,
    };
    while failures < FAILURES_MAX && diverse.len() < n_max {
        let (of, mean) = (options.iterations, 0.0);
        if !progress(Phase::Diversifying { done: 0, of, mean }) {
            break;
        }
        failures = if diverse.grow(&mut chance) { 0 } else { failures + 1 };
    }
    let before = diverse.mean();
    let mut n_replaced = 0;
    for done in 0..options.iterations {
        let (of, mean) = (options.iterations, diverse.mean());
        if !progress(Phase::Diversifying { done, of, mean }) {
            break;
        }
        n_replaced += usize::from(diverse.improve(&mut chance));
    }
    let similarity = (before, diverse.mean());
    let runs = diverse.into_runs();
    let order = order::by_gain(world, &runs);
    let runs = order.into_iter().map(|at| runs[at].clone()).collect();
    Diversified { runs, similarity, n_replaced }
}

impl Budget {
    /// What is left of it beside some runs.
    fn without<'r>(self, world: &World<'_>, runs: impl Iterator<Item = &'r Run>) -> Budget {
        match self {
            Budget::Cases(n) => Budget::Cases(n.saturating_sub(runs.count())),
            Budget::Time { all_ns, reset_ns } => {
                let instants = world.specification.instants;
                let used: u64 = runs.map(|run| instants.ns(run.end()) + reset_ns).sum();
                Budget::Time { all_ns: all_ns.saturating_sub(used), reset_ns }
            }
        }
    }

    /// The time that runs may take, in points of the grid; none if only their number counts.
    fn room(self, world: &World<'_>) -> Option<Room> {
        let point = |ns: u64| world.specification.instants.begin(ns).at;
        match self {
            Budget::Cases(_) => None,
            Budget::Time { all_ns, reset_ns } => {
                Some(Room { all: point(all_ns), reset: point(reset_ns) })
            }
        }
    }
}

/// What is known of goals, with the numbers of the runs that cover them now.
fn numbered(
    world: &World<'_>,
    runs: &[Run],
    sure: &[Run],
    known: Vec<(Goal, Status)>,
) -> Vec<(Goal, Status)> {
    let seen = |runs: &[Run]| -> Vec<Seen> {
        runs.iter().map(|run| covered(&world.network, run)).collect()
    };
    let (sure, all) = (seen(sure), seen(runs));
    let status = |(goal, status): (Goal, Status)| {
        let now = sure.iter().position(|seen| seen.has(goal)).map(Status::Covered);
        let unsure = || all.iter().any(|seen| seen.has(goal)).then(Status::unsure);
        let now = now.or_else(unsure);
        let lost = match status {
            Status::Covered(_) => Status::Undecided("the user stopped it".to_owned()),
            status if status == Status::unsure() => {
                let why = "a case that others replaced went there, after the system may not have taken an input";
                Status::Undecided(why.to_owned())
            }
            status => status,
        };
        (goal, now.unwrap_or(lost))
    };
    known.into_iter().map(status).collect()
}
