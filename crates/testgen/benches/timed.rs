//! Suites of timed automata: covering, making diverse, deciding mutants, scoring. The subject is the seat sensor of
//! the TAUC paper (`experiments/tauc`), with two errors and with all 22.
//!
//! What is counted here (goals, cases, decisions, outcomes) is pinned by `tests/it/figures.rs`; seconds are not.

use std::collections::BTreeSet;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use punctual_smc::Stream;
use punctual_testgen::mutation::automata::Operator;
use punctual_testgen::mutation::decide::{Bench, Limits};
use punctual_testgen::timed::{Diverse, Goal, Similarity, Wait, World};

mod subject;

/// The sizes of suites in the paper's Table III, least and most.
const SIZES: [usize; 2] = [25, 122];

/// A suite that covers all edges, from a model that was read to cases.
fn cover(c: &mut Criterion) {
    let mut group = c.benchmark_group("timed/cover-edges");
    group.sample_size(10);
    for (errors, specification) in [(2, subject::small()), (22, subject::whole())] {
        group.bench_function(BenchmarkId::from_parameter(errors), |b| {
            b.iter(|| {
                let world = World::new(black_box(&specification)).expect("a world");
                subject::edges(&world)
            });
        });
    }
    group.finish();
}

/// One iteration of section VIII: a new run, compared with all others, replaces one or not.
fn diverse(c: &mut Criterion) {
    let specification = subject::whole();
    let world = World::new(&specification).expect("a world");
    let made = subject::edges(&world);
    let goals: BTreeSet<Goal> = made.goals.iter().map(|(goal, _)| *goal).collect();
    let mut group = c.benchmark_group("timed/diverse-iteration");
    for size in SIZES {
        let mut chance = Stream::of_run(1, 0);
        let mut suite = Diverse::new(&world, Wait::Behind, made.runs.clone(), &goals, None);
        while suite.len() < size {
            suite.grow(&mut chance);
        }
        group.bench_function(BenchmarkId::from_parameter(size), |b| {
            b.iter(|| suite.improve(&mut chance));
        });
    }
    group.finish();
}

/// How similar two runs of at most 60 steps are.
fn similarity(c: &mut Criterion) {
    let specification = subject::whole();
    let world = World::new(&specification).expect("a world");
    let made = subject::edges(&world);
    let mut similarity = Similarity::new(&world);
    let runs = made.runs.iter().map(|run| similarity.sequence(&world, run));
    let runs: Vec<_> = runs.collect();
    c.bench_function("timed/similarity-of-a-pair", |b| {
        b.iter(|| similarity.of(black_box(&runs[0]), black_box(&runs[1])));
    });
}

/// What a mutant is: one fault of each operator of the paper, in the first error.
fn decide(c: &mut Criterion) {
    let specification = subject::whole();
    let mut group = c.benchmark_group("timed/decide-a-mutant");
    group.sample_size(10);
    for operator in Operator::PAPER {
        let mutant = subject::faults(&specification, operator).swap_remove(0);
        let bench = Bench::new(&specification, mutant.process).expect("a component");
        group.bench_function(BenchmarkId::from_parameter(operator.name()), |b| {
            b.iter(|| bench.decide(black_box(&mutant), Limits::default()));
        });
    }
    group.finish();
}

/// What the cases that cover all edges say of a mutant; the time is that of one mutant and all cases.
fn score(c: &mut Criterion) {
    let specification = subject::whole();
    let world = World::new(&specification).expect("a world");
    let cases = subject::edges(&world).suite.cases;
    let mut group = c.benchmark_group("timed/score-a-mutant");
    for operator in Operator::PAPER {
        let mutant = subject::faults(&specification, operator).swap_remove(0);
        let bench = Bench::new(&specification, mutant.process).expect("a component");
        let mutated = bench.mutated(&mutant.network).expect("it can be followed");
        group.bench_function(BenchmarkId::from_parameter(operator.name()), |b| {
            b.iter(|| cases.iter().map(|case| bench.outcome(&mutated, case)).max());
        });
    }
    group.finish();
}

criterion_group!(benches, cover, diverse, similarity, decide, score);
criterion_main!(benches);
