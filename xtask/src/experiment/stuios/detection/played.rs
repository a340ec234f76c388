//! One suite of each system, executed: the right system, and some faulty versions.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use punctual_campaign::load::{Environment, load};
use punctual_campaign::prepare::{Prepared, Wishes, prepare as prepare_plan};
use punctual_campaign::repeated::{prepare, repeat};
use punctual_campaign::store::Verdict;
use punctual_model::testing::suite::{Case, Suite as Written};
use punctual_semantics::specification::Specification;
use punctual_smc::exact::Phase;

use super::judged::Judged;
use super::suites::{Suite, judging};
use super::versions::Versions;
use super::{Size, System};

/// So many cases of the right system are played, evenly spread over the suite.
const RIGHT: usize = 12;

/// One of how many versions is played.
const EVERY: usize = 32;

/// Versions that more cases than this tell from the right system are not played.
const CASES_MAX: usize = 6;

/// What came of it.
#[derive(Default)]
pub(super) struct Played {
    /// Executions and failed cases of the right system, by our rule.
    pub(super) right: (u64, usize),
    /// For each version that was played: its number, and whether a case failed by the paper's rule.
    pub(super) versions: Vec<(usize, bool)>,
}

pub(super) fn play(
    (model, interface): (&Path, &Path),
    given: &Specification,
    (made, judged): (&Suite, &Judged),
    versions: &Versions,
    (system, size): (&System, Size),
) -> Result<Played, String> {
    let cases: Vec<Case> = made.cases.iter().map(|it| it.case.clone()).collect();
    let phase_ns = match system.phase {
        Phase::OfScript(points) => Some(given.instants.ns(points)),
        _ => None,
    };
    let some = cases.iter().step_by(cases.len().div_ceil(RIGHT).max(1)).cloned();
    let some: Vec<Case> = some.collect();
    let suite = Written { cases: some.clone(), phase_ns, ..Written::default() };
    let mut loaded =
        load(model, Some(interface), Environment::Model).map_err(|it| it.to_string())?;
    loaded.judges.suite = Some(suite);
    let prepared = prepare_plan(loaded, &Wishes::default());
    let mut prepared = prepared.map_err(|it| it.to_string())?;
    let mut played = Played { right: all(&prepared, &some, 1, size.threads)?, ..Played::default() };
    for (number, mutant) in versions.mutants.iter().enumerate().step_by(EVERY) {
        let differ = judged.found[number].differ.iter().take(CASES_MAX);
        let cases: Vec<Case> = differ.map(|at| cases[*at].clone()).collect();
        if judged.found[number].differ.len() > CASES_MAX || cases.is_empty() {
            continue;
        }
        let suite = Written { cases: cases.clone(), phase_ns, ..Written::default() };
        prepared.plan.judges.suite = Some(suite);
        prepared.plan.system.played = Some(mutant.network.clone());
        prepared.plan.seed = number as u64 + 2;
        let (_, n_failed) = all(&prepared, &cases, 0, size.threads)?;
        played.versions.push((number, n_failed > 0));
    }
    Ok(played)
}

/// How many executions it took to judge all cases, and how many failed.
fn all(
    prepared: &Prepared,
    cases: &[Case],
    rule: usize,
    threads: usize,
) -> Result<(u64, usize), String> {
    let options = &judging()[rule];
    let mut cases = prepare(cases, options, None)?;
    let known = BTreeMap::new();
    let never = AtomicBool::new(false);
    repeat(&prepared.plan, &mut cases, options, threads, (None, &known), &never, |_, _| {})
        .map_err(|trouble| trouble.to_string())?;
    let n_failed = cases.iter().filter(|case| case.verdict() == Verdict::Fail).count();
    Ok((cases.iter().map(|case| case.executions).sum(), n_failed))
}
