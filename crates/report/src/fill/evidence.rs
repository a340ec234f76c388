//! What happened on a platform.

use punctual_campaign::judges::Judges;
use punctual_campaign::plan::Plan;
use punctual_campaign::platform::evidence::{Evidence, SURE};
use punctual_campaign::platform::objectives::{Class, Exercise, Met};

use crate::view::evidence as view;

/// What all runs of a plan come to together; none if nothing is known of how much of its suite happened.
#[must_use]
pub fn evidence(
    plan: &Plan,
    known: &Evidence,
    exercise: Option<&Exercise>,
) -> Option<view::Evidence> {
    let steps = plan.judges.steps.as_ref()?;
    let (program, mounted) = (steps.program(), steps.mounted()?);
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
        objectives: exercise.map(|it| objectives(&plan.judges, it)),
    })
}

/// What of the model was exercised by the runs that were added.
pub(super) fn objectives(judges: &Judges, exercise: &Exercise) -> view::Objectives {
    let objective = |it: Met<'_>| view::Objective {
        equation: it.obligation.equation.clone(),
        condition: it.obligation.text.clone(),
        outcome: it.obligation.outcome,
        probability: it.probability,
        exercised: match it.class() {
            Class::Surely => "surely",
            Class::Probably => "probably",
            Class::Not => "not",
        },
        by: (it.by.iter())
            .map(|(case, step, probability)| view::By {
                case: (*case).to_owned(),
                step: *step,
                probability: *probability,
            })
            .collect(),
    };
    let all: Vec<view::Objective> = exercise.all(judges).map(objective).collect();
    let count = |class: &str| all.iter().filter(|it| it.exercised == class).count();
    view::Objectives {
        criterion: exercise.criterion.name().to_owned(),
        surely: count("surely"),
        probably: count("probably"),
        not: count("not"),
        all,
    }
}
