//! Which events scenarios dispatch, and why others are not linked.

use punctual_model::{
    Value,
    usecases::{Dispatch, Links, NoAttribute},
};
use punctual_testgen::usecases::{initial, link};

use super::sample;

fn text(links: &Links, scenarios: &punctual_model::usecases::Scenarios) -> Vec<String> {
    let name = |id| scenarios.scenarios[id].name.clone();
    let line = |it: &punctual_model::usecases::EventEdge| match &it.by {
        Dispatch::Scenarios(by) => by.iter().map(|it| name(*it)).collect::<Vec<_>>().join(", "),
        Dispatch::Nobody { why, nearest } => {
            let near = nearest.as_ref().map(|near| {
                let missing = near.missing.iter().map(|at| it.updates[*at as usize].name.as_str());
                format!(", nearest {} without {}", name(near.scenario), missing.collect::<String>())
            });
            format!("{why:?}{}", near.unwrap_or_default())
        }
    };
    links.events.iter().map(line).collect()
}

#[test]
fn events_are_linked_by_what_edges_set() {
    let all = sample::use_cases();
    let network = sample::automata(&["TemperatureError", "SeatError"], "Interrupts");
    let scenarios = sample::temperature(&all);
    let links = link(&all, &scenarios, &network);
    let (found, gone) = ("TemperatureErrorFound", "TemperatureErrorGone");
    // Nothing speaks of the seat, and nobody sends `DMA` but the environment.
    let seat = ["NoScenario"; 4];
    assert_eq!(text(&links, &scenarios), [&[found, gone, gone, found][..], &seat[..]].concat());
}

#[test]
fn what_is_not_linked_says_why() {
    let all = sample::use_cases();
    let text_of = "chan a; int other; process TemperatureError() { clock x; bool isDetected, isQualified; int[0,3] count;
        int[0,5] isReset; state A; init A; trans A -> A { sync a?; assign x = 0; },
        A -> A { sync a?; assign isDetected = !isDetected; }, A -> A { sync a?; assign count = 1; },
        A -> A { sync a?; assign isDetected = true, isQualified = true; }, A -> A { sync a?; assign other = 1, isDetected = true; },
        A -> A { sync a?; assign isDetected = false; }; } system TemperatureError;";
    let network = crate::network("model.xta", text_of.as_bytes());
    let scenarios = sample::scenarios(vec![sample::found(&all, "TemperatureError", 76)]);
    let links = link(&all, &scenarios, &network);
    insta::assert_snapshot!(text(&links, &scenarios).join("\n"), @r"
    NoUpdate
    TemperatureErrorFound
    NoAttribute
    NoScenario, nearest TemperatureErrorFound without TemperatureError.isQualified
    NoAttribute, nearest TemperatureErrorFound without other
    NoScenario
    ");
    let kept: Vec<_> = links.automata[0].variables.iter().map(|it| it.attribute.err()).collect();
    let unknown = Some(NoAttribute::Name);
    assert_eq!(kept, [None, None, unknown, unknown]);
}

/// A process belongs to the class of its own name before that of its template, and two processes of a class need objects of their names.
#[test]
fn processes_belong_to_classes() {
    let all = sample::use_cases();
    let text = "chan a; process SeatError() { bool isDetected; state A; init A; trans A -> A { sync a?; assign isDetected = true; }; }
        process Other() { bool isDetected; state A; init A; trans A -> A { sync a?; }; }
        TemperatureError = SeatError(); SeatSensorError = Other(); Two = SeatError();
        system TemperatureError, SeatSensorError, Two, Other;";
    let network = crate::network("model.xta", text.as_bytes());
    let links = link(&all, &sample::scenarios(Vec::new()), &network);
    let class = |at: usize| links.automata[at].class.map(|it| all.domain.classes[it].name.as_str());
    // The settings call SeatSensorError by its other name.
    let expected = [Some("TemperatureError"), Some("SeatError"), Some("SeatError"), None];
    assert_eq!([class(0), class(1), class(2), class(3)], expected);
    let why = |at: usize| links.automata[at].variables[0].attribute.err();
    let several = Some(NoAttribute::Several);
    assert_eq!(
        [why(0), why(1), why(2), why(3)],
        [None, several, several, Some(NoAttribute::NoClass)]
    );
}

/// What automata keep begins with the values of their variables.
#[test]
fn initial_values_are_those_of_the_automata() {
    let all = sample::use_cases();
    let text = "process SeatError() { bool isDetected = true, isQualified; state A; init A; } system SeatError;";
    let network = crate::network("model.xta", text.as_bytes());
    let found = initial(&all, &network);
    let class = all.domain.class("SeatError").expect("a class");
    let values: Vec<(bool, Value)> =
        found.iter().map(|((of, _), it)| (*of == class, *it)).collect();
    assert_eq!(values, [(true, Value::Bool(true)), (true, Value::Bool(false))]);
}

/// Who sends and does not wait for scenarios is environment; who keeps what scenarios speak of is not.
#[test]
fn sides_of_automata() {
    use punctual_model::usecases::AutomatonSide::{Environment, Requirement};
    let all = sample::use_cases();
    let network = sample::automata(&["TemperatureError"], "Interrupts, Messages");
    let links = link(&all, &sample::temperature(&all), &network);
    let sides: Vec<_> = links.automata.iter().map(|it| it.side).collect();
    assert_eq!(sides, [Requirement, Environment, Environment]);
}
