//! Outcomes that are confirmed by playing: each mutant is the system, on the virtual clock, and a case is run on it.
//!
//! What [`score`](crate::score) says of a case and a mutant is about all runs of the mutant at once. Here some of these
//! runs are made: it acts as early as it may, as late as it may, and by chance. What must fail has to fail in each of
//! them, what can not fail in none; anything else is a contradiction, and so a fault of this tool. How often something
//! fails that may is counted.
//!
//! Runs are judged as outcomes are meant: signals take no time, and a check reads the ports of the component that has
//! the fault. A run in which the mutant refuses an input or stops time says nothing and is counted apart.
//!
//! **Invariant:** the answer does not depend on the number of threads. Not here: how a network is played (`exec`).

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use punctual_exec::Policy;
use punctual_exec::online::{self, Budget};
use punctual_exec::{Limits as SutLimits, ModelOptions, Played, Refusal, SutError, Timekeeping};
use punctual_model::testing::suite::{Body, Case, Suite};
use punctual_model::{
    Direction, Happening, Interface, Network, ProcessId, Trace, Uncertainty, Verdict,
};
use punctual_oracle::Finding;
use punctual_oracle::conformance::{Coverage, Diagnosis, Monitor};
use punctual_oracle::expectations::Expectations;
use punctual_semantics::specification::Specification;
use punctual_semantics::split::{Named, Side};
use punctual_smc::parallel::in_order;
use punctual_testgen::Acting;
use punctual_testgen::mutation::automata::Mutant;
use punctual_testgen::mutation::decide::{Outcome, Reached};

use crate::score::Benches;

/// How mutants are played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Runs by chance of each mutant and case, beside the earliest and the latest one.
    pub n_random: u64,
    /// The seed of the first run by chance; the others have those behind it.
    pub seed: u64,
}

impl Options {
    /// When mutants act, a run for each.
    fn policies(self) -> Vec<Policy> {
        let mut policies = vec![Policy::Earliest, Policy::Latest];
        let seeds = (0..self.n_random).map(|number| self.seed.wrapping_add(number));
        policies.extend(seeds.map(|seed| Policy::Random { seed }));
        policies
    }
}

/// What was seen of a mutant and a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cell {
    /// Nothing: the user stopped it before, the case is a table of steps, or the mutant can not be followed.
    Open,
    /// The case can not reach what the mutant changed, so nothing was played.
    Unreached,
    /// It was played.
    Played(Plays),
}

/// Runs of a mutant by a case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plays {
    /// Runs that failed.
    pub failed: u64,
    /// Runs that did not fail.
    pub passed: u64,
    /// Runs in which the mutant refused an input or stopped time, which say nothing.
    pub stuck: u64,
    /// The policies of the runs that can not be, by what is said of the mutant and the case.
    pub contradictions: Vec<Policy>,
}

/// A run that can not be, by what is said of the mutant and the case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// The position of the mutant.
    pub mutant: usize,
    /// The position of the case in the suite.
    pub case: usize,
    /// When the mutant acted.
    pub policy: Policy,
}

/// All contradictions, by mutant and case.
#[must_use]
pub fn contradictions(cells: &[Vec<Cell>]) -> Vec<Contradiction> {
    let mut found = Vec::new();
    for (mutant, row) in cells.iter().enumerate() {
        for (case, cell) in row.iter().enumerate() {
            let Cell::Played(plays) = cell else { continue };
            let of = |policy: &Policy| Contradiction { mutant, case, policy: *policy };
            found.extend(plays.contradictions.iter().map(of));
        }
    }
    found
}

/// Why nothing can be played.
#[derive(Debug)]
pub enum Trouble {
    /// A mutant can not be played as a system.
    System(SutError),
    /// The model can not judge outputs.
    Model(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::System(error) => error.fmt(f),
            Trouble::Model(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Trouble {}

/// Mutants, a suite, and what is said of them.
#[derive(Clone, Copy)]
pub struct Claims<'c> {
    /// What is tested against.
    pub specification: &'c Specification,
    /// The components of the mutants.
    pub benches: &'c Benches<'c>,
    /// The mutants.
    pub mutants: &'c [Mutant],
    /// The suite.
    pub suite: &'c Suite,
    /// What is said of each mutant and case.
    pub outcomes: &'c [Vec<Outcome>],
}

/// Plays each mutant by each case that may reach it; a row for each mutant, a cell for each case. `progress` is told
/// how many cells of how many are done. When `stops` is set, runs that have begun are finished, and the rest is open.
///
/// # Errors
/// If a mutant can not be played.
pub fn play(
    claims: Claims<'_>,
    options: Options,
    threads: usize,
    stops: &AtomicBool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Vec<Vec<Cell>>, Trouble> {
    let Claims { mutants, suite, .. } = claims;
    let stage = Stage::new(claims.specification)?;
    let policies = options.policies();
    let parts = parts(claims, threads, stops);
    let n_cases = suite.cases.len();
    let n_cells = mutants.len() * n_cases;
    let cells = (0..n_cells).map(|number| (number / n_cases, number % n_cases));
    let work = |(): &mut (), (at, case): (usize, usize)| {
        let mutant = &mutants[at];
        let outcome = claims.outcomes[at][case];
        let Some(part) = parts.get(&mutant.process).and_then(|it| it.get(case)) else {
            return Ok(Cell::Open);
        };
        if matches!(part.case.body, Body::Steps(_)) {
            return Ok(Cell::Open);
        }
        // What is said to fail is played in any case.
        let is_reached = part.reached.concerns(&claims.specification.network, mutant);
        if !is_reached && outcome < Outcome::May {
            return Ok(Cell::Unreached);
        }
        stage.plays(&mutant.network, &part.case, outcome, &policies).map(Cell::Played)
    };
    let mut found = Vec::with_capacity(n_cells);
    let take = |cell: Result<Cell, Trouble>| match cell {
        Err(trouble) => ControlFlow::Break(trouble),
        Ok(cell) => {
            found.push(cell);
            progress(found.len(), n_cells);
            ControlFlow::Continue(())
        }
    };
    let jobs = cells.take_while(|_| !stops.load(Ordering::Relaxed));
    if let Some(trouble) = in_order(threads, jobs, || (), work, take) {
        return Err(trouble);
    }
    found.resize(n_cells, Cell::Open);
    Ok(match n_cases {
        0 => vec![Vec::new(); mutants.len()],
        _ => found.chunks(n_cases).map(<[Cell]>::to_vec).collect(),
    })
}

/// A case as a component sees it.
struct Part {
    case: Case,
    reached: Reached,
}

/// The cases of the suite, for each component; fewer if the user stopped it.
fn parts(claims: Claims<'_>, threads: usize, stops: &AtomicBool) -> BTreeMap<ProcessId, Vec<Part>> {
    let cases = &claims.suite.cases;
    let jobs = claims.benches.iter().flat_map(|(process, bench)| {
        let of = move |case| (*process, bench, case);
        cases.iter().map(of)
    });
    let work = |(): &mut (), (process, bench, case): (ProcessId, &_, &Case)| {
        let bench: &punctual_testgen::mutation::decide::Bench<'_> = bench;
        (process, Part { case: bench.narrowed(case), reached: bench.reached(case) })
    };
    let mut parts: BTreeMap<ProcessId, Vec<Part>> = BTreeMap::new();
    let jobs = jobs.take_while(|_| !stops.load(Ordering::Relaxed));
    in_order(
        threads,
        jobs,
        || (),
        work,
        |(process, part)| {
            parts.entry(process).or_default().push(part);
            ControlFlow::<()>::Continue(())
        },
    );
    parts
}

/// What all plays have in common.
struct Stage<'s> {
    interface: Arc<Interface>,
    /// Judges outputs; none if there are none.
    exact: Option<Exact<'s>>,
    environment: Vec<ProcessId>,
}

/// A specification for which signals take no time.
enum Exact<'s> {
    Given(&'s Specification),
    Made(Box<Specification>),
}

impl Stage<'_> {
    fn new(specification: &Specification) -> Result<Stage<'_>, Trouble> {
        let of = |side: Side| {
            let sides = specification.split.sides.enumerate();
            sides.filter(|(_, it)| **it == side).map(|(id, _)| id).collect::<Vec<_>>()
        };
        let mut wired = specification.wired.clone();
        wired.interface.uncertainty = Uncertainty::default();
        let interface = Arc::new(wired.interface.clone());
        let sends = interface.signals.iter().any(|it| it.direction == Direction::Output);
        let is_exact = specification.interface().uncertainty == Uncertainty::default();
        let exact = match (sends, is_exact) {
            (false, _) => None,
            (true, true) => Some(Exact::Given(specification)),
            (true, false) => {
                let named = Named { environment: of(Side::Environment), system: of(Side::System) };
                let made = Specification::new(specification.network.clone(), wired, &named);
                Some(Exact::Made(Box::new(made.map_err(|it| Trouble::Model(it.to_string()))?)))
            }
        };
        Ok(Stage { interface, exact, environment: of(Side::Environment) })
    }

    /// Plays a mutant by a case, once for each policy.
    fn plays(
        &self,
        network: &Network,
        case: &Case,
        outcome: Outcome,
        policies: &[Policy],
    ) -> Result<Plays, Trouble> {
        let mut plays = Plays::default();
        for policy in policies {
            let fails = self.fails(network, case, *policy)?;
            match fails {
                None => plays.stuck += 1,
                Some(true) => plays.failed += 1,
                Some(false) => plays.passed += 1,
            }
            let is_contrary = matches!(
                (outcome, fails),
                (Outcome::Must, Some(false)) | (Outcome::Cannot, Some(true))
            );
            if is_contrary {
                plays.contradictions.push(*policy);
            }
        }
        Ok(plays)
    }

    /// Whether a run fails; none if the mutant gets stuck before that is known.
    fn fails(
        &self,
        network: &Network,
        case: &Case,
        policy: Policy,
    ) -> Result<Option<bool>, Trouble> {
        let environment = Some(self.environment.clone());
        let options = ModelOptions { policy, refusal: Refusal::Error, environment };
        let (clock, limits) = (Timekeeping::Virtual, SutLimits::default());
        let mut sut = Played::new(network, Arc::clone(&self.interface), options, clock, limits)
            .map_err(Trouble::System)?;
        let options = online::Options {
            budget: Budget { time_ns: u64::MAX / 2, events: u64::MAX },
            horizon: 0,
            lateness_ns: 0,
            update_ns: punctual_exec::online::UPDATE_NS,
            windows: false,
            time: self.interface.time,
        };
        let mut oracle = Expectations::new(&self.interface, case).beside_a_model();
        let mut strategy = Acting::new(case.clone());
        let run = match online::run(&mut oracle, &mut sut, &mut strategy, &options, &mut ()) {
            Ok(run) => run,
            Err(SutError::Model { .. }) => return Ok(None),
            Err(error) => return Err(Trouble::System(error)),
        };
        if matches!(run.judged.judgement.reason(), Some(Finding::Ending(..))) {
            return Ok(None);
        }
        let is_wrong = |diagnosis: Box<Diagnosis>| diagnosis.cause.verdict() == Verdict::Fail;
        Ok(Some(run.judged.judgement.is_fail() || self.sent(run.trace).is_err_and(is_wrong)))
    }

    /// What the specification says of the outputs of a run. What is read is the business of the case.
    fn sent(&self, mut trace: Trace) -> Result<(), Box<Diagnosis>> {
        let specification = match &self.exact {
            None => return Ok(()),
            Some(Exact::Given(specification)) => specification,
            Some(Exact::Made(specification)) => &**specification,
        };
        trace.events.retain(|event| !matches!(event.what, Happening::Reading(_)));
        let mut coverage = Coverage::new(false);
        let mut monitor = Monitor::new(specification)?;
        for event in &trace.events {
            monitor.event(event, &mut coverage)?;
        }
        monitor.finish(trace.end_ns, &mut coverage)
    }
}
