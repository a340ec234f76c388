//! Which edges and checks belong to a scenario in a case.
//!
//! A case may start a scenario several times, and each time another edge fires. The path of the case says which one: its steps are in the words of
//! `testgen`, `S4(true, 76)` for an input and `Scenario_S4: Running -> Start, Error: A -> B` for what automata do together. A case that
//! somebody wrote has no path, and nothing is said of its edges.

use std::collections::BTreeMap;

use punctual_model::{
    Interface,
    testing::suite::{Body, Case, Do, Suite},
    usecases::Scenarios,
};
use punctual_testgen::usecases::Derived;

use crate::view::scenarios::Event;

/// How the automata call a scenario.
struct Called<'s> {
    /// The scenario.
    scenario: &'s str,
    /// The input that starts it.
    input: &'s str,
    /// Its automaton; empty without a model.
    automaton: &'s str,
}

/// A scenario that a case starts, up to the next one.
struct Pass<'s> {
    scenario: &'s str,
    /// The edges that wait for it and fire, as the path of the case says.
    edges: Vec<&'s str>,
    /// The checks behind it.
    checks: Vec<String>,
}

/// What one case has of a scenario.
#[derive(Default)]
pub(super) struct Through<'s> {
    /// The name of the case.
    pub(super) case: &'s str,
    /// The checks behind each edge that fires, in the order in which the edges fire first.
    pub(super) edges: Vec<(&'s str, Vec<String>)>,
    /// The checks where no edge is known to fire; none if one always is.
    pub(super) without: Option<Vec<String>>,
}

/// For each scenario, the cases that start it, in the order of the suite.
pub(super) fn taken<'s>(
    found: &'s Scenarios,
    model: Option<&'s Derived>,
    events: &'s [Event],
    (interface, suite): (&Interface, &'s Suite),
) -> BTreeMap<&'s str, Vec<Through<'s>>> {
    let scenarios = found.scenarios.enumerate().map(|(id, it)| {
        let start = model.and_then(|it| Some(&it.network.channels[(*it.starts.get(id)?)?].name));
        let automaton =
            model.and_then(|it| Some(&it.network.processes[*it.automata.get(id)?].name));
        Called {
            scenario: &it.name,
            input: start.map_or(&it.name, |it| it),
            automaton: automaton.map_or("", |it| it),
        }
    });
    let scenarios: Vec<Called<'s>> = scenarios.collect();
    let mut found: BTreeMap<&str, Vec<Through<'_>>> = BTreeMap::new();
    for case in &suite.cases {
        for pass in passes(interface, case, &scenarios, events) {
            let cases = found.entry(pass.scenario).or_default();
            if cases.last().is_none_or(|it| it.case != case.name) {
                cases.push(Through { case: &case.name, ..Through::default() });
            }
            let Some(through) = cases.last_mut() else { continue };
            if pass.edges.is_empty() {
                through.without.get_or_insert_default().extend(pass.checks);
                continue;
            }
            for edge in pass.edges {
                match through.edges.iter_mut().find(|(it, _)| *it == edge) {
                    Some((_, checks)) => checks.extend(pass.checks.iter().cloned()),
                    None => through.edges.push((edge, pass.checks.clone())),
                }
            }
        }
    }
    found
}

/// The scenarios that a case starts, one after the other.
fn passes<'s>(
    interface: &Interface,
    case: &Case,
    scenarios: &[Called<'s>],
    events: &'s [Event],
) -> Vec<Pass<'s>> {
    let Body::Timed(parts) = &case.body else { return Vec::new() };
    let mut passes: Vec<Pass<'s>> = Vec::new();
    let (mut n_checks, mut n_outputs) = (0, 0);
    for part in parts {
        let check = match part {
            Do::Wait(_) => continue,
            Do::Send(action) => {
                let name = &interface.signals[action.signal].name;
                let started = scenarios.iter().find(|it| it.input == name);
                passes.extend(started.map(|it| Pass {
                    scenario: it.scenario,
                    edges: Vec::new(),
                    checks: Vec::new(),
                }));
                continue;
            }
            Do::Check(_) => {
                n_checks += 1;
                format!("check {}", n_checks - 1)
            }
            Do::Expect(_) => {
                n_outputs += 1;
                format!("output {}", n_outputs - 1)
            }
        };
        if let Some(pass) = passes.last_mut() {
            pass.checks.push(check);
        }
    }
    // Behind a step that the case does not do, the path is not its own: nothing is said of the rest.
    let of_path = along(&case.about.path, scenarios, events);
    for (pass, (scenario, edges)) in passes.iter_mut().zip(of_path) {
        if pass.scenario != scenario {
            break;
        }
        pass.edges = edges;
    }
    passes
}

/// The scenarios along a path, each with the edges that it fires.
fn along<'s>(
    path: &[String],
    scenarios: &[Called<'s>],
    events: &'s [Event],
) -> Vec<(&'s str, Vec<&'s str>)> {
    let mut found: Vec<(&Called<'s>, Vec<&'s str>)> = Vec::new();
    for step in path {
        let starts = |it: &&Called<'s>| {
            step.strip_prefix(it.input).is_some_and(|it| it.is_empty() || it.starts_with('('))
        };
        if let Some(started) = scenarios.iter().find(starts) {
            found.push((started, Vec::new()));
            continue;
        }
        let Some((called, edges)) = found.last_mut() else { continue };
        // An edge of the same name may fire by itself, without the scenario's automaton.
        let ends = step.strip_prefix(called.automaton).is_some_and(|it| it.starts_with(": "));
        if called.automaton.is_empty() || !ends {
            continue;
        }
        for event in events.iter().filter(|it| has_move(step, &it.edge)) {
            let is_linked = event.scenarios.iter().any(|it| it == called.scenario);
            if is_linked && !edges.contains(&event.edge.as_str()) {
                edges.push(&event.edge);
            }
        }
    }
    found.into_iter().map(|(called, edges)| (called.scenario, edges)).collect()
}

/// Whether a step of a path has this edge among what it lists with commas. Names of processes may have commas, too.
fn has_move(step: &str, edge: &str) -> bool {
    step.match_indices(edge).any(|(at, _)| {
        let (before, behind) = (&step[..at], &step[at + edge.len()..]);
        (before.is_empty() || before.ends_with(", "))
            && (behind.is_empty() || behind.starts_with(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::{Called, Event, along, has_move};

    #[test]
    fn an_edge_is_no_part_of_another_name() {
        let step = "Scenario_S: Running -> Start, P(1, 2): A -> B, Q: A -> BC";
        assert!(has_move(step, "P(1, 2): A -> B"));
        assert!(!has_move(step, "Q: A -> B"));
        assert!(!has_move(step, "2): A -> B, Q: A -> B"));
    }

    /// An edge that fires by itself between two scenarios is not what the scenario has fired.
    #[test]
    fn only_the_end_of_a_scenario_fires_its_edges() {
        let called = [Called { scenario: "S1", input: "S1", automaton: "Scenario_S1" }];
        let edge = |name: &str| Event {
            edge: name.to_owned(),
            scenarios: vec!["S1".to_owned()],
            ..Event::default()
        };
        let events = [edge("E: A -> B"), edge("E: B -> A")];
        let path = ["S1(true)", "Scenario_S1: Running -> Start, E: A -> B", "E: B -> A", "S1"];
        let path = path.map(str::to_owned);
        assert_eq!(along(&path, &called, &events), [("S1", vec!["E: A -> B"]), ("S1", vec![])]);
    }
}
