//! Views of cases that were repeated.

use punctual_campaign::repeated::{Least, Repeated, Sequence};
use punctual_smc::statistics::repeated::Pattern;

use crate::view::repeated as view;

/// A case that was repeated. `shift_ns` is how much later it seems to be.
#[must_use]
pub fn case(case: &Repeated, shift_ns: Option<i64>) -> view::Case {
    let dependence = case.dependence.map(|it| {
        let what = match it.pattern {
            Pattern::Repeats => "agree too often with",
            Pattern::Alternates => "differ too often from",
        };
        format!(
            "outcomes {what} those {} executions before (by chance {:.2e}): the system remembers earlier executions",
            it.lag, it.chance
        )
    });
    view::Case {
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
