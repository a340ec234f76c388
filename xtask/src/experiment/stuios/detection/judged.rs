//! What a suite says of the right system and of each faulty version, exactly.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use punctual_semantics::specification::Specification;
use punctual_smc::exact::{Phase, Ratio};
use punctual_smc::parallel::in_order;
use punctual_smc::statistics::repeated::{Chances, nested_beside, single_beside};
use punctual_testgen::uio::{Account, Outcomes};

use super::super::confirmed::shares;
use super::suites::{Suite, Weighed};
use super::versions::Versions;
use super::{System, number};

/// Runs of a case of a faulty version whose outcomes can not be computed.
const RUNS: u64 = 2_000;

/// What a suite says.
pub(super) struct Judged {
    pub(super) n_cases: usize,
    /// Cases that prove where they end, and those that are left to chance.
    pub(super) n_ended: usize,
    pub(super) n_random: usize,
    /// Cases whose chance can not be computed, and why.
    pub(super) dropped: Vec<String>,
    /// For each version, the chance that it is found: by the plain suite, by the paper's rule, and by ours.
    pub(super) found: Vec<Version>,
    /// The chance of an alarm on the right system, likewise.
    pub(super) alarms: [f64; 3],
    /// Executions on the right system, by the paper's rule and by ours.
    pub(super) executions: [Executions; 2],
}

/// What a suite says of a faulty version.
#[derive(Clone, Default)]
pub(super) struct Version {
    pub(super) found: [f64; 3],
    /// Cases whose outcomes differ from those of the right system.
    pub(super) differ: Vec<usize>,
    /// The chance that one of these fails by the paper's rule.
    pub(super) differing: f64,
    /// Cases whose outcomes can not be computed and are sampled.
    pub(super) n_sampled: usize,
    /// Cases whose outcomes are not known; they find nothing here.
    pub(super) n_unknown: usize,
}

/// The executions of the cases of a suite.
#[derive(Clone, Copy, Default)]
pub(super) struct Executions {
    pub(super) mean: f64,
    pub(super) least: f64,
    pub(super) most: f64,
    /// Hours of model time, all cases together.
    pub(super) hours: f64,
}

pub(super) fn judge(suite: &Suite, versions: &Versions, system: &System, threads: usize) -> Judged {
    let right: Vec<[Chances; 2]> = (suite.cases.iter())
        .map(|case| [0, 1].map(|rule| chances(case, rule, &case.right)))
        .collect();
    let any = |fails: &mut dyn Iterator<Item = f64>| {
        1.0 - fails.map(|fails| 1.0 - fails).product::<f64>()
    };
    let by = |rule: usize| any(&mut right.iter().map(|it| it[rule].fail));
    let alarms = [any(&mut suite.cases.iter().map(|it| number(&it.right.illegal))), by(0), by(1)];
    let work = |known: &mut Known, version: &Option<(Specification, Vec<usize>)>| match version {
        Some((version, concerned)) => {
            found(suite, &right, (version, concerned), system.phase, known)
        }
        None => Version { n_unknown: suite.cases.len(), ..Version::default() },
    };
    let mut all = Vec::new();
    let take = |version| {
        all.push(version);
        ControlFlow::<()>::Continue(())
    };
    in_order(threads, versions.specifications.iter(), Known::new, work, take);
    let is_ended = |case: &&Weighed| case.rules[0].sequences.len() > 1;
    let is_random = |case: &&Weighed| case.right.outputs != Ratio::from_integer(1.into());
    Judged {
        n_cases: suite.cases.len(),
        n_ended: suite.cases.iter().filter(is_ended).count(),
        n_random: suite.cases.iter().filter(is_random).count(),
        dropped: suite.dropped.clone(),
        found: all,
        alarms,
        executions: [0, 1].map(|rule| executions(suite, &right, rule)),
    }
}

fn executions(suite: &Suite, right: &[[Chances; 2]], rule: usize) -> Executions {
    let all = || right.iter().map(|it| it[rule].executions);
    let hours = |(n, case): (f64, &Weighed)| n * case.case.duration_ns() as f64 / 3.6e12;
    Executions {
        mean: all().sum::<f64>() / right.len().max(1) as f64,
        least: all().fold(f64::INFINITY, f64::min),
        most: all().fold(0.0, f64::max),
        hours: all().zip(&suite.cases).map(hours).sum(),
    }
}

/// What rules say of outcomes, by case, rule and outcomes: versions of errors that are alike have the same.
type Known = BTreeMap<(usize, usize, [String; 3]), f64>;

fn found(
    suite: &Suite,
    right: &[[Chances; 2]],
    version: (&Specification, &[usize]),
    phase: Phase,
    known: &mut Known,
) -> Version {
    let mut passes = [1.0; 3];
    let (mut differ, mut n_unknown, mut n_sampled) = (Vec::new(), 0, 0);
    let mut differing = 1.0;
    for (at, (case, right)) in suite.cases.iter().zip(right).enumerate() {
        let computed = seen(version, case, phase);
        n_sampled += usize::from(computed.is_none() && phase == Phase::None);
        let Some(seen) = computed.or_else(|| sampled(version.0, case, phase)) else {
            n_unknown += 1;
            continue;
        };
        if seen == case.right {
            passes[1] *= 1.0 - right[0].fail;
            passes[2] *= 1.0 - right[1].fail;
            continue;
        }
        differ.push(at);
        passes[0] *= 1.0 - number(&seen.illegal);
        let texts = [&seen.outputs, &seen.joint, &seen.illegal].map(ToString::to_string);
        for rule in [0, 1] {
            // What is found for certain is not found better by another case.
            if passes[1 + rule] > 1e-9 {
                let fails = known.entry((at, rule, texts.clone()));
                let fails = *fails.or_insert_with(|| chances(case, rule, &seen).fail);
                passes[1 + rule] *= 1.0 - fails;
                differing *= if rule == 0 { 1.0 - fails } else { 1.0 };
            }
        }
    }
    let found = passes.map(|it| 1.0 - it);
    Version { found, differ, differing: 1.0 - differing, n_sampled, n_unknown }
}

/// What a rule says of a case with these outcomes.
fn chances(case: &Weighed, rule: usize, outcomes: &Outcomes) -> Chances {
    let of = |ratio: &Ratio| number(ratio).clamp(0.0, 1.0);
    let (outputs, illegal) = (of(&outcomes.outputs), of(&outcomes.illegal));
    match &case.rules[rule].sequences[..] {
        [one] => single_beside(&one.rule, outputs, illegal),
        [one, other, ..] => {
            let joint = of(&outcomes.joint).min(outputs);
            nested_beside([&one.rule, &other.rule], outputs, joint, illegal)
        }
        [] => Chances::default(),
    }
}

/// The outcomes of a case in a faulty version, by runs; none if a phase is left to chance, or it can not be run.
fn sampled(version: &Specification, case: &Weighed, phase: Phase) -> Option<Outcomes> {
    let shares = (phase == Phase::None).then(|| shares(version, &case.case, RUNS, 1))??;
    let ratio = |share: f64| Ratio::new(((share * RUNS as f64).round() as i64).into(), RUNS.into());
    let [outputs, joint, illegal] = shares.map(ratio);
    Some(Outcomes { outputs, joint, illegal })
}

/// The outcomes of a case in a faulty version; none if they can not be computed.
fn seen(
    (version, concerned): (&Specification, &[usize]),
    case: &Weighed,
    phase: Phase,
) -> Option<Outcomes> {
    let mut changed: BTreeMap<usize, Option<Account>> = BTreeMap::new();
    let mut is_same = true;
    for number in concerned {
        let account = case.trial.account(version, *number, phase).ok()?;
        is_same &= account.as_ref() == case.accounts.get(number);
        changed.insert(*number, account);
    }
    if is_same {
        return Some(case.right.clone());
    }
    let mut accounts: Vec<&Account> = changed.values().flatten().collect();
    let others = case.accounts.iter().filter(|(number, _)| !changed.contains_key(number));
    accounts.extend(others.map(|(_, account)| account));
    Some(case.trial.outcomes(&accounts, phase))
}
