//! What a suite says of the right system and of each faulty version, exactly.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use punctual_semantics::specification::Specification;
use punctual_smc::exact::{Phase, Ratio};
use punctual_smc::parallel::in_order;
use punctual_smc::statistics::clopper_pearson;
use punctual_smc::statistics::repeated::{Chances, nested_beside, single_beside};
use punctual_testgen::uio::{Account, Outcomes};

use super::super::confirmed::counts;
use super::suites::{Suite, Weighed};
use super::versions::{Made, Versions};
use super::{Size, System, number};

/// Runs of a case of a faulty version whose outcomes can not be computed.
const RUNS: u64 = 10_000;

/// The risk that one of all sampled outcomes of a system is told from that of the right system by chance only.
const RISK: f64 = 0.01;

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

pub(super) fn judge(suite: &Suite, versions: &Versions, system: &System, size: Size) -> Judged {
    let right: Vec<[Chances; 2]> = (suite.cases.iter())
        .map(|case| [0, 1].map(|rule| chances(case, rule, &case.right)))
        .collect();
    let any = |fails: &mut dyn Iterator<Item = f64>| {
        1.0 - fails.map(|fails| 1.0 - fails).product::<f64>()
    };
    let by = |rule: usize| any(&mut right.iter().map(|it| it[rule].fail));
    let alarms = [any(&mut suite.cases.iter().map(|it| number(&it.right.illegal))), by(0), by(1)];
    // All cases of all suites are compared with all versions, in three outcomes each.
    let n_compared = 3 * versions.mutants.len() * suite.cases.len() * size.suites as usize;
    let risk = RISK / n_compared.max(1) as f64;
    let work = |known: &mut Known, version: &Option<Made>| match version {
        Some(version) => found(suite, &right, version, (system.phase, risk), known),
        None => Version { n_unknown: suite.cases.len(), ..Version::default() },
    };
    let mut all = Vec::new();
    let take = |version| {
        all.push(version);
        ControlFlow::<()>::Continue(())
    };
    in_order(size.threads, versions.specifications.iter(), Known::new, work, take);
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
    version: &Made,
    (phase, risk): (Phase, f64),
    known: &mut Known,
) -> Version {
    let mut passes = [1.0; 3];
    let (mut differ, mut n_unknown, mut n_sampled) = (Vec::new(), 0, 0);
    let mut differing = 1.0;
    for (at, (case, right)) in suite.cases.iter().zip(right).enumerate() {
        let Some(seen) = seen(version, case, phase).or_else(|| {
            n_sampled += 1;
            sampled(version.whole(), case, phase, risk)
        }) else {
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

/// The outcomes of a case in a faulty version, by runs; those of the right system if chance explains the difference. None if it can not be run.
fn sampled(version: &Specification, case: &Weighed, phase: Phase, risk: f64) -> Option<Outcomes> {
    let phase_ns = match phase {
        Phase::None => 0,
        Phase::OfScript(points) => version.instants.ns(points),
        Phase::OfLoop(_) => return None,
    };
    let counts = counts(version, &case.case, phase_ns, (RUNS, 1))?;
    if is_chance(counts, &case.right, risk) {
        return Some(case.right.clone());
    }
    let [outputs, joint, illegal] = counts.map(|count| Ratio::new(count.into(), RUNS.into()));
    Some(Outcomes { outputs, joint, illegal })
}

/// Whether chance explains that so many runs show each outcome, though the version shows them as often as the right system does.
///
/// A suite has hundreds of sampled outcomes, so differences of two or three standard deviations come by chance. The interval of
/// each outcome has its part of the risk (Bonferroni), which is about six standard deviations: a difference of 0.03 with 10,000 runs, which
/// no rule finds in 400 executions. What the right system never shows, or always, is told apart by one run.
fn is_chance(counts: [u64; 3], right: &Outcomes, risk: f64) -> bool {
    let all = [&right.outputs, &right.joint, &right.illegal];
    counts.into_iter().zip(all).all(|(count, right)| {
        let right = number(right);
        // The bounds of the interval are as exact as a quantile is; those of the unit interval are exact.
        match right <= 0.0 || right >= 1.0 {
            true => count == if right <= 0.0 { 0 } else { RUNS },
            false => clopper_pearson(RUNS, count, risk).contains(right),
        }
    })
}

/// The outcomes of a case in a faulty version; none if they can not be computed.
fn seen(version: &Made, case: &Weighed, phase: Phase) -> Option<Outcomes> {
    let mut changed: BTreeMap<usize, Option<Account>> = BTreeMap::new();
    let mut is_same = true;
    for number in &version.concerned {
        let account = case.trial.account(&version.parts, *number, phase).ok()?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(outputs: (i64, i64), joint: (i64, i64), illegal: (i64, i64)) -> Outcomes {
        let ratio = |(over, under): (i64, i64)| Ratio::new(over.into(), under.into());
        Outcomes { outputs: ratio(outputs), joint: ratio(joint), illegal: ratio(illegal) }
    }

    /// Ten self-loops of HOD do what the right system does, and counted as seen by some case.
    #[test]
    fn samples_of_the_right_system_were_told_from_it() {
        let right = outcomes((1, 2), (1, 4), (0, 1));
        let risk = RISK / 1e6;
        let is_chance = |counts| is_chance(counts, &right, risk);
        assert!(is_chance([5_000, 2_500, 0]));
        // Four standard deviations, which come by chance once in some ten thousand comparisons.
        assert!(is_chance([5_200, 2_500, 0]) && is_chance([5_000, 2_327, 0]));
        // Eight of them do not.
        assert!(!is_chance([5_400, 2_500, 0]) && !is_chance([5_000, 2_154, 0]));
        // The right system never does this.
        assert!(!is_chance([5_000, 2_500, 1]));
    }

    #[test]
    fn one_run_tells_what_is_certain() {
        let right = outcomes((1, 1), (1, 1), (0, 1));
        assert!(is_chance([RUNS, RUNS, 0], &right, RISK));
        assert!(!is_chance([RUNS, RUNS - 1, 0], &right, RISK));
        assert!(!is_chance([RUNS - 1, RUNS - 1, 0], &right, RISK));
    }
}
