//! From sentences to scenarios, edges, cases and checks.

use std::collections::BTreeSet;

use punctual_model::{
    Interface, SentenceId,
    testing::suite::Suite,
    usecases::{Claimed, Outcome, Scenario, Scenarios, StepKind, UseCases},
};
use punctual_testgen::usecases::Derived;

use super::{
    taken::{Through, taken},
    words::Words,
};
use crate::view::scenarios::{Chain, Event};

/// A row for each sentence, scenario that goes through it, edge that the scenario fires, case in which it does, and check of that case behind it, up to
/// the next scenario. Where there is none of a kind, its field and those behind it are empty, with one exception: a case that is not known to fire any edge
/// has a row without an edge.
#[must_use]
pub fn chain(
    all: &UseCases,
    found: &Scenarios,
    model: Option<&Derived>,
    events: &[Event],
    suite: Option<(&Interface, &Suite)>,
) -> Vec<Chain> {
    let words = Words { all };
    let taken = suite.map(|suite| taken(found, model, events, suite)).unwrap_or_default();
    let through: Vec<(&Scenario, BTreeSet<SentenceId>)> =
        found.scenarios.iter().map(|it| (it, sentences(all, it))).collect();
    let mut rows = Vec::new();
    for (id, sentence) in all.sentences.enumerate() {
        let row = Chain {
            file: words.file(sentence.place),
            line: sentence.place.line,
            sentence: sentence.text.clone(),
            ..Chain::default()
        };
        let n_before = rows.len();
        for (scenario, _) in through.iter().filter(|(_, sentences)| sentences.contains(&id)) {
            let row = Chain { scenario: scenario.name.clone(), ..row.clone() };
            let cases = taken.get(scenario.name.as_str()).map_or(&[][..], Vec::as_slice);
            of_scenario(&row, events, cases, &mut rows);
        }
        if rows.len() == n_before {
            rows.push(row);
        }
    }
    rows
}

/// The rows of a scenario: by edges, and then those where no edge is known to fire.
fn of_scenario(row: &Chain, events: &[Event], cases: &[Through<'_>], rows: &mut Vec<Chain>) {
    let n_before = rows.len();
    let of_case = |edge: &str, case: &str, checks: &[String], rows: &mut Vec<Chain>| {
        let (edge, case) = (edge.to_owned(), case.to_owned());
        let row = Chain { edge, case, ..row.clone() };
        rows.extend(checks.iter().map(|it| Chain { check: it.clone(), ..row.clone() }));
        if checks.is_empty() {
            rows.push(row);
        }
    };
    // Several edges between the same locations have one name.
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for event in events.iter().filter(|it| it.scenarios.contains(&row.scenario)) {
        let edge = event.edge.as_str();
        if !told.insert(edge) {
            continue;
        }
        let n_before = rows.len();
        for through in cases {
            for (_, checks) in through.edges.iter().filter(|(it, _)| *it == edge) {
                of_case(edge, through.case, checks, rows);
            }
        }
        if rows.len() == n_before {
            rows.push(Chain { edge: edge.to_owned(), ..row.clone() });
        }
    }
    for through in cases {
        if let Some(checks) = &through.without {
            of_case("", through.case, checks, rows);
        }
    }
    if rows.len() == n_before {
        rows.push(row.clone());
    }
}

/// The sentences that a scenario has something to do with: those of its steps, and those that its values are there for.
fn sentences(all: &UseCases, it: &Scenario) -> BTreeSet<SentenceId> {
    let mut found: BTreeSet<SentenceId> =
        all.use_cases[it.path.use_case].preconditions.iter().copied().collect();
    for step in &it.path.steps {
        match &all.use_cases[step.use_case].step(step.at).kind {
            StepKind::Act(actions) => {
                let takes_place = step.outcome != Outcome::Fails;
                found.extend(actions.iter().filter(|_| takes_place).map(|it| it.sentence));
            }
            StepKind::Validate(id) => found.extend([*id]),
            StepKind::Branch(it) => found.extend([it.sentence]),
            StepKind::Mark | StepKind::Abort | StepKind::Resume(_) => {}
        }
    }
    found.extend(it.assignments.iter().flat_map(|it| it.because.iter().copied()));
    found.extend(it.sets.iter().flat_map(|it| it.because.iter().copied()));
    found.extend(it.needs.iter().filter_map(|it| match it.claim.what {
        Claimed::Sentence(id) => Some(id),
        Claimed::Invariant(_) | Claimed::Range(_) => None,
    }));
    found
}
