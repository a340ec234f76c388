//! What happened on a platform.

use punctual_campaign::platform::Mounted;
use punctual_campaign::platform::evidence::{Evidence, SURE};
use punctual_model::lustre::Program;

use crate::view::evidence as view;

/// What all runs of a suite come to together; none if nothing is known of how much of it happened.
#[must_use]
pub fn evidence(program: &Program, mounted: &Mounted, known: &Evidence) -> Option<view::Evidence> {
    if known.cases.is_empty() {
        return None;
    }
    let steps = || known.cases.iter().flat_map(|it| &it.steps);
    let worn = mounted.worn(known);
    let case = |it: &punctual_campaign::platform::evidence::Exercised| view::Case {
        name: it.case.clone(),
        runs: it.runs,
        steps: it.steps.clone(),
    };
    let cadence = known.cadence.map(|it| view::Cadence {
        period_ms: it.period / 1e6,
        period_deviation_ms: it.period_deviation / 1e6,
        phase_deviation_ms: it.phase_deviation / 1e6,
        jitter_ms: it.jitter / 1e6,
    });
    Some(view::Evidence {
        cadence,
        steps: steps().count(),
        exercised: steps().filter(|it| **it >= SURE).count(),
        sure: SURE,
        cases: known.cases.iter().map(case).collect(),
        excuses: (known.excuses())
            .map(|it| view::Excuse {
                input: program.vars[it.input].name.clone(),
                reads: it.reads,
                missed: it.missed,
                predicted: it.predicted,
                at_most: (-it.evidence()).exp().min(1.0),
                worn: worn.iter().any(|worn| worn.input == it.input),
            })
            .collect(),
    })
}
