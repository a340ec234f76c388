//! From sentences to scenarios, edges, cases and checks.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{
    Interface, SentenceId,
    testing::suite::{Body, Do, Suite},
    usecases::{Claimed, Outcome, Scenario, Scenarios, StepKind, UseCases},
};

use super::words::Words;
use crate::view::scenarios::{Chain, Event};

/// A row for each sentence, scenario that goes through it, edge that the scenario fires, case that exercises the scenario, and check of that
/// case between the scenario and the next one. Where there is none of a kind, its field and those behind it are empty.
#[must_use]
pub fn chain(
    all: &UseCases,
    found: &Scenarios,
    events: &[Event],
    suite: Option<(&Interface, &Suite)>,
) -> Vec<Chain> {
    let words = Words { all };
    let checked =
        suite.map(|(interface, suite)| checks(interface, suite, found)).unwrap_or_default();
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
        let scenarios = through.iter().filter(|(_, sentences)| sentences.contains(&id));
        let names: Vec<&str> = scenarios.map(|(it, _)| it.name.as_str()).collect();
        for scenario in or_none(names) {
            let edges = events.iter().filter(|it| it.scenarios.iter().any(|it| it == scenario));
            let edges: Vec<&str> = edges.map(|it| it.edge.as_str()).collect();
            let cases = checked.get(scenario);
            for edge in or_none(edges) {
                let row = Chain { scenario: scenario.into(), edge: edge.into(), ..row.clone() };
                let Some(cases) = cases else {
                    rows.push(row);
                    continue;
                };
                for (case, checks) in cases {
                    for check in or_none(checks.iter().map(String::as_str).collect()) {
                        let (case, check) = (case.clone(), check.to_owned());
                        rows.push(Chain { case, check, ..row.clone() });
                    }
                }
            }
        }
    }
    rows
}

fn or_none(found: Vec<&str>) -> Vec<&str> {
    if found.is_empty() { vec![""] } else { found }
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

/// For each scenario, the cases that send its inputs and their checks up to the next scenario, in the order of the suite.
fn checks(
    interface: &Interface,
    suite: &Suite,
    scenarios: &Scenarios,
) -> BTreeMap<String, Vec<(String, Vec<String>)>> {
    let names: BTreeSet<&str> = scenarios.scenarios.iter().map(|it| it.name.as_str()).collect();
    let mut found: BTreeMap<String, BTreeMap<usize, Vec<String>>> = BTreeMap::new();
    for (number, case) in suite.cases.iter().enumerate() {
        let Body::Timed(parts) = &case.body else { continue };
        let (mut n_checks, mut n_outputs) = (0, 0);
        let mut current: Option<&str> = None;
        for part in parts {
            let check = match part {
                Do::Send(action) => {
                    let name = interface.signals[action.signal].name.as_str();
                    if !names.contains(name) {
                        continue;
                    }
                    found.entry(name.to_owned()).or_default().entry(number).or_default();
                    current = Some(name);
                    continue;
                }
                Do::Wait(_) => continue,
                Do::Check(_) => {
                    n_checks += 1;
                    format!("check {}", n_checks - 1)
                }
                Do::Expect(_) => {
                    n_outputs += 1;
                    format!("output {}", n_outputs - 1)
                }
            };
            if let Some(name) = current {
                let cases = found.entry(name.to_owned()).or_default();
                cases.entry(number).or_default().push(check);
            }
        }
    }
    let named = |(number, checks): (usize, Vec<String>)| (suite.cases[number].name.clone(), checks);
    found.into_iter().map(|(name, of)| (name, of.into_iter().map(named).collect())).collect()
}
