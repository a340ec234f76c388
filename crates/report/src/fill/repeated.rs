//! Views of cases that were repeated.

use punctual_campaign::repeated::{
    Campaign, Least, Options, Repeated, Sequence, Told, Tolerance, campaigns, together,
};
use punctual_campaign::store::Verdict;
use punctual_campaign::summary::Summary;
use punctual_lang::testing;
use punctual_smc::statistics::repeated::{Dependence, Judgement, Pattern, Step};

use crate::view::repeated as view;

/// A suite that was repeated, and how its failures are told in time.
#[must_use]
pub fn suite(cases: &[Repeated], options: &Options, told: &Told) -> view::Repeated {
    let shift_of = |at: usize| told.cases.get(at).copied().flatten();
    let rules = cases.iter().flat_map(|case| &case.sequences);
    let worst = cases.iter().map(Repeated::verdict).max().unwrap_or(Verdict::Inconclusive);
    let cases_of = cases.iter().enumerate().map(|(at, it)| case(it, shift_of(at)));
    view::Repeated {
        advice: options.paper.then(|| advice(cases, options)).flatten(),
        cases: cases_of.collect(),
        dependence: together(cases, options).map(|it| {
            let whose = "of all cases, in the order in which they were executed, ";
            depends(whose, &it)
        }),
        executions: cases.iter().map(|case| case.executions).sum(),
        guarantee: match (options.each, rules.map(|it| it.rule.guarantee()).next()) {
            (true, Some(guarantee)) => guarantee,
            _ => format!(
                "A right suite fails with probability {} at most; a case within {} is right.",
                options.alpha,
                match options.tolerance {
                    Tolerance::Probability(p) => format!("{p} of the model's probability"),
                    Tolerance::Time { ns } =>
                        format!("{} of the model's time", testing::duration(ns)),
                }
            ),
        },
        shift_ms: told.suite.map(ms),
        tolerance_ms: options.tolerance_ms(),
        verdict: worst.name().to_owned(),
        ..view::Repeated::default()
    }
}

/// The suites that were repeated among some runs, by their records alone.
#[must_use]
pub fn recorded(summary: &Summary) -> Vec<view::Repeated> {
    let one = |campaign: &Campaign| {
        let mut suite = suite(&campaign.cases, &campaign.options, &campaign.told);
        for (case, drawn) in campaign.cases.iter().zip(&mut suite.cases) {
            for (at, (of, drawn)) in case.sequences.iter().zip(&mut drawn.sequences).enumerate() {
                drawn.evidence = evidence(of, case.outcomes(at));
            }
        }
        suite.suite.clone_from(&campaign.name);
        suite.runs = campaign.runs.iter().map(|it| it.name.clone()).collect();
        suite
    };
    campaigns(summary).iter().map(one).collect()
}

/// What was seen, and where the rule stops up to then and a bit beyond.
fn evidence(sequence: &Sequence, outcomes: &[bool]) -> view::Evidence {
    let mut k = 0;
    let mut count = |seen: &bool| {
        k += u64::from(*seen);
        k
    };
    let seen: Vec<u64> = outcomes.iter().map(&mut count).collect();
    // A bit of what would have come next.
    let limit = sequence.rule.limit().min(seen.len() as u64 * 5 / 4 + 5);
    let bounds = |n: u64| {
        let mut bounds = view::Bounds { fails_below: n + 1, fails_above: 0, passes: None };
        for k in 0..=n {
            let step = sequence.rule.step(n, k);
            if let Step::Stop(Judgement { passes: false, .. }) = step {
                continue;
            }
            bounds.fails_below = bounds.fails_below.min(k);
            bounds.fails_above = k;
            if step != Step::Continue {
                bounds.passes = Some([bounds.passes.map_or(k, |it| it[0]), k]);
            }
        }
        bounds
    };
    view::Evidence { seen, bounds: (1..=limit).map(bounds).collect() }
}

/// What the paper advises (section 7.3.4) where many cases are not reliable: more than a tenth.
fn advice(cases: &[Repeated], options: &Options) -> Option<String> {
    let is_open = |case: &&Repeated| {
        let mut judged = case.sequences.iter().filter_map(|it| it.judgement);
        case.illegal.is_none() && judged.any(|it| !it.reliable)
    };
    let (n_open, n) = (cases.iter().filter(is_open).count(), cases.len());
    let is_followed = options.alpha >= 0.1 - 1e-9 && options.executions >= 300;
    (n_open * 10 > n && !is_followed).then(|| {
        format!(
            "{n_open} of {n} cases are not reliable. The paper advises `--confidence 0.9 --executions 300` then."
        )
    })
}

/// A dependence, as a sentence.
fn depends(whose: &str, it: &Dependence) -> String {
    let what = match it.pattern {
        Pattern::Repeats => "agree too often with",
        Pattern::Alternates => "differ too often from",
    };
    let before = match it.lag {
        1 => "that of the execution before".to_owned(),
        lag => format!("those {lag} executions before"),
    };
    format!(
        "outcomes {whose}{what} {before} (by chance {:.2e}): the system remembers earlier executions",
        it.chance
    )
}

/// A case that was repeated. `shift_ns` is how much later it seems to be.
#[must_use]
pub fn case(case: &Repeated, shift_ns: Option<i64>) -> view::Case {
    let dependence = case.dependence.map(|it| depends("", &it));
    view::Case {
        duration_ns: case.executions.saturating_mul(case.duration_ns),
        dependence,
        executions: case.executions,
        name: case.name.clone(),
        planned: case.planned,
        reasons: case.reasons(),
        sequences: case.sequences.iter().map(sequence).collect(),
        shift_ms: shift_ns.map(ms),
        verdict: case.verdict().name().to_owned(),
    }
}

fn sequence(it: &Sequence) -> view::Sequence {
    view::Sequence {
        evidence: view::Evidence::default(),
        expected: [it.expected.least, it.expected.greatest],
        executions: it.n,
        observed: it.observed().map(|it| [it.low, it.high]),
        seen: it.k,
        tolerated: tolerated(it),
    }
}

fn tolerated(it: &Sequence) -> Option<[f64; 2]> {
    it.tolerated().map(|it| [it.low, it.high])
}

/// Nanoseconds as milliseconds.
#[must_use]
pub fn ms(ns: i64) -> f64 {
    ns as f64 / 1e6
}

/// What repeating a case would take, with so many nanoseconds for a reset, and what it would find.
#[must_use]
pub fn planned(case: &Repeated, reset_ns: u64, least: Least) -> view::Planned {
    let (least_shift_ms, note) = match least {
        Least::Shift(ns) => (Some(ms(ns)), None),
        Least::None => (None, None),
        Least::Unknown(why) => (None, Some(why)),
    };
    view::Planned {
        executions: case.planned,
        hours: case.planned * case.duration_ns.saturating_add(reset_ns) as f64 / 3.6e12,
        least_deviation: case.least_deviation(),
        least_shift_ms,
        name: case.name.clone(),
        note,
        tolerated: case.sequences.iter().filter_map(tolerated).collect(),
    }
}
