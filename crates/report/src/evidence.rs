//! What happened on a platform, as text.

use std::fmt::Write as _;

use crate::view::evidence::{Evidence, Objective, Objectives};

/// So many cases are told that did not happen as intended.
const CASES_MAX: usize = 20;

/// So many objectives are told that were not surely exercised.
const OBJECTIVES_MAX: usize = 10;

/// How much happened as intended, which steps did not, and which excuses were used too often.
#[must_use]
pub fn text(evidence: &Evidence) -> String {
    let Evidence { steps, exercised, sure, cases, excuses, objectives, cadence } = evidence;
    let mut text = String::new();
    for it in excuses.iter().filter(|it| it.worn) {
        let _ = writeln!(
            text,
            "      `{}` is explained as late or early in {:.1} of {:.0} readings; by its delays that should be {:.1}. A right system shows that with a probability of {} at most",
            it.input,
            it.missed,
            it.reads,
            it.predicted,
            if it.at_most < 1e-300 { "1e-300".to_owned() } else { format!("{:.1e}", it.at_most) }
        );
    }
    let _ = writeln!(
        text,
        "      {exercised} of {steps} steps happened as intended with a probability of {sure} or more"
    );
    if let Some(it) = cadence {
        let _ = writeln!(
            text,
            "      the platform tells of no steps: one takes {:.2} ms ± {:.2} ms, and when is known to {:.1} ms; single steps vary by up to {:.1} ms (one deviation, in the worst run)",
            it.period_ms, it.period_deviation_ms, it.phase_deviation_ms, it.jitter_ms
        );
    }
    let mut n_told = 0;
    for case in cases {
        let missed: Vec<String> = (case.steps.iter().enumerate())
            .filter(|(_, it)| **it < *sure)
            .map(|(step, it)| format!("{step} ({it:.2})"))
            .collect();
        if missed.is_empty() {
            continue;
        }
        n_told += 1;
        if n_told <= CASES_MAX {
            let _ = writeln!(text, "        `{}`: not step {}", case.name, missed.join(", "));
        }
    }
    if n_told > CASES_MAX {
        let _ = writeln!(text, "        and {} further cases", n_told - CASES_MAX);
    }
    if let Some(objectives) = objectives.as_ref().filter(|it| !it.all.is_empty()) {
        told(objectives, &mut text);
    }
    text
}

/// How many objectives were exercised, and those that were not surely.
fn told(objectives: &Objectives, text: &mut String) {
    let Objectives { criterion, surely, probably, not, all } = objectives;
    let _ = write!(text, "      {surely} of {} {criterion} objectives surely exercised", all.len());
    let _ = match surely == &all.len() {
        true => writeln!(text),
        false => writeln!(text, ", {probably} probably, {not} not"),
    };
    let open = || all.iter().filter(|it| it.exercised != "surely");
    for it in open().take(OBJECTIVES_MAX) {
        let Objective { equation, condition, outcome, probability, exercised, by } = it;
        let by = match by.first() {
            Some(by) => format!("{probability:.2}, by `{}` step {}", by.case, by.step),
            None => "no step of a case is bound to show it".to_owned(),
        };
        let _ =
            writeln!(text, "        {equation}: `{condition}` is {outcome}: {exercised} ({by})");
    }
    let more = open().count().saturating_sub(OBJECTIVES_MAX);
    if more > 0 {
        let _ = writeln!(text, "        and {more} further objectives");
    }
}
