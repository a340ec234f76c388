//! Views of cases that were repeated.

use punctual_campaign::repeated::{Repeated, Sequence};
use punctual_smc::statistics::repeated::Pattern;

use crate::view::repeated as view;

/// A case that was repeated.
#[must_use]
pub fn case(case: &Repeated) -> view::Case {
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
        verdict: case.verdict().name().to_owned(),
    }
}

fn sequence(it: &Sequence) -> view::Sequence {
    view::Sequence {
        expected: [it.expected.least, it.expected.greatest],
        executions: it.n,
        observed: it.observed().map(|it| [it.low, it.high]),
        seen: it.k,
    }
}
