//! The suites that are compared.

use std::ops::ControlFlow;

use punctual_model::testing::suite::{Body, Case};
use punctual_semantics::specification::Specification;
use punctual_smc::Stream;
use punctual_smc::parallel::in_order;
use punctual_testgen::timed::{
    Budget, Criterion, Deriver, Found, Goal, Limits, Options, Run, Target, Wait, World, extend,
    goals, make as make_suite, random,
};

use super::Arguments;

/// How a suite is made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// Covers all edges, filled up and made diverse.
    Tauc,
    /// The same runs, with the waits and checks of Figure 8.
    PaperWaits,
    /// By chance, with as many steps in a case.
    Random,
    /// Covers all edges, no more.
    Edges,
    /// One plain case for each requirement.
    Requirements,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Tauc => "TAUC",
            Kind::PaperWaits => "TAUC, `--wait end`",
            Kind::Random => "random",
            Kind::Edges => "edges alone",
            Kind::Requirements => "one per requirement",
        }
    }
}

/// A suite: its cases where variables are read, and where locations are read, too.
pub(super) struct Made {
    pub(super) kind: Kind,
    pub(super) size: usize,
    pub(super) seen: Vec<Case>,
    pub(super) all: Vec<Case>,
}

/// A suite that is to be made.
#[derive(Clone, Copy)]
struct Job {
    kind: Kind,
    size: usize,
    seed: u64,
}

/// Makes all suites.
pub(super) fn make(
    seen: &Specification,
    all: &Specification,
    arguments: &Arguments,
    threads: usize,
) -> Result<Vec<Made>, String> {
    let world = |of| World::new(of).map_err(|it| it.construct.to_owned());
    let (seen, all) = (world(seen)?, world(all)?);
    let mut jobs = vec![
        Job { kind: Kind::Edges, size: 0, seed: 1 },
        Job { kind: Kind::Requirements, size: 0, seed: 1 },
    ];
    for seed in 1..=arguments.suites {
        for size in &arguments.sizes {
            jobs.push(Job { kind: Kind::Tauc, size: *size, seed });
            jobs.push(Job { kind: Kind::Random, size: *size, seed });
        }
    }
    let work = |(): &mut (), job: Job| suites(&seen, &all, job, arguments);
    let mut made = Vec::new();
    let failed = in_order(
        threads,
        jobs,
        || (),
        work,
        |suites| match suites {
            Ok(suites) => {
                if let Some(Made { kind, size, .. }) = suites.first() {
                    eprintln!("made a suite of {size} cases: {}", kind.name());
                }
                made.extend(suites);
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(error),
        },
    );
    failed.map_or(Ok(made), Err)
}

fn suites(
    seen: &World<'_>,
    all: &World<'_>,
    job: Job,
    arguments: &Arguments,
) -> Result<Vec<Made>, String> {
    let runs = match job.kind {
        Kind::Tauc | Kind::PaperWaits => {
            tauc(seen, Some(job.size), arguments.iterations, job.seed)?
        }
        Kind::Edges => tauc(seen, None, 0, job.seed)?,
        Kind::Random => by_chance(seen, job),
        Kind::Requirements => per_requirement(seen),
    };
    let size = runs.len();
    let of = |kind: Kind, wait: Wait| -> Result<Made, String> {
        Ok(Made { kind, size, seen: cases(seen, &runs, wait)?, all: cases(all, &runs, wait)? })
    };
    let wait = if job.kind == Kind::Requirements { Wait::End } else { Wait::Behind };
    let mut made = vec![of(job.kind, wait)?];
    if job.kind == Kind::Tauc {
        made.push(of(Kind::PaperWaits, Wait::End)?);
    }
    Ok(made)
}

fn cases(world: &World<'_>, runs: &[Run], wait: Wait) -> Result<Vec<Case>, String> {
    let trouble = |_| "the model can not be followed".to_owned();
    let mut deriver = Deriver::new(world, wait).map_err(trouble)?;
    let mut case = |(number, run): (usize, &Run)| {
        let (parts, about) = deriver.case(run, &|_, _| None).map_err(trouble)?;
        Ok(Case { name: format!("case {number}"), body: Body::Timed(parts), about, chance: None })
    };
    runs.iter().enumerate().map(&mut case).collect()
}

fn tauc(
    world: &World<'_>,
    size: Option<usize>,
    iterations: usize,
    seed: u64,
) -> Result<Vec<Run>, String> {
    let options = Options {
        criteria: vec![Criterion::Edges],
        purposes: Vec::new(),
        n_random: 0,
        limits: Limits::default(),
        wait: Wait::Behind,
        budget: size.map(Budget::Cases),
        iterations,
        seed,
    };
    let made = make_suite(world, &options, &|_, _| None, &mut |_| true);
    made.map(|it| it.runs).map_err(|it| it.to_string())
}

/// The suite that covers all edges, where variables are read.
pub(super) fn edges(world: &World<'_>) -> Result<Vec<Case>, String> {
    cases(world, &tauc(world, None, 0, 1)?, Wait::Behind)
}

/// Runs by chance, with as many steps as those of TAUC may have.
fn by_chance(world: &World<'_>, job: Job) -> Vec<Run> {
    // Suites of one seed contain the smaller ones.
    let mut chance = Stream::of_run(job.seed, 1);
    let length = Limits::default().length;
    (0..job.size).filter_map(|_| random(world, length, Wait::Behind, &mut chance)).collect()
}

/// For each edge of an error that a clock guards, the shortest run that takes it.
fn per_requirement(world: &World<'_>) -> Vec<Run> {
    let network = &world.network;
    let is_timed = |goal: &Goal| match goal {
        Goal::Edge(process, edge) => {
            let sides = &world.specification.split.sides;
            let is_system = sides[*process] == punctual_semantics::split::Side::System;
            is_system && !network.processes[*process].edges[*edge].guard.clocks.is_empty()
        }
        _ => false,
    };
    let goals = goals(world.specification, &[Criterion::Edges]);
    let run = |goal: Goal| {
        let (start, limits) = (Run::new(world.start()), Limits::default());
        match extend(world, &start, Target::Goals(&[goal]), limits, Wait::Behind, &mut || false) {
            Found::Run(run) => Some(run),
            _ => None,
        }
    };
    goals.into_iter().filter(is_timed).filter_map(run).collect()
}
