//! The suites: as many cases as the paper's, half of them behind the ends of windows and half in their middles.
//!
//! A case that only looks behind the end of a window is certain, and one that looks into its middle finds nothing at once. A suite
//! of TAUC has both kinds; the paper does not tell how many.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use punctual_campaign::repeated::{Options as Judging, Repeated, prepare};
use punctual_model::testing::suite::{Body, Case};
use punctual_semantics::split::Side;
use punctual_smc::parallel::in_order;
use punctual_testgen::timed::{
    Budget, Criterion, Deriver, Limits as Reach, Options as Covering, Wait, World,
    make as make_suite,
};
use punctual_testgen::uio::{Account, Ground, Outcomes, Trial, chance};

use super::{Size, System};

/// A suite with chances.
pub(in super::super) struct Suite {
    pub(in super::super) cases: Vec<Weighed>,
    /// Cases whose chance can not be computed, and why.
    pub(in super::super) dropped: Vec<String>,
}

/// A case, and what the right system makes of it.
pub(in super::super) struct Weighed {
    pub(in super::super) case: Case,
    pub(in super::super) trial: Trial,
    /// For each part of the system that the case does something with, its account.
    pub(in super::super) accounts: BTreeMap<usize, Account>,
    pub(in super::super) right: Outcomes,
    /// By the paper's rule, and by ours.
    pub(in super::super) rules: [Repeated; 2],
}

/// How a suite is judged, by the paper's rule and by ours.
pub(in super::super) fn judging() -> [Judging; 2] {
    let paper = Judging { paper: true, each: true, executions: 100, ..Judging::default() };
    [paper, Judging::default()]
}

pub(in super::super) fn make(
    world: &World<'_>,
    ground: &Ground<'_>,
    system: &System,
    size: Size,
    seed: u64,
) -> Result<Suite, String> {
    let n = size.small.map_or(system.n_cases, |(n, _)| n);
    let mut plain = Vec::new();
    for (wait, n) in [(Wait::Behind, n - n / 2), (Wait::Middle, n / 2)] {
        plain.extend(cases(world, wait, n, size.iterations, seed)?);
    }
    for (number, case) in plain.iter_mut().enumerate() {
        case.name = format!("case {:03}", number + 1);
    }
    let options = system.options();
    let work = |(): &mut (), case: Case| {
        chance(ground, &case, &options)
            .map(|made| made.case)
            .map_err(|why| format!("{}, {}: {why}", system.name, case.name))
    };
    let (mut made, mut dropped) = (Vec::new(), Vec::new());
    let take = |case| {
        match case {
            Ok(case) => made.push(case),
            Err(why) => dropped.push(why),
        }
        ControlFlow::<()>::Continue(())
    };
    in_order(size.threads, plain, || (), work, take);
    let wrong = |error: String| format!("{}: {error}", system.name);
    let [paper, ours] = judging().map(|options| prepare(&made, &options, None).map_err(wrong));
    let rules = paper?.into_iter().zip(ours?);
    let mut suite = Suite { cases: Vec::new(), dropped };
    for (case, (paper, ours)) in made.into_iter().zip(rules) {
        let name = case.name.clone();
        match weighed(ground, system, case, [paper, ours]) {
            Ok(case) => suite.cases.push(case),
            Err(why) => suite.dropped.push(format!("{}, {name}: {why}", system.name)),
        }
    }
    Ok(suite)
}

/// Cases of TAUC: they cover all edges, are filled up and made diverse.
fn cases(
    world: &World<'_>,
    wait: Wait,
    n: usize,
    iterations: usize,
    seed: u64,
) -> Result<Vec<Case>, String> {
    let options = Covering {
        criteria: vec![Criterion::Edges],
        purposes: Vec::new(),
        n_random: 0,
        limits: Reach::default(),
        wait,
        budget: Some(Budget::Cases(n)),
        iterations,
        seed,
    };
    let made = make_suite(world, &options, &|_, _| None, &mut |_| true);
    let runs = made.map_err(|it| it.to_string())?.runs;
    let trouble = |_| "the model can not be followed".to_owned();
    let mut deriver = Deriver::new(world, wait).map_err(trouble)?;
    let mut cases = Vec::new();
    for run in &runs {
        let (parts, about) = deriver.case(run, &|_, _| None).map_err(trouble)?;
        let body = Body::Timed(parts);
        cases.push(Case { name: String::new(), body, about, chance: None });
    }
    Ok(cases)
}

fn weighed(
    ground: &Ground<'_>,
    system: &System,
    case: Case,
    rules: [Repeated; 2],
) -> Result<Weighed, String> {
    let specification = ground.specification();
    let trial = Trial::new(specification, &case).map_err(|why| why.to_string())?;
    let mut accounts = BTreeMap::new();
    for (number, _) in specification.side(Side::System) {
        let account = trial.account(specification, number, system.phase);
        if let Some(account) = account.map_err(|why| why.to_string())? {
            accounts.insert(number, account);
        }
    }
    let right = trial.outcomes(&accounts.values().collect::<Vec<_>>(), system.phase);
    Ok(Weighed { case, trial, accounts, right, rules })
}
