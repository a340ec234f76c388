//! Verdicts of repeated cases: figures of the STUIOS paper, exact chances against all orders, and what is promised.

mod case;
mod certain;
mod chart;
mod dependence;
mod optimum;
mod paper;
mod plan;
mod rates;
mod scenarios;
mod sequential;
mod suites;
mod together;

use punctual_smc::statistics::{
    Interval,
    repeated::{Design, Judgement, Rule, Step},
};

use crate::Random;

/// The sequential rule for an exact probability.
fn sequential(p: f64, tolerance: f64, alpha: f64, executions: u64) -> Rule {
    Design { alpha, executions, ..Design::exact(p).within(tolerance) }.rule().unwrap().into()
}

/// A design by chance: any probability, also sampled ones and the ends.
fn arbitrary(random: &mut Random, executions_max: u64) -> Design {
    let p = match random.next() % 8 {
        0 => 0.0,
        1 => 1.0,
        _ => random.uniform(),
    };
    let width = if random.chance(0.25) { 0.1 * random.uniform() } else { 0.0 };
    let tolerance = match random.next() % 4 {
        0 => 0.0,
        1 => 0.01 * random.uniform(),
        _ => 0.2 * random.uniform(),
    };
    let expected = Interval { low: (p - width).max(0.0), high: (p + width).min(1.0) };
    let mut design = Design::sampled(expected).within(tolerance);
    // A tolerance in time is seldom the same on both sides.
    if random.chance(0.25) {
        design.tolerated.low = expected.low;
    }
    Design {
        alpha: [0.2, 0.05, 0.01, 1e-4][random.next() as usize % 4],
        beta: [0.2, 0.05, 0.001][random.next() as usize % 3],
        executions: 1 + random.next() % executions_max,
        thrift: [0.0, 0.1, 0.5][random.next() as usize % 3],
        ..design
    }
}

/// Follows one order of outcomes to its end: the executions, and what the rule says.
fn follow(rule: &Rule, mut outcome: impl FnMut() -> bool) -> (u64, u64, Judgement) {
    let (mut n, mut k) = (0, 0);
    loop {
        match rule.step(n, k) {
            Step::Continue => {
                n += 1;
                k += u64::from(outcome());
            }
            Step::Stop(judgement) => return (n, k, judgement),
        }
    }
}
